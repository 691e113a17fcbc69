"""Arrivals every 1/rate seconds, from 0 on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from bench.sweep.arrivals import BILLION

NAME, ABOUT = "constant", "at even gaps"
STEADY, EVEN = True, True


def times(rate: float, seed: int, burst_size: int) -> Iterator[int]:
    """The arrivals, in ns."""
    return (round(number * BILLION / rate) for number in count())
