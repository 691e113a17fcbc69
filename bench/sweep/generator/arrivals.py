"""When the requests of an open loop are meant to be sent: offsets from the point's start in nanoseconds, in order.

Each is endless but `trace`, and the same seed gives the same arrivals on every machine and every Python: the draws
are `random.Random.random()`, whose sequence Python guarantees.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator

from bench.errors import UsageError

BILLION = 1_000_000_000


def constant(rate: float) -> Iterator[int]:
    """Arrivals every 1/rate seconds, from 0 on."""
    _must_be_positive("rate", rate)
    number = 0
    while True:
        yield round(number * BILLION / rate)
        number += 1


def poisson(rate: float, seed: int) -> Iterator[int]:
    """Arrivals of a Poisson process: gaps are drawn from the exponential distribution with mean 1/rate seconds."""
    _must_be_positive("rate", rate)
    draw = random.Random(seed).random
    passed = 0.0
    while True:
        passed -= math.log(1.0 - draw()) / rate
        yield round(passed * BILLION)


def burst(rate: float, size: int, seed: int) -> Iterator[int]:
    """Arrivals in bursts of `size` at one moment, the bursts a Poisson process; `rate` requests/s on average."""
    if size < 1:
        raise UsageError(f"A burst of {size} requests is none: give 1 or more.")
    for at in poisson(rate / size, seed):
        for _ in range(size):
            yield at


def trace(seconds: Iterable[float]) -> Iterator[int]:
    """Arrivals as a trace has them, counted from its first; they need not be in order.

    Raises:
        UsageError: a time is no finite number.
    """
    times = sorted(seconds)
    for number, at in enumerate(times):
        if not math.isfinite(at):
            raise UsageError(f"Arrival {number} of the trace is {at}: give seconds.")
        yield round((at - times[0]) * BILLION)


def _must_be_positive(what: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"A {what} of {value:g} sends nothing: give a number above 0.")
