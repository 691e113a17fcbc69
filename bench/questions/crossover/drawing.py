"""The crossover chart: both curves with the crossing and its bracket, and strips coloured by who leads."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.plain_text import html
from bench.questions.crossover import strips
from bench.questions.crossover.asked import SIDES, UNITS, along_title, place
from bench.wording import number

HEIGHT, EMPTY_HEIGHT = 560, 120
STRIP_SHARE = 0.15
"""The share of the chart's height that the strip of ratios takes."""

FAINT = 0.4
"""Points of a series that is the best elsewhere, but not at their place."""
FEW_TICKS = 4
MOST_CHANGES = 3
"""So many brackets without a crossing are drawn; of more the strip tells."""
TICKS_APART = 0.065

CLOSE = 0.05
"""The share of the chart's height, in which both curves end, that a line of a name takes."""

LINE_LETTERS, LETTER_PX, WIDEST_ROOM_PX = 20, 7, 170
"""A line of a curve's name, the width of a letter, and the room beside the chart at most."""
MOST_LINES = 4

Numbers = Mapping[str, Any]


def draw(numbers: Numbers, theme: Theme) -> go.Figure:
    """The chart of an answer's numbers; one with nothing to draw says so."""
    if numbers["mode"] == "list":
        return strips.of_pairs(numbers, theme) if numbers["pairs"] else _empty(theme, "No pair to draw.")
    if not numbers["curves"]["a"] and not numbers["curves"]["b"]:
        return _empty(theme, "Nothing can be compared, so nothing is drawn.")
    return _pair(numbers, theme)


def _pair(numbers: Numbers, theme: Theme) -> go.Figure:
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    colours = _colours(numbers, theme)
    for side in ("a", "b"):
        _add_curve(figure, numbers, side, colours[side])
    shown = [one for one in numbers["crossings"] if not one["within_tie"]]
    for place_of, one in enumerate(shown):
        _add_crossing(figure, one, numbers, theme, whole=len(shown) == 1, raised=place_of % 2 == 1)
    _add_changes(figure, numbers, theme)
    xs = sorted({point["x"] for side in ("a", "b") for point in numbers["curves"][side]})
    if numbers["knots"]:
        strips.add(figure, numbers["knots"], numbers, theme, yaxis="y2", colours=colours)
        whose = html(numbers["a"]["label"].split(",")[0])
        doubt = strips.doubt(numbers["knots"])
        figure.add_annotation(
            x=0, xref="paper", y=STRIP_SHARE, yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
            text=f"Who leads: A is {whose}{doubt}", font={"size": 12, "color": theme.muted},
        )  # fmt: skip
    _set_axes(figure, numbers, xs)
    _add_ends(figure, numbers, colours)
    return figure


def _colours(numbers: Numbers, theme: Theme) -> dict[str, str]:
    """The accelerators' own colours; of one accelerator the second side takes another hue."""
    own = {side: chart.accelerator_colour(numbers[side]["accelerator"], theme) for side in ("a", "b")}
    if own["a"] == own["b"]:
        own["b"] = next(one for one in chart.OKABE_ITO[3:] if one.lower() != own["a"].lower())
    return own


def _add_curve(figure: go.Figure, numbers: Numbers, side: str, colour: str) -> None:
    points = numbers["curves"][side]
    xs: list[float | None] = []
    ys: list[float | None] = []
    for part in numbers["lines"][side]:
        xs += [*(x for x, _ in part), None]
        ys += [*(y for _, y in part), None]
    figure.add_trace({
        "type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "connectgaps": False,
        "showlegend": False, "line": {"color": colour, "width": 2},
    })  # fmt: skip
    figure.add_trace({
        "type": "scatter", "mode": "markers", "x": [point["x"] for point in points],
        "y": [point["y"] for point in points], "name": html(numbers[side]["label"]), "showlegend": False,
        "customdata": [point["point"]["point_id"] for point in points],
        "text": [_hover(point, numbers, side) for point in points], "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "size": [9 if point["best"] else 6 for point in points], "color": colour,
            "opacity": [1 if point["best"] else FAINT for point in points], "line": {"width": 1.4, "color": colour},
            "symbol": [
                chart.engine_marker(point["point"]["engine"], measured=point["point"]["evidence"] == "measured")
                for point in points
            ],
        },
    })  # fmt: skip


def _hover(point: Mapping[str, Any], numbers: Numbers, side: str) -> str:
    value = f"<b>{number(point['y'])}</b> {html(numbers['unit'])}"
    return f"{html(numbers[side]['label'])}: {value}<br>{chart.hover_lines(dict(point['point']), [])}"


def _add_crossing(figure: go.Figure, one: Mapping[str, Any], numbers: Numbers, theme: Theme, *, whole: bool,
                  raised: bool) -> None:  # fmt: skip
    """A crossing with its bracket; of several only the place is written, every other one higher."""
    held = one["interval"]
    figure.add_shape(
        type="rect", x0=held["low"], x1=held["high"], y0=0, y1=1, yref="y domain", layer="below",
        fillcolor=theme.muted, opacity=0.13, line_width=0,
    )  # fmt: skip
    figure.add_shape(
        type="line", x0=one["x"], x1=one["x"], y0=0, y1=1, yref="y domain",
        line={"color": theme.text, "width": 1, "dash": "dot"},
    )  # fmt: skip
    figure.add_trace({
        "type": "scatter", "mode": "markers", "x": [one["x"]], "y": [one["y"]], "showlegend": False,
        "hovertemplate": f"Crossing at {place(one['x'])}, interpolated<extra></extra>",
        "marker": {"symbol": "circle-open", "size": 17, "color": theme.text, "line": {"width": 2}},
    })  # fmt: skip
    leader = html(numbers[one["leads_after"]]["label"].split(",")[0])
    figure.add_annotation(
        x=_log(one["x"]), y=1, yref="y domain", yanchor="bottom", showarrow=False, yshift=15 if raised else 0,
        font={"size": 13, "color": theme.text},
        text=f"<b>{place(one['x'])}</b>{f' {leader} leads from here' if whole else ''}",
    )  # fmt: skip


def _add_changes(figure: go.Figure, numbers: Numbers, theme: Theme) -> None:
    """Where the lead passes on since a side's best series changes: the bracket, and of a single one what changes."""
    changes = [turn for turn in numbers["turns"] if turn["x"] is None]
    for turn in changes if len(changes) <= MOST_CHANGES else ():
        figure.add_shape(
            type="rect", x0=turn["below"], x1=turn["above"], y0=0, y1=1, yref="y domain", layer="below",
            fillcolor=theme.muted, opacity=0.13, line={"width": 1, "dash": "dot", "color": theme.text},
        )  # fmt: skip
        whose = html(numbers[turn["side"]]["label"].split(",")[0])
        text = f"{place(turn['below'])} to {place(turn['above'])}: {whose} changes {turn['what']}"
        figure.add_annotation(
            x=(_log(turn["below"]) + _log(turn["above"])) / 2, y=1, yref="y domain", yanchor="bottom", showarrow=False,
            font={"size": 13, "color": theme.text}, text=f"<b>{text}</b>" if len(numbers["turns"]) == 1 else "",
        )  # fmt: skip


def _set_axes(figure: go.Figure, numbers: Numbers, xs: Sequence[float]) -> None:
    ticks = _apart(xs) if len(xs) <= strips.MOST_TICKS else decade_ticks(min(xs), max(xs))
    if len(ticks) < FEW_TICKS and len(xs) > FEW_TICKS:
        ticks = list(xs)
    room = max(max(xs) / min(xs), 1.5)
    ends = [_log(min(xs)) - 0.045 * _log(room), _log(max(xs)) + 0.045 * _log(room)]
    metric = catalogue.metric(numbers["metric"])
    unit = f"{metric.unit}{UNITS[numbers['per']]}"
    better = " · lower is better" if metric.direction == "lower" else ""
    figure.update_layout(
        margin={"t": 40, "r": 24, "l": 84, "b": 64}, hovermode="closest", showlegend=False,
        uirevision=f"{numbers['along']} {numbers['metric']} {numbers['per']} {numbers['a']['filters']}",
        xaxis={"type": "log", "range": ends, "tickvals": ticks, "ticktext": [place(tick) for tick in ticks],
               "title_text": html(along_title(numbers["along"])), "title_font_size": 13,
               "anchor": "y2" if numbers["knots"] else "y",
               "tickangle": 0},
        yaxis={"type": "log", "title_text": html(f"{metric.label} ({unit}){better}"), "domain": [STRIP_SHARE + 0.07, 1],
               "title_font_size": 13},
    )  # fmt: skip
    values = [point["y"] for side in ("a", "b") for point in numbers["curves"][side]]
    marks = decade_ticks(min(values) / 1.3, max(values) * 1.3)
    figure.update_layout(yaxis={"tickvals": marks, "ticktext": [number(mark) for mark in marks]})
    if not numbers["knots"]:
        figure.update_layout(yaxis={"domain": [0, 1]})
        return
    figure.update_layout(
        yaxis2={"domain": [0, STRIP_SHARE], "range": [0, 1], "visible": True, "showticklabels": False, "ticks": "",
                "showgrid": False, "zeroline": False, "fixedrange": True},
    )  # fmt: skip


def _apart(xs: Sequence[float]) -> list[float]:
    """The measured places as ticks, from the last down, without those too close to the one after."""
    whole = max(_log(xs[-1]) - _log(xs[0]), 1e-9)
    kept = [xs[-1]]
    for x in reversed(xs[:-1]):
        if (_log(kept[-1]) - _log(x)) / whole >= TICKS_APART:
            kept.append(x)
    return kept[::-1]


def _add_ends(figure: go.Figure, numbers: Numbers, colours: Mapping[str, str]) -> None:
    """Each curve's name: beside its end where that is the last of the axis, else above or below it to the right."""
    ends = {
        side: max((one for one in numbers["curves"][side] if one["best"]), key=lambda one: one["x"])
        for side in SIDES
        if numbers["curves"][side]
    }
    last = max(end["x"] for end in ends.values())
    names = {side: _in_lines(_told_apart(numbers, side)) for side in ends}
    beside = [side for side in ends if ends[side]["x"] == last]
    room = max(len(line) for lines in names.values() for line in lines)
    figure.update_layout(margin_r=min(24 + LETTER_PX * room, WIDEST_ROOM_PX))
    upper = max(ends, key=lambda side: ends[side]["y"])
    for side, end in ends.items():
        outside = side in beside
        shift = 14 if not outside else 0 if _close(numbers, ends) else -9
        figure.add_annotation(
            x=_log(end["x"]), y=_log(end["y"]), showarrow=False, align="left",
            text="<br>".join(f"<b>{html(one)}</b>" for one in names[side]),
            xanchor="left", xshift=10 if outside else 2,
            yanchor="bottom" if side == upper else "top", yshift=shift * (1 if side == upper else -1),
            font={"size": 13, "color": colours[side]},
        )  # fmt: skip


def _close(numbers: Numbers, ends: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether both curves end so near each other that names in the middle of their ends would overlap."""
    values = [point["y"] for side in SIDES for point in numbers["curves"][side]]
    heights = [_log(end["y"]) for end in ends.values()]
    return max(heights) - min(heights) < CLOSE * max(_log(max(values)) - _log(min(values)), 1e-9)


def _told_apart(numbers: Numbers, side: str) -> str:
    """A side's label without what the other's says too, but for its first part."""
    first, *further = numbers[side]["label"].split(", ")
    other = numbers["b" if side == "a" else "a"]["label"].split(", ")
    return ", ".join([first, *(part for part in further if part not in other)])


def _in_lines(label: str) -> list[str]:
    """A label in lines short enough to stand beside a curve."""
    parts = label.split(", ")
    lines = [one for part in parts for one in textwrap.wrap(part, LINE_LETTERS, break_on_hyphens=False)]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "…"]


def _log(value: float) -> float:
    return strips.log10(value)


def _empty(theme: Theme, text: str) -> go.Figure:
    figure = chart.layout(go.Figure(), theme, height=EMPTY_HEIGHT)
    figure.update_layout(margin={"t": 16, "b": 16})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_trace({"type": "scatter", "x": [None], "y": [None], "showlegend": False, "hoverinfo": "skip"})
    figure.add_annotation(text=text, showarrow=False, font={"color": theme.muted, "size": 15})
    return figure
