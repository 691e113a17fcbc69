"""What a capacity answer found: the load each deployment serves within limits, and what a demand takes there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bench.basis.evidence import Deciding, PointTally
from bench.basis.interpolated import PredictionError
from bench.basis.likeness import Difference
from bench.basis.limits import Limit
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice, Choice
from bench.maths.capacity import HOURS_PER_MONTH, Demand, Fleet, RequestLengths
from bench.maths.queueing import Estimate

LARGEST, SLOWER = "largest", "slower"
"""What keeps an instance from serving more, where it is no limit: no larger load was measured, or it serves less."""


@dataclass(frozen=True)
class CapacityAsked:
    """What a reader asks: the demand, the use whose limits are kept, a budget in USD a month and chips at hand."""

    demand: Demand
    use: str
    budget: float | None = None
    chips: float | None = None


@dataclass(frozen=True)
class InstanceLoad:
    """The load at which an instance of a deployment serves most within the limits.

    `rate` are requests a second; `low` and `high` the measured loads around, equal where it was measured itself.
    `values` are the limited metrics there, none of a mix; `stopped_by` is the metric whose limit the next step breaks,
    LARGEST or SLOWER. `error` is how wrong such interpolation has been, None where none is known or was needed.
    """

    load: float
    low: float
    high: float
    rate: float
    values: Mapping[str, float] = field(hash=False)
    stopped_by: str
    error: PredictionError | None

    @property
    def is_measured(self) -> bool:
        """Whether the load was measured itself."""
        return self.low == self.high


@dataclass(frozen=True)
class ChipPower:
    """What a chip draws in W: by measurement, or at most by its published rating."""

    watts: float
    is_measured: bool


@dataclass(frozen=True)
class FleetPlan:
    """What serving the demand takes on one deployment.

    `facts` are those of the measured point at or next below the load; `curve` tells deployments apart. `served` is how
    much of the demand's unit an instance serves. `usd_per_month` is None without a price of its chips. `beyond` is
    what of the reader's bounds it does not keep: "budget", "chips" or "".
    """

    curve: int
    facts: PointFacts
    instance: InstanceLoad
    served: float
    fleet: Fleet
    price: ChipPrice | None
    usd_per_month: float | None
    power: ChipPower | None
    beyond: str = ""

    @property
    def chips(self) -> int:
        """All chips of all instances."""
        return self.fleet.instances * (self.facts.accelerators or 1)


@dataclass(frozen=True)
class StartCommand:
    """What starts an instance of a plan on its engine: the command, and the flags that the data leaves `open`."""

    point_id: str
    model: str | None
    hardware: str
    engine: str
    engine_version: str | None
    command: str
    open: tuple[str, ...]


@dataclass(frozen=True)
class RandomArrivals:
    """What the requests of a plan would wait at the peak if they came at random (Poisson), `rate` a second to each.

    `estimates` are simulated, of the first plan alone, with an interval of 99 %, by the metric of each of `limits` (at
    most, in ms) that the model knows; empty where the queue would never end. `instances` keep those limits, None where
    no number does; `capacity` is what an instance completes a second at its largest measured load. `open_loop` is
    predicted / measured - 1 of each figure of open-loop points of the same deployment.
    """

    point_id: str
    rate: float
    estimates: Mapping[str, Estimate] = field(hash=False)
    limits: Mapping[str, float] = field(hash=False)
    instances: int | None
    capacity: float
    open_loop: tuple[float, ...]

    @property
    def is_endless(self) -> bool:
        """Whether requests come faster than an instance completes them."""
        return self.rate >= self.capacity

    @property
    def broken(self) -> tuple[str, ...]:
        """The limits that are broken, by the simulated values."""
        return tuple(key for key, one in self.estimates.items() if one.value > self.limits[key])


@dataclass(frozen=True)
class UseAdvice:
    """The best plan for the same demand within the limits of one use; None where no deployment keeps them.

    `is_stated` says that some deployment states what they are on.
    """

    use: str
    title: str
    limits: tuple[Limit, ...]
    plan: FleetPlan | None
    is_stated: bool


@dataclass(frozen=True)
class Capacity:
    """What a capacity answer found.

    `plans` are those that the budget and the chips at hand allow, the cheapest first, those without a price behind by
    chips; `beyond` the others within the limits. `ruled_out` counts deployments by reason. `limits` are those of the
    use and the reader's, `dropped` those of the use that no deployment states. `unlike` is in what of the workload
    plans of one model differ, unasked. `random` is what arrivals at random would wait on the first plans. `start`
    starts an instance of the first plan where one is named and is on vLLM or SGLang. `unmeasured` is the first length
    of a mix at which no deployment was measured that was at those before.
    """

    asked: CapacityAsked
    limits: tuple[Limit, ...]
    dropped: tuple[Limit, ...]
    choice: Choice
    plans: tuple[FleetPlan, ...]
    beyond: tuple[FleetPlan, ...]
    ruled_out: Mapping[str, int] = field(hash=False)
    uses: tuple[UseAdvice, ...]
    tally: PointTally
    deciding: Deciding
    unlike: tuple[Difference, ...] = ()
    random: tuple[RandomArrivals, ...] = ()
    start: StartCommand | None = None
    unmeasured: RequestLengths | None = None

    @property
    def is_decided(self) -> bool:
        """Whether a first plan may be named: workloads are alike, and enough accelerators say if they keep limits."""
        return not self.unlike and (not self.limits or self.deciding.names_a_best)

    @property
    def lead(self) -> FleetPlan:
        """The first plan."""
        return self.plans[0]

    @cached_property
    def leads(self) -> tuple[FleetPlan, ...]:
        """The first plan of each model, in their order."""
        first: dict[str, FleetPlan] = {}
        for one in self.plans:
            first.setdefault(one.facts.model or "", one)
        return tuple(first.values())

    def others(self) -> Iterator[FleetPlan]:
        """The first plan on each other accelerator of the first one's model."""
        seen = {self.lead.facts.accelerator}
        for one in self.plans:
            if one.facts.model == self.lead.facts.model and one.facts.accelerator not in seen:
                seen.add(one.facts.accelerator)
                yield one

    @property
    def lead_at_random(self) -> RandomArrivals | None:
        """What arrivals at random would wait on the first plan; None where that is not known."""
        return next((one for one in self.random if one.point_id == self.lead.facts.point_id), None)

    def first_at_random(self) -> FleetPlan:
        """The first plan where every one that was looked at takes the instances that random arrivals need."""
        by_id = {one.facts.point_id: one for one in self.plans}
        needed = [(by_id[one.point_id], one.instances) for one in self.random]
        grown = [
            (max(many, plan.fleet.instances) / plan.fleet.instances * (plan.usd_per_month or plan.chips), nth, plan)
            for nth, (plan, many) in enumerate(needed)
            if many is not None and (plan.usd_per_month is None) == (self.lead.usd_per_month is None)
        ]
        return min(grown)[2] if grown and self.lead_at_random else self.lead

    def most_served(self) -> tuple[float, FleetPlan | None]:
        """The largest demand that budget and chips serve, and on which deployment; 0 where they pay for no instance."""
        best: tuple[float, FleetPlan | None] = (0.0, None)
        for one in (*self.plans, *self.beyond):
            each, instances = one.facts.accelerators or 1, math.inf
            if self.asked.chips is not None:
                instances = self.asked.chips // each
            if self.asked.budget is not None:
                usd = one.price.usd if one.price else math.inf
                instances = min(instances, self.asked.budget // (each * usd * HOURS_PER_MONTH))
            served = self.asked.demand.amount_of(int(instances), one.served)
            if served > best[0]:
                best = served, one
        return best
