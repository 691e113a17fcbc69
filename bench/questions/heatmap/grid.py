"""Cells of a grid laid over the points, by SQL: what a selection leaves out, each cell's best run, the points behind.

A run is what differs only in `repeat`: one series at one load. Its value is the median of its repeats; a cell's value
is the best run in it, by the metric's direction in the catalogue.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue
from bench.errors import UsageError
from bench.library import Library
from bench.maths.grid import Better
from bench.selection import Clause, clause, ordinary
from bench.view import FILTER_BY_KEY, View

AXES = ("isl", "osl", "concurrency", "batch", "request_rate", "accelerators", "tp")
"""The columns a grid can have as axes."""

MOST_VALUES = 40
"""An axis with more values than this is cut into doublings."""

MOST_POINTS_BEHIND = 10_000

DESCRIBED = (
    "source_id", "model", "precision", "accelerator", "accelerators", "tp", "pp", "dp", "ep", "engine",
    "engine_version", "speculation", "variant", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch",
    "scenario", "evidence", "source", "date", "flags", "source_url",
)  # fmt: skip
"""The columns that say what won a cell."""

MIXABLE = (
    "model",
    "accelerator",
    "accelerators",
    "precision",
    "engine",
    "engine_version",
    "speculation",
    "isl",
    "osl",
)
"""Columns a selection had better agree on where neither axis nor panel tells them apart."""

KIND = "coalesce(load_kind, 'unknown')"
RUN = ("series_id", "load_kind", "concurrency", "request_rate", "batch", "scenario")


@dataclass(frozen=True)
class Grid:
    """What is laid over the points: two columns as axes, one for the panels (None: one panel) and a metric.

    `level` keeps one load (column, number), None the best; `sides` are the two Views a ratio compares.
    """

    x: str
    y: str
    panel: str | None
    metric: str
    level: tuple[str, float] | None = None
    sides: tuple[View, View] | None = None

    @property
    def better(self) -> Better:
        """The direction a best value is chosen by: "lower" for a metric where less is better, else "higher"."""
        return "lower" if catalogue.metric(self.metric).direction == "lower" else "higher"


@dataclass(frozen=True)
class Census:
    """What a selection holds for a grid. The counts of points add up to all that is selected.

    `kind` is the load kind the grid is of (None: several, as asked); `coarse` are the axes cut into doublings;
    `mixed` names columns with several values among the points used; `other_bests` describe the best point under each
    of the other load kinds, on the grid or not, by its `value` and the columns of DESCRIBED.
    """

    kind: str | None
    used: int
    no_metric: int
    unplaced: int
    other_kinds: Mapping[str, int]
    other_evidence: int
    coarse: frozenset[str]
    mixed: Mapping[str, list[Any]]
    dates: tuple[datetime.date | None, datetime.date | None]
    other_bests: tuple[Mapping[str, Any], ...] = ()

    @property
    def selected(self) -> int:
        """All points the View selects."""
        left_out = self.no_metric + self.unplaced + self.other_evidence + sum(self.other_kinds.values())
        return self.used + left_out


def census(library: Library, view: View, grid: Grid) -> Census:
    """What the View selects, counted for this grid; the load kind with the most values is the grid's."""
    selected = _selected(view, grid, evidence=False)
    evidence = clause(View.of({"evidence": ordinary(view).values("evidence")}))
    best = "min" if grid.better == "lower" else "max"
    asked_kinds = len(view.values("load_kind")) > 1
    mixable = [column for column in MIXABLE if column not in (grid.x, grid.y, grid.panel)]
    lists = "".join(f", list(DISTINCT {column}) FILTER (used) AS {column}" for column in mixable)
    found = library.query(
        f"""WITH seen AS (
          SELECT *, coalesce({evidence.sql}, false) AS ordinary,
            {grid.x} IS NOT NULL AND {grid.y} IS NOT NULL AS placed, {_value(library, grid)} IS NOT NULL AS filled,
            ordinary AND placed AND filled AS used
          FROM points WHERE {selected.sql})
        SELECT {"NULL" if asked_kinds else KIND} AS kind, count(*) FILTER (NOT ordinary) AS other_evidence,
          count(*) FILTER (ordinary AND NOT placed) AS unplaced, count(*) FILTER (ordinary AND placed) AS placed,
          count(*) FILTER (used) AS used, min(date) FILTER (used) AS first, max(date) FILTER (used) AS last,
          count(DISTINCT {grid.x}) FILTER (ordinary AND placed) AS x_values,
          count(DISTINCT {grid.y}) FILTER (ordinary AND placed) AS y_values,
          {best}({{'value': {_value(library, grid)}, 'point_id': point_id}}) FILTER (ordinary AND filled) AS best{lists}
        FROM seen GROUP BY 1 ORDER BY used DESC, placed DESC, kind""",
        (*evidence.params, *selected.params),
    ).to_dict("records")
    if not found:
        return Census(None, 0, 0, 0, {}, 0, frozenset(), {}, (None, None))
    chosen, *others = found
    values = {grid.x: chosen["x_values"], grid.y: chosen["y_values"]}
    mixed = {column: _listed(chosen[column]) for column in mixable}
    return Census(
        kind=chosen["kind"],
        used=chosen["used"],
        no_metric=chosen["placed"] - chosen["used"],
        unplaced=chosen["unplaced"],
        other_kinds={
            row["kind"]: row["placed"] + row["unplaced"] for row in others if row["placed"] + row["unplaced"]
        },
        other_evidence=sum(row["other_evidence"] for row in found),
        coarse=frozenset(axis for axis, count in values.items() if count > MOST_VALUES),
        mixed={column: several for column, several in mixed.items() if len(several) > 1},
        dates=(_day(chosen["first"]), _day(chosen["last"])),
        other_bests=_named(library, [row["best"] for row in others if isinstance(row["best"], dict)]),
    )


def _named(library: Library, bests: list[dict[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """These points (`value` and `point_id`) with the columns of DESCRIBED, in the same order."""
    found = library.query(
        f"SELECT point_id, {', '.join(DESCRIBED)} FROM points WHERE point_id IN (SELECT unnest(?::VARCHAR[]))",
        ([best["point_id"] for best in bests],),
    )
    known = {row["point_id"]: row for row in records(found)}
    return tuple({**known[best["point_id"]], "value": plain(best["value"])} for best in bests)


def cells(library: Library, view: View, grid: Grid, count: Census) -> pd.DataFrame:
    """One row for each cell (and side) some point lies in.

    Columns: side ("a", "b", or empty), panel, x, y, value (None: no point has the metric), repeats (of the best run),
    points, measured and failed points, point_id of the best run and the columns of DESCRIBED about it.
    """
    chosen = _chosen(view, grid, count)
    found = _bests(library, grid, count, chosen, by_run=False)
    around = _around(library, chosen, found["series_id"])
    if _are_repeated(found["point_id"], around):
        found = _bests(library, grid, count, chosen, by_run=True)
        around = _around(library, chosen, found["series_id"])
    around["passport"] = _passports(library, around["source_id"], grid.metric)
    return found.drop(columns="series_id").merge(around.drop(columns="series_id"), on="point_id", how="left")


def _bests(library: Library, grid: Grid, count: Census, chosen: Clause, *, by_run: bool) -> pd.DataFrame:
    """Each cell's counts and its best point, or with `by_run` its best median of a run.

    No run's median is better than its best point. So where the best points have no repeats they are the best runs
    too, and grouping a million points by run, which takes five times as long, is not needed.
    """
    side, best = _side(grid), "min" if grid.better == "lower" else "max"
    failed = "coalesce(requests_failed > 0, false)" if library.has("requests_failed") else "false"
    run = ", ".join(RUN)
    runs = (
        "SELECT *, value IS NOT NULL AS repeats, 1 AS points, failing AND value IS NULL AS failed FROM chosen"
    )
    if by_run:
        runs = f"""SELECT side, panel, x, y, {run}, median(value) AS value, count(value) AS repeats, count(*) AS points,
            count(*) FILTER (failing AND value IS NULL) AS failed,
            min(point_id) FILTER (value IS NOT NULL) AS point_id FROM chosen GROUP BY side, panel, x, y, {run}"""
    return library.query(
        f"""WITH chosen AS (
          SELECT {side.sql} AS side, {grid.panel or "NULL"} AS panel, {_place(grid.x, count)} AS x,
            {_place(grid.y, count)} AS y, {_value(library, grid)} AS value, point_id,
            {failed} OR coalesce(flags NOT IN ('', '[]'), false) AS failing, {run}
          FROM points WHERE {chosen.sql}),
        runs AS ({runs}),
        bests AS (
          SELECT side, panel, x, y, {best}({{'value': value, 'point_id': point_id, 'series_id': series_id,
              'repeats': repeats::BIGINT}}) FILTER (value IS NOT NULL) AS best,
            sum(points)::BIGINT AS points, sum(repeats)::BIGINT AS measured, sum(failed)::BIGINT AS failed
          FROM runs WHERE side IS NOT NULL GROUP BY side, panel, x, y)
        SELECT side, panel, x, y, best.value AS value, best.repeats AS repeats, points, measured, failed,
          best.point_id AS point_id, best.series_id AS series_id
        FROM bests ORDER BY side, panel NULLS LAST, y, x""",
        (*side.params, *chosen.params),
    )


def _around(library: Library, chosen: Clause, series: pd.Series) -> pd.DataFrame:
    """The chosen points of these series, with the columns of DESCRIBED."""
    columns = dict.fromkeys(("point_id", *DESCRIBED, *RUN))
    return library.query(
        f"SELECT {', '.join(columns)} FROM points WHERE {chosen.sql} AND series_id IN (SELECT unnest(?::VARCHAR[]))",
        (*chosen.params, list(dict.fromkeys(series.dropna()))),
    )


def _are_repeated(winners: pd.Series, around: pd.DataFrame) -> bool:
    """Whether any of the winning points was measured more than once."""
    again = around.duplicated(list(RUN), keep=False)
    return bool(around.loc[again, "point_id"].isin(winners.dropna()).any())


def _passports(library: Library, sources: pd.Series, metric: str) -> list[str | None]:
    """For each source how the metric came to be in it: definition and format; None where nothing is stated."""
    keys = [key for key in (metric, *catalogue.metric(metric).inputs) if catalogue.is_metric(key)]
    found: dict[str, str] = dict(
        library.fetch(
            """SELECT source_id,
              string_agg(DISTINCT concat(definition, ' (', concat_ws(' ', format, tool_version), ')'), '; ')
            FROM passports WHERE metric IN (SELECT unnest(?::VARCHAR[])) GROUP BY source_id""",
            (keys,),
        )
    )
    return [found.get(source) for source in sources]


def behind(library: Library, view: View, grid: Grid, count: Census, cell: str) -> pd.DataFrame:
    """The points in a cell (its id as `cell_id` writes it), best first; UsageError for what is no cell id."""
    panel, x, y = place_of(cell)
    chosen = _chosen(view, grid, count)
    chosen = chosen.also(f"{_place(grid.x, count)} = ?", x).also(f"{_place(grid.y, count)} = ?", y)
    if grid.panel:
        chosen = _in_panel(chosen, grid.panel, panel)
    if grid.sides:
        side = _side(grid)
        chosen = Clause(f"{chosen.sql} AND ({side.sql}) IS NOT NULL", (*chosen.params, *side.params))
    value, order = _value(library, grid), "ASC" if grid.better == "lower" else "DESC"
    columns = ", ".join(("point_id", *DESCRIBED))
    return library.query(
        f"SELECT {value} AS {grid.metric}, {columns} FROM points WHERE {chosen.sql}"
        f" ORDER BY 1 {order} NULLS LAST, point_id LIMIT {MOST_POINTS_BEHIND}",
        chosen.params,
    )


def cell_id(panel: Any, x: float, y: float) -> str:
    """A cell's name in a selection: panel, x and y, "8|1000|1000"; a panel that is not stated is empty."""
    written = "" if panel is None else str(panel).lower() if isinstance(panel, bool) else panel
    return f"{written}|{x:.17g}|{y:.17g}"


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as JSON knows them."""
    return [{str(key): plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def plain(value: Any) -> Any:
    """A value of a frame as JSON knows it: None for an absent one, whole numbers without a fraction."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.isoformat()[:10] if isinstance(value, datetime.date) else value


def _listed(column: Any) -> list[Any]:
    """An SQL list as a Python list, without NULLs; NULL as none."""
    values = column.tolist() if hasattr(column, "tolist") else []
    return sorted(value for value in values if value is not None)


def _day(value: Any) -> datetime.date | None:
    return None if pd.isna(value) else value.date()


def _selected(view: View, grid: Grid, *, evidence: bool = True) -> Clause:
    selected = clause(ordinary(view) if evidence else view)
    return selected.also(f"{grid.level[0]} = ?", grid.level[1]) if grid.level else selected


def _chosen(view: View, grid: Grid, count: Census) -> Clause:
    chosen = _selected(view, grid).also(f"{grid.x} IS NOT NULL").also(f"{grid.y} IS NOT NULL")
    return chosen if count.kind is None else chosen.also(f"{KIND} = ?", count.kind)


def _side(grid: Grid) -> Clause:
    if grid.sides is None:
        return Clause("''", ())
    a, b = (clause(side) for side in grid.sides)
    return Clause(f"CASE WHEN {a.sql} THEN 'a' WHEN {b.sql} THEN 'b' END", (*a.params, *b.params))


def _value(library: Library, grid: Grid) -> str:
    if not library.has(grid.metric):
        return "CAST(NULL AS DOUBLE)"
    return f"CASE WHEN isfinite({grid.metric}) THEN {grid.metric} END"


def _place(axis: str, count: Census) -> str:
    if axis not in count.coarse:
        return axis
    return f"CASE WHEN {axis} > 0 THEN pow(2, floor(log2({axis}))) ELSE {axis} END"


def _in_panel(chosen: Clause, column: str, panel: str) -> Clause:
    if FILTER_BY_KEY[column].kind != "number":
        return chosen.also(f"coalesce(CAST({column} AS VARCHAR), '') = ?", panel)
    return chosen.also(f"{column} = ?", _number(panel)) if panel else chosen.also(f"{column} IS NULL")


def place_of(cell: str) -> tuple[str, float, float]:
    """The panel, empty where it is not stated, and the x and y that a cell's id names; UsageError for what is none."""
    parts = cell.rsplit("|", 2)
    if len(parts) != 3:
        raise UsageError(f"{cell[:40]!r} is no cell; a cell is written panel|x|y, as in 8|1000|1000.")
    return parts[0], _number(parts[1]), _number(parts[2])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{text[:40]!r} is no number, so it names no cell; write panel|x|y, as in 8|1000|1000."
        ) from None
