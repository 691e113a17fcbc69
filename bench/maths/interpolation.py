"""The value of a curve between two measured points, on logarithms. Numbers in, numbers out; never beyond them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise


def between(x0: float, y0: float, x1: float, y1: float, x: float) -> float:
    """The y at x on the straight line between two points on log-log axes: y0 (y1 / y0)^(log(x/x0) / log(x1/x0)).

    Loads, lengths, latencies and throughputs are compared as ratios, and between two loads twice apart they follow a
    power law more nearly than a line. Where a y is 0, which has no logarithm, the line is straight on linear axes.
    Exact at both points, and never outside y0 to y1. ValueError unless both x are above 0 and differ, no y is
    negative, all are finite, and x lies between x0 and x1: nothing is extrapolated.
    """
    if not all(math.isfinite(value) for value in (x0, y0, x1, y1)) or min(x0, x1) <= 0 or min(y0, y1) < 0:
        raise ValueError(f"no line between ({x0}, {y0}) and ({x1}, {y1}): x must be above 0 and y not below 0")
    if x0 == x1:
        raise ValueError(f"no line between two values at the same x {x0}: keep one of them")
    if not min(x0, x1) <= x <= max(x0, x1):
        raise ValueError(f"{x} lies outside {min(x0, x1)} to {max(x0, x1)}: the value there was not measured")
    if x in (x0, x1):
        return y0 if x == x0 else y1
    if x0 > x1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    if min(y0, y1) == 0:
        y = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    else:
        # log1p of the relative distance keeps its digits where the two x lie close together.
        share = math.log1p((x - x0) / x0) / math.log1p((x1 - x0) / x0)
        y = math.exp(math.log(y0) + share * (math.log(y1) - math.log(y0)))
    return min(max(y, min(y0, y1)), max(y0, y1))


def at(xs: Sequence[float | None], ys: Sequence[float | None], x: float) -> float | None:
    """The y of a measured curve at x: the measured one at a measured x, else between its two neighbours.

    None outside the measured range. The points come in any order; those whose x or y is absent (None, NaN, infinite),
    x not above 0 or y below 0 are left out. ValueError where one x has two different y: the caller knows which counts.
    """
    curve: dict[float, float] = {}
    for one, value in zip(xs, ys, strict=True):
        if one is None or value is None or not (math.isfinite(one) and math.isfinite(value)):
            continue
        if one > 0 and value >= 0 and curve.setdefault(one, value) != value:
            raise ValueError(f"two values at {one}: {curve[one]} and {value}; keep one of them")
    if x in curve:
        return curve[x]
    line = sorted(curve.items())
    for (x0, y0), (x1, y1) in pairwise(line):
        if x0 < x < x1:
            return between(x0, y0, x1, y1, x)
    return None
