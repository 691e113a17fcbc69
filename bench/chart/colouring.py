"""Colour scales: sequential for values, diverging around 1 for ratios, their ticks, and ink that reads on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.colors import sequential

from bench.chart import Theme
from bench.chart.traces import HOVER
from bench.maths.colour import rgb as rgb
from bench.maths.grid import Better
from bench.wording import number

Numbers = NDArray[np.float64]

DARK_INK, LIGHT_INK = "#000000", "#ffffff"
SAME_CONTRAST = 0.179
"""The luminance at which black and white text have the same contrast, 4.6: sqrt(1.05 x 0.05) - 0.05 (WCAG 2.2)."""

DIVERGING = {
    "light": ("#8C4A00", "#D98C2B", "#F3CE9A", "#E4E2DC", "#A9CDE8", "#3D88BF", "#0B4A7C"),
    "dark": ("#F2A24B", "#B3702A", "#6B4E33", "#39424C", "#33566F", "#3C86B8", "#7CC4F2"),
}
"""Orange to blue around a neutral middle, safe for colour-blind readers; blue is where the first side is better."""

MOST_TICKS = 7
NARROWEST_RATIO = 0.07
"""A diverging scale reaches at least this far from 1, in doublings: 5 %."""


@dataclass(frozen=True)
class Colouring:
    """How a value becomes a colour: plotly's scale over `low` to `high` of the transformed value, and its ticks."""

    stops: tuple[str, ...]
    low: float
    high: float
    base: float | None
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def of(self, values: Numbers) -> Numbers:
        """The values as the scale counts them."""
        return values if self.base is None else np.log(values) / math.log(self.base)

    def dark_ink(self, values: Numbers) -> NDArray[np.bool_]:
        """Whether dark text reads better than light text on each value's colour (WCAG 2.2 relative luminance)."""
        place = (self.of(values) - self.low) / (self.high - self.low)
        knots = np.linspace(0, 1, len(self.stops))
        channels = np.array([rgb(stop) for stop in self.stops]).T
        red, green, blue = (_linear(np.interp(place, knots, channel) / 255) for channel in channels)
        return np.asarray(0.2126 * red + 0.7152 * green + 0.0722 * blue > SAME_CONTRAST)

    @property
    def scale(self) -> list[list[Any]]:
        """It as plotly's colour scale."""
        return [[place / (len(self.stops) - 1), colour] for place, colour in enumerate(self.stops)]

    def cells(self, values: Numbers, texts: Any, hovers: Any = None, **more: Any) -> dict[str, Any]:
        """plotly's heatmap of these lines of cells, each with its text in ink that reads on it; gaps where NaN.

        `hovers` are what the cells say under the pointer, which without them passes over.
        """
        inks = np.where(self.dark_ink(values), DARK_INK, LIGHT_INK)
        return {
            "type": "heatmap",
            "z": self.of(values),
            "text": [
                [text and f'<span style="color:{ink}">{text}</span>' for ink, text in zip(*line, strict=True)]
                for line in zip(inks, texts, strict=True)
            ],
            "texttemplate": "%{text}",
            **({"hoverinfo": "skip"} if hovers is None else {"hovertext": hovers, "hovertemplate": HOVER}),
            "hoverongaps": False,
            "xgap": 2,
            "ygap": 2,
            "textfont": {"size": 11},
            **more,
        }

    def axis(self, theme: Theme, *, y: float) -> dict[str, Any]:
        """The scale as plotly's colour axis, its bar lying at the left, `y` up the whole figure."""
        bar = {
            "orientation": "h",
            "thickness": 10,
            "len": 250,
            "lenmode": "pixels",
            "outlinewidth": 0,
            "x": 0,
            "xanchor": "left",
            "xpad": 0,
            "ypad": 0,
            "yref": "container",
            "y": y,
            "yanchor": "top",
            "tickvals": list(self.ticks),
            "ticktext": list(self.labels),
            "tickfont": {"size": 11, "color": theme.muted},
        }
        return {"cmin": self.low, "cmax": self.high, "colorscale": self.scale, "colorbar": bar}


def of_values(values: Numbers, better: Better, *, log: bool, written: Callable[[float], str] = number) -> Colouring:
    """The sequential scale over these values, its brightest end at the best; one decade a step when `log`."""
    scaled = np.log10(values) if log else values
    low, high = (float(scaled.min()), float(scaled.max())) if scaled.size else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5 * max(1.0, abs(low)), high + 0.5 * max(1.0, abs(high))
    ticks = _log_ticks(low, high) if log else _round_ticks(low, high)
    stops = tuple(sequential.Cividis)
    return Colouring(
        stops=stops[::-1] if better == "lower" else stops,
        low=low,
        high=high,
        base=10.0 if log else None,
        ticks=tuple(math.log10(tick) if log else tick for tick in ticks),
        labels=tuple(written(tick) for tick in ticks),
    )


def of_ratios(values: Numbers, better: Better, theme: Theme) -> Colouring:
    """The diverging scale over these ratios in doublings, as far above 1 as below; blue where the first side leads."""
    reach = max(float(np.abs(np.log2(values[values > 0])).max(initial=0)), NARROWEST_RATIO)
    ticks = _ratio_ticks(reach)
    stops = DIVERGING[theme.name]
    return Colouring(
        stops=stops[::-1] if better == "lower" else stops,
        low=-reach,
        high=reach,
        base=2.0,
        ticks=tuple(math.log2(tick) for tick in ticks),
        labels=tuple(f"{tick:.3g}×" for tick in ticks),
    )


def _log_ticks(low: float, high: float) -> list[float]:
    every = [base * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for base in (1, 2, 5)]
    inside = [tick for tick in every if low - 0.02 <= math.log10(tick) <= high + 0.02]
    if len(inside) < 3:
        return [tick for tick in _round_ticks(10.0**low, 10.0**high) if tick > 0]
    if len(inside) <= MOST_TICKS:
        return inside
    decades = [tick for tick in inside if f"{tick:e}"[0] == "1"]
    return decades[:: math.ceil(len(decades) / MOST_TICKS)]


def _round_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(base * power for base in (1, 2, 2.5, 5, 10) if base * power >= rough)
    return [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _ratio_ticks(reach: float) -> list[float]:
    """1, the largest round ratio within reach and one about half as far in doublings, each with its inverse."""
    sides: Sequence[float] = (1.05, 1.1, 1.2, 1.5, 2, 3, 4, 8, 16, 32, 64, 128, 256, 1024, 4096)
    far = max((ratio for ratio in sides if math.log2(ratio) <= reach), default=sides[0])
    half = min(sides, key=lambda ratio: abs(math.log2(ratio) - math.log2(far) / 2))
    kept = {far, half} if abs(math.log2(half)) > 0.3 * reach else {far}
    return sorted({1.0, *kept, *(1 / ratio for ratio in kept)})


def _linear(channel: Numbers) -> Numbers:
    return np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
