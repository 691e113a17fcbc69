"""Strips along the axis, a cell around each knot, coloured by who leads there and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.chart.colouring import DARK_INK, LIGHT_INK, Colouring, of_ratios, rgb
from bench.chart.roomy import by_width
from bench.plain_text import html
from bench.questions.crossover.asked import along_title, at, place
from bench.questions.crossover.percents import percent
from bench.wording import number

MOST_STRIPS = 15
"""So many pairs have a strip; the table lists all."""

ROW_PX, TOP_PX, BOTTOM_PX = 68, 54, 64
STRIP = (0.36, 0.7)
"""The share of its line in which a strip lies, from below; above it are its words, below it the crossings."""

NARROW_PX, BESIDE_PX = 460, 340
"""How long the strips are on a page of 800 px, and with names beside them: a cell has what fits into it there."""
MORE_PX = (0, 270, 545)
"""So much longer they are on pages as wide as `roomy.FROM_PX` says: 0.92 of what such a page is wider than 800 px."""
LETTERS_PX = {" ": 3.0, ".": 3.0, ",": 3.0, "%": 9.5, "A": 7.5, "B": 7.5}
DIGIT_PX = 6.3
"""How wide letters are in a cell, in the size of its text; a digit, and what is not listed, has one width."""
APART = 0.07
MOST_COLOURED = 4.0
"""From this ratio on the colour is the same, so that one outlier does not pale all others."""
MOST_TICKS = 14
MARKERS, CELL_PX = 64, 24
"""So many unseen markers lie side by side on the axis, each so wide and high that they touch at 1,500 px."""
UNSETTLED = "?"
"""What stands behind a lead that is of what was measured there and no more: the other's best nearby was not."""
LONGEST_NAME = 92
COLOURS_APART = 120.0
"""Two colours so far apart in RGB are told apart at a glance; H100 and H200 lie 107 apart."""

Knots = Sequence[Mapping[str, Any]]


def log10(value: float) -> float:
    """Where a value lies on a logarithmic axis."""
    return float(math.log10(value))


def of_pairs(numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """One strip for each of the most telling pairs, the crossing marked, on one axis."""
    listed = numbers["pairs"][:MOST_STRIPS]
    xs = sorted({knot["x"] for pair in listed for knot in pair["strip"]})
    figure = chart.layout(go.Figure(), theme, height=TOP_PX + BOTTOM_PX + ROW_PX * len(listed))
    colouring = _colouring([knot for pair in listed for knot in pair["strip"]], theme)
    ends = (log10(xs[0]), log10(xs[-1])) if xs else (0.0, 1.0)
    for line, pair in enumerate(listed):
        bottom = len(listed) - 1 - line
        _add_strip(figure, pair["strip"], numbers, colouring, ends,
                   (bottom + STRIP[0], bottom + STRIP[1]), "y", str(pair["pair"]))  # fmt: skip
        _add_words(figure, pair, bottom, theme)
        _add_marks(figure, pair["crossings"], bottom, ends, theme)
    _set_axes(figure, numbers, xs, len(listed))
    _add_key(figure, theme, doubt([knot for pair in listed for knot in pair["strip"]]))
    return figure


def add(figure: go.Figure, knots: Knots, numbers: Mapping[str, Any], theme: Theme, *, yaxis: str,
        colours: Mapping[str, str]) -> None:  # fmt: skip
    """The strip of one pair under its curves: a lead has its curve's colour, where those are easily told apart."""
    colouring = _colouring(knots, theme)
    if _far_apart(colours["a"], colours["b"]):
        neutral = colouring.stops[len(colouring.stops) // 2]
        colouring = replace(colouring, stops=(colours["b"], neutral, colours["a"]))
    xs = [point["x"] for side in ("a", "b") for point in numbers["curves"][side]]
    _add_strip(figure, knots, numbers, colouring, (log10(min(xs)), log10(max(xs))), (0.0, 1.0), yaxis, None)


def doubt(knots: Knots) -> str:
    """What a question mark behind a lead says, where one has it."""
    return (
        "" if all(knot["settled"] for knot in knots) else f"   {UNSETTLED} the other's best was not run there"
    )


def _far_apart(one: str, other: str) -> bool:
    """Whether two colours are no shades of one."""
    return math.dist(rgb(one), rgb(other)) >= COLOURS_APART


def _colouring(knots: Knots, theme: Theme) -> Colouring:
    return of_ratios(np.array([_advantage(knot) for knot in knots], dtype=float), "higher", theme)


def _advantage(knot: Mapping[str, Any]) -> float:
    """How many times better the first side is, whatever the direction of the metric, as far as it is coloured."""
    lead: float = knot["lead_percent"] / 100
    ratio = 1 + lead if lead >= 0 else 1 / (1 - lead)
    return min(max(ratio, 1 / MOST_COLOURED), MOST_COLOURED)


def _add_strip(figure: go.Figure, knots: Knots, numbers: Mapping[str, Any], colouring: Colouring,
               ends: tuple[float, float], span: tuple[float, float], yaxis: str,
               name: str | None) -> None:  # fmt: skip
    places = [log10(knot["x"]) for knot in knots]
    edges = _edges(places, ends)
    ratios = np.array([_advantage(knot) for knot in knots])
    scaled = colouring.of(ratios)
    figure.add_trace({
        "type": "heatmap", "x": [10**edge for edge in edges], "y": list(span), "z": [scaled.tolist()], "yaxis": yaxis,
        "zmin": colouring.low, "zmax": colouring.high, "showscale": False, "hoverinfo": "skip", "xgap": 2,
        "colorscale": [[step / (len(colouring.stops) - 1), stop] for step, stop in enumerate(colouring.stops)],
    })  # fmt: skip
    dark = colouring.dark_ink(ratios)
    width = max(ends[1] - ends[0], 0.1)
    narrow = NARROW_PX if name else BESIDE_PX
    texts = [
        by_width([_fitting(knot, (edges[i + 1] - edges[i]) / width * (narrow + more)) for more in MORE_PX])
        for i, knot in enumerate(knots)
    ]
    figure.add_trace({
        "type": "scatter", "mode": "text", "y": [sum(span) / 2] * len(knots), "yaxis": yaxis, "hoverinfo": "skip",
        "x": [10 ** ((edges[i] + edges[i + 1]) / 2) for i in range(len(knots))], "text": texts, "showlegend": False,
        "textfont": {"size": 11.5, "color": [DARK_INK if one else LIGHT_INK for one in dark]},
    })  # fmt: skip
    figure.add_trace(_whole_cells(knots, numbers, edges, width, span, yaxis, name))


def _whole_cells(knots: Knots, numbers: Mapping[str, Any], edges: Sequence[float], width: float,
                 span: tuple[float, float], yaxis: str, name: str | None) -> dict[str, Any]:  # fmt: skip
    """Unseen markers side by side over every cell, so that all of it tells its numbers and can be clicked."""
    xs: list[float] = []
    hovers: list[str] = []
    for low, high, knot in zip(edges, edges[1:], knots, strict=False):
        parts = max(1, math.ceil((high - low) / width * MARKERS))
        xs += [10 ** (low + (high - low) * (part + 0.5) / parts) for part in range(parts)]
        hovers += [_hover(knot, numbers)] * parts
    return {
        "type": "scatter", "mode": "markers", "x": xs, "y": [sum(span) / 2] * len(xs), "yaxis": yaxis,
        "showlegend": False, "marker": {"size": CELL_PX, "symbol": "square", "opacity": 0},
        "hovertext": hovers, "hovertemplate": "%{hovertext}<extra></extra>",
        **({"customdata": [name] * len(xs)} if name is not None else {}),
    }  # fmt: skip


def _edges(places: Sequence[float], ends: tuple[float, float]) -> list[float]:
    """The borders of the cells: half-way between knots, and a little beyond the first and the last."""
    least = 0.02 * max(ends[1] - ends[0], 0.5)
    if len(places) == 1:
        return [places[0] - 2 * least, places[0] + 2 * least]
    inner = [(one + other) / 2 for one, other in pairwise(places)]
    first, last = places[0] - 2 * least, places[-1] + 2 * least
    return [first, *inner, last]


def _fitting(knot: Mapping[str, Any], px: float) -> str:
    """The longest text that a cell so wide has room for."""
    return next((text for text in _shorter(knot) if px >= _px(text)), "")


def _shorter(knot: Mapping[str, Any]) -> list[str]:
    """Who leads by how much, the longest way of writing it first."""
    if knot["tie"]:
        return ["tie", "="]
    side, size = "A" if knot["lead_percent"] > 0 else "B", abs(knot["lead_percent"])
    mark = "" if knot["settled"] else UNSETTLED
    lead = f"{size:.1f}" if size < 9.95 else f"{size:,.0f}"
    return [f"{side} +{lead}%{mark}", f"+{lead}%{mark}", f"{size:,.0f}%{mark}", mark]


def _px(text: str) -> float:
    """How wide a text is in a cell."""
    return sum(LETTERS_PX.get(letter, DIGIT_PX) for letter in text)


def _hover(knot: Mapping[str, Any], numbers: Mapping[str, Any]) -> str:
    unit = html(numbers["unit"])
    values = "<br>".join(f"{side.upper()}: <b>{number(knot[side])}</b> {unit}" for side in ("a", "b"))
    lead = (
        "a tie"
        if knot["tie"]
        else f"{'A' if knot['lead_percent'] > 0 else 'B'} leads by {percent(knot['lead_percent'])}"
    )
    open_words = (
        "" if knot["settled"] else "<br>of what was measured here: the other's best series nearby was not"
    )
    return f"{html(at(numbers['along'], knot['x']))}<br>{values}<br>{lead}{open_words}"


def _add_words(figure: go.Figure, pair: Mapping[str, Any], bottom: int, theme: Theme) -> None:
    names = f"{pair['label_a']} against {pair['label_b']}"
    names = names if len(names) <= LONGEST_NAME else names[: LONGEST_NAME - 1] + "…"
    figure.add_annotation(
        x=0, xref="paper", y=bottom + STRIP[1] + 0.02, xanchor="left", yanchor="bottom", showarrow=False,
        text=f"{html(names)}", font={"size": 13, "color": theme.text},
    )  # fmt: skip


def _add_marks(
    figure: go.Figure, crossings: Sequence[float], bottom: int, ends: tuple[float, float], theme: Theme
) -> None:
    """The places of the crossings under their strip; of those too close together the first is named."""
    figure.add_trace({
        "type": "scatter", "mode": "markers", "x": list(crossings), "y": [bottom + STRIP[0] - 0.07] * len(crossings),
        "hoverinfo": "skip", "showlegend": False,
        "marker": {"symbol": "triangle-up", "size": 9, "color": theme.text},
    })  # fmt: skip
    named = -math.inf
    for x in crossings:
        if log10(x) - named < APART * (ends[1] - ends[0]):
            continue
        named = log10(x)
        figure.add_annotation(
            x=named, y=bottom + STRIP[0] - 0.1, yanchor="top", showarrow=False, text=f"<b>{place(x)}</b>",
            font={"size": 13, "color": theme.text},
        )  # fmt: skip


def _set_axes(figure: go.Figure, numbers: Mapping[str, Any], xs: Sequence[float], lines: int) -> None:
    ticks = list(xs) if len(xs) <= MOST_TICKS else decade_ticks(min(xs), max(xs))
    room = 0.045 * max(log10(xs[-1] / xs[0]), 0.5) if xs else 0.1
    figure.update_layout(
        hovermode="closest", showlegend=False, margin={"l": 24, "r": 24, "t": TOP_PX, "b": BOTTOM_PX},
        uirevision=f"list {numbers['along']} {numbers['metric']}",
        xaxis={"type": "log", "range": [log10(xs[0]) - room, log10(xs[-1]) + room] if xs else None, "tickvals": ticks,
               "ticktext": [place(tick) for tick in ticks], "title_text": html(along_title(numbers["along"])),
               "title_font_size": 13,
               "showgrid": False, "tickangle": 0},
        yaxis={"range": [-0.05, lines], "visible": False, "fixedrange": True},
    )  # fmt: skip


def _add_key(figure: go.Figure, theme: Theme, doubt: str) -> None:
    stops = of_ratios(np.array([0.5, 2.0]), "higher", theme).stops
    blue, orange = stops[-2], stops[1]
    figure.add_annotation(
        x=0, xref="paper", y=1, yref="paper", xanchor="left", yanchor="bottom", yshift=14,
        showarrow=False, align="left",
        font={"size": 13, "color": theme.muted},
        text=f"<span style='color:{blue}'>■</span> A, named first, leads   "
             f"<span style='color:{orange}'>■</span> B leads   ▲ where they cross{doubt}",
    )  # fmt: skip
