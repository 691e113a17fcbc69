"""The charts of one point: how it went over time, how its latencies are distributed, where its requests' time went."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import OKABE_ITO, Theme
from bench.chart.axis import decade_ticks
from bench.chart.texts import text_at
from bench.plain_text import html
from bench.runs.phases import PHASES
from bench.runs.point import Distribution, PointStory
from bench.sweep.measured.window import Window
from bench.wording import number

COURSE_PX, PANEL_PX = 480, 250
PANEL_GAP = 0.38
"""The room between two lines of panels, by the height of one: ticks and title of the upper one."""
BAR_PX, FEWEST_BARS_PX, MOST_BARS_PX = 6, 220, 640
UNDER_WAY, RUNNING, WAITING = OKABE_ITO[2], OKABE_ITO[4], OKABE_ITO[3]
SHADES = {
    "queued_ms": "#B8A800",
    "connect_ms": "#CC79A7",
    "first_ms": "#E69F00",
    "streaming_ms": "#0072B2",
    "rest_ms": "#7F7F7F",
    "unbroken_ms": "#D55E00",
}
MARKED = (50, 90, 99)
"""The percentiles that are marked on each curve."""
TITLE_PX = 13
LABEL_ROOM = 0.42
LONG_TAIL = 20
"""From this ratio of the 99.9th percentile to the first one on, an axis of latencies is logarithmic."""


def over_time(point: PointStory, theme: Theme) -> go.Figure:
    """Output tokens/s as they came, above requests under way, the measured window shaded in both."""
    rows, engine = point.over_time, point.engine
    middle = ((rows["from_s"] + rows["to_s"]) / 2).tolist()
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": middle,
            "y": rows["output_tokens_per_s"].tolist(),
            "width": (rows["to_s"] - rows["from_s"]).tolist(),
            "name": "Output tokens/s",
            "marker": {
                "color": _blue(theme),
                "opacity": [1.0 if inside else 0.45 for inside in rows["in_window"]],
                "line": {"width": 0},
            },
            "hovertemplate": "%{x:.2f} s: %{y:,.0f} tokens/s<extra></extra>",
            "showlegend": False,
        },
        _steps(rows["from_s"].tolist(), rows["in_flight"].tolist(), "sent and not ended", UNDER_WAY, "hv"),
    ]
    for column, name, colour in (("running", "engine: running", RUNNING), ("waiting", "engine: waiting", WAITING)):
        if column in engine:
            traces.append(_steps(engine["at_s"].tolist(), engine[column].tolist(), name, colour, "linear", dots=True))
    made = chart.layout(go.Figure(data=traces), theme, height=COURSE_PX)
    end = float(rows["to_s"].iloc[-1])
    made.update_layout(
        bargap=0,
        hovermode="closest",
        margin={"t": 32, "b": 78},
        legend={"y": 0, "yref": "container", "yanchor": "bottom", "font_size": 12},
        yaxis={"domain": [0.48, 1], "title_text": "Output tokens/s", "rangemode": "tozero", "tickformat": ",~g"},
        yaxis2={
            "domain": [0, 0.42],
            "title_text": "Requests under way",
            "rangemode": "tozero",
            "anchor": "x",
            "gridcolor": theme.grid,
            "zeroline": False,
            "automargin": True,
            "title": {"standoff": 12},
            "tickformat": ",~g",
        },
        xaxis={
            "title_text": "Seconds since the point's start",
            "range": [min(0.0, float(rows["from_s"].iloc[0])), end],
            "anchor": "y2",
        },
    )
    _mark_window(made, point, theme)
    return _titled(made)


def _blue(theme: Theme) -> str:
    return OKABE_ITO[5] if theme.name == "dark" else OKABE_ITO[0]


def _titled(made: go.Figure) -> go.Figure:
    made.update_xaxes(title_font_size=TITLE_PX)
    made.update_yaxes(title_font_size=TITLE_PX)
    return made


def _steps(x: list[Any], y: list[Any], name: str, colour: str, shape: str, *, dots: bool = False) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "yaxis": "y2",
        "mode": "lines+markers" if dots else "lines",
        "name": name,
        "line": {"color": colour, "width": 1.6, "shape": shape, "dash": "dot" if dots else "solid"},
        "marker": {"size": 5},
        "hovertemplate": f"%{{x:.2f}} s: %{{y:,.1f}} {html(name)}<extra></extra>",
    }


def _mark_window(made: go.Figure, point: PointStory, theme: Theme) -> None:
    window = point.window
    if window is None:
        return
    steady = "measured window" if window.steady else "measured, no steady state"
    mean = point.line.metrics.get("output_tokens_per_s")
    text = steady if mean is None else f"{steady}: {number(mean)} output tokens/s over {number(window.duration_s)} s"
    _shade(made, window, theme, html(text))
    if mean is not None:
        made.add_shape(
            type="line",
            x0=window.start_ns / 1e9,
            x1=window.end_ns / 1e9,
            y0=mean,
            y1=mean,
            xref="x",
            yref="y",
            line={"color": theme.text, "width": 1.4, "dash": "dash"},
        )


def latencies(point: PointStory, theme: Theme) -> go.Figure:
    """The cumulative distribution of each latency in a panel of its own, two side by side, percentiles marked."""
    spreads = list(point.latencies.values())
    lines = max(1, math.ceil(len(spreads) / 2))
    made = chart.layout(go.Figure(), theme, height=PANEL_PX * lines)
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.muted,
        "ticks": "outside",
        "tickcolor": theme.muted,
        "zeroline": False,
        "title": {"standoff": 8},
    }
    for place, one in enumerate(spreads):
        name = "" if place == 0 else str(place + 1)
        line, column = divmod(place, 2)
        top = 1 - line * (1 + PANEL_GAP) / (lines + PANEL_GAP * (lines - 1))
        high = 1 / (lines + PANEL_GAP * (lines - 1))
        metric = catalogue.metric(f"{one.key}_p50")
        title = html(f"{metric.label.rsplit(', ', 1)[0]} ({metric.unit})")
        made.add_traces(_curve(one, name, theme))
        made.update_layout({
            f"xaxis{name}": {**axis, "domain": [0.53 * column, 0.53 * column + 0.47], "anchor": f"y{name}",
                             "title_text": title, "nticks": 6, **_scale(one)},
            f"yaxis{name}": {**axis, "domain": [max(0.0, top - high), top], "anchor": f"x{name}", "range": [0, 102],
                             "title_text": "" if column else "At or below (%)", "tickvals": [0, 25, 50, 75, 90, 100]},
        })  # fmt: skip
    made.update_layout(showlegend=False, margin={"t": 16, "b": 52}, hovermode="closest")
    return _titled(made)


def _curve(one: Distribution, axis: str, theme: Theme) -> list[dict[str, Any]]:
    values, percents = one.curve()
    marked = [one.at(percent) for percent in MARKED]
    shared = {"type": "scatter", "xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    return [
        {
            **shared,
            "x": values.tolist(),
            "y": percents.tolist(),
            "mode": "lines",
            "line": {"color": _blue(theme), "width": 1.8},
            "hovertemplate": "%{y:.1f} % at or below %{x:,.4~g} ms<extra></extra>",
        },
        {
            **shared,
            "x": marked,
            "y": list(MARKED),
            "mode": "markers+text",
            "text": [f" p{percent} {number(value)}" for percent, value in zip(MARKED, marked, strict=True)],
            "textposition": "bottom right",
            "textfont": {"size": 11, "color": theme.text},
            "marker": {"size": 6, "color": theme.text},
            "hoverinfo": "skip",
            "cliponaxis": False,
        },
    ]


def _scale(one: Distribution) -> dict[str, Any]:
    """The axis of a latency, with room for the words beside its last percentile."""
    low, high = one.at(1), one.at(99.9)
    most = float(one.values[-1])
    if low > 0 and high / low > LONG_TAIL:
        least = max(float(one.values[0]), low / LONG_TAIL)
        ends = math.log10(least), math.log10(most)
        room = ends[1] + LABEL_ROOM * max(0.3, ends[1] - ends[0])
        ticks = decade_ticks(least, 10**room)
        shown = {"tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]} if len(ticks) > 2 else {}
        return {"type": "log", "range": [ends[0], room], "tickformat": ",~g", **shown}
    room = max(most, one.at(MARKED[-1]) * (1 + LABEL_ROOM))
    return {"type": "linear", "tickformat": ",~g", "range": [0, room * 1.02]}


def waterfall(point: PointStory, theme: Theme) -> go.Figure:
    """A bar for each drawn request from when it was due to its end, in its phases, in the order of their starts."""
    rows = point.waterfall.rows
    places = list(range(1, len(rows) + 1))
    hovers = [_hover(row) for row in rows.to_dict("records")]
    before = rows["start_s"].astype(float)
    made = go.Figure()
    for key, label in PHASES.items():
        spent = rows[key].astype(float) / 1000
        if (rows[key] > 0).any():
            made.add_trace(
                {
                    "type": "bar",
                    "orientation": "h",
                    "y": places,
                    "base": before.tolist(),
                    "x": spent.tolist(),
                    "name": label,
                    "marker": {"color": SHADES[key], "line": {"width": 0}},
                    "hovertext": hovers,
                    "hoverinfo": "text",
                    "customdata": rows["number"].tolist(),
                }
            )
        before = before + spent
    height = min(MOST_BARS_PX, max(FEWEST_BARS_PX, BAR_PX * len(rows) + 120))
    chart.layout(made, theme, height=height)
    made.update_layout(
        barmode="overlay",
        bargap=0.12,
        hovermode="closest",
        margin={"t": 32, "b": 78},
        legend={"y": 0, "yref": "container", "yanchor": "bottom", "font_size": 12, "traceorder": "normal"},
        xaxis={"title_text": "Seconds since the point's start", "rangemode": "tozero"},
        yaxis={
            "title_text": "Requests by start",
            "autorange": "reversed",
            "showticklabels": False,
            "ticks": "",
            "showgrid": False,
        },
    )
    if point.window is not None:
        _shade(made, point.window, theme, "measured window")
    return _titled(made)


def _shade(made: go.Figure, window: Window, theme: Theme, text: str) -> None:
    """Shade the window behind a chart over time, with this text above it."""
    begin, end = window.start_ns / 1e9, window.end_ns / 1e9
    whole = {"xref": "x", "yref": "paper"}
    made.add_shape(
        whole,
        type="rect",
        x0=begin,
        x1=end,
        y0=0,
        y1=1,
        fillcolor=theme.muted,
        opacity=0.12,
        line_width=0,
        layer="below",
    )
    made.add_annotation(text_at(text, (begin + end) / 2, 1, "x paper", "auto bottom", colour=theme.muted))


def _hover(row: dict[Any, Any]) -> str:
    lines = [f"<b>Request {row['number']}</b>, due at {row['start_s']:.3f} s"]
    lines += [f"{label}: {number(row[key])} ms" for key, label in PHASES.items() if row[key] > 0]
    if not pd.isna(row["output_tokens"]):
        lines.append(f"{row['output_tokens']:,} output tokens")
    lines.append(html(row["outcome"].replace("_", " ") + (f": {row['error'][:120]}" if row["error"] else "")))
    return "<br>".join(lines)
