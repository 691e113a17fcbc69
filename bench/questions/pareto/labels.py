"""What is written into the Pareto chart: the lines' names at their ends, the reader's limits, the best within them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from bench import chart
from bench.chart import Theme
from bench.chart.axis import Axis
from bench.plain_text import html
from bench.questions.pareto.result import Group, Pareto
from bench.wording import number

NEAR_THE_EDGE = 0.75
"""From this share of the axis on, a line ends near the edge."""

PLOTS = ((950, 430), (400, 310))
"""About the width and height of the plot in pixels on a wide and on a narrow page: labels keep apart on both."""

LETTER, LINE, MARKER, STROKE = 7.2, 17, 5, 1
"""About the width of a label's letter, the height of its line, half a marker and half a line, in pixels."""

END_GAP, FARTHEST = 10, 14
"""A label begins so many pixels right of its line's end, and moves at most so many lines up or down."""

BEST = "best within the limits"

Place = tuple[float, float]
"""A place on the plot as shares of its axes."""

Boxes = NDArray[np.float64]
"""Rectangles in pixels: for each one and each of PLOTS its left, right, lower and upper edge."""


def named(found: Pareto) -> list[Group]:
    """The groups named at their line's end: all when they are few, else those that lead somewhere."""
    if found.group is None:
        return []
    if len(found.drawn) <= chart.LABELLED_LINES:
        return list(found.drawn)
    leading = {lead.group for lead in found.leads}
    return [group for group in found.drawn if group.label in leading][: chart.LABELLED_LINES]


def room(lines: Sequence[pd.DataFrame], found: Pareto, groups: Sequence[Group], x: Axis) -> float:
    """The right margin in pixels, so that the name of a line that ends near the edge fits at every width."""
    ends = [
        (line[x.metric.key].iloc[-1], group.label)
        for line, group in zip(lines, found.drawn, strict=True)
        if group in groups
    ]
    near = [len(_shortened(name)) * LETTER + 14 for end, name in ends if x.place(float(end)) > NEAR_THE_EDGE]
    return max([24.0, *near])


def own(rows: pd.DataFrame, group: Group, x: Axis) -> pd.DataFrame:
    """The points of one group's frontier from left to right."""
    found: pd.DataFrame = rows[rows["on_frontier"] & (rows["owner"] == group.owner)]
    return found.sort_values(x.metric.key)


def add_ends(figure: go.Figure, lines: Sequence[pd.DataFrame], found: Pareto, groups: Sequence[Group], x: Axis,
             y: Axis, shades: Mapping[str, str], theme: Theme) -> None:  # fmt: skip
    """Each named frontier's name at its right end, moved up or down where it would cover another, a point or a line.

    `lines` are the points of all drawn frontiers from left to right, `groups` those of them that are named.
    """
    paths = [
        list(zip(line[x.metric.key].astype(float), line[y.metric.key].astype(float), strict=True))
        for line in lines
    ]
    last = {group.owner: path[-1] for group, path in zip(found.drawn, paths, strict=True)}
    ends = [last[group.owner] for group in groups]
    names = [_shortened(group.label) for group in groups]
    moved = shifts(
        [(x.place(right), y.place(top)) for right, top in ends],
        [len(name) * LETTER for name in names],
        [[(x.place(across), y.place(up)) for across, up in path] for path in paths],
        None if found.best is None else _best_box((x.place(found.best.x), y.place(found.best.y))),
        up_first=x.metric.direction == "higher",
    )
    added = [
        {**_at(x, y, right, top), "text": html(name), "showarrow": False, "xanchor": "left", "xshift": END_GAP,
         "yshift": shift, "font": {"color": shades[group.owner], "size": 12.5}, "bgcolor": _veil(theme),
         "borderpad": 1}
        for (right, top), name, shift, group in zip(ends, names, moved, groups, strict=True)
    ]  # fmt: skip
    figure.update_layout(annotations=[*figure.layout.annotations, *added])


def shifts(places: Sequence[Place], widths: Sequence[float], paths: Sequence[Sequence[Place]],
           taken: Boxes | None = None, *, up_first: bool = True) -> list[float]:  # fmt: skip
    """How many pixels each label moves up or down from its place, the highest placed first.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers one placed before it or a `taken` box
    while there is room, and as few points and stairs as can be; then it stays as near as it can.
    """
    placed = np.empty((0, len(PLOTS), 4)) if taken is None else taken
    drawn = _obstacles(paths, up_first=up_first)
    steps = np.array(sorted(range(-FARTHEST, FARTHEST + 1), key=lambda step: (abs(step), step > 0)))
    moved = [0.0] * len(places)
    for position in sorted(range(len(places)), key=lambda position: -places[position][1]):
        boxes = _boxes(places[position], END_GAP, END_GAP + widths[position], steps * LINE)
        middles = boxes[:, :, 2:].mean(axis=2)
        outside = ((middles < 0) | (middles > np.array(PLOTS)[:, 1])).any(axis=1)
        cost = _touching(boxes, drawn) + 0.75 * abs(steps)
        best = np.lexsort((cost, outside, _touching(boxes, placed)))[0]
        placed = np.concatenate([placed, boxes[best : best + 1]])
        moved[position] = float(steps[best] * LINE)
    return moved


def _boxes(place: Place, left: float, right: float, lifts: NDArray[np.float64]) -> Boxes:
    """The boxes of a line of text beside a place, so many pixels above it."""
    across, up = (np.array(place) * PLOTS).T
    middle = up + np.asarray(lifts, dtype=float)[:, None]
    sides = np.broadcast_to(across, middle.shape)
    return np.stack([sides + left, sides + right, middle - LINE / 2, middle + LINE / 2], axis=-1)


def _obstacles(paths: Sequence[Sequence[Place]], *, up_first: bool) -> Boxes:
    """The boxes of the points and stairs of all paths."""
    corners = []
    for path in paths:
        corners += [(one, one) for one in path]
        for one, following in pairwise(path):
            turn = (one[0], following[1]) if up_first else (following[0], one[1])
            corners += [(one, turn), (turn, following)]
    ends = np.asarray(corners, dtype=float).reshape(-1, 2, 1, 2) * np.array(PLOTS)
    half = np.where((ends[:, 0] == ends[:, 1]).all(axis=2), MARKER, STROKE)
    low, high = ends.min(axis=1), ends.max(axis=1)
    return np.stack(
        [low[..., 0] - half, high[..., 0] + half, low[..., 1] - half, high[..., 1] + half], axis=-1
    )


def _touching(boxes: Boxes, others: Boxes) -> NDArray[np.intp]:
    """How many of the others each box shares a pixel with on any of PLOTS."""
    (left, right, low, high), (west, east, south, north) = (
        np.moveaxis(some, -1, 0) for some in (boxes[:, None], others[None])
    )
    meeting = (left < east) & (west < right) & (low < north) & (south < high)
    return meeting.any(axis=2).sum(axis=1)


def add_limits(figure: go.Figure, found: Pareto, x: Axis, y: Axis, theme: Theme) -> None:
    """The reader's limits on the axes: a dashed line each with its value, a veil over what breaks it."""
    for name, axis, add_line, add_veil in (
        ("x", x, figure.add_vline, figure.add_vrect),
        ("y", y, figure.add_hline, figure.add_hrect),
    ):
        for limit in (one for one in found.limits if one.metric.key == axis.metric.key):
            if axis.log and limit.value <= 0:
                continue
            inside = min(max(limit.value, axis.low), axis.high)
            low, high = (inside, axis.high) if limit.at_most else (axis.low, inside)
            if low < high:
                veil = {"fillcolor": theme.muted, "opacity": 0.09, "line_width": 0, "layer": "below"}
                add_veil(**{f"{name}0": low, f"{name}1": high}, **veil)
            if inside != limit.value:
                continue  # beyond the edge there is no place for a line
            add_line(**{name: limit.value}, line={"color": theme.text, "width": 1.2, "dash": "dash"})
            text = f"{'≤' if limit.at_most else '≥'} {number(limit.value)} {axis.metric.unit}"
            figure.add_annotation(
                **_beside(name, axis, limit.value, y), text=html(text), showarrow=False,
                bgcolor=_veil(theme), font={"size": 12},
            )  # fmt: skip


def _beside(name: str, axis: Axis, limit: float, y: Axis) -> dict[str, Any]:
    """Where a limit is written: at its line's end, on the side of the line with more room."""
    value = math.log10(limit) if axis.log else limit
    past_the_middle = axis.place(limit) > 0.5
    if name == "y":
        anchor = "top" if past_the_middle else "bottom"
        return {"yref": "y", "y": value, "yanchor": anchor, "xref": "paper", "x": 0, "xanchor": "left"}
    anchor, shift = ("right", -3) if past_the_middle else ("left", 3)
    end, inwards = (0, "bottom") if y.metric.direction == "higher" else (1, "top")
    across = {"xref": "x", "x": value, "xanchor": anchor, "xshift": shift}
    return {**across, "yref": "paper", "y": end, "yanchor": inwards}


def ring(found: Pareto, theme: Theme) -> list[dict[str, Any]]:
    """The trace of a ring around the best point within the limits; none without one."""
    if found.best is None:
        return []
    marker = {"symbol": "circle-open", "size": 26, "color": theme.text, "line": {"width": 2.2}}
    return [{"type": "scatter", "x": [found.best.x], "y": [found.best.y], "mode": "markers", "hoverinfo": "skip",
             "showlegend": False, "marker": marker}]  # fmt: skip


def add_best(figure: go.Figure, found: Pareto, x: Axis, y: Axis, theme: Theme) -> None:
    """The name of the best point within the limits."""
    if found.best is None:
        return
    leftwards = x.place(found.best.x) > NEAR_THE_EDGE
    figure.add_annotation(
        **_at(x, y, found.best.x, found.best.y), text=f"<b>{BEST}</b>", showarrow=False,
        xanchor="right" if leftwards else "left", yanchor="bottom", xshift=-12 if leftwards else 12, yshift=12,
        bgcolor=_veil(theme), font={"size": 12},
    )  # fmt: skip


def _best_box(best: Place) -> Boxes:
    width = len(BEST) * LETTER
    left = -12 - width if best[0] > NEAR_THE_EDGE else 12
    return _boxes(best, left, left + width, np.array([12 + LINE / 2]))


def _veil(theme: Theme) -> str:
    """The background, not quite opaque, so that a label stays readable over lines."""
    red, green, blue = (int(theme.background[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.6)"


def _at(x: Axis, y: Axis, across: float, up: float) -> dict[str, float]:
    """A place for an annotation: on a logarithmic axis plotly wants the exponent."""
    return {"x": math.log10(across) if x.log else across, "y": math.log10(up) if y.log else up}


def _shortened(label: str) -> str:
    return label if len(label) <= 28 else f"{label[:27]}…"
