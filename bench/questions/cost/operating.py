"""The operating point each deployment is priced at: its most tokens per accelerator, within the reader's limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from bench import selection
from bench.catalogue import Metric
from bench.library import Library
from bench.questions.cost.defaults import DEPLOYMENT, Asked
from bench.questions.cost.rates import is_derived_sql, rate_sql
from bench.selection import Clause
from bench.view import View

IDENTITY = (
    "point_id", "model", "precision", "engine", "engine_version", "accelerator", "accelerators", "tp", "pp", "dp", "ep",
    "disaggregated", "speculation", "variant", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch",
    "scenario", "evidence", "source", "date", "source_url", "flags",
)  # fmt: skip
"""The columns an operating point is told by."""

TELLS_APART = ("model", "precision", "engine", "accelerator", "accelerators", "variant", "speculation",
               "disaggregated", "isl", "osl", "load_kind", "source")  # fmt: skip
"""What makes one deployment and workload another; layout, version and date are free, the best of them counts."""

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
    deployments: int
    accelerators: tuple[str, ...]


@dataclass(frozen=True)
class Candidates:
    """The points a View selects, as SQL with rate, chips and owner."""

    sql: str
    params: tuple[Any, ...]


def candidates(library: Library, view: View, asked: Asked, group: str) -> Candidates:
    """The selected points with the throughput asked, its owner in the group, and whether each may enter."""
    condition: Clause = selection.clause(view)
    rate = rate_sql(asked.tokens, library) or "CAST(NULL AS DOUBLE)"
    held = f'"{asked.limit_on.key}"' if asked.limit_on else "CAST(NULL AS DOUBLE)"
    evidence = "TRUE" if asked.any_evidence else "coalesce(evidence = 'measured', FALSE)"
    chips = "accelerator IS NOT NULL AND coalesce(accelerators, 0) > 0"
    sql = (
        f"SELECT point_id, accelerator, accelerators, {_owner(group)} AS owner, {rate} AS rate,"
        f" {is_derived_sql(asked.tokens, library)} AS derived, {held} AS held, {chips} AS counted,"
        f" {evidence} AS allowed, {_within(asked)} AS within,"
        " rate IS NOT NULL AND counted AND allowed AND within AS enters"
        f" FROM points WHERE {condition.sql}"
    )
    return Candidates(sql, (*_limits(asked), *condition.params))


def tally(library: Library, found: Candidates) -> Tally:
    """What the selection holds; a point that lacks several things is counted at the first."""
    row = library.fetch(
        f"WITH candidate AS ({found.sql}) SELECT count(*), count(*) FILTER (rate IS NULL),"
        " count(*) FILTER (rate IS NOT NULL AND NOT counted),"
        " count(*) FILTER (rate IS NOT NULL AND counted AND NOT allowed),"
        " count(*) FILTER (rate IS NOT NULL AND counted AND allowed AND NOT within AND held IS NULL),"
        " count(*) FILTER (rate IS NOT NULL AND counted AND allowed AND NOT within AND held IS NOT NULL),"
        " count(*) FILTER (enters), count(DISTINCT (owner, accelerator)) FILTER (enters),"
        " list(DISTINCT accelerator ORDER BY accelerator) FILTER (enters) FROM candidate",
        found.params,
    )[0]
    counts = dict(zip((column.name for column in fields(Tally)), row[:-1], strict=False))
    return Tally(**counts, accelerators=tuple(row[-1] or ()))


def best(library: Library, found: Candidates, prices: Mapping[str, float]) -> pd.DataFrame:
    """Each owner's point with the most tokens per accelerator on each of its accelerators, lowest cost first.

    Columns: `owner`, `rate` (tokens/s of the whole deployment), `derived`, `held` (the limit's metric), `point_id`.
    `prices` of an accelerator-hour put the deployments in order; those without a price come last.
    """
    price, bound = _price(prices)
    return library.query(
        f"WITH candidate AS ({found.sql}), top AS (SELECT owner, accelerator, arg_max({{'point_id': point_id,"
        " 'each': rate / accelerators, 'rate': rate, 'derived': derived, 'held': held},"
        " (rate / accelerators, point_id)) AS one FROM candidate WHERE enters GROUP BY ALL)"
        " SELECT owner, one.rate AS rate, one.derived AS derived,"
        f" one.held AS held, one.point_id AS point_id FROM top ORDER BY {price} / one.each NULLS LAST, one.each DESC,"
        f" owner, accelerator LIMIT {DEPLOYMENTS}",
        (*found.params, *bound),
    )


def told(library: Library, *chosen: pd.DataFrame) -> list[pd.DataFrame]:
    """The points of each `best` with what they are told by: IDENTITY beside its own columns, in its own order."""
    ids = list(dict.fromkeys(point for frame in chosen for point in frame["point_id"]))
    found = library.query(
        f"SELECT {', '.join(IDENTITY)} FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (ids,),
    )
    return [frame.merge(found, on="point_id") for frame in chosen]


def price_of_latency(library: Library, found: Candidates, owner: str, accelerator: str,
                     metric: Metric) -> list[dict[str, Any]]:  # fmt: skip
    """How many tokens/s per accelerator one deployment gives within each limit of LEVELS that it can keep.

    Each is {"limit", "tokens_per_s_per_accelerator", "times_the_peak_cost"}; the peak is over all its points.
    """
    levels = LEVELS["lower" if metric.direction == "lower" else "higher"]
    sign = "<=" if metric.direction == "lower" else ">="
    columns = ", ".join(f"max(rate / accelerators) FILTER (held {sign} {level})" for level in levels)
    peak, *reached = library.fetch(
        f"WITH candidate AS ({found.sql}) SELECT max(rate / accelerators), {columns} FROM candidate"
        " WHERE enters AND owner = ? AND accelerator = ?",
        (*found.params, owner, accelerator),
    )[0]
    return [
        {"limit": level, "tokens_per_s_per_accelerator": rate, "times_the_peak_cost": peak / rate}
        for level, rate in zip(levels, reached, strict=True)
        if rate
    ]


def _owner(group: str) -> str:
    if group == DEPLOYMENT:
        return f"CAST(hash({', '.join(TELLS_APART)}) AS VARCHAR)"
    return f"coalesce(CAST({group} AS VARCHAR), '')"


def _within(asked: Asked) -> str:
    if asked.limit is None or asked.limit_on is None:
        return "TRUE"
    sign = "<=" if asked.limit_on.direction == "lower" else ">="
    return f"coalesce(held {sign} CAST(? AS DOUBLE), FALSE)"


def _limits(asked: Asked) -> tuple[float, ...]:
    return () if asked.limit is None or asked.limit_on is None else (asked.limit,)


def _price(prices: Mapping[str, float]) -> tuple[str, tuple[object, ...]]:
    if not prices:
        return "CAST(NULL AS DOUBLE)", ()
    cases = " ".join("WHEN ? THEN CAST(? AS DOUBLE)" for _ in prices)
    return f"CASE accelerator {cases} END", tuple(value for pair in prices.items() for value in pair)
