"""What a history found: the runs of one deployment, its metric at fixed loads over them, and two of them in full."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from bench import catalogue
from bench.basis.document import HIDDEN
from bench.basis.evidence import PointTally
from bench.basis.interpolated import PredictionError
from bench.basis.points import PointFacts
from bench.chart import setting
from bench.maths.change_points import Levels
from bench.wording import number

TIME, FRONTIER = "time", "frontier"
"""What is drawn: the metric over dates, or the trade-off of each run."""

LoadVerdict = Literal["changed", "same", "untested", "method"]
"""What the values at one load say: a change is told, none is, there are too few, or no two are of one method."""


@dataclass(frozen=True)
class Measurement:
    """A point in a run: its day, its load, its metrics by key, tokens/s of one user, and how it was measured.

    `doubts` are what flags say of its method; `requests` how many were counted, None where not stated.
    """

    facts: PointFacts
    date: datetime.date
    load: float
    metrics: Mapping[str, float] = field(hash=False)
    per_user: float | None
    harness_version: str | None
    requests: float | None
    doubts: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """The points of one address, engine version and method that were measured together, by their load.

    `date` is that of the last; `name` is the date, with a number where several runs are of one day.
    """

    date: datetime.date
    version: str | None
    address: str
    source: str | None
    variant: str | None
    points: Mapping[float, Measurement] = field(metadata={HIDDEN: True}, hash=False)
    name: str = ""

    def ids(self, metric: str) -> Iterator[tuple[str, bool]]:
        """Its points, and whether each states a metric."""
        return ((one.facts.point_id, metric in one.metrics) for one in self.points.values())

    @property
    def words(self) -> str:
        """It in words: "2026-05-18, version 0.5.12"."""
        return f"{self.name}, {self.version}" if self.version else self.name


@dataclass(frozen=True)
class MethodChange:
    """In what two runs were measured unlike: the kind, and each side's value in words."""

    kind: str
    before: str
    after: str


@dataclass(frozen=True)
class LoadValue:
    """The metric of one run at a fixed load: its place among the runs, and the points it rests on.

    Where the load was not measured the value lies between two that were, the ratio of whose loads is `gap`, and `error`
    says how wrong such values have been, None where too few were. `changes` tell in what the value before it was
    measured unlike.
    """

    run: int
    value: float
    point_ids: tuple[str, ...]
    measured: Measurement = field(metadata={HIDDEN: True})
    gap: float = 1.0
    error: PredictionError | None = None
    changes: tuple[MethodChange, ...] = ()

    @property
    def is_interpolated(self) -> bool:
        """Whether the load was not measured itself."""
        return self.gap > 1


@dataclass(frozen=True)
class SpeedChange:
    """A change of speed at a load: the places of the runs before and after it, and how much faster the latter is.

    `speed` is the ratio of speeds, above 1 where it got faster, with its 95 % interval; `p` as in the change point.
    `is_told` is False where interpolation may be as wrong.
    """

    before: int
    after: int
    speed: float
    low: float
    high: float
    p: float
    is_told: bool


@dataclass(frozen=True)
class FixedLoad:
    """A metric at one load over the runs: values in the order of time, and the levels of each stretch of one method.

    A stretch is from its first place to before its last. `lower` says that a lower value is faster.
    """

    load: float
    axis: str
    lower: bool
    values: tuple[LoadValue, ...]
    stretches: tuple[tuple[int, int, Levels], ...] = field(metadata={HIDDEN: True})
    changes: tuple[SpeedChange, ...]

    @property
    def words(self) -> str:
        """The load in a sentence: "concurrency 64"."""
        return setting(self.axis, self.load) if self.axis != "load" else f"load {number(self.load)}"

    @property
    def told(self) -> tuple[SpeedChange, ...]:
        """The changes that are told, in the order of time."""
        return tuple(one for one in self.changes if one.is_told)

    @property
    def longest_stretch(self) -> tuple[int, int, Levels]:
        """The stretch of one method with most values, of equals the newest."""
        return max(self.stretches, key=lambda one: (one[1] - one[0], one[0]))

    @property
    def verdict(self) -> LoadVerdict:
        """What its values say."""
        if self.told:
            return "changed"
        longest = self.longest_stretch
        if longest[2].is_tested:
            return "same"
        return "untested" if longest[1] - longest[0] > 1 else "method"

    def speed(self, before: float, after: float) -> float:
        """How many times as fast the value after is."""
        return before / after if self.lower else after / before


@dataclass(frozen=True)
class TradeOff:
    """A run's points on its frontier: tokens/s of one user against those of each chip, and the point of each."""

    run: int
    per_user: tuple[float, ...]
    per_chip: tuple[float, ...]
    point_ids: tuple[str, ...]


@dataclass(frozen=True)
class FrontierGain:
    """How many times as much the later of two frontiers gives at equal tokens/s per user, where both reach.

    `low` to `high` over all of that, `mean` on logarithms; `start` and `end` are its tokens/s per user.
    """

    low: float
    high: float
    mean: float
    start: float
    end: float


@dataclass(frozen=True)
class History:
    """One deployment under one workload over its runs.

    `loads` are the fixed ones, the first of which the headline is about; `frontiers` are those of the runs that have
    one, `then` and `now` the places of the two runs that are compared, None where there are not two; `unlike` tells
    what keeps those from being compared, and `gain` is None then or where they do not overlap. `least` is the least
    change that is told, as a share; `others` counts the other deployments with a history.
    """

    deployment: str
    label: str
    facts: PointFacts | None
    metric: str
    show: str
    runs: tuple[Run, ...]
    loads: tuple[FixedLoad, ...]
    frontiers: tuple[TradeOff, ...] = field(metadata={HIDDEN: True})
    then: int | None
    now: int | None
    unlike: tuple[MethodChange, ...]
    gain: FrontierGain | None
    least: float
    others: int
    counted: PointTally

    @property
    def row(self) -> catalogue.Metric:
        """The metric's row of the catalogue."""
        return catalogue.metric(self.metric)

    @cached_property
    def in_order(self) -> tuple[FixedLoad, ...]:
        """The fixed loads, the smallest first."""
        return tuple(sorted(self.loads, key=lambda one: one.load))

    def frontier(self, run: int | None) -> TradeOff | None:
        """The frontier of the run at this place."""
        return next((one for one in self.frontiers if one.run == run), None)
