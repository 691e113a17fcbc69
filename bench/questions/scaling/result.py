"""What a scaling answer found: lines over counts of chips, with efficiencies, laws, memory and replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bench import catalogue
from bench.basis import memory
from bench.basis.document import HIDDEN
from bench.basis.evidence import NOTHING, PointTally
from bench.basis.memory import MemoryRoom
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice, Choice
from bench.catalogue import Metric
from bench.maths.scaling import Law, ReplicaComparison
from bench.records import LOAD_AXES

Way = Literal["interactivity", "concurrency", "batch", "request_rate", "best"]
"""What is held equal where counts are compared: what a user sees, the load, or nothing, each count at its best."""

EVERY = "line"
"""A line for each deployment and workload, whatever field tells them apart."""

MLPERF = "mlperf-inference"
LINEAR = 1.01
"""An efficiency up to this is linear: a tie, within 1 %."""

STARVED = 1.25
"""Beyond this efficiency of some count the smallest was short of something, so it is no measure of the others."""

WIDEST_BRACKET = 4.0
"""No efficiency is told from a count interpolated between loads further apart than this.

Leaving measured points out of the frontiers that ship and interpolating across the gap misses by 8 % in the middle
where the loads are 4 times apart, by 15 % where they are 8 times and by 32 % where they are 16 times.
"""


@dataclass(frozen=True)
class ScalingPoint:
    """A point, of a line a ranked one: its facts and throughput, and its latencies and interactivities by key.

    `asked` are its lengths as a request asked for them, None where they were only counted of a data set. `layout` is
    the same for points spread over their chips alike; `kept` is that it keeps the reader's limits.
    """

    facts: PointFacts
    value: float
    figures: Mapping[str, float] = field(default_factory=dict)
    asked: tuple[float | None, float | None] = (None, None)
    layout: int = field(default=0, metadata={HIDDEN: True})
    kept: bool = field(default=True, metadata={HIDDEN: True})

    @property
    def chips(self) -> int:
        """Its count of chips."""
        return int(self.facts.accelerators or 0)

    @property
    def load(self) -> float | None:
        """Its load in its own kind, None where none is stated."""
        return next((one for key in LOAD_AXES if (one := self.load_of(key)) is not None), None)

    def load_of(self, kind: str) -> float | None:
        """Its load of this kind: concurrency, batch or request_rate."""
        value = getattr(self.facts, kind)
        return None if value is None else float(value)


@dataclass(frozen=True)
class ChipCount:
    """One count of chips where it is compared: its throughput, and the measured point, or of two the nearest.

    `between` are the two points it is interpolated between, the lower load first; None where it is measured.
    `efficiency` is its share of growth in proportion and `speedup` its throughput over that of the base; both None
    where it is not judged. `peaked` is that its throughput is known to rise no further with the load.
    """

    accelerators: int
    throughput: float
    point: ScalingPoint
    between: tuple[ScalingPoint, ScalingPoint] | None = None
    efficiency: float | None = None
    speedup: float | None = None
    peaked: bool = True

    @property
    def facts(self) -> list[PointFacts]:
        """The measured point or the two it lies between."""
        return [one.facts for one in self.between or (self.point,)]

    @property
    def per_chip(self) -> float:
        """Its throughput for each chip."""
        return self.throughput / self.accelerators

    @property
    def is_near(self) -> bool:
        """Whether an efficiency may be told from it: it is measured, or lies between near loads."""
        if self.between is None:
            return True
        low, high = (one.load for one in self.between)
        if low is None or high is None or min(low, high) <= 0:
            return False
        return max(low, high) <= WIDEST_BRACKET * min(low, high)

    def figure(self, key: str | None) -> float | None:
        """A measured place's latency or interactivity; None between points, where none was measured."""
        return None if key is None or self.between is not None else self.point.figures.get(key)


@dataclass(frozen=True)
class Replicas:
    """A wide instance against replicas of the smallest, which are projected, each as that was measured.

    `place` is its id in the chart, `each_load` the load of every replica, None where no load is held equal.
    `shared_throughput` and `shared_tpot_ms` are those at the wide instance's own load divided among them, None where
    the smallest count was not measured down to its part.
    """

    place: str
    against: ReplicaComparison
    each_load: float | None
    shared_throughput: float | None
    shared_tpot_ms: float | None


@dataclass(frozen=True)
class AbsentCounts:
    """Counts of a line, named as in the chart, that were measured, but not where counts are compared; why is a code.

    "level": not there; "rising": the throughput still rises at the highest load; "once": at one load only.
    """

    line: str
    reason: Literal["level", "rising", "once"]
    accelerators: tuple[int, ...]


@dataclass(frozen=True)
class Line:
    """One line: whose it is, its places from few chips to many, and what follows from them.

    `label` names it in the chart; `beside` is that without the accelerator. `law` is the one that holds over its counts
    best, Amdahl's or the Universal Scalability Law. Replicas are none of a disaggregated deployment or of an MLPerf
    system, itself maybe replicas.
    """

    owner: str | float | bool | None
    label: str
    beside: str
    places: tuple[ChipCount, ...]
    law: Law | None = None
    is_amdahl: bool = False
    replicas: tuple[Replicas, ...] = ()

    @property
    def facts(self) -> PointFacts:
        """What all of it has in common, as its smallest count states it; lengths of a data set are none."""
        point = self.places[0].point
        return replace(point.facts, isl=point.asked[0], osl=point.asked[1])

    @property
    def compared(self) -> list[ChipCount]:
        """The places with an efficiency, the base first."""
        return [place for place in self.places if place.efficiency is not None]

    @property
    def base(self) -> ChipCount:
        """The smallest count that is judged; the smallest at all where none is."""
        return (self.compared or self.places)[0]

    @property
    def judged(self) -> list[ChipCount]:
        """The places beyond the base that have an efficiency."""
        return self.compared[1:]

    def room(self, place: ChipCount) -> MemoryRoom | None:
        """The memory of a place's chips and what the weights take of it; None where that is not known."""
        one = self.places[0].point.facts
        return memory.room(one.model, one.precision, one.kv_precision, one.accelerator, place.accelerators)

    @property
    def is_starved(self) -> bool:
        """Whether some count gives so much more than its share that the base is no measure."""
        return any((place.efficiency or 0) > STARVED for place in self.judged)

    @property
    def beyond_linear(self) -> list[ChipCount]:
        """The places that give more than their count of the smallest would."""
        return [place for place in self.judged if (place.efficiency or 0) > LINEAR]


@dataclass(frozen=True)
class Scaling:
    """The lines of an answer and how they are compared.

    `common` is the level that most counts share; `level` the one compared at; both None where nothing is shared.
    `seen`, `tpot` and `ttft` are the keys of the interactivity and the latencies at the statistic that most points
    state. `other_lines` were not drawn; `shares_a_load` is that some line has two counts at one load; `lone` are the
    groups without two counts of chips alike in all else. `hollow` are points that are drawn but on no line: not
    measured, or flagged as not to be ranked. `prices` are empty where none applies, as to requests.
    """

    metric: str
    way: Way
    level: float | None
    common: float | None
    group: str
    seen: str | None = None
    tpot: str | None = None
    ttft: str | None = None
    lines: tuple[Line, ...] = ()
    absent: tuple[AbsentCounts, ...] = ()
    lone: tuple[str, ...] = ()
    other_lines: int = 0
    shares_a_load: bool = field(default=False, metadata={HIDDEN: True})
    hollow: tuple[ScalingPoint, ...] = ()
    tally: PointTally = NOTHING
    prices: Mapping[str, ChipPrice] = field(default_factory=dict)
    choice: Choice = field(default_factory=Choice)

    @property
    def row(self) -> Metric:
        """The throughput as the catalogue has it."""
        return catalogue.metric(self.metric)

    @property
    def cost(self) -> Metric:
        """What a million tokens of this throughput cost; KeyError where it is of requests."""
        keys = {throughput: key for key, throughput in catalogue.PRICED.items()}
        return catalogue.metric(keys[self.metric])

    @property
    def steps(self) -> list[Line]:
        """The lines with an efficiency, those with an ordinary base first."""
        return [line for line in self.lines if line.judged]
