"""Cells of a grid laid over the points, in one pass of SQL: each cell's best ranked point, and what became of the rest.

A cell's value is its best ranked point's, by the metric's direction in the catalogue: whatever its layout, at its best
load. Which points are ranked is `bench.basis.evidence`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from bench import catalogue
from bench.basis import evidence, points
from bench.basis.evidence import USED, Ranking, Reason, Tally
from bench.basis.points import Facts
from bench.chart import title
from bench.errors import UsageError
from bench.library import Library
from bench.library.standing import OLDER
from bench.questions.heatmap.result import Cell, State
from bench.records import LOAD_AXES
from bench.selection import Clause, clause
from bench.view import FILTER_BY_KEY, View
from bench.wording import inline, lowered

AXES = ("isl", "osl", "concurrency", "batch", "request_rate", "accelerators", "tp")
"""The columns a grid can have as axes."""

MOST_VALUES = 40
"""An axis with more values than this is cut into doublings."""

MOST_POINTS_BEHIND = 10_000
NONE = "none"
KIND = "coalesce(load_kind, 'unknown')"
LIKE_LOADS = ("load_kind", *LOAD_AXES)
"""What two sides of a ratio have in common where they are at one load."""

STATES: Mapping[str, State] = {
    "beyond_limit": "beyond the limit", "unknown_limit": "limit unknown", "failed": "failed", "no_metric": "no metric",
    "flagged": "flagged", OLDER: "older run", "other_evidence": "not measured",
}  # fmt: skip
"""What a cell without a value is, by the first of these codes that a point in it has."""

NO_AXIS, OTHER_KIND = "no_axis", "other_kind"
IN_A_CELL = frozenset({USED, "failed", "no_metric", "beyond_limit", "unknown_limit"})
"""The codes of points that would be in the grid if it were of their kind of load."""


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

    @classmethod
    def of(cls, whole: View) -> Grid:
        """The grid a complete View asks for."""
        x, y, panel, metric, load, by = map(whole.option, ("x", "y", "panel", "metric", "load", "ratio_by"))
        sides = None
        if by != NONE:
            sides = View.of({by: [whole.option("ratio_a")]}), View.of({by: [whole.option("ratio_b")]})
        return cls(x, y, None if panel == NONE else panel, metric, level(load), sides)

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return catalogue.metric(self.metric).direction == "lower"

    @property
    def best(self) -> str:
        """The aggregate that finds the best value."""
        return "min" if self.lower else "max"

    @property
    def side(self) -> Clause:
        """The DuckDB expression of the side of the ratio that a point is on, NULL for neither; no ratio has one side."""
        if self.sides is None:
            return Clause("''", ())
        a, b = map(clause, self.sides)
        return Clause(f"CASE WHEN {a.sql} THEN 'a' WHEN {b.sql} THEN 'b' END", (*a.params, *b.params))


class Row(NamedTuple):
    """The points of one kind of load on one side at one place: the best one ranked, and how many of each code.

    `x` and `y` are doublings where there are too many for an axis.
    """

    kind: str | None
    wide_x: bool | None
    wide_y: bool | None
    side: str | None
    panel: Any
    x: float | None
    y: float | None
    best: dict[str, Any] | None
    codes: Counter[str]


@dataclass(frozen=True)
class Laid:
    """A grid over the points: the load kind it is of (None: several), its axes cut into doublings, and its cells.

    `sides` are the cells with the side of the ratio each is of, of whose best points only the ids are known. `others`
    are the best point and its value under each other kind of load, the best first.
    """

    kind: str | None
    doublings: tuple[str, ...]
    sides: list[tuple[str, Cell]]
    tally: Tally
    others: list[tuple[Facts, float]]


def laid(library: Library, ranking: Ranking, grid: Grid) -> Laid:
    """The grid over what a ranking selects, of the kind of load with the most values; in a ratio, the most shared."""
    reasons, rows = _counted(library, ranking, grid)
    kind = _kind(rows, is_ratio=grid.sides is not None)
    tally: Counter[str] = Counter()
    sides: list[tuple[str, Cell]] = []
    others: dict[str | None, dict[str, Any]] = {}
    wide: tuple[bool | None, bool | None] = None, None
    for row in rows:
        is_own = row.kind == kind
        for code, many in row.codes.items():
            tally[code if is_own or code not in IN_A_CELL else OTHER_KIND] += many
        if is_own and row.x is not None and row.y is not None and row.side is not None:
            sides.append((row.side, _cell(row)))
            wide = row.wide_x, row.wide_y
        elif not is_own and row.best:
            held = others.get(row.kind, row.best)
            others[row.kind] = (min if grid.lower else max)(held, row.best, key=lambda best: best["value"])
    ordered = sorted(others.values(), key=lambda best: best["value"], reverse=not grid.lower)
    cut = tuple(axis for axis, is_wide in zip((grid.x, grid.y), wide, strict=True) if is_wide)
    return Laid(kind, cut, sides, Tally(dict(tally), reasons),
                [(Facts(best["point_id"]), best["value"]) for best in ordered])  # fmt: skip


def named(library: Library, found: Laid, metric: str = "") -> Laid:
    """The same with the facts of the best points, and with a metric how it came to be in their sources."""
    facts = points.named(library, [one.point_id for _, cell in found.sides for one in cell.facts]
                         + [one.point_id for one, _ in found.others])  # fmt: skip
    passports = _passports(library, metric) if metric else {}
    sides = []
    for side, cell in found.sides:
        best = facts[cell.best.point_id] if cell.best else None
        passport = passports.get(best.source_id or "") if best else None
        sides.append((side, replace(cell, best=best, passport=passport)))
    return replace(found, sides=sides, others=[(facts[one.point_id], value) for one, value in found.others])


def cells(found: Laid) -> list[Cell]:
    """Every cell some selected point lies in, by panel, y and x; in a ratio each side's in one."""
    by_place: dict[str, dict[str, Cell]] = {}
    for side, cell in found.sides:
        by_place.setdefault(cell.place, {})[side] = cell
    return [own[""] if "" in own else _ratio(own.get("a"), own.get("b")) for own in by_place.values()]


def behind(library: Library, ranking: Ranking, grid: Grid, cell: str) -> pd.DataFrame:
    """The points in a cell (its id as `cell_id` writes it), best first; UsageError for what is no cell id."""
    panel, x, y = place_of(cell)
    found, side = laid(library, ranking, grid), grid.side
    chosen = _chosen(ranking, grid)
    for axis, value in ((grid.x, x), (grid.y, y)):
        chosen = chosen.also(f"{_doubled(axis) if axis in found.doublings else axis} = ?", value)
    if found.kind is not None:
        chosen = chosen.also(f"{KIND} = ?", found.kind)
    if grid.panel:
        kind = "DOUBLE" if FILTER_BY_KEY[grid.panel].kind == "number" else "VARCHAR"
        same = f"CAST({grid.panel} AS {kind}) IS NOT DISTINCT FROM TRY_CAST(nullif(?, '') AS {kind})"
        chosen = chosen.also(same, panel)
    chosen = chosen.also(f"({side.sql}) IS NOT NULL", *side.params)
    code = evidence.standing((*evidence.reasons(library, ranking), *evidence.limit_reasons(library, ranking)))
    return library.query(
        f"SELECT {value_sql(library, grid.metric)} AS {grid.metric}, {points.SQL}, {code.sql} AS standing FROM points"
        f" WHERE {chosen.sql} ORDER BY standing <> '{USED}', 1 {'ASC' if grid.lower else 'DESC'} NULLS LAST, point_id"
        f" LIMIT {MOST_POINTS_BEHIND}",
        (*code.params, *chosen.params),
    )


def value_sql(library: Library, metric: str) -> str:
    """The DuckDB expression of a point's value; NULL where it is absent or not finite."""
    return f"CASE WHEN isfinite({metric}) THEN {metric} END" if library.has(metric) else "CAST(NULL AS REAL)"


def axis_words(column: str) -> str:
    """A column inside a sentence: "input length", "chip count"."""
    return "chip count" if column == "accelerators" else lowered(title(column).split(" (")[0])


def level(load: str) -> tuple[str, float] | None:
    """The one load that a View keeps, None for the best; UsageError for what is neither."""
    match = re.fullmatch(rf"({'|'.join(LOAD_AXES)})=(\d+(?:\.\d+)?)", load)
    if match is None and load != "best":
        raise UsageError(
            f"Load {load[:40]!r} is neither best nor a level; write it as in load=concurrency=64."
        )
    return (match[1], float(match[2])) if match else None


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


def _counted(library: Library, ranking: Ranking, grid: Grid) -> tuple[tuple[Reason, ...], list[Row]]:
    """Why points are not used, and all that are selected, in one pass."""
    told = _reasons(library, ranking, grid)
    code, side, chosen = evidence.standing(told), grid.side, _chosen(ranking, grid)
    kind = "NULL" if len(ranking.view.values("load_kind")) > 1 else KIND
    best = f"{grid.best}({{'value': value, 'point_id': point_id}}) FILTER (code IN ('{USED}', '{NO_AXIS}')) AS best"
    codes = (USED, *(one.code for one in told))
    counts = ", ".join(f"CAST(sum(many) FILTER (code = '{one}') AS BIGINT)" for one in codes)
    rows = library.fetch(
        f"WITH seen AS (SELECT {kind} AS kind, {side.sql} AS side, {grid.panel or 'NULL'} AS panel, {grid.x} AS x,"
        f" {grid.y} AS y, {code.sql} AS code, {value_sql(library, grid.metric)} AS value, point_id"
        f" FROM points WHERE {chosen.sql}), places AS MATERIALIZED (SELECT kind, side, panel, x, y, code,"
        f" count(*) AS many, {best} FROM seen GROUP BY ALL), wide AS (SELECT kind AS whose,"
        f" count(DISTINCT x) > {MOST_VALUES} AS wide_x, count(DISTINCT y) > {MOST_VALUES} AS wide_y FROM places"
        " WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY kind)"
        f" SELECT kind, wide_x, wide_y, side, panel, CASE WHEN wide_x THEN {_doubled('x')} ELSE x END AS across,"
        f" CASE WHEN wide_y THEN {_doubled('y')} ELSE y END AS up, {grid.best}(best), {counts}"
        " FROM places LEFT JOIN wide ON kind IS NOT DISTINCT FROM whose GROUP BY ALL"
        " ORDER BY panel NULLS LAST, up, across, side, kind",
        (*side.params, *code.params, *chosen.params),
    )
    after = Reason(OTHER_KIND, "under other kinds of load", "FALSE")  # known once all are counted
    counted = (
        Counter({code: many for code, many in zip(codes, row[8:], strict=True) if many}) for row in rows
    )
    return (*told, after), [Row._make((*row[:8], many)) for row, many in zip(rows, counted, strict=True)]


def _kind(rows: Sequence[Row], *, is_ratio: bool) -> str | None:
    """The kind of load that most values are of, in a ratio that with most cells of both sides."""
    ranked: Counter[str | None] = Counter()
    used: Counter[str | None] = Counter()
    places: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        ranked[row.kind] += sum(row.codes[code] for code in IN_A_CELL)
        used[row.kind] += row.codes[USED]
        places[row.kind, row.panel, row.x, row.y] += is_ratio and row.codes[USED] > 0
    shared = Counter(where[0] for where, sides in places.items() if sides > 1)
    kinds = sorted(ranked, key=str)
    return max(kinds, key=lambda kind: (shared[kind], used[kind], ranked[kind]), default=None)


def _cell(row: Row) -> Cell:
    """The cell of one side at a place, of whose best point only the id is known."""
    panel, x, y = map(_whole, (row.panel, row.x, row.y))
    where, many = (cell_id(panel, x, y), panel, x, y), row.codes.total()
    if row.best:
        return Cell(*where, "measured", many, _whole(row.best["value"]), Facts(row.best["point_id"]))
    return Cell(*where, next((state for code, state in STATES.items() if row.codes[code]), "no metric"), many)


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


def _reasons(library: Library, ranking: Ranking, grid: Grid) -> tuple[Reason, ...]:
    """Why a selected point gives no cell of the grid a value; that it lies in none comes last."""
    failed = "coalesce(requests_failed > 0, FALSE)" if library.has("requests_failed") else "FALSE"
    absent, side = f"{value_sql(library, grid.metric)} IS NULL", grid.side
    failed = f"{absent} AND ({failed} OR coalesce(flags NOT IN ('', '[]'), FALSE))"
    return (
        *evidence.reasons(library, ranking),
        *([Reason("no_side", "of neither side", f"({side.sql}) IS NULL", side.params)] if grid.sides else []),
        Reason("failed", "that failed", failed),
        Reason("no_metric", f"without {inline(catalogue.metric(grid.metric))}", absent),
        *evidence.limit_reasons(library, ranking),
        Reason(NO_AXIS, f"without {axis_words(grid.x)} or {axis_words(grid.y)}",
               f"{grid.x} IS NULL OR {grid.y} IS NULL"),
    )  # fmt: skip


def _ratio(a: Cell | None, b: Cell | None) -> Cell:
    """Both sides' cells of a place in one; of one side alone, or in the state of one, where there is no ratio."""
    here = a or b
    assert here is not None
    one, other = a.value if a else None, (b.value or None) if b else None
    best, best_b = a.best if a else None, b.best if b else None
    states: dict[tuple[bool, bool], State] = {
        (True, True): "measured", (True, False): "only a", (False, True): "only b", (False, False): here.state,
    }  # fmt: skip
    alike = not (best and best_b) or all(getattr(best, key) == getattr(best_b, key) for key in LIKE_LOADS)
    many = sum(cell.points for cell in (a, b) if cell)
    value = one / other if one is not None and other is not None else None
    return Cell(here.place, here.panel, here.x, here.y, states[one is not None, other is not None], many, value,
                best, None, one, other, best_b, alike)  # fmt: skip


def _chosen(ranking: Ranking, grid: Grid) -> Clause:
    """The points that are selected, at the load that is kept."""
    chosen = clause(ranking.view)
    return chosen.also(f"{grid.level[0]} = ?", grid.level[1]) if grid.level else chosen


def _doubled(column: str) -> str:
    return f"CASE WHEN {column} > 0 THEN pow(2, floor(log2({column}))) ELSE {column} END"


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
