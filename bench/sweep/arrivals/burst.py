"""Arrivals in bursts of several requests at one moment, the bursts a Poisson process."""

from __future__ import annotations

from collections.abc import Iterator

from bench.sweep.arrivals import poisson

NAME, ABOUT = "burst", "several at once, the bursts by chance"
STEADY, EVEN = True, False


def times(rate: float, seed: int, burst_size: int) -> Iterator[int]:
    """The arrivals, in ns; `rate` requests/s on average."""
    return (at for at in poisson.times(rate / burst_size, seed, 1) for _ in range(burst_size))
