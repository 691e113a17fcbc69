"""The load at which each of many measured curves serves most within limits, and what keeps it from serving more.

Between two measured loads a curve is looked at in STEPS even steps, of whole requests where it counts in those, and the
last step within the limits counts: rounded down, so that looser limits never serve less. Nothing beyond the first and
the last measured load is looked at. Throughput and latencies are those of `bench.maths.load_curve`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.maths.leave_one_out import CurvePoints, Places
from bench.maths.load_curve import Grows, Reals, Stretches, over, stretches, times

Flags = NDArray[np.bool_]

STEPS = 64
"""So many steps each stretch is looked at in: what is given away is at most the last of them."""

AT_ONCE = 4_096
"""So many stretches are looked at together, which bounds the memory of many."""

END, SLOWER = -1, -2
"""What keeps a curve from serving more, where it is no limit: nothing larger was measured, or more load serves less."""


class LimitedMetric(NamedTuple):
    """A limit on a metric with each point's value of it: at most or at least `value`.

    `grows` is how it goes with the load; None for what is not interpolated: between two points the worse counts.
    """

    values: Reals
    grows: Grows | None
    at_most: bool
    value: float

    def broken(self, values: Reals) -> Flags:
        """Where such values break the limit."""
        return np.asarray(values > self.value if self.at_most else values < self.value)


class Worth(NamedTuple):
    """What a place on a curve is worth: so much for each request a second, and so much for each unit of its load."""

    of_rate: float
    of_load: Reals

    def along(self, rates: Reals, loads: Reals, points: Places) -> Reals:
        """The worth of places that lie on the stretches of these points."""
        held = self.of_load[points]
        return np.asarray(rates * self.of_rate + loads * (held[:, None] if rates.ndim > 1 else held))


@dataclass(frozen=True)
class OperatingLoads:
    """The best place within the limits of each curve that has one.

    `points` are the measured points at or next below those places; `values` the limited metrics there, in their order;
    `stopped_by` the place of the limit that the next step breaks, or END or SLOWER.
    """

    points: Places
    loads: Reals
    rates: Reals
    values: tuple[Reals, ...]
    stopped_by: NDArray[np.int64]

    def __len__(self) -> int:
        """How many curves have a place within the limits."""
        return len(self.points)

    def at(self, chosen: Places) -> OperatingLoads:
        """Those of these places alone."""
        values = tuple(one[chosen] for one in self.values)
        return OperatingLoads(
            self.points[chosen], self.loads[chosen], self.rates[chosen], values, self.stopped_by[chosen]
        )


def best(
    points: CurvePoints, rates: Reals, limits: Sequence[LimitedMetric], worth: Worth, whole: Flags
) -> OperatingLoads:
    """The place of most worth within the limits on each curve that has one, of equals that of the least load.

    `rates` are the requests a second served at each point, all above 0; every limited metric has a value at each.
    Loads are rounded down to whole ones where `whole`.
    """
    if not len(points):
        return OperatingLoads(
            np.array([], dtype=np.intp),
            *(np.array([]),) * 2,
            (np.array([]),) * len(limits),
            np.array([], dtype=np.int64),
        )
    found = _measured(points, rates, limits)
    for stretched in _stretched(points, rates, limits, worth, whole):
        _take(found, stretched)
    kept = np.flatnonzero(~np.isnan(found.loads))
    values = worth.along(found.rates[kept], found.loads[kept], kept)
    order = kept[np.lexsort((found.loads[kept], -values, points.curves[kept]))]
    first = np.ones(len(order), dtype=bool)
    first[1:] = points.curves[order][1:] != points.curves[order][:-1]
    return found.at(order[first])


def _measured(points: CurvePoints, rates: Reals, limits: Sequence[LimitedMetric]) -> OperatingLoads:
    """Each measured point by itself, its load NaN where it breaks a limit; stopped by what comes next on its curve."""
    many = len(points)
    broken = [limit.broken(limit.values) for limit in limits]
    out = np.logical_or.reduce([np.zeros(many, dtype=bool), *broken])
    stopped = np.full(many, END, dtype=np.int64)
    has_next = np.flatnonzero(points.curves[1:] == points.curves[:-1])
    stopped[has_next] = SLOWER
    for place in reversed(range(len(limits))):
        stopped[has_next[broken[place][has_next + 1]]] = place
    loads = np.where(out, np.nan, points.loads)
    return OperatingLoads(np.arange(many), loads, rates.copy(), tuple(one.values.copy() for one in limits), stopped)


def _take(found: OperatingLoads, better: OperatingLoads) -> None:
    """Write the best places of stretches, of which the measured point is one, over what was found at their points."""
    where = better.points
    found.loads[where], found.rates[where], found.stopped_by[where] = better.loads, better.rates, better.stopped_by
    for old, new in zip(found.values, better.values, strict=True):
        old[where] = new


def _stretched(
    points: CurvePoints, rates: Reals, limits: Sequence[LimitedMetric], worth: Worth, whole: Flags
) -> Iterator[OperatingLoads]:
    """The best place of each stretch with an end within the limits, where it has one, AT_ONCE stretches at a time."""
    out = np.logical_or.reduce([np.zeros(len(points), dtype=bool), *(limit.broken(limit.values) for limit in limits)])
    same = points.curves[1:] == points.curves[:-1]
    starts = np.flatnonzero(same & ~(out[1:] & out[:-1]))
    for begin in range(0, len(starts), AT_ONCE):
        yield _best_of(starts[begin : begin + AT_ONCE], points, rates, limits, worth, whole)


def _best_of(
    starts: Places, points: CurvePoints, rates: Reals, limits: Sequence[LimitedMetric], worth: Worth, whole: Flags
) -> OperatingLoads:
    """The best place of each of these stretches, which begin at these points; those without one are left out."""
    around = _around(points, starts)
    loads = _steps(points.loads[starts], points.loads[starts + 1], whole[starts])
    served = _along(points.loads, rates, "rate", around, loads)
    values = [_limited(limit, points.loads, around, loads) for limit in limits]
    broken = np.array([limit.broken(own) for limit, own in zip(limits, values, strict=True)]).reshape(-1, *loads.shape)
    out: Flags = np.asarray(broken.any(axis=0))
    worths = np.where(out, -np.inf, worth.along(served, loads, starts))
    place = np.argmax(worths, axis=1)
    rows = np.arange(len(starts))
    kept = rows[~out[rows, place]]
    at = kept, place[kept]
    found = OperatingLoads(
        starts[kept], loads[at], served[at], tuple(own[at] for own in values), _stopped(broken[:, kept], place[kept])
    )
    return replace(found, stopped_by=_or_next(found.stopped_by, starts[kept] + 1, limits))


def _around(points: CurvePoints, starts: Places) -> Places:
    """The four points around each stretch, -1 where its curve has none before or after."""
    around = starts[:, None] + np.arange(-1, 3)
    there = (around >= 0) & (around < len(points))
    same = points.curves[np.where(there, around, 0)] == points.curves[starts][:, None]
    return np.where(there & same, around, -1)


def _steps(low: Reals, high: Reals, whole: Flags) -> Reals:
    """The loads that each stretch is looked at, from its first point on; its second one is looked at by itself."""
    loads = low[:, None] + (high - low)[:, None] * (np.arange(STEPS) / STEPS)
    return np.where(whole[:, None], np.maximum(np.floor(loads), low[:, None]), loads)


def _along(known: Reals, values: Reals, grows: Grows, around: Places, loads: Reals) -> Reals:
    """A metric at these loads of each stretch, between the values at its ends and exact where measured."""
    x, y = over(known, grows), times(known, values, grows)
    lines = stretches(*(np.where(around >= 0, one[around], np.nan) for one in (x, y)))
    curve = Stretches(*(part[:, None] for part in lines))
    own = times(loads, curve.y(over(loads, grows)), grows)
    first, last = values[around[:, 1]][:, None], values[around[:, 2]][:, None]
    own = np.clip(own, np.minimum(first, last), np.maximum(first, last))
    return np.where(loads == known[around[:, 1]][:, None], first, own)


def _limited(limit: LimitedMetric, known: Reals, around: Places, loads: Reals) -> Reals:
    """A limited metric at these loads of each stretch."""
    if limit.grows is not None:
        return _along(known, limit.values, limit.grows, around, loads)
    first, last = limit.values[around[:, 1]][:, None], limit.values[around[:, 2]][:, None]
    worse = np.maximum(first, last) if limit.at_most else np.minimum(first, last)
    return np.where(loads == known[around[:, 1]][:, None], first, np.broadcast_to(worse, loads.shape))


def _stopped(broken: Flags, place: Places) -> NDArray[np.int64]:
    """The first limit that is broken at the first step beyond these places at which one is; END where none is."""
    if not len(broken) or not len(place):
        return np.full(len(place), END, dtype=np.int64)
    after = broken.any(axis=0) & (np.arange(STEPS) > place[:, None])
    step = np.argmax(after, axis=1)
    first = np.argmax(broken[:, np.arange(len(place)), step], axis=0)
    return np.where(after.any(axis=1), first, END)


def _or_next(stopped: NDArray[np.int64], after: Places, limits: Sequence[LimitedMetric]) -> NDArray[np.int64]:
    """What stops at these places; where nothing does within the stretch, the limit its second end breaks, or SLOWER."""
    found = np.where(stopped == END, SLOWER, stopped)
    for place in reversed(range(len(limits))):
        breaks = limits[place].broken(limits[place].values[after]) & (stopped == END)
        found = np.where(breaks, place, found)
    return found
