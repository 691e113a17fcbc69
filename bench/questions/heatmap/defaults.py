"""What a grid is of when nobody said: the richest story, axes, metric and the two sides of a ratio, from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
import pandas as pd

from bench import catalogue, names
from bench.library import Library
from bench.questions.heatmap.grid import AXES, MOST_VALUES
from bench.selection import as_asked, clause, ordinary, written
from bench.view import FILTER_BY_KEY, View

FIRST_METRIC = "output_tokens_per_s"
PINNED = ("model", "accelerator", "precision", "engine", "engine_version", "load_kind", "isl", "osl")
"""What a story has one value of, where it is no axis."""

ALIKE = ("model", "precision", "isl", "osl")
"""What a grid never mixes unless it is asked to."""

HARDWARE = ("accelerators", "tp")
FEWEST_CELLS = 4
"""Two columns that span fewer cells are no grid."""


def story(library: Library, x: str, y: str, metric: str) -> dict[str, str]:
    """The filter values of the one deployment kind, load kind and workload with the most measured cells.

    Counted are distinct (x, y, chips); empty when nothing measured has both axes and the metric.
    """
    if not library.has(metric):
        return {}
    pins = [column for column in PINNED if column not in (x, y)]
    found = library.query(
        f"""SELECT {", ".join(pins)} FROM points
        WHERE evidence = 'measured' AND {x} IS NOT NULL AND {y} IS NOT NULL AND {metric} IS NOT NULL
        GROUP BY ALL HAVING count(DISTINCT {x}) <= {MOST_VALUES} AND count(DISTINCT {y}) <= {MOST_VALUES}
        ORDER BY least(count(DISTINCT {x}), count(DISTINCT {y}), 2) DESC,
          count(DISTINCT ({x}, {y}, accelerators)) DESC, count(*) DESC, max(date) DESC, {", ".join(pins)} LIMIT 1"""
    )
    row = found.to_dict("records")[0] if len(found) else {}
    return {str(column): written(value) for column, value in row.items() if not pd.isna(value)}


def alike(
    library: Library,
    view: View,
    columns: Sequence[str],
    key: str,
    by: str | None = None,
    asked: tuple[str, str] = ("", ""),
) -> dict[str, tuple[str]]:
    """The filters that leave one model, precision and workload where the selection mixes several.

    Those that are no column of the grid, not asked for and not what a ratio is `by`; taken are the values with the
    most cells, of a ratio with the most cells both sides share. A column with too many values for an axis is of
    lengths as they came, one in every request, and stays open.
    """
    divided = FILTER_BY_KEY[by].column if by else None
    pins = [column for column in ALIKE if column not in (*columns, divided) and not view.values(column)]
    if not pins or not library.has(key):
        return {}
    condition = clause(ordinary(view)).also(f"isfinite({key})")
    for column in columns[:2]:
        condition = condition.also(f"{column} IS NOT NULL")
    sides = [clause(View.of({by: [side]})) for side in asked if side] if by else []
    shared = " AND ".join([f"count(DISTINCT {divided}) > 1" if divided else "true",
                           *(f"bool_or({side.sql})" for side in sides)])  # fmt: skip
    grouped = ", ".join((*(f"{as_asked(pin)} AS {pin}" for pin in pins), *columns))
    listed = ", ".join(pins)
    found = library.query(
        f"""SELECT {listed}, count(*) FILTER (is_shared) AS shared, count(*) AS cells, sum(points) AS points
        FROM (SELECT {grouped}, count(*) AS points, coalesce({shared}, false) AS is_shared
          FROM points WHERE {condition.sql} GROUP BY ALL)
        GROUP BY {listed} ORDER BY shared DESC, cells DESC, points DESC, {listed}""",
        (*(value for side in sides for value in side.params), *condition.params),
    )
    mixed = [column for column in pins if 1 < found[column].nunique() <= MOST_VALUES]
    if not mixed:
        return {}
    most = found.groupby(mixed, dropna=False, sort=False)[["shared", "cells", "points"]].sum()
    best = most.sort_values(["shared", "cells", "points"], ascending=False, kind="stable").index[0]
    values = dict(zip(mixed, best if isinstance(best, tuple) else (best,), strict=True))
    return {column: (written(value),) for column, value in values.items() if not pd.isna(value)}


def axes(library: Library, view: View, x: str, y: str) -> tuple[str, str]:
    """The two axes; those not asked for ("") are the two along which the selection has the most values.

    Workload and load come before hardware, which the panels and the best run of a cell already tell apart.
    """
    if x and y:
        return x, y
    asked = {x, y} - {""}
    condition = clause(ordinary(view))
    listed = ", ".join(f"{as_asked(column)} AS {column}" for column in AXES)
    seen = library.query(f"SELECT DISTINCT {listed} FROM points WHERE {condition.sql}", condition.params)
    pairs = [pair for pair in combinations(AXES, 2) if asked <= set(pair) and set(pair) != set(HARDWARE)]
    sizes = {pair: _spanned(seen[list(pair)].dropna()) for pair in pairs}
    soft = [pair for pair in pairs if not set(HARDWARE) & (set(pair) - asked) and sizes[pair] >= FEWEST_CELLS]
    first, second = max(soft or pairs, key=lambda pair: sizes[pair])
    return (second, first) if first == y or second == x else (first, second)


def metric(library: Library, view: View, columns: Iterable[str]) -> str:
    """The metric of a grid with these columns: output throughput, else the throughput most points have, else any."""
    if filled(library, view, columns, [FIRST_METRIC]):
        return FIRST_METRIC
    known = metrics(library)
    throughputs = [key for key in known if _is_throughput(catalogue.metric(key))]
    found = filled(library, view, columns, throughputs) or filled(library, view, columns, known)
    return max(found, key=lambda key: found[key], default=FIRST_METRIC)


def metrics(library: Library) -> list[str]:
    """Every metric the library has, stored or derived, in the catalogue's order."""
    stored = library.metric_columns()
    derived = catalogue.derivable({*stored, "accelerators", "prefill_accelerators", "decode_accelerators"})
    rows = [row.key for row in catalogue.base_metrics()]
    return sorted({*stored, *derived}, key=lambda key: (rows.index(catalogue.metric(key).base), key))


def filled(library: Library, view: View, columns: Iterable[str], keys: Iterable[str]) -> dict[str, int]:
    """How many selected points that state these columns have each metric; metrics none has are left out."""
    held = [key for key in keys if library.has(key)]
    if not held:
        return {}
    condition = clause(ordinary(view))
    placed = "".join(f" AND {column} IS NOT NULL" for column in columns)
    counts = library.fetch(
        f"SELECT {', '.join(f'count({key})' for key in held)} FROM points WHERE {condition.sql}{placed}",
        condition.params,
    )[0]
    return {key: count for key, count in zip(held, counts, strict=True) if count}


def variety(
    library: Library, view: View, columns: Iterable[str]
) -> dict[str, Literal["none", "one", "several"]]:
    """Whether the selected points state no, one or several values of each column."""
    names, condition = list(columns), clause(ordinary(view))
    ends = library.fetch(
        f"SELECT {', '.join(f'min({name}), max({name})' for name in names)} FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    pairs = zip(names, ends[::2], ends[1::2], strict=True)
    return {name: "none" if low is None else "one" if low == high else "several" for name, low, high in pairs}


def sides(
    library: Library, view: View, by: str, columns: Sequence[str], key: str, asked: tuple[str, str]
) -> tuple[str, str] | None:
    """The two values of a field that a ratio of grids with these columns compares; None when there are no two.

    Those not asked for ("") are the two that share the most cells, the better one first.
    """
    if all(asked):
        return asked
    column, lower = FILTER_BY_KEY[by].column, catalogue.metric(key).direction == "lower"
    condition = clause(ordinary(view)).also(f"{column} IS NOT NULL")
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
    return (
        value in names.matching(row.column, asked)
        if row.kind == "name"
        else asked.lower() == str(value).lower()
    )


def _spanned(both: pd.DataFrame) -> int:
    """How many cells two columns span; one with too many values for an axis is counted in doublings."""
    spanned = 1
    for values in both.to_numpy(dtype=float).T:
        count = len(np.unique(values))
        if count > MOST_VALUES:
            count = len(np.unique(np.floor(np.log2(values[values > 0]))))
        spanned *= count
    return spanned


def _is_throughput(row: catalogue.Metric) -> bool:
    return row.direction == "higher" and "/s" in row.unit
