"""The Pareto chart: a faded cloud, a staircase for each frontier, the overall one beneath, and what points say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import chart
from bench.basis.document import records
from bench.basis.evidence import BEYOND, UNKNOWN
from bench.catalogue import Metric
from bench.chart import Theme, line_names, value_label
from bench.chart.axis import Axis, widened
from bench.chart.line_names import LineEnd
from bench.chart.shades import faint, told_apart
from bench.chart.texts import text_at
from bench.chart.traces import marker, scatter, stroke
from bench.plain_text import html
from bench.questions.pareto.points import ASIDE
from bench.questions.pareto.result import CloudGrid, Group, Pareto
from bench.wording import quantity

DRAWN_AS_SVG = 5_000
"""More points than this are drawn by WebGL, and only frontier points keep the long hover text."""

DRAWN_COLUMNS = ("point_id", "owner", "engine", "enters", "aside", "on_frontier", "is_knee")
HEIGHT, PLOT_PX = 580, 340
"""The height of the chart, and about that of its plot where the legends have most lines."""

BEHIND, LEADING = 6.5, 9
"""The sizes of points behind the frontiers and on them."""

END_ROOM = 0.04
"""The share of an axis kept free at its end."""

MOST_SHARED = 12
"""The dominated points of this many passports, the commonest, have a trace each, which sends it once."""

RING_PX, PAST = 15, 0.7
"""How far the ring around the best point reaches; past so large a share of the plot its name ends there."""

DIMMED = 0.45
"""The opacity of the hollow points that break a limit, or do not state what it is on."""

LIMITED = {ASIDE[BEYOND]: "beyond the limits", ASIDE[UNKNOWN]: "limit not stated"}
"""What the legend calls those, by what keeps them out."""

OF_A_LIMIT = {ASIDE[BEYOND]: "circle-open", ASIDE[UNKNOWN]: "circle-open-dot"}
"""Their shapes in the legend, where those of one engine are."""


def draw(pareto: Pareto, theme: Theme) -> go.Figure:
    """The cloud, faded, each group's frontier, the overall one, the knees and the limits; an empty one says so."""
    if pareto.spans is None:
        return chart.empty("No point has both metrics.", theme)
    x, y = (
        Axis(metric, span.log, *widened(span.low, span.high, span.log, END_ROOM))
        for metric, span in zip(pareto.metrics, pareto.spans, strict=True)
    )
    brief = len(pareto.points) > DRAWN_AS_SVG
    rows = pareto.points[[pareto.x, pareto.y, *DRAWN_COLUMNS]].assign(
        hover=_texts(pareto.points, *pareto.metrics, brief=brief), passport="" if brief else pareto.points["passport"]
    )
    shades = _shades(pareto, theme)
    in_legend = pareto.group is not None
    traces = [
        *(_cloud(rows, x, y, shades, theme) if pareto.grid is None else [_grid(pareto.grid, theme)]),
        *_overall(pareto, x, theme),
        *(_frontier(rows, group, x, y, shades[group.owner], in_legend=in_legend) for group in pareto.drawn),
        *_knees(pareto, shades),
        *_names(pareto, x, y, shades, theme),
        *_ring(pareto, theme),
        *_keys(rows, theme),
    ]
    # In one piece: plotly checks it several times faster at once than one update at a time.
    settings = chart.axes_layout(theme, x.settings, y.settings, height=HEIGHT)
    settings["uirevision"] = f"{pareto.x} {pareto.y} {x.log}"
    figure = go.Figure({"data": traces, "layout": settings})
    _add_limits(figure, pareto, x, y, theme)
    _add_best(figure, pareto, x, y, theme)
    return figure


def _shades(pareto: Pareto, theme: Theme) -> dict[str, str]:
    """The colour of each line; where two are hard to tell apart the one that leads keeps its own."""
    leading = {lead.group for lead in pareto.leads}
    order = [one.owner for one in sorted(pareto.drawn, key=lambda group: group.label not in leading)]
    if pareto.group is None:
        return dict.fromkeys(order, chart.PALETTES[theme.name][0])
    many = len(chart.PALETTES[theme.name])
    colours = chart.colours(pareto.group, [*sorted(order[:many]), *order[many:]], theme)
    return told_apart({owner: colours[owner] for owner in order}, theme)


def _cloud(rows: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str], theme: Theme) -> Iterator[dict[str, Any]]:
    """Every point that is on no frontier, smaller and fainter, in its line's colour and its engine's marker."""
    beaten = rows[~rows["on_frontier"]]
    common = beaten["passport"].value_counts().index[:MOST_SHARED]
    shared_passport = beaten["passport"].where(beaten["passport"].isin(common), "")
    owners = beaten["owner"].where(beaten["owner"].isin(list(shades)), "")
    for (owner, _), some in beaten.groupby([owners, shared_passport], sort=False):
        shade = shades.get(str(owner), theme.rest)
        kept = zip(some["enters"], some["aside"], strict=True)
        opacities = [_opacity(enters, aside, shade, theme) for enters, aside in kept]
        yield scatter(
            some[x.metric.key],
            some[y.metric.key],
            shared(some),
            type="scattergl" if len(rows) > DRAWN_AS_SVG else "scatter",
            showlegend=False,
            **({"legendgroup": html(str(owner))} if owner in shades else {}),
            marker=marker(_symbols(some), BEHIND, shade, opacity=opacities),
        )


def _opacity(enters: bool, aside: str | None, shade: str, theme: Theme) -> float:
    """Faint behind a frontier, dimmed where a limit keeps a point out, else not faded: it is hollow already."""
    return faint(shade, theme) if enters else DIMMED if aside in LIMITED else 1.0


def _grid(cloud: CloudGrid, theme: Theme) -> dict[str, Any]:
    """The cloud counted in cells, darker where more points fall."""
    across, up = len(cloud.x_edges) - 1, len(cloud.y_edges) - 1
    shade: list[list[float | None]] = [[None] * across for _ in range(up)]
    counts: list[list[str]] = [[""] * across for _ in range(up)]
    for column, row, points in cloud.cells:
        shade[row][column], counts[row][column] = math.log10(points), f"{points:,}"
    faint, strong = ("#e9edf1", "#9aa7b3") if theme.name == "light" else ("#1b232b", "#5d6b78")
    return {
        "type": "heatmap",
        "x": cloud.x_edges,
        "y": cloud.y_edges,
        "z": shade,
        "text": counts,
        "showscale": False,
        "hoverongaps": False,
        "colorscale": [[0, faint], [1, strong]],
        "hovertemplate": "%{text} points in this cell<extra></extra>",
    }


def _overall(pareto: Pareto, x: Axis, theme: Theme) -> list[dict[str, Any]]:
    """A broad line beneath the frontiers where there are several; none of one point."""
    if len(pareto.overall) < 2 or len(pareto.drawn) < 2:
        return []
    line = sorted(pareto.overall, key=lambda spot: spot.x)
    look = {"name": "best of all", "opacity": 0.16, "legend": "legend2"}
    stairs = stroke(theme.frontier, 11, shape=_stairs(x))
    return [scatter([spot.x for spot in line], [spot.y for spot in line], **look, line=stairs)]


def _frontier(rows: pd.DataFrame, group: Group, x: Axis, y: Axis, shade: str, *, in_legend: bool) -> dict[str, Any]:
    line = rows[rows["on_frontier"] & (rows["owner"] == group.owner)].sort_values(x.metric.key)
    return scatter(
        line[x.metric.key],
        line[y.metric.key],
        shared(line),
        name=html(group.label or "frontier"),
        showlegend=in_legend,
        legendgroup=html(group.owner),
        line=stroke(shade, 1.8, shape=_stairs(x)),
        marker=marker(_symbols(line), LEADING, shade, 1.2),
    )


def _knees(pareto: Pareto, shades: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A ring around each line's knee."""
    for group in pareto.drawn:
        if knee := group.knee:
            ring = marker("circle-open", 18, shades[group.owner], 2)
            yield scatter([knee.x], [knee.y], showlegend=False, legendgroup=html(group.owner), marker=ring)


def _names(pareto: Pareto, x: Axis, y: Axis, shades: Mapping[str, str], theme: Theme) -> Iterator[dict[str, Any]]:
    """Each line's name at its end, where there is room; on a phone the legend alone names it."""
    ends = []
    for group in pareto.drawn:
        across, up = max(group.line)
        ends.append(LineEnd((x.place(across), y.place(up)), across, shades[group.owner], html(group.owner)))
    names = [line_names.shortened(group.label) for group in pareto.drawn]
    return line_names.traces(ends, lambda _: names, y.at, PLOT_PX, theme)


def _keys(rows: pd.DataFrame, theme: Theme) -> Iterator[dict[str, Any]]:
    """Legend entries for what shapes mean: engines, not ranked, the knee."""
    engines = sorted(engine for engine in rows["engine"].dropna().unique() if engine)[:8]
    keys = [(chart.value_label("engine", one), chart.engine_marker(one), 8) for one in engines]
    aside = {one for one in rows["aside"] if isinstance(one, str)}
    if aside - LIMITED.keys():
        keys.append(("not ranked", "circle-open", 8))
    keys += [(words, OF_A_LIMIT[one], 8) for one, words in LIMITED.items() if one in aside]
    if rows["is_knee"].any():
        keys.append(("knee", "circle-open", 15))
    for label, symbol, size in keys:
        opacity = DIMMED if label in LIMITED.values() else 1
        yield chart.marker_key(label, symbol, theme, size=size, opacity=opacity)


def _symbols(rows: pd.DataFrame) -> list[str]:
    """Each point's engine as a shape, hollow where it is not ranked, with a dot where it states no limit's metric."""
    engines = [one if isinstance(one, str) else None for one in rows["engine"]]
    every = zip(engines, rows["enters"], rows["aside"], strict=True)
    return [
        chart.engine_marker(engine, measured=enters) + ("-dot" if aside == ASIDE[UNKNOWN] else "")
        for engine, enters, aside in every
    ]


def _stairs(x: Axis) -> str:
    """The staircase that is true between points: a requirement is served by the next point that meets it."""
    return "vh" if x.metric.direction == "higher" else "hv"


def _texts(rows: pd.DataFrame, x: Metric, y: Metric, *, brief: bool) -> list[str]:
    """What each point says; a `brief` one that is on no frontier tells its place alone."""
    return [
        "<br>".join(f"{value_label(metric.key, row[metric.key])} {html(metric.unit)}".rstrip() for metric in (y, x))
        if brief and not row["on_frontier"]
        else _long(row, x, y)
        for row in records(rows)
    ]


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
    marks = [
        f"{row['step']} over the point before" if row["step"] else "",
        "knee" if row["is_knee"] else "",
        row["aside"] if row["aside"] in LIMITED else "",
    ]
    extra = " · ".join(mark for mark in marks if mark)
    return chart.hover_lines(row, [x.key, y.key]) + (f"<br><i>{html(extra)}</i>" if extra else "")


def _add_limits(figure: go.Figure, pareto: Pareto, x: Axis, y: Axis, theme: Theme) -> None:
    """Draw the reader's limits on the axes: a dashed line each with its value, a veil over what breaks it."""
    for name, axis, add_line, add_veil in (
        ("x", x, figure.add_vline, figure.add_vrect),
        ("y", y, figure.add_hline, figure.add_hrect),
    ):
        for limit in (one for one in pareto.limits if one.metric.key == axis.metric.key):
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
            text = f"{'≤' if limit.at_most else '≥'} {quantity(limit.value, axis.metric.key)}"
            figure.add_annotation(_beside(html(text), name, axis, limit.value, y), bgcolor=_veil(theme))


def _beside(text: str, name: str, axis: Axis, limit: float, y: Axis) -> dict[str, Any]:
    """What is written of a limit: at its line's end, on the side of the line with more room."""
    value = math.log10(limit) if axis.log else limit
    past_the_middle = axis.place(limit) > 0.5
    if name == "y":
        return text_at(text, 0, value, "paper y", "left top" if past_the_middle else "left bottom")
    anchor, shift = ("right", -3) if past_the_middle else ("left", 3)
    end, inwards = (0, "bottom") if y.metric.direction == "higher" else (1, "top")
    return text_at(text, value, end, "x paper", f"{anchor} {inwards}", shift=(shift, 0))


def _ring(pareto: Pareto, theme: Theme) -> list[dict[str, Any]]:
    """The trace of a ring around the best point within the limits; none without one."""
    if pareto.best is None:
        return []
    ring = marker("circle-open", 26, theme.text, 2.2)
    return [scatter([pareto.best.x], [pareto.best.y], showlegend=False, marker=ring)]


def _add_best(figure: go.Figure, pareto: Pareto, x: Axis, y: Axis, theme: Theme) -> None:
    """Write what the ringed point is beyond it, where nothing within the limits is better."""
    if pareto.best is None:
        return
    upwards = 1 if y.metric.direction == "higher" else -1
    if x.metric.direction == "higher":
        side = "right" if x.place(pareto.best.x) > PAST else "left"
    else:
        side = "left" if x.place(pareto.best.x) < 1 - PAST else "right"
    at, corner = _at(x, y, pareto.best.x, pareto.best.y), f"{side} {'bottom' if upwards > 0 else 'top'}"
    text = text_at("<b>best within the limits</b>", at["x"], at["y"], corner=corner, shift=(0, upwards * RING_PX))
    figure.add_annotation(text, bgcolor=_veil(theme), borderpad=0)


def _veil(theme: Theme) -> str:
    """The background, not quite opaque, so that a label stays readable over lines."""
    red, green, blue = (int(theme.background[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.6)"


def _at(x: Axis, y: Axis, across: float, up: float) -> dict[str, float]:
    """A place for an annotation: on a logarithmic axis plotly wants the exponent."""
    return {"x": math.log10(across) if x.log else across, "y": math.log10(up) if y.log else up}
