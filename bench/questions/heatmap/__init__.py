"""Where is it fast? Cells over any two axes, coloured by any metric, in small multiples; or the ratio of two grids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, selection
from bench.basis import evidence, likeness, points, story, variations
from bench.basis.evidence import Deciding, Ranking
from bench.basis.options import Option
from bench.basis.statement import caveat
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import Theme, title
from bench.library import Library
from bench.questions import Answer, Choices, Column, Why
from bench.questions.heatmap import choosing, statements
from bench.questions.heatmap import figure as drawing
from bench.questions.heatmap import grid as grids
from bench.questions.heatmap.grid import AXES, LIKE_LOADS, NONE, Grid, Laid
from bench.questions.heatmap.result import Heatmap, Ratio, compared
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
RATIOS = tuple("accelerator accelerators engine engine_version precision model variant series".split())

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


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision and workload, but for those that are an axis.

    What cannot be gives way: an axis chosen twice, a panel that is an axis, a side of a ratio that is not loaded, a
    ratio with nothing to divide. UnknownName for an axis, field or metric that does not exist, UsageError for a load
    that cannot be one.
    """
    choosing.check(view, OPTIONS)
    return choosing.told(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The axes, metrics, panels, loads and ratio sides that this selection holds."""
    by = view.option("ratio_by", NONE)
    metrics = choosing.metrics(library)
    held = choosing.held(
        library, view, {*AXES, *PANELS, *(FILTER_BY_KEY[key].column for key in RATIOS), *metrics}
    )
    chosen = {view.option(key) for key in ("x", "y", "metric")} - {""}
    axes = [(key, _name(key)) for key in AXES if key in held or key in chosen]
    coloured = [key for key in dict.fromkeys([*metrics, *chosen - set(AXES)]) if key in held or key in chosen]
    levels = [
        (f"{key}={one.value}", f"{_name(key)} {one.label}")
        for key in LOAD_AXES
        if key in held
        for one in selection.offers(library, view, key)
    ]
    several = {key for key, one in held.items() if one.several}
    divided = [(one.value, one.label) for one in selection.offers(library, view, by)] if by != NONE else []
    return {
        "x": axes,
        "y": axes,
        "metric": _metric_names(coloured),
        "panel": [*((key, _name(key)) for key in PANELS if key in several), (NONE, "One panel")],
        "load": [("best", "Best in each cell"), *levels],
        "scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
        "ratio_by": [(NONE, "No ratio"),
                     *((key, _name(key)) for key in RATIOS if FILTER_BY_KEY[key].column in several)],
        "ratio_a": divided,
        "ratio_b": divided,
    }  # fmt: skip


def answer(library: Library, view: View) -> Answer[Heatmap]:
    """The peak and how it falls off, every cell, and what was left out; or the ratio of two sides."""
    choosing.check(view, OPTIONS)
    told = choosing.told(library, view)
    whole, ranking = told.view, evidence.read(told.view)
    laid = grids.laid(library, ranking, Grid.of(whole))
    found = _found(whole, grids.named(library, laid, whole.option("metric")))
    if not found.cells:
        found = replace(found, stated=choosing.stated(library, whole))
    return Answer(
        question=QUESTION,
        view=whole,
        result=found,
        statements=(
            *statements.told(found, ranking, _deciding(library, ranking)),
            *(caveat("gave_way", text) for text in choosing.given_way(view, whole)),
            *story.statements(told),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, whole)),
        ),
        rows=_rows(found),
        why=_why(found),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the peak stays in its cell, or the better side of a ratio ahead, with one choice changed at a time.

    None where the headline names neither.
    """
    whole = complete(library, view)
    if not _deciding(library, evidence.read(whole)).names_a_best:
        return None

    def verdict(one: Variation) -> Verdict | None:
        laid = grids.laid(library, one.ranking, Grid.of(whole))
        found = _found(whole, grids.named(library, laid) if whole.option("ratio_by") != NONE else laid)
        if found.peak is None:
            return None
        if found.ratio is None:
            return Verdict(found.peak.place, f"the peak is at {statements.place(found, found.peak)}")
        values = sorted(cell.value or 0.0 for cell in found.compared)
        ahead = (values[len(values) // 2] >= 1) == (found.better == "higher")
        side = found.ratio.a if ahead else found.ratio.b
        return Verdict(side, f"{side} is ahead") if found.ratio.is_told else None

    return variations.of(library, whole, None, verdict)


def figure(result: Heatmap, theme: Theme) -> go.Figure:
    """One heatmap for each panel, all on one colour scale, their cells clickable: customdata is the cell's id."""
    return drawing.draw(result, theme)


def points_behind(library: Library, view: View, cell: str) -> pd.DataFrame:
    """The points in one cell, best first: the metric, what was measured, where it is from and whether it is ranked."""
    whole = complete(library, view)
    return grids.behind(library, evidence.read(whole), Grid.of(whole), cell)


def _deciding(library: Library, ranking: Ranking) -> Deciding:
    """How many of the points on the grid say whether they keep the limits."""
    grid = Grid.of(ranking.view)
    has_value = f"{grids.value_sql(library, grid.metric)} IS NOT NULL"
    return evidence.deciding(
        library, ranking, f"{has_value} AND {grid.x} IS NOT NULL AND {grid.y} IS NOT NULL"
    )


def _found(whole: View, laid: Laid) -> Heatmap:
    """The cells of a complete View, and what was left out of them."""
    grid, cells = Grid.of(whole), tuple(grids.cells(laid))
    by, ratio = whole.option("ratio_by"), None
    if by != NONE:
        a, b = (choosing.side_words(by, whole.option(side)) for side in choosing.SIDES)
        pairs = [(cell.best, cell.best_b) for cell in compared(cells) if cell.best and cell.best_b]
        keys = [key for key in statements.TOLD_APART if key != statements.fact_of(by)]
        ratio = Ratio(by, a, b, likeness.everywhere(pairs, keys))
    return Heatmap(grid.x, grid.y, grid.panel, grid.metric, whole.option("load"), whole.option("scale"), laid.kind,
                   laid.doublings, cells, ratio, laid.tally, tuple(laid.others))  # fmt: skip


def _rows(found: Heatmap) -> pd.DataFrame:
    """One row for each cell some point lies in, of the panels there is no room for too; what won it stands in it."""
    known = [found.x, found.y]
    known += [key for key in ("model", "precision")
              if len({getattr(one, key) for cell in found.cells for one in cell.facts}) == 1]  # fmt: skip
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
                row[f"winner_{side}"] = statements.winner(best, known)
                row |= {
                    f"{key}_{side}": best and getattr(best, key) for key in ("point_id", "flags", *LIKE_LOADS)
                }
        rows.append(row)
    return pd.DataFrame(rows)


def _name(key: str) -> str:
    """A column's words without its unit, which the chart states."""
    return title(key).split(" (")[0]


def _metric_names(keys: Iterable[str]) -> list[tuple[str, str]]:
    """The metrics by their labels; with their units where two share a label."""
    rows = [catalogue.metric(key) for key in keys]
    labels = Counter(row.label for row in rows)
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
