"""The chart of a history: a metric over dates with its levels, or the trade-off of each run, two of them in full."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bench import chart
from bench.basis.wording import speed
from bench.chart import Theme, line_names
from bench.chart.axis import LogAxis
from bench.chart.line_names import LineEnd
from bench.chart.texts import text_at
from bench.chart.traces import clickable, marker, scatter, stroke
from bench.plain_text import html
from bench.questions.history.method import named
from bench.questions.history.result import FRONTIER, FixedLoad, History, LoadValue, SpeedChange, TradeOff
from bench.wording import number, quantity

HEIGHT, PLOT_PX = 540, 400
ROOM, START = 0.14, 0.03
"""The share of the dates that is left free after the last run for names of lines, and before the first."""

UP_ROOM = 0.1
WORDS_PX, NEAR = 30, 0.6
"""How high the words of a change of method are, and within which share of the dates two of them stand below another."""

MARKER_PX, LEVEL_PX, BOLD_PX = 8.5, 6, 3
FAINT = 0.3
"""How much of its colour a level keeps behind the values."""

OLD = 0.45
"""How much of their colour the trade-offs of other runs keep."""

DAY_MS = 86_400_000
DASHES = ("solid", "dash", "dot", "longdash", "dashdot", "longdashdot")


@dataclass(frozen=True)
class DateAxis:
    """A horizontal axis of dates, in milliseconds since 1970."""

    low: float
    high: float

    def place(self, day: datetime.date) -> float:
        """Where a day lies, 0 at the start of the axis and 1 at its end."""
        return (_ms(day) - self.low) / (self.high - self.low)

    @property
    def settings(self) -> dict[str, Any]:
        """plotly's settings for this axis."""
        return {"type": "date", "range": [self.low, self.high], "title_text": "Date of the run", "title_font_size": 13}


def figure(result: History, theme: Theme) -> go.Figure:
    """The chart of an answer; an empty one says so."""
    if result.show == FRONTIER:
        if len(result.frontiers) < 2:
            return chart.empty("Fewer than two runs have a trade-off of speed and throughput here.", theme)
        return _trade_offs(result, theme)
    if not result.loads:
        return chart.empty("Nothing was measured twice here.", theme)
    return _over_time(result, theme)


def _over_time(result: History, theme: Theme) -> go.Figure:
    """The metric over dates: values, the levels between changes, changes of method as upright lines."""
    across, up = _axes(result)
    shade = chart.accelerator_colour(result.facts.accelerator if result.facts else None, theme)
    traces = [
        *(trace for one in result.in_order for trace in _levels(result, one, shade)),
        *(trace for place, one in enumerate(result.in_order) for trace in _values(result, one, place, shade)),
        *_names(result, across, up, shade, theme),
        *_keys(result, theme),
    ]
    marks = [*_changes(result, up, theme)]
    lines, words = _methods(result, theme)
    settings = chart.axes_layout(theme, across.settings, up.settings, height=HEIGHT)
    settings |= {"uirevision": f"{result.deployment} {result.metric}", "shapes": lines}
    return go.Figure({"data": traces, "layout": {**settings, "annotations": [*marks, *words]}})


def _axes(result: History) -> tuple[DateAxis, LogAxis]:
    days = [_ms(result.runs[value.run].date) for one in result.loads for value in one.values]
    span = max(max(days) - min(days), 7 * DAY_MS)
    values = [value.value for one in result.loads for value in one.values]
    better = " · lower is better" if result.row.direction == "lower" else ""
    up = LogAxis.around(f"{result.row.axis}{better}", min(values) / 1.1, max(values) * 1.1, UP_ROOM)
    return DateAxis(min(days) - START * span, max(days) + ROOM * span), up


def _values(result: History, one: FixedLoad, place: int, shade: str) -> Iterator[dict[str, Any]]:
    """The values of a load, a line through each stretch of one method; hollow where they are interpolated."""
    for start, end, _ in one.stretches:
        own, group = one.values[start:end], html(one.words)
        symbols = [chart.engine_marker(v.measured.facts.engine, measured=not v.is_interpolated) for v in own]
        yield scatter(
            [_day(result, value) for value in own],
            [value.value for value in own],
            clickable((value.point_ids[0] for value in own), (_said(result, one, value) for value in own)),
            name=group,
            legendgroup=group,
            showlegend=start == 0,
            line=stroke(shade, 1.2, DASHES[place % len(DASHES)]),
            marker=marker(symbols, MARKER_PX, shade),
        )


def _said(result: History, one: FixedLoad, value: LoadValue) -> str:
    """What a value says under the pointer."""
    run = result.runs[value.run]
    lines = [f"<b>{html(quantity(value.value, result.metric))} at {html(one.words)}</b>"]
    change = next((each for each in one.told if each.after == value.run), None)
    lines += [f"from here {html(speed(change.speed))}"] if change else []
    lines += [f"measured unlike the run before: {html(named(value.changes))}"] if value.changes else []
    lines += [f"interpolated between loads {number(value.gap)} times apart"] if value.is_interpolated else []
    lines += [html(f"run of {run.words}"), chart.hover_lines(value.measured.facts.row, ())]
    return "<br>".join(lines)


def _levels(result: History, one: FixedLoad, shade: str) -> Iterator[dict[str, Any]]:
    """The levels between changes, broad and faint behind the values."""
    for start, _, levels in one.stretches:
        for (first, last), level in zip(levels.bounds, levels.levels, strict=True):
            if levels.is_tested and last - first > 1:
                days = [_day(result, one.values[start + place]) for place in (first, last - 1)]
                look = {"opacity": FAINT, "line": stroke(shade, LEVEL_PX), "showlegend": False}
                yield scatter(days, [level, level], legendgroup=html(one.words), **look)


def _changes(result: History, up: LogAxis, theme: Theme) -> Iterator[dict[str, Any]]:
    """By how much each change is, above the value that it begins with."""
    for one in result.in_order:
        by_run = {value.run: value for value in one.values}
        for change in one.told:
            value = by_run[change.after]
            x, y = _ms(result.runs[value.run].date), up.place(value.value)
            yield text_at(_short(change), x, y, "x paper", "center bottom", shift=(0, 7), size=12, colour=theme.text)


def _short(change: SpeedChange) -> str:
    percent = 100 * (change.speed - 1)
    return f"<b>{'+' if percent > 0 else '−'}{abs(percent):.{0 if abs(percent) >= 9.95 else 1}f} %</b>"


def _methods(result: History, theme: Theme) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The changes of method: an upright line between two runs, or through the day of both, and its words on top."""
    steps: dict[tuple[int, int], dict[str, Any]] = {}
    for one in result.loads:
        for before, after in itertools.pairwise(one.values):
            for each in after.changes:
                steps.setdefault((before.run, after.run), {})[each.kind] = each
    places: dict[float, dict[str, Any]] = {}
    for (first, last), kinds in sorted(steps.items()):
        middle = (_ms(result.runs[first].date) + _ms(result.runs[last].date)) / 2
        places.setdefault(middle, {}).update(kinds)
    line = {"color": theme.muted, "width": 1.2, "dash": "dot"}
    shapes = [
        {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "layer": "below", "line": line}
        for x in places
    ]
    days = [_ms(run.date) for run in result.runs]
    middle, near = (min(days) + max(days)) / 2, NEAR * (max(days) - min(days) or 1)
    words: list[dict[str, Any]] = []
    rows: list[int] = []
    for x, kinds in places.items():
        # On a phone none stand on others; left of the line are those in the later half.
        taken = {row for row, other in zip(rows, places, strict=False) if abs(other - x) < near}
        rows.append(next(row for row in itertools.count() if row not in taken))
        side, shift = ("left", 5) if x <= middle else ("right", -5)
        look: dict[str, Any] = {
            "shift": (shift, -WORDS_PX * rows[-1]),
            "size": 11,
            "colour": theme.muted,
            "align": side,
        }
        text = f"method changed:<br>{html(named(kinds.values()))}"
        words.append(text_at(text, x, 1, "x paper", f"{side} top", **look))
    return shapes, words


def _names(result: History, across: DateAxis, up: LogAxis, shade: str, theme: Theme) -> Iterator[dict[str, Any]]:
    """The loads beside the ends of their lines, as pages have room for them."""
    lines = result.in_order
    ends = []
    for line in lines:
        last = line.values[-1]
        place = (across.place(result.runs[last.run].date), up.place(last.value))
        ends.append(LineEnd(place, _day(result, last), shade, html(line.words)))
    names = [(line.words, number(line.load)) for line in lines]
    return line_names.traces(
        ends, lambda pages: [pages.fitting(*forms, most=ROOM * 1.5) for forms in names], up.at, PLOT_PX, theme
    )


def _keys(result: History, theme: Theme) -> Iterator[dict[str, Any]]:
    """Legend entries for what shapes mean."""
    engine = result.facts.engine if result.facts else None
    keys = [(chart.value_label("engine", engine), chart.engine_marker(engine))] if engine else []
    if any(value.is_interpolated for one in result.loads for value in one.values):
        keys.append(("interpolated", chart.engine_marker(engine, measured=False)))
    for label, symbol in keys:
        yield chart.marker_key(label, symbol, theme, size=MARKER_PX)
    if any(levels.is_tested for one in result.loads for *_, levels in one.stretches):
        yield chart.key("level", mode="lines", opacity=FAINT, line={"color": theme.muted, "width": LEVEL_PX})


def _trade_offs(result: History, theme: Theme) -> go.Figure:
    """Tokens/s of a user against those of a chip for every run, two of them in full, and a slider through the dates."""
    shade = chart.accelerator_colour(result.facts.accelerator if result.facts else None, theme)
    across, up = _speeds(result)
    later = [one for one in result.frontiers if one.run != result.then]
    shown = result.frontier(result.now) or later[-1]
    others = [
        {**_line(result, one, theme.rest, "solid", 1.2), "opacity": OLD, "showlegend": False}
        for one in result.frontiers
        if one.run not in (result.then, result.now)
    ]
    then = result.frontier(result.then)
    bold = [
        *([_bold(result, then, theme.muted, "dash", "Then")] if then else []),
        _bold(result, shown, shade, "solid", "Now"),
    ]
    frames = [
        go.Frame(
            name=result.runs[one.run].name,
            data=[_bold(result, one, shade, "solid", "Now")],
            traces=[len(others) + len(bold) - 1],
        )
        for one in later
    ]
    settings = chart.axes_layout(theme, across.settings, up.settings, height=HEIGHT)
    settings["uirevision"] = f"{result.deployment} trade-offs"
    if len(later) > 1:
        settings |= {"sliders": [_slider(result, later, shown, theme)], "margin": {**settings["margin"], "b": 130}}
    made = go.Figure({"data": [*others, *bold], "layout": settings})
    made.frames = frames
    return made


def _speeds(result: History) -> tuple[LogAxis, LogAxis]:
    xs = [x for one in result.frontiers for x in one.per_user]
    ys = [y for one in result.frontiers for y in one.per_chip]
    return (
        LogAxis.around("Tokens per second of one user", min(xs), max(xs), 0.06),
        LogAxis.around("Output tokens per second and chip", min(ys), max(ys), 0.06),
    )


def _bold(result: History, one: TradeOff, shade: str, dash: str, word: str) -> dict[str, Any]:
    return {**_line(result, one, shade, dash, BOLD_PX), "name": html(f"{word}: {result.runs[one.run].words}")}


def _line(result: History, one: TradeOff, shade: str, dash: str, width: float) -> dict[str, Any]:
    run = result.runs[one.run]
    facts = {each.facts.point_id: each.facts for each in run.points.values()}
    said = [
        f"<b>{number(y)} tokens/s per chip at {number(x)} tokens/s per user</b><br>{html(f'run of {run.words}')}<br>"
        f"{chart.hover_lines(facts[id].row, ())}"
        for x, y, id in zip(one.per_user, one.per_chip, one.point_ids, strict=True)
    ]
    look = marker(chart.engine_marker(result.facts.engine if result.facts else None), MARKER_PX, shade, 0)
    told = clickable(one.point_ids, said)
    return scatter(one.per_user, one.per_chip, told, name=html(run.words), line=stroke(shade, width, dash), marker=look)


def _slider(result: History, later: Sequence[TradeOff], shown: TradeOff, theme: Theme) -> dict[str, Any]:
    """A slider that steps the later trade-off through the runs."""
    animate = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    names = [result.runs[one.run].name for one in later]
    return {
        "active": names.index(result.runs[shown.run].name),
        "x": 0,
        "len": 1,
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 56, "b": 0},
        "currentvalue": {"prefix": "Now: ", "font": {"size": 12, "color": theme.text}},
        "font": {"size": 10, "color": theme.muted},
        "bgcolor": theme.grid,
        "bordercolor": theme.muted,
        "activebgcolor": theme.muted,
        "tickcolor": theme.muted,
        "minorticklen": 0,
        "steps": [{"label": name, "method": "animate", "args": [[name], animate]} for name in names],
    }


def _day(result: History, value: LoadValue) -> str:
    return result.runs[value.run].date.isoformat()


def _ms(day: datetime.date) -> float:
    return float((day - datetime.date(1970, 1, 1)).days * DAY_MS)
