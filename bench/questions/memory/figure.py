"""The memory chart: how many requests fit over counts of chips, a line for each accelerator, a panel for each model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, line_names, value_label
from bench.chart.axis import widened
from bench.chart.roomy import from_width
from bench.chart.shades import told_apart
from bench.plain_text import html
from bench.questions.memory.result import CHIPS, Memory, named
from bench.wording import number

PANEL_PX, PANEL_SHARE, HEADED = 420, 0.86, 0.07
"""Of models side by side each has a panel so high; down to this share of it goes the plot, below its name."""

COINCIDING = 12
"""Lines that are nowhere so many pixels apart are told as one."""

NAMED_FROM_PX = 1100
"""On narrower pages than this there are no names at the lines, only in the legend."""

NAMED_PLOTS = ((1060, 400), (730, 400))
"""About the size of the plot in pixels on a wide page and on one that just has names."""

Lines = Mapping[str, Mapping[int, float]]
"""What is drawn of each accelerator, by chips."""


@dataclass(frozen=True)
class Panel:
    """The lines of one model: what they show, "requests" or the "room_gib" where nobody says what a request takes."""

    result: Memory
    shown: str
    lines: Lines


def figure(result: Memory, theme: Theme) -> go.Figure:
    """The requests that fit over chips, a line for each accelerator; of models side by side one below the other."""
    panels = [panel for panel in map(_panel, (result, *result.beside)) if panel.lines]
    if not panels:
        return chart.empty("Nothing is known to fit.", theme)
    alone, height = len(panels) == 1, 1 / len(panels)
    drawn = chart.layout(go.Figure(), theme, **({} if alone else {"height": PANEL_PX * len(panels)}))
    slugs = dict.fromkeys(slug for panel in panels for slug in _leaders(panel.lines))
    colours = told_apart({slug: chart.accelerator_colour(slug, theme) for slug in slugs}, theme)
    in_legend: set[str] = set()
    across: list[tuple[float, float]] = []
    for place, panel in enumerate(panels, start=1):
        alike = [one.lines for one in panels if one.shown == panel.shown]
        low, high = widened(
            min(_ends(one)[0] for one in alike), max(_ends(one)[1] for one in alike), True, 0.06
        )
        across.append(_add(drawn, panel, place, colours, theme, (low, high), in_legend))
        if not alone:
            top = 1 - (place - 1) * height
            drawn.update_layout(
                {
                    f"yaxis{place}": {
                        "domain": [top - height * PANEL_SHARE, top - height * HEADED],
                        "anchor": f"x{place}",
                    },
                    f"xaxis{place}": {"anchor": f"y{place}"},
                }
            )
            drawn.add_annotation(text=f"<b>{html(value_label('model', panel.result.model))}</b>", showarrow=False,
                                 xref="paper", x=0, yref="paper", y=top - height * HEADED, xanchor="left",
                                 yanchor="bottom")  # fmt: skip
    first, last = min(one[0] for one in across), max(one[1] for one in across)
    return drawn.update_xaxes(range=[first, last]).update_layout(legend=chart.LINES_LEGEND)


def _panel(result: Memory) -> Panel:
    shown = "requests" if any(one.requests for one in result.fits) else "room_gib"
    held = [one for one in result.fits if getattr(one, shown) > 0]
    lines = {slug: {one.accelerators: float(getattr(one, shown)) for one in held if one.accelerator == slug}
             for slug in dict.fromkeys(one.accelerator for one in held)}  # fmt: skip
    return Panel(result, shown, lines)


def _leaders(lines: Lines) -> list[str]:
    """The accelerators, the one with the most per chip first."""
    return sorted(lines, key=lambda slug: -max(value / chips for chips, value in lines[slug].items()))


def _add(drawn: go.Figure, panel: Panel, place: int, colours: Mapping[str, str], theme: Theme,
         up: tuple[float, float], in_legend: set[str]) -> tuple[float, float]:  # fmt: skip
    """The ends of the horizontal axis of one model's lines, added with names and axes; a legend has each line once."""
    low, high = up
    axes = {"xaxis": f"x{place}", "yaxis": f"y{place}"}
    alike = _coinciding({slug: panel.lines[slug] for slug in _leaders(panel.lines)}, low, high)
    for slug, line in panel.lines.items():
        drawn.add_trace(
            {"type": "scatter", "mode": "lines+markers", "name": html(value_label("accelerator", slug)),
             "line": {"color": colours[slug]}, "x": list(line), "y": list(line.values()), "legendgroup": slug,
             "showlegend": slug not in in_legend, **axes,
             "hovertemplate": "%{x} x " + html(_together(alike, slug)) + ": %{y:,.4~r}<extra></extra>"}
        )  # fmt: skip
        in_legend.add(slug)
    ends = _add_names(drawn, panel.lines, alike, colours, theme, up, axes)
    fitting = f"Requests of {number(panel.result.tokens)} tokens that fit"
    ticks = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    drawn.update_layout(
        {f"xaxis{place}": {"type": "log", "title": {"text": "Accelerators (chips)", "font": {"size": 13}},
                           "tickvals": list(CHIPS)},
         f"yaxis{place}": {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": ticks,
                           "ticktext": [f"{one:,g}" for one in ticks],
                           "title": {"text": fitting if panel.shown == "requests" else "Room for KV cache (GiB)",
                                     "font": {"size": 13}}}}
    )  # fmt: skip
    return ends


def _ends(lines: Lines) -> tuple[float, float]:
    values = [value for line in lines.values() for value in line.values()]
    return min(values), max(values)


def _coinciding(lines: Lines, low: float, high: float) -> list[list[str]]:
    """The accelerators whose lines nobody can tell apart on an axis from `low` to `high`, together."""
    least = (high / low) ** (COINCIDING / line_names.PLOTS[0][1])
    groups: list[list[str]] = []
    for slug, line in lines.items():
        for group in groups:
            first = lines[group[0]]
            ratios = [
                max(first[chips] / line[chips], line[chips] / first[chips]) for chips in first.keys() & line
            ]
            if max(ratios, default=math.inf) <= least:
                group.append(slug)
                break
        else:
            groups.append([slug])
    return groups


def _together(alike: Sequence[Sequence[str]], slug: str) -> str:
    """All whose line is drawn where this accelerator's is: "MI355X, GB300 and B300 SXM"."""
    return named(next(group for group in alike if slug in group))


def _add_names(figure: go.Figure, lines: Lines, alike: Sequence[Sequence[str]], colours: Mapping[str, str],
               theme: Theme, up: tuple[float, float], axes: Mapping[str, str]) -> tuple[float, float]:  # fmt: skip
    """The ends of the horizontal axis, in powers of ten, with room for the names that were added where lines end."""
    low, high = up
    names = [named(group) for group in alike]
    first, last = (
        math.log10(min(map(min, lines.values())) / 1.1),
        math.log10(max(map(max, lines.values())) * 1.1),
    )
    room = (max(map(len, names)) * line_names.LETTER + 2 * line_names.GAP) / NAMED_PLOTS[-1][0]
    last += (last - first) * room / (1 - room)
    height = math.log10(high / low)

    def places(slug: str) -> list[line_names.Place]:
        return [((math.log10(chips) - first) / (last - first), math.log10(value / low) / height)
                for chips, value in lines[slug].items()]  # fmt: skip

    paths = [places(slug) for slug in lines]
    widths = [len(name) * line_names.LETTER for name in names]
    labels = line_names.placed([places(group[0])[-1] for group in alike], widths,
                               [[place] for path in paths for place in path], plots=NAMED_PLOTS)  # fmt: skip
    for group, name, label in zip(alike, names, labels, strict=True):
        if label is not None:
            figure.add_trace({
                "type": "scatter", "mode": "text", "hoverinfo": "skip", "showlegend": False, "cliponaxis": False,
                "x": [max(lines[group[0]])], "y": [low * 10 ** (label.up * height)], "legendgroup": group[0],
                "text": [from_width(line_names.text(html(name), is_left=label.is_left), NAMED_FROM_PX)],
                **axes,
                "textposition": "middle left" if label.is_left else "middle right",
                "textfont": line_names.font(colours[group[0]], theme),
            })  # fmt: skip
    return first, last
