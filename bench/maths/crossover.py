"""Where one measured curve overtakes another: who leads where, each crossing, and how well it is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from bench.maths.envelope import Envelope, Knots, distance
from bench.maths.grid import Better
from bench.maths.leads import Break, EnvelopePair, Leader, Node, Phase, lacking, phases

CrossingVerdict = Literal["crosses", "passes", "a_leads", "b_leads", "tie", "no_overlap"]

PARTS = 16
"""Into so many parts the way between two knots is cut, to follow a 95 % band that is narrowest in the middle."""


@dataclass(frozen=True)
class Knot:
    """An x at which at least one of the curves was measured, and both there; what was not measured is interpolated.

    `lead_percent` is how many percent the leader is ahead, above 0 when that is A, below 0 when it is B: the better
    y against the worse, so that 125 ms against 100 ms is 25 % as 125 tokens/s against 100 are. `lead_low` to
    `lead_high` is its 95 % interval, None where a measurement it rests on has no repeats. `tie`: within 1 %, or 0 lies
    in that interval. Not `settled` where the one behind lacks there what was ahead nearby, so that the lead is of what
    was measured there and no more: see `Break`. `member_a` and `member_b` are the places of the curves that are best
    there among those given.
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
    settled: bool = True
    member_a: int = 0
    member_b: int = 0

    @property
    def leader(self) -> Leader | None:
        """Who leads by more than a tie."""
        return None if self.tie else _leader(self)

    @property
    def ratio(self) -> float:
        """How many times as good the leader is as the other, 1 or more."""
        return 1 + abs(self.lead_percent) / 100


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
    """Two sides compared where both were measured.

    `verdict` is `crosses` when there is a crossing by more than a tie; `passes` when each leads at some knot but only
    breaks part them; `a_leads` or `b_leads` when only one leads at a knot; `tie` when none does. But with `crosses`
    every crossing is within a tie. `breaks` are where the lead passes on without a crossing, `lacking` where it
    does not, but the one behind lacks a better series beyond: see `leads.lacking`. `smallest` and `largest`
    are the knots of the leader's smallest lead (where it may be behind, within a tie) and largest, the settled ones
    where there are any; None unless one leads. `overlap` is None when the ranges do not overlap; when it is a single x,
    there is one knot.
    """

    verdict: CrossingVerdict
    range_a: tuple[float, float]
    range_b: tuple[float, float]
    overlap: tuple[float, float] | None
    knots: tuple[Knot, ...]
    crossings: tuple[Crossing, ...]
    smallest: Knot | None
    largest: Knot | None
    breaks: tuple[Break, ...] = ()
    lacking: tuple[Break, ...] = ()

    @property
    def turns(self) -> tuple[LeadChange, ...]:
        """Every time the lead passes from one knot's leader to the next's by more than a tie, in order."""
        decided = [knot for knot in self.knots if not knot.tie]
        return tuple(self._turn(one, other) for one, other in pairwise(decided) if _leader(one) != _leader(other))

    def run_on_both(self, crossing: Crossing) -> tuple[Knot | None, Knot | None]:
        """The nearest knots on both sides of a crossing at which both curves were measured; None where none is."""
        both = [knot for knot in self.knots if knot.measured_a and knot.measured_b]
        low = next((knot for knot in reversed(both) if knot.x <= crossing.x), None)
        return low, next((knot for knot in both if knot.x >= crossing.x), None)

    def _turn(self, below: Knot, above: Knot) -> LeadChange:
        within = [one for one in self.crossings if below.x <= one.x <= above.x and not one.within_tie]
        cut = min(self.breaks, key=lambda one: _gap(one, below.x, above.x), default=None)
        return LeadChange(_leader(above), below, above, within[-1] if within else None, None if within else cut)


@dataclass(frozen=True)
class LeadChange:
    """The lead passing to `leads_after` between two knots: by a crossing, or by a break and then nobody knows where.

    `below` is the last knot that the former leader leads, `above` the first that the new one does.
    """

    leads_after: Leader
    below: Knot
    above: Knot
    crossing: Crossing | None
    cut: Break | None


def _gap(cut: Break, low: float, high: float) -> float:
    """How far what a break leaves open lies from a part of the axis; 0 where they touch."""
    first, last = sorted((cut.x, cut.until))
    return max(low - last, first - high, 0.0)


def crossover(a: Knots, b: Knots, better: Better = "higher") -> Crossover:
    """Who leads where of two measured curves: `compared` with one curve on each side."""
    return compared(Envelope("A", [a], better), Envelope("B", [b], better))


def compared(a: Envelope, b: Envelope) -> Crossover:
    """Who leads where of two sides, and every x at which the lead passes from one to the other.

    A side is the best of its curves, each of which is straight between its own neighbouring points on log-log axes
    and says nothing outside its range. So the logarithm of the sides' ratio is straight between neighbouring knots
    (every x at which any curve was measured) but for bends where two curves of one side meet, which are found exactly
    as each crossing is. Nothing is extrapolated. At an x with repeats, y is their geometric mean.

    Equal at a knot with the lead changing through it is a crossing there; touching without a change is none. Where
    the two run equal over several knots, the new leader leads from the last of them on: that is the crossing.
    Where the best curve of a side begins or ends the side jumps. A lead that passes on by a jump of more than a tie is
    no crossing but a `Break`, and a crossing next to what a break leaves open is left out.

    A crossing's interval by repeats is every x around it at which the 95 % interval of the ratio holds 1 (Fieller's
    set), so it covers the crossing of the true log-log lines 95 times in 100; that the true curve is not straight
    between points is not in it. Without repeats it is the bracket of `below` and `above`.

    ValueError when a curve has no points, or one whose x or y is not above 0 and finite.
    """
    pair = EnvelopePair(a, b)
    if not pair.xs:
        return Crossover("no_overlap", a.range, b.range, None, (), (), None, None)
    every_phase, breaks = phases(pair)
    missing, lacked = lacking(pair, [phase for phase in every_phase if phase.settled])
    unsettled = {(node.x, node.leader) for phase in every_phase if not phase.settled for node in phase.nodes}
    knots = tuple(
        _knot(pair, node, (node.x, node.leader) not in unsettled and node.x not in missing) for node in pair.knots
    )
    every = [one for stretch in pair.stretches for one in _crossings(pair, stretch, knots)]
    crossings = [one for one in every if one.within_tie or _settled(one, every_phase)]
    left_out = [one.x for one in every if one not in crossings]
    breaks = [_closed(one, left_out) for one in breaks]
    verdict = _verdict(knots, crossings)
    smallest = largest = None
    if verdict in ("a_leads", "b_leads"):
        direction = 1 if verdict == "a_leads" else -1
        told_of = [knot for knot in knots if knot.settled] or knots
        ranked = sorted(told_of, key=lambda knot: direction * knot.lead_percent)
        smallest, largest = ranked[0], ranked[-1]
    overlap = (pair.xs[0], pair.xs[-1])
    return Crossover(
        verdict, a.range, b.range, overlap, knots, tuple(crossings), smallest, largest, tuple(breaks), tuple(lacked)
    )


def _closed(cut: Break, left_out: Sequence[float]) -> Break:
    """The break with what it leaves open ending where the lead changes hands again."""
    if cut.beyond == "above":
        return replace(cut, until=min([cut.until, *(x for x in left_out if x >= cut.x)]))
    return replace(cut, until=max([cut.until, *(x for x in left_out if x <= cut.x)]))


def _settled(crossing: Crossing, told: Sequence[Phase]) -> bool:
    """Whether both phases that a crossing parts are settled."""
    before = [phase for phase in told if phase.span[1] <= crossing.x]
    after = [phase for phase in told if phase.span[0] >= crossing.x]
    return all(phase.settled for phase in (*before[-1:], *after[:1]))


def _knot(pair: EnvelopePair, node: Node, settled: bool) -> Knot:
    one, other = pair.a.curves[node.a.member], pair.b.curves[node.b.member]
    return Knot(
        node.x,
        one.y(node.x),
        other.y(node.x),
        node.x in one.means,
        node.x in other.means,
        _percent(node.lead),
        None if node.band is None else _percent(node.lead - node.band),
        None if node.band is None else _percent(node.lead + node.band),
        node.tie,
        settled,
        node.a.member,
        node.b.member,
    )


def _crossings(pair: EnvelopePair, stretch: Sequence[Node], knots: Sequence[Knot]) -> Iterator[Crossing]:
    differing = [place for place, node in enumerate(stretch) if node.lead]
    for below, above in pairwise(differing):
        one, other = stretch[below], stretch[above]
        if (one.lead > 0) == (other.lead > 0):
            continue
        if above - below > 1:
            x = stretch[above - 1].x
        elif other.x == one.x:
            x = one.x
        else:
            share = one.lead / (one.lead - other.lead)
            x = min(max(one.x * math.exp(share * distance(one.x, other.x)), one.x), other.x)
        leads_after: Leader = "a" if other.lead > 0 else "b"
        before = [knot for knot in knots if knot.x <= one.x]
        ends = before[-1], next(knot for knot in knots if knot.x >= other.x)
        yield Crossing(
            x,
            math.sqrt(pair.a.y(x)) * math.sqrt(pair.b.y(x)),
            leads_after,
            *ends,
            _interval(pair, x, stretch, ends),
            not _decided(stretch, below, above, leads_after),
        )


def _decided(stretch: Sequence[Node], below: int, above: int, leads_after: Leader) -> bool:
    """Whether the nearest nodes that are no tie are led by different sides, the one after by the new leader."""
    before = next((node.leader for node in reversed(stretch[: below + 1]) if node.leader), None)
    after = next((node.leader for node in stretch[above:] if node.leader), None)
    return before is not None and after == leads_after and before != after


def _interval(pair: EnvelopePair, x: float, stretch: Sequence[Node], ends: tuple[Knot, Knot]) -> Interval:
    band = pair.node(pair.a.at(x), pair.b.at(x)).band
    if band is None:
        return Interval(ends[0].x, ends[1].x, False, False, "bracket")
    places = list(_finely(pair, stretch))
    low, open_low = _reach(x, band, [node for node in reversed(places) if node.x < x])
    high, open_high = _reach(x, band, [node for node in places if node.x > x])
    return Interval(low, high, open_low, open_high, "repeats")


def _reach(x: float, band: float, outwards: Sequence[Node]) -> tuple[float, bool]:
    """How far from a crossing its 95 % interval reaches one way, and whether it is open there."""
    inside, lead = x, 0.0
    for node in outwards:
        if node.band is None:
            return inside, True
        if abs(node.lead) > node.band:
            # The band's edge and the lead are straight between two places so close together.
            short = (lead if node.lead > 0 else -lead) - band
            share = short / (short - (abs(node.lead) - node.band))
            return inside * math.exp(share * distance(inside, node.x)), False
        inside, lead, band = node.x, node.lead, node.band
    return inside, True


def _finely(pair: EnvelopePair, stretch: Sequence[Node]) -> Iterator[Node]:
    """The nodes of a stretch and the places between them, PARTS to each gap, in order."""
    for one, other in pairwise(stretch):
        yield one
        gap = distance(one.x, other.x)
        for part in range(1, PARTS if gap else 0):
            x = min(one.x * math.exp(gap * part / PARTS), other.x)
            if one.x < x < other.x:
                yield pair.node(pair.a.at(x), pair.b.at(x))
    yield stretch[-1]


def _percent(lead: float) -> float:
    return math.copysign(100 * math.expm1(abs(lead)), lead)


def _verdict(knots: Sequence[Knot], crossings: Sequence[Crossing]) -> CrossingVerdict:
    if any(not one.within_tie for one in crossings):
        return "crosses"
    leaders = {_leader(knot) for knot in knots if not knot.tie}
    if len(leaders) == 1:
        return "a_leads" if leaders == {"a"} else "b_leads"
    return "passes" if leaders else "tie"


def _leader(knot: Knot) -> Leader:
    return "a" if knot.lead_percent > 0 else "b"
