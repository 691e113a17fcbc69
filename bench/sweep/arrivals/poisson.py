"""Arrivals of a Poisson process: gaps are drawn from the exponential distribution with mean 1/rate seconds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from bench.sweep.arrivals import BILLION

NAME, ABOUT = "poisson", "by chance, as independent users come"
STEADY, EVEN = True, False


def times(rate: float, seed: int, burst_size: int) -> Iterator[int]:
    """The arrivals, in ns."""
    draw = random.Random(seed).random
    passed = 0.0
    while True:
        passed -= math.log(1.0 - draw()) / rate
        yield round(passed * BILLION)
