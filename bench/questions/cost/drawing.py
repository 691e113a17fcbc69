"""The cost chart: a bar for each quote or deployment, and the cost over utilisation and price below."""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import Theme, hardware_words
from bench.chart.colouring import Colouring, of_ratios, of_values
from bench.plain_text import html
from bench.questions.cost import bars
from bench.questions.cost.bars import Bar
from bench.wording import counted, number, share

BAR_PX, TWO_LINES_PX, AROUND_PX = 25, 36, 96
GRID_PX, BETWEEN_PX = 300, 126
FAR = 10.0
ROOM = 1.25
"""Quotes dearer than so many times the longest bar lie beyond the axis, which ends there; how dear is written there."""

LABEL_PX, LONGEST = 6.3, 34
"""About the width of a letter of a bar's name, and so many letters stand on a line of it."""


def draw(rows: pd.DataFrame, numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The chart of an answer's rows and numbers; an empty one says so."""
    if rows.empty:
        return chart.empty("Nothing selected has both a throughput and a price, so nothing is drawn.", theme)
    figure = chart.layout(go.Figure(), theme)
    drawn = bars.of(rows, numbers)
    lines = [_lines(bar.name) for bar in drawn]
    upper = len(drawn) * (BAR_PX if max(map(len, lines)) == 1 else TWO_LINES_PX) + AROUND_PX
    height = upper + BETWEEN_PX + GRID_PX
    wide = max(len(line) for name in lines for line in name) + (7 if any(bar.dots for bar in drawn) else 0)
    left = wide * LABEL_PX + 24
    figure.update_layout(
        height=height, margin={"l": left, "r": 24, "t": 34, "b": 60}, showlegend=False, bargap=0.28,
        hovermode="closest", uirevision=f"{numbers['metric']} {numbers['group']}",
    )  # fmt: skip
    inner = height - 94
    split = GRID_PX / inner
    _add_bars(figure, drawn, numbers, theme, (split + BETWEEN_PX / inner, 1))
    _add_grid(figure, numbers, theme, (0, split))
    return figure


def _add_bars(figure: go.Figure, drawn: Sequence[Bar], numbers: Mapping[str, Any], theme: Theme,
              domain: tuple[float, float]) -> None:  # fmt: skip
    """The bars from the cheapest down, a dot for each quote of one that stands for several, and the API's price."""
    places = list(range(len(drawn)))
    end = axis_end(drawn, numbers["api_usd_per_million"])
    several = any(bar.dots for bar in drawn)
    colours = [chart.accelerator_colour(bar.accelerator, theme) for bar in drawn]
    fills = [colour if bar.measured else "rgba(0,0,0,0)" for colour, bar in zip(colours, drawn, strict=True)]
    figure.add_trace(
        {
            "type": "bar",
            "orientation": "h",
            "x": [min(bar.usd, end) for bar in drawn],
            "y": places,
            "text": ["" if several or bar.usd > end else f" {number(bar.usd)}" for bar in drawn],
            "textposition": "outside",
            "cliponaxis": False,
            "textfont": {"size": 12, "color": theme.text},
            "customdata": [[bar.point_id] for bar in drawn],
            "hovertext": [bar.hover for bar in drawn],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "marker": {
                "color": fills,
                "line": {"color": colours, "width": 1.4},
                "pattern": {
                    "shape": ["/" if bar.modelled else "" for bar in drawn],
                    "fgcolor": theme.background, "size": 5, "solidity": 0.35,
                },
            },
        }
    )  # fmt: skip
    _add_dots(figure, drawn, theme, end)
    _add_beyond(figure, drawn, theme, end)
    metric = catalogue.metric(numbers["metric"])
    figure.update_layout(
        yaxis={"domain": domain, "tickvals": places, "ticktext": [_named(bar, several=several) for bar in drawn],
               "range": [len(drawn) - 0.4, -0.6], "showgrid": False, "ticks": "", "automargin": False,
               "tickfont": {"size": 12}, "title": {"text": ""}},
        xaxis={"range": [0, end * (1.12 if any(bar.high > end for bar in drawn) else 1.06)], "anchor": "y",
               "title": {"text": html(f"{metric.axis} · lower is better"), "font": {"size": 13}},
               "tickformat": ",~g", "automargin": False},
    )  # fmt: skip
    if several:
        figure.add_annotation(x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=6,
                              xshift=12 - figure.layout.margin.l,
                              showarrow=False, text="Bars: the median quote; dots: each of several quotes"
                              + ("; arrows: quotes beyond the axis" if any(bar.high > end for bar in drawn) else ""),
                              font={"size": 12.5, "color": theme.muted})  # fmt: skip
    api = numbers["api_usd_per_million"]
    if api is not None:
        figure.add_shape(type="line", x0=api, x1=api, y0=-0.6, y1=len(drawn) - 0.4, xref="x", yref="y",
                         line={"color": theme.text, "width": 1.4, "dash": "dash"})  # fmt: skip
        figure.add_annotation(x=api, y=-0.6, xref="x", yref="y", yanchor="bottom", showarrow=False,
                              text=f"API {number(api)} USD", font={"size": 12})  # fmt: skip


def axis_end(drawn: Sequence[Bar], api: float | None) -> float:
    """Where the axis of costs ends: at the dearest quote, or earlier where a few would press all others together.

    Bars of a quote each end where they cost FAR times the median bar, dots of quotes at ROOM times the longest bar.
    """
    usual = statistics.median(bar.usd for bar in drawn)
    longest = max(bar.usd for bar in drawn if bar.usd <= FAR * usual)
    highest = max(bar.high for bar in drawn)
    return max(highest if highest <= ROOM * longest else ROOM * longest, api or 0.0)


def _add_beyond(figure: go.Figure, drawn: Sequence[Bar], theme: Theme, end: float) -> None:
    """An arrow at the end of the axis for what costs more, and how much it costs."""
    beyond = [(place, [dot.usd for dot in bar.dots if dot.usd > end] or [bar.usd]) for place, bar in enumerate(drawn)
              if bar.high > end]  # fmt: skip
    if not beyond:
        return
    told = [
        number(costs[0]) if len(costs) == 1 else f"{number(min(costs))} to {number(max(costs))}"
        for _, costs in beyond
    ]
    figure.add_trace(
        {"type": "scatter", "x": [end] * len(beyond), "y": [place for place, _ in beyond], "mode": "markers",
         "hovertext": [f"{counted(len(costs), 'dearer quote')}: {words} USD, beyond the axis"
                       for (_, costs), words in zip(beyond, told, strict=True)],
         "hovertemplate": "%{hovertext}<extra></extra>", "cliponaxis": False,
         "marker": {"symbol": "triangle-right", "size": 10, "color": theme.text}}
    )  # fmt: skip
    for (place, _), words in zip(beyond, told, strict=True):
        figure.add_annotation(x=end, y=place, text=words, showarrow=False, xanchor="right", xshift=-8, borderpad=1,
                              bgcolor=theme.background, font={"size": 12})  # fmt: skip


def _add_dots(figure: go.Figure, drawn: Sequence[Bar], theme: Theme, end: float) -> None:
    """A dot for each quote within the axis of a bar that stands for several."""
    dots = [(place, dot) for place, bar in enumerate(drawn) for dot in bar.dots if dot.usd <= end]
    if not dots:
        return
    figure.add_trace(
        {"type": "scatter", "x": [dot.usd for _, dot in dots], "y": [place for place, _ in dots], "mode": "markers",
         "customdata": [[dot.point_id] for _, dot in dots], "hovertext": [dot.hover for _, dot in dots],
         "hovertemplate": "%{hovertext}<extra></extra>",
         "marker": {"symbol": "circle", "size": 7, "color": theme.background,
                    "line": {"width": 1.4, "color": theme.text}}}
    )  # fmt: skip


def _add_grid(
    figure: go.Figure, numbers: Mapping[str, Any], theme: Theme, domain: tuple[float, float]
) -> None:
    """USD per million over utilisation and price of one deployment, the quotes as diamonds at the utilisation asked."""
    grid = numbers["sensitivity"]
    values = np.array(grid["usd_per_million"], dtype=float)
    api = numbers["api_usd_per_million"]
    shown = api / values if api else values
    scale = of_ratios(shown, "higher", theme) if api else of_values(values, "lower", log=True)
    prices, shares = grid["usd_per_accelerator_hour"], grid["utilisations"]
    columns = list(range(len(prices)))
    figure.add_trace(
        {
            "type": "heatmap",
            "x": columns,
            "y": list(range(len(shares))),
            "z": scale.of(shown),
            "xaxis": "x2",
            "yaxis": "y2",
            "zmin": scale.low,
            "zmax": scale.high,
            "colorscale": [[place / (len(scale.stops) - 1), stop] for place, stop in enumerate(scale.stops)],
            "showscale": False,
            "xgap": 1,
            "ygap": 1,
            "hovertext": _told(values, prices, shares, api),
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    )
    _write(figure, values, shown, scale)
    step = math.log(prices[-1] / prices[0]) / (len(prices) - 1)
    across = [math.log(price / prices[0]) / step for price in grid["quotes"]]
    row = numbers["utilisation"] * 10 - 1
    figure.add_trace(
        {"type": "scatter", "x": across, "y": [row + 0.52] * len(across), "xaxis": "x2", "yaxis": "y2",
         "mode": "markers", "hovertext": [f"{number(price)} USD/h per chip" for price in grid["quotes"]],
         "hovertemplate": "%{hovertext}<extra>a quote in force</extra>",
         "marker": {"symbol": "triangle-down", "size": 9, "color": theme.text,
                    "line": {"width": 1, "color": theme.background}}}
    )  # fmt: skip
    about = f"USD per million on {hardware_words(_bare(numbers['deployments'][0]))}"
    against = "<br>triangles are quotes" + (
        f"; blue where an API at {number(api)} USD is dearer" if api else ""
    )
    figure.update_layout(
        xaxis2={**_quiet(theme), "domain": [0, 1], "anchor": "y2", "tickvals": columns, "tickangle": 0,
                "ticktext": [number(price) for price in prices], "range": [-0.5, len(prices) - 0.5],
                "title": {"text": "Price (USD per chip and hour)", "font": {"size": 13}}},
        yaxis2={**_quiet(theme), "domain": domain, "anchor": "x2", "tickvals": list(range(len(shares))),
                "ticktext": [share(one) for one in shares], "range": [-0.5, len(shares) - 0.5 + 0.3],
                "title": {"text": "Utilisation", "font": {"size": 13}, "standoff": 8}},
        annotations=[
            *figure.layout.annotations,
            {"text": html(about) + against,
             "x": 0, "xref": "paper", "xanchor": "left", "y": domain[1], "yref": "paper", "yanchor": "bottom",
             "yshift": 6, "showarrow": False, "font": {"size": 13}, "align": "left"},
        ],
    )  # fmt: skip


def _bare(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("accelerator", "accelerators")}


def _write(figure: go.Figure, values: Any, shown: Any, scale: Colouring) -> None:
    """The value in each cell, in ink that reads on its colour."""
    dark = scale.dark_ink(shown)
    for ink, mask in (("#000000", dark), ("#ffffff", ~dark)):
        ys, xs = np.nonzero(mask)
        figure.add_trace(
            {"type": "scatter", "x": xs.tolist(), "y": ys.tolist(), "xaxis": "x2", "yaxis": "y2", "mode": "text",
             "text": [number(float(values[y, x])) for y, x in zip(ys, xs, strict=True)],
             "textfont": {"size": 11, "color": ink}, "hoverinfo": "skip"}
        )  # fmt: skip


def _told(
    values: Any, prices: Sequence[float], shares: Sequence[float], api: float | None
) -> list[list[str]]:
    def one(value: float, price: float, used: float) -> str:
        beside = f"<br>{number(value / api)} times the API's price" if api else ""
        return f"<b>{number(value)} USD</b> per million<br>{number(price)} USD/h per chip, {share(used)} used{beside}"

    return [
        [one(float(values[y, x]), price, used) for x, price in enumerate(prices)]
        for y, used in enumerate(shares)
    ]


def _quiet(theme: Theme) -> dict[str, Any]:
    return {"showgrid": False, "zeroline": False, "ticks": "", "linecolor": theme.muted, "automargin": False}


def _named(bar: Bar, *, several: bool) -> str:
    """What stands left of a bar: its name, and its cost where dots may lie on the bar's end."""
    name = "<br>".join(html(line) for line in _lines(bar.name))
    return f"{name} <b>{number(bar.usd)}</b>" if several else name


def _lines(text: str) -> list[str]:
    """A name in at most two lines."""
    first, *rest = textwrap.wrap(text, LONGEST)
    if not rest:
        return [first]
    return [first, rest[0] if len(rest) == 1 else f"{rest[0][: LONGEST - 1]}…"]
