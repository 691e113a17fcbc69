"""The scaling chart: throughput over chips with the ideal line, and below it what one chip gives and users see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import LABELLED_LINES, Theme
from bench.chart.axis import Axis, widened
from bench.maths.scaling import Law
from bench.plain_text import html
from bench.questions.scaling.result import Line, Place, Scaling
from bench.questions.scaling.statements import percent, projection
from bench.wording import number

HEIGHT, ALONE_HEIGHT = 680, 470
MAIN = (0.42, 1.0)
SMALL = (0.0, 0.25)
GAP = 0.13
LABELLED_EFFICIENCIES = 3
"""Efficiencies are written at the points of up to this many lines; of more they are under the pointer."""

MOST_TICKS = 10
VERTICAL_ROOM = 0.14
CURVE_POINTS = 25
FARTHEST = 4.0
"""A curve goes on to its predicted peak where that is at most so many times the largest measured count."""

AMDAHL, USL, BEYOND = "Amdahl's law, fitted", "Universal Scalability Law, fitted", "extrapolated to its peak"
DASHES = {AMDAHL: "dash", USL: "longdashdot", BEYOND: "1px,4px"}


@dataclass(frozen=True)
class Panel:
    """One pair of axes: "throughput", "per_chip" or the metric that it shows, its title, and where it stands."""

    key: str
    title: str
    axis: int
    across: tuple[float, float]
    up: tuple[float, float]

    def value(self, place: Place) -> float | None:
        """What it shows of a place; None where that is not stated."""
        own = {"throughput": place.throughput, "per_chip": place.per_chip}
        return own[self.key] if self.key in own else place.figure(self.key)

    @property
    def suffix(self) -> str:
        """What plotly adds to the names of its axes."""
        return "" if self.axis == 1 else str(self.axis)


Curve = tuple[str, Law, float, float]
"""A fitted law to draw: its name, and its counts from one to another."""


def draw(found: Scaling, theme: Theme) -> go.Figure:
    """The chart of an answer; an empty one says so."""
    if not found.lines:
        return chart.empty("Nothing can be compared here, so nothing is drawn.", theme)
    panels, shades = _panels(found), _shades(found, theme)
    alone = len(panels) == 1
    height = ALONE_HEIGHT if alone else HEIGHT
    figure = chart.layout(go.Figure(), theme, height=height)
    named, written = len(found.lines) <= LABELLED_LINES, len(found.lines) <= LABELLED_EFFICIENCIES
    curves = _curves(found) if written else []
    figure.update_layout(height=height, margin_t=28, hovermode="closest", uirevision=f"{found.metric} {found.way}",
                         margin_r=_room(found.lines, written=written) if named else 24,
                         legend={"y": -0.2 if alone else -0.12, "font_size": 12})  # fmt: skip
    for panel in panels:
        _add_axes(figure, panel, found, curves, theme)
        for line, shade in zip(found.lines, shades, strict=True):
            _add_line(figure, panel, line, shade, found, in_legend=not named)
    for line, shade in zip(found.lines, shades, strict=True):
        _add_ideal(figure, line, shade)
    for curve in curves:
        _add_curve(figure, curve, theme)
    _add_hollow(figure, found, shades, theme)
    if named:
        _add_names(figure, found.lines, shades, written=written)
    _add_keys(figure, found, dict.fromkeys(name for name, *_ in curves), theme)
    return figure


def _panels(found: Scaling) -> list[Panel]:
    small = [("per_chip", f"Per chip ({found.row.unit})")]
    for key in (found.tpot, found.ttft):
        if any(sum(place.figure(key) is not None for place in line.places) > 1 for line in found.lines):
            small.append((str(key), catalogue.metric(str(key)).axis))
    width = (1 - GAP * (len(small) - 1)) / len(small)
    main = Panel("throughput", found.row.axis, 1, (0.0, 1.0), MAIN)
    return [main] + [
        Panel(key, title, place + 2, (place * (width + GAP), min(1.0, place * (width + GAP) + width)), SMALL)
        for place, (key, title) in enumerate(small)
    ]


def _add_axes(figure: go.Figure, panel: Panel, found: Scaling, curves: Sequence[Curve], theme: Theme) -> None:
    counts = sorted({place.accelerators for line in found.lines for place in line.places}
                    | {one.chips for one in found.hollow})  # fmt: skip
    look = {"gridcolor": theme.grid, "linecolor": theme.muted, "zeroline": False, "ticks": "outside",
            "tickcolor": theme.muted, "automargin": True, "type": "log"}  # fmt: skip
    ticks = [one for one in counts if len(counts) <= MOST_TICKS or math.log2(one).is_integer()] or counts
    low, high = counts[0], max([float(counts[-1]), *(end for *_, end in curves)])
    reach = max(high / low, 2.0) ** 0.05
    suffix, values = panel.suffix, _values(panel, found)
    axis = Axis(found.row, True, *widened(min(values), max(values), True, VERTICAL_ROOM))
    figure.update_layout({
        f"xaxis{suffix}": {**look, "domain": panel.across, "anchor": f"y{suffix}", "tickvals": ticks,
                           "ticktext": [f"{tick:,}" for tick in ticks],
                           "range": [math.log10(low / reach), math.log10(high * reach)],
                           "title": {"text": "Accelerators (chips)", "font": {"size": 13}, "standoff": 8}},
        f"yaxis{suffix}": {**look, "domain": panel.up, "anchor": f"x{suffix}", **axis.settings, "title_standoff": 8,
                           "title_text": html(panel.title) if panel.axis == 1 else ""},
    })  # fmt: skip
    if panel.axis > 1:
        figure.add_annotation(text=html(panel.title), x=panel.across[0], y=panel.up[1] + 0.012, xref="paper",
                              yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
                              font={"size": 12, "color": theme.text})  # fmt: skip


def _values(panel: Panel, found: Scaling) -> list[float]:
    values = [value for line in found.lines for place in line.places if (value := panel.value(place))]
    if panel.axis == 1:
        values += [line.base.per_chip * place.accelerators for line in found.lines for place in line.compared]
        values += [one.value for one in found.hollow]
    return values


def _add_line(
    figure: go.Figure, panel: Panel, line: Line, shade: str, found: Scaling, *, in_legend: bool
) -> None:
    places = [place for place in line.places if panel.value(place) is not None]
    if not places:
        return
    main = panel.axis == 1
    written = main and len(found.lines) <= LABELLED_EFFICIENCIES
    symbols = [chart.engine_marker(line.facts.engine, measured=place.between is None) for place in places]
    figure.add_trace({
        "type": "scatter", "xaxis": f"x{panel.suffix}", "yaxis": f"y{panel.suffix}",
        "x": [place.accelerators for place in places], "y": [panel.value(place) for place in places],
        "mode": "lines+markers+text" if written else "lines+markers",
        "text": [percent(place.efficiency) if place in line.judged[:-1] else "" for place in places],
        "textposition": [_side(place, found.lines) for place in places],
        "textfont": {"size": 12, "color": shade}, "cliponaxis": False,
        "name": html(line.label), "showlegend": main and in_legend,
        "line": {"color": shade, "width": 2},
        "marker": {"symbol": symbols, "size": 9 if main else 7, "color": shade,
                   "line": {"width": 1.5, "color": shade}},
        "customdata": [[place.point.facts.point_id, _hover(found, place)] for place in places],
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    })  # fmt: skip


def _side(place: Place, lines: Sequence[Line]) -> str:
    """Above the highest of several lines, below any other."""
    beside = [
        one.throughput for line in lines for one in line.places if one.accelerators == place.accelerators
    ]
    return "top left" if len(beside) > 1 and place.throughput == max(beside) else "bottom right"


def _add_ideal(figure: go.Figure, line: Line, shade: str) -> None:
    if not line.judged:
        return
    ends = [line.base.accelerators, line.judged[-1].accelerators]
    figure.add_trace({
        "type": "scatter", "x": ends, "y": [line.base.per_chip * end for end in ends], "mode": "lines",
        "showlegend": False, "hoverinfo": "skip", "opacity": 0.65,
        "line": {"color": shade, "width": 1.3, "dash": "dot"},
    })  # fmt: skip


def _add_hollow(figure: go.Figure, found: Scaling, shades: Sequence[str], theme: Theme) -> None:
    """What replicas of the smallest count would give, on the ideal lines, and the points that stand on no line."""
    drawn = [
        (row.against.accelerators, row.against.replicas_throughput, row.place, html(f"{line.label}: {said[1]}"),
         "circle-open", 6, shade)
        for line, shade in zip(found.lines, shades, strict=True)
        for row in line.replicas
        if (said := projection(found, row.place))
    ]  # fmt: skip
    for one in found.hollow:
        words = chart.hover_lines({**one.facts.row, found.metric: one.value}, [found.metric])
        colour = chart.accelerator_colour(one.facts.accelerator, theme)
        drawn.append((one.chips, one.value, one.facts.point_id, f"{words}<br><i>on no line</i>",
                      chart.engine_marker(one.facts.engine, measured=False), 11, colour))  # fmt: skip
    if drawn:
        xs, ys, ids, told, symbols, sizes, colours = zip(*drawn, strict=True)
        figure.add_trace({
            "type": "scatter", "x": xs, "y": ys, "mode": "markers", "showlegend": False,
            "marker": {"symbol": symbols, "size": sizes, "color": colours, "line": {"width": 1.4}},
            "customdata": list(zip(ids, told, strict=True)), "hovertemplate": "%{customdata[1]}<extra></extra>",
        })  # fmt: skip


def _curves(found: Scaling) -> list[Curve]:
    """The laws that hold over their measured counts, and beyond them up to a peak that is predicted."""
    curves: list[Curve] = []
    for line in found.told:
        for law in line.laws:
            curves.append((AMDAHL if law is line.amdahl else USL, law, law.smallest, law.largest))
            peak = law.predicted
            if peak is not None and peak.count <= FARTHEST * law.largest:
                curves.append((BEYOND, law, law.largest, peak.count))
    return curves


def _add_curve(figure: go.Figure, curve: Curve, theme: Theme) -> None:
    name, law, start, end = curve
    counts = np.geomspace(start, end, CURVE_POINTS).tolist()
    values = [law.throughput_at(count) for count in counts]
    figure.add_trace({
        "type": "scatter", "x": counts, "y": values, "mode": "lines", "showlegend": False, "hoverinfo": "skip",
        "line": {"color": theme.text, "width": 1.1, "dash": DASHES[name], "shape": "spline"},
    })  # fmt: skip
    if name == BEYOND:
        figure.add_annotation(x=math.log10(end), y=math.log10(values[-1] or 1), showarrow=False, yshift=10,
                              text=f"peak by the law: {number(end)} chips",
                              font={"size": 12, "color": theme.muted})  # fmt: skip


def _add_names(figure: go.Figure, lines: Sequence[Line], shades: Sequence[str], *, written: bool) -> None:
    """Each line's name and last efficiency at its end, those that end together kept apart."""
    low, high = figure.layout.yaxis.range
    apart = (high - low) * 0.06
    above: dict[int, float] = {}
    for line, shade in sorted(zip(lines, shades, strict=True), key=lambda one: one[0].places[-1].throughput):
        last = line.places[-1]
        height = math.log10(last.throughput)
        if last.accelerators in above:
            height = max(height, above[last.accelerators] + apart)
        above[last.accelerators] = height
        figure.add_annotation(
            x=math.log10(last.accelerators), y=height, text=html(_name(line, written=written)), showarrow=False,
            xanchor="left", xshift=12, font={"size": 12.5, "color": shade},
        )  # fmt: skip


def _name(line: Line, *, written: bool) -> str:
    last = line.places[-1].efficiency
    return f"{line.label} {percent(last)}" if written and line.judged and last is not None else line.label


def _room(lines: Sequence[Line], *, written: bool) -> int:
    return min(210, 34 + round(6.8 * max(len(_name(line, written=written)) for line in lines)))


def _add_keys(figure: go.Figure, found: Scaling, curves: Iterable[str], theme: Theme) -> None:
    """Legend entries for what shapes and dots mean."""
    engines = sorted({line.facts.engine for line in found.lines if line.facts.engine})[:8]
    between = any(place.between for line in found.lines for place in line.places)
    markers = {chart.value_label("engine", engine): chart.engine_marker(engine) for engine in engines}
    markers |= dict.fromkeys(["interpolated"] * between + ["not ranked"] * bool(found.hollow), "circle-open")
    dashes = {"in proportion to the smallest: what replicas of it would give": "dot"} if found.steps else {}
    dashes |= {name: DASHES[name] for name in curves}
    looks: dict[str, dict[str, Any]] = {
        label: {
            "mode": "markers",
            "marker": {"symbol": symbol, "size": 8, "color": theme.muted, "line": {"width": 1.5}},
        }
        for label, symbol in markers.items()
    }
    for label, dash in dashes.items():
        looks[label] = {"mode": "lines", "line": {"color": theme.muted, "width": 1.3, "dash": dash}}
    for label, look in looks.items():
        unseen = {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}
        figure.add_trace({**unseen, "name": html(label), **look})


def _shades(found: Scaling, theme: Theme) -> list[str]:
    """The colour of each line: its accelerator's, where that tells the lines apart, else one for each."""
    labels, slugs = [one.label for one in found.lines], [one.facts.accelerator for one in found.lines]
    if found.group == "accelerator" or len(set(slugs)) == len(slugs):
        return [chart.accelerator_colour(slug, theme) for slug in slugs]
    colours = chart.colours(found.group, labels, theme)
    return [colours[label] for label in labels]


def _hover(found: Scaling, place: Place) -> str:
    """What a place says under the pointer."""
    keys = [key for key in (found.seen, found.tpot, found.ttft) if key is not None]
    row = {**place.point.facts.row, found.metric: place.throughput}
    row |= {key: place.figure(key) for key in keys}
    extra = "no efficiency: nothing to compare it with, or measured points too far apart"
    if place.efficiency is not None:
        extra = f"{percent(place.efficiency)} of growth in proportion, {number(place.speedup)} times"
    if place.between is not None:
        extra += "; interpolated, the nearest measured point is named"
    return f"{chart.hover_lines(row, [found.metric, *keys])}<br><i>{html(extra)}</i>"
