"""The best of several measured curves, each within its own range and nowhere else: of layouts, the one to choose."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from bench.maths import interpolation
from bench.maths.grid import TIE, Better
from bench.maths.statistics import LogMean, log_mean

Knots = Iterable[tuple[float, float]]
"""The (x, y) of a curve in any order; several y at one x are repeats of one measurement."""

NO_DIFFERENCE = 1e-12
"""Logarithms this close are equal: what is left is the rounding of their sums."""
TIED = math.log1p(TIE) + NO_DIFFERENCE
"""Logarithms this close are a tie."""


class Curve:
    """A measured curve: its points by x, and what lies between them, straight on log-log axes.

    At an x with repeats it runs through their geometric mean, or through the one that `standing` names for that x.
    """

    def __init__(self, name: str, points: Knots, standing: Mapping[float, float] | None = None) -> None:
        repeats: dict[float, list[float]] = {}
        for x, y in points:
            if not (math.isfinite(x) and math.isfinite(y) and x > 0 and y > 0):
                raise ValueError(f"curve {name} has the point ({x}, {y}): x and y must be above 0, leave it out")
            repeats.setdefault(float(x), []).append(float(y))
        if not repeats:
            raise ValueError(f"curve {name} has no points: give at least one")
        self.xs = sorted(repeats)
        stand = standing or {}
        self.means = {x: log_mean(values, stand.get(x)) for x, values in repeats.items()}
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
            share = distance(x0, x) / distance(x0, x1)
            resting = [(1 - share, self.means[x0]), (share, self.means[x1])]
        added: list[tuple[float, float]] = [
            (w * w * mean.variance, mean.df) for w, mean in resting if mean.variance is not None
        ]
        return added if len(added) == len(resting) else None

    def _neighbours(self, x: float) -> tuple[float, float]:
        after = bisect_left(self.xs, x)
        return self.xs[after - 1], self.xs[after]


@dataclass(frozen=True)
class Height:
    """How good the best member is at an x: log y, turned round where lower is better, and which member that is."""

    x: float
    height: float
    member: int


class Envelope:
    """At each x the best of those members whose own range holds it.

    A member says nothing outside its range, so the envelope has a gap where no range holds x, and jumps where the
    best member begins or ends. Several lines at one x: `at` is the envelope there, `between` its limits on either
    side. `standing` says for each member which of its repeats it runs through. ValueError as for a Curve, or without
    members.
    """

    def __init__(
        self,
        name: str,
        members: Sequence[Knots],
        better: Better = "higher",
        standing: Sequence[Mapping[float, float]] = (),
    ) -> None:
        if not members:
            raise ValueError(f"curve {name} has no points: give at least one")
        stand = standing or [{}] * len(members)
        self.curves = [Curve(name, points, one) for points, one in zip(members, stand, strict=True)]
        self.sign = 1 if better == "higher" else -1
        self.xs = sorted({x for curve in self.curves for x in curve.xs})
        self.range = (self.xs[0], self.xs[-1])
        self._held: dict[float, Height] = {}
        self._lines: dict[tuple[float, float], list[Height]] = {}

    def covers(self, x: float) -> bool:
        """Whether any member's range holds x."""
        return any(curve.range[0] <= x <= curve.range[1] for curve in self.curves)

    def at(self, x: float) -> Height:
        """The best member at an x that the envelope covers, measured there rather than interpolated where equal."""
        member = self._held.get(x)
        if member is None:
            held = [place for place, curve in enumerate(self.curves) if curve.range[0] <= x <= curve.range[1]]
            member = self._held[x] = self._best(x, held)
        return member

    def y(self, x: float) -> float:
        """The best value at an x that the envelope covers."""
        return self.curves[self.at(x).member].y(x)

    def measured(self, x: float) -> bool:
        """Whether the best value at x was measured there."""
        return x in self.curves[self.at(x).member].means

    def between(self, x0: float, x1: float) -> list[Height]:
        """The envelope from just after x0 to just before x1, each place at which it bends; empty where it is open.

        No member may have been measured strictly between the two, so that each is one straight line there.
        """
        found = self._lines.get((x0, x1))
        if found is None:
            found = self._lines[x0, x1] = self._between(x0, x1)
        return found

    def _between(self, x0: float, x1: float) -> list[Height]:
        held = [place for place, curve in enumerate(self.curves) if curve.range[0] <= x0 and curve.range[1] >= x1]
        if not held:
            return []
        starts = {place: self._height(place, x0) for place in held}
        rises = {place: self._height(place, x1) - starts[place] for place in held}
        now = max(held, key=lambda place: (starts[place], rises[place], -place))
        share, heights = 0.0, [Height(x0, starts[now], now)]
        while True:
            steeper = [
                (max((starts[now] - starts[place]) / (rises[place] - rises[now]), share), -rises[place], place)
                for place in held
                if rises[place] > rises[now] + NO_DIFFERENCE
            ]
            if not steeper or min(steeper)[0] >= 1 - NO_DIFFERENCE:
                break
            share, _, now = min(steeper)
            x = min(max(x0 * math.exp(share * distance(x0, x1)), x0), x1)
            if x0 < x < x1:
                heights.append(Height(x, starts[now] + share * rises[now], now))
        return [*heights, Height(x1, starts[now] + rises[now], now)]

    @cached_property
    def stretches(self) -> list[list[Height]]:
        """The envelope in order, cut where it has a gap or jumps by more than a tie."""
        parts = [[self.at(self.xs[0])]]
        for x0, x1 in pairwise(self.xs):
            inner, last = self.between(x0, x1), self.at(x1)
            if not inner:
                parts.append([last])
                continue
            for one in (*inner, last):
                before = parts[-1][-1]
                if one.x == before.x and abs(one.height - before.height) > TIED:
                    parts.append([one])
                elif one.x > before.x or one.member != before.member:
                    parts[-1].append(one)
        return parts

    def _best(self, x: float, held: Sequence[int]) -> Height:
        heights = {place: self._height(place, x) for place in held}
        place = max(held, key=lambda one: (heights[one], x in self.curves[one].means, -one))
        return Height(x, heights[place], place)

    def _height(self, place: int, x: float) -> float:
        return self.sign * math.log(self.curves[place].y(x))


def distance(x0: float, x1: float) -> float:
    """log(x1 / x0), with its digits kept where the two lie close together."""
    return math.log1p((x1 - x0) / x0)
