"""Where is it fast? Cells over any two axes, coloured by any metric, in small multiples; or the ratio of two grids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, selection
from bench.chart import Theme, setting, title
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.maths.grid import wants_log
from bench.questions import Answer, Choices, Option, Why
from bench.questions.heatmap import charted, defaults, drawing, lacking, sentences, sides
from bench.questions.heatmap import grid as grids
from bench.questions.heatmap.grid import AXES, Grid, records
from bench.questions.heatmap.sides import NONE
from bench.questions.heatmap.told import Told
from bench.records import LOAD_AXES
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, joined

TITLE = "Heatmap"
QUESTION = "Where is it fast?"
SECTION = "Explore"
ORDER = 20

OPTIONS: tuple[Option, ...] = (
    Option("x", "Across", "choice", "The column along the horizontal axis."),
    Option("y", "Up", "choice", "The column along the vertical axis."),
    Option("metric", "Colour", "choice", "The metric that colours the cells and is written in them."),
    Option("panel", "A panel for each", "choice", "Draws one panel for each value of this field."),
    Option("load", "Load level", "choice", "The best load in each cell, or one level of it."),
    Option(
        "scale",
        "Colour scale",
        "choice",
        "Linear or logarithmic; automatic is logarithmic above a range of 30.",
    ),
    Option("ratio_by", "Ratio of two", "choice", "Divides two values of this field, cell by cell."),
    Option("ratio_a", "Ratio of", "choice", "The value above the line."),
    Option("ratio_b", "Ratio to", "choice", "The value below the line."),
)

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
SCALES = ("auto", "linear", "log")
LENGTHS = ("isl", "osl")
DATA_PAGE = {"page": "data", "title": "Data", "question": "What is loaded, and where does it come from?"}


def complete(library: Library, view: View) -> View:
    """The View with every option explicit; an empty one that is not whole gets the story with the most cells.

    What cannot be gives way: an axis chosen twice, a panel that is an axis, a side of a ratio that is not loaded, a
    ratio with nothing to divide. UnknownName for an axis, field or metric that does not exist, UsageError for a load
    that cannot be one.
    """
    _check(view)
    x, y, metric = view.option("x"), view.option("y"), view.option("metric")
    y = "" if y == x else y
    by = view.option("ratio_by", NONE)
    if not view.where and not view.whole and by == NONE:
        pins = defaults.story(library, x or "isl", y or "osl", metric or defaults.FIRST_METRIC)
        view = view.with_where(**{key: (value,) for key, value in pins.items()})
    x, y = defaults.axes(library, view, x, y)
    metric = metric or defaults.metric(library, view, (x, y))
    panel = view.option("panel", "accelerators")
    if panel in (x, y, by):
        panel = "accelerator" if by != "accelerator" and panel == "accelerators" else NONE
    columns = (x, y) if panel == NONE else (x, y, panel)
    ratio = by not in (NONE, x, y)
    asked = sides.asked(library, view, by) if ratio else ("", "")
    if not view.whole:
        view = view.with_where(**defaults.alike(library, view, columns, metric, by if ratio else None, asked))
    found = defaults.sides(library, view, by, columns, metric, asked) if ratio else None
    a, b = found or (None, None)
    return view.with_options(
        x=x, y=y, metric=metric, panel=panel, load=view.option("load", "best"), scale=view.option("scale", "auto"),
        ratio_by=by if found else NONE, ratio_a=a, ratio_b=b,
    ).made_whole()  # fmt: skip


def choices(library: Library, view: View) -> Choices:
    """The axes, metrics, panels, loads and ratio sides that this selection holds."""
    by = view.option("ratio_by", NONE)
    values = defaults.variety(library, view, {*AXES, *PANELS, *(FILTER_BY_KEY[key].column for key in RATIOS)})
    several = [key for key in PANELS if values[key] == "several"]
    chosen = {view.option(key) for key in ("x", "y", "metric")}
    axes = [(key, _name(key)) for key in AXES if values[key] != "none" or key in chosen]
    divided = [(one.value, one.label) for one in selection.offers(library, view, by)] if by != NONE else []
    known = defaults.metrics(library)
    held = defaults.filled(library, view, (), known)
    metrics = [
        key for key in dict.fromkeys([*known, *chosen - set(AXES) - {""}]) if key in held or key in chosen
    ]
    levels = [
        (f"{key}={one.value}", f"{_name(key)} {one.label}")
        for key in LOAD_AXES
        if values[key] != "none"
        for one in selection.offers(library, view, key)
    ]
    dividing = [key for key in RATIOS if values[FILTER_BY_KEY[key].column] == "several"]
    return {
        "x": axes,
        "y": axes,
        "metric": _metric_names(metrics),
        "panel": [*((key, _name(key)) for key in several), (NONE, "One panel")],
        "load": [("best", "Best in each cell"), *levels],
        "scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
        "ratio_by": [(NONE, "No ratio"), *((key, _name(key)) for key in dividing)],
        "ratio_a": divided,
        "ratio_b": divided,
    }


def _name(key: str) -> str:
    """A column's words without its unit, which the chart states."""
    return title(key).split(" (")[0]


def _metric_names(keys: Collection[str]) -> list[tuple[str, str]]:
    """The metrics by their labels; with their units where two share a label."""
    labels = Counter(catalogue.metric(key).label for key in keys)
    rows = [catalogue.metric(key) for key in keys]
    return [(row.key, row.label if labels[row.label] == 1 else row.axis) for row in rows]


def rows(library: Library, view: View) -> pd.DataFrame:
    """One row for each cell some point lies in, of the panels there is no room for too.

    Columns: cell (its id), panel, x, y, value (None unless the state is "measured"), state ("measured", "failed",
    "no metric"; of a ratio also "only a", "only b"), points, point_id and winner, then the winner's own columns; a
    ratio has a, b, and both sides' point ids and winners instead.
    """
    whole = complete(library, view)
    grid = _grid(whole)
    return charted.rows(library, whole, grid, grids.census(library, whole, grid))


def answer(library: Library, view: View) -> Answer:
    """The peak and how it falls off, every cell, and what was left out; or the ratio of two sides."""
    whole = complete(library, view)
    grid = _grid(whole)
    count = grids.census(library, whole, grid)
    only_measured = selection.ordinary(whole).values("evidence") == ("measured",)
    found = charted.rows(library, whole, grid, count)
    told = Told(grid, records(found), count, sides.in_words(whole), whole.option("ratio_by"), only_measured)
    span = told.span
    log = whole.option("scale") == "log" or (whole.option("scale") == "auto" and wants_log(span))
    numbers = {
        **{key: whole.option(key) for key in ("x", "y", "metric", "load")},
        "panel": grid.panel,
        "load_kind": count.kind,
        "unit": catalogue.metric(grid.metric).unit,
        "better": catalogue.metric(grid.metric).direction,
        "scale": "log" if log and min(span, default=0) > 0 else "linear",
        "span": span,
        "in_doublings": sorted(count.coarse),
        "ratio": _ratio_numbers(told),
        "peak": told.peak,
        "measured": len(told.measured),
        "selected": count.selected,
        "used": count.used,
        "left_out": {"no_metric": count.no_metric, "no_axis": count.unplaced, "not_measured": count.other_evidence,
                     "other_load_kinds": sum(count.other_kinds.values()), "panels": told.undrawn_panels},
        "cells": told.drawn,
        "next": [] if told.peak else [DATA_PAGE],
    }  # fmt: skip
    return Answer(
        question=QUESTION,
        view=whole,
        headline=sentences.headline(told)
        if told.peak
        else lacking.headline(told, lacking.stated(library, whole)),
        rows=found,
        findings=sentences.findings(told),
        numbers=numbers,
        caveats=(
            *_given_way(view, whole),
            *_narrowed(library, view, whole),
            *selection.not_loaded(library, whole),
            *sentences.caveats(told),
        ),
        why=_why(grid),
        library_version=library.version,
    )


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """One heatmap for each panel, all on one colour scale, their cells clickable: customdata is the cell's id."""
    return drawing.draw(answer.numbers, theme)


def points_behind(library: Library, view: View, cell: str) -> pd.DataFrame:
    """The points in one cell, best first: the metric, what was measured and where it comes from."""
    whole = complete(library, view)
    grid = _grid(whole)
    return grids.behind(library, whole, grid, grids.census(library, whole, grid), cell)


def _ratio_numbers(told: Told) -> dict[str, Any] | None:
    if told.sides is None:
        return None
    return {"by": told.ratio_by, "a": told.sides[0], "b": told.sides[1], "unlike_loads": len(told.apart)}


def _check(view: View) -> None:
    known = {"x": AXES, "y": AXES, "panel": (*PANELS, NONE), "ratio_by": (*RATIOS, NONE), "scale": SCALES}
    for key, values in known.items():
        value = view.option(key)
        if value and value not in values:
            raise UnknownName(f"choice for {key}", value, values)
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


def _grid(whole: View) -> Grid:
    panel = whole.option("panel")
    return Grid(
        x=whole.option("x"),
        y=whole.option("y"),
        panel=None if panel == NONE else panel,
        metric=whole.option("metric"),
        level=_level(whole.option("load")),
        sides=sides.views(whole),
    )


def _given_way(asked: View, whole: View) -> tuple[str, ...]:
    """What was asked for and could not be."""
    x, y = whole.option("x"), whole.option("y")
    twice = asked.option("x") and asked.option("x") == asked.option("y")
    axes = (f"Both axes were asked to be {x}; the other is {y} instead.",) if twice else ()
    return (*axes, *sides.given_way(asked, whole))


def _narrowed(library: Library, view: View, whole: View) -> tuple[str, ...]:
    """What was filled in besides what the reader asked for, and how many points that leaves out."""
    added = {key: values for key, values in whole.where if not view.values(key)}
    if not view.where or not added:
        return ()
    others = selection.count(library, view) - selection.count(library, whole)
    words = [
        value.upper() if key == "precision" else setting(key, float(value) if key in LENGTHS else value)
        for key, (value,) in added.items()
    ]
    return (f"Narrowed to {joined(words)}; {counted(others, 'other point')} of the selection left out.",)


def _why(grid: Grid) -> tuple[Why, ...]:
    metric = catalogue.metric(grid.metric)
    best = "smallest" if grid.better == "lower" else "largest"
    return (
        Why(metric.axis, metric.formula, metric.definition, metric.source),
        Why(
            "A cell's value",
            f"the {best} over the runs in the cell; a run is the median of its repeats",
            "measured points of one load kind, whatever their layout, unless a filter says otherwise",
            "Kneepoint's definition of an envelope",
        ),
    )
