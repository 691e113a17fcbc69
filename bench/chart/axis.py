"""The axes of a chart of metrics: units, direction, scale, range and ticks."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import Any

from bench.catalogue import Metric
from bench.plain_text import html

FEWEST_TICKS = 3
TITLE_LINE = 46
"""So many letters of a title fit beside the plot of a phone; a longer title takes two lines."""

MOST_TICKS = 12
LEAST_SPAN = 0.1
"""A linear axis spans at least so much of its values, else a difference of a thousandth would look like a cliff."""


@dataclass(frozen=True)
class Axis:
    """One axis of the chart: its metric, whether it is logarithmic, and its range in data units."""

    metric: Metric
    log: bool
    low: float
    high: float

    def place(self, value: float) -> float:
        """Where a value lies on the axis, 0 at its start and 1 at its end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else 0.0
        return (value - self.low) / (self.high - self.low)

    def at(self, place: float) -> float:
        """The value that lies there: what `place` gives for it."""
        if self.log:
            return float(self.low * (self.high / self.low) ** place)
        return self.low + place * (self.high - self.low)

    @property
    def settings(self) -> dict[str, Any]:
        """plotly's settings for this axis."""
        better = " · lower is better" if self.metric.direction == "lower" else ""
        title = {"title_text": title_lines(self.metric.axis + better), "title_font_size": 13}
        written = ",~%" if self.metric.kind == "share" else ",~g"
        if not self.log:
            return {**title, "type": "linear", "range": [self.low, self.high], "tickformat": written}
        ends = {"type": "log", "range": [math.log10(self.low), math.log10(self.high)]}
        ticks = decade_ticks(self.low, self.high)
        if len(ticks) < FEWEST_TICKS:
            return {**title, **ends, "tickformat": written}
        return {**title, **ends, "tickvals": ticks, "ticktext": [self._tick(tick) for tick in ticks]}

    def _tick(self, value: float) -> str:
        return f"{100 * value:,g}%" if self.metric.kind == "share" else f"{value:,g}"


@dataclass(frozen=True)
class LogAxis:
    """A logarithmic axis of what is no metric: its title, its range, and its ticks."""

    title: str
    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def around(cls, title: str, low: float, high: float, room: float) -> LogAxis:
        """The axis of what lies between these, with room at its end."""
        low, high = widened(low, high, True, room)
        return cls(title, low, high, tuple(decade_ticks(low, high, MOST_TICKS)))

    def place(self, value: float) -> float:
        """Where a value lies on the axis, 0 at its start and 1 at its end."""
        return math.log(value / self.low) / math.log(self.high / self.low)

    def at(self, place: float) -> float:
        """The value that lies there: what `place` gives for it."""
        return float(self.low * (self.high / self.low) ** place)

    @property
    def settings(self) -> dict[str, Any]:
        """plotly's settings for this axis."""
        return {
            "title_text": title_lines(self.title),
            "title_font_size": 13,
            "type": "log",
            "range": [math.log10(self.low), math.log10(self.high)],
            "tickvals": list(self.ticks),
            "ticktext": [f"{tick:,g}" for tick in self.ticks],
        }


def widened(low: float, high: float, log: bool, room: float) -> tuple[float, float]:
    """The range of an axis around its values, with room at its end; a linear one starts at 0 where that is near."""
    if log:
        widened = max(high / low, 1.5)
        return low / widened**0.04, high * widened**room
    if high <= low:
        return low - max(abs(low), 1) / 2, high + max(abs(high), 1) / 2
    if high - low < (least := LEAST_SPAN * max(abs(low), abs(high))):
        low, high = (low + high - least) / 2, (low + high + least) / 2
    start = 0.0 if 0 <= low < 0.4 * high else low - 0.04 * (high - low)
    return start, high + room * (high - start)


def title_lines(title: str, longest: int = TITLE_LINE) -> str:
    """A title in plotly's pseudo-HTML, in as many lines as a phone needs."""
    return "<br>".join(html(line) for line in textwrap.wrap(title, longest, break_on_hyphens=False))


def doubling_ticks(low: float, high: float) -> list[float]:
    """The ticks 1, 2, 4, 8 … between two positive values; every second or third of them where they are many."""
    powers = range(math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9) + 1)
    return [2.0**power for power in powers[:: math.ceil(len(powers) / MOST_TICKS) or 1]]


def decade_ticks(low: float, high: float, most: int | None = None) -> list[float]:
    """The ticks 1, 2, 5, 10 … between two positive values; powers of ten alone over more than four decades.

    Where these are more than `most`, those of 2 are left out, and then those of 5.
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    mantissas = (1, 2, 5) if len(decades) <= 5 else (1,)
    ticks = [(mantissa, mantissa * 10.0**decade) for decade in decades for mantissa in mantissas]
    ticks = [(mantissa, tick) for mantissa, tick in ticks if low <= tick <= high]
    for left_out in (2, 5):
        if most is not None and len(ticks) > most:
            ticks = [one for one in ticks if one[0] != left_out]
    return [tick for _, tick in ticks]
