"""How wrong the curve between two measured loads is: each point left out and predicted from the others of its curve.

Only points with a neighbour on either side are left out, as nothing is said beyond what was measured. One left out has
neighbours about twice as far apart, in octaves, as a place between two points that are all there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.maths.load_curve import POWERS, Grows, Reals, Stretches, over, stretches, times

Places = NDArray[np.intp]


@dataclass(frozen=True)
class CurvePoints:
    """The points of many curves, those of one curve together and by ascending load, one at each load, all above 0."""

    curves: NDArray[np.int64]
    loads: Reals

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.loads)


@dataclass(frozen=True)
class Predictions:
    """Points that were left out: their places, their neighbours' ratio of loads, and predicted / measured - 1."""

    places: Places
    gaps: Reals
    errors: Reals


def along_load(points: CurvePoints, values: Reals, grows: Grows) -> Predictions:
    """Each inner point's value predicted at its load from the rest of its curve: the points that have a value."""
    stated, points, (values,) = _stated(points, values)
    inner, around = _around(points)
    x, y = over(points.loads, grows), times(points.loads, values, grows)
    own = stretches(*_rows(around, x, y)).y(x[inner])
    predicted = _within(times(points.loads[inner], own, grows), values, around)
    return _predictions(stated, points, inner, predicted / values[inner] - 1)


def at_latency(points: CurvePoints, rates: Reals, latencies: Reals, grows: Grows) -> Predictions:
    """Each inner point's throughput predicted at its latency: at the load where the rest of its curve has that.

    Points whose latency is not between those of their neighbours are passed over: nothing would be interpolated.
    """
    stated, points, (rates, latencies) = _stated(points, rates, latencies)
    inner, around = _around(points)
    low, high = latencies[around[:, 1]], latencies[around[:, 2]]
    kept = (low < latencies[inner]) & (latencies[inner] < high)
    inner, around = inner[kept], around[kept]
    loads = stretches(*_rows(around, over(points.loads, grows), latencies)).x(latencies[inner]) ** (1 / POWERS[grows])
    curve: Stretches = stretches(*_rows(around, over(points.loads, "rate"), times(points.loads, rates, "rate")))
    predicted = _within(times(loads, curve.y(over(loads, "rate")), "rate"), rates, around)
    return _predictions(stated, points, inner, predicted / rates[inner] - 1)


def _stated(points: CurvePoints, *columns: Reals) -> tuple[Places, CurvePoints, list[Reals]]:
    """The places of the points that state all of these above 0, and those points and columns alone."""
    places = np.flatnonzero(np.logical_and.reduce([np.isfinite(one) & (one > 0) for one in columns]))
    return places, CurvePoints(points.curves[places], points.loads[places]), [one[places] for one in columns]


def _around(points: CurvePoints) -> tuple[Places, Places]:
    """The inner points, and for each the two before and the two after it on its curve, -1 where there is none."""
    many = len(points)
    inner = np.arange(1, many - 1)
    inner = inner[
        (points.curves[inner - 1] == points.curves[inner]) & (points.curves[inner + 1] == points.curves[inner])
    ]
    around = inner[:, None] + np.array([-2, -1, 1, 2])
    there = (around >= 0) & (around < many)
    same = points.curves[np.where(there, around, 0)] == points.curves[inner][:, None]
    return inner, np.where(there & same, around, -1)


def _rows(around: Places, *columns: Reals) -> list[Reals]:
    """These columns at the neighbours, NaN where there is none."""
    return [np.where(around >= 0, one[around], np.nan) for one in columns]


def _within(predicted: Reals, values: Reals, around: Places) -> Reals:
    """What was predicted, no further out than the neighbours' values."""
    low, high = values[around[:, 1]], values[around[:, 2]]
    return np.clip(predicted, np.minimum(low, high), np.maximum(low, high))


def _predictions(stated: Places, points: CurvePoints, inner: Places, errors: Reals) -> Predictions:
    return Predictions(stated[inner], points.loads[inner + 1] / points.loads[inner - 1], errors)
