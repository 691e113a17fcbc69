"""What a grid is of where nobody said: its two axes, its metric, and the two sides of a ratio, from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
import pandas as pd

from bench import catalogue, names
from bench.basis import evidence
from bench.library import Library
from bench.questions.heatmap.grid import AXES, MOST_VALUES
from bench.selection import as_asked, written
from bench.view import FILTER_BY_KEY, View

FIRST_METRIC = "output_tokens_per_s"
THROUGHPUTS: tuple[catalogue.Kind, ...] = (
    "throughput",
    "per_accelerator",
    "per_user",
    "engine_rate",
    "submission",
)
OTHERS: tuple[catalogue.Kind, ...] = ("latency", "energy", "share", "other", "cost")
HARDWARE = ("accelerators", "tp")
FEWEST_CELLS = 8
"""Workload and load are the axes where two of them fill as many cells, with three values each at least."""
FEWEST_VALUES = 3


def axes(library: Library, view: View, x: str, y: str) -> tuple[str, str]:
    """The two axes; those not asked for ("") are the two that fill the most cells.

    Workload and load come before hardware, which the panels and the best point of a cell already tell apart.
    """
    if x and y:
        return x, y
    asked = {x, y} - {""}
    condition = evidence.ranked(library, evidence.read(view))
    listed = ", ".join(f"{as_asked(column)} AS {column}" for column in AXES)
    seen = library.query(f"SELECT DISTINCT {listed} FROM points WHERE {condition.sql}", condition.params)
    pairs = [pair for pair in combinations(AXES, 2) if asked <= set(pair) and set(pair) != set(HARDWARE)]
    filled = {pair: seen[list(pair)].dropna().drop_duplicates() for pair in pairs}
    spans = {pair: min(len(values.drop_duplicates()) for _, values in filled[pair].items()) for pair in pairs}
    cells = {pair: _cells(filled[pair]) for pair in pairs}
    soft = [
        pair
        for pair in pairs
        if not set(HARDWARE) & (set(pair) - asked) and spans[pair] >= FEWEST_VALUES and cells[pair] >= FEWEST_CELLS
    ]  # fmt: skip
    first, second = max(soft or pairs, key=lambda pair: (spans[pair] > 1 and cells[pair] > 3, cells[pair]))
    return (second, first) if first == y or second == x else (first, second)


def metric(library: Library, view: View, columns: Iterable[str]) -> str:
    """The metric of a grid with these columns: output throughput, else the throughput most points have, else any."""
    if filled(library, view, columns, [FIRST_METRIC]):
        return FIRST_METRIC
    held = held_metrics(library)
    throughputs = catalogue.metrics_of(*THROUGHPUTS, held=held)
    found = filled(library, view, columns, throughputs) or filled(library, view, columns, held)
    return max(found, key=lambda key: found[key], default=FIRST_METRIC)


def held_metrics(library: Library) -> list[str]:
    """Every metric the library has, stored or derived, in the catalogue's order."""
    stored = library.metric_columns()
    keys = {
        *stored,
        *catalogue.derivable({*stored, "accelerators", "prefill_accelerators", "decode_accelerators"}),
    }
    order = {row.key: place for place, row in enumerate(catalogue.base_metrics())}
    return sorted(keys, key=lambda key: (order[catalogue.metric(key).base], key))


def filled(library: Library, view: View, columns: Iterable[str], keys: Iterable[str]) -> dict[str, int]:
    """How many ranked points that state these columns have each metric; metrics none has are left out."""
    held = [key for key in keys if library.has(key)]
    if not held:
        return {}
    condition = evidence.ranked(library, evidence.read(view))
    placed = "".join(f" AND {column} IS NOT NULL" for column in columns)
    counts = library.fetch(
        f"SELECT {', '.join(f'count({key})' for key in held)} FROM points WHERE {condition.sql}{placed}",
        condition.params,
    )[0]
    return {key: count for key, count in zip(held, counts, strict=True) if count}


def variety(
    library: Library, view: View, columns: Iterable[str]
) -> dict[str, Literal["none", "one", "several"]]:
    """Whether the ranked points state no, one or several values of each column."""
    listed, condition = list(columns), evidence.ranked(library, evidence.read(view))
    ends = library.fetch(
        f"SELECT {', '.join(f'min({name}), max({name})' for name in listed)} FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    pairs = zip(listed, ends[::2], ends[1::2], strict=True)
    return {name: "none" if low is None else "one" if low == high else "several" for name, low, high in pairs}


def sides(library: Library, view: View, by: str, columns: Sequence[str], key: str,
          asked: tuple[str, str]) -> tuple[str, str] | None:  # fmt: skip
    """The two values of a field that a ratio of grids with these columns compares; None when there are no two.

    Those not asked for ("") are the two that share the most cells, the better one first.
    """
    if all(asked):
        return asked
    column, lower = FILTER_BY_KEY[by].column, catalogue.metric(key).direction == "lower"
    condition = evidence.ranked(library, evidence.read(view)).also(f"{column} IS NOT NULL")
    best = f"{'min' if lower else 'max'}({key})" if library.has(key) else "NULL"
    seen = library.query(
        f"SELECT {column} AS side, {', '.join(columns)}, {best} AS best FROM points WHERE {condition.sql} GROUP BY ALL",
        condition.params,
    ).dropna()
    table = seen.pivot_table(index=list(columns), columns="side", values="best", aggfunc="first")
    fixed = asked[0] or asked[1]
    pairs = [
        (one, other)
        for one, other in permutations(table.columns, 2)
        if not fixed or (_stands_for(by, fixed, one) and not _stands_for(by, fixed, other))
    ]
    if not pairs:
        return None
    filled_in = table.notna().to_numpy(dtype=int)
    shared = pd.DataFrame(filled_in.T @ filled_in, table.columns, table.columns).stack().to_dict()
    one, other = max(pairs, key=lambda pair: shared[pair])
    if fixed:
        return (fixed, written(other)) if asked[0] else (written(other), fixed)
    first_is_better = ((table[one] / table[other]).median() >= 1) != lower
    return (written(one), written(other)) if first_is_better else (written(other), written(one))


def _stands_for(by: str, asked: str, value: Any) -> bool:
    """Whether a value asked for in a filter's way lets this value of its column through."""
    row = FILTER_BY_KEY[by]
    if row.kind == "number":
        return float(asked) == float(value)
    if row.kind == "name":
        return value in names.matching(row.column, asked)
    return asked.lower() == str(value).lower()


def _cells(both: pd.DataFrame) -> int:
    """How many cells two columns fill; one with too many values is cut into doublings."""
    cut = both.to_numpy(dtype=float, copy=True)
    for place, values in enumerate(cut.T):
        if len(np.unique(values)) > MOST_VALUES:
            cut[:, place] = np.floor(np.log2(np.maximum(values, 1)))
    return len(np.unique(cut, axis=0))
