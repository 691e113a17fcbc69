"""From curves to plans: the load that each deployment serves within limits, and what the demand takes there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bench import catalogue, names
from bench.basis import interpolated, likeness, points, uses
from bench.basis.interpolated import RATE, PredictionError
from bench.basis.likeness import Difference
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
from bench.questions.capacity import mixes
from bench.questions.capacity.measured import POWER, MeasuredCurves, as_stated, limited
from bench.questions.capacity.result import LARGEST, SLOWER, CapacityAsked, ChipPower, FleetPlan, InstanceLoad
from bench.questions.heatmap.cells import plan_fields

Chips = Mapping[str, ChipPrice]
UNLIKE = ("isl", "osl", "context_tokens")
"""Where plans of one model differ in one of these, none is called the cheapest unless the reader states the lengths."""


@dataclass(frozen=True, eq=False)
class OperatingCurves:
    """The curves of points that state all limited metrics, and the load of each that serves most within the limits.

    `dropped` are limits of a use that no deployment states.
    """

    curves: MeasuredCurves
    limits: tuple[Limit, ...]
    dropped: tuple[Limit, ...]
    stating: Places
    best: OperatingLoads

    @cached_property
    def of(self) -> Places:
        """The places among all points of the measured points at or below the best loads."""
        return self.stating[self.best.points]


def within(curves: Sequence[MeasuredCurves], asked: CapacityAsked, own: Sequence[Limit] = ()) -> list[OperatingCurves]:
    """The load of each curve that serves most of the demand within the limits of its use and the reader's `own`.

    `curves` are of each length of the demand's mix. Limits of a use that no deployment states, at one of the lengths,
    are left out at all where others of it are stated.
    """
    kept = uses.together(asked.use, tuple(own))
    stated = tuple(one for one in kept if one in own or all(len(each.stating([one])) for each in curves))
    limits = stated if any(one not in own for one in stated) else kept
    dropped = tuple(one for one in kept if one not in limits)
    alone = zip(curves, mixes.alone(asked.demand), strict=True)
    return [_within(each, demand, limits, dropped) for each, demand in alone]


def _within(
    curves: MeasuredCurves, demand: Demand, limits: tuple[Limit, ...], dropped: tuple[Limit, ...]
) -> OperatingCurves:
    at = curves.stating(limits)
    places = CurvePoints(curves.points.curves[at], curves.points.loads[at])
    lines = [limited(one, curves.metrics[one.metric.key][at]) for one in limits]
    is_users = demand.unit == "users"
    worth = Worth(demand.think_s if is_users else 1.0, curves.closed[at].astype(float) * is_users)
    best = operating_load.best(places, curves.rates[at], lines, worth, curves.whole[at])
    return OperatingCurves(curves, limits, dropped, at, best)


def ruled_out(founds: Sequence[OperatingCurves]) -> dict[str, int]:
    """How many curves, of a mix how many deployments that were measured at every length, are left out by reason.

    "unstated" have no point that states what the limits are on, "beyond" keep them at no load, at one of the lengths.
    """
    keys = [one.curves.deployments if len(founds) > 1 else one.curves.points.curves for one in founds]
    every = set.intersection(*(set(own.tolist()) for own in keys))
    stating = every.intersection(*(own[one.stating].tolist() for own, one in zip(keys, founds, strict=True)))
    kept = stating.intersection(*(own[one.of].tolist() for own, one in zip(keys, founds, strict=True)))
    return {"unstated": len(every) - len(stating), "beyond": len(stating) - len(kept)}


def facts_of(library: Library, founds: Iterable[OperatingCurves]) -> dict[str, PointFacts]:
    """The facts of the points that these loads are at or next above, by one query for all."""
    return points.named(library, sorted({str(one.curves.ids[place]) for one in founds for place in one.of}))


def plans_of(
    library: Library,
    founds: Sequence[OperatingCurves],
    asked: CapacityAsked,
    chips: Chips,
    named: Mapping[str, PointFacts],
) -> list[FleetPlan]:
    """The plans of all deployments within the limits, by cost and, where no price is known, behind them by chips.

    `founds` are of each length of the demand's mix, of one without a mix a single one; `named` has the facts of their
    points.
    """
    demand = asked.demand
    by_length = [_plans(library, found, replace(asked, demand=one), chips, named)
                 for found, one in zip(founds, mixes.alone(demand), strict=True)]  # fmt: skip
    if not demand.mix:
        return _ranked(by_length[0])
    mixed = (mixes.together(demand, plans) for plans in mixes.covering([one.curves for one in founds], by_length))
    return _ranked([_fleet(asked, plan, served) for plan, served in filter(None, mixed)])


def _ranked(plans: Iterable[FleetPlan]) -> list[FleetPlan]:
    return sorted(
        plans,
        key=lambda one: (one.usd_per_month is None, one.usd_per_month or one.chips, one.chips, one.facts.point_id),
    )


def _fleet(asked: CapacityAsked, plan: FleetPlan, served: float) -> FleetPlan:
    """The plan where an instance serves so much of the demand."""
    fleet = asked.demand.fleet(served)
    many = fleet.instances * (plan.facts.accelerators or 1)
    usd = None if plan.price is None else maths.usd_per_month(many, plan.price.usd)
    return replace(plan, served=served, fleet=fleet, usd_per_month=usd, beyond=_beyond(asked, many, usd))


def _plans(
    library: Library, found: OperatingCurves, asked: CapacityAsked, chips: Chips, named: Mapping[str, PointFacts]
) -> list[FleetPlan]:
    """The plans of all deployments for one length."""
    curves, demand = found.curves, asked.demand
    plans = []
    for nth, place in enumerate(found.of.tolist()):
        facts = named[str(curves.ids[place])]
        instance = _instance(library, found, nth, facts)
        in_flight = instance.load if curves.closed[place] else 0.0
        served = demand.served(instance.rate, in_flight, _known(curves.isl[place]), _known(curves.osl[place]))
        if not served:
            continue
        power = _power(found, nth, facts, is_measured=instance.is_measured)
        price, fleet = chips.get(facts.accelerator or ""), demand.fleet(served)
        plan = FleetPlan(int(curves.points.curves[place]), facts, instance, served, fleet, price, None, power)
        plans.append(_fleet(asked, plan, served))
    return plans


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


def _power(found: OperatingCurves, nth: int, facts: PointFacts, *, is_measured: bool) -> ChipPower | None:
    """What a chip draws at a best load: the more of the two points around, where both state it, else its rating."""
    below = int(found.best.points[nth])
    around = found.stating[below : below + (1 if is_measured else 2)]
    watts = float(np.max(found.curves.metrics[POWER][around]))
    if np.isfinite(watts) and watts:
        return ChipPower(watts, True)
    row = names.accelerator(facts.accelerator or "")
    return ChipPower(row.tdp_w, False) if row and row.tdp_w else None


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _beyond(asked: CapacityAsked, chips: int, usd: float | None) -> str:
    """Which bound of the reader so many chips for so much a month do not keep: "budget", "chips" or ""."""
    if asked.chips is not None and chips > asked.chips:
        return "chips"
    return "budget" if asked.budget is not None and (usd is None or usd > asked.budget) else ""


def unlike(plans: Sequence[FleetPlan], demand: Demand) -> tuple[Difference, ...]:
    """In what of the workload the plans of one model differ, where the reader does not state the lengths."""
    if demand.isl is not None and demand.osl is not None:
        return ()
    first: dict[str | None, FleetPlan] = {}
    found: dict[str, Difference] = {}
    for one in plans:
        lead = first.setdefault(one.facts.model, one)
        for difference in likeness.differences([lead.facts], [one.facts], UNLIKE):
            found.setdefault(difference.fact.key, difference)
    return tuple(found.values())


def sweep_of(plan: FleetPlan) -> dict[str, str]:
    """What a sweep has to state to measure a plan's load, by the names of a plan's fields."""
    load = {"closed": "concurrency", "open": "request_rate"}.get(plan.facts.load_kind or "", "")
    row = {**plan.facts.row, "concurrency": None, "request_rate": None, load: f"{plan.instance.load:.6g}"}
    stated = {key: value for key, value in row.items() if value is not None}
    return plan_fields({key: f"{one:g}" if isinstance(one, float) else str(one) for key, one in stated.items()})
