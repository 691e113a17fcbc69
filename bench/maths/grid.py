"""A grid of cells in numbers: how steeply a line falls, who leads in a cell, which colour scale it wants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower"]
CellVerdict = Literal["a", "b", "tie"]

LOG_RANGE = 30.0
"""Values that span more than this many times want a logarithmic colour scale."""
TIE = 0.01
"""Ratios this close to 1 are a tie."""


@dataclass(frozen=True)
class MetricChange:
    """What a metric does between two values of an axis at least a doubling apart.

    `factor` says how many times worse the end is than the start, below 1 when it is better; `per_doubling` is that
    factor spread evenly over the doublings between them.
    """

    start: float
    end: float
    factor: float
    per_doubling: float


def steepest(positions: Sequence[float], values: Sequence[float], better: Better = "higher") -> MetricChange | None:
    """The change for the worse with the largest factor per doubling along a line, or the least gain if none is worse.

    Every measured position is compared with the nearest one at least twice as far along, so that two positions close
    together do not make a slope. Positions and values that are not positive and finite are left out; None when no two
    positions are a doubling apart.
    """
    line = sorted((p, v) for p, v in zip(positions, values, strict=True) if _positive(p) and _positive(v))
    changes = []
    for place, (start, before) in enumerate(line):
        further = next((pair for pair in line[place + 1 :] if pair[0] >= 2 * start), None)
        if further is not None:
            end, after = further
            factor = before / after if better == "higher" else after / before
            changes.append(MetricChange(start, end, factor, factor ** (1 / math.log2(end / start))))
    return max(changes, key=lambda change: change.per_doubling, default=None)


def verdict(ratio: float, better: Better = "higher") -> CellVerdict:
    """Who leads at a ratio a / b: "a", "b", or "tie" within 1 % of 1."""
    if abs(ratio - 1) <= TIE:
        return "tie"
    return "a" if (ratio > 1) == (better == "higher") else "b"


def wants_log(values: Iterable[float]) -> bool:
    """Whether values are all positive and span more than LOG_RANGE."""
    finite = [value for value in values if math.isfinite(value)]
    return bool(finite) and min(finite) > 0 and max(finite) / min(finite) > LOG_RANGE


def _positive(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and value > 0
