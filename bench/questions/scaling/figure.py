"""The scaling chart: throughput over chips with the ideal line, and below it what one chip gives and users see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import LABELLED_LINES, Theme, line_names
from bench.chart.axis import Axis, decade_ticks, title_lines, widened
from bench.chart.line_names import LineEnd, Pages
from bench.chart.shades import told_apart
from bench.chart.texts import text_at
from bench.chart.traces import clickable, marker, scatter, stroke
from bench.maths.scaling import Law
from bench.plain_text import html
from bench.questions.scaling.result import ChipCount, Line, Scaling
from bench.questions.scaling.verdict import projection
from bench.wording import number

HEIGHT = 680
MAIN_ACROSS, MAIN = (0.0, 1.0), (0.42, 1.0)
SMALL = (0.0, 0.25)
GAP = 0.13
LABELLED_EFFICIENCIES = 3
"""Efficiencies are written at the points of up to this many lines; of more they are under the pointer."""

MOST_TICKS, MOST_LOW_TICKS = 10, 3
VERTICAL_ROOM = 0.14
PLOT_PX, MOST_ROOM = 280, 0.3
"""About the height of the main plot, and the share of its width that the names of lines may take."""

SMALL_TITLE = {1: 46, 2: 24, 3: 15}
"""How many letters a line of a small panel's title has where so many stand side by side."""

CURVE_POINTS = 25
FARTHEST = 4.0
"""A curve goes on to its predicted peak where that is at most so many times the largest measured count."""

AMDAHL, USL, BEYOND = "Amdahl's law, fitted", "Universal Scalability Law, fitted", "extrapolated to its peak"
DASHES = {AMDAHL: "dash", USL: "longdashdot", BEYOND: "1px,4px"}


@dataclass(frozen=True)
class ScalingPanel:
    """One pair of axes: "throughput", "per_chip" or the metric that it shows, its title, and where it stands."""

    key: str
    title: str
    axis: int
    across: tuple[float, float]
    up: tuple[float, float]

    def value(self, place: ChipCount) -> float | None:
        """What it shows of a place; None where that is not stated."""
        own = {"throughput": place.throughput, "per_chip": place.per_chip}
        return own[self.key] if self.key in own else place.figure(self.key)

    @property
    def suffix(self) -> str:
        """What plotly adds to the names of its axes."""
        return "" if self.axis == 1 else str(self.axis)


LawCurve = tuple[str, Law, float, float, str]
"""A fitted law to draw: its name, its counts from one to another, and the legend group of its line."""


Note = tuple[int, ChipCount, str, str]
"""What is written beside a place: of which line it is, the place, the line's name at its end alone, its efficiency."""


def draw(scaling: Scaling, theme: Theme) -> go.Figure:
    """The chart of an answer; an empty one says so."""
    if not scaling.lines:
        return chart.empty("Nothing can be compared here.", theme)
    panels, shades = _panels(scaling), _shades(scaling, theme)
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    named, written = len(scaling.lines) <= LABELLED_LINES, len(scaling.lines) <= LABELLED_EFFICIENCIES
    curves = _curves(scaling) if written else []
    figure.update_layout(
        margin_t=28,
        hovermode="closest",
        uirevision=f"{scaling.metric} {scaling.way}",
        legend=chart.LINES_LEGEND,
        legend2=chart.KEYS_LEGEND,
    )
    notes = _notes(scaling, written=written) if named else []
    axes = [_add_axes(figure, one, scaling, curves, theme, notes) for one in panels]
    for panel in panels:
        for line, shade in zip(scaling.lines, shades, strict=True):
            _add_line(figure, panel, line, shade, scaling)
    for line, shade in zip(scaling.lines, shades, strict=True):
        _add_ideal(figure, line, shade, _group(scaling, line))
    for curve in curves:
        _add_curve(figure, curve, theme)
    _add_hollow(figure, scaling, shades, theme)
    figure.add_traces(list(_names(scaling, notes, shades, *axes[0], theme)))
    _add_keys(figure, scaling, dict.fromkeys(name for name, *_ in curves), theme)
    return figure


def _panels(scaling: Scaling) -> list[ScalingPanel]:
    small = [("per_chip", f"Per chip ({scaling.row.unit})")]
    for key in (scaling.tpot, scaling.ttft):
        if any(sum(place.figure(key) is not None for place in line.places) > 1 for line in scaling.lines):
            small.append((str(key), catalogue.metric(str(key)).axis))
    width = (1 - GAP * (len(small) - 1)) / len(small)
    main = ScalingPanel("throughput", scaling.row.axis, 1, MAIN_ACROSS, MAIN)
    return [main] + [
        ScalingPanel(key, title, place + 2, (place * (width + GAP), min(1.0, place * (width + GAP) + width)), SMALL)
        for place, (key, title) in enumerate(small)
    ]


def _add_axes(
    figure: go.Figure,
    panel: ScalingPanel,
    scaling: Scaling,
    curves: Sequence[LawCurve],
    theme: Theme,
    notes: Sequence[Note],
) -> tuple[Axis, Axis]:
    """The axes of a panel, with room for the notes of the main one, as in one below it that is as broad."""
    counts = sorted(
        {place.accelerators for line in scaling.lines for place in line.places} | {one.chips for one in scaling.hollow}
    )
    look = {**chart.look_of_axis(theme), "type": "log"}
    ticks = [one for one in counts if len(counts) <= MOST_TICKS or math.log2(one).is_integer()] or counts
    low, high = counts[0], max([float(counts[-1]), *(one[3] for one in curves)])
    reach = max(high / low, 2.0) ** 0.05
    low, high = low / reach, high * reach
    if panel.across == MAIN_ACROSS:
        high = line_names.axis_end(low, high, lambda pages: _texts(notes, pages))
    suffix, values = panel.suffix, _values(panel, scaling)
    axis = Axis(scaling.row, True, *widened(min(values), max(values), True, VERTICAL_ROOM))
    figure.update_layout({
        f"xaxis{suffix}": {**look, "domain": panel.across, "anchor": f"y{suffix}", "tickvals": ticks,
                           "ticktext": [f"{tick:,}" for tick in ticks],
                           "range": [math.log10(low), math.log10(high)],
                           "title": {"text": "Accelerators (chips)", "font": {"size": 13}, "standoff": 8}},
        f"yaxis{suffix}": {**look, "domain": panel.up, "anchor": f"x{suffix}", **axis.settings,
                           **(_few_ticks(axis) if panel.axis > 1 else {}), "title_standoff": 8,
                           "title_text": title_lines(panel.title) if panel.axis == 1 else ""},
    })  # fmt: skip
    if panel.axis > 1:
        beside = round(1 / (panel.across[1] - panel.across[0]))
        text = title_lines(panel.title, SMALL_TITLE[min(beside, 3)])
        place = text_at(text, panel.across[0], panel.up[1] + 0.012, "paper paper", colour=theme.text)
        figure.add_annotation(place, align="left")
    return Axis(catalogue.metric(scaling.metric), True, low, high), axis


def _few_ticks(axis: Axis) -> dict[str, Any]:
    """The ticks of a panel that is low; those it has anyway where no others are left."""
    ticks = decade_ticks(axis.low, axis.high, MOST_LOW_TICKS)
    return {"tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]} if len(ticks) > 1 else {}


def _values(panel: ScalingPanel, scaling: Scaling) -> list[float]:
    values = [value for line in scaling.lines for place in line.places if (value := panel.value(place))]
    if panel.axis == 1:
        values += [line.base.per_chip * place.accelerators for line in scaling.lines for place in line.compared]
        values += [one.value for one in scaling.hollow]
    return values


def _group(found: Scaling, line: Line) -> str:
    """What the parts of a line have in common: a click on its name in the legend leaves them alone."""
    return f"line {found.lines.index(line)}"


def _add_line(figure: go.Figure, panel: ScalingPanel, line: Line, shade: str, scaling: Scaling) -> None:
    places = [place for place in line.places if panel.value(place) is not None]
    if not places:
        return
    main = panel.axis == 1
    symbols = [chart.engine_marker(line.facts.engine, measured=place.between is None) for place in places]
    told = clickable((one.point.facts.point_id for one in places), (_hover(scaling, one) for one in places))
    axes = {"xaxis": f"x{panel.suffix}", "yaxis": f"y{panel.suffix}", "cliponaxis": False}
    legend = {"name": html(line.label), "showlegend": main, "legendgroup": _group(scaling, line)}
    xs, ys = [place.accelerators for place in places], [panel.value(place) for place in places]
    look = {"line": stroke(shade, 2), "marker": marker(symbols, 9 if main else 7, shade, 1.5)}
    figure.add_trace(scatter(xs, ys, told, **axes, **legend, **look))


def _add_ideal(figure: go.Figure, line: Line, shade: str, group: str) -> None:
    if line.judged:
        ends = [line.base.accelerators, line.judged[-1].accelerators]
        ys, look = [line.base.per_chip * end for end in ends], stroke(shade, 1.3, "dot")
        figure.add_trace(scatter(ends, ys, showlegend=False, legendgroup=group, line=look))


def _add_hollow(figure: go.Figure, scaling: Scaling, shades: Sequence[str], theme: Theme) -> None:
    """Draw what replicas of the smallest count would give, on the ideal lines, and the points that stand on no line."""
    own: dict[str | None, str] = {}
    for line, shade in zip(scaling.lines, shades, strict=True):
        own.setdefault(line.facts.accelerator, shade)
        words = ((row, projection(scaling, row.place)) for row in line.replicas)
        projected = [
            (row.against.accelerators, row.against.replicas_throughput, row.place, html(f"{line.label}: {said[1]}"))
            for row, said in words
            if said is not None
        ]
        _add_open(figure, projected, marker(["circle-open"] * len(projected), 6, shade, 1.4), _group(scaling, line))
    drawn = []
    for one in scaling.hollow:
        words_of = chart.hover_lines({**one.facts.row, scaling.metric: one.value}, [scaling.metric])
        drawn.append((one.chips, one.value, one.facts.point_id, f"{words_of}<br><i>on no line</i>"))
    symbols = [chart.engine_marker(one.facts.engine, measured=False) for one in scaling.hollow]
    colours = [own.get(one.facts.accelerator, theme.rest) for one in scaling.hollow]
    _add_open(figure, drawn, marker(symbols, 11, colours, 1.4))


def _add_open(
    figure: go.Figure, drawn: Sequence[tuple[int, float, str, str]], look: dict[str, Any], group: str = ""
) -> None:
    """Draw open markers, each with its count of chips, value, id and what it says."""
    if drawn:
        xs, ys, ids, texts = zip(*drawn, strict=True)
        figure.add_trace(scatter(xs, ys, clickable(ids, texts), showlegend=False, legendgroup=group, marker=look))


def _curves(scaling: Scaling) -> list[LawCurve]:
    """The laws that hold over their measured counts, and beyond them up to a peak that is predicted."""
    curves: list[LawCurve] = []
    for line in scaling.steps:
        law, group = line.law, _group(scaling, line)
        if law is None:
            continue
        curves.append((AMDAHL if line.is_amdahl else USL, law, law.smallest, law.largest, group))
        peak = law.predicted
        if peak is not None and peak.count <= FARTHEST * law.largest:
            curves.append((BEYOND, law, law.largest, peak.count, group))
    return curves


def _add_curve(figure: go.Figure, curve: LawCurve, theme: Theme) -> None:
    name, law, start, end, group = curve
    counts = np.geomspace(start, end, CURVE_POINTS).tolist()
    values = [law.throughput_at(count) for count in counts]
    peak = f"peak by the law: {number(end)} chips" if name == BEYOND else ""
    text = {"text": [*[""] * (CURVE_POINTS - 1), peak], "textposition": "top left", "mode": "lines+text"}
    font, look = {"size": 12, "color": theme.muted}, stroke(theme.text, 1.1, DASHES[name], shape="spline")
    figure.add_trace(scatter(counts, values, showlegend=False, legendgroup=group, **text, textfont=font, line=look))


def _notes(scaling: Scaling, *, written: bool) -> list[Note]:
    """Each line's name at its end, and where they are `written` the efficiencies of its places."""
    notes: list[Note] = []
    for own, line in enumerate(scaling.lines):
        *others, last = line.places
        judged = line.judged if written else []
        notes.append((own, last, line.label, _percent(last.efficiency) if last in judged else ""))
        notes += [(own, one, "", _percent(one.efficiency)) for one in others if one in judged]
    return notes


def _texts(notes: Sequence[Note], pages: Pages) -> list[str]:
    """The notes in words that such pages have room for, without the name where that is too long."""
    return [pages.fitting(f"{name} {share}".strip(), share, most=MOST_ROOM) for *_, name, share in notes]


def _names(
    scaling: Scaling, notes: Sequence[Note], shades: Sequence[str], x: Axis, y: Axis, theme: Theme
) -> Iterator[dict[str, Any]]:
    """The notes beside their places, those that are not at a line's end below them: lines rise to the right."""
    ends = []
    for own, one, name, _ in notes:
        up = y.place(one.throughput) - (0 if name else line_names.LINE / PLOT_PX)
        place = (x.place(one.accelerators), up)
        ends.append(LineEnd(place, one.accelerators, shades[own], _group(scaling, scaling.lines[own])))
    return line_names.traces(ends, lambda pages: _texts(notes, pages), y.at, PLOT_PX, theme)


def _add_keys(figure: go.Figure, scaling: Scaling, curves: Iterable[str], theme: Theme) -> None:
    """Add legend entries for what shapes and dots mean."""
    engines = sorted({line.facts.engine for line in scaling.lines if line.facts.engine})[:8]
    between = any(place.between for line in scaling.lines for place in line.places)
    markers = {chart.value_label("engine", engine): chart.engine_marker(engine) for engine in engines}
    markers |= dict.fromkeys(["interpolated"] * between + ["not ranked"] * bool(scaling.hollow), "circle-open")
    dashes = {"in proportion to the smallest: what replicas of it would give": "dot"} if scaling.steps else {}
    dashes |= {name: DASHES[name] for name in curves}
    figure.add_traces([chart.marker_key(label, symbol, theme) for label, symbol in markers.items()])
    for label, dash in dashes.items():
        figure.add_trace(chart.key(html(label), mode="lines", line=stroke(theme.muted, 1.3, dash)))


def _shades(scaling: Scaling, theme: Theme) -> list[str]:
    """The colour of each line: its accelerator's, where that tells the lines apart, else one for each."""
    labels, slugs = [one.label for one in scaling.lines], [one.facts.accelerator for one in scaling.lines]
    if scaling.group == "accelerator" or len(set(slugs)) == len(slugs):
        own = [chart.accelerator_colour(slug, theme) for slug in slugs]
    else:
        colours = chart.colours(scaling.group, labels, theme)
        own = [colours[label] for label in labels]
    return list(told_apart(dict(enumerate(own)), theme).values())


def _percent(ratio: float | None) -> str:
    """An efficiency with three digits: "21.9 %", "261 %"."""
    return f"{number(100 * (ratio or 0))} %"


def _hover(scaling: Scaling, place: ChipCount) -> str:
    """What a place says under the pointer."""
    keys = [key for key in (scaling.seen, scaling.tpot, scaling.ttft) if key is not None]
    row = {**place.point.facts.row, scaling.metric: place.throughput}
    row |= {key: place.figure(key) for key in keys}
    extra = "no efficiency: nothing to compare it with, or measured points too far apart"
    if place.efficiency is not None:
        extra = f"{_percent(place.efficiency)} of growth in proportion, {number(place.speedup)} times"
    if place.between is not None:
        extra += "; interpolated, the nearest measured point is named"
    return f"{chart.hover_lines(row, [scaling.metric, *keys])}<br><i>{html(extra)}</i>"
