"""Where one measured curve overtakes another: who leads where, each crossing, and how well it is known."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from . import interpolation
from .grid import TIE, Better
from .statistics import LogMean, half_width, log_mean

Leader = Literal["a", "b"]
Verdict = Literal["crosses", "a_leads", "b_leads", "tie", "no_overlap"]
Points = Iterable[tuple[float, float]]
"""The (x, y) of a curve in any order; several y at one x are repeats of one measurement."""

NO_DIFFERENCE = 1e-12
"""Logarithms this close are equal: what is left is the rounding of their sums."""
PARTS = 16
"""Into so many parts the way between two knots is cut, to follow a 95 % band that is narrowest in the middle."""


@dataclass(frozen=True)
class Knot:
    """An x at which at least one of the curves was measured, and both there; what was not measured is interpolated.

    `lead_percent` is how many percent the leader is ahead, above 0 when that is A, below 0 when it is B: the better
    y against the worse, so that 125 ms against 100 ms is 25 % as 125 tokens/s against 100 are. `lead_low` to
    `lead_high` is its 95 % interval, None where a measurement it rests on has no repeats. `tie`: within 1 %, or 0 lies
    in that interval.
    """

    x: float
    y_a: float
    y_b: float
    measured_a: bool
    measured_b: bool
    lead_percent: float
    lead_low: float | None
    lead_high: float | None
    tie: bool


@dataclass(frozen=True)
class Interval:
    """Where a crossing lies: by repeats with 95 % confidence, else somewhere between two knots.

    An open end is one beyond which the data do not say: the overlap, or what was repeated, ends there.
    """

    low: float
    high: float
    open_low: bool
    open_high: bool
    source: Literal["repeats", "bracket"]


@dataclass(frozen=True)
class Crossing:
    """An x at which the lead passes on, with both curves' y there and who leads after it.

    `below` and `above` are the nearest knots at which the two differ. `within_tie` is False when, of the knots that
    are no tie, the last one before is led by the former leader and the next one by the new leader; else the sign
    changes, but nobody overtakes by more than a tie.
    """

    x: float
    y: float
    leads_after: Leader
    below: Knot
    above: Knot
    interval: Interval
    within_tie: bool


@dataclass(frozen=True)
class Crossover:
    """Two curves compared where both were measured.

    `verdict` is `crosses` when each leads somewhere by more than a tie; `a_leads` or `b_leads` when only one does;
    `tie` when none does. With `a_leads`, `b_leads` and `tie` every crossing is within a tie. `smallest` and `largest`
    are the knots of the leader's smallest lead (where it may be behind, within a tie) and largest; None unless one
    leads. `overlap` is None when the ranges do not overlap; when it is a single x, there is one knot.
    """

    verdict: Verdict
    range_a: tuple[float, float]
    range_b: tuple[float, float]
    overlap: tuple[float, float] | None
    knots: tuple[Knot, ...]
    crossings: tuple[Crossing, ...]
    smallest: Knot | None
    largest: Knot | None


def crossover(a: Points, b: Points, better: Better = "higher") -> Crossover:
    """Who leads where of two measured curves, and every x at which the lead passes from one to the other.

    Both are straight between their own neighbouring points on log-log axes, so the logarithm of their ratio is
    straight between neighbouring knots (every x in the overlap at which either was measured) and each crossing is
    found exactly. Nothing is extrapolated. At an x with repeats, y is their geometric mean.

    Equal at a knot with the lead changing through it is a crossing there; touching without a change is none. Where
    the two run equal over several knots, the new leader leads from the last of them on: that is the crossing.

    A crossing's interval by repeats is every x around it at which the 95 % interval of the ratio holds 1 (Fieller's
    set), so it covers the crossing of the true log-log lines 95 times in 100; that the true curve is not straight
    between points is not in it. Without repeats it is the bracket of `below` and `above`.

    ValueError when a curve has no points, or one whose x or y is not above 0 and finite.
    """
    pair = _Pair(_Curve("A", a), _Curve("B", b), 1 if better == "higher" else -1)
    if not pair.xs:
        return Crossover("no_overlap", pair.a.range, pair.b.range, None, (), (), None, None)
    knots = pair.knots
    leaders = {_leader(knot) for knot in knots if not knot.tie}
    smallest = largest = None
    if len(leaders) == 1:
        direction = 1 if leaders == {"a"} else -1
        smallest = min(knots, key=lambda knot: direction * knot.lead_percent)
        largest = max(knots, key=lambda knot: direction * knot.lead_percent)
    return Crossover(
        _verdict(leaders),
        pair.a.range,
        pair.b.range,
        (pair.xs[0], pair.xs[-1]),
        knots,
        tuple(_crossings(pair)),
        smallest,
        largest,
    )


def break_even_price(
    y_a: float, y_b: float, accelerators_a: int, accelerators_b: int, price_a: float
) -> float:
    """The price of one of B's accelerators for an hour at which B gives as many tokens per dollar as A does.

    y are throughputs of the whole deployments, price_a is for one of A's accelerators for an hour:
    price_a accelerators_a / y_a = price_b accelerators_b / y_b. ValueError unless throughputs and counts are above 0
    and the price is not below 0.
    """
    if not all(math.isfinite(value) and value > 0 for value in (y_a, y_b, accelerators_a, accelerators_b)):
        raise ValueError(
            f"no break-even price with throughputs {y_a} and {y_b} on {accelerators_a} and {accelerators_b} "
            "accelerators: all must be above 0"
        )
    if not (math.isfinite(price_a) and price_a >= 0):
        raise ValueError(f"no break-even price from a price of {price_a}: it must not be below 0")
    return price_a * accelerators_a / y_a * y_b / accelerators_b


class _Curve:
    """A measured curve: its points by x, and what lies between them."""

    def __init__(self, name: str, points: Points) -> None:
        repeats: dict[float, list[float]] = {}
        for x, y in points:
            if not (math.isfinite(x) and math.isfinite(y) and x > 0 and y > 0):
                raise ValueError(
                    f"curve {name} has the point ({x}, {y}): x and y must be above 0, leave it out"
                )
            repeats.setdefault(float(x), []).append(float(y))
        if not repeats:
            raise ValueError(f"curve {name} has no points: give at least one")
        self.xs = sorted(repeats)
        self.means = {x: log_mean(values) for x, values in repeats.items()}
        self.range = (self.xs[0], self.xs[-1])

    def y(self, x: float) -> float:
        """At an x within the range."""
        if x in self.means:
            return self.means[x].mean
        x0, x1 = self._neighbours(x)
        return interpolation.between(x0, self.means[x0].mean, x1, self.means[x1].mean, x)

    def variances(self, x: float) -> list[tuple[float, float]] | None:
        """Of log y: what each measurement it rests on adds, with its degrees of freedom; None without repeats."""
        if x in self.means:
            resting: list[tuple[float, LogMean]] = [(1.0, self.means[x])]
        else:
            x0, x1 = self._neighbours(x)
            share = _distance(x0, x) / _distance(x0, x1)
            resting = [(1 - share, self.means[x0]), (share, self.means[x1])]
        added: list[tuple[float, float]] = [
            (w * w * mean.variance, mean.df) for w, mean in resting if mean.variance is not None
        ]
        return added if len(added) == len(resting) else None

    def _neighbours(self, x: float) -> tuple[float, float]:
        after = bisect_left(self.xs, x)
        return self.xs[after - 1], self.xs[after]


class _Pair:
    """Two curves where both were measured: A's lead as a logarithm, above 0 where A is better."""

    def __init__(self, a: _Curve, b: _Curve, sign: int) -> None:
        self.a, self.b, self.sign = a, b, sign
        low, high = max(a.range[0], b.range[0]), min(a.range[1], b.range[1])
        self.xs = sorted(x for x in {*a.xs, *b.xs} if low <= x <= high)

    def lead(self, x: float) -> float:
        found = self.sign * (math.log(self.a.y(x)) - math.log(self.b.y(x)))
        return 0.0 if abs(found) < NO_DIFFERENCE else found

    def band(self, x: float) -> float | None:
        """Half the 95 % interval of the lead; None where it rests on a measurement without repeats."""
        a, b = self.a.variances(x), self.b.variances(x)
        return None if a is None or b is None else half_width(sorted([*a, *b]))

    @cached_property
    def leads(self) -> list[float]:
        return [self.lead(x) for x in self.xs]

    @cached_property
    def knots(self) -> tuple[Knot, ...]:
        return tuple(self._knot(x, lead) for x, lead in zip(self.xs, self.leads, strict=True))

    def _knot(self, x: float, lead: float) -> Knot:
        band = self.band(x)
        return Knot(
            x,
            self.a.y(x),
            self.b.y(x),
            x in self.a.means,
            x in self.b.means,
            _percent(lead),
            None if band is None else _percent(lead - band),
            None if band is None else _percent(lead + band),
            abs(lead) <= math.log1p(TIE) + NO_DIFFERENCE or (band is not None and abs(lead) <= band),
        )


def _crossings(pair: _Pair) -> Iterator[Crossing]:
    differing = [place for place, lead in enumerate(pair.leads) if lead]
    for below, above in pairwise(differing):
        before, after = pair.leads[below], pair.leads[above]
        if (before > 0) == (after > 0):
            continue
        if above - below > 1:
            x = pair.xs[above - 1]
        else:
            x0, x1 = pair.xs[below], pair.xs[above]
            share = before / (before - after)
            x = min(max(x0 * math.exp(share * _distance(x0, x1)), x0), x1)
        leads_after: Leader = "a" if after > 0 else "b"
        yield Crossing(
            x,
            math.sqrt(pair.a.y(x)) * math.sqrt(pair.b.y(x)),
            leads_after,
            pair.knots[below],
            pair.knots[above],
            _interval(pair, x, pair.knots[below], pair.knots[above]),
            not _decided(pair.knots, below, above, leads_after),
        )


def _decided(knots: Sequence[Knot], below: int, above: int, leads_after: Leader) -> bool:
    """Whether the nearest knots that are no tie are led by different sides, the one after by the new leader."""
    before = next((_leader(knot) for knot in reversed(knots[: below + 1]) if not knot.tie), None)
    after = next((_leader(knot) for knot in knots[above:] if not knot.tie), None)
    return before is not None and after == leads_after and before != after


def _interval(pair: _Pair, x: float, below: Knot, above: Knot) -> Interval:
    if pair.band(x) is None:
        return Interval(below.x, above.x, False, False, "bracket")
    places = list(_finely(pair.xs))
    low, open_low = _reach(pair, x, [place for place in reversed(places) if place < x])
    high, open_high = _reach(pair, x, [place for place in places if place > x])
    return Interval(low, high, open_low, open_high, "repeats")


def _reach(pair: _Pair, x: float, outwards: Sequence[float]) -> tuple[float, bool]:
    """How far from a crossing its 95 % interval reaches one way, and whether it is open there."""
    inside, lead, band = x, 0.0, pair.band(x) or 0.0
    for place in outwards:
        next_lead, next_band = pair.lead(place), pair.band(place)
        if next_band is None:
            return inside, True
        if abs(next_lead) > next_band:
            # The band's edge and the lead are straight between two places so close together.
            short = (lead if next_lead > 0 else -lead) - band
            share = short / (short - (abs(next_lead) - next_band))
            return inside * math.exp(share * _distance(inside, place)), False
        inside, lead, band = place, next_lead, next_band
    return inside, True


def _finely(xs: Sequence[float]) -> Iterator[float]:
    """The knots and the places between them, PARTS to each gap, in order."""
    for x0, x1 in pairwise(xs):
        yield x0
        gap = _distance(x0, x1)
        yield from (min(x0 * math.exp(gap * part / PARTS), x1) for part in range(1, PARTS))
    yield xs[-1]


def _distance(x0: float, x1: float) -> float:
    """log(x1 / x0), with its digits kept where the two lie close together."""
    return math.log1p((x1 - x0) / x0)


def _leader(knot: Knot) -> Leader:
    return "a" if knot.lead_percent > 0 else "b"


def _percent(lead: float) -> float:
    return math.copysign(100 * math.expm1(abs(lead)), lead)


def _verdict(leaders: set[Leader]) -> Verdict:
    if len(leaders) == 2:
        return "crosses"
    if not leaders:
        return "tie"
    return "a_leads" if leaders == {"a"} else "b_leads"
