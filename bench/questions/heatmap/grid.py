"""Cells of a grid laid over the points, by SQL: each cell's best ranked point, and the points behind it.

A cell's value is its best ranked point's, by the metric's direction in the catalogue: whatever its layout, at its best
load. Which points are ranked is `bench.basis.evidence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue
from bench.basis import evidence, points
from bench.basis.evidence import USED, Ranking, Reason
from bench.basis.points import Facts
from bench.chart import title
from bench.errors import UsageError
from bench.library import Library
from bench.library.standing import OLDER
from bench.questions.heatmap.result import Cell, State
from bench.selection import Clause, clause
from bench.view import FILTER_BY_KEY, View
from bench.wording import inline, lowered

AXES = ("isl", "osl", "concurrency", "batch", "request_rate", "accelerators", "tp")
"""The columns a grid can have as axes."""

MOST_VALUES = 40
"""An axis with more values than this is cut into doublings."""

MOST_POINTS_BEHIND = 10_000
KIND = "coalesce(load_kind, 'unknown')"
LIKE_LOADS = ("load_kind", "concurrency", "request_rate", "batch")
"""What two sides of a ratio have in common where they are at one load."""

WITHOUT_VALUE: tuple[tuple[str, State], ...] = (
    ("beyond_limit", "beyond the limit"), ("unknown_limit", "beyond the limit"), (OLDER, "older run"),
    ("flagged", "flagged"), ("failed", "failed"),
)  # fmt: skip
"""What a cell without a value is, by why its points are not used; else they lack the metric."""

KIND_WORDS = {"saturated": "saturating load", "batch": "static batches", "scenario": "scenarios",
              "unknown": "a load that is not stated"}  # fmt: skip


@dataclass(frozen=True)
class Grid:
    """What is laid over the points: two columns as axes, one for the panels (None: one panel) and a metric.

    `level` keeps one load (column, number), None the best; `sides` are the two Views a ratio compares. `kind` is the
    load kind it is of, None where the reader asked for several; `doublings` are the axes cut into doublings.
    """

    x: str
    y: str
    panel: str | None
    metric: str
    level: tuple[str, float] | None = None
    sides: tuple[View, View] | None = None
    kind: str | None = None
    doublings: tuple[str, ...] = ()

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return catalogue.metric(self.metric).direction == "lower"

    @property
    def best(self) -> str:
        """The aggregate that finds the best value."""
        return "min" if self.lower else "max"


def laid(library: Library, ranking: Ranking, grid: Grid) -> Grid:
    """The grid with the load kind that most of its ranked points are of, and the axes that are cut into doublings."""
    condition = _level(evidence.ranked(library, ranking), grid)
    kind = "NULL" if len(ranking.view.values("load_kind")) > 1 else KIND
    found = library.fetch(
        f"SELECT {kind} AS kind, count(DISTINCT {grid.x}), count(DISTINCT {grid.y}) FROM points WHERE {condition.sql}"
        f" AND {grid.x} IS NOT NULL AND {grid.y} IS NOT NULL GROUP BY 1"
        f" ORDER BY count({value_sql(library, grid.metric)}) DESC, count(*) DESC, 1 LIMIT 1",
        condition.params,
    )
    if not found:
        return grid
    chosen, *counts = found[0]
    cut = (axis for axis, many in zip((grid.x, grid.y), counts, strict=True) if many > MOST_VALUES)
    return Grid(grid.x, grid.y, grid.panel, grid.metric, grid.level, grid.sides, chosen, tuple(sorted(cut)))


def reasons(library: Library, grid: Grid) -> tuple[Reason, ...]:
    """Why a ranked point is in no cell of the grid, or gives it no value."""
    axes = " or ".join(lowered(title(axis).split(" (")[0]) for axis in (grid.x, grid.y))
    told = [Reason("no_axis", f"without {axes}", f"{grid.x} IS NULL OR {grid.y} IS NULL")]
    if grid.kind is not None:
        told.append(Reason("other_kind", "under other kinds of load", f"{KIND} <> ?", (grid.kind,)))
    failed = "coalesce(requests_failed > 0, FALSE)" if library.has("requests_failed") else "FALSE"
    absent, named = f"{value_sql(library, grid.metric)} IS NULL", inline(catalogue.metric(grid.metric))
    return (
        *told,
        Reason(
            "failed", "that failed", f"{absent} AND ({failed} OR coalesce(flags NOT IN ('', '[]'), FALSE))"
        ),
        Reason("no_metric", f"without {named}", absent),
    )


def cells(library: Library, ranking: Ranking, grid: Grid) -> list[Cell]:
    """Every cell some selected point lies in, by panel, y and x; in a ratio each side's in one."""
    told = (
        *evidence.reasons(library, ranking),
        *reasons(library, grid),
        *evidence.limit_reasons(library, ranking),
    )
    code, chosen, side = evidence.standing(told), _chosen(ranking.view, grid), _side(grid)
    value = value_sql(library, grid.metric)
    counted = [dict.fromkeys(name for name, _ in WITHOUT_VALUE)]
    columns = ", ".join(f"count(*) FILTER (code = '{name}')" for name in counted[0])
    rows = library.fetch(
        f"WITH seen AS (SELECT {side.sql} AS side, {grid.panel or 'NULL'} AS panel, {_place(grid.x, grid)} AS x,"
        f" {_place(grid.y, grid)} AS y, {value} AS value, point_id, {code.sql} AS code"
        f" FROM points WHERE {chosen.sql})"
        f" SELECT side, panel, x, y, {grid.best}({{'value': value, 'point_id': point_id}}) FILTER (code = '{USED}'),"
        f" count(*), {columns} FROM seen WHERE side IS NOT NULL GROUP BY side, panel, x, y"
        " ORDER BY panel NULLS LAST, y, x, side",
        (*side.params, *code.params, *chosen.params),
    )
    facts = points.named(library, [row[4]["point_id"] for row in rows if row[4]])
    sources = _passports(library, grid.metric)
    found = [(row[0], _cell(row[1:], facts, sources)) for row in rows]
    return _divided(found) if grid.sides else [cell for _, cell in found]


def behind(library: Library, ranking: Ranking, grid: Grid, cell: str) -> pd.DataFrame:
    """The points in a cell (its id as `cell_id` writes it), best first; UsageError for what is no cell id."""
    panel, x, y = place_of(cell)
    chosen = _chosen(ranking.view, grid)
    chosen = chosen.also(f"{_place(grid.x, grid)} = ?", x).also(f"{_place(grid.y, grid)} = ?", y)
    if grid.kind is not None:
        chosen = chosen.also(f"{KIND} = ?", grid.kind)
    if grid.panel:
        chosen = _in_panel(chosen, grid.panel, panel)
    if grid.sides:
        side = _side(grid)
        chosen = Clause(f"{chosen.sql} AND ({side.sql}) IS NOT NULL", (*chosen.params, *side.params))
    code = evidence.standing((*evidence.reasons(library, ranking), *evidence.limit_reasons(library, ranking)))
    return library.query(
        f"SELECT {value_sql(library, grid.metric)} AS {grid.metric}, {points.SQL}, {code.sql} AS standing FROM points"
        f" WHERE {chosen.sql} ORDER BY standing <> '{USED}', 1 {'ASC' if grid.lower else 'DESC'} NULLS LAST, point_id"
        f" LIMIT {MOST_POINTS_BEHIND}",
        (*code.params, *chosen.params),
    )


def other_kinds(library: Library, ranking: Ranking, grid: Grid) -> tuple[tuple[Facts, float], ...]:
    """The best ranked point under each kind of load that the grid is not of, with its value, the best first."""
    if grid.kind is None:
        return ()
    condition = _level(evidence.ranked(library, ranking), grid)
    value, best = value_sql(library, grid.metric), grid.best
    found = library.fetch(
        f"SELECT {best}({{'value': {value}, 'point_id': point_id}}) AS best FROM points WHERE {condition.sql}"
        f" AND {KIND} <> ? AND {value} IS NOT NULL GROUP BY {KIND}"
        f" ORDER BY {best}({value}) {'' if grid.lower else 'DESC'}",
        (*condition.params, grid.kind),
    )
    facts = points.named(library, [best["point_id"] for (best,) in found])
    return tuple((facts[best["point_id"]], float(best["value"])) for (best,) in found)


def value_sql(library: Library, metric: str) -> str:
    """The DuckDB expression of a point's value; NULL where it is absent or not finite."""
    return (
        f"CASE WHEN isfinite({metric}) THEN {metric} END" if library.has(metric) else "CAST(NULL AS DOUBLE)"
    )


def cell_id(panel: Any, x: float, y: float) -> str:
    """A cell's name in a selection: panel, x and y, "8|1000|1000"; a panel that is not stated is empty."""
    written = "" if panel is None else str(panel).lower() if isinstance(panel, bool) else panel
    return f"{written}|{x:.17g}|{y:.17g}"


def place_of(cell: str) -> tuple[str, float, float]:
    """The panel, empty where it is not stated, and the x and y that a cell's id names; UsageError for what is none."""
    parts = cell.rsplit("|", 2)
    if len(parts) != 3:
        raise UsageError(f"{cell[:40]!r} is no cell; a cell is written panel|x|y, as in 8|1000|1000.")
    return parts[0], _number(parts[1]), _number(parts[2])


def _cell(row: Sequence[Any], facts: dict[str, Facts], sources: dict[str, str]) -> Cell:
    panel, x, y, best, many, *counts = row
    panel, x, y = (_whole(part) for part in (panel, x, y))
    here = facts.get(best["point_id"]) if best else None
    state: State = "measured" if here else next(
        (word for (_, word), count in zip(WITHOUT_VALUE, counts, strict=True) if count), "no metric"
    )  # fmt: skip
    value = _whole(best["value"]) if here else None
    passport = sources.get(here.source_id or "") if here else None
    return Cell(cell_id(panel, x, y), panel, x, y, state, many, value, here, passport)


def _divided(found: Sequence[tuple[str, Cell]]) -> list[Cell]:
    """Both sides' cells of a place in one, with their ratio."""
    places: dict[str, dict[str, Cell]] = {}
    for side, cell in found:
        places.setdefault(cell.place, {})[side] = cell
    return [_ratio(own.get("a"), own.get("b")) for own in places.values()]


def _ratio(a: Cell | None, b: Cell | None) -> Cell:
    here = a or b
    assert here is not None
    one, other = a.value if a else None, b.value if b else None
    best, best_b = a.best if a else None, b.best if b else None
    value = one / other if one is not None and other else None
    states: tuple[State, ...] = ("only a", "only b")
    state = (
        "measured"
        if value is not None
        else states[one is None]
        if (one is None) != (other is None)
        else here.state
    )
    alike = best is None or best_b is None or all(getattr(best, k) == getattr(best_b, k) for k in LIKE_LOADS)
    many = sum(cell.points for cell in (a, b) if cell)
    where = (here.place, here.panel, here.x, here.y)
    return Cell(*where, state, many, value, best, None, one, other, best_b, alike)


def _passports(library: Library, metric: str) -> dict[str, str]:
    """For each source how the metric came to be in it: definition and format."""
    keys = [key for key in (metric, *catalogue.metric(metric).inputs) if catalogue.is_metric(key)]
    return dict(
        library.fetch(
            "SELECT source_id, string_agg(DISTINCT concat(definition, ' (', concat_ws(' ', format, tool_version), ')'),"
            " '; ') FROM passports WHERE metric IN (SELECT unnest(?::VARCHAR[])) GROUP BY source_id",
            (keys,),
        )
    )


def _chosen(view: View, grid: Grid) -> Clause:
    """The points that lie in a cell, ranked or not."""
    chosen = _level(clause(view), grid).also(f"{grid.x} IS NOT NULL").also(f"{grid.y} IS NOT NULL")
    return chosen if grid.kind is None else chosen.also(f"{KIND} = ?", grid.kind)


def _level(condition: Clause, grid: Grid) -> Clause:
    return condition.also(f"{grid.level[0]} = ?", grid.level[1]) if grid.level else condition


def _side(grid: Grid) -> Clause:
    if grid.sides is None:
        return Clause("''", ())
    a, b = (clause(side) for side in grid.sides)
    return Clause(f"CASE WHEN {a.sql} THEN 'a' WHEN {b.sql} THEN 'b' END", (*a.params, *b.params))


def _place(axis: str, grid: Grid) -> str:
    if axis not in grid.doublings:
        return axis
    return f"CASE WHEN {axis} > 0 THEN pow(2, floor(log2({axis}))) ELSE {axis} END"


def _in_panel(chosen: Clause, column: str, panel: str) -> Clause:
    if FILTER_BY_KEY[column].kind != "number":
        return chosen.also(f"coalesce(CAST({column} AS VARCHAR), '') = ?", panel)
    return chosen.also(f"{column} = ?", _number(panel)) if panel else chosen.also(f"{column} IS NULL")


def _whole(value: Any) -> Any:
    """A whole number without a fraction."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{text[:40]!r} is no number, so it names no cell; write panel|x|y, as in 8|1000|1000."
        ) from None
