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
from bench.questions.crossover.result import OTHER, SIDES, Compared, Pair, Place, Result, Side, SideKey
from bench.questions.crossover.strips import log10
from bench.wording import number

HEIGHT = 560
STRIP_SHARE = 0.15
"""The share of the chart's height that the strip of ratios takes."""

FAINT = 0.4
"""Points of a member that is the best elsewhere, but not at their place."""
FEW_TICKS = 4
MOST_CHANGES = 3
"""So many brackets without a crossing are drawn; of more the strip tells."""
TICKS_APART = 0.065

CLOSE = 0.05
"""The share of the chart's height, in which both curves end, that a line of a name takes."""

LINE_LETTERS, LETTER_PX, WIDEST_ROOM_PX = 20, 7, 170
"""A line of a curve's name, the width of a letter, and the room beside the chart at most."""
MOST_LINES = 4

Colours = Mapping[SideKey, str]


def draw(found: Result, theme: Theme) -> go.Figure:
    """The chart of an answer's result; one with nothing to draw says so."""
    if not isinstance(found, Pair):
        return strips.of_pairs(found, theme) if found.pairs else chart.empty("No pair to draw.", theme)
    if not isinstance(found.outcome, Compared):
        return chart.empty("Nothing can be compared, so nothing is drawn.", theme)
    return _pair(found, found.outcome, theme)


def _pair(found: Pair, outcome: Compared, theme: Theme) -> go.Figure:
    figure, tell = (
        chart.layout(go.Figure(), theme, height=HEIGHT),
        Teller.short(found.asked, found.a, found.b),
    )
    own = {key: chart.accelerator_colour(side.accelerator, theme) for key, side in found.sides.items()}
    if own["a"] == own["b"]:
        own["b"] = next(one for one in chart.OKABE_ITO[3:] if one.lower() != own["a"].lower())
    for key in SIDES:
        figure.add_traces(_curve(found, outcome, key, own[key]))
    _add_crossings(figure, outcome, tell, theme)
    _add_changes(figure, outcome, tell, theme)
    xs = sorted({one.x for key in SIDES for one, _ in outcome.curves[key].places()})
    strips.add(figure, outcome.found.knots, found.asked, (xs[0], xs[-1]), theme, own)
    figure.add_annotation(
        x=0, xref="paper", y=STRIP_SHARE, yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
        text=f"Who leads: A is {html(tell.a)}{strips.doubt(outcome.found.knots)}",
        font={"size": 12, "color": theme.muted},
    )  # fmt: skip
    _set_axes(figure, found, outcome, xs)
    _add_ends(figure, found, outcome, own)
    return figure


def _curve(found: Pair, outcome: Compared, key: SideKey, colour: str) -> list[dict[str, Any]]:
    """A side's line, its measured points, and hollow those that a flag keeps out of every ranking."""
    curve, hollow = outcome.curves[key], found.sides[key].hollow
    line = [point for part in curve.lines for point in (*part, (None, None))]
    best = list(curve.places())
    return [
        {"type": "scatter", "mode": "lines", "x": [x for x, _ in line], "y": [y for _, y in line], "hoverinfo": "skip",
         "connectgaps": False, "showlegend": False, "line": {"color": colour, "width": 2}},
        _markers(found, key, [one for one, _ in best], colour, [wins for _, wins in best]),
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
    """Each crossing with its bracket; of several only the place is written, every other one higher."""
    shown = outcome.crossings
    for order, one in enumerate(shown):
        _add_bracket(figure, one.interval.low, one.interval.high, theme)
        figure.add_shape(
            type="line", x0=one.x, x1=one.x, y0=0, y1=1, yref="y domain",
            line={"color": theme.text, "width": 1, "dash": "dot"},
        )  # fmt: skip
        figure.add_trace({
            "type": "scatter", "mode": "markers", "x": [one.x], "y": [one.y], "showlegend": False,
            "hovertemplate": f"Crossing at {place(one.x)}, interpolated<extra></extra>",
            "marker": {"symbol": "circle-open", "size": 17, "color": theme.text, "line": {"width": 2}},
        })  # fmt: skip
        leads = f" {html(tell.who(one.leads_after))} leads from here" if len(shown) == 1 else ""
        _add_top(figure, one.x, f"<b>{place(one.x)}</b>{leads}", theme, 15 * (order % 2))


def _add_changes(figure: go.Figure, outcome: Compared, tell: Teller, theme: Theme) -> None:
    """Where the lead passes on without a crossing: the bracket, and of a single one whose best changes."""
    changes = [turn for turn in outcome.found.turns if turn.crossing is None and turn.cut is not None]
    for turn in changes if len(changes) <= MOST_CHANGES else ():
        low, high = turn.below.x, turn.above.x
        _add_bracket(figure, low, high, theme, width=1)
        if turn.cut and len(outcome.found.turns) == 1:
            text = f"<b>{place(low)} to {place(high)}: {html(tell.who(turn.cut.side))}'s best changes</b>"
            _add_top(figure, (low * high) ** 0.5, text, theme, 0)


def _add_bracket(figure: go.Figure, low: float, high: float, theme: Theme, width: int = 0) -> None:
    figure.add_shape(
        type="rect", x0=low, x1=high, y0=0, y1=1, yref="y domain", layer="below", fillcolor=theme.muted, opacity=0.13,
        line={"width": width, "dash": "dot", "color": theme.text},
    )  # fmt: skip


def _add_top(figure: go.Figure, x: float, text: str, theme: Theme, shift: int) -> None:
    figure.add_annotation(
        x=log10(x), y=1, yref="y domain", yanchor="bottom", showarrow=False, yshift=shift, text=text,
        font={"size": 13, "color": theme.text},
    )  # fmt: skip


def _set_axes(figure: go.Figure, found: Pair, outcome: Compared, xs: Sequence[float]) -> None:
    asked, metric = found.asked, found.asked.row
    ticks = _apart(xs) if len(xs) <= strips.MOST_TICKS else decade_ticks(xs[0], xs[-1])
    if len(ticks) < FEW_TICKS < len(xs):
        ticks = list(xs)
    room = 0.045 * log10(max(xs[-1] / xs[0], 1.5))
    better = " · lower is better" if asked.better == "lower" else ""
    places = [one for key in SIDES for one, _ in outcome.curves[key].places()]
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


def _add_ends(figure: go.Figure, found: Pair, outcome: Compared, colours: Colours) -> None:
    """Each curve's name: beside its end where that is the last of the axis, else above or below it to the right."""
    ends = {
        key: max((one for one, wins in outcome.curves[key].places() if wins), key=lambda one: one.x)
        for key in SIDES
    }
    last = max(end.x for end in ends.values())
    names = {key: _in_lines(side, found.sides[OTHER[key]]) for key, side in found.sides.items()}
    room = max(len(line) for lines in names.values() for line in lines)
    upper: SideKey = "a" if ends["a"].y >= ends["b"].y else "b"
    values = [one.y for key in SIDES for one, _ in outcome.curves[key].places()]
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
