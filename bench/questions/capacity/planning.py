"""From curves to plans: the load that each deployment serves within limits, and what the demand takes there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bench import catalogue, names
from bench.basis import interpolated, points
from bench.basis.interpolated import RATE, PredictionError
from bench.basis.limits import Limit
from bench.basis.load_curves import GROWS
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice
from bench.library import Library
from bench.maths import capacity as maths
from bench.maths import operating_load
from bench.maths.capacity import Demand
from bench.maths.leave_one_out import CurvePoints, Places
from bench.maths.operating_load import END, OperatingLoads, Worth
from bench.questions.capacity.measured import POWER, MeasuredCurves, as_stated, limited
from bench.questions.capacity.result import LARGEST, SLOWER, CapacityAsked, ChipPower, FleetPlan, InstanceLoad

Chips = Mapping[str, ChipPrice]


@dataclass(frozen=True, eq=False)
class OperatingCurves:
    """The curves of points that state all limited metrics, and the load of each that serves most within the limits.

    `unstated` counts the curves without such a point, `beyond` those that keep the limits nowhere.
    """

    curves: MeasuredCurves
    limits: tuple[Limit, ...]
    stating: Places
    best: OperatingLoads

    @cached_property
    def of(self) -> Places:
        """The places among all points of the measured points at or below the best loads."""
        return self.stating[self.best.points]

    @property
    def unstated(self) -> int:
        """How many curves have no point that states what the limits are on."""
        return len(np.unique(self.curves.points.curves)) - len(np.unique(self.curves.points.curves[self.stating]))

    @property
    def beyond(self) -> int:
        """How many keep the limits at no load."""
        return len(np.unique(self.curves.points.curves[self.stating])) - len(self.best)


def operating(curves: MeasuredCurves, limits: Sequence[Limit], demand: Demand) -> OperatingCurves:
    """The load of each curve that serves most of a demand within limits."""
    at = curves.stating(limits)
    own = CurvePoints(curves.points.curves[at], curves.points.loads[at])
    lines = [limited(one, curves.metrics[one.metric.key][at]) for one in limits]
    is_users = demand.unit == "users"
    worth = Worth(demand.think_s if is_users else 1.0, curves.closed[at].astype(float) * is_users)
    best = operating_load.best(own, curves.rates[at], lines, worth, curves.whole[at])
    return OperatingCurves(curves, tuple(limits), at, best)


def facts_of(library: Library, founds: Iterable[OperatingCurves]) -> dict[str, PointFacts]:
    """The facts of the points that these loads are at or next above, by one query for all."""
    return points.named(library, sorted({str(one.curves.ids[place]) for one in founds for place in one.of}))


def plans_of(
    library: Library, found: OperatingCurves, asked: CapacityAsked, chips: Chips, named: Mapping[str, PointFacts]
) -> list[FleetPlan]:
    """The plans of all deployments within the limits, the first first; `named` has the facts of their points."""
    curves, demand = found.curves, asked.demand
    powers = _powers(found)
    plans = []
    for nth, place in enumerate(found.of.tolist()):
        facts = named[str(curves.ids[place])]
        rate, load = float(found.best.rates[nth]), float(found.best.loads[nth])
        served = demand.served(
            rate, load * bool(curves.closed[place]), _stated(curves.isl[place]), _stated(curves.osl[place])
        )
        if not served:
            continue
        fleet, price = demand.fleet(served), chips.get(facts.accelerator or "")
        many = fleet.instances * (facts.accelerators or 1)
        usd = None if price is None else maths.usd_per_month(many, price.usd)
        instance = _instance(library, found, nth, facts)
        plans.append(
            FleetPlan(
                int(curves.points.curves[place]), facts, instance, served, fleet, price, usd, _power(facts, powers[nth])
            )
        )
    return sorted(plans, key=lambda one: one.rank)


def _instance(library: Library, found: OperatingCurves, nth: int, facts: PointFacts) -> InstanceLoad:
    """The load of a deployment, and how wrong what was interpolated there has been."""
    best, curves = found.best, found.curves
    load, below = float(best.loads[nth]), int(best.points[nth])
    low = float(curves.points.loads[found.stating[below]])
    high = low if load == low else float(curves.points.loads[found.stating[below + 1]])
    limits, stopped = found.limits, int(best.stopped_by[nth])
    by = limits[stopped].metric.key if stopped >= 0 else LARGEST if stopped == END else SLOWER
    values = {one.metric.key: as_stated(one, float(own[nth])) for one, own in zip(limits, best.values, strict=True)}
    error = None if high == low else _error(library, by, high / low, facts.source)
    return InstanceLoad(load, low, high, float(best.rates[nth]), values, by, error)


def _error(library: Library, stopped_by: str, gap: float, source: str | None) -> PredictionError | None:
    """How wrong throughput has been at a given latency, or at a load where no latency stops it."""
    if stopped_by not in (LARGEST, SLOWER):
        row = catalogue.metric(stopped_by)
        if row.statistic and (row.kind == "per_user" or GROWS.get(row.base, "rate") != "rate"):
            return interpolated.of(library, RATE, gap, at=stopped_by, source=source)
    return interpolated.of(library, RATE, gap, source=source)


def _powers(found: OperatingCurves) -> list[float | None]:
    """What a chip was measured to draw at the best loads: the more of the two points around, None without both."""
    own, curves, best = found.curves.metrics[POWER], found.curves.points, found.best
    powers = []
    for nth, below in enumerate(best.points.tolist()):
        place = found.stating[below]
        around = [float(own[place])]
        if best.loads[nth] != curves.loads[place]:
            around.append(float(own[found.stating[below + 1]]))
        powers.append(_stated(max(around)) if all(map(np.isfinite, around)) else None)
    return powers


def _power(facts: PointFacts, measured: float | None) -> ChipPower | None:
    row = names.accelerator(facts.accelerator or "")
    if measured:
        return ChipPower(measured, True)
    return ChipPower(row.tdp_w, False) if row and row.tdp_w else None


def _stated(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def affordable(plans: Sequence[FleetPlan], asked: CapacityAsked) -> Iterator[str]:
    """For each plan why it is not allowed: "budget", "chips", or ""."""
    for one in plans:
        if asked.chips is not None and one.chips > asked.chips:
            yield "chips"
        elif asked.budget is not None and (one.usd_per_month is None or one.usd_per_month > asked.budget):
            yield "budget"
        else:
            yield ""
