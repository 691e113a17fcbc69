"""What is written into the Pareto chart: the lines' names at their ends, the reader's limits, the best within them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Box:
    """A rectangle on the plot in pixels from its lower left corner."""

    left: float
    right: float
    low: float
    high: float

    def touches(self, other: Box) -> bool:
        """Whether the two share any pixel."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.low < other.high
            and other.low < self.high
        )


def named(numbers: Mapping[str, Any], drawn: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The groups named at their line's end: all when they are few, else those that lead somewhere."""
    if numbers["group"] is None:
        return []
    if len(drawn) <= chart.LABELLED_LINES:
        return list(drawn)
    leading = {lead["group"] for lead in numbers["leads"]}
    return [group for group in drawn if group["group"] in leading][: chart.LABELLED_LINES]


def room(rows: pd.DataFrame, groups: Sequence[Mapping[str, Any]], x: Axis) -> float:
    """The right margin in pixels, so that the name of a line that ends near the edge fits at every width."""
    ends = [(own(rows, group["owner"], x)[x.metric.key].iloc[-1], group["group"]) for group in groups]
    near = [len(_shortened(name)) * LETTER + 14 for end, name in ends if x.place(float(end)) > NEAR_THE_EDGE]
    return max([24.0, *near])


def own(rows: pd.DataFrame, owner: str, x: Axis) -> pd.DataFrame:
    """The points of one group's frontier from left to right."""
    found: pd.DataFrame = rows[rows["on_frontier"] & (rows["owner"] == owner)]
    return found.sort_values(x.metric.key)


def add_ends(figure: go.Figure, lines: Sequence[pd.DataFrame], drawn: Sequence[Mapping[str, Any]],
             groups: Sequence[Mapping[str, Any]], best: Mapping[str, Any] | None, x: Axis, y: Axis,
             shades: Mapping[str, str], theme: Theme) -> None:  # fmt: skip
    """Each named frontier's name at its right end, moved up or down where it would cover another, a point or a line.

    `lines` are the points of all `drawn` frontiers from left to right, `groups` those of them that are named.
    """
    paths = [
        list(zip(line[x.metric.key].astype(float), line[y.metric.key].astype(float), strict=True))
        for line in lines
    ]
    last = {group["owner"]: path[-1] for group, path in zip(drawn, paths, strict=True)}
    ends = [last[group["owner"]] for group in groups]
    names = [_shortened(group["group"]) for group in groups]
    moved = shifts(
        [(x.place(right), y.place(top)) for right, top in ends],
        [len(name) * LETTER for name in names],
        [[(x.place(across), y.place(up)) for across, up in path] for path in paths],
        [] if best is None else [_best_boxes(x.place(best["x"]), y.place(best["y"]))],
        up_first=x.metric.direction == "higher",
    )
    added = [
        {**_at(x, y, right, top), "text": html(name), "showarrow": False, "xanchor": "left", "xshift": END_GAP,
         "yshift": shift, "font": {"color": shades[group["owner"]], "size": 12.5}, "bgcolor": _veil(theme),
         "borderpad": 1}
        for (right, top), name, shift, group in zip(ends, names, moved, groups, strict=True)
    ]  # fmt: skip
    figure.update_layout(annotations=[*figure.layout.annotations, *added])


def shifts(
    places: Sequence[Place], widths: Sequence[float], paths: Sequence[Sequence[Place]],
    taken: Iterable[tuple[Box, ...]] = (), *, up_first: bool = True,
) -> list[float]:  # fmt: skip
    """How many pixels each label moves up or down from its place, the highest placed first.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers one placed before it or a `taken` box (a
    box for each of PLOTS) while there is room, and as few points and stairs as can be; then it stays as near as it
    can.
    """
    placed = list(taken)
    drawn = _obstacles(paths, up_first=up_first)
    steps = sorted(range(-FARTHEST, FARTHEST + 1), key=lambda step: (abs(step), step > 0))
    moved = [0.0] * len(places)
    for position in sorted(range(len(places)), key=lambda position: -places[position][1]):
        up = places[position][1]
        boxes = [
            _boxes(places[position], END_GAP, END_GAP + widths[position], LINE / 2, step * LINE)
            for step in steps
        ]
        covered = _covered(boxes, drawn)

        def cost(
            at: int, up: float = up, boxes: list[tuple[Box, ...]] = boxes, covered: Any = covered
        ) -> Any:
            lift = steps[at] * LINE
            outside = any(not 0 <= up * height + lift <= height for _, height in PLOTS)
            hit = sum(_touch(boxes[at], other) for other in placed)
            return hit, outside, covered[at] + 0.75 * abs(steps[at])

        best = min(range(len(steps)), key=cost)
        placed.append(boxes[best])
        moved[position] = float(steps[best] * LINE)
    return moved


def _obstacles(paths: Sequence[Sequence[Place]], *, up_first: bool) -> list[NDArray[np.float64]]:
    """For each of PLOTS the boxes of the points and stairs of all paths: left, right, low and high of each."""
    corners = []
    for path in paths:
        corners += [(one, one) for one in path]
        for one, following in pairwise(path):
            turn = (one[0], following[1]) if up_first else (following[0], one[1])
            corners += [(one, turn), (turn, following)]
    ends = np.asarray(corners, dtype=float).reshape(-1, 2, 2)
    half = np.where((ends[:, 0] == ends[:, 1]).all(axis=1), MARKER, STROKE)[:, None]
    found = []
    for plot in PLOTS:
        low, high = ends.min(axis=1) * plot - half, ends.max(axis=1) * plot + half
        found.append(np.stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]]))
    return found


def _covered(boxes: Sequence[tuple[Box, ...]], drawn: Sequence[NDArray[np.float64]]) -> NDArray[np.intp]:
    """How many obstacles each label would cover, on the plot where they are more."""
    counts = []
    for plot, (left, right, low, high) in enumerate(drawn):
        own = np.array([[box[plot].left, box[plot].right, box[plot].low, box[plot].high] for box in boxes])
        touching = (own[:, :1] < right) & (left < own[:, 1:2]) & (own[:, 2:3] < high) & (low < own[:, 3:])
        counts.append(touching.sum(axis=1))
    return np.max(counts, axis=0)  # type: ignore[no-any-return]


def add_limits(figure: go.Figure, numbers: Mapping[str, Any], x: Axis, y: Axis, theme: Theme) -> None:
    """The reader's limits: a dashed line each with its value where it is on the axis, a veil over what misses it."""
    for name, axis, add_line, add_veil in (
        ("x", x, figure.add_vline, figure.add_vrect),
        ("y", y, figure.add_hline, figure.add_hrect),
    ):
        limit = numbers[f"slo_{name}"]
        if limit is None or (axis.log and limit <= 0):
            continue
        inside = min(max(limit, axis.low), axis.high)
        low, high = (axis.low, inside) if axis.metric.direction == "higher" else (inside, axis.high)
        if low < high:
            add_veil(
                **{f"{name}0": low, f"{name}1": high},
                fillcolor=theme.muted,
                opacity=0.09,
                line_width=0,
                layer="below",
            )
        if inside != limit:
            continue  # beyond the edge there is no place for a line
        add_line(**{name: limit}, line={"color": theme.text, "width": 1.2, "dash": "dash"})
        sign = "≥" if axis.metric.direction == "higher" else "≤"
        figure.add_annotation(
            **_beside(name, axis, limit, y), text=html(f"{sign} {number(limit)} {axis.metric.unit}"), showarrow=False,
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


def ring(best: Mapping[str, Any] | None, theme: Theme) -> list[dict[str, Any]]:
    """The trace of a ring around the best point within the limits; none without one."""
    if best is None:
        return []
    marker = {"symbol": "circle-open", "size": 26, "color": theme.text, "line": {"width": 2.2}}
    place = {"x": [best["x"]], "y": [best["y"]]}
    return [
        {
            "type": "scatter",
            **place,
            "mode": "markers",
            "hoverinfo": "skip",
            "showlegend": False,
            "marker": marker,
        }
    ]


def add_best(figure: go.Figure, best: Mapping[str, Any] | None, x: Axis, y: Axis, theme: Theme) -> None:
    """The name of the best point within the limits."""
    if best is None:
        return
    leftwards = x.place(best["x"]) > NEAR_THE_EDGE
    figure.add_annotation(
        **_at(x, y, best["x"], best["y"]), text=f"<b>{BEST}</b>", showarrow=False,
        xanchor="right" if leftwards else "left", yanchor="bottom", xshift=-12 if leftwards else 12, yshift=12,
        bgcolor=_veil(theme), font={"size": 12},
    )  # fmt: skip


def _best_boxes(across: float, up: float) -> tuple[Box, ...]:
    width = len(BEST) * LETTER
    left = -12 - width if across > NEAR_THE_EDGE else 12
    return _boxes((across, up), left, left + width, LINE / 2, 12 + LINE / 2)


def _boxes(
    place: tuple[float, float], left: float, right: float, half: float, lift: float = 0
) -> tuple[Box, ...]:
    """A box beside a place for each of PLOTS, `half` its height, `lift` pixels above the place."""
    across, up = place
    return tuple(
        Box(
            across * width + left,
            across * width + right,
            up * height + lift - half,
            up * height + lift + half,
        )
        for width, height in PLOTS
    )


def _touch(one: tuple[Box, ...], other: tuple[Box, ...]) -> bool:
    return any(box.touches(beside) for box, beside in zip(one, other, strict=True))


def _veil(theme: Theme) -> str:
    """The background, not quite opaque, so that a label stays readable over lines."""
    red, green, blue = (int(theme.background[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.6)"


def _at(x: Axis, y: Axis, across: float, up: float) -> dict[str, float]:
    """A place for an annotation: on a logarithmic axis plotly wants the exponent."""
    return {"x": math.log10(across) if x.log else across, "y": math.log10(up) if y.log else up}


def _shortened(label: str) -> str:
    return label if len(label) <= 28 else f"{label[:27]}…"
