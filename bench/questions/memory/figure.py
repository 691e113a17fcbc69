"""The memory chart: how many requests fit over counts of chips, a line for each accelerator, a panel for each model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, line_names, value_label
from bench.chart.axis import LogAxis, widened
from bench.chart.line_names import LineEnd, Pages
from bench.chart.shades import told_apart
from bench.chart.texts import text_at
from bench.chart.traces import marker, scatter, stroke
from bench.plain_text import html
from bench.questions.memory.heat import heat
from bench.questions.memory.result import CHIPS, Memory, drawn_first, named
from bench.wording import number

PANEL_PX, PANEL_SHARE, HEADED = 420, 0.86, 0.07
"""Of models side by side each has a panel so high; down to this share of it goes the plot, below its name."""

COINCIDING = 12
"""Lines that are nowhere so many pixels apart are told as one."""

ALONE_PLOT_PX, PLOT_PX = 370, 274
"""About the height of the plot of a model alone, and of one of models side by side."""

Lines = Mapping[str, Mapping[int, float]]
"""What is drawn of each accelerator, by chips."""


AlikeLines = Sequence[Sequence[str]]
"""Accelerators by lines that nobody can tell apart."""


@dataclass(frozen=True)
class MemoryPanel:
    """The lines of one model: what they show, "requests" or the "room_gib" where nobody says what a request takes."""

    result: Memory
    shown: str
    lines: Lines


def figure(result: Memory, theme: Theme) -> go.Figure:
    """The requests that fit over chips, a line for each of the first accelerators; of models side by side one below the
    other.

    Of one model a heatmap where that is chosen.
    """
    if result.chart != "chips" and not result.beside:
        return heat(result, theme)
    panels = [panel for panel in map(_panel, (result, *result.beside)) if panel.lines]
    if not panels:
        ranged = any(one.ranges for one in (result, *result.beside))
        return chart.empty("What fits by precision is in the table." if ranged else "Nothing is known to fit.", theme)
    alone = len(panels) == 1
    bare = {f"{way}axis{place}": {"type": "log"} for way in "xy" for place in range(1, len(panels) + 1)}
    drawn = chart.layout(go.Figure(layout=bare), theme, **({} if alone else {"height": PANEL_PX * len(panels)}))
    slugs = dict.fromkeys(slug for panel in panels for slug in _leaders(panel.lines))
    colours = told_apart({slug: chart.accelerator_colour(slug, theme) for slug in slugs}, theme)
    in_legend: set[str] = set()
    height = ALONE_PLOT_PX if alone else PLOT_PX
    ups = [_up(panel, [one for one in panels if one.shown == panel.shown]) for panel in panels]
    alike = [_coinciding(panel.lines, up, height) for panel, up in zip(panels, ups, strict=True)]
    across = _across(panels, alike)
    for place, (panel, groups, up) in enumerate(zip(panels, alike, ups, strict=True), start=1):
        _add_lines(drawn, panel, place, groups, colours, in_legend)
        _add_names(drawn, panel.lines, place, groups, colours, theme, (across, up), height)
        drawn.update_layout({f"xaxis{place}": across.settings, f"yaxis{place}": up.settings})
        if not alone:
            _set_apart(drawn, panel, place, 1 / len(panels))
    return drawn.update_layout(legend=chart.LINES_LEGEND)


def _panel(result: Memory) -> MemoryPanel:
    shown = "requests" if any(one.requests for one in result.fits) else "room_gib"
    drawn = {*drawn_first(result)}
    held = [one for one in result.fits if one.accelerator in drawn and getattr(one, shown) > 0]
    lines = {
        slug: {one.accelerators: float(getattr(one, shown)) for one in held if one.accelerator == slug}
        for slug in dict.fromkeys(one.accelerator for one in held)
    }
    return MemoryPanel(result, shown, lines)


def _leaders(lines: Lines) -> list[str]:
    """The accelerators, the one with the most per chip first."""
    return sorted(lines, key=lambda slug: -max(value / chips for chips, value in lines[slug].items()))


def _up(panel: MemoryPanel, panels: Sequence[MemoryPanel]) -> LogAxis:
    """The vertical axis of a panel, which these have in common."""
    most = " at most" * panel.result.is_lower_bound
    fitting = f"Requests of {number(panel.result.tokens)} tokens that fit{most}"
    values = [value for one in panels for line in one.lines.values() for value in line.values()]
    low, high = widened(min(values), max(values), True, 0.06)
    ticks = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    return LogAxis(fitting if panel.shown == "requests" else f"Room for KV cache{most} (GiB)", low, high, tuple(ticks))


def _across(panels: Sequence[MemoryPanel], alike: Sequence[AlikeLines]) -> LogAxis:
    """The horizontal axis of all panels, with room for the names where lines end."""
    chips = [one for panel in panels for line in panel.lines.values() for one in line]
    first, last = min(chips) / 1.1, max(chips) * 1.1
    end = line_names.axis_end(first, last, lambda pages: [_name(group, pages) for groups in alike for group in groups])
    return LogAxis("Accelerators (chips)", first, end, tuple(map(float, CHIPS)))


def _set_apart(drawn: go.Figure, panel: MemoryPanel, place: int, height: float) -> None:
    """Give a model its share of the chart's height, below its name."""
    top = 1 - (place - 1) * height
    drawn.update_layout(
        {
            f"yaxis{place}": {"domain": [top - height * PANEL_SHARE, top - height * HEADED], "anchor": f"x{place}"},
            f"xaxis{place}": {"anchor": f"y{place}"},
        }
    )
    name = f"<b>{html(panel.result.name or '')}</b>"
    drawn.add_annotation(text_at(name, 0, top - height * HEADED, "paper paper", size=13))


def _add_lines(
    drawn: go.Figure, panel: MemoryPanel, place: int, alike: AlikeLines, colours: Mapping[str, str], in_legend: set[str]
) -> None:
    """Draw one model's lines; the legend has each accelerator once."""
    most = "at most " * panel.result.is_lower_bound
    for slug, line in panel.lines.items():
        told = f"%{{x}} x {html(_together(alike, slug))}: {most}%{{y:,.4~r}}{_range(panel.result, slug)}"
        legend = {"name": html(value_label("accelerator", slug)), "showlegend": slug not in in_legend}
        look = {"line": stroke(colours[slug], 2), "marker": marker("circle", 6, colours[slug], 0)}
        axes = {"xaxis": f"x{place}", "yaxis": f"y{place}", "legendgroup": slug}
        said = {"hovertemplate": f"{told}<extra></extra>"}
        drawn.add_trace(scatter([*line], [*line.values()], said, **legend, **axes, **look))
        in_legend.add(slug)


def _range(result: Memory, slug: str) -> str:
    """What an accelerator takes at each precision, as a line of a hover: "H200 SXM: 16 chips in BF16, 8 in FP8"."""
    each = [(name.upper(), chips) for name, chips in result.ranges.get(slug, {}).items()]
    words = [f"{chips or f'over {CHIPS[-1]}'} in {name}" for name, chips in each]
    return f"<br>{html(value_label('accelerator', slug))}, chips at least: {', '.join(words)}" if words else ""


def _coinciding(lines: Lines, up: LogAxis, height: int) -> list[list[str]]:
    """The accelerators whose lines nobody can tell apart on this axis, together; leaders first."""
    least = (up.high / up.low) ** (COINCIDING / height)
    groups: list[list[str]] = []
    for slug in _leaders(lines):
        line = lines[slug]
        for group in groups:
            first = lines[group[0]]
            ratios = [max(first[chips] / line[chips], line[chips] / first[chips]) for chips in first.keys() & line]
            if max(ratios, default=math.inf) <= least:
                group.append(slug)
                break
        else:
            groups.append([slug])
    return groups


def _together(alike: AlikeLines, slug: str) -> str:
    """All whose line is drawn where this accelerator's is: "MI355X, GB300 and B300 SXM"."""
    return named(next(group for group in alike if slug in group))


def _name(group: Sequence[str], pages: Pages) -> str:
    """What is written at the end of these accelerators' line; nothing where that is too long for such pages."""
    first, more = value_label("accelerator", group[0]), len(group) - 1
    return pages.fitting(named(group), *([f"{first} and {more} more", f"{first} +{more}"] if more else []))


def _add_names(
    figure: go.Figure,
    lines: Lines,
    place: int,
    alike: AlikeLines,
    colours: Mapping[str, str],
    theme: Theme,
    axes: tuple[LogAxis, LogAxis],
    height: int,
) -> None:
    """Write the names of one model's lines where they end, as pages have room for them."""
    across, up = axes
    ends = []
    for group in alike:
        chips, value = max(lines[group[0]].items())
        ends.append(LineEnd((across.place(chips), up.place(value)), chips, colours[group[0]], group[0]))
    for one in line_names.traces(ends, lambda pages: [_name(group, pages) for group in alike], up.at, height, theme):
        figure.add_trace({**one, "xaxis": f"x{place}", "yaxis": f"y{place}"})
