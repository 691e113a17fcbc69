"""The crossover chart: both curves with the crossing and its bracket, and strips coloured by who leads."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.plain_text import html
from bench.questions.crossover import strips
from bench.questions.crossover.asked import axis_title, place
from bench.questions.crossover.phrases import Teller
from bench.questions.crossover.result import OTHER, SIDES, Compared, Curve, Pair, Place, Result, Side, SideKey
from bench.questions.crossover.strips import log10
from bench.wording import number

HEIGHT, STRIP_SHARE, FAINT = 560, 0.15, 0.4
"""The chart's height, the share of it that the strip of ratios takes, and how faint a point is that another beats."""

MOST_CHANGES, TICKS_APART, CLOSE = 3, 0.065, 0.05
"""So many brackets without a crossing are drawn, of more the strip tells; ticks, and the ends of both curves, are so
far apart at least, as shares of the axis."""

LINE_LETTERS, LETTER_PX, WIDEST_ROOM_PX, MOST_LINES = 20, 7, 170, 4
"""A line of a curve's name, the width of a letter, the room beside the chart at most, and how many lines there are."""

Curves = Mapping[SideKey, Curve]


def draw(found: Result, theme: Theme) -> go.Figure:
    """The chart of an answer's result; one with nothing to draw says so."""
    if not isinstance(found, Pair):
        return strips.of_pairs(found, theme) if found.pairs else chart.empty("No pair to draw.", theme)
    curves = {key: side.curve for key, side in found.sides.items() if side.curve is not None}
    if len(curves) < len(SIDES):
        return chart.empty("Nothing can be compared, so nothing is drawn.", theme)
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    tell = Teller.short(found.asked, found.a, found.b)
    own = {key: chart.accelerator_colour(side.accelerator, theme) for key, side in found.sides.items()}
    if own["a"] == own["b"]:
        own["b"] = next(one for one in chart.OKABE_ITO[3:] if one.lower() != own["a"].lower())
    for key, curve in curves.items():
        figure.add_traces(_curve(found, curve, key, own[key]))
    xs = sorted({one.x for curve in curves.values() for one, _ in curve.places})
    _set_axes(figure, found, curves, xs)
    _add_ends(figure, found, curves, own)
    said = "The two were measured at different places, so nobody leads"
    if isinstance(found.outcome, Compared):
        _add_crossings(figure, found.outcome, tell, theme)
        knots = found.outcome.found.knots
        strips.add(figure, knots, found.asked, (xs[0], xs[-1]), theme, own)
        said = f"Who leads: A is {html(tell.a)}{strips.doubt(knots)}"
    figure.add_annotation(
        x=0, xref="paper", y=STRIP_SHARE, yref="paper", xanchor="left", yanchor="bottom", showarrow=False, text=said,
        font={"size": 12, "color": theme.muted},
    )  # fmt: skip
    return figure


def _curve(found: Pair, curve: Curve, key: SideKey, colour: str) -> list[dict[str, Any]]:
    """A side's line, its measured points, and hollow those that a flag keeps out of every ranking."""
    line = [point for part in curve.lines for point in (*part, (None, None))]
    hollow = found.sides[key].hollow
    return [
        {"type": "scatter", "mode": "lines", "x": [x for x, _ in line], "y": [y for _, y in line], "hoverinfo": "skip",
         "connectgaps": False, "showlegend": False, "line": {"color": colour, "width": 2}},
        _markers(found, key, [one for one, _ in curve.places], colour, [wins for _, wins in curve.places]),
        *([_markers(found, key, hollow, colour, [])] if hollow else []),
    ]  # fmt: skip


def _markers(
    found: Pair, key: SideKey, places: Sequence[Place], colour: str, best: Sequence[bool]
) -> dict[str, Any]:
    """Clickable points, large where they are the best; open where they were not measured or are not ranked."""
    symbols = [
        chart.engine_marker(one.point.engine, measured=bool(best) and one.point.evidence == "measured")
        for one in places
    ]
    return {
        "type": "scatter", "mode": "markers", "x": [one.x for one in places], "y": [one.y for one in places],
        "name": html(found.sides[key].label), "showlegend": False,
        "customdata": [one.point.point_id for one in places],
        "text": [_hover(found, key, one, ranked=bool(best)) for one in places],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": colour, "line": {"width": 1.4, "color": colour}, "symbol": symbols,
                   "size": [9 if wins else 6 for wins in best] or 8,
                   "opacity": [1 if wins else FAINT for wins in best] or 1},
    }  # fmt: skip


def _hover(found: Pair, key: SideKey, one: Place, *, ranked: bool) -> str:
    value = f"<b>{number(one.y)}</b> {html(found.asked.unit)}{'' if ranked else ', flagged and not ranked'}"
    return f"{html(found.sides[key].label)}: {value}<br>{chart.hover_lines(one.point.row, [])}"


def _add_crossings(figure: go.Figure, outcome: Compared, tell: Teller, theme: Theme) -> None:
    """Each crossing with its bracket, of several only its place, every other one higher; and where the lead passes on
    without one: the bracket, and of a single one whose best changes."""
    shown, turns = outcome.crossings, outcome.found.turns
    for order, one in enumerate(shown):
        leads = f" {html(tell.who(one.leads_after))} leads from here" if len(shown) == 1 else ""
        ends, text = (one.interval.low, one.interval.high), f"<b>{place(one.x)}</b>{leads}"
        _add_bracket(figure, ends, one.x, text, theme, shift=15 * (order % 2))
        line = {"color": theme.text, "width": 1, "dash": "dot"}
        figure.add_shape(type="line", x0=one.x, x1=one.x, y0=0, y1=1, yref="y domain", line=line)
        figure.add_trace({
            "type": "scatter", "mode": "markers", "x": [one.x], "y": [one.y], "showlegend": False,
            "hovertemplate": f"Crossing at {place(one.x)}, interpolated<extra></extra>",
            "marker": {"symbol": "circle-open", "size": 17, "color": theme.text, "line": {"width": 2}},
        })  # fmt: skip
    changes = [(turn, turn.cut) for turn in turns if turn.crossing is None and turn.cut is not None]
    for turn, cut in changes if len(changes) <= MOST_CHANGES else ():
        low, high = turn.below.x, turn.above.x
        text = f"<b>{place(low)} to {place(high)}: {html(tell.who(cut.side))}'s best changes</b>"
        text = text if len(turns) == 1 else ""
        _add_bracket(figure, (low, high), (low * high) ** 0.5, text, theme, width=1)


def _add_bracket(
    figure: go.Figure, ends: tuple[float, float], x: float, text: str, theme: Theme, *, width: int = 0, shift: int = 0
) -> None:  # fmt: skip
    """A part of the axis in grey, and words above it."""
    figure.add_shape(
        type="rect", x0=ends[0], x1=ends[1], y0=0, y1=1, yref="y domain", layer="below", fillcolor=theme.muted,
        opacity=0.13, line={"width": width, "dash": "dot", "color": theme.text},
    )  # fmt: skip
    figure.add_annotation(
        x=log10(x), y=1, yref="y domain", yanchor="bottom", showarrow=False, yshift=shift, text=text,
        font={"size": 13, "color": theme.text},
    )  # fmt: skip


def _set_axes(figure: go.Figure, found: Pair, curves: Curves, xs: Sequence[float]) -> None:
    asked, metric = found.asked, found.asked.row
    ticks = _apart(xs) if len(xs) <= strips.MOST_TICKS else decade_ticks(xs[0], xs[-1])
    room = 0.045 * log10(max(xs[-1] / xs[0], 1.5))
    better = " · lower is better" if asked.better == "lower" else ""
    places = [one for curve in curves.values() for one, _ in curve.places]
    values = [one.y for one in (*places, *found.a.hollow, *found.b.hollow)]
    marks = decade_ticks(min(values) / 1.3, max(values) * 1.3)
    figure.update_layout(
        margin={"t": 40, "l": 84, "b": 64}, hovermode="closest", showlegend=False,
        uirevision=f"{asked.along} {asked.metric} {asked.per} {found.a.filters}",
        xaxis={"type": "log", "range": [log10(xs[0]) - room, log10(xs[-1]) + room], "tickvals": ticks,
               "ticktext": [place(tick) for tick in ticks], "title_text": html(axis_title(asked.along)),
               "title_font_size": 13, "anchor": "y2", "tickangle": 0},
        yaxis={"type": "log", "title_text": html(f"{metric.label} ({asked.unit}){better}"), "title_font_size": 13,
               "domain": [STRIP_SHARE + 0.07, 1], "tickvals": marks, "ticktext": [number(mark) for mark in marks]},
        yaxis2={"domain": [0, STRIP_SHARE], "range": [0, 1], "visible": True, "showticklabels": False, "ticks": "",
                "showgrid": False, "zeroline": False, "fixedrange": True},
    )  # fmt: skip


def _apart(xs: Sequence[float]) -> list[float]:
    """The measured places as ticks, from the last down, without those too close to the one after."""
    whole = max(log10(xs[-1] / xs[0]), 1e-9)
    kept = [xs[-1]]
    for x in reversed(xs[:-1]):
        if log10(kept[-1] / x) / whole >= TICKS_APART:
            kept.append(x)
    return kept[::-1]


def _add_ends(figure: go.Figure, found: Pair, curves: Curves, colours: Mapping[SideKey, str]) -> None:
    """Each curve's name: beside its end where that is the last of the axis, else above or below it to the right."""
    ends = {key: [one for one, wins in curve.places if wins][-1] for key, curve in curves.items()}
    last = max(end.x for end in ends.values())
    names = {key: _in_lines(side, found.sides[OTHER[key]]) for key, side in found.sides.items()}
    room = max(len(line) for lines in names.values() for line in lines)
    upper: SideKey = "a" if ends["a"].y >= ends["b"].y else "b"
    values = [one.y for curve in curves.values() for one, _ in curve.places]
    near = abs(log10(ends["a"].y / ends["b"].y)) < CLOSE * max(log10(max(values) / min(values)), 1e-9)
    figure.update_layout(margin_r=min(24 + LETTER_PX * room, WIDEST_ROOM_PX))
    for key, end in ends.items():
        outside = end.x == last
        shift = 14 if not outside else 0 if near else -9
        figure.add_annotation(
            x=log10(end.x), y=log10(end.y), showarrow=False, align="left",
            text="<br>".join(f"<b>{html(one)}</b>" for one in names[key]),
            xanchor="left", xshift=10 if outside else 2,
            yanchor="bottom" if key == upper else "top", yshift=shift * (1 if key == upper else -1),
            font={"size": 13, "color": colours[key]},
        )  # fmt: skip


def _in_lines(side: Side, other: Side) -> list[str]:
    """A side's words without what the other's say too, in lines short enough to stand beside a curve."""
    parts = [side.hardware or side.label, *(part for part in side.parts if part not in other.parts)]
    parts[0] = f"{side.name} {parts[0]}" if side.name else parts[0]
    lines = [one for part in parts for one in textwrap.wrap(part, LINE_LETTERS, break_on_hyphens=False)]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "…"]
