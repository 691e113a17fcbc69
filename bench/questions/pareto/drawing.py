"""The Pareto chart: a faded cloud, a staircase for each frontier, the overall one beneath, knees and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import Theme
from bench.chart.axis import Axis, widened
from bench.plain_text import html
from bench.questions.pareto import hover, labels

DRAWN_GROUPS = 16
"""So many groups get a line, those with the best y first; the points of the others stay in the cloud."""

DRAWN_AS_SVG = 5_000
"""More points than this are drawn by WebGL, and only frontier points keep the long hover text."""

DRAWN_COLUMNS = ("point_id", "owner", "engine", "evidence", "on_frontier", "on_overall_frontier", "is_knee")
HEIGHT = 580
FADED = 0.3
END_ROOM = 0.04
"""The share of an axis kept free at its end."""

MOST_SHARED = 12
"""The dominated points of this many passports, the commonest, have a trace each, which sends it once."""


def draw(rows: pd.DataFrame, numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The chart of an answer's rows and numbers; an empty one says so."""
    if rows.empty:
        return chart.empty("No point has both metrics, so nothing is drawn.", theme)
    drawn = numbers["groups"][:DRAWN_GROUPS]
    named = labels.named(numbers, drawn)
    x, y = _axes(rows, numbers)
    brief = len(rows) > DRAWN_AS_SVG
    rows = rows[[x.metric.key, y.metric.key, *DRAWN_COLUMNS]].assign(
        hover=hover.texts(rows, x.metric, y.metric, brief=brief), passport="" if brief else rows["passport"]
    )
    shades = _shades(numbers["group"], [group["owner"] for group in drawn], theme)
    in_legend = len(named) < len(drawn) and numbers["group"] is not None
    lines = [labels.own(rows, group["owner"], x) for group in drawn]
    traces = [
        *([_grid(numbers["cloud"], theme)] if "cloud" in numbers else _cloud(rows, x, y, shades, theme)),
        *(_overall(rows, x, y, theme) if len(drawn) > 1 else ()),
        *(
            _frontier(line, group, x, y, shades[group["owner"]], in_legend=in_legend)
            for line, group in zip(lines, drawn, strict=True)
        ),
        _knees(rows[rows["is_knee"]], x, y, shades),
        *labels.ring(numbers["best_within"], theme),
        *_keys(rows, theme),
    ]
    figure = _laid_out(traces, numbers, theme)
    figure.update_xaxes(**x.settings)
    figure.update_yaxes(**y.settings)
    figure.update_layout(margin_r=labels.room(rows, named, x))
    labels.add_limits(figure, numbers, x, y, theme)
    labels.add_ends(figure, lines, drawn, named, numbers["best_within"], x, y, shades, theme)
    labels.add_best(figure, numbers["best_within"], x, y, theme)
    return figure


def _laid_out(traces: Sequence[Mapping[str, Any]], numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The figure with all its traces: plotly checks those given at once far faster than one after the other."""
    figure = chart.layout(go.Figure(data=list(traces)), theme, height=HEIGHT)
    figure.update_layout(uirevision=f"{numbers['x']} {numbers['y']} {numbers['x_log']}", hovermode="closest")
    figure.update_layout(margin_t=24, legend={
        "traceorder": "normal", "font_size": 12, "y": 0, "yref": "container", "yanchor": "bottom"})  # fmt: skip
    return figure


def _axes(rows: pd.DataFrame, numbers: Mapping[str, Any]) -> tuple[Axis, Axis]:
    """Both axes, over the points or over the grid they are counted in."""
    axes = []
    for name in ("x", "y"):
        values, log = rows[numbers[name]], numbers[f"{name}_log"]
        ends = numbers["cloud"][f"{name}_edges"] if "cloud" in numbers else [values.min(), values.max()]
        reach = widened(float(ends[0]), float(ends[-1]), log, END_ROOM)
        axes.append(Axis(catalogue.metric(numbers[name]), log, *reach))
    return axes[0], axes[1]


def _shades(field: str | None, owners: Sequence[str], theme: Theme) -> dict[str, str]:
    if field is None:
        return dict.fromkeys(owners, chart.OKABE_ITO[0])
    return chart.colours(field, sorted(owners), theme)


def _cloud(
    rows: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str], theme: Theme
) -> Iterator[dict[str, Any]]:
    """Every point that is on no frontier, faded, in its group's colour and its engine's marker."""
    beaten = rows[~rows["on_frontier"]]
    common = beaten["passport"].value_counts().index[:MOST_SHARED]
    for _, some in beaten.groupby(beaten["passport"].where(beaten["passport"].isin(common), ""), sort=False):
        colours = [shades.get(owner, theme.muted) for owner in some["owner"]]
        marker = {
            "symbol": _symbols(some),
            "size": 5,
            "color": colours,
            "opacity": FADED,
            "line": {"width": 0},
        }
        yield {
            "type": "scattergl" if len(rows) > DRAWN_AS_SVG else "scatter",
            "x": some[x.metric.key],
            "y": some[y.metric.key],
            "mode": "markers",
            "showlegend": False,
            "marker": marker,
            **_hover(some, x, y),
        }


def _hover(rows: pd.DataFrame, x: Axis, y: Axis) -> dict[str, Any]:
    return hover.shared(rows["hover"].tolist(), rows["point_id"].tolist(), x.metric, y.metric)


def _grid(cloud: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """The cloud counted in cells, darker where more points fall."""
    across, up = len(cloud["x_edges"]) - 1, len(cloud["y_edges"]) - 1
    shade: list[list[float | None]] = [[None] * across for _ in range(up)]
    counts: list[list[str]] = [[""] * across for _ in range(up)]
    for column, row, points in cloud["cells"]:
        shade[row][column], counts[row][column] = math.log10(points), f"{points:,}"
    faint, strong = ("#e9edf1", "#9aa7b3") if theme.name == "light" else ("#1b232b", "#5d6b78")
    return {
        "type": "heatmap",
        "x": cloud["x_edges"],
        "y": cloud["y_edges"],
        "z": shade,
        "text": counts,
        "showscale": False,
        "hoverongaps": False,
        "colorscale": [[0, faint], [1, strong]],
        "hovertemplate": "%{text} points in this cell<extra></extra>",
    }


def _overall(rows: pd.DataFrame, x: Axis, y: Axis, theme: Theme) -> list[dict[str, Any]]:
    line = rows[rows["on_overall_frontier"]].sort_values(x.metric.key)
    if len(line) < 2:
        return []
    return [
        {
            "type": "scatter",
            "x": line[x.metric.key],
            "y": line[y.metric.key],
            "mode": "lines",
            "name": "best of all",
            "hoverinfo": "skip",
            "opacity": 0.16,
            "line": {"color": theme.frontier, "width": 11, "shape": _stairs(x)},
        }
    ]


def _frontier(line: pd.DataFrame, group: Mapping[str, Any], x: Axis, y: Axis, shade: str,
              *, in_legend: bool) -> dict[str, Any]:  # fmt: skip
    return {
        "type": "scatter",
        "x": line[x.metric.key],
        "y": line[y.metric.key],
        "mode": "lines+markers",
        "name": html(group["group"] or "frontier"),
        "showlegend": in_legend,
        **_hover(line, x, y),
        "line": {"color": shade, "width": 1.8, "shape": _stairs(x)},
        "marker": {
            "symbol": _symbols(line),
            "size": 8,
            "color": shade,
            "opacity": 1,
            "line": {"width": 1.2, "color": shade},
        },
    }


def _knees(knees: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str]) -> dict[str, Any]:
    drawn = knees[knees["owner"].isin(list(shades))]
    rings = [shades[owner] for owner in drawn["owner"]]
    return {
        "type": "scatter",
        "x": drawn[x.metric.key],
        "y": drawn[y.metric.key],
        "mode": "markers",
        "hoverinfo": "skip",
        "showlegend": False,
        "marker": {"symbol": "circle-open", "size": 18, "color": rings, "line": {"width": 2}},
    }


def _keys(rows: pd.DataFrame, theme: Theme) -> Iterator[dict[str, Any]]:
    """Legend entries for what shapes mean: engines, not measured, the knee."""
    engines = [engine for engine in rows["engine"].dropna().unique() if engine]
    keys = [
        (chart.value_label("engine", engine), chart.engine_marker(engine), 8)
        for engine in sorted(engines)[:8]
    ]
    if (rows["evidence"] != "measured").any():
        keys.append(("not measured", "circle-open", 8))
    if rows["is_knee"].any():
        keys.append(("knee", "circle-open", 15))
    for label, symbol, size in keys:
        yield {
            "type": "scatter",
            "x": [None],
            "y": [None],
            "mode": "markers",
            "name": html(label),
            "hoverinfo": "skip",
            "marker": {
                "symbol": symbol,
                "size": size,
                "color": theme.muted,
                "line": {"width": 1.5, "color": theme.muted},
            },
        }


def _symbols(rows: pd.DataFrame) -> list[str]:
    return [
        chart.engine_marker(engine if isinstance(engine, str) else None, measured=evidence == "measured")
        for engine, evidence in zip(rows["engine"], rows["evidence"], strict=True)
    ]


def _stairs(x: Axis) -> str:
    """The staircase that is true between points: a requirement is served by the next point that meets it."""
    return "vh" if x.metric.direction == "higher" else "hv"
