"""Where is it fast? Cells over any two axes, coloured by any metric, in small multiples; or the ratio of two grids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from bench import basis, catalogue, selection
from bench.basis import evidence, likeness, points, story, variations
from bench.basis.evidence import Ranking
from bench.basis.likeness import Difference
from bench.basis.options import Option
from bench.basis.statement import caveat
from bench.basis.story import Needs, Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import Theme, title
from bench.errors import UsageError
from bench.library import Library
from bench.questions import Answer, Choices, Column, Why
from bench.questions.heatmap import axes, sides, statements
from bench.questions.heatmap import figure as drawing
from bench.questions.heatmap import grid as grids
from bench.questions.heatmap.grid import AXES, Grid
from bench.questions.heatmap.result import Cell, Heatmap, Ratio
from bench.questions.heatmap.sides import NONE
from bench.records import LOAD_AXES
from bench.view import FILTER_BY_KEY, View

TITLE = "Heatmap"
QUESTION = "Where is it fast?"
SECTION = "Explore"
ORDER = 20
NEEDS = "points"

PANELS = ("accelerators", "accelerator", "model", "precision", "engine", "engine_version", "variant", "speculation",
          "disaggregated", "tp", "isl", "osl", "concurrency", "batch", "request_rate", "load_kind", "harness",
          "evidence", "origin", "source")  # fmt: skip
RATIOS = (
    "accelerator",
    "accelerators",
    "engine",
    "engine_version",
    "precision",
    "model",
    "variant",
    "series",
)

OPTIONS: tuple[Option, ...] = (
    Option("x", "Horizontal axis", "choice", "The column along the horizontal axis.", AXES),
    Option("y", "Vertical axis", "choice", "The column along the vertical axis.", AXES),
    Option("metric", "Colour", "choice", "The metric that colours the cells and is written in them."),
    Option("panel", "A panel for each", "choice", "Draws one panel for each value of this field.", (*PANELS, NONE)),
    Option("load", "Load level", "choice", "The best load in each cell, or one level of it."),
    Option("scale", "Colour scale", "choice", "Linear or logarithmic; automatic is logarithmic above a range of 30.",
           ("auto", "linear", "log")),
    Option("ratio_by", "Ratio of two", "choice", "Divides two values of this field, cell by cell.", (*RATIOS, NONE)),
    Option("ratio_a", "Ratio of", "choice", "The value above the line."),
    Option("ratio_b", "Ratio to", "choice", "The value below the line."),
)  # fmt: skip
COLUMNS = (
    Column("state", "Cell"), Column("points", "Points in it"), Column("winner", "Best deployment"),
    Column("value", "Value"), Column("like_loads", "At one load"),
)  # fmt: skip

CONFOUNDING = ("accelerator", "precision", "engine", "speculation", "disaggregated", "load_kind", "harness", "source",
               "chips")  # fmt: skip
"""What a ratio cannot be told apart from where it differs in every cell too."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision and workload, but for those that are an axis.

    What cannot be gives way: an axis chosen twice, a panel that is an axis, a side of a ratio that is not loaded, a
    ratio with nothing to divide. UnknownName for an axis, field or metric that does not exist, UsageError for a load
    that cannot be one.
    """
    _check(view)
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The axes, metrics, panels, loads and ratio sides that this selection holds."""
    by = view.option("ratio_by", NONE)
    held = axes.variety(library, view, {*AXES, *PANELS, *(FILTER_BY_KEY[key].column for key in RATIOS)})
    several = [key for key in PANELS if held[key] == "several"]
    chosen = {view.option(key) for key in ("x", "y", "metric")}
    offered = [(key, _name(key)) for key in AXES if held[key] != "none" or key in chosen]
    divided = [(one.value, one.label) for one in selection.offers(library, view, by)] if by != NONE else []
    known = axes.held_metrics(library)
    filled = axes.filled(library, view, (), known)
    metrics = [
        key for key in dict.fromkeys([*known, *chosen - set(AXES) - {""}]) if key in filled or key in chosen
    ]
    levels = [
        (f"{key}={one.value}", f"{_name(key)} {one.label}")
        for key in LOAD_AXES
        if held[key] != "none"
        for one in selection.offers(library, view, key)
    ]
    dividing = [key for key in RATIOS if held[FILTER_BY_KEY[key].column] == "several"]
    return {
        "x": offered,
        "y": offered,
        "metric": _metric_names(metrics),
        "panel": [*((key, _name(key)) for key in several), (NONE, "One panel")],
        "load": [("best", "Best in each cell"), *levels],
        "scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
        "ratio_by": [(NONE, "No ratio"), *((key, _name(key)) for key in dividing)],
        "ratio_a": divided,
        "ratio_b": divided,
    }


def answer(library: Library, view: View) -> Answer[Heatmap]:
    """The peak and how it falls off, every cell, and what was left out; or the ratio of two sides."""
    _check(view)
    told = _story(library, view)
    whole = told.view
    ranking = evidence.read(whole)
    found = _found(library, ranking)
    deciding = evidence.deciding(library, ranking, f"{grids.value_sql(library, found.metric)} IS NOT NULL")
    gave_way = [caveat("gave_way", text) for text in _given_way(view, whole)]
    return Answer(
        question=QUESTION,
        view=whole,
        result=found,
        statements=(
            *statements.told(found, ranking, deciding),
            *gave_way,
            *story.statements(told),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, whole)),
        ),
        rows=_rows(found),
        why=_why(found),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the peak stays in its cell, or the better side of a ratio ahead, with one choice changed at a time."""
    whole = complete(library, view)

    def verdict(one: Variation) -> Verdict | None:
        found = _cells_of(library, one.ranking)
        if found.peak is None:
            return None
        if found.ratio is None:
            return Verdict(found.peak.place, f"the peak is at {statements.place(found, found.peak)}")
        values = sorted(cell.value or 0.0 for cell in found.compared)
        ahead = (values[len(values) // 2] >= 1) == (found.better == "higher")
        side = found.ratio.a if ahead else found.ratio.b
        return Verdict(side, f"{side} is ahead")

    return variations.of(library, whole, None, verdict)


def figure(result: Heatmap, theme: Theme) -> go.Figure:
    """One heatmap for each panel, all on one colour scale, their cells clickable: customdata is the cell's id."""
    return drawing.draw(result, theme)


def points_behind(library: Library, view: View, cell: str) -> pd.DataFrame:
    """The points in one cell, best first: the metric, what was measured, where it is from and whether it is ranked."""
    ranking = evidence.read(complete(library, view))
    return grids.behind(library, ranking, _grid(library, ranking), cell)


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete: axes first, since a story does not narrow what is an axis."""
    x, y, metric = view.option("x"), view.option("y"), view.option("metric")
    y = "" if y == x else y
    by = view.option("ratio_by", NONE)
    by = NONE if by in (x, y) else by
    needs = _needs(library, metric)
    open_workload = (
        view
        if view.whole
        else story.told(
            library, view, needs, ("isl", "osl", FILTER_BY_KEY[by].column if by != NONE else "")
        ).view
    )
    x, y = axes.axes(library, open_workload, x, y)
    panel = view.option("panel", "accelerators")
    if panel in (x, y, by):
        panel = "accelerator" if by != "accelerator" and panel == "accelerators" else NONE
    columns = (x, y) if panel == NONE else (x, y, panel)
    asked = sides.asked(library, view, by) if by != NONE else ("", "")
    if by != NONE:
        key = metric or axes.metric(library, open_workload, columns)
        shared = f"count(DISTINCT {FILTER_BY_KEY[by].column}) > 1"
        held = f"{grids.value_sql(library, key)} IS NOT NULL"
        needs = Needs("cell that both sides have", held, ", ".join(columns), shared)
    told = story.told(library, view, needs, {*columns, by})
    metric = metric or axes.metric(library, told.view, columns)
    found = axes.sides(library, told.view, by, columns, metric, asked) if by != NONE else None
    a, b = found or (None, None)
    whole = told.view.with_options(
        x=x, y=y, metric=metric, panel=panel, load=view.option("load", "best"), scale=view.option("scale", "auto"),
        ratio_by=by if found else NONE, ratio_a=a, ratio_b=b,
    ).made_whole()  # fmt: skip
    return replace(told, view=whole)


def _needs(library: Library, metric: str) -> Needs | None:
    """What a grid of this metric cannot do without; nothing where the metric follows from the story."""
    if not metric:
        return None
    return Needs(catalogue.metric(metric).label.lower(), f"{grids.value_sql(library, metric)} IS NOT NULL")


def _found(library: Library, ranking: Ranking) -> Heatmap:
    """The cells of a complete View, what was left out of them, and what lies beside the grid."""
    grid = _grid(library, ranking)
    return replace(
        _cells_of(library, ranking, grid),
        tally=evidence.tally(library, _at_level(ranking, grid), grids.reasons(library, grid)),
        other_kinds=grids.other_kinds(library, ranking, grid),
    )


def _cells_of(library: Library, ranking: Ranking, grid: Grid | None = None) -> Heatmap:
    """The cells of a complete View under one ranking."""
    whole, grid = ranking.view, grid or _grid(library, ranking)
    cells = grids.cells(library, ranking, grid)
    return Heatmap(
        x=grid.x, y=grid.y, panel=grid.panel, metric=grid.metric, level=whole.option("load"),
        scale=whole.option("scale"), load_kind=grid.kind, doublings=grid.doublings, cells=tuple(cells),
        ratio=_ratio(whole, cells), tally=evidence.NOTHING,
        measured_only=whole.values("evidence") in ((), ("measured",)),
    )  # fmt: skip


def _at_level(ranking: Ranking, grid: Grid) -> Ranking:
    """The ranking with the one load that is kept as a filter, so that other loads do not count as left out."""
    if grid.level is None:
        return ranking
    column, value = grid.level
    return Ranking(
        **{**vars(ranking), "view": ranking.view.with_where(**{column: (selection.written(value),)})}
    )


def _ratio(whole: View, cells: Collection[Cell]) -> Ratio | None:
    by, words = whole.option("ratio_by"), sides.in_words(whole)
    if words is None:
        return None
    pairs = [(cell.best, cell.best_b) for cell in cells if cell.is_measured and cell.best and cell.best_b]
    differing: tuple[Difference, ...] = likeness.everywhere(
        pairs, [key for key in CONFOUNDING if key != _fact(by)]
    )
    return Ratio(by, *words, differing)


def _fact(by: str) -> str:
    return "chips" if by == "accelerators" else by


def _grid(library: Library, ranking: Ranking) -> Grid:
    whole = ranking.view
    panel = whole.option("panel")
    grid = Grid(
        x=whole.option("x"),
        y=whole.option("y"),
        panel=None if panel == NONE else panel,
        metric=whole.option("metric"),
        level=_level(whole.option("load")),
        sides=sides.views(whole),
    )
    return grids.laid(library, ranking, grid)


def _rows(found: Heatmap) -> pd.DataFrame:
    """One row for each cell some point lies in, of the panels there is no room for too; what won it stands in it."""
    known = [
        c
        for c in ("model", "precision")
        if len({getattr(one, c) for x in found.cells for one in x.facts}) == 1
    ]
    known += [found.x, found.y]
    rows = []
    for cell in found.cells:
        row = {"cell": cell.place, "panel": cell.panel, "x": cell.x, "y": cell.y, "value": cell.value,
               "state": cell.state, "points": cell.points}  # fmt: skip
        if found.ratio is None:
            facts = cell.best.row if cell.best else dict.fromkeys(points.COLUMNS)
            row |= {"winner": statements.winner(cell.best, known), **facts, "passport": cell.passport}
        else:
            row |= {"a": cell.a, "b": cell.b, "like_loads": cell.alike if cell.is_measured else None}
            for side, best in (("a", cell.best), ("b", cell.best_b)):
                row |= {
                    f"winner_{side}": statements.winner(best, known),
                    f"point_id_{side}": best and best.point_id,
                }
                row |= {f"{key}_{side}": best and getattr(best, key) for key in ("flags", *grids.LIKE_LOADS)}
        rows.append(row)
    return pd.DataFrame(rows)


def _check(view: View) -> None:
    basis.check_every(view, OPTIONS)
    if view.option("metric"):
        catalogue.metric(view.option("metric"))
    _level(view.option("load", "best"))


def _level(load: str) -> tuple[str, float] | None:
    match = re.fullmatch(rf"({'|'.join(LOAD_AXES)})=(\d+(?:\.\d+)?)", load)
    if match is None and load != "best":
        raise UsageError(
            f"Load {load[:40]!r} is neither best nor a level; write it as in load=concurrency=64."
        )
    return (match[1], float(match[2])) if match else None


def _given_way(asked: View, whole: View) -> tuple[str, ...]:
    """What was asked for and could not be."""
    x, y = whole.option("x"), whole.option("y")
    twice = asked.option("x") and asked.option("x") == asked.option("y")
    told = (f"Both axes were asked to be {x}; the other is {y} instead.",) if twice else ()
    return (*told, *sides.given_way(asked, whole))


def _name(key: str) -> str:
    """A column's words without its unit, which the chart states."""
    return title(key).split(" (")[0]


def _metric_names(keys: Collection[str]) -> list[tuple[str, str]]:
    """The metrics by their labels; with their units where two share a label."""
    labels = Counter(catalogue.metric(key).label for key in keys)
    rows = [catalogue.metric(key) for key in keys]
    return [(row.key, row.label if labels[row.label] == 1 else row.axis) for row in rows]


def _why(found: Heatmap) -> tuple[Why, ...]:
    metric = found.row
    best = "smallest" if found.better == "lower" else "largest"
    return (
        Why(metric.axis, metric.formula, metric.definition, metric.source),
        Why(
            "A cell's value",
            f"the {best} over the ranked points in the cell; of repeats the middle one stands for all",
            "measured points of the newest runs under one kind of load, whatever their layout",
            "Kneepoint's definition of an envelope",
        ),
    )
