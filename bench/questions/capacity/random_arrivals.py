"""What a plan's requests would wait if they came at random: bench.maths.queueing on the deployment's own curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from bench.basis.points import AMONG
from bench.library import Library
from bench.maths import queueing
from bench.maths.capacity import Demand
from bench.maths.queueing import MEAN, ServiceCurve
from bench.questions.capacity.measured import MeasuredCurves
from bench.questions.capacity.result import FleetPlan, RandomArrivals

MOST_OPEN = 8
"""So many open-loop points of a deployment are held against the model."""


def service_curve(library: Library, curves: MeasuredCurves, plan: FleetPlan) -> ServiceCurve | None:
    """The closed loop that was measured of a plan's deployment; None where its load is no concurrency.

    A mean E2EL that is not stated is concurrency / requests a second (Little 1961).
    """
    own = np.flatnonzero(curves.points.curves == plan.curve)
    if plan.facts.load_kind != "closed" or curves.points.loads[own[-1]] < 1:
        return None
    keys = [key for key in sorted(library.metric_columns()) if queueing.KEY.fullmatch(key)]
    ids, loads, rates = list(curves.ids[own]), curves.points.loads[own], curves.rates[own]
    listed = "".join(f', "{key}"' for key in keys)
    rows = {id: stated for id, *stated in library.fetch(f"SELECT point_id{listed} FROM points WHERE {AMONG}", (ids,))}
    columns = zip(keys, zip(*(rows[id] for id in ids), strict=True), strict=True)
    by_key = {key: [one if one and one > 0 else None for one in column] for key, column in columns}
    by_little = (1000 * loads / rates).tolist()
    means = [one or mean for one, mean in zip(by_key.get(MEAN, [None] * len(ids)), by_little, strict=True)]
    return ServiceCurve.of(loads.tolist(), {**by_key, MEAN: means})


def arrivals(
    library: Library,
    curves: MeasuredCurves,
    plan: FleetPlan,
    demand: Demand,
    limits: Mapping[str, float],
    *,
    is_simulated: bool,
) -> RandomArrivals | None:
    """How many instances keep the limits at the peak, and where it is simulated what requests wait on the plan's.

    `limits` are at most, in ms, by metric. None where no closed loop was measured.
    """
    curve = service_curve(library, curves, plan)
    if curve is None:
        return None
    peak = demand.amount * demand.peak * plan.instance.rate / plan.served
    known = {key: limit for key, limit in limits.items() if _is_known(curve, key)}
    promise = queueing.simulated(curve, peak / plan.fleet.instances) if known and is_simulated else None
    within = queueing.largest_rate(curve, known)
    return RandomArrivals(
        plan.facts.point_id,
        peak / plan.fleet.instances,
        {key: promise.estimates[key] for key in known if promise and key in promise.estimates},
        known,
        None if within is None else math.ceil(peak / within * (1 - 1e-12)) + demand.spare,
        curve.capacity,
        tuple(_open_loop(library, curve, plan)) if is_simulated else (),
    )


def _is_known(curve: ServiceCurve, key: str) -> bool:
    """Whether the model promises a metric: its percentile of the four, or a mean E2EL."""
    if key == MEAN:
        return True
    base, _, statistic = key.rpartition("_")
    return base in queueing.GROWS and statistic in {f"p{one}" for one in queueing.PERCENTILES} and curve.knows(base)


def _open_loop(library: Library, curve: ServiceCurve, plan: FleetPlan) -> Iterator[float]:
    """How far off the model is at the open-loop points of the same deployment under the same lengths."""
    keys = [key for key in sorted(library.metric_columns()) if _is_known(curve, key)]
    if not keys:
        return
    listed = ", ".join(f'"{key}"' for key in keys)
    rows = library.fetch(
        f"SELECT request_rate, {listed} FROM points WHERE load_kind = 'open' AND evidence = 'measured'"
        " AND request_rate > 0 AND deployment_id = (SELECT deployment_id FROM points WHERE point_id = ?)"
        " AND isl IS NOT DISTINCT FROM ? AND osl IS NOT DISTINCT FROM ? ORDER BY request_rate, point_id",
        (plan.facts.point_id, plan.facts.isl, plan.facts.osl),
    )
    for rate, *values in rows[:: max(1, len(rows) // MOST_OPEN)]:
        promise = queueing.simulated(curve, float(rate))
        for key, measured in zip(keys, values, strict=True):
            if promise and measured and measured > 0 and key in promise.estimates:
                yield promise.estimates[key].value / float(measured) - 1
