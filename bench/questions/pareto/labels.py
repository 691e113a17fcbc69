"""What is written into the Pareto chart: the lines' names at their ends, the reader's limits, the best within them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme
from bench.chart.axis import Axis
from bench.chart.line_names import END_GAP, LETTER, LINE, Boxes, Place, boxes, shifts
from bench.plain_text import html
from bench.questions.pareto.result import Group, Pareto
from bench.wording import number

NEAR_THE_EDGE = 0.75
"""From this share of the axis on, a line ends near the edge."""

BEST = "best within the limits"


def named(found: Pareto) -> list[Group]:
    """The groups named at their line's end: all when they are few, else those that lead somewhere."""
    few, leading = len(found.drawn) <= chart.LABELLED_LINES, {lead.group for lead in found.leads}
    told = [group for group in found.drawn if group.label and (few or group.label in leading)]
    return told[: chart.LABELLED_LINES]


def room(groups: Sequence[Group], x: Axis) -> float:
    """The right margin in pixels, so that the name of a line that ends near the edge fits at every width."""
    ends = [(x.place(max(group.line)[0]), len(_shortened(group.label)) * LETTER + 14) for group in groups]
    return max([24.0, *(width for end, width in ends if end > NEAR_THE_EDGE)])


def add_ends(figure: go.Figure, found: Pareto, groups: Sequence[Group], x: Axis, y: Axis,
             shades: Mapping[str, str], theme: Theme) -> None:  # fmt: skip
    """Each named frontier's name at its right end, moved up or down where it would cover another, a point or a line."""
    paths = [[(x.place(across), y.place(up)) for across, up in sorted(group.line)] for group in found.drawn]
    ends = {group.owner: path[-1] for group, path in zip(found.drawn, paths, strict=True)}
    names = [_shortened(group.label) for group in groups]
    moved = shifts(
        [ends[group.owner] for group in groups], [len(name) * LETTER for name in names], paths,
        None if found.best is None else _best_box((x.place(found.best.x), y.place(found.best.y))),
        up_first=x.metric.direction == "higher",
    )  # fmt: skip
    added = [
        {**_at(x, y, *max(group.line)), "text": html(name), "showarrow": False, "xanchor": "left", "xshift": END_GAP,
         "yshift": shift, "font": {"color": shades[group.owner], "size": 12.5}, "bgcolor": _veil(theme),
         "borderpad": 1}
        for name, shift, group in zip(names, moved, groups, strict=True)
    ]  # fmt: skip
    figure.update_layout(annotations=[*figure.layout.annotations, *added])


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
    return boxes(best, left, left + width, [12 + LINE / 2])


def _veil(theme: Theme) -> str:
    """The background, not quite opaque, so that a label stays readable over lines."""
    red, green, blue = (int(theme.background[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.6)"


def _at(x: Axis, y: Axis, across: float, up: float) -> dict[str, float]:
    """A place for an annotation: on a logarithmic axis plotly wants the exponent."""
    return {"x": math.log10(across) if x.log else across, "y": math.log10(up) if y.log else up}


def _shortened(label: str) -> str:
    return label if len(label) <= 28 else f"{label[:27]}…"
