"""Strips along the axis, a cell around each knot, coloured by who leads there and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.chart.colouring import DARK_INK, DIVERGING, LIGHT_INK, Colouring, of_ratios, rgb
from bench.chart.roomy import by_width
from bench.maths.crossover import Knot
from bench.plain_text import html
from bench.questions.crossover.asked import Asked, at, axis_title, place
from bench.questions.crossover.phrases import Teller
from bench.questions.crossover.result import Compared, Listing, SideKey
from bench.wording import number

MOST_STRIPS = 15
"""So many pairs have a strip; the table lists all."""

ROW_PX, TOP_PX, BOTTOM_PX = 68, 54, 64
STRIP = (0.36, 0.7)
"""The share of its line in which a strip lies, from below; above it are its words, below it the crossings."""

NARROW_PX, BESIDE_PX, MORE_PX = 460, 340, (0, 270, 545)
"""How long the strips are on a page of 800 px, with names beside them, and so much longer on wider pages
(`roomy.FROM_PX`, 0.92 of what such a page is wider): a cell has what fits into it there."""

LETTERS_PX, DIGIT_PX = {" ": 3.0, ".": 3.0, ",": 3.0, "%": 9.5, "A": 7.5, "B": 7.5}, 6.3
"""How wide letters are in a cell, in the size of its text; a digit, and what is not listed, has one width."""

MOST_COLOURED, COLOURS_APART = 4.0, 120.0
"""From this ratio on the colour is the same, so that one outlier does not pale all others; two colours so far apart in
RGB are told apart at a glance, H100 and H200 lie 107 apart."""

MARKERS, CELL_PX, APART, MOST_TICKS, LONGEST_NAME = 64, 24, 0.07, 14, 92
"""So many unseen markers lie side by side on the axis, each so wide and high that they touch at 1,500 px."""

UNSETTLED = "?"
"""What stands behind a lead that is of what was measured there and no more: the other's best nearby was not."""

Ends = tuple[float, float]


def log10(value: float) -> float:
    """Where a value lies on a logarithmic axis."""
    return float(math.log10(value))


def of_pairs(found: Listing, theme: Theme) -> go.Figure:
    """One strip for each of the most telling pairs, the crossing marked, on one axis."""
    listed = found.pairs[:MOST_STRIPS]
    held = [pair.outcome.found.knots if isinstance(pair.outcome, Compared) else () for pair in listed]
    every = [knot for knots in held for knot in knots]
    xs = sorted({knot.x for knot in every}) or [1.0]
    figure = chart.layout(go.Figure(), theme, height=TOP_PX + BOTTOM_PX + ROW_PX * len(listed))
    colouring, ends = _colouring(every, theme), (log10(xs[0]), log10(xs[-1]))
    for bottom, (pair, knots) in enumerate(reversed(list(zip(listed, held, strict=True)))):
        span = (bottom + STRIP[0], bottom + STRIP[1])
        if knots:
            _add_strip(figure, knots, found.asked, colouring, ends, span, "y", str(pair.place))
        names = f"{pair.a.label} against {pair.b.label}"
        _add_words(
            figure,
            names if len(names) <= LONGEST_NAME else f"{names[:LONGEST_NAME]}…",
            span[1] + 0.02,
            theme.text,
        )
        _add_marks(figure, [one.x for one in pair.crossings], bottom, ends, theme)
    ticks = list(xs) if len(xs) <= MOST_TICKS else decade_ticks(xs[0], xs[-1])
    room = 0.045 * max(ends[1] - ends[0], 0.5)
    _, orange, *_, blue, _ = DIVERGING[theme.name]
    _add_words(
        figure,
        f"<span style='color:{blue}'>■</span> A, named first, leads   <span style='color:{orange}'>■</span>"
        f" B leads   ▲ where they cross{doubt(every)}",
        len(listed),
        theme.muted,
        markup=True,
    )
    figure.update_layout(
        hovermode="closest", showlegend=False, margin={"l": 24, "r": 24, "t": TOP_PX, "b": BOTTOM_PX},
        uirevision=f"list {found.asked.along} {found.asked.metric}",
        xaxis={"type": "log", "range": [ends[0] - room, ends[1] + room], "tickvals": ticks,
               "ticktext": [place(tick) for tick in ticks], "title_text": html(axis_title(found.asked.along)),
               "title_font_size": 13, "showgrid": False, "tickangle": 0},
        yaxis={"range": [-0.05, len(listed)], "visible": False, "fixedrange": True},
    )  # fmt: skip
    return figure


def add(
    figure: go.Figure, knots: Sequence[Knot], asked: Asked, ends: Ends, theme: Theme, colours: Mapping[SideKey, str]
) -> None:  # fmt: skip
    """The strip of one pair under its curves: a lead has its curve's colour, where those are easily told apart."""
    colouring = _colouring(knots, theme)
    if math.dist(rgb(colours["a"]), rgb(colours["b"])) >= COLOURS_APART:
        neutral = colouring.stops[len(colouring.stops) // 2]
        colouring = replace(colouring, stops=(colours["b"], neutral, colours["a"]))
    _add_strip(figure, knots, asked, colouring, (log10(ends[0]), log10(ends[1])), (0.0, 1.0), "y2", None)


def doubt(knots: Sequence[Knot]) -> str:
    """What a question mark behind a lead says, where one has it."""
    settled = all(knot.settled for knot in knots)
    return "" if settled else f"   {UNSETTLED} the other's best was not run there"


def fitting(knot: Knot, px: float) -> str:
    """The longest text about a lead that a cell so wide has room for."""
    side, size = "A" if knot.lead_percent > 0 else "B", abs(knot.lead_percent)
    mark, whole = "" if knot.settled else UNSETTLED, f"{size:,.0f}%"
    lead = f"{size:.1f}%" if size < 9.95 else whole
    texts = ["tie", "="] if knot.tie else [f"{side} +{lead}{mark}", f"+{lead}{mark}", f"{whole}{mark}", mark]
    return next((one for one in texts if px >= sum(LETTERS_PX.get(letter, DIGIT_PX) for letter in one)), "")


def _colouring(knots: Sequence[Knot], theme: Theme) -> Colouring:
    return of_ratios(np.array([_advantage(knot) for knot in knots], dtype=float), "higher", theme)


def _advantage(knot: Knot) -> float:
    """How many times better the first side is, whatever the direction of the metric, as far as it is coloured."""
    capped = min(knot.ratio, MOST_COLOURED)
    return capped if knot.lead_percent >= 0 else 1 / capped


def _add_strip(
    figure: go.Figure, knots: Sequence[Knot], asked: Asked, colouring: Colouring, ends: Ends, span: Ends, yaxis: str,
    name: str | None,
) -> None:  # fmt: skip
    """Cells with their leads; over each unseen markers side by side, so that all of it tells its numbers and can be
    clicked."""
    edges = _edges([log10(knot.x) for knot in knots], ends)
    ratios, width = np.array([_advantage(knot) for knot in knots]), max(ends[1] - ends[0], 0.1)
    narrow, stops = NARROW_PX if name else BESIDE_PX, colouring.stops
    texts, xs, hovers = [], [], []
    for (low, high), knot in zip(pairwise(edges), knots, strict=True):
        texts.append(by_width([fitting(knot, (high - low) / width * (narrow + more)) for more in MORE_PX]))
        parts = max(1, math.ceil((high - low) / width * MARKERS))
        xs += [10 ** (low + (high - low) * (part + 0.5) / parts) for part in range(parts)]
        hovers += [_hover(knot, asked)] * parts
    middle, shared = sum(span) / 2, {"type": "scatter", "yaxis": yaxis, "showlegend": False}
    figure.add_traces([
        {"type": "heatmap", "x": [10**edge for edge in edges], "y": list(span), "z": [colouring.of(ratios).tolist()],
         "yaxis": yaxis, "zmin": colouring.low, "zmax": colouring.high, "showscale": False, "hoverinfo": "skip",
         "xgap": 2, "colorscale": [[step / (len(stops) - 1), stop] for step, stop in enumerate(stops)]},
        {**shared, "mode": "text", "y": [middle] * len(knots), "hoverinfo": "skip", "text": texts,
         "x": [10 ** ((low + high) / 2) for low, high in pairwise(edges)],
         "textfont": {"size": 11.5, "color": [DARK_INK if one else LIGHT_INK for one in colouring.dark_ink(ratios)]}},
        {**shared, "mode": "markers", "x": xs, "y": [middle] * len(xs), "hovertext": hovers,
         "hovertemplate": "%{hovertext}<extra></extra>", "marker": {"size": CELL_PX, "symbol": "square", "opacity": 0},
         **({"customdata": [name] * len(xs)} if name is not None else {})},
    ])  # fmt: skip


def _edges(places: Sequence[float], ends: Ends) -> list[float]:
    """The borders of the cells: half-way between knots, and a little beyond the first and the last."""
    beyond = 0.04 * max(ends[1] - ends[0], 0.5)
    inner = [(one + other) / 2 for one, other in pairwise(places)]
    return [places[0] - beyond, *inner, places[-1] + beyond]


def _hover(knot: Knot, asked: Asked) -> str:
    sides = (("A", knot.y_a), ("B", knot.y_b))
    values = "<br>".join(f"{side}: <b>{number(y)}</b> {html(asked.unit)}" for side, y in sides)
    lead = html(Teller(asked, "A", "B").lead_at(knot))
    open_words = "" if knot.settled else "<br>of what was measured here: the other's best nearby was not"
    return f"{html(at(asked.along, knot.x))}<br>{values}<br>{lead}{open_words}"


def _add_words(figure: go.Figure, text: str, y: float, colour: str, *, markup: bool = False) -> None:
    """A line of text at the left, above a strip or above all."""
    figure.add_annotation(
        x=0, xref="paper", y=y, xanchor="left", yanchor="bottom", yshift=14 if markup else 0, showarrow=False,
        align="left", text=text if markup else html(text), font={"size": 13, "color": colour},
    )  # fmt: skip


def _add_marks(figure: go.Figure, crossings: Sequence[float], bottom: int, ends: Ends, theme: Theme) -> None:
    """The places of the crossings under their strip; of those too close together the first is named."""
    figure.add_trace({
        "type": "scatter", "mode": "markers", "x": list(crossings), "y": [bottom + STRIP[0] - 0.07] * len(crossings),
        "hoverinfo": "skip", "showlegend": False,
        "marker": {"symbol": "triangle-up", "size": 9, "color": theme.text},
    })  # fmt: skip
    named = -math.inf
    for x in crossings:
        if log10(x) - named >= APART * (ends[1] - ends[0]):
            named = log10(x)
            figure.add_annotation(
                x=named, y=bottom + STRIP[0] - 0.1, yanchor="top", showarrow=False, text=f"<b>{place(x)}</b>",
                font={"size": 13, "color": theme.text},
            )  # fmt: skip
