"""A deployment's throughput and latencies between the loads at which they were measured, and never beyond them.

A batch is served in steps, and what a user waits for a token grows with what is in the batch: over the load to a power
it is nearly a straight line. Latencies are interpolated over that; throughput is the load divided by the time that a
token of one request takes, which by Little's law is such a latency too. The line through more than two points is the
monotone piecewise cubic of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984), ends as in SciPy's PCHIP: exact
where measured, between its neighbours' values elsewhere. docs/sizing.md has how wrong it and others have been.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]

Grows = Literal["rate", "step", "queue"]
"""How a metric goes with the load: `rate` a throughput, `step` a time of decode steps (TPOT, ITL, E2EL), `queue` a
time of prefills that wait for each other (TTFT)."""

POWERS: dict[Grows, float] = {"rate": 0.8, "step": 0.8, "queue": 1.0}
"""The power of the load over which a time is nearly straight. A step reads the weights once for the whole batch, and of
a mixture of experts the more of them the larger it is, but ever fewer more; prefills queue one behind another. Of 0.6
to 1.1 in tenths these leave the least error on the curves that ship: throughput at a given TPOT at 0.8, the tail of
TTFT at 1. Between loads up to 4 times apart the power hardly matters."""

HALVINGS = 40
"""So many times a stretch is halved to find where a curve meets a value: 1e-12 of it."""


class Stretches(NamedTuple):
    """Many stretches of monotone cubics, each from x0 to x1: value and slope at both ends."""

    x0: Reals
    x1: Reals
    y0: Reals
    y1: Reals
    slope0: Reals
    slope1: Reals

    def y(self, x: Reals) -> Reals:
        """The value of each stretch at one x of its own, by Hermite's polynomials; within y0 to y1."""
        width = self.x1 - self.x0
        t = (x - self.x0) / width
        rest = 1 - t
        inner = self.slope0 * width * t * rest * rest - self.slope1 * width * t * t * rest
        y = self.y0 * (1 + 2 * t) * rest * rest + self.y1 * (3 - 2 * t) * t * t + inner
        return np.clip(y, np.minimum(self.y0, self.y1), np.maximum(self.y0, self.y1))

    def x(self, y: Reals) -> Reals:
        """Where each stretch, which rises or falls all along, has one y of its own, between y0 and y1."""
        low, high = self.x0.copy(), self.x1.copy()
        rises = self.y1 > self.y0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            before = (self.y(middle) < y) == rises
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return (low + high) / 2


def stretches(xs: ArrayLike, ys: ArrayLike) -> Stretches:
    """The stretch between the second and the third of four neighbours on a curve, for each row of (n, 4) arrays.

    The first and the last are NaN where the curve has no such neighbour; with neither the stretch is straight.
    """
    x, y = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    widths = np.diff(x, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rises = np.diff(y, axis=1) / widths
        before, own, after = rises.T
        left, width, right = widths.T
        slope0 = np.where(np.isnan(before), _end(own, after, width, right), _inner(before, own, left, width))
        slope1 = np.where(np.isnan(after), _end(own, before, width, left), _inner(own, after, width, right))
    return Stretches(x[:, 1], x[:, 2], y[:, 1], y[:, 2], slope0, slope1)


def _inner(before: Reals, after: Reals, left: Reals, right: Reals) -> Reals:
    """The slope at a point between two stretches: the weighted harmonic mean of their rises, 0 where they turn."""
    one, other = 2 * right + left, right + 2 * left
    mean = (one + other) / (one / before + other / after)
    return np.where(before * after > 0, mean, 0.0)


def _end(own: Reals, next_rise: Reals, width: Reals, next_width: Reals) -> Reals:
    """The slope at an end of a curve: of the parabola through its last three points, kept monotone."""
    slope = ((2 * width + next_width) * own - width * next_rise) / (width + next_width)
    slope = np.where(slope * own <= 0, 0.0, slope)
    slope = np.where((own * next_rise < 0) & (np.abs(slope) > 3 * np.abs(own)), 3 * own, slope)
    return np.where(np.isnan(next_rise), own, slope)


def over(loads: ArrayLike, grows: Grows) -> Reals:
    """What a metric's time is nearly straight over, at these loads."""
    return np.asarray(np.asarray(loads, dtype=float) ** POWERS[grows])


def times(loads: ArrayLike, values: ArrayLike, grows: Grows) -> Reals:
    """The times to interpolate: latencies as they are, of throughput the load over it; the same turns them back."""
    own = np.asarray(values, dtype=float)
    return np.asarray(np.asarray(loads, dtype=float) / own if grows == "rate" else own)


@dataclass(frozen=True)
class LoadCurve:
    """One metric of one deployment under one workload in one run, by ascending load, one value at each."""

    loads: tuple[float, ...]
    values: tuple[float, ...]
    grows: Grows

    @classmethod
    def of(cls, loads: Sequence[float | None], values: Sequence[float | None], grows: Grows) -> LoadCurve:
        """The curve through points in any order; those whose load or value is absent or not above 0 are left out.

        ValueError without a point, and where one load has two different values: the caller knows which counts.
        """
        curve: dict[float, float] = {}
        for load, value in zip(loads, values, strict=True):
            if load is None or value is None or not (0 < load < math.inf and 0 < value < math.inf):
                continue
            if curve.setdefault(float(load), float(value)) != value:
                raise ValueError(f"two values at load {load}: {curve[load]} and {value}; keep one of them")
        if not curve:
            raise ValueError("a curve needs a point with a load and a value above 0")
        ordered = sorted(curve.items())
        return cls(tuple(load for load, _ in ordered), tuple(value for _, value in ordered), grows)

    def at(self, load: float) -> float | None:
        """The value at a load; None outside the measured range."""
        value = float(self.along([load])[0])
        return None if math.isnan(value) else value

    def along(self, loads: ArrayLike) -> Reals:
        """The values at many loads, as measured where measured; NaN outside the measured range."""
        wanted, known = np.asarray(loads, dtype=float), np.asarray(self.loads)
        after = np.searchsorted(known, wanted)
        inside = (after < len(known)) & (wanted >= known[0])
        values = np.full(wanted.shape, np.nan)
        values[inside] = np.asarray(self.values)[after[inside]]
        between = inside & (known[np.minimum(after, len(known) - 1)] != wanted)
        if between.any():
            place = after[between] - 1
            some = Stretches(*(part[place] for part in self._stretches))
            own = times(wanted[between], some.y(over(wanted[between], self.grows)), self.grows)
            ends = np.asarray(self.values)[place], np.asarray(self.values)[place + 1]
            values[between] = np.clip(own, np.minimum(*ends), np.maximum(*ends))
        return values

    def gap(self, load: float) -> float | None:
        """The ratio of the measured loads around a load, 1 where it was measured itself; None outside of them."""
        if not self.loads[0] <= load <= self.loads[-1]:
            return None
        after = bisect_left(self.loads, load)
        return 1.0 if self.loads[after] == load else self.loads[after] / self.loads[after - 1]

    @cached_property
    def _stretches(self) -> Stretches:
        absent = [math.nan]
        x = np.concatenate([absent, over(self.loads, self.grows), absent])
        y = np.concatenate([absent, times(self.loads, self.values, self.grows), absent])
        rows = np.arange(len(self.loads) - 1)[:, None] + np.arange(4)
        return stretches(x[rows], y[rows])
