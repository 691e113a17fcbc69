"""Where is it fast? Cells over any two axes, coloured by any metric, in small multiples; or the ratio of two grids."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from bench.basis import evidence, points, side_by_side, stated_share, variations
from bench.basis.variations import Robustness, Variation, Verdict
from bench.library import Library
from bench.maths.grid import verdict as leader
from bench.questions import Answer, Column, Steps, Why, counting, pipeline
from bench.questions.heatmap import grid, options, verdict
from bench.questions.heatmap.figure import figure as figure
from bench.questions.heatmap.grid import AXES, LIKE_LOADS, NONE
from bench.questions.heatmap.options import OPTIONS as OPTIONS
from bench.questions.heatmap.options import choices as choices
from bench.questions.heatmap.result import MOST_PANELS, Heatmap
from bench.view import View
from bench.wording import inline

TITLE = "Heatmap"
QUESTION = "Where is it fast?"
SECTION = "Explore"
ORDER = 20
NEEDS = "points"

COLUMNS = (
    Column("cell", "Place"),
    Column("panel", "Panel"),
    Column("x", "Horizontal axis"),
    Column("y", "Vertical axis"),
    Column("state", "Cell"),
    Column("points", "Points in it"),
    Column("winner", "Best deployment"),
    Column("value", "Value"),
    Column("like_loads", "At one load"),
)
STEPS = Steps(counting("cell", "has a value", "have a value"), anew="Choose the axes anew")


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision and workload, but for those that are an axis.

    What cannot be gives way: an axis chosen twice, a panel that is an axis, a side of a ratio that is not loaded, a
    ratio with nothing to divide. UnknownName for an axis, field or metric that does not exist, UsageError for a load
    that cannot be one.
    """
    return options.story_of(library, view).view


def answer(library: Library, view: View) -> Answer[Heatmap]:
    """The peak and how it falls off, every cell, and what was left out; or the ratio of two sides."""
    chosen = options.story_of(library, view)
    whole, ranking = chosen.view, evidence.read(chosen.view)
    found = grid.laid(library, ranking)
    if not found.cells:
        found = replace(found, stated=tuple(options.held(library, whole.with_slo(()), AXES)))
    deciding = evidence.deciding(library, ranking)
    known = stated_share.of_headline(
        library, whole, deciding, {inline(found.row): grid.value_sql(library, found.metric)}
    )
    shown = [one.model for cell in found.cells for one in cell.facts]
    said = (
        *(side_by_side.gave_way(view.option("panel"), "model") if found.panel == "model" else ()),
        *side_by_side.left_out(library, whole, shown, verdict.SAY.text("no_cell", {"metric": found.metric})),
        *verdict.statements(found, ranking, deciding, known),
        *verdict.gave_way(view, whole),
    )
    return pipeline.answer(library, QUESTION, whole, found, said, _rows(found), _why(found), chosen, known)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the peak stays in its cell, or the better side of a ratio ahead, with one choice changed at a time.

    None where the verdict names neither.
    """
    whole = complete(library, view)
    if not evidence.deciding(library, evidence.read(whole)).names_a_best:
        return None

    def varied(one: Variation) -> Verdict | None:
        found = grid.laid(library, one.ranking, named=whole.option("ratio_by") != NONE)
        if found.peak is None:
            return None
        if found.ratio is None:
            return Verdict(found.peak.place, verdict.SAY.text("peak_there", {"at": verdict.place(found, found.peak)}))
        side = {"a": found.ratio.a, "b": found.ratio.b, "tie": "neither"}[leader(found.middle, found.row.better)]
        return Verdict(side, verdict.SAY.text("side_ahead", {"side": side})) if found.ratio.is_told else None

    metric = whole.option("metric")
    return variations.of(library, whole, None, varied, f"({grid.value_sql(library, metric)}) IS NOT NULL")


def points_behind(library: Library, view: View, cell: str) -> pd.DataFrame:
    """The points in one cell, best first: the metric, what was measured, where it is from and whether it is ranked."""
    whole = complete(library, view)
    return grid.behind(library, evidence.read(whole), cell)


def _rows(heatmap: Heatmap) -> pd.DataFrame:
    """One row for each cell some point lies in, of the panels there is no room for too; what won it stands in it."""
    plain = ("model", "precision") if heatmap.ratio is None else ()
    placed, of_a_side = ("isl", "osl", heatmap.x, heatmap.y, *plain), ("point_id", "flags", *LIKE_LOADS)
    rows = []
    for cell in heatmap.cells:
        row = {
            "cell": cell.place,
            **{key: getattr(cell, key) for key in ("panel", "x", "y", "value", "state", "points")},
        }
        if heatmap.ratio is None:
            facts = cell.best.row if cell.best else dict.fromkeys(points.COLUMNS)
            row |= {"winner": cell.best and cell.best.words(placed), **facts, "passport": cell.passport}
        else:
            row |= {"a": cell.a, "b": cell.b, "like_loads": cell.alike if cell.is_measured else None}
            for side, best in (("a", cell.best), ("b", cell.best_b)):
                row[f"winner_{side}"] = best and best.words(placed)
                row |= {f"{key}_{side}": best and getattr(best, key) for key in of_a_side}
        rows.append(row)
    return pd.DataFrame(rows)


def _why(found: Heatmap) -> tuple[Why, ...]:
    metric = found.row
    best = "smallest" if found.row.better == "lower" else "largest"
    return (
        Why(metric.axis, metric.formula, metric.definition, metric.source),
        Why(
            "A cell's value",
            f"the {best} over the ranked points in the cell; of repeats the middle one stands for all",
            "measured points of the newest runs under one kind of load, whatever their layout",
            "Kneepoint's definition of an envelope",
        ),
        Why(
            "Axes and panels, where nobody chose them",
            "of workload and load the two that fill the most cells, first those that fill at least half of their grid;"
            " then of hardware too",
            f"a panel for each count of chips, of more than {MOST_PANELS} counts one for each accelerator",
            "Kneepoint's definition",
        ),
    )
