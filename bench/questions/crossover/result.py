"""What a crossover's answer found: two curves and what their comparison came to; or every pair that can be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from bench.basis.document import HIDDEN
from bench.basis.evidence import PointTally
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice, Choice
from bench.maths.crossover import Crossing, Crossover, Knot
from bench.maths.envelope import Envelope
from bench.questions.crossover.options import CrossoverOptions, Per

SideKey = Literal["a", "b"]
SIDES: tuple[SideKey, SideKey] = ("a", "b")
OTHER: dict[SideKey, SideKey] = {"a": "b", "b": "a"}


@dataclass(frozen=True)
class CurvePlace:
    """A measured place of a curve: x, the value there in the asked unit, the point it is of, and all its repeats."""

    x: float
    y: float
    point: PointFacts
    repeats: tuple[float, ...] = ()


@dataclass(frozen=True)
class Member:
    """One deployment at one run: its places along the axis, between which alone a line is drawn."""

    places: tuple[CurvePlace, ...]

    @property
    def facts(self) -> PointFacts:
        """What all its points state."""
        return self.places[-1].point

    def at(self, x: float) -> CurvePlace | None:
        """What was measured at an x; None where nothing was."""
        return next((one for one in self.places if one.x == x), None)


@dataclass(frozen=True)
class SideCurve:
    """One side's curve: its members, and the best of them at each place, above 0 on logarithms."""

    members: tuple[Member, ...]
    envelope: Envelope = field(metadata={HIDDEN: True}, compare=False, repr=False)

    @property
    def lines(self) -> list[list[tuple[float, float]]]:
        """The best as (x, y), in pieces between gaps and jumps."""
        sign = self.envelope.sign
        return [[(one.x, math.exp(sign * one.height)) for one in part] for part in self.envelope.stretches]

    @cached_property
    def places(self) -> list[tuple[CurvePlace, bool]]:
        """Every place of the winning members from left to right, and whether it is the best there."""
        best = {x: self.members[self.envelope.at(x).member] for x in self.envelope.xs}
        winning = {one.member for part in self.envelope.stretches for one in part}
        told = [(one, best[one.x] is self.members[i]) for i in winning for one in self.members[i].places]
        return sorted(told, key=lambda row: (row[0].x, row[0].y))


@dataclass(frozen=True)
class Compared:
    """Two curves that were compared, in the unit asked for, by side, and who leads where.

    One side `crosses`, or overtakes, the other once or more often; or neither leads anywhere by more than a `tie`; or
    the lead `passes` on only where a best member of the other ends or begins, so that no crossing is known.
    """

    curves: Mapping[SideKey, SideCurve] = field(metadata={HIDDEN: True})
    found: Crossover
    kind: Literal["crosses", "leads", "passes", "tie"]

    @property
    def crossings(self) -> list[Crossing]:
        """The crossings by more than a tie."""
        return [one for one in self.found.crossings if not one.within_tie]

    def member(self, side: SideKey, knot: Knot) -> Member:
        """The best member of a side at a knot."""
        return self.curves[side].members[knot.member_a if side == "a" else knot.member_b]

    def best(self, side: SideKey) -> tuple[Member, ...]:
        """The members of a side that are the best at a knot, in the order in which they are."""
        members = (self.member(side, knot) for knot in self.found.knots)
        return tuple({id(one): one for one in members}.values())

    def named(self, *knots: Knot) -> list[PointFacts]:
        """The points that stand at these knots on both sides; a side interpolated there has none."""
        found = [self.member(side, knot).at(knot.x) for knot in knots for side in SIDES]
        return list(dict.fromkeys(one.point for one in found if one is not None))


@dataclass(frozen=True)
class Leads(Compared):
    """One side leads wherever both were measured, but for ties; by least and most at two of the settled knots."""

    leader: SideKey
    smallest: Knot
    largest: Knot


@dataclass(frozen=True)
class NoOverlap:
    """The two were measured at different parts of the axis."""

    curves: Mapping[SideKey, SideCurve] = field(metadata={HIDDEN: True})
    range_a: tuple[float, float]
    range_b: tuple[float, float]
    kind: Literal["no_overlap"] = "no_overlap"


@dataclass(frozen=True)
class NotComparable:
    """The sides are of unlike things: `key` is the column in which they differ, with the values of each side."""

    key: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    kind: Literal["not_comparable"] = "not_comparable"


@dataclass(frozen=True)
class NotKnown:
    """What a side is to be divided by is not known: its count of chips, their price or their rated power."""

    code: Literal["chips", "price", "power"]
    accelerators: tuple[str, ...]
    kind: Literal["not_known"] = "not_known"


@dataclass(frozen=True)
class NoPoints:
    """A side has no point that is ranked, none with the metric on the axis, or none of known "chips"."""

    code: Literal["not_ranked", "axis", "chips"]
    side: SideKey
    kind: Literal["no_points"] = "no_points"


Outcome = Compared | NoOverlap | NotComparable | NotKnown | NoPoints
"""What a comparison came to."""


@dataclass(frozen=True)
class Side:
    """One side in words, its filters as its option writes them, and what it was measured on.

    `hardware` is "4 x TPU v6e" and `parts` say what else it is; `name` is what it is called where both sides are alike.
    Of a chosen pair also its `curve` in the unit asked for, None where there is none; `points`, all that were compared;
    `hollow`, those that a flag keeps out of every ranking; and the one price of its chips, None where not known.
    """

    hardware: str
    parts: tuple[str, ...]
    filters: str
    accelerator: str | None = None
    counts: tuple[int, ...] = ()
    name: str = ""
    curve: SideCurve | None = None
    hollow: tuple[CurvePlace, ...] = ()
    price: ChipPrice | None = None
    points: tuple[PointFacts, ...] = field(default=(), metadata={HIDDEN: True})

    @cached_property
    def label(self) -> str:
        """All of its words."""
        said = ", ".join(part for part in (self.hardware, *self.parts) if part) or "the side chosen"
        return f"{self.name} ({said})" if self.name else said


@dataclass(frozen=True)
class NormalisedVerdict:
    """What the comparison comes to under one normalisation: what is held equal, and divided by what.

    Held equal is the place on the axis `along`; with `chips` the count of accelerators too.
    """

    along: str
    chips: int | None
    per: Per
    outcome: Outcome


@dataclass(frozen=True)
class BreakEvenPrice:
    """The price of one chip of a side, in USD per hour, at which both give the same per dollar where it may cost most.

    `accelerators` is how many chips that deployment has; `left_out` how many places are, as no lead is settled there.
    """

    side: SideKey
    x: float
    usd_per_accelerator_hour: float
    accelerators: int | None
    left_out: int


@dataclass(frozen=True)
class Pair:
    """The answer for a chosen pair, under the asked normalisation and under every.

    `even` has the break-even of each side with a price on the other; `prices` are the listed ones of all accelerators.
    """

    asked: CrossoverOptions
    a: Side
    b: Side
    outcome: Outcome
    verdicts: tuple[NormalisedVerdict, ...]
    even: Mapping[SideKey, BreakEvenPrice]
    choice: Choice
    tally: PointTally
    prices: tuple[ChipPrice, ...]
    kind: Literal["pair"] = "pair"

    @property
    def sides(self) -> dict[SideKey, Side]:
        """The two sides by their keys, `a` and `b`."""
        return {"a": self.a, "b": self.b}


@dataclass(frozen=True)
class ListedPair:
    """One pair of a list: its sides, what their comparison came to, and in how many facts they are unlike.

    `keys` tell both curves apart from all others.
    """

    place: int
    a: Side
    b: Side
    outcome: Outcome
    unlike: int
    keys: tuple[Any, ...] = field(default=(), metadata={HIDDEN: True})

    @property
    def crossings(self) -> list[Crossing]:
        """The crossings by more than a tie."""
        return self.outcome.crossings if isinstance(self.outcome, Compared) else []

    @property
    def knots(self) -> tuple[Knot, ...]:
        """The places at which both were compared; none where they were not."""
        return self.outcome.found.knots if isinstance(self.outcome, Compared) else ()


@dataclass(frozen=True)
class PairList:
    """The answer without a pair: every pair of the story that can be compared, the most telling first.

    `otherwise` has what the same pairs come to when divided by something else; nothing of very many. `curves` are the
    curves of the selection, `left` those of the one side that is chosen, None where none is. `uneven` pairs are left
    out, as nothing is divided and their counts of chips are unequal.
    """

    asked: CrossoverOptions
    pairs: tuple[ListedPair, ...]
    beyond: int
    curves: int
    accelerators: tuple[str, ...]
    left: int | None
    otherwise: Mapping[Per, tuple[Outcome, ...]]
    choice: Choice
    prices: tuple[ChipPrice, ...]
    tally: PointTally
    uneven: int = 0
    kind: Literal["listing"] = "listing"


CrossoverResult = Pair | PairList
