"""The chart of a run: throughput over latency, a line for each shape, its knee ringed, the chosen point marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import LABELLED_LINES, Theme, point_names
from bench.chart.axis import Axis, widened
from bench.chart.texts import ON_PHONES_TOO, PlotPlace, by_width, text_at
from bench.chart.traces import marker, scatter, stroke
from bench.plain_text import html
from bench.runs.earlier import EarlierBest
from bench.runs.grid_chart import short_load
from bench.runs.levels import THROUGHPUT, LevelCurve
from bench.runs.run import RunStory
from bench.wording import counted, quantity

HEIGHT = 460
ROOM = 0.12
BESIDE = "\u2002"
"""Keeps a label clear of its point's ring, on the side where a curve that falls to the right leaves room."""

PLOTS = ((250, 300), (440, 325), (700, 325), (1000, 325))
"""About the narrowest plot on pages as wide as `texts.ON_PHONES_TOO`."""

NAME_LIFT = 18
"""The name of a line stands so many pixels above the number at its end."""


def figure(story: RunStory, theme: Theme, chosen: int | None = None, behind: Sequence[EarlierBest] = ()) -> go.Figure:
    """Throughput over latency of the measured points; a click gives a point's number as customdata.

    `behind` are the frontiers of earlier sweeps, drawn faintly under the run's own curves.
    """
    key = story.latency.key
    placed = story.points
    if THROUGHPUT in placed and key in placed:
        placed = placed[placed[THROUGHPUT].notna() & placed[key].notna()]
    else:
        placed = placed.head(0)
    if placed.empty:
        return chart.empty("No point has both throughput and latency, so nothing is drawn.", theme)
    latencies = [*placed[key], *(value for one in behind for value in one.latencies)]
    throughputs = [*placed[THROUGHPUT], *(value for one in behind for value in one.throughputs)]
    ends = [(float(min(values)), float(max(values))) for values in (latencies, throughputs)]
    log = ends[0][0] > 0 and ends[0][1] / ends[0][0] > 20
    x = Axis(story.latency, log, *widened(*ends[0], log, ROOM))
    y = Axis(catalogue.metric(THROUGHPUT), False, *widened(*ends[1], False, ROOM))
    shades = chart.colours("shape", [curve.shape for curve in story.curves], theme)
    own = [_points(curve, placed) for curve in story.curves]
    names = _names(story, x, y)
    texts = _numbers(own, x, y, names)
    traces = [
        *(_earlier(one, theme) for one in behind),
        *(
            _line(curve, rows, x, shades[curve.shape], story, text, legend=not names)
            for curve, rows, text in zip(story.curves, own, texts, strict=True)
        ),
        *_rings(story, placed, x, theme, chosen),
    ]
    made = chart.layout(go.Figure(data=traces), theme, height=HEIGHT)
    made.update_xaxes(**x.settings)
    made.update_yaxes(**y.settings)
    made.update_layout(hovermode="closest", uirevision=story.id, margin_t=24, legend={"y": -0.2, "font_size": 12})
    if len(story.curves) > 1:
        _label_ends(made, names, shades)
    return made


def _points(curve: LevelCurve, placed: pd.DataFrame) -> pd.DataFrame:
    """A shape's points, level by level; repeats of a level are points of their own beside the line."""
    order = {number: place for place, level in enumerate(curve.levels) for number in level.points}
    own = placed[placed["number"].isin(list(order))]
    return own.assign(place=own["number"].map(order)).sort_values(["place", "number"])


def _numbers(own: Sequence[pd.DataFrame], x: Axis, y: Axis, names: Mapping[str, PlotPlace]) -> list[list[str]]:
    """What stands at each point of each line: its load, on narrower pages fewer of them, none over another."""
    rows = pd.concat(own)
    places = [(x.place(across), y.place(up)) for across, up in zip(rows[x.metric.key], rows[THROUGHPUT], strict=True)]
    loads = [short_load(load) for load in rows["load"]]
    by_plot = []
    for plot in PLOTS:
        taken = [point_names.box(place, shape, plot, NAME_LIFT) for shape, place in names.items()]
        by_plot.append(point_names.apart(places, loads, plot, taken if len(names) > 1 else ()))
    texts = iter(
        by_width([f"{BESIDE}{html(one)}" if one else "" for one in shown], ON_PHONES_TOO)
        for shown in zip(*by_plot, strict=True)
    )
    return [list(islice(texts, len(one))) for one in own]


def _names(story: RunStory, x: Axis, y: Axis) -> dict[str, PlotPlace]:
    """Where each line's name goes, at the last of its levels; nowhere where a legend has to name them."""
    names = {}
    for curve in story.curves:
        last = next((level for level in reversed(curve.levels) if level.latency is not None), None)
        if last is not None and last.latency is not None:
            names[curve.shape] = (x.place(last.latency), y.place(last.throughput))
    boxes = [point_names.box(place, shape, PLOTS[0], NAME_LIFT) for shape, place in names.items()]
    covered = any(one.meets(other) for one, other in combinations(boxes, 2))
    return {} if covered or len(story.curves) > LABELLED_LINES else names


def _line(
    curve: LevelCurve, own: pd.DataFrame, x: Axis, shade: str, story: RunStory, text: list[str], *, legend: bool
) -> dict[str, Any]:
    """A shape's points, joined level by level."""
    texts = {"text": text, "textposition": "top right", "cliponaxis": False, "textfont": {"size": 11}}
    return scatter(
        own[x.metric.key].tolist(),
        own[THROUGHPUT].tolist(),
        {"hovertext": [_hover(row, story) for row in own.to_dict("records")], "hoverinfo": "text"},
        customdata=[[int(number)] for number in own["number"]],
        name=html(curve.shape),
        showlegend=legend,
        **{**texts, "mode": "lines+markers+text"},
        line=stroke(shade, 1.8),
        marker=marker("circle-open" if story.simulated else "circle", 9, shade, 1.6),
        unselected={"marker": {"opacity": 1}},
    )


def _earlier(one: EarlierBest, theme: Theme) -> dict[str, Any]:
    """What earlier sweeps reached for a shape."""
    said = html(f"the best of {counted(one.sweeps, 'earlier sweep')}, {one.shape}")
    told = {"hovertemplate": f"{said}<br>%{{y:,.4~g}} at %{{x:,.4~g}}<extra></extra>"}
    look = {"line": stroke(theme.muted, 1.2, "dot"), "marker": marker("circle", 5, theme.muted, 0)}
    return scatter(one.latencies, one.throughputs, told, name=said, showlegend=True, **look)


def _rings(
    story: RunStory, placed: pd.DataFrame, x: Axis, theme: Theme, chosen: int | None
) -> Iterator[dict[str, Any]]:
    """The knees, and the point that is told below."""
    rings = [("knee", placed[placed["is_knee"]], 18, theme.muted, 2.0)]
    if chosen is not None:
        rings.append(("the point below", placed[placed["number"] == chosen], 24, theme.text, 2.5))
    for name, rows, size, colour, width in rings:
        if len(rows):
            ring = marker("circle-open", size, colour, width)
            yield scatter(rows[x.metric.key].tolist(), rows[THROUGHPUT].tolist(), name=name, marker=ring)


def _label_ends(made: go.Figure, names: Mapping[str, PlotPlace], shades: Mapping[str, str]) -> None:
    """Draw each line's shape above the number at the last of its levels."""
    for shape, (across, up) in names.items():
        shift = (point_names.BESIDE_PX, NAME_LIFT)
        made.add_annotation(text_at(html(shape), across, up, "x domain/y domain", shift=shift, colour=shades[shape]))


def _hover(row: dict[Any, Any], story: RunStory) -> str:
    """What a point says under the pointer."""
    lines = [f"<b>Point {row['number']}: {html(row['load'])}</b>", html(row["shape"])]
    for key in (THROUGHPUT, story.latency.key, "ttft_ms_p50", "ttft_ms_p99", "tpot_ms_p50"):
        if key in row and not pd.isna(row[key]):
            lines.append(f"{html(catalogue.metric(key).label)}: <b>{html(quantity(float(row[key]), key))}</b>")
    if row["requests_failed"]:
        lines.append(f"{counted(int(row['requests_failed']), 'request')} failed")
    if row["flags"]:
        lines.append(html(f"Flags: {row['flags']}"))
    return "<br>".join(dict.fromkeys(lines))
