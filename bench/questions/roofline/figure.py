"""The roofline chart: ceilings as lines, points below them, what is projected hollow, what lies above in a ring."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import plotly.graph_objects as go

from bench import chart
from bench.basis.roofline import RooflinePhase
from bench.chart import Theme, line_names, value_label
from bench.chart.line_names import LineEnd
from bench.chart.shades import told_apart
from bench.chart.texts import text_at
from bench.chart.traces import clickable, marker, scatter, stroke
from bench.plain_text import html
from bench.questions.roofline import paths
from bench.questions.roofline.paths import LinePath, RooflinePlot
from bench.questions.roofline.result import INTENSITY, HeldPoint, ProjectedUse, Projection, Roofline
from bench.wording import number, share

HEIGHT, PLOT_PX = 560, 400
DRAWN_AS_SVG = 5_000
"""More points than this are drawn by WebGL and say little under the pointer."""

MOST_LINES = 16
"""So many lines are drawn, those with most points first; the points of the others stay."""

MARKER_PX, LEAST_PX, RING_PX = 8.5, 5.5, 17
"""The sizes of a point, of one that used at least what is drawn, and of the ring around one above its ceiling."""

DASHES = ("solid", "dash", "longdashdot", "longdash")
PROJECTED = "dot"


def figure(result: Roofline, theme: Theme) -> go.Figure:
    """The chart of an answer; an empty one says so."""
    if not any(paths.place(result, one) for one in paths.uses(result)):
        return chart.empty("Nothing can be held against a ceiling here.", theme)
    plot = paths.plot(result)
    shades = _shades(result, plot, theme)
    traces = [
        *(_line(line, result, shades, theme) for line in plot.lines[:MOST_LINES]),
        *_points(result, shades, theme),
        *_rings(result, theme),
        *_projected(result, shades, theme),
        *_names(plot, shades, theme),
        *_keys(result, theme),
    ]
    settings = {
        **chart.axes_layout(theme, plot.across.settings, plot.up.settings, height=HEIGHT),
        "uirevision": f"{result.phase} {result.axis}",
        "legend": {**chart.LINES_LEGEND, "itemsizing": "constant" if result.compares_models else "trace"},
        "annotations": [*_sides(result, plot, theme)],
    }
    return go.Figure({"data": traces, "layout": settings})


def _sides(result: Roofline, plot: RooflinePlot, theme: Theme) -> Iterator[dict[str, Any]]:
    """Which limit is the roof left of all ridges, and right of them."""
    ridges = [line.xs[1] for line in plot.lines if len(line.xs) == 3] if result.axis == INTENSITY else []
    if ridges:
        for x, text, side, shift in (
            (min(ridges), "← memory limits", "right", -6),
            (max(ridges), "compute limits →", "left", 6),
        ):
            place = (text, math.log10(x), 0, "x paper", f"{side} bottom")
            yield text_at(*place, shift=(shift, 4), size=11, colour=theme.muted)


def _shades(result: Roofline, plot: RooflinePlot, theme: Theme) -> dict[str, str]:
    """The colour of each accelerator, or of each model where several are compared."""
    if result.compares_models:
        models = list(dict.fromkeys(one.rig.model for one in result.points))
        return chart.colours("model", sorted(models), theme)
    slugs = dict.fromkeys([*(line.accelerator for line in plot.lines), *(one.rig.accelerator for one in result.points)])
    return told_apart({slug: chart.accelerator_colour(slug, theme) for slug in slugs}, theme)


def _line(line: LinePath, result: Roofline, shades: Mapping[str, str], theme: Theme) -> dict[str, Any]:
    dash = PROJECTED if line.is_projected else DASHES[line.rank % len(DASHES)]
    return scatter(
        line.xs,
        line.ys,
        {"hovertemplate": f"{html(line.about)}<extra></extra>"},
        name=html(line.name),
        legendgroup=html(line.group),
        showlegend=not result.compares_models,
        line=stroke(shades.get(line.accelerator, theme.rest), 2, dash),
    )


def _points(result: Roofline, shades: Mapping[str, str], theme: Theme) -> Iterator[dict[str, Any]]:
    """The points of each line, hollow where they are not ranked."""
    grouped: dict[tuple[str, str], list[HeldPoint]] = {}
    for one in result.points:
        if paths.place(result, one.use) is not None:
            grouped.setdefault((paths.group(result, one.rig), paths.owner(result, one)), []).append(one)
    brief = len(result.points) > DRAWN_AS_SVG
    named: set[str] = set()
    for (group, owner), own in grouped.items():
        places = [place for one in own if (place := paths.place(result, one.use)) is not None]
        symbols = [chart.engine_marker(one.facts.engine, measured=one.enters) for one in own]
        sizes = [LEAST_PX if one.use.is_least else MARKER_PX for one in own]
        yield scatter(
            [x for x, _ in places],
            [y for _, y in places],
            clickable((one.facts.point_id for one in own), (_said(result, one, brief=brief) for one in own)),
            type="scattergl" if brief else "scatter",
            name=html(value_label("model", owner)),
            showlegend=result.compares_models and owner not in named,
            legendgroup=html(owner if result.compares_models else group),
            marker=marker(symbols, sizes, shades.get(owner, theme.rest)),
        )
        named.add(owner)


def _said(result: Roofline, one: HeldPoint, *, brief: bool) -> str:
    """What a point says under the pointer: its ceiling, what it used, what bound it."""
    use = one.use
    least = "at least " * use.is_least
    lines = [f"<b>{least}{share(use.share)} of its ceiling</b>"]
    used = [("memory bandwidth", use.bandwidth), ("compute peak", use.compute)]
    lines.append(" · ".join(f"{words} {share(value)}" for words, value in used if value is not None))
    if not brief:
        binds = one.bound_by or "what binds it is not known"
        together = f"{number(use.requests)} requests share a step" if use.requests is not None else ""
        lines += [f"bound by {binds}" if one.bound_by else binds, together]
        unit = paths.UNITS[result.phase].lower()
        lines.append(f"{number(use.rate)} {unit}/s of {number(use.ceiling)} at most")
        lines.append(chart.hover_lines(one.facts.row, ()))
    return "<br>".join(line if "<" in line else html(line) for line in lines if line)


def _rings(result: Roofline, theme: Theme) -> Iterator[dict[str, Any]]:
    """A ring around each point above its ceiling, and one more in the legend of shapes."""
    above = [place for one in result.points if one.is_above and (place := paths.place(result, one.use))]
    if above:
        look = {"name": chart.key_lines("above its ceiling"), "legend": "legend2"}
        ring = marker("circle-open", RING_PX, theme.text, 1.6)
        yield scatter([x for x, _ in above], [y for _, y in above], **look, marker=ring)


def _projected(result: Roofline, shades: Mapping[str, str], theme: Theme) -> Iterator[dict[str, Any]]:
    """What is projected, hollow along a dotted line."""
    if result.projection is None:
        return
    rig = result.projection.rig
    places = [(one, place) for one in result.projection.places if (place := paths.place(result, one.use)) is not None]
    shade = shades.get(rig.model if result.compares_models else rig.accelerator, theme.rest)
    texts = [_said_of_projected(result.projection, result.phase, one) for one, _ in places]
    yield scatter(
        [x for _, (x, _) in places],
        [y for _, (_, y) in places],
        {"text": texts, "hovertemplate": "%{text}<extra></extra>"},
        name=chart.key_lines("projected"),
        legend="legend2",
        line=stroke(shade, 1, PROJECTED),
        marker=marker("circle-open", MARKER_PX, shade, 1.6),
    )


def _said_of_projected(projection: Projection, phase: RooflinePhase, one: ProjectedUse) -> str:
    rig, lender = projection.rig, projection.lender
    return "<br>".join(
        [
            f"<b>Projected: {html(rig.hardware)}, {number(one.requests)} requests share a step</b>",
            f"at {share(one.use.share)} of its ceiling, as {html(lender.hardware)} reached nearest to that",
            f"{number(one.use.rate)} {paths.UNITS[phase].lower()}/s",
        ]
    )


def _names(plot: RooflinePlot, shades: Mapping[str, str], theme: Theme) -> Iterator[dict[str, Any]]:
    """The names of lines where they end, those that end together in one name, as pages have room for them."""
    together: dict[tuple[float, float], list[LinePath]] = {}
    for line in plot.lines[:MOST_LINES]:
        together.setdefault((line.xs[-1], line.ys[-1]), []).append(line)
    ends, names = [], []
    for (x, y), own in together.items():
        first, more = own[0], len(own) - 1
        colour, group = (theme.muted, None) if more else (shades.get(first.accelerator, theme.rest), html(first.group))
        ends.append(LineEnd((plot.across.place(x), plot.up.place(y)), x, colour, group))
        names.append([", ".join(line.name for line in own), *([f"{first.name} +{more}"] if more else [])])
    return line_names.traces(ends, lambda pages: [pages.fitting(*forms) for forms in names], plot.up.at, PLOT_PX, theme)


def _keys(result: Roofline, theme: Theme) -> Iterator[dict[str, Any]]:
    """Legend entries for what shapes mean: engines, and what is not ranked."""
    engines = sorted({one.facts.engine for one in result.points if one.facts.engine})[:8]
    keys = [(value_label("engine", one), chart.engine_marker(one), MARKER_PX) for one in engines]
    if not all(one.enters for one in result.points):
        keys.append(("not ranked", "circle-open", MARKER_PX))
    if any(one.use.is_least for one in result.points):
        keys.append(("at least so much", "circle", LEAST_PX))
    for label, symbol, size in keys:
        yield chart.marker_key(label, symbol, theme, size=size)
