"""The cells of a complete View, in one pass of SQL: each cell's best ranked point, and what became of the others.

A cell's value is its best ranked point's, by the metric's direction in the catalogue: whatever its layout, at its best
load. Which points are ranked is `bench.basis.evidence`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from bench import catalogue
from bench.basis import evidence, likeness, points
from bench.basis.evidence import USED, PointTally, Ranking, Reason
from bench.basis.points import PointFacts
from bench.basis.wording import column_words
from bench.errors import UsageError
from bench.library import Library
from bench.questions.heatmap.result import STATES, Cell, Heatmap, Ratio, compared
from bench.records import LOAD_AXES
from bench.selection import Clause, clause, written
from bench.view import FILTER_BY_KEY, View
from bench.wording import inline

AXES = ("isl", "osl", "concurrency", "batch", "request_rate", "accelerators", "tp")
"""The columns a grid can have as axes."""

MOST_VALUES, SPARSE_VALUES, SPARSE = 40, 16, 0.1
"""An axis with more values is cut into doublings, one of loads with fewer where as few cells hold a point."""

MOST_POINTS_BEHIND = 10_000
NONE = "none"
SIDES = ("ratio_a", "ratio_b")
LIKE_LOADS = ("load_kind", *LOAD_AXES)
"""What two sides of a ratio have in common where they are at one load."""

TOLD_APART = (*likeness.DEPLOYED, "accelerator", "chips", "load_kind")
"""What a ratio cannot be told apart from where it differs in every cell too."""

NO_AXIS, OTHER_KIND = "no_axis", "other_kind"
IN_A_CELL = (USED, "failed", "no_metric", "beyond_limit", "unknown_limit")
"""The codes of points that would be in the grid if it were of their kind of load."""


@dataclass(frozen=True)
class Grid:
    """What is laid over the points: two columns as axes, one for the panels (None: one panel) and a metric.

    `level` keeps one load (column, number), None the best; `sides` are the two values that a ratio by the field `by`
    compares.
    """

    x: str
    y: str
    panel: str | None
    metric: str
    level: tuple[str, float] | None
    by: str
    sides: tuple[str, ...]

    @classmethod
    def of(cls, whole: View) -> Grid:
        """The grid a complete View asks for."""
        x, y, panel, metric, load, by = map(whole.option, ("x", "y", "panel", "metric", "load", "ratio_by"))
        sides = () if by == NONE else (whole.option("ratio_a"), whole.option("ratio_b"))
        return cls(x, y, None if panel == NONE else panel, metric, level(load), by, sides)

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return catalogue.metric(self.metric).direction == "lower"

    @property
    def side(self) -> Clause:
        """The DuckDB expression of the side of the ratio that a point is on, NULL for neither; '' without a ratio."""
        if not self.sides:
            return Clause("''", ())
        a, b = (clause(View.of({self.by: [side]})) for side in self.sides)
        return Clause(f"CASE WHEN {a.sql} THEN 'a' WHEN {b.sql} THEN 'b' END", (*a.params, *b.params))

    def chosen(self, view: View) -> Clause:
        """The points that a View selects at the load that is kept."""
        selected = clause(view)
        return selected.also(f"{self.level[0]} = ?", self.level[1]) if self.level else selected


class GridRow(NamedTuple):
    """The points of one kind of load on one side at one place: the best one ranked, and how many of each code.

    `x` and `y` are doublings where there are too many for an axis.
    """

    kind: str | None
    wide_x: bool | None
    wide_y: bool | None
    side: str | None
    panel: Any
    x: Any
    y: Any
    value: float | None
    point_id: str | None
    codes: Counter[str]


def laid(library: Library, ranking: Ranking, *, named: bool = True) -> Heatmap:
    """The grid of a complete View over what a ranking selects, of the kind of load with the most values.

    In a ratio it is of the kind that most cells with both sides are of. Of best points that are not `named` only the
    ids are known.
    """
    whole = ranking.view
    grid = Grid.of(whole)
    reasons, rows = _counted(library, ranking, grid)
    kind = _kind(rows, is_ratio=bool(grid.sides), by_model=grid.panel == "model")
    placed = [row for row in rows if row.kind == kind and None not in (row.x, row.y, row.side)]
    others = [row for row in rows if row.kind != kind and row.point_id]
    other = (min if grid.lower else max)(others, key=lambda row: row.value or 0.0, default=None)
    tally: Counter[str] = Counter()
    for row in rows:
        for code, many in row.codes.items():
            tally[OTHER_KIND if row.kind != kind and code in IN_A_CELL else code] += many
    ids = [row.point_id for row in (*placed, *([other] if other else [])) if row.point_id]
    facts = points.named(library, ids) if named else {one: PointFacts(one) for one in ids}
    cells = _cells(placed, facts, _passports(library, grid.metric) if named else {})
    wide = placed[0][1:3] if placed else (False, False)
    return Heatmap(
        x=grid.x,
        y=grid.y,
        panel=grid.panel,
        metric=grid.metric,
        level=whole.option("load"),
        scale=whole.option("scale"),
        load_kind=kind,
        doublings=tuple(axis for axis, is_wide in zip((grid.x, grid.y), wide, strict=True) if is_wide),
        cells=cells,
        ratio=_ratio(grid, cells) if grid.sides else None,
        tally=PointTally(dict(tally), reasons),
        other_kind=(facts[other.point_id or ""], other.value or 0.0) if other else None,
    )


def behind(library: Library, ranking: Ranking, cell: str) -> pd.DataFrame:
    """The points in a cell (its id as `cell_id` writes it), best first; UsageError for what is no cell id."""
    panel, x, y = place_of(cell)
    grid, heatmap = Grid.of(ranking.view), laid(library, ranking, named=False)
    chosen, side = grid.chosen(ranking.view), grid.side
    for axis, value in ((grid.x, x), (grid.y, y)):
        chosen = chosen.also(f"{_doubled(axis) if axis in heatmap.doublings else axis} = ?", value)
    if heatmap.load_kind is not None:
        chosen = chosen.also(f"{points.LOAD_KIND} = ?", heatmap.load_kind)
    if grid.panel:
        kind = "DOUBLE" if FILTER_BY_KEY[grid.panel].kind == "number" else "VARCHAR"
        same = f"CAST({grid.panel} AS {kind}) IS NOT DISTINCT FROM TRY_CAST(nullif(?, '') AS {kind})"
        chosen = chosen.also(same, panel)
    chosen = chosen.also(f"({side.sql}) IS NOT NULL", *side.params)
    code = evidence.standing((*evidence.reasons(library, ranking), *evidence.limit_reasons(library, ranking)))
    return library.query(
        f"FROM (SELECT {value_sql(library, grid.metric)} AS {grid.metric}, {points.SQL}, {code.sql} AS standing"
        f" FROM points WHERE {chosen.sql}) ORDER BY standing <> '{USED}',"
        f" 1 {'ASC' if grid.lower else 'DESC'} NULLS LAST, point_id LIMIT {MOST_POINTS_BEHIND}",
        (*code.params, *chosen.params),
    )


def value_sql(library: Library, metric: str) -> str:
    """The DuckDB expression of a point's value; NULL where it is absent or not finite."""
    return f"CASE WHEN isfinite({metric}) THEN {metric} END" if library.has(metric) else "CAST(NULL AS REAL)"


def fact_of(column: str) -> str:
    """The key among the basis's facts of a column that a ratio divides, or an axis is."""
    return next((fact.key for fact in likeness.FACTS if fact.columns == (column,)), column)


def level(load: str) -> tuple[str, float] | None:
    """The one load that a View keeps, None for the best; UsageError for what is neither."""
    match = re.fullmatch(rf"({'|'.join(LOAD_AXES)})=(\d+(?:\.\d+)?)", load)
    if match is None and load != "best":
        raise UsageError(f"Load {load[:40]!r} is neither best nor a level, as in load=concurrency=64.")
    return (match[1], float(match[2])) if match else None


def cell_id(panel: Any, x: float, y: float) -> str:
    """A cell's name in a selection: panel, x and y, "8|1000|1000"; a panel that is not stated is empty."""
    name = "" if panel is None else str(panel).lower() if isinstance(panel, bool) else written(panel)
    return f"{name}|{x:.17g}|{y:.17g}"


def place_of(cell: str) -> tuple[str, float, float]:
    """The panel, empty where it is not stated, and the x and y that a cell's id names; UsageError for what is none."""
    try:
        panel, x, y = cell.rsplit("|", 2)
        return panel, float(x), float(y)
    except ValueError:
        raise UsageError(f"{cell[:40]!r} is no cell; a cell is written panel|x|y, as in 8|1000|1000.") from None


def _counted(library: Library, ranking: Ranking, grid: Grid) -> tuple[tuple[Reason, ...], list[GridRow]]:
    """Why points are not used, and all that are selected, in one pass."""
    reasons, chosen, side = _reasons(library, ranking, grid), grid.chosen(ranking.view), grid.side
    code, pick = evidence.standing(reasons), "min" if grid.lower else "max"
    kind = "NULL" if len(ranking.view.values("load_kind")) > 1 else points.LOAD_KIND
    best, few = "{'value': value, 'point_id': point_id}", (MOST_VALUES, SPARSE_VALUES)
    best = f"{pick}({best}) FILTER (code IN ('{USED}', '{NO_AXIS}')) AS best"
    codes = (USED, *(one.code for one in reasons))
    counts = ", ".join(f"CAST(sum(many) FILTER (code = '{one}') AS BIGINT)" for one in codes)
    rows = library.fetch(
        f"WITH seen AS (SELECT {kind} AS kind, {side.sql} AS side, {grid.panel or 'NULL'} AS panel, {grid.x} AS x,"
        f" {grid.y} AS y, {code.sql} AS code, {value_sql(library, grid.metric)} AS value, point_id"
        f" FROM points WHERE {chosen.sql}), places AS MATERIALIZED (SELECT kind, side, panel, x, y, code,"
        f" count(*) AS many, {best} FROM seen GROUP BY ALL), wide AS (SELECT kind AS whose,"
        " count(DISTINCT x) AS nx, count(DISTINCT y) AS ny, greatest(count(DISTINCT panel), 1) AS panels,"
        f" count(DISTINCT (panel, x, y)) < {SPARSE} * nx * ny * panels AS sparse,"
        f" nx > if(sparse, {few[grid.x in LOAD_AXES]}, {MOST_VALUES}) AS wide_x,"
        f" ny > if(sparse, {few[grid.y in LOAD_AXES]}, {MOST_VALUES}) AS wide_y"
        " FROM places WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY kind)"
        f" SELECT kind, wide_x, wide_y, side, panel, CASE WHEN wide_x THEN {_doubled('x')} ELSE x END AS across,"
        f" CASE WHEN wide_y THEN {_doubled('y')} ELSE y END AS up, {pick}(best)['value'], {pick}(best)['point_id'],"
        f" {counts}"
        " FROM places LEFT JOIN wide ON kind IS NOT DISTINCT FROM whose GROUP BY ALL"
        " ORDER BY panel NULLS LAST, up, across, side, kind",
        (*side.params, *code.params, *chosen.params),
    )
    counted = (Counter({code: many for code, many in zip(codes, row[9:], strict=True) if many}) for row in rows)
    return reasons, [GridRow._make((*row[:9], many)) for row, many in zip(rows, counted, strict=True)]


def _reasons(library: Library, ranking: Ranking, grid: Grid) -> tuple[Reason, ...]:
    """Why a selected point gives no cell of the grid a value; that it lies in none comes after the others."""
    failed = "coalesce(requests_failed > 0, FALSE)" if library.has("requests_failed") else "FALSE"
    absent, side = f"{value_sql(library, grid.metric)} IS NULL", grid.side
    failed = f"{absent} AND ({failed} OR coalesce(flags NOT IN ('', '[]'), FALSE))"
    sideless = Reason("no_side", "of neither side", f"({side.sql}) IS NULL", side.params)
    off = f"{grid.x} IS NULL OR {grid.y} IS NULL"
    return (
        *evidence.reasons(library, ranking),
        *([sideless] if grid.sides else ()),
        Reason("failed", "that failed", failed),
        Reason("no_metric", f"without {inline(catalogue.metric(grid.metric))}", absent),
        *evidence.limit_reasons(library, ranking),
        Reason(NO_AXIS, f"without {column_words(grid.x)} or {column_words(grid.y)}", off),
        Reason(OTHER_KIND, "under other kinds of load", "FALSE"),  # known once all are counted
    )


def _kind(rows: Sequence[GridRow], *, is_ratio: bool, by_model: bool) -> str | None:
    """The kind of load that most values are of, in a ratio that with most cells of both sides, else of most models."""
    ranked: Counter[str | None] = Counter()
    used: Counter[str | None] = Counter()
    places: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        ranked[row.kind] += sum(row.codes[code] for code in IN_A_CELL)
        used[row.kind] += row.codes[USED]
        places[row.kind, row.panel, row.x, row.y] += is_ratio and row.codes[USED] > 0
    shared = Counter(where[0] for where, sides in places.items() if sides > 1)
    models = Counter(kind for kind, _ in {(row.kind, row.panel) for row in rows if by_model and row.codes[USED]})
    kinds = sorted(ranked, key=str)
    return max(kinds, key=lambda kind: (shared[kind], models[kind], used[kind], ranked[kind]), default=None)


def _cells(
    placed: Iterable[GridRow], facts: Mapping[str, PointFacts], passports: Mapping[str, str]
) -> tuple[Cell, ...]:
    """Every cell some selected point lies in, by panel, y and x; in a ratio each side's in one."""
    by_place: dict[tuple[Any, float, float], dict[str | None, GridRow]] = {}
    for row in placed:
        by_place.setdefault((row.panel, row.x, row.y), {})[row.side] = row
    cells = []
    for (panel, x, y), sides in by_place.items():
        first = next(iter(sides.values()))
        state = next((state for code, (state, *_) in STATES.items() if first.codes[code]), "no metric")
        many = sum(row.codes.total() for row in sides.values())
        values = {side: row.value for side, row in sides.items() if row.point_id}
        bests = {side: facts[row.point_id] for side, row in sides.items() if row.point_id}
        cell = Cell(cell_id(panel, x, y), panel, x, y, state, many)
        if best := bests.get(""):
            cell = replace(
                cell, state="measured", value=values[""], best=best, passport=passports.get(best.source_id or "")
            )
        elif bests:
            cell = _divided(cell, values.get("a"), values.get("b") or None, bests.get("a"), bests.get("b"))
        cells.append(cell)
    return tuple(cells)


def _divided(cell: Cell, a: float | None, b: float | None, best: PointFacts | None, other: PointFacts | None) -> Cell:
    """A cell with the values of both sides, their best points and their ratio, where it has both; none divides by 0."""
    alike = not (best and other) or all(getattr(best, key) == getattr(other, key) for key in LIKE_LOADS)
    cell = replace(cell, best=best, best_b=other, a=a, b=b, alike=alike)
    if a is not None and b is not None:
        return replace(cell, state="measured", value=a / b)
    return replace(cell, state="only a" if best else "only b")


def _ratio(grid: Grid, cells: Sequence[Cell]) -> Ratio:
    """The two sides in words, and what else differs in every compared cell."""
    pairs = [(cell.best, cell.best_b) for cell in compared(cells) if cell.best and cell.best_b]
    a, b = (likeness.filter_words(grid.by, side) for side in grid.sides)
    unlike = likeness.everywhere(pairs, [key for key in TOLD_APART if key != fact_of(grid.by)])
    return Ratio(grid.by, a, b, tuple(one for one in unlike if one.a and one.b))


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


def _doubled(column: str) -> str:
    return f"CASE WHEN {column} > 0 THEN pow(2, floor(log2({column}))) ELSE {column} END"
