"""The crossover chart: both curves with the crossing and its bracket, and strips coloured by who leads."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log10
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.chart.colouring import DARK_INK, DIVERGING, LIGHT_INK, Colouring, of_ratios, rgb
from bench.chart.panels import READABLE_PX
from bench.chart.texts import ON_PHONES_TOO, by_width, text_at
from bench.chart.traces import HOVER, marker, scatter, stroke
from bench.maths.colour import contrast, distance
from bench.maths.crossover import Crossing, Knot
from bench.plain_text import html
from bench.questions.crossover import result
from bench.questions.crossover.options import CrossoverOptions, at, axis_title, crossed
from bench.questions.crossover.result import OTHER, SIDES, Compared, CurvePlace, ListedPair, Pair, SideCurve, SideKey
from bench.questions.crossover.side_names import names
from bench.questions.crossover.verdict import NO_NAMES, Names, lead_at, lead_of
from bench.wording import number

HEIGHT, LEFT_PX, STRIP_SHARE, FAINT = 560, 76, 0.15, 0.4
"""The chart's height, the room at its left, the share of it that the strip of ratios takes, and how faint a point is
that another beats."""

MOST_CHANGES, TICKS_APART, NARROW_APART = 3, 0.065, 0.14
"""So many brackets without a crossing are drawn, of more the strip tells; ticks are so far apart at least, as shares
of the axis, on a phone the second."""

END_ROOM = 0.05
"""The share of the axis that is added for the curves' letters at their ends."""

LINE_LETTERS, LINE_PX = 52, 17
"""A line of words above a chart or a strip has so many letters, which a phone has room for, and is so high."""

MOST_STRIPS, EVERY_STRIP = 8, 40
"""So many pairs have a strip, and so many at most where all are asked for; the table lists all."""

TOP_PX, BOTTOM_PX = 50, 64
STRIP_PX, BELOW_PX = 23, 34
"""How high a strip is, and the room for the crossings below it; above it are its words."""

STRIPS_PX, UNDER_PX = (270, 460, 730, 1005), (175, 300, 520, 750)
"""How long the strips of pairs are, and the one under two curves, on pages as wide as `texts.ON_PHONES_TOO`: a cell has
what fits into it there."""

LETTERS_PX, DIGIT_PX = {" ": 3.0, ".": 3.0, ",": 3.0, "%": 9.5, "A": 7.5, "B": 7.5}, 6.3
"""How wide letters are in a cell, in the size of its text; a digit, and what is not listed, has one width."""

MOST_COLOURED, COLOURS_APART = 4.0, 120.0
"""From this ratio on the colour is the same, so that one outlier does not pale all others; two colours so far apart in
RGB are told apart at a glance, H100 and H200 lie 107 apart."""

MARKERS, CELL_PX, APART, MOST_TICKS = 64, 24, 0.07, 14
"""So many unseen markers lie side by side on the axis, each so wide and high that they touch at 1,500 px."""

LEAST_DISTANCE, MARK_CONTRAST = 20.0, 3.0
"""Two curves differ by so much in CIEDE2000, and stand out from the background by so much (WCAG 2.2, 1.4.11)."""

BLANK = "\N{NO-BREAK SPACE}"
"""What stands where a word has no room: plotly puts what is not drawn at all at the page's edge."""

UNSETTLED = "?"
"""What stands behind a lead that is of what was measured there and no more: the other's best nearby was not."""

Curves = Mapping[SideKey, SideCurve]
Ends = tuple[float, float]


def draw(answer: result.CrossoverResult, theme: Theme) -> go.Figure:
    """Both curves and the strip of their ratio, or a strip for each of the most telling pairs; an empty one says so."""
    if not isinstance(answer, Pair):
        return _of_pairs(answer, theme) if answer.pairs else chart.empty("No pair to draw.", theme)
    curves = {key: side.curve for key, side in answer.sides.items() if side.curve is not None}
    if len(curves) < len(SIDES):
        return chart.empty("Nothing can be compared here.", theme)
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    own = _colours(answer, theme)
    for key, curve in curves.items():
        figure.add_traces(_curve(answer, curve, key, own[key]))
    xs = sorted({one.x for curve in curves.values() for one, _ in curve.places})
    _set_axes(figure, answer, curves, xs)
    _add_key(figure, answer, own, theme)
    _add_ends(figure, curves, own, theme)
    said = "The two were measured at different places, so nobody leads"
    if isinstance(answer.outcome, Compared):
        _add_crossings(figure, answer.outcome, names(answer.a, answer.b), theme)
        knots = answer.outcome.found.knots
        _add_ratios(figure, knots, answer.asked, (xs[0], xs[-1]), theme, own)
        said = f"Who leads{_doubt(knots)}"
    figure.add_annotation(text_at(said, 0, STRIP_SHARE, "paper paper", shift=(8 - LEFT_PX, 0), colour=theme.muted))
    return figure


def _colours(found: Pair, theme: Theme) -> dict[SideKey, str]:
    """Each side's accelerator's colour; B has another where the two would not be told apart."""
    a, b = (chart.accelerator_colour(side.accelerator, theme) for side in (found.a, found.b))
    others = (one for one in chart.OKABE_ITO[3:] if contrast(one, theme.background) >= MARK_CONTRAST)
    return {"a": a, "b": next(one for one in (b, *others) if distance(a, one) >= LEAST_DISTANCE)}


def _add_key(figure: go.Figure, pair: Pair, colours: Mapping[SideKey, str], theme: Theme) -> None:
    """Write what A and B are above all: in ink, each with the colour of its curve."""
    lines = []
    for key, side in pair.sides.items():
        parts = [part for part in side.parts if part not in pair.sides[OTHER[key]].parts]
        first = f"{side.name} {side.hardware or side.label}".strip()
        words = textwrap.wrap(f"{key.upper()}: {', '.join([first, *parts])}", LINE_LETTERS)
        lines += [f"<span style='color:{colours[key]}'>■</span> <b>{html(words[0])}</b>"]
        lines += [f"<b>{html(one)}</b>" for one in words[1:]]
    figure.update_layout(margin_t=40 + LINE_PX * len(lines))
    place = text_at("<br>".join(lines), 0, 1, "paper/y domain", shift=(8 - LEFT_PX, 30), size=13, colour=theme.text)
    figure.add_annotation(place, align="left")


def _curve(pair: Pair, curve: SideCurve, key: SideKey, colour: str) -> list[dict[str, Any]]:
    """A side's line, its measured points, and hollow those that a flag keeps out of every ranking."""
    line = [point for part in curve.lines for point in (*part, (None, None))]
    hollow = pair.sides[key].hollow
    return [
        scatter([x for x, _ in line], [y for _, y in line], connectgaps=False, line=stroke(colour, 2)),
        _markers(pair, key, [one for one, _ in curve.places], colour, [wins for _, wins in curve.places]),
        *([_markers(pair, key, hollow, colour, [])] if hollow else []),
    ]


def _markers(
    pair: Pair, key: SideKey, places: Sequence[CurvePlace], colour: str, best: Sequence[bool]
) -> dict[str, Any]:
    """Clickable points, large where they are the best; open where they were not measured or are not ranked."""
    symbols = [
        chart.engine_marker(one.point.engine, measured=bool(best) and one.point.evidence == "measured")
        for one in places
    ]
    sizes, opacities = [9 if wins else 6 for wins in best] or 8, [1 if wins else FAINT for wins in best] or 1
    return scatter(
        [one.x for one in places],
        [one.y for one in places],
        {"text": [_hover(pair, key, one, ranked=bool(best)) for one in places]},
        hovertemplate="%{text}<extra></extra>",
        customdata=[one.point.point_id for one in places],
        name=html(pair.sides[key].label),
        marker=marker(symbols, sizes, colour, 1.4, opacities),
    )


def _hover(found: Pair, key: SideKey, one: CurvePlace, *, ranked: bool) -> str:
    value = f"<b>{number(one.y)}</b> {html(found.asked.unit)}{'' if ranked else ', flagged and not ranked'}"
    return f"{html(found.sides[key].label)}: {value}<br>{chart.hover_lines(one.point.row, [])}"


def _add_crossings(figure: go.Figure, outcome: Compared, named: Names, theme: Theme) -> None:
    """Draw each crossing with its bracket, of several only its place, every other one higher; and where the lead
    passes on without one: the bracket, and of a single one whose best changes."""
    shown, turns = outcome.crossings, outcome.found.turns
    for order, one in enumerate(shown):
        leads = f" {html(named[one.leads_after])} leads from here" if len(shown) == 1 else ""
        ends, text = (one.interval.low, one.interval.high), f"<b>{crossed(one)}</b>{leads}"
        _add_bracket(figure, ends, one.x, text, theme, shift=15 * (order % 2))
        line = stroke(theme.text, 1, "dot")
        figure.add_shape(type="line", x0=one.x, x1=one.x, y0=0, y1=1, yref="y domain", line=line)
        said = {"hovertemplate": f"Crossing at {crossed(one)}, interpolated<extra></extra>"}
        figure.add_trace(scatter([one.x], [one.y], said, marker=marker("circle-open", 17, theme.text, 2)))
    changes = [(turn, turn.cut) for turn in turns if turn.crossing is None and turn.cut is not None]
    for turn, cut in changes if len(changes) <= MOST_CHANGES else ():
        ends = (turn.below.x, turn.above.x)
        text = f"<b>{number(ends[0])} to {number(ends[1])}: {html(named[cut.side])}'s best changes</b>"
        _add_bracket(figure, ends, math.prod(ends) ** 0.5, text if len(turns) == 1 else "", theme, width=1)


def _add_bracket(
    figure: go.Figure, ends: tuple[float, float], x: float, text: str, theme: Theme, *, width: int = 0, shift: int = 0
) -> None:
    """Draw a part of the axis in grey, and words above it."""
    place = {"x0": ends[0], "x1": ends[1], "y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}
    line = stroke(theme.text, width, "dot")
    figure.add_shape(type="rect", **place, fillcolor=theme.muted, opacity=0.13, line=line)
    low, high = figure.layout.xaxis.range
    share = (log10(x) - low) / (high - low)
    side = "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"
    figure.add_annotation(
        text_at(text, log10(x), 1, "x/y domain", f"{side} bottom", shift=(0, shift), size=13, colour=theme.text)
    )


def _set_axes(figure: go.Figure, pair: Pair, curves: Curves, xs: Sequence[float]) -> None:
    options, metric = pair.asked, pair.asked.row
    better = " · lower is better" if options.row.better == "lower" else ""
    places = [one for curve in curves.values() for one, _ in curve.places]
    values = [one.y for one in (*places, *pair.a.hollow, *pair.b.hollow)]
    marks = decade_ticks(min(values) / 1.3, max(values) * 1.3)
    figure.update_layout(
        margin={"t": 40, "l": LEFT_PX, "r": 24, "b": 64}, hovermode="closest", showlegend=False,
        uirevision=f"{options.along} {options.metric} {options.per} {pair.a.filters}",
        xaxis={**_x_axis(xs, options.along, END_ROOM), "anchor": "y2"},
        yaxis={"type": "log", "title_text": html(f"{metric.label} ({options.unit}){better}"), "title_font_size": 13,
               "domain": [STRIP_SHARE + 0.07, 1], "tickvals": marks, "ticktext": [number(mark) for mark in marks]},
        yaxis2={"domain": [0, STRIP_SHARE], "range": [0, 1], "visible": True, "showticklabels": False, "ticks": "",
                "showgrid": False, "zeroline": False, "fixedrange": True},
    )  # fmt: skip


def _x_axis(xs: Sequence[float], along: str, end_room: float = 0) -> dict[str, Any]:
    """The axis with the measured places as ticks, or round ones where those are many; on a phone fewer have words."""
    ticks = _apart(xs, TICKS_APART) if len(xs) <= MOST_TICKS else decade_ticks(xs[0], xs[-1])
    kept = _apart(ticks, NARROW_APART)
    texts = [by_width([number(x) if x in kept else BLANK, *[number(x)] * 3], ON_PHONES_TOO) for x in ticks]
    low, high = log10(xs[0]), log10(xs[-1])
    span = max(high - low, 0.5)
    return {
        "type": "log",
        "range": [low - 0.045 * span, high + (0.045 + end_room) * span],
        "title_text": html(axis_title(along)),
        "title_font_size": 13,
        "tickangle": 0,
        "tickvals": ticks,
        "ticktext": texts,
    }


def _apart(xs: Sequence[float], share: float) -> list[float]:
    """These places, from the last down, without those too close to the one after."""
    whole = max(log10(xs[-1] / xs[0]), 1e-9)
    kept = [xs[-1]]
    for x in reversed(xs[:-1]):
        if log10(kept[-1] / x) / whole >= share:
            kept.append(x)
    return kept[::-1]


def _add_ends(figure: go.Figure, curves: Curves, colours: Mapping[SideKey, str], theme: Theme) -> None:
    """Write each curve's letter, which the key above explains, at its end: the upper curve's above it."""
    ends = {key: [one for one, wins in curve.places if wins][-1] for key, curve in curves.items()}
    for key, end in ends.items():
        _, other = min((abs(log10(one.x / end.x)), one.y) for one, wins in curves[OTHER[key]].places if wins)
        is_upper = end.y >= other if key == "a" else end.y > other
        corner = "left bottom" if is_upper else "left top"
        text = f"<span style='color:{colours[key]}'>■</span> <b>{key.upper()}</b>"
        beside: dict[str, Any] = {"shift": (8, 0), "size": 13, "colour": theme.text, "align": "left"}
        figure.add_annotation(text_at(text, log10(end.x), log10(end.y), corner=corner, **beside))


def _of_pairs(pairs: result.PairList, theme: Theme) -> go.Figure:
    """One strip for each of the most telling pairs, the crossing marked, on one axis."""
    listed = pairs.pairs[: EVERY_STRIP if pairs.asked.every_strip else MOST_STRIPS]
    every = [knot for pair in listed for knot in pair.knots]
    several = len({pair.a.points[0].model for pair in listed}) > 1
    xs = sorted({knot.x for knot in every}) or [1.0]
    titles = [_titles(pair, several=several) for pair in reversed(listed)]
    row = LINE_PX * max(map(len, titles)) + STRIP_PX + BELOW_PX
    top = TOP_PX + LINE_PX * (1 + bool(_doubt(every)))
    figure = chart.layout(go.Figure(), theme, height=top + BOTTOM_PX + row * len(listed))
    colouring, ends = _colouring(every, theme), (log10(xs[0]), log10(xs[-1]))
    for bottom, (pair, words) in enumerate(zip(reversed(listed), titles, strict=True)):
        span = (bottom + BELOW_PX / row, bottom + (BELOW_PX + STRIP_PX) / row)
        if pair.knots:
            _add_strip(figure, pair.knots, pairs.asked, colouring, ends, span, "y", str(pair.place))
        _add_words(figure, "<br>".join(words), span[1], theme.text)
        _add_marks(figure, pair.crossings, span[0], ends, theme)
    orange, *_, blue = DIVERGING[theme.name]
    key = (
        f"Who leads in {html(pairs.asked.what)}<br>"
        f"<span style='color:{blue}'>■</span> A, named first, leads   <span style='color:{orange}'>■</span>"
        f" B leads   ▲ where they cross{_doubt(every).replace('   ', '<br>', 1)}"
    )
    _add_words(figure, key, len(listed), theme.muted, shift=10)
    figure.update_layout(
        hovermode="closest",
        showlegend=False,
        margin={"l": 24, "r": 24, "t": top, "b": BOTTOM_PX},
        uirevision=f"list {pairs.asked.along} {pairs.asked.metric}",
        xaxis={**_x_axis(xs, pairs.asked.along), "showgrid": False},
        yaxis={"range": [-0.05, len(listed)], "visible": False, "fixedrange": True},
    )
    return figure


def _titles(pair: ListedPair, *, several: bool) -> list[str]:
    """Both sides of a pair in one line, or in lines of their own that a phone has room for."""
    model = f"{chart.value_label('model', pair.a.points[0].model)}: " if several else ""
    sides = (f"{model}{pair.a.label}", f"against {pair.b.label}")
    if len(" ".join(sides)) <= LINE_LETTERS:
        return [html(" ".join(sides))]
    return [by_width([html(_cut(one)), *[html(one)] * 3], ON_PHONES_TOO) for one in sides]


def _cut(text: str) -> str:
    return text if len(text) <= LINE_LETTERS else f"{text[: LINE_LETTERS - 1]}…"


def _add_ratios(
    figure: go.Figure,
    knots: Sequence[Knot],
    options: CrossoverOptions,
    ends: Ends,
    theme: Theme,
    colours: Mapping[SideKey, str],
) -> None:
    """Draw the strip of one pair under its curves: a lead has its curve's colour, where those are easily told apart."""
    colouring = _colouring(knots, theme)
    if math.dist(rgb(colours["a"]), rgb(colours["b"])) >= COLOURS_APART:
        neutral = colouring.stops[len(colouring.stops) // 2]
        colouring = replace(colouring, stops=(colours["b"], neutral, colours["a"]))
    _add_strip(figure, knots, options, colouring, (log10(ends[0]), log10(ends[1])), (0.0, 1.0), "y2", None)


def _doubt(knots: Sequence[Knot]) -> str:
    """What a question mark behind a lead says, where one has it."""
    settled = all(knot.settled for knot in knots)
    return "" if settled else f"   {UNSETTLED} the other's best was not run there"


def _fitting(knot: Knot, options: CrossoverOptions, px: float) -> str:
    """The longest text about a lead that a cell so wide has room for; none in one too narrow to be read.

    In percent or in times, as sentences tell it: a latency in times as fast, never in percent of either side.
    """
    if px < READABLE_PX:
        return ""
    side, size = "A" if knot.lead_percent > 0 else "B", abs(knot.lead_percent)
    (in_times, _), mark = lead_of(options, [knot]), "" if knot.settled else UNSETTLED
    least = f"{number(knot.ratio)}×" if in_times else f"{size:,.0f}%"
    told = least if in_times else f"+{size:.1f}%" if size < 9.95 else f"+{least}"
    texts = ["tie", "="] if knot.tie else [f"{side} {told}{mark}", f"{told}{mark}", f"{least}{mark}", mark]
    return next((one for one in texts if px >= sum(LETTERS_PX.get(letter, DIGIT_PX) for letter in one)), "")


def _colouring(knots: Sequence[Knot], theme: Theme) -> Colouring:
    return of_ratios(np.array([_advantage(knot) for knot in knots], dtype=float), "higher", theme)


def _advantage(knot: Knot) -> float:
    """How many times better the first side is, whatever the direction of the metric, as far as it is coloured."""
    capped = min(knot.ratio, MOST_COLOURED)
    return capped if knot.lead_percent >= 0 else 1 / capped


def _add_strip(
    figure: go.Figure,
    knots: Sequence[Knot],
    options: CrossoverOptions,
    colouring: Colouring,
    ends: Ends,
    span: Ends,
    yaxis: str,
    name: str | None,
) -> None:
    """Draw cells with their leads; over each unseen markers side by side, so that all of it tells its numbers and
    can be clicked."""
    edges = _edges([log10(knot.x) for knot in knots], ends)
    ratios, width = np.array([_advantage(knot) for knot in knots]), max(ends[1] - ends[0], 0.1)
    widths = STRIPS_PX if name else UNDER_PX
    texts, xs, hovers = [], [], []
    for (low, high), knot in zip(pairwise(edges), knots, strict=True):
        shown = [_fitting(knot, options, (high - low) / width * px) for px in widths]
        texts.append(by_width(shown, ON_PHONES_TOO))
        parts = max(1, math.ceil((high - low) / width * MARKERS))
        xs += [10 ** (low + (high - low) * (part + 0.5) / parts) for part in range(parts)]
        hovers += [_knot_hover(knot, options)] * parts
    middle = sum(span) / 2
    figure.add_traces([
        {"type": "heatmap", "x": [10**edge for edge in edges], "y": list(span), "z": [colouring.of(ratios).tolist()],
         "yaxis": yaxis, "zmin": colouring.low, "zmax": colouring.high, "showscale": False, "hoverinfo": "skip",
         "xgap": 2, "colorscale": colouring.scale},
        {"type": "scatter", "yaxis": yaxis, "mode": "text", "y": [middle] * len(knots), "hoverinfo": "skip",
         "text": texts, "x": [10 ** ((low + high) / 2) for low, high in pairwise(edges)],
         "textfont": {"size": 11.5, "color": [DARK_INK if one else LIGHT_INK for one in colouring.dark_ink(ratios)]}},
        scatter(xs, [middle] * len(xs), {"hovertext": hovers, "hovertemplate": HOVER}, yaxis=yaxis,
                marker={"size": CELL_PX, "symbol": "square", "opacity": 0},
                **({"customdata": [name] * len(xs)} if name is not None else {})),
    ])  # fmt: skip


def _edges(places: Sequence[float], ends: Ends) -> list[float]:
    """The borders of the cells: half-way between knots, and a little beyond the first and the last."""
    beyond = 0.04 * max(ends[1] - ends[0], 0.5)
    inner = [(one + other) / 2 for one, other in pairwise(places)]
    return [places[0] - beyond, *inner, places[-1] + beyond]


def _knot_hover(knot: Knot, options: CrossoverOptions) -> str:
    sides = (("A", knot.y_a), ("B", knot.y_b))
    values = "<br>".join(f"{side}: <b>{number(y)}</b> {html(options.unit)}" for side, y in sides)
    lead = html(f"{lead_at(knot, options, NO_NAMES)} at {at(options.along, knot.x)}")
    open_words = "" if knot.settled else "<br>of what was measured here: the other's best nearby was not"
    return f"{html(at(options.along, knot.x))}<br>{values}<br>{lead}{open_words}"


def _add_words(figure: go.Figure, text: str, y: float, colour: str, *, shift: int = 0) -> None:
    """Write a line of marked-up text at the left, above a strip or above all."""
    figure.add_annotation(text_at(text, 0, y, "paper y", shift=(0, shift), size=13, colour=colour, align="left"))


def _add_marks(figure: go.Figure, crossings: Sequence[Crossing], below: float, ends: Ends, theme: Theme) -> None:
    """Mark the places of the crossings under their strip; of those too close together the first is named."""
    xs, ys = [one.x for one in crossings], [below - 0.06] * len(crossings)
    figure.add_trace(scatter(xs, ys, marker=marker("triangle-up", 9, theme.text, 0)))
    named = named_on_phone = -math.inf
    for one in crossings:
        x, words = log10(one.x), f"<b>{crossed(one)}</b>"
        if x - named >= APART * (ends[1] - ends[0]):
            named, apart = x, x - named_on_phone >= NARROW_APART * (ends[1] - ends[0])
            named_on_phone = named if apart else named_on_phone
            text = by_width([words if apart else BLANK, words, words, words], ON_PHONES_TOO)
            figure.add_annotation(text_at(text, named, below - 0.08, corner="auto top", size=13, colour=theme.text))
