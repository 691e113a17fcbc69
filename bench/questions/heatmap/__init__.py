"""Where is it fast? Cells over any two axes, coloured by any metric, in small multiples; or the ratio of two grids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, names, selection
from bench.chart import Theme, setting, title, value_label
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.maths.grid import ratios, wants_log
from bench.questions import Answer, Choices, Option, Why
from bench.questions.heatmap import defaults, drawing, sentences
from bench.questions.heatmap import grid as grids
from bench.questions.heatmap.grid import AXES, Census, Grid, cell_id, plain, records
from bench.questions.heatmap.told import Told
from bench.records import LOAD_AXES
from bench.view import FILTER_BY_KEY, View

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
SIDES = ("ratio_a", "ratio_b")
NONE = "none"
MOST_PANELS = 12


def complete(library: Library, view: View) -> View:
    """The View with every option explicit; an empty one that is not whole gets the story with the most cells.

    What cannot be gives way: an axis chosen twice, a panel that is an axis, a side of a ratio that is not loaded, a
    ratio with nothing to divide. UnknownName for an axis, field or metric that does not exist, UsageError for a load
    that cannot be one.
    """
    _check(view)
    x, y, metric = view.option("x"), view.option("y"), view.option("metric")
    y = "" if y == x else y
    if not view.where and not view.whole:
        pins = defaults.story(library, x or "isl", y or "osl", metric or defaults.FIRST_METRIC)
        view = view.with_where(**{key: (value,) for key, value in pins.items()})
    x, y = defaults.axes(library, view, x, y)
    metric = metric or defaults.metric(library, view, (x, y))
    by = view.option("ratio_by", NONE)
    panel = view.option("panel", "accelerators")
    if panel in (x, y, by):
        panel = "accelerator" if by != "accelerator" and panel == "accelerators" else NONE
    sides = None
    if by not in (NONE, x, y):
        columns = (x, y) if panel == NONE else (x, y, panel)
        sides = defaults.sides(library, view, by, columns, metric, _asked_sides(library, view, by))
    a, b = sides or (None, None)
    return view.with_options(
        x=x, y=y, metric=metric, panel=panel, load=view.option("load", "best"), scale=view.option("scale", "auto"),
        ratio_by=by if sides else NONE, ratio_a=a, ratio_b=b,
    ).made_whole()  # fmt: skip


def choices(library: Library, view: View) -> Choices:
    """The axes, metrics, panels, loads and ratio sides that this selection holds."""
    by = view.option("ratio_by", NONE)
    values = defaults.variety(library, view, {*AXES, *PANELS, *(FILTER_BY_KEY[key].column for key in RATIOS)})
    several = [key for key in PANELS if values[key] == "several"]
    chosen = {view.option(key) for key in ("x", "y", "metric")}
    axes = [(key, _name(key)) for key in AXES if values[key] != "none" or key in chosen]
    sides = [(one.value, one.label) for one in selection.offers(library, view, by)] if by != NONE else []
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
        "ratio_a": sides,
        "ratio_b": sides,
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
    """One row for each cell some point lies in: what is charted.

    Columns: cell (its id), panel, x, y, value (None unless the state is "measured"), state ("measured", "failed",
    "no metric"; of a ratio also "only a", "only b"), points, point_id and winner, then the winner's own columns; a
    ratio has a, b, and both sides' point ids and winners instead.
    """
    whole = complete(library, view)
    grid = _grid(whole)
    return _charted(_rows(library, whole, grid, grids.census(library, whole, grid)))[0]


def answer(library: Library, view: View) -> Answer:
    """The peak and how it falls off, every cell, and what was left out; or the ratio of two sides."""
    whole = complete(library, view)
    grid = _grid(whole)
    count = grids.census(library, whole, grid)
    found, hidden = _charted(_rows(library, whole, grid, count))
    cells = records(found)
    only_measured = selection.ordinary(whole).values("evidence") == ("measured",)
    told = Told(grid, cells, count, _side_names(whole), whole.option("ratio_by"), hidden, only_measured)
    values = [cell["value"] for cell in told.measured]
    log = whole.option("scale") == "log" or (whole.option("scale") == "auto" and wants_log(values))
    numbers = {
        **{key: whole.option(key) for key in ("x", "y", "metric", "load")},
        "panel": grid.panel,
        "load_kind": count.kind,
        "unit": catalogue.metric(grid.metric).unit,
        "better": catalogue.metric(grid.metric).direction,
        "scale": "log" if log and min(values, default=0) > 0 else "linear",
        "in_doublings": sorted(count.coarse),
        "ratio": _ratio_numbers(told),
        "peak": told.peak,
        "measured": len(values),
        "selected": count.selected,
        "used": count.used,
        "left_out": {"no_metric": count.no_metric, "no_axis": count.unplaced, "not_measured": count.other_evidence,
                     "other_load_kinds": sum(count.other_kinds.values()), "panels": hidden},
        "cells": cells,
    }  # fmt: skip
    return Answer(
        question=QUESTION,
        view=whole,
        headline=sentences.headline(told),
        rows=found,
        findings=sentences.findings(told),
        numbers=numbers,
        caveats=(*_given_way(view, whole), *selection.not_loaded(library, whole), *sentences.caveats(told)),
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
    by, panel = whole.option("ratio_by"), whole.option("panel")
    sides = None
    if by != NONE:
        sides = View.of({by: [whole.option("ratio_a")]}), View.of({by: [whole.option("ratio_b")]})
    return Grid(
        x=whole.option("x"),
        y=whole.option("y"),
        panel=None if panel == NONE else panel,
        metric=whole.option("metric"),
        level=_level(whole.option("load")),
        sides=sides,
    )


def _side_names(whole: View) -> tuple[str, str] | None:
    by = whole.option("ratio_by")
    if by == NONE:
        return None
    a, b = (whole.option(key) for key in ("ratio_a", "ratio_b"))
    if FILTER_BY_KEY[by].kind == "number":
        return setting(by, float(a)), setting(by, float(b))
    return _side_name(by, a), _side_name(by, b)


def _side_name(by: str, value: str) -> str:
    """The words for one side; a family of accelerators in capitals, as they are written."""
    if by == "series":
        return f"series {value}"
    slugs = names.matching(by, value) if FILTER_BY_KEY[by].kind == "name" else (value,)
    return value_label(by, slugs[0]) if len(slugs) == 1 else value.upper()


def _rows(library: Library, whole: View, grid: Grid, count: Census) -> pd.DataFrame:
    found = grids.cells(library, whole, grid, count)
    found["panel"] = pd.Series([plain(value) for value in found["panel"]], index=found.index, dtype=object)
    known = {column for column in ("model", "precision") if found[column].nunique(dropna=False) == 1}
    found["winner"] = [sentences.winner(row, {grid.x, grid.y, *known}) for row in records(found)]
    if grid.sides is not None:
        found = _divided(found)
    else:
        found["state"] = _state(found)
    found.insert(
        0, "cell", [cell_id(*place) for place in zip(found["panel"], found["x"], found["y"], strict=True)]
    )
    first = ["cell", "panel", "x", "y", "value", "state", "points", "point_id", "winner"]
    first = [column for column in first if column in found]
    return found[
        [*first, *(column for column in found.columns if column not in {*first, "side", "measured"})]
    ]


def _state(found: pd.DataFrame) -> pd.Series:
    state = pd.Series("no metric", index=found.index, dtype=object)
    return state.mask(found["failed"] > 0, "failed").mask(found["value"].notna(), "measured")


def _divided(found: pd.DataFrame) -> pd.DataFrame:
    """Both sides' rows of a cell in one, with their ratio."""
    kept = [
        "panel",
        "x",
        "y",
        "value",
        "points",
        "failed",
        "point_id",
        "winner",
        "flags",
        "load_kind",
        *LOAD_AXES,
    ]
    place = found["panel"].map(repr)
    halves = [found.assign(place=place).loc[found["side"] == side, [*kept, "place"]] for side in ("a", "b")]
    both = halves[0].merge(halves[1], on=["place", "x", "y"], how="outer", suffixes=("_a", "_b"))
    merged = pd.DataFrame({"panel": both["panel_a"].where(both["points_a"].notna(), both["panel_b"]),
                           "x": both["x"], "y": both["y"], "value": ratios(both["value_a"], both["value_b"]),
                           "points": both[["points_a", "points_b"]].sum(axis=1).astype(int)})  # fmt: skip
    merged["failed"] = both[["failed_a", "failed_b"]].sum(axis=1).astype(int)
    merged["state"] = _state(merged)
    has_a, has_b = both["value_a"].notna(), both["value_b"].notna()
    merged["state"] = merged["state"].mask(has_a & ~has_b, "only a").mask(has_b & ~has_a, "only b")
    merged["a"], merged["b"] = both["value_a"], both["value_b"]
    for column in ("point_id", "winner", "flags", "load_kind", *LOAD_AXES):
        merged[f"{column}_a"], merged[f"{column}_b"] = both[f"{column}_a"], both[f"{column}_b"]
    merged["like_loads"] = _are_alike(both).where(has_a & has_b, None)
    merged["panel"] = pd.Series([plain(name) for name in merged["panel"]], index=merged.index, dtype=object)
    places = list(zip(merged["panel"], merged["y"], merged["x"], strict=True))
    order = sorted(range(len(places)), key=lambda row: (places[row][0] is None, *places[row]))
    return merged.iloc[order].reset_index(drop=True)


def _are_alike(both: pd.DataFrame) -> pd.Series:
    """Whether both sides were measured under the same load: of one kind and at one level, or neither states it."""
    alike = pd.Series(True, index=both.index)
    for column in ("load_kind", *LOAD_AXES):
        a, b = both[f"{column}_a"], both[f"{column}_b"]
        alike &= ((a == b) | (a.isna() & b.isna())).fillna(False).astype(bool)
    return alike.astype(object)


def _charted(found: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The rows of the panels with the most measured cells, and how many panels that leaves out."""
    keys = found["panel"].map(repr)
    sizes = (
        (found["state"] == "measured")
        .groupby(keys, sort=False)
        .sum()
        .sort_values(ascending=False, kind="stable")
    )
    kept = found[keys.isin(sizes.index[:MOST_PANELS])]
    return kept.reset_index(drop=True), max(0, len(sizes) - MOST_PANELS)


def _asked_sides(library: Library, view: View, by: str) -> tuple[str, str]:
    """The sides asked for that are loaded; "" for the others."""
    a, b = (value if value and _is_loaded(library, by, value) else "" for value in map(view.option, SIDES))
    return (a, "") if a == b else (a, b)


def _is_loaded(library: Library, by: str, value: str) -> bool:
    try:
        return not selection.not_loaded(library, View.of({by: [value]}))
    except UsageError:
        return False


def _given_way(asked: View, whole: View) -> tuple[str, ...]:
    """What was asked for and could not be."""
    sentences = []
    if asked.option("x") and asked.option("x") == asked.option("y"):
        sentences.append(
            f"Both axes were asked to be {whole.option('x')}; the other is {whole.option('y')} instead."
        )
    if asked.option("ratio_by", NONE) != whole.option("ratio_by"):
        sentences.append(f"This selection has no two values of {asked.option('ratio_by')} to divide.")
    for key in SIDES:
        if asked.option(key) and whole.option(key) and asked.option(key) not in map(whole.option, SIDES):
            sentences.append(
                f"{asked.option(key)} cannot be a side of this ratio; it is {whole.option(key)} instead."
            )
    return tuple(sentences)


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
