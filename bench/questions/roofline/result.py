"""What a roofline answer found: the points against their ceilings, the roofs, and what is projected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import NamedTuple

from bench.basis.document import HIDDEN
from bench.basis.evidence import Deciding, PointTally
from bench.basis.limits import Limit
from bench.basis.points import PointFacts
from bench.basis.roofline import RooflinePhase, ServedLoad, Use
from bench.basis.stated_share import NOTHING, StatedShare
from bench.chart import hardware_words, value_label
from bench.maths.roofline import Binding

BEYOND = "roofline"
"""The flag of a point above its bound."""

INTENSITY, BATCH = "intensity", "batch"
"""What lies along the horizontal axis: operations for each byte, or how many requests share a step."""


class Rig(NamedTuple):
    """A model at a precision on so many chips: what has a ceiling of its own."""

    model: str
    precision: str
    accelerator: str
    accelerators: int

    @property
    def hardware(self) -> str:
        """Its chips in words: "8 x H200 SXM", "one H200 SXM"."""
        if self.accelerators == 1:
            return f"one {value_label('accelerator', self.accelerator)}"
        return hardware_words({"accelerator": self.accelerator, "accelerators": self.accelerators})

    @property
    def words(self) -> str:
        """With its model: "DeepSeek-R1 FP8 on 8 x H200 SXM"."""
        return f"{value_label('model', self.model)} {self.precision.upper()} on {self.hardware}"


@dataclass(frozen=True)
class HeldPoint:
    """A point, what it used of its hardware, and what that was bound by.

    `bound` are the output tokens/s that no engine gets above, None where they are not known or the phase is a prefill.
    `shares` are the least shares of its time that each limit took, `bound_by` the one that took most, None where nobody
    can tell. `supposed_cache_bits` are those of a cached value where its precision is not stated, else None. `enters`
    says that it is ranked.
    """

    facts: PointFacts
    load: ServedLoad
    use: Use
    bound: float | None
    shares: Mapping[Binding, float] = field(hash=False)
    bound_by: Binding | None
    enters: bool
    supposed_cache_bits: float | None

    @property
    def rig(self) -> Rig:
        """What it was measured on."""
        one = self.facts
        return Rig(one.model or "", one.precision or "", one.accelerator or "", one.accelerators or 1)

    @property
    def is_above(self) -> bool:
        """Whether it lies above its ceiling."""
        return self.use.share > 1

    @property
    def is_beyond(self) -> bool:
        """Whether it lies above the bound, beyond what any engine can."""
        return self.bound is not None and self.use.rate > self.bound

    @property
    def is_flagged(self) -> bool:
        """Whether it has the flag of such a point."""
        return BEYOND in self.facts.flag_kinds


@dataclass(frozen=True)
class Roof:
    """The limits of one chip at one precision: bytes/s and FLOP/s, None where that peak is not known."""

    accelerator: str
    precision: str
    bandwidth: float
    operations: float | None
    is_projected: bool = False


@dataclass(frozen=True)
class CeilingCurve:
    """The ceiling of a rig over how many requests share a step: units a second of each chip."""

    rig: Rig
    requests: tuple[float, ...]
    per_chip: tuple[float, ...]
    is_projected: bool = False


@dataclass(frozen=True)
class ProjectedUse:
    """A place that nobody measured: how many requests share a step, and the use of it at a share of its ceiling.

    The share is that of the measured point `of`.
    """

    requests: float
    use: Use
    of: str


@dataclass(frozen=True)
class Projection:
    """What a rig would do at the shares of their ceilings that another one's best points reached; `lender` is that one.

    `places` are empty where it does not fit. `is_least` says that those points reached at least so much.
    """

    rig: Rig
    lender: Rig
    places: tuple[ProjectedUse, ...]
    is_least: bool


@dataclass(frozen=True)
class StepPart:
    """A part of a step as a profiler saw it: its name, its time in ms, and the part that it lies within."""

    name: str
    ms: float
    within: str


@dataclass(frozen=True)
class StepBreakdown:
    """Where a step's time went by its source, and the least time that reading its bytes takes, in ms."""

    rig: Rig
    batch: int
    context_tokens: int | None
    step_ms: float
    parts: tuple[StepPart, ...]
    memory_ms: float | None
    profiler: str
    source: str


@dataclass(frozen=True)
class Roofline:
    """The points of a selection against the ceilings of the hardware they ran on.

    `points` are all that are drawn; those that enter are ranked. `closest` is the one nearest to its ceiling, below it,
    of each model, the nearest first; with `limits` on which too few accelerators say enough, none. `roofs` are the
    limits of a chip, `curves` ceilings over requests, and `projection` is what was asked to be projected.
    """

    phase: RooflinePhase
    axis: str
    points: tuple[HeldPoint, ...] = field(metadata={HIDDEN: True})
    closest: tuple[HeldPoint, ...]
    roofs: tuple[Roof, ...]
    curves: tuple[CeilingCurve, ...] = field(metadata={HIDDEN: True})
    projection: Projection | None
    breakdowns: tuple[StepBreakdown, ...]
    tally: PointTally
    limits: tuple[Limit, ...]
    deciding: Deciding
    known: StatedShare = field(default=NOTHING, metadata={HIDDEN: True})

    @cached_property
    def ranked(self) -> tuple[HeldPoint, ...]:
        """The points that enter."""
        return tuple(one for one in self.points if one.enters)

    @property
    def middle(self) -> float | None:
        """The share of its ceiling that half of the ranked points below theirs reach."""
        shares = [one.use.share for one in self.ranked if not one.is_above]
        return median(shares) if shares else None

    @property
    def bindings(self) -> dict[Binding | None, int]:
        """How many ranked points are bound by what, the commonest first; None counts those of which nobody can tell."""
        counts: dict[Binding | None, int] = {}
        for one in self.ranked:
            counts[one.bound_by] = counts.get(one.bound_by, 0) + 1
        return dict(sorted(counts.items(), key=lambda row: -row[1]))

    @cached_property
    def compares_models(self) -> bool:
        """Whether the points are of several models."""
        return len({one.rig.model for one in self.points}) > 1


def closest(points: tuple[HeldPoint, ...]) -> tuple[HeldPoint, ...]:
    """The point of each model that is nearest to its ceiling and not above it, the nearest model first."""
    below = sorted(
        (one for one in points if one.enters and not one.is_above), key=lambda one: (-one.use.share, one.facts.point_id)
    )
    first: dict[str, HeldPoint] = {}
    for one in below:
        first.setdefault(one.rig.model, one)
    return tuple(first.values())
