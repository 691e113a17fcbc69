"""The curves that capacity is read from: requests a second and the limited metrics of each deployment, by its load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.basis import evidence, load_curves
from bench.basis.evidence import Ranking, Reason
from bench.basis.limits import Limit
from bench.basis.load_curves import GROWS
from bench.library import Library
from bench.library.newest_runs import LINE
from bench.maths.capacity import Demand
from bench.maths.leave_one_out import CurvePoints, Places
from bench.maths.load_curve import Reals
from bench.maths.operating_load import Flags, LimitedMetric

POWER = "power_w_per_accelerator"
INTERACTIVITY_MS = 1000.0
"""Interactivity in tokens/s is this over the TPOT in ms."""

LOAD = f"CASE load_kind WHEN 'saturated' THEN 1 ELSE ({load_curves.LOAD}) END"
"""The DuckDB expression of a point's load; what was saturated has but one."""

DEPLOYMENT = f"hash({', '.join(key for key in (*LINE, 'engine_version') if key != 'workload_id')})"
"""The DuckDB expression that tells deployments apart, whatever the lengths they were measured at."""

_LENGTHS = ("coalesce(isl_actual, isl)", "coalesce(osl_actual, osl)")
_RATES = {
    "requests_per_s": "requests_per_s",
    "output_tokens_per_s": f"output_tokens_per_s / nullif({_LENGTHS[1]}, 0)",
    "total_tokens_per_s": f"total_tokens_per_s / nullif({_LENGTHS[0]} + {_LENGTHS[1]}, 0)",
}
"""What the requests a second are read from, the first that a point states."""


def rate_sql(library: Library) -> str:
    """The DuckDB expression of the requests a second that a point served; NULL where they are not known.

    No more than are sent on average can be served for long: a short open loop may have met a busy stretch of its own.
    """
    stated = [sql for key, sql in _RATES.items() if library.has(key)]
    usable = [f"CASE WHEN isfinite({sql}) AND {sql} > 0 THEN {sql} END" for sql in stated]
    sent = "CASE WHEN load_kind = 'open' AND request_rate > 0 THEN request_rate END"
    served = f"coalesce({', '.join([*usable, 'CAST(NULL AS DOUBLE)'])})"
    return f"CASE WHEN {sent} < {served} THEN request_rate ELSE {served} END"


def reasons(library: Library, demand: Demand) -> tuple[Reason, ...]:
    """Why a ranked point says nothing of this demand, in the order in which one that lacks several is counted."""
    listed = [
        Reason("no_load", "without a load", f"({LOAD}) IS NULL OR NOT ({LOAD}) > 0"),
        Reason("no_rate", "without requests a second, or tokens and lengths", f"({rate_sql(library)}) IS NULL"),
        Reason(
            "no_chips",
            "without accelerator or chip count",
            "(accelerator IS NOT NULL AND accelerators > 0) IS NOT TRUE",
        ),
    ]
    lengths = {"isl": demand.isl, "osl": demand.osl}
    for (key, asked), sql in zip(lengths.items(), _LENGTHS, strict=True):
        counts = demand.unit == "tokens" or (demand.unit == "output_tokens" and key == "osl")
        if asked is None and counts:
            listed.append(
                Reason(f"no_{key}", f"without {'input' if key == 'isl' else 'output'} length", f"({sql}) IS NULL")
            )
        elif asked is not None:
            shorter = f"({sql}) IS NULL OR greatest({sql}, {key}) < {asked!r}"
            listed.append(Reason(f"short_{key}", "of shorter requests", shorter))
    return tuple(listed)


def usable_sql(library: Library, demand: Demand) -> str:
    """The DuckDB condition of a point that says something of this demand; never NULL."""
    return " AND ".join(f"({one.sql}) IS NOT TRUE" for one in reasons(library, demand))


@dataclass(frozen=True, eq=False)
class MeasuredCurves:
    """Ranked points by curve and ascending load, one at each load: ids, requests a second, lengths, and metrics.

    `curves` are numbered from 0, `deployments` alike where only lengths and runs differ; metrics and lengths are NaN
    where not stated, `closed` says that the load are the requests in flight, `whole` that it counts requests.
    """

    points: CurvePoints
    ids: NDArray[np.object_]
    deployments: NDArray[np.uint64]
    rates: Reals
    isl: Reals
    osl: Reals
    closed: Flags
    whole: Flags
    metrics: dict[str, Reals]

    def stating(self, limits: Sequence[Limit]) -> Places:
        """The places of the points that state every limited metric, above 0 where it is interpolated."""
        every = [(one, self.metrics[one.metric.key]) for one in limits]
        stated = [np.isfinite(own) & ((own > 0) | (limited(one, own).grows is None)) for one, own in every]
        return np.flatnonzero(np.logical_and.reduce([np.ones(len(self.ids), dtype=bool), *stated]))


def read(library: Library, ranking: Ranking, demand: Demand, limits: Sequence[Limit]) -> MeasuredCurves:
    """The curves of the ranked points, whatever limits they keep, with these limits' metrics."""
    keys = [key for key in dict.fromkeys([*(one.metric.key for one in limits), POWER]) if library.has(key)]
    figures = "".join(f', "{key}"' for key in keys)
    condition = evidence.ranked(library, ranking.unlimited).also(usable_sql(library, demand))
    facts = "point_id, load_kind"
    rows = library.fetch(
        f"WITH held AS MATERIALIZED (SELECT {facts}, source_url, date, {LOAD} AS load, {load_curves.LINE_SQL} AS line,"
        f" {DEPLOYMENT} AS deployment, {rate_sql(library)} AS rate, {_LENGTHS[0]} AS isl, {_LENGTHS[1]} AS osl{figures}"
        f" FROM points WHERE {condition.sql}),{load_curves.curves_sql('held')}"
        f" SELECT curve, {facts}, deployment, load, rate, isl, osl{figures} FROM curves"
        " QUALIFY row_number() OVER (PARTITION BY curve, load ORDER BY point_id) = 1 ORDER BY curve, load",
        condition.params,
    )
    names = ("curve", "point_id", "load_kind", "deployment", "load", "rate", "isl", "osl", *keys)
    columns = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))
    reals = {key: np.array(columns[key], dtype=float) for key in ("load", "rate", "isl", "osl", *keys)}
    _, curves = np.unique(np.array(columns["curve"], dtype=np.uint64), return_inverse=True)
    kinds = np.array(columns["load_kind"], dtype=object)
    absent = np.full(len(kinds), np.nan)
    return MeasuredCurves(
        CurvePoints(curves.astype(np.int64), reals["load"]),
        np.array(columns["point_id"], dtype=object),
        np.array(columns["deployment"], dtype=np.uint64),
        reals["rate"],
        reals["isl"],
        reals["osl"],
        np.asarray(kinds == "closed", dtype=bool),
        np.isin(kinds, ("closed", "batch")),
        {key: reals.get(key, absent) for key in dict.fromkeys([*(one.metric.key for one in limits), POWER])},
    )


def limited(limit: Limit, values: Reals) -> LimitedMetric:
    """A limit on these values; on interactivity it is one on the TPOT, which is what is interpolated."""
    if limit.metric.kind == "per_user":
        bound = INTERACTIVITY_MS / limit.value if limit.value else np.inf
        with np.errstate(divide="ignore"):
            return LimitedMetric(INTERACTIVITY_MS / values, "step", not limit.at_most, bound)
    return LimitedMetric(values, GROWS.get(limit.metric.base), limit.at_most, limit.value)


def as_stated(limit: Limit, value: float) -> float:
    """A value that was interpolated for a limit, as the limit's own metric has it."""
    return INTERACTIVITY_MS / value if limit.metric.kind == "per_user" else value
