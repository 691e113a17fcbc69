"""The operating point each deployment is priced at: its most tokens per accelerator, within the reader's limits."""

from __future__ import annotations

from collections.abc import Mapping
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


_COUNTS = tuple(column.name for column in fields(Tally))[:-1]


@dataclass(frozen=True)
class Candidates:
    """The points a View selects, with rate, owner and whether each may enter, as SQL columns over a condition."""

    columns: str
    condition: str
    params: tuple[Any, ...]
    group: str

    def sql(self, *further: str) -> str:
        """The statement that selects them, with further columns of the points."""
        return f"SELECT {', '.join([self.columns, *further])} FROM points WHERE {self.condition}"


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
    columns = (
        f"{_owner(asked.group)} AS owner, {rate} AS rate, {is_derived_sql(asked.tokens, library)} AS derived,"
        f" {held} AS held, {states} AS states,"
        f" accelerator IS NOT NULL AND coalesce(accelerators, 0) > 0 AS counted, {evidence} AS allowed,"
        f" {within} AS within, rate IS NOT NULL AND counted AND allowed AS usable, usable AND within AS enters,"
        " rate / accelerators AS each"
    )
    limits = tuple(limit for _, limit in asked.limits)
    return Candidates(columns, condition.sql, (*limits, *condition.params), asked.group)


def groups(library: Library, found: Candidates, metric: Metric | None) -> pd.DataFrame:
    """One row for each `owner` and `accelerator` of the selection: its counts, and its peak within each limit.

    Columns: those of Tally; `stated`, whether a usable point states the metrics of the limits; `best`, the most
    tokens/s per accelerator of what may enter, `peak` without a limit, and "0", "1", … within the LEVELS of the metric.
    """
    sign = "<=" if metric is not None and metric.direction == "lower" else ">="
    harder = list(enumerate(levels(metric), 1))
    kept = " ".join(f"WHEN held {sign} {level} THEN {place}" for place, level in reversed(harder))
    reached = "".join(f', max(peak) FILTER (kept >= {place}) AS "{place - 1}"' for place, _ in harder)
    summed = ", ".join(f"CAST(sum({name}) AS BIGINT) AS {name}" for name in _COUNTS)
    return library.query(
        f"WITH candidate AS ({found.sql('accelerator')}), level AS (SELECT owner, accelerator,"
        f" {f'CASE {kept} ELSE 0 END' if kept else '0'} AS kept, count(*) AS selected,"
        " count(*) FILTER (rate IS NULL) AS no_rate,"
        " count(*) FILTER (rate IS NOT NULL AND NOT counted) AS no_chips,"
        " count(*) FILTER (rate IS NOT NULL AND counted AND NOT allowed) AS other_evidence,"
        " count(*) FILTER (usable AND NOT within AND NOT states) AS no_limit_metric,"
        " count(*) FILTER (usable AND NOT within AND states) AS beyond_limit,"
        " count(*) FILTER (enters) AS entering, coalesce(bool_or(usable AND states), FALSE) AS stated,"
        " max(each) FILTER (enters) AS best, max(each) FILTER (usable) AS peak FROM candidate GROUP BY ALL)"
        f" SELECT owner, accelerator, {summed}, bool_or(stated) AS stated, max(best) AS best, max(peak) AS peak"
        f"{reached} FROM level GROUP BY owner, accelerator ORDER BY accelerator, owner",
        found.params,
    )


def levels(metric: Metric | None) -> tuple[int, ...]:
    """The limits at which the price of latency is told, easiest first; none without a metric."""
    return () if metric is None else LEVELS["lower" if metric.direction == "lower" else "higher"]


def tally(every: pd.DataFrame) -> Tally:
    """What the selection holds; a point that lacks several things is counted at the first."""
    counts = {name: int(every[name].sum()) for name in _COUNTS}
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


def best(library: Library, found: Candidates, every: pd.DataFrame, prices: Mapping[str, ChipPrice]) -> Best:
    """The point with the most tokens per accelerator of each group on each priced accelerator, and of each deployment.

    `every` are the `groups`. What is best is found in narrow columns; only the winners are read whole.
    """
    priced = every.assign(
        usd=every["accelerator"].map({chip: price.median for chip, price in prices.items()})
    )
    ranked = priced[(priced["entering"] > 0) & priced["usd"].notna()]
    ranked = ranked.assign(cost=ranked["usd"] / ranked["best"])
    ranked = ranked.sort_values(["cost", "best", "owner", "accelerator"], ascending=[True, False, True, True])
    groups = ranked[["owner", "accelerator", "best"]]
    top = groups.head(DEPLOYMENTS)
    fine = top if found.group == DEPLOYMENT else _finest(library, found, prices)
    latencies = [f"{base}_{one}" for base in LATENCIES for one in TOLD_STATISTICS]
    columns = (*IDENTITY, *(f'"{key}"' for key in latencies if library.has(key)))
    reached = pd.concat([top["best"], fine["best"]]).unique().tolist()
    winners = library.query(
        f"WITH candidate AS ({found.sql(*columns, f'{_FINE} AS fine')}) SELECT * EXCLUDE (fine, states, counted,"
        " allowed, within, usable, enters), CAST(fine AS VARCHAR) AS fine FROM candidate"
        " WHERE enters AND each IN (SELECT unnest(CAST(? AS DOUBLE[]))) ORDER BY point_id DESC",
        (*found.params, reached),
    )
    each = fine if found.group == DEPLOYMENT else fine.rename(columns={"owner": "fine"})
    return Best(_matched(top, winners), _matched(each, winners), len(groups))


def _finest(library: Library, found: Candidates, prices: Mapping[str, ChipPrice]) -> pd.DataFrame:
    """Every deployment and workload as `owner`, with its `accelerator` and `best`; lowest cost first."""
    price, bound = pricing.price_sql(prices)
    return library.query(
        f"WITH candidate AS ({found.sql('accelerator', f'{_FINE} AS fine')}), top AS (SELECT fine, accelerator,"
        " max(each) AS best FROM candidate WHERE enters GROUP BY ALL) SELECT CAST(fine AS VARCHAR) AS owner,"
        f" accelerator, best FROM top WHERE {price} IS NOT NULL ORDER BY {price} / best, best DESC, fine"
        f" LIMIT {DEPLOYMENTS}",
        (*found.params, *bound, *bound),
    )


def _matched(ranked: pd.DataFrame, winners: pd.DataFrame) -> pd.DataFrame:
    """The winner of each of `ranked`, in its order; of equals the one whose id is last."""
    name = ranked.columns[0]
    whole = ranked.merge(
        winners, left_on=[name, "accelerator", "best"], right_on=[name, "accelerator", "each"]
    )
    first = whole.drop_duplicates([name, "accelerator"])
    return first.drop(columns=["best", "each", "fine"]).reset_index(drop=True)


_FINE = f"hash({', '.join(TELLS_APART)})"


def _owner(group: str) -> str:
    return f"CAST({_FINE} AS VARCHAR)" if group == DEPLOYMENT else f"coalesce(CAST({group} AS VARCHAR), '')"


def _keeps(metric: Metric) -> str:
    sign = "<=" if metric.direction == "lower" else ">="
    return f'coalesce("{metric.key}" {sign} CAST(? AS DOUBLE), FALSE)'
