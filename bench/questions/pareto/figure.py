"""The Pareto chart: a faded cloud, a staircase for each frontier, the overall one beneath, knees and limits; and what a point says when pointed at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import chart
from bench.catalogue import Metric
from bench.chart import Theme
from bench.chart.axis import Axis, widened
from bench.plain_text import html
from bench.questions.pareto import labels
from bench.questions.pareto.result import Grid, Group, Pareto
from bench.wording import number

DRAWN_AS_SVG = 5_000
"""More points than this are drawn by WebGL, and only frontier points keep the long hover text."""

DRAWN_COLUMNS = ("point_id", "owner", "engine", "enters", "on_frontier", "is_knee")
HEIGHT = 580
FADED, HOLLOW = 0.3, 0.6
END_ROOM = 0.04
"""The share of an axis kept free at its end."""

MOST_SHARED = 12
"""The dominated points of this many passports, the commonest, have a trace each, which sends it once."""


def draw(found: Pareto, theme: Theme) -> go.Figure:
    """The cloud, faded, each group's frontier, the overall one, the knees and the limits; an empty one says so."""
    if found.spans is None:
        return chart.empty("No point has both metrics, so nothing is drawn.", theme)
    named = labels.named(found)
    x, y = (
        Axis(metric, span.log, *widened(span.low, span.high, span.log, END_ROOM))
        for metric, span in zip(found.metrics, found.spans, strict=True)
    )
    brief = len(found.points) > DRAWN_AS_SVG
    rows = found.points[[found.x, found.y, *DRAWN_COLUMNS]].assign(
        hover=texts(found.points, *found.metrics, brief=brief),
        passport="" if brief else found.points["passport"],
    )
    shades = _shades(found, theme)
    in_legend = len(named) < len(found.drawn) and found.group is not None
    traces = [
        *(_cloud(rows, x, y, shades, theme) if found.grid is None else [_grid(found.grid, theme)]),
        *_overall(found, x, theme),
        *(_frontier(rows, group, x, y, shades[group.owner], in_legend=in_legend) for group in found.drawn),
        _knees(found, shades),
        *labels.ring(found, theme),
        *_keys(rows, theme),
    ]
    # plotly checks traces given at once far faster than one after the other
    figure = chart.layout(go.Figure(data=traces), theme, height=HEIGHT)
    figure.update_xaxes(**x.settings)
    figure.update_yaxes(**y.settings)
    figure.update_layout(
        uirevision=f"{found.x} {found.y} {x.log}", hovermode="closest", margin_t=24, margin_r=labels.room(named, x),
        legend={"traceorder": "normal", "font_size": 12, "y": 0, "yref": "container", "yanchor": "bottom"},
    )  # fmt: skip
    labels.add_limits(figure, found, x, y, theme)
    labels.add_ends(figure, found, named, x, y, shades, theme)
    labels.add_best(figure, found, x, y, theme)
    return figure


def _shades(found: Pareto, theme: Theme) -> dict[str, str]:
    owners = sorted(group.owner for group in found.drawn)
    if found.group is None:
        return dict.fromkeys(owners, chart.OKABE_ITO[0])
    return chart.colours(found.group, owners, theme)


def _cloud(
    rows: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str], theme: Theme
) -> Iterator[dict[str, Any]]:
    """Every point that is on no frontier, faded, in its group's colour and its engine's marker."""
    beaten = rows[~rows["on_frontier"]]
    common = beaten["passport"].value_counts().index[:MOST_SHARED]
    for _, some in beaten.groupby(beaten["passport"].where(beaten["passport"].isin(common), ""), sort=False):
        yield {
            "type": "scattergl" if len(rows) > DRAWN_AS_SVG else "scatter", "mode": "markers", "showlegend": False,
            "x": some[x.metric.key], "y": some[y.metric.key], **shared(some),
            "marker": {"symbol": _symbols(some), "size": 5, "line": {"width": 0},
                       "opacity": [FADED if enters else HOLLOW for enters in some["enters"]],
                       "color": [shades.get(owner, theme.muted) for owner in some["owner"]]},
        }  # fmt: skip


def _grid(cloud: Grid, theme: Theme) -> dict[str, Any]:
    """The cloud counted in cells, darker where more points fall."""
    across, up = len(cloud.x_edges) - 1, len(cloud.y_edges) - 1
    shade: list[list[float | None]] = [[None] * across for _ in range(up)]
    counts: list[list[str]] = [[""] * across for _ in range(up)]
    for column, row, points in cloud.cells:
        shade[row][column], counts[row][column] = math.log10(points), f"{points:,}"
    faint, strong = ("#e9edf1", "#9aa7b3") if theme.name == "light" else ("#1b232b", "#5d6b78")
    return {
        "type": "heatmap", "x": cloud.x_edges, "y": cloud.y_edges, "z": shade, "text": counts, "showscale": False,
        "hoverongaps": False, "colorscale": [[0, faint], [1, strong]],
        "hovertemplate": "%{text} points in this cell<extra></extra>",
    }  # fmt: skip


def _overall(found: Pareto, x: Axis, theme: Theme) -> list[dict[str, Any]]:
    """A broad line beneath the frontiers where there are several; none of one point."""
    if len(found.overall) < 2 or len(found.drawn) < 2:
        return []
    line = sorted(found.overall, key=lambda spot: spot.x)
    return [
        {"type": "scatter", "mode": "lines", "name": "best of all", "hoverinfo": "skip", "opacity": 0.16,
         "x": [spot.x for spot in line], "y": [spot.y for spot in line],
         "line": {"color": theme.frontier, "width": 11, "shape": _stairs(x)}}
    ]  # fmt: skip


def _frontier(
    rows: pd.DataFrame, group: Group, x: Axis, y: Axis, shade: str, *, in_legend: bool
) -> dict[str, Any]:
    line = rows[rows["on_frontier"] & (rows["owner"] == group.owner)].sort_values(x.metric.key)
    return {
        "type": "scatter", "mode": "lines+markers", "name": html(group.label or "frontier"), "showlegend": in_legend,
        "x": line[x.metric.key], "y": line[y.metric.key], **shared(line),
        "line": {"color": shade, "width": 1.8, "shape": _stairs(x)},
        "marker": {"symbol": _symbols(line), "size": 8, "color": shade, "opacity": 1,
                   "line": {"width": 1.2, "color": shade}},
    }  # fmt: skip


def _knees(found: Pareto, shades: Mapping[str, str]) -> dict[str, Any]:
    knees = [(group.knee, shades[group.owner]) for group in found.drawn if group.knee is not None]
    return {
        "type": "scatter", "x": [knee.x for knee, _ in knees], "y": [knee.y for knee, _ in knees], "mode": "markers",
        "hoverinfo": "skip", "showlegend": False,
        "marker": {"symbol": "circle-open", "size": 18, "color": [shade for _, shade in knees], "line": {"width": 2}},
    }  # fmt: skip


def _keys(rows: pd.DataFrame, theme: Theme) -> Iterator[dict[str, Any]]:
    """Legend entries for what shapes mean: engines, not ranked, the knee."""
    engines = sorted(engine for engine in rows["engine"].dropna().unique() if engine)[:8]
    keys = [(chart.value_label("engine", one), chart.engine_marker(one), 8) for one in engines]
    if not rows["enters"].all():
        keys.append(("not ranked", "circle-open", 8))
    if rows["is_knee"].any():
        keys.append(("knee", "circle-open", 15))
    for label, symbol, size in keys:
        yield {
            "type": "scatter", "x": [None], "y": [None], "mode": "markers", "name": html(label), "hoverinfo": "skip",
            "marker": {"symbol": symbol, "size": size, "color": theme.muted,
                       "line": {"width": 1.5, "color": theme.muted}},
        }  # fmt: skip


def _symbols(rows: pd.DataFrame) -> list[str]:
    return [
        chart.engine_marker(engine if isinstance(engine, str) else None, measured=enters)
        for engine, enters in zip(rows["engine"], rows["enters"], strict=True)
    ]


def _stairs(x: Axis) -> str:
    """The staircase that is true between points: a requirement is served by the next point that meets it."""
    return "vh" if x.metric.direction == "higher" else "hv"


def texts(rows: pd.DataFrame, x: Metric, y: Metric, *, brief: bool) -> list[str]:
    """What each point says; a `brief` one that is on no frontier tells its place alone."""
    return [
        "<br>".join(f"{number(row[metric.key])} {html(metric.unit)}".rstrip() for metric in (y, x))
        if brief and not row["on_frontier"]
        else _long(row, x, y)
        for row in stated(rows)
    ]


def stated(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as mappings, None where nothing is stated."""
    found = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]


def shared(rows: pd.DataFrame) -> dict[str, Any]:
    """plotly's hovertemplate for these `hover` texts and, as customdata, each point's id and what it alone says.

    A template filled with a point's customdata is that point's text, letter for letter; "%{" is in none of them.
    """
    lines = [text.split("<br>") for text in rows["hover"]]
    if len({len(own) for own in lines}) > 1:
        lines = [[text] for text in rows["hover"]]
    template, columns = [], [rows["point_id"].tolist()]
    for line in zip(*lines, strict=True):
        before = _beginning(line)
        rests = [text[len(before) :] for text in line]
        after = _beginning([rest[::-1] for rest in rests])[::-1]
        if any(len(rest) > len(after) for rest in rests):
            columns.append([rest[: len(rest) - len(after)] for rest in rests])
            before += f"%{{customdata[{len(columns) - 1}]}}"
        template.append(before + after)
    return {
        "customdata": [list(own) for own in zip(*columns, strict=True)],
        "hovertemplate": f"{'<br>'.join(template)}<extra></extra>",
    }


def _beginning(parts: Sequence[str]) -> str:
    """What all parts begin with; the first and the last in order differ the earliest."""
    first, last = min(parts), max(parts)
    return first[: next((place for place, letter in enumerate(first) if letter != last[place]), len(first))]


def _long(row: dict[str, Any], x: Metric, y: Metric) -> str:
    marks = [f"{row['step']} over the point before" if row["step"] else "", "knee" if row["is_knee"] else ""]
    extra = " · ".join(mark for mark in marks if mark)
    return chart.hover_lines(row, [x.key, y.key]) + (f"<br><i>{html(extra)}</i>" if extra else "")
