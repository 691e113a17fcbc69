"""The operating point each deployment is priced at: its most tokens per accelerator, within the reader's limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from bench import pricing, selection
from bench.catalogue import Metric
from bench.library import Library
from bench.pricing import ChipPrice
from bench.questions.cost.defaults import DEPLOYMENT, Asked
from bench.questions.cost.rates import is_derived_sql, rate_sql
from bench.selection import Clause
from bench.view import View

IDENTITY = (
    "point_id", "model", "precision", "engine", "engine_version", "accelerator", "accelerators", "tp", "pp", "dp", "ep",
    "disaggregated", "speculation", "variant", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch",
    "scenario", "evidence", "source", "harness", "date", "source_url", "flags",
)  # fmt: skip
"""The columns an operating point is told by."""

TELLS_APART = ("model", "precision", "engine", "accelerator", "accelerators", "variant", "speculation",
               "disaggregated", "isl", "osl", "load_kind", "source")  # fmt: skip
"""What makes one deployment and workload another; layout, version and date are free, the best of them counts."""

LATENCIES = ("ttft_ms", "interactivity_tokens_per_s_per_user")
TOLD_STATISTICS = ("p50", "mean")
"""An operating point is told with its median latencies, with the means where no median is stated."""

DEPLOYMENTS = 100
"""So many deployments are priced, those with the lowest cost."""

LEVELS = {
    "higher": (10, 20, 30, 50, 75, 100, 150, 200, 300, 500),
    "lower": (10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10),
}
"""The limits at which the price of latency is told, easiest first: tokens/s per user, or ms."""


@dataclass(frozen=True)
class Tally:
    """How many points were selected, and of those that were left out, why."""

    selected: int
    no_rate: int
    no_chips: int
    other_evidence: int
    no_limit_metric: int
    beyond_limit: int
    entering: int
    accelerators: tuple[str, ...]


@dataclass(frozen=True)
class Candidates:
    """The points a View selects, as SQL with rate, chips and owner."""

    sql: str
    params: tuple[Any, ...]
    group: str


@dataclass(frozen=True)
class Best:
    """The operating points of the groups, those of every deployment and workload, and how many groups there are.

    Columns of both: `owner`, `rate` (tokens/s of the whole deployment), `derived`, `held` (the limit's metric), then
    IDENTITY and the latencies stated; lowest cost first, at most DEPLOYMENTS.
    """

    points: pd.DataFrame
    each: pd.DataFrame
    groups: int


@dataclass(frozen=True)
class Missed:
    """A group that has a throughput and no point within the limits; `stated` says whether it states their metrics."""

    owner: str
    accelerator: str
    stated: bool


def candidates(library: Library, view: View, asked: Asked) -> Candidates:
    """The selected points with the throughput asked, whose they are, and whether each may enter."""
    condition: Clause = selection.clause(view)
    rate = rate_sql(asked.tokens, library) or "CAST(NULL AS DOUBLE)"
    held = f'"{asked.limit_on.key}"' if asked.limit_on else "CAST(NULL AS DOUBLE)"
    evidence = "TRUE" if asked.any_evidence else "coalesce(evidence = 'measured', FALSE)"
    states = " AND ".join(f'"{metric.key}" IS NOT NULL' for metric, _ in asked.limits) or "TRUE"
    within = " AND ".join(_keeps(metric) for metric, _ in asked.limits) or "TRUE"
    sql = (
        f"SELECT point_id, accelerator, accelerators, {_owner(asked.group)} AS owner, {rate} AS rate,"
        f" {', '.join(name for name in TELLS_APART if name not in ('accelerator', 'accelerators'))},"
        f" {is_derived_sql(asked.tokens, library)} AS derived, {held} AS held, {states} AS states,"
        f" accelerator IS NOT NULL AND coalesce(accelerators, 0) > 0 AS counted, {evidence} AS allowed,"
        f" {within} AS within, rate IS NOT NULL AND counted AND allowed AS usable, usable AND within AS enters"
        f" FROM points WHERE {condition.sql}"
    )
    return Candidates(sql, (*(limit for _, limit in asked.limits), *condition.params), asked.group)


def groups(library: Library, found: Candidates, metric: Metric | None) -> pd.DataFrame:
    """One row for each `owner` and `accelerator` of the selection: its counts, and its peak within each limit.

    Columns: those of Tally; `stated`, whether a usable point states the metrics of the limits, and `within`, whether
    one keeps them; `peak`, the most tokens/s per accelerator without a limit, and "0", "1", … within the LEVELS of the
    metric.
    """
    sign = "<=" if metric is not None and metric.direction == "lower" else ">="
    each = "max(rate / accelerators) FILTER (usable"
    reached = "".join(
        f', {each} AND held {sign} {level}) AS "{place}"' for place, level in enumerate(levels(metric))
    )
    return library.query(
        f"WITH candidate AS ({found.sql}) SELECT owner, accelerator, count(*) AS selected,"
        " count(*) FILTER (rate IS NULL) AS no_rate,"
        " count(*) FILTER (rate IS NOT NULL AND NOT counted) AS no_chips,"
        " count(*) FILTER (rate IS NOT NULL AND counted AND NOT allowed) AS other_evidence,"
        " count(*) FILTER (usable AND NOT within AND NOT states) AS no_limit_metric,"
        " count(*) FILTER (usable AND NOT within AND states) AS beyond_limit,"
        " count(*) FILTER (enters) AS entering, coalesce(bool_or(states) FILTER (usable), FALSE) AS stated,"
        f" {each}) AS peak{reached} FROM candidate GROUP BY owner, accelerator ORDER BY accelerator, owner",
        found.params,
    )


def levels(metric: Metric | None) -> tuple[int, ...]:
    """The limits at which the price of latency is told, easiest first; none without a metric."""
    return () if metric is None else LEVELS["lower" if metric.direction == "lower" else "higher"]


def tally(every: pd.DataFrame) -> Tally:
    """What the selection holds; a point that lacks several things is counted at the first."""
    counts = {column.name: int(every[column.name].sum()) for column in fields(Tally)[:-1]}
    return Tally(**counts, accelerators=tuple(sorted(set(every["accelerator"][every["entering"] > 0]))))


def missed(every: pd.DataFrame) -> list[Missed]:
    """The groups with a throughput and no point within the limits, by accelerator."""
    out = every[every["peak"].notna() & (every["entering"] == 0)]
    return [
        Missed(*row) for row in out[["owner", "accelerator", "stated"]].astype(object).itertuples(index=False)
    ]


def price_of_latency(every: pd.DataFrame, owner: str, accelerator: str,
                     metric: Metric | None) -> tuple[float, list[dict[str, Any]]]:  # fmt: skip
    """The tokens/s per accelerator one group reaches without a limit, and within each limit of LEVELS it can keep.

    Each is {"limit", "tokens_per_s_per_accelerator", "times_the_peak_cost"}; the peak is over all its points.
    """
    own = every[(every["owner"] == owner) & (every["accelerator"] == accelerator)].iloc[0]
    peak = float(own["peak"])
    return peak, [
        {"limit": level, "tokens_per_s_per_accelerator": float(own[str(place)]),
         "times_the_peak_cost": peak / float(own[str(place)])}
        for place, level in enumerate(levels(metric))
        if pd.notna(own[str(place)])
    ]  # fmt: skip


def best(library: Library, found: Candidates, prices: Mapping[str, ChipPrice]) -> Best:
    """The point with the most tokens per accelerator of each group on each priced accelerator, and of each deployment.

    One pass: the narrow columns of what may enter are read once, and only the winners are read whole.
    """
    price, bound = pricing.price_sql(prices)
    levels = {"owner": "owner"} if found.group == DEPLOYMENT else {"owner": "owner", "fine": _FINE}
    ranked = ", ".join(
        f"top_{name} AS (SELECT {name}, accelerator, max(each) AS each, count(*) OVER () AS groups FROM entering"
        f" GROUP BY {name}, accelerator ORDER BY any_value(usd) / max(each), max(each) DESC, {name}, accelerator"
        f" LIMIT {DEPLOYMENTS})"
        for name in levels
    )
    winners = " UNION ALL ".join(
        f"(SELECT '{name}' AS level, entering.*, groups FROM entering JOIN top_{name}"
        f" USING ({name}, accelerator, each)"
        f" QUALIFY row_number() OVER (PARTITION BY {name}, accelerator ORDER BY point_id DESC) = 1)"
        for name in levels
    )
    fine = f"{_FINE} AS fine, " if "fine" in levels else ""
    chosen = library.query(
        f"WITH candidate AS ({found.sql}), entering AS MATERIALIZED (SELECT point_id, accelerator, owner, {fine}rate,"
        f" derived, held, rate / accelerators AS each, {price} AS usd FROM candidate WHERE enters AND usd IS NOT NULL),"
        f" {ranked} SELECT level, owner, rate, derived, held, point_id, groups FROM ({winners})"
        " ORDER BY usd / each, each DESC, owner, accelerator, point_id",
        (*found.params, *bound),
    )
    whole = chosen.merge(_told(library, chosen["point_id"].unique().tolist()), on="point_id", how="left")
    split = {name: whole[whole["level"] == name].reset_index(drop=True) for name in levels}
    groups = int(split["owner"]["groups"].iloc[0]) if len(split["owner"]) else 0
    own = {name: frame.drop(columns=["level", "groups"]) for name, frame in split.items()}
    return Best(own["owner"], own.get("fine", own["owner"]), groups)


def _told(library: Library, point_ids: Sequence[str]) -> pd.DataFrame:
    """These points with what they are told by: IDENTITY and the latencies."""
    keys = [f"{base}_{one}" for base in LATENCIES for one in TOLD_STATISTICS]
    columns = [*IDENTITY, *(f'"{key}"' for key in keys if library.has(key))]
    return library.query(
        f"SELECT {', '.join(columns)} FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (list(point_ids),),
    )


_FINE = f"hash({', '.join(TELLS_APART)})"


def _owner(group: str) -> str:
    return f"CAST({_FINE} AS VARCHAR)" if group == DEPLOYMENT else f"coalesce(CAST({group} AS VARCHAR), '')"


def _keeps(metric: Metric) -> str:
    sign = "<=" if metric.direction == "lower" else ">="
    return f'coalesce("{metric.key}" {sign} CAST(? AS DOUBLE), FALSE)'
