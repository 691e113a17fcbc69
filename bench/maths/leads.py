"""Who leads of two envelopes along the axis they share: stretches without a jump, and the phases of one leader."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from bench.maths.envelope import NO_DIFFERENCE, TIED, Envelope, Height
from bench.maths.statistics import half_width

MUCH = math.log(1.1)
"""A jump that moves every lead: one software measured again after two months differs by up to a tenth already."""

Leader = Literal["a", "b"]
Beyond = Literal["above", "below"]
ABOVE: Beyond = "above"
BELOW: Beyond = "below"


@dataclass(frozen=True)
class Node:
    """A's lead at an x as a logarithm, above 0 where A is better, with half its 95 % interval where that is known."""

    x: float
    lead: float
    band: float | None
    a: Height
    b: Height

    @property
    def tie(self) -> bool:
        """Whether the lead is within 1 %, or 0 lies in its interval."""
        return abs(self.lead) <= TIED or (self.band is not None and abs(self.lead) <= self.band)

    @property
    def leader(self) -> Leader | None:
        """Who leads by more than a tie."""
        return None if self.tie else "a" if self.lead > 0 else "b"


StraightNodes = list[Node]
"""Nodes between which the lead is straight: every measured x, and where an envelope bends between two."""


@dataclass(frozen=True)
class Break:
    """Where the lead passes on only because `side` has no better member there: no crossing.

    `member` is the one that led up to `x` and was not measured further (`beyond` is "above"), or that leads from `x`
    on and was not measured before it ("below"). From `x` to `until` who leads is known only of what was measured there.
    """

    x: float
    until: float
    side: Leader
    member: int
    beyond: Beyond


@dataclass
class Phase:
    """Consecutive nodes with one leader; not `settled` where the other side lacks the member that led nearby."""

    leader: Leader
    nodes: list[Node]
    settled: bool = True

    @property
    def xs(self) -> set[float]:
        """Every x of its nodes."""
        return {node.x for node in self.nodes}

    @property
    def span(self) -> tuple[float, float]:
        """Its first and last x."""
        return self.nodes[0].x, self.nodes[-1].x


class EnvelopePair:
    """Two envelopes where both are known."""

    def __init__(self, a: Envelope, b: Envelope) -> None:
        self.a, self.b = a, b
        self.xs = [x for x in sorted({*a.xs, *b.xs}) if a.covers(x) and b.covers(x)]
        self._bands: dict[tuple[float, int, int], float | None] = {}

    @cached_property
    def knots(self) -> list[Node]:
        """At every x at which either was measured."""
        return [self.node(self.a.at(x), self.b.at(x)) for x in self.xs]

    @cached_property
    def stretches(self) -> list[StraightNodes]:
        """The lead in order, cut where either has a gap or jumps by more than a tie."""
        parts = [[self.knots[0]]]
        for before, after in pairwise(self.knots):
            inner = list(self._between(before.x, after.x))
            if not inner:
                parts.append([after])
                continue
            for one in (*inner, after):
                last = parts[-1][-1]
                if one.x > last.x:
                    parts[-1].append(one)
                elif max(abs(one.a.height - last.a.height), abs(one.b.height - last.b.height)) > TIED:
                    parts.append([one])
                elif abs(one.lead - last.lead) > NO_DIFFERENCE:
                    parts[-1].append(one)
        return parts

    def node(self, a: Height, b: Height) -> Node:
        """The lead where both are this good."""
        lead = a.height - b.height
        return Node(a.x, 0.0 if abs(lead) < NO_DIFFERENCE else lead, self._band(a, b), a, b)

    def _band(self, a: Height, b: Height) -> float | None:
        key = (a.x, a.member, b.member)
        if key not in self._bands:
            parts = [curve.variances(a.x) for curve in (self.a.curves[a.member], self.b.curves[b.member])]
            known = [part for part in parts if part is not None]
            self._bands[key] = half_width(sorted([*known[0], *known[1]])) if len(known) == 2 else None
        return self._bands[key]

    def _between(self, x0: float, x1: float) -> Iterator[Node]:
        """The lead from just after one knot to just before the next, where either envelope bends; nothing in a gap."""
        a, b = self.a.between(x0, x1), self.b.between(x0, x1)
        if not (a and b):
            return
        for x in sorted({one.x for one in (*a, *b)}):
            first = x == x0
            yield self.node(_on(self.a, a, x, first=first), _on(self.b, b, x, first=first))


def _on(envelope: Envelope, line: Sequence[Height], x: float, *, first: bool) -> Height:
    """An envelope's height at an x between two knots, from the places at which it bends."""
    if first:
        return line[0]
    before = [one for one in line if one.x <= x][-1]
    if before.x == x:
        return before
    return Height(x, envelope.sign * math.log(envelope.curves[before.member].y(x)), before.member)


def phases(pair: EnvelopePair) -> tuple[list[Phase], list[Break]]:
    """The phases of one leader in order, ties between left out, and the breaks that part them without a crossing."""
    so_far: list[Phase] = []
    broken: list[tuple[int, int, int]] = []
    last = 0
    for place, stretch in enumerate(pair.stretches):
        for node in stretch:
            if node.leader is None:
                continue
            if so_far and so_far[-1].leader == node.leader:
                so_far[-1].nodes.append(node)
            else:
                so_far.append(Phase(node.leader, [node]))
                if len(so_far) > 1 and last != place:
                    broken.append((len(so_far) - 1, last, place))
            last = place
    return so_far, [_broken(pair, so_far, *one) for one in broken]


def lacking(pair: EnvelopePair, in_order: Sequence[Phase]) -> tuple[set[float], list[Break]]:
    """The knots at which much of a lead rests on what the one behind lacks there, and where that begins or ends.

    The one behind jumps up where a better series of it begins, down where its best ends, and the leader stays. The
    knots where the series is missing are told if the jump is of more than a tenth, or would turn the lead at one of
    them. The widest jump comes first, a further one only with knots that it adds.
    """
    missing: set[float] = set()
    breaks: list[Break] = []
    for phase in in_order:
        side: Leader = "b" if phase.leader == "a" else "a"
        jumps = [(_change(pair, side, place, gap=0.0), place) for place in _within(pair, phase)]
        for jump, place in sorted(jumps, key=lambda one: -abs(one[0])):
            begins = jump > 0
            at = pair.stretches[place + 1][0] if begins else pair.stretches[place][-1]
            without = [
                knot
                for knot in pair.knots
                if knot.leader == phase.leader
                and phase.span[0] <= knot.x <= phase.span[1]
                and (knot.x < at.x if begins else knot.x > at.x)
            ]
            xs = [knot.x for knot in without]
            least = min([MUCH, *(max(TIED, abs(knot.lead)) for knot in without)])
            if abs(jump) - least > NO_DIFFERENCE and not missing.issuperset(xs):
                missing.update(xs)
                member = at.a.member if side == "a" else at.b.member
                until = min(xs) if begins else max(xs)
                breaks.append(Break(at.x, until, side, member, BELOW if begins else ABOVE))
    return missing, breaks


def _within(pair: EnvelopePair, phase: Phase) -> list[int]:
    """The places of the stretches after which a side jumps while this phase goes on."""
    low, high = phase.span
    ends = [(one[-1].x, other[0].x) for one, other in pairwise(pair.stretches)]
    return [place for place, (last, first) in enumerate(ends) if low <= last and first <= high]


def _broken(pair: EnvelopePair, in_order: Sequence[Phase], place: int, start: int, end: int) -> Break:
    """The break that parts a phase from the one before, of which the one that rests on what is missing is unsettled.

    The later phase does where the former leader's best member ends, the earlier one where the new leader's begins;
    where both do, one that rests on what is missing already, or the one with fewer places.
    """
    before, after = in_order[place - 1], in_order[place]
    drops = [(-_change(pair, before.leader, one, gap=-math.inf), -one) for one in range(start, end)]
    rises = [(_change(pair, after.leader, one, gap=math.inf), -one) for one in range(start, end)]
    drop, rise = max(drops), max(rises)
    both = drop[0] > TIED and rise[0] > TIED
    later = before.settled and len(after.xs) <= len(before.xs) if both else drop[0] >= rise[0]
    if later:
        after.settled = False
        at, side, beyond = pair.stretches[-drop[1]][-1], before.leader, ABOVE
        until = in_order[place + 1].span[0] if place + 1 < len(in_order) else pair.xs[-1]
    else:
        before.settled = False
        at, side, beyond = pair.stretches[1 - rise[1]][0], after.leader, BELOW
        until = in_order[place - 2].span[1] if place > 1 else pair.xs[0]
    return Break(at.x, until, side, at.a.member if side == "a" else at.b.member, beyond)


def _change(pair: EnvelopePair, side: Leader, place: int, gap: float) -> float:
    """By how much a side jumps from a stretch to the next, above 0 for better; `gap` where it has a gap itself."""
    one, other = pair.stretches[place][-1], pair.stretches[place + 1][0]
    envelope, low, high = (pair.a, one.a, other.a) if side == "a" else (pair.b, one.b, other.b)
    if one.x == other.x:
        return high.height - low.height
    line = envelope.between(one.x, other.x)
    return line[0].height - low.height + high.height - line[-1].height if line else gap
