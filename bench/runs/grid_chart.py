"""The chart of a plan as it fills: a row for each shape, a column for each load, its throughput once measured."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import Theme
from bench.chart.colouring import DARK_INK, LIGHT_INK, of_values
from bench.flags import words as flag_words
from bench.plain_text import html
from bench.runs.levels import THROUGHPUT
from bench.runs.run import RunStory
from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import Shape, load_words
from bench.wording import counted, number, quantity

ROW_PX, AROUND_PX, MOST_PX = 34, 100, 620
MOST_FLAGS = 8
SHORT = ("concurrency ", " requests/s", " request/s")


def figure(story: RunStory, plan: Plan, theme: Theme) -> go.Figure:
    """The planned points as cells: filled with their throughput once measured, crossed where no request succeeded."""
    points = searches.possible(plan)
    shapes = list(dict.fromkeys(point.shape for point in points))
    loads = list(dict.fromkeys(load_words(point.load) for point in points))
    measured: dict[tuple[Shape, str], list[float]] = {}
    lines = {line.key: line for line in story.lines}
    hover = [["" for _ in loads] for _ in shapes]
    text = [["" for _ in loads] for _ in shapes]
    for point in points:
        row, column = shapes.index(point.shape), loads.index(load_words(point.load))
        line = lines.get(point.key)
        hover[row][column] = f"{html(_shape(point.shape))}<br>{html(load_words(point.load))}<br>not measured yet"
        if line is None:
            continue
        value = line.metrics.get(THROUGHPUT)
        said = quantity(value, THROUGHPUT) if value else "no request succeeded"
        lost = f"<br>{counted(line.requests_failed, 'request')} failed" if line.requests_failed else ""
        hover[row][column] = (
            f"{html(_shape(point.shape))}<br>{html(load_words(point.load))}<br><b>{html(said)}</b>{lost}"
        )
        text[row][column] = "×"
        if value:
            measured.setdefault((point.shape, loads[column]), []).append(value)
    cells = np.array(
        [
            [median(measured[key]) if (key := (shape, load)) in measured else np.nan for load in loads]
            for shape in shapes
        ]
    )
    return _drawn(cells, text, hover, shapes, loads, theme)


def flags(story: RunStory) -> tuple[str, ...]:
    """What is wrong with the points so far: each kind of flag once, with how many points have it and what to do."""
    by_kind: dict[str, list[int]] = {}
    advice: dict[str, str] = {}
    for line in story.lines:
        for flag in line.flags:
            by_kind.setdefault(flag.kind, []).append(line.number)
            advice.setdefault(flag.kind, f"{flag.seen} {flag.do}")
    lines = [
        f"{counted(len(numbers), 'point')} flagged {flag_words(kind)}, such as point {numbers[0]}: {advice[kind]}"
        for kind, numbers in by_kind.items()
    ]
    return (
        *lines[:MOST_FLAGS],
        *([f"{len(lines) - MOST_FLAGS} more kinds of flag are in the table."] if len(lines) > MOST_FLAGS else []),
    )


def _drawn(
    cells: np.ndarray,
    text: list[list[str]],
    hover: list[list[str]],
    shapes: list[Shape],
    loads: list[str],
    theme: Theme,
) -> go.Figure:
    metric = catalogue.metric(THROUGHPUT)
    known = cells[~np.isnan(cells)]
    colouring = of_values(known, "higher", log=False)
    dark = colouring.dark_ink(np.where(np.isnan(cells), 0, cells))
    made = chart.layout(go.Figure(), theme, height=min(MOST_PX, AROUND_PX + ROW_PX * len(shapes)))
    names: dict[str, Any] = {
        "x": [short_load(load) for load in loads],
        "y": [_shape(shape) for shape in shapes],
        "xgap": 3,
        "ygap": 3,
    }
    made.add_heatmap(
        z=np.zeros(cells.shape), colorscale=[theme.grid, theme.grid], showscale=False, hoverinfo="skip", **names
    )
    made.add_heatmap(
        z=cells,
        **names,
        zmin=colouring.low,
        zmax=colouring.high,
        colorscale=list(colouring.stops),
        showscale=False,
        text=hover,
        hoverinfo="text",
        hoverongaps=True,
    )
    for row, column in np.ndindex(cells.shape):
        value = float(cells[row, column])
        is_known = not np.isnan(value)
        if said := number(value) if is_known else text[row][column]:
            ink = theme.text if not is_known else DARK_INK if dark[row, column] else LIGHT_INK
            made.add_annotation(x=column, y=row, text=html(said), showarrow=False, font={"size": 12, "color": ink})
    kinds = {load.partition(" ")[0] == "concurrency" for load in loads}
    named = "Concurrency" if kinds == {True} else "Requests/s" if kinds == {False} else "Load"
    made.update_xaxes(type="category", title={"text": named, "font": {"size": 13}}, showgrid=False, ticks="")
    made.update_yaxes(type="category", autorange="reversed", showgrid=False, ticks="", automargin=True)
    made.update_layout(
        margin={"t": 28}, title={"text": html(f"{metric.axis}, as the points finish"), "font_size": 13, "x": 0}
    )
    return made


def _shape(shape: Shape) -> str:
    if shape.isl is None or shape.osl is None:
        return shape.key
    return f"{shape.isl} in / {shape.osl} out"


def short_load(load: str) -> str:
    """The number of a load in words."""
    for part in SHORT:
        load = load.removeprefix(part).removesuffix(part)
    return load
