"""The chart of one request: its output tokens as they came, from when it was due to its end."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from bench import chart
from bench.chart import OKABE_ITO, Theme
from bench.chart.texts import text_at
from bench.plain_text import html
from bench.runs.request import RequestStory
from bench.wording import counted, number

HEIGHT_PX = 280
FEW_CHUNKS = 400
"""Up to so many chunks have a mark each."""


def figure(request: RequestStory, theme: Theme) -> go.Figure:
    """Tokens so far over time, a step for each chunk, with the first token and the end marked."""
    rows, colour = request.chunks, OKABE_ITO[5] if theme.name == "dark" else OKABE_ITO[0]
    made = chart.layout(go.Figure(), theme, height=HEIGHT_PX)
    if len(rows):
        columns = (rows[name].tolist() for name in ("chunk", "at_ms", "tokens", "gap_ms"))
        hovers = [
            f"chunk {chunk:,}: {number(at)} ms, {counted(tokens, 'token')}"
            + ("" if math.isnan(gap) else f", {number(gap)} ms after the one before")
            for chunk, at, tokens, gap in zip(*columns, strict=True)
        ]
        made.add_trace(
            {
                "type": "scatter",
                "mode": "lines+markers" if len(rows) <= FEW_CHUNKS else "lines",
                "x": rows["at_ms"].tolist(),
                "y": rows["tokens_so_far"].tolist(),
                "hovertext": hovers,
                "hoverinfo": "text",
                "line": {"color": colour, "width": 1.6, "shape": "hv"},
                "marker": {"size": 5},
                "showlegend": False,
            }
        )
    else:
        made.add_trace({"type": "scatter", "x": [0, request.end_ms], "y": [None, None], "showlegend": False})
    marks = [("first token", request.first_ms), (request.outcome.replace("_", " "), request.end_ms)]
    for words, at in marks:
        if at is not None:
            made.add_vline(at, line={"color": theme.muted, "width": 1.2, "dash": "dot"})
            corner = "left bottom" if words == "first token" else "right bottom"
            made.add_annotation(text_at(html(words), at, 1, "x paper", corner, colour=theme.text))
    made.update_layout(
        margin={"t": 30, "b": 52},
        hovermode="closest",
        xaxis={"title_text": "Time since it was due (ms)", "range": [0, request.end_ms * 1.02], "tickformat": ",~g"},
        yaxis={"title_text": "Output tokens so far", "rangemode": "tozero", "tickformat": ",~g"},
    )
    made.update_xaxes(title_font_size=13)
    made.update_yaxes(title_font_size=13)
    return made
