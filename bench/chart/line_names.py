"""The names of a chart's lines beside their ends, in the order of those; without room the legend alone has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from bench.chart import Theme
from bench.chart.shades import ink
from bench.chart.texts import PlotPlace, between_widths, from_width
from bench.plain_text import html

LETTER, SMALL, OTHER = 7.1, 6.3, {**dict.fromkeys(" ,.'()", 3.0), "%": 9.5}
"""About the width of a label's capital or digit, of a small letter and of what else there is, in pixels."""

LINE, GAP, FARTHEST = 17, 13, 3
"""A label is so high, begins so far beside its line's end, both in pixels, and moves at most so many lines."""

APART = "\u2003"
"""That gap as text: plotly has no other for the text of a point."""

LONGEST, MOST_ROOM = 28, 0.25
"""A name has at most so many letters; where room is kept for names they take at most so large a share of the plot."""


@dataclass(frozen=True)
class Pages:
    """Pages from `start` px wide on and below `end` px, and how wide their narrowest plot is."""

    across: int
    start: int
    end: int | None = None

    def room(self, names: Sequence[str]) -> float:
        """The share of a plot that the longest of these names takes beside a line."""
        longest = max(map(width, names), default=0.0)
        return (longest + 2 * GAP) / self.across if longest else 0.0

    def fitting(self, *forms: str, most: float = MOST_ROOM) -> str:
        """The first of the forms of a name that takes at most so large a share of a plot; "" without one."""
        return next((form for form in forms if self.room([form]) <= most), "")

    def shown(self, text: str) -> str:
        """A text in plotly's pseudo-HTML that the browser shows on these pages alone."""
        return from_width(text, self.start) if self.end is None else between_widths(text, self.start, self.end)


EVERY_WIDTH = (Pages(1020, 1400), Pages(730, 1100, 1400), Pages(463, 700, 1100))
"""Pages that have names of their own each, the broadest first; on a phone the legend alone names lines."""


@dataclass(frozen=True)
class LineEnd:
    """Where a line ends: on the plot as shares of its axes, what that is across, and its colour and legend group."""

    place: PlotPlace
    x: Any
    colour: str
    group: str | None = None


@dataclass(frozen=True)
class Label:
    """Where a name goes: the height of its middle as a share of the axis, and on which side of its line's end."""

    up: float
    is_left: bool = False


def traces(
    ends: Sequence[LineEnd],
    names: Callable[[Pages], Sequence[str]],
    value_at: Callable[[float], float],
    height: int,
    theme: Theme,
) -> Iterator[dict[str, Any]]:
    """A trace with the name of each line at its end, as pages have room for it on a plot so many pixels high.

    `names` are those of all lines on such pages, `value_at` gives what lies at a share of the vertical axis.
    """
    every = [(pages, names(pages)) for pages in EVERY_WIDTH]
    labels = [placed([one.place for one in ends], own, (pages.across, height)) for pages, own in every]
    for nth, end in enumerate(ends):
        shown = [
            (pages, own[nth], label)
            for (pages, own), on_pages in zip(every, labels, strict=True)
            if (label := on_pages[nth]) is not None
        ]
        if shown:
            texts = [
                pages.shown(f"{html(name)}{APART}" if label.is_left else f"{APART}{html(name)}")
                for pages, name, label in shown
            ]
            colour = ink(end.colour, theme)
            yield {
                "type": "scatter",
                "mode": "text",
                "hoverinfo": "skip",
                "showlegend": False,
                "cliponaxis": False,
                "x": [end.x] * len(shown),
                "y": [value_at(label.up) for *_, label in shown],
                "text": texts,
                "textposition": ["middle left" if label.is_left else "middle right" for *_, label in shown],
                # A halo, so that names read over lines.
                "textfont": {"color": colour, "size": 12.5, "shadow": ", ".join([f"0 0 3px {theme.background}"] * 3)},
                # plotly dims the text when a point of another trace is chosen.
                "unselected": {"textfont": {"color": colour}},
                **({} if end.group is None else {"legendgroup": end.group}),
            }


def axis_end(low: float, high: float, names: Callable[[Pages], Sequence[str]]) -> float:
    """Where a logarithmic axis from `low` ends that has room for these names beside lines that end at `high`."""
    room = max(pages.room(names(pages)) for pages in EVERY_WIDTH)
    return float(high * (high / low) ** (room / (1 - room)))


def placed(ends: Sequence[PlotPlace], names: Sequence[str], plot: tuple[int, int]) -> list[Label | None]:
    """Where each name goes on a plot of this size; None for "", and for one that has no room near its end.

    Right of its end, where the plot ends left of it and a line higher. Names above each other stand in the order of
    their ends, a line apart, as near to them as can be (least squares), and never leave the plot.
    """
    step = LINE / plot[1]
    spans = [_span(across, (GAP + width(name)) / plot[0]) for (across, _), name in zip(ends, names, strict=True)]
    ideal = [up + step * is_left for (_, up), (*_, is_left) in zip(ends, spans, strict=True)]
    labels: list[Label | None] = [None] * len(ends)
    for column in _columns([own for own, name in enumerate(names) if name and spans[own][0] >= 0], spans):
        column.sort(key=lambda own: -ideal[own])
        lifts = step * np.arange(len(column))
        heights = _falling([ideal[own] + lift for own, lift in zip(column, lifts, strict=True)])
        heights = np.clip(heights, step / 2 + lifts[-1], 1 - step / 2) - lifts
        for own, up in zip(column, heights.tolist(), strict=True):
            if abs(up - ideal[own]) <= FARTHEST * step and up >= step / 2 - 1e-9:
                labels[own] = Label(up, spans[own][2])
    return labels


def _falling(values: Sequence[float]) -> list[float]:
    """The values nearest to these that nowhere rise: neighbours that do have their mean (pool adjacent violators)."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and fmean(pools[-2]) < fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    return [fmean(pool) for pool in pools for _ in pool]


def _span(across: float, room: float) -> tuple[float, float, bool]:
    """From where to where a name stands, and whether it is left of its line's end."""
    return (across - room, across, True) if across + room > 1 else (across, across + room, False)


def _columns(order: Sequence[int], spans: Sequence[tuple[float, float, bool]]) -> list[list[int]]:
    """The names that stand above each other, together."""
    columns: list[list[int]] = []
    reach = -1.0
    for own in sorted(order, key=lambda own: spans[own][0]):
        left, right, _ = spans[own]
        if left >= reach:
            columns.append([])
        columns[-1].append(own)
        reach = max(reach, right)
    return columns


def width(text: str) -> float:
    """About how wide a label is, in pixels."""
    return sum(OTHER.get(one, SMALL if one.islower() else LETTER) for one in text)


def shortened(name: str) -> str:
    """A name that is not too long to stand beside a line."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
