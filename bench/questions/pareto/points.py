"""The points a Pareto chart is made of: which enter, which are left out, which lie on a frontier. All by SQL.

A candidate is a selected point; it is usable when both axes are finite numbers, and it enters a frontier when it is
usable and measured (or the reader lets other evidence in). NULL, NaN and infinities are never usable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue, selection
from bench.catalogue import Metric
from bench.library import Library
from bench.maths.pareto import sign
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.frontiers import better
from bench.view import View

IDENTITY = (
    "point_id", "model", "precision", "engine", "engine_version", "accelerator", "accelerators", "tp", "pp", "dp", "ep",
    "disaggregated", "speculation", "variant", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch",
    "scenario", "evidence", "source", "date", "source_url", "flags", "source_id",
)  # fmt: skip
"""The columns a point is told by, in the order of the table."""

COUNTED = ("model", "precision", "isl", "osl", "load_kind", "evidence", "accelerator")
_ISL, _OSL, _ACCELERATOR = (COUNTED.index(name) for name in ("isl", "osl", "accelerator"))
BINS_ACROSS, BINS_UP = 96, 64


@dataclass(frozen=True)
class Tally:
    """How many points were selected and what became of them; the spans and the unlike things among the usable.

    Where none is usable, the unlike things are those among the selected.
    `owners` maps each owner ("" when not stated) to its entering points; spans are None without a usable point.
    `engines_differ` says whether the usable points state more than one engine or version.
    """

    selected: int
    without_x: int
    without_y: int
    usable: int
    entering: int
    distinct: Mapping[str, tuple[Any, ...]]
    workloads: tuple[tuple[float | None, float | None], ...]
    x_span: tuple[float, float] | None
    y_span: tuple[float, float] | None
    dates: tuple[Any, Any] | None
    accelerators: tuple[str, ...]
    owners: Mapping[str, int]
    engines_differ: bool


def tally(library: Library, view: View, axes: Axes) -> Tally:
    """What the selection holds for these axes: one row for each mixture of unlike things, added up."""
    selected, params = candidates(view, axes, ("date", "engine", "engine_version", *COUNTED))
    groups = library.fetch(
        f"WITH candidate AS ({selected}) SELECT {', '.join(COUNTED)}, owner, count(*),"
        " count(*) FILTER (NOT coalesce(isfinite(x), FALSE)), count(*) FILTER (NOT coalesce(isfinite(y), FALSE)),"
        " count(*) FILTER (usable), count(*) FILTER (enters), min(x) FILTER (usable), max(x) FILTER (usable),"
        " min(y) FILTER (usable), max(y) FILTER (usable), min(date) FILTER (usable), max(date) FILTER (usable),"
        " min(engine) FILTER (usable), max(engine) FILTER (usable),"
        " min(engine_version) FILTER (usable), max(engine_version) FILTER (usable)"
        " FROM candidate GROUP BY ALL ORDER BY ALL",
        params,
    )
    first = len(COUNTED) + 1
    used = [row for row in groups if row[first + 3]]
    about = used or groups
    owners: dict[str, int] = {}
    for row in used:
        owners[row[first - 1]] = owners.get(row[first - 1], 0) + row[first + 4]
    selected, without_x, without_y, usable, entering = (
        sum(row[first + i] for row in groups) for i in range(5)
    )
    return Tally(
        selected, without_x, without_y, usable, entering,
        distinct={name: tuple(dict.fromkeys(row[i] for row in about)) for i, name in enumerate(COUNTED)},
        workloads=tuple(dict.fromkeys((row[_ISL], row[_OSL]) for row in about)),
        x_span=_span(row[first + 5 : first + 7] for row in used),
        y_span=_span(row[first + 7 : first + 9] for row in used),
        dates=_span(row[first + 9 : first + 11] for row in used),
        accelerators=tuple(sorted({row[_ACCELERATOR] for row in groups if row[_ACCELERATOR]})),
        owners={owner: count for owner, count in owners.items() if count},
        engines_differ=any(
            len(set(_span(row[first + at : first + at + 2] for row in used) or ())) > 1 for at in (11, 13)
        ),
    )  # fmt: skip


def usable_points(library: Library, view: View, axes: Axes) -> int:
    """How many selected points have both axes."""
    selected, params = candidates(view, axes)
    return int(
        library.fetch(f"WITH candidate AS ({selected}) SELECT count(*) FROM candidate WHERE usable", params)[
            0
        ][0]
    )


def every_point(library: Library, view: View, axes: Axes) -> pd.DataFrame:
    """Every usable point with what it is told by, its axes under their catalogue keys, and `on_frontier`."""
    selected, params = candidates(view, axes, IDENTITY)
    columns = ", ".join(IDENTITY)
    return library.query(
        f"WITH candidate AS ({selected}), ranked AS (SELECT *, {_BEST_BEFORE.format(**_signs(axes))} AS best_before"
        f' FROM candidate WHERE usable) SELECT {columns}, x AS "{axes.x.key}", y AS "{axes.y.key}", enters, owner,'
        f" enters AND {_BEATS.format(**_signs(axes))} AS on_frontier FROM ranked ORDER BY point_id",
        params,
    )


def frontier_points(library: Library, view: View, axes: Axes) -> pd.DataFrame:
    """The points of each owner's frontier, as `every_point` would give them, without sorting or reading the others.

    Exact: a point goes unsorted only when a better range of x holds a y that is at least as good.
    """
    selected, params = candidates(view, axes)
    signs = _signs(axes)
    found = library.query(
        f"WITH candidate AS ({selected}), ranged AS (SELECT point_id, x, y, owner, {_RANGE.format(**signs)} AS range"
        f" FROM candidate WHERE enters), bar AS (SELECT owner, range, max(max({signs['y']} * y)) OVER"
        " (PARTITION BY owner ORDER BY range DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS beyond"
        " FROM ranged GROUP BY owner, range), contender AS (SELECT point_id, x, y, owner, TRUE AS enters"
        f" FROM ranged JOIN bar USING (owner, range) WHERE beyond IS NULL OR {signs['y']} * y > beyond),"
        f" ranked AS (SELECT *, {_BEST_BEFORE.format(**signs)} AS best_before FROM contender)"
        f' SELECT point_id, x AS "{axes.x.key}", y AS "{axes.y.key}", enters, owner, TRUE AS on_frontier'
        f" FROM ranked WHERE {_BEATS.format(**signs)}",
        params,
    )
    told = library.query(
        f"SELECT {', '.join(IDENTITY)} FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (found["point_id"].tolist(),),
    )
    return told.merge(found, on="point_id").sort_values("point_id", ignore_index=True)


def cloud(library: Library, view: View, axes: Axes, tally: Tally, x_log: bool, y_log: bool) -> dict[str, Any]:
    """How many usable points fall into each cell of a grid over their span.

    `x_edges` and `y_edges` are the borders of the cells, `cells` lists [column, row, points] of those not empty.
    """
    if tally.x_span is None or tally.y_span is None:
        return {"x_edges": [], "y_edges": [], "cells": []}
    selected, params = candidates(view, axes)
    across = _bin_sql("x", tally.x_span, x_log, BINS_ACROSS)
    up = _bin_sql("y", tally.y_span, y_log, BINS_UP)
    cells = library.fetch(
        f"WITH candidate AS ({selected}) SELECT {across} AS across, {up} AS up, count(*)"
        " FROM candidate WHERE usable GROUP BY ALL ORDER BY ALL",
        params,
    )
    return {
        "x_edges": edges(tally.x_span, x_log, BINS_ACROSS),
        "y_edges": edges(tally.y_span, y_log, BINS_UP),
        "cells": [list(cell) for cell in cells],
    }


def told(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The points as mappings, None where nothing is stated."""
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in record.items()} for record in records]


def passports(library: Library, frame: pd.DataFrame, axes: Axes) -> list[str]:
    """For each point how its two figures became metrics: format, tool version and definition; "" when unknown."""
    keys = {
        key: metric.label
        for metric in (axes.x, axes.y)
        for key in (metric.key, *_stored_inputs(library, metric))
    }
    found = library.fetch(
        "SELECT source_id, metric, format, tool_version, definition FROM passports"
        " WHERE metric IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY source_id, metric",
        (list(keys),),
    )
    words: dict[str, list[str]] = {}
    for source_id, metric, form, version, definition in found:
        tool = " ".join(part for part in (form, version) if part)
        words.setdefault(source_id, []).append(f"{catalogue.metric(metric).label} {definition} ({tool})")
    told_once = {source_id: "; ".join(dict.fromkeys(parts)) for source_id, parts in words.items()}
    return [told_once.get(source_id, "") for source_id in frame["source_id"]]


def _stored_inputs(library: Library, metric: Metric) -> list[str]:
    key = catalogue.PRICED.get(metric.key)
    inputs = (key, *catalogue.metric(key).inputs) if key else metric.inputs
    return [name for name in inputs if catalogue.is_metric(name) and library.has(name)]


def edges(span: tuple[float, float], logarithmic: bool, bins: int) -> list[float]:
    """The borders of the cells between the ends of a span, one more than there are cells."""
    low, high = span
    if logarithmic:
        return [float(low * (high / low) ** (step / bins)) for step in range(bins + 1)]
    return [low + (high - low) * step / bins for step in range(bins + 1)]


_BEST_BEFORE = (
    "max({y} * y) OVER (PARTITION BY owner, enters ORDER BY {x} * x DESC, {y} * y DESC, point_id"
    " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
)
# The frontier in one pass: from the best x on, a point stays when its y beats every y before it. Equal points
# follow each other by id, so the smallest id stays; bench.maths.pareto.frontier is the same in numpy.
_BEATS = "(best_before IS NULL OR {y} * y > best_before)"
_RANGE = "floor({x} * 32 * sign(x) * sqrt(sqrt(abs(x))))"
# Ranges of x, better ones with greater numbers. Any rule that never falls as x gets better is exact; IEEE 754 rounds
# square roots and products correctly, so this one never does, and it is about 4 % wide around 100.


def _span(pairs: Iterable[tuple[Any, Any]]) -> tuple[Any, Any] | None:
    """The smallest of the lows and the largest of the highs; None when there is none."""
    stated = [pair for pair in pairs if pair[0] is not None]
    return (min(low for low, _ in stated), max(high for _, high in stated)) if stated else None


def _signs(axes: Axes) -> dict[str, int]:
    return {"x": sign(better(axes.x)), "y": sign(better(axes.y))}


def candidates(view: View, axes: Axes, columns: Sequence[str] = ()) -> tuple[str, tuple[Any, ...]]:
    """The selected points with x, y, owner, and whether they are usable and enter; more columns only if asked."""
    condition = selection.clause(view)
    owner = f"coalesce(CAST({axes.owner} AS VARCHAR), '')" if axes.owner else "''"
    told = "".join(f", {name}" for name in columns if name != "point_id")
    enters = "usable" if axes.every_evidence else "usable AND evidence = 'measured'"
    sql = (
        f'SELECT point_id, "{axes.x.key}" AS x, {axes.y_sql} AS y, {owner} AS owner,'
        " coalesce(isfinite(x) AND isfinite(y), FALSE) AS usable,"
        f" coalesce({enters}, FALSE) AS enters{told} FROM points WHERE {condition.sql}"
    )
    return sql, (*axes.y_params, *condition.params)


def _bin_sql(name: str, span: tuple[float, float], logarithmic: bool, bins: int) -> str:
    low, high = span
    if high <= low:
        return "0"
    if logarithmic:
        share = f"ln({name} / {low!r}) / ln({high!r} / {low!r})"
    else:
        share = f"({name} - {low!r}) / ({high!r} - {low!r})"
    return f"least(CAST(floor({share} * {bins}) AS INTEGER), {bins - 1})"
