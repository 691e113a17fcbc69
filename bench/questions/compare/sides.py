"""What is compared: two sides as filters, those that are offered, and the two that are told unless others are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from bench import selection
from bench.basis import evidence, likeness
from bench.basis.evidence import Ranking
from bench.chart import title
from bench.library import Library
from bench.library.newest_runs import REPEAT
from bench.questions.crossover.options import narrowed, written
from bench.selection import Clause, as_asked
from bench.view import View

FIELDS = (
    "accelerator",
    "engine",
    "engine_version",
    "precision",
    "speculation",
    "disaggregated",
    "variant",
    "harness",
    "source",
)
"""By what two sides are told apart, in the order in which they are looked at."""

ACROSS = (
    "interactivity_tokens_per_s_per_user_p50",
    "interactivity_tokens_per_s_per_user_mean",
    "e2el_ms_p50",
    "e2el_ms_mean",
    "ttft_ms_p50",
    "ttft_ms_mean",
)
"""What lies across: the first of these that most points state."""

UP = ("output_tokens_per_s_per_accelerator", "output_tokens_per_s", "requests_per_s")

MOST_SIDES = 60
"""So many sides are offered, those with most points first."""

MOST_LOOKED_AT = 12
"""Among so many values of a field, those with most points, the two that are told are looked for."""

WORKLOAD = ("model", "isl", "osl", "context_tokens", "turns", "shared_prefix_share")
LOAD = ("load_kind", "arrivals", "concurrency", "request_rate", "batch", "scenario")
STATED = "(concurrency IS NOT NULL OR request_rate IS NOT NULL OR batch IS NOT NULL OR load_kind = 'saturated')"
"""The condition of a point that says how hard it was asked."""


def ranked(library: Library, ranking: Ranking) -> Clause:
    """The ranked points and their repeats, each of which says how far runs scatter."""
    condition = selection.clause(ranking.view)
    every = (*evidence.reasons(library, ranking), *evidence.limit_reasons(library, ranking))
    for reason in every:
        if reason.code != REPEAT:
            condition = condition.also(f"({reason.sql}) IS NOT TRUE", *reason.params)
    return condition.also(STATED)


def of_side(library: Library, ranking: Ranking, own: View) -> Clause:
    """The ranked points of one side."""
    return ranked(library, narrowed(ranking, own))


def label(own: View) -> str:
    """A side's name: "H200 SXM, vLLM"."""
    words = [(key, likeness.filter_words(key, value)) for key, values in own.where for value in values]
    return ", ".join(f"version {said}" if key == "engine_version" else said for key, said in words)


def offered(library: Library, ranking: Ranking) -> list[tuple[str, str]]:
    """The sides of a selection, (filters, words) pairs: each value of a field that has several."""
    listed: list[tuple[int, str, str]] = []
    for field, counts in _values(library, ranking).items():
        for value, many in counts:
            own = View.of({field: [value]})
            listed.append((many, written(own), f"{title(field)}: {label(own)}"))
    listed.sort(key=lambda row: (-row[0], row[1]))
    return [(filters, words) for _, filters, words in listed[:MOST_SIDES]]


def usual(library: Library, ranking: Ranking, usable: str) -> tuple[View, View] | None:
    """The two values of one field with most workloads and loads in common; None where no two have any."""
    condition = ranked(library, ranking)
    for field, counts in _values(library, ranking).items():
        values = [value for value, _ in counts]
        if len(values) < 2:
            continue
        keys = [one for one in (*WORKLOAD, *LOAD) if library.has(one)]
        rows = library.fetch(
            f"SELECT CAST({field} AS VARCHAR), list(DISTINCT hash({', '.join(map(as_asked, keys))})) FROM points"
            f" WHERE {condition.sql} AND ({usable}) AND {field} IS NOT NULL"
            f" GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {MOST_LOOKED_AT}",
            condition.params,
        )
        places = {value: set(hashes) for value, hashes in rows}
        shared = {pair: len(places[pair[0]] & places[pair[1]]) for pair in combinations(sorted(places), 2)}
        best = max(shared, key=lambda pair: (shared[pair], pair), default=None)
        if best is not None and shared[best]:
            return View.of({field: [best[0]]}), View.of({field: [best[1]]})
    return None


def _values(library: Library, ranking: Ranking) -> Mapping[str, Sequence[tuple[str, int]]]:
    """The values of each field that has several among the ranked points, with their points."""
    condition = ranked(library, ranking)
    found: dict[str, list[tuple[Any, ...]]] = {}
    for field in FIELDS:
        if not library.has(field):
            continue
        rows = library.fetch(
            f"SELECT CAST({field} AS VARCHAR), count(*) FROM points WHERE {condition.sql} AND {field} IS NOT NULL"
            f" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_SIDES}",
            condition.params,
        )
        if len(rows) > 1:
            found[field] = rows
    return found


def places(library: Library, ranking: Ranking, a: View, b: View) -> pd.DataFrame:
    """The points of both sides of one workload: `side`, `x`, `y`, the keys of both metrics, and what a point is of."""
    parts = [(name, of_side(library, ranking, own)) for name, own in (("a", a), ("b", b))]
    across, up = ([one for one in listed if library.has(one)] for listed in (ACROSS, UP))
    if not across or not up:
        return pd.DataFrame()
    columns = ", ".join(f'"{one}"' for one in (*across, *up))
    rows = library.query(
        " UNION ALL ".join(
            f"SELECT '{name}' AS side, point_id, {as_asked('isl')} AS isl, {as_asked('osl')} AS osl, concurrency,"
            f" request_rate, batch, {columns} FROM points WHERE {one.sql}"
            for name, one in parts
        ),
        tuple(value for _, one in parts for value in one.params),
    )
    best: pd.DataFrame = pd.DataFrame()
    for x in across:
        for y in up:
            held = rows[(rows[x] > 0) & (rows[y] > 0)]
            for _, own in held.groupby(["isl", "osl"], dropna=False):
                poorer = own["side"].value_counts().reindex(["a", "b"], fill_value=0).min()
                if poorer > best.attrs.get("poorer", 0):
                    best = own.assign(x=own[x], y=own[y], across=x, up=y)
                    best.attrs["poorer"] = poorer
    return best.sort_values(["side", "x", "point_id"], ignore_index=True) if len(best) else best
