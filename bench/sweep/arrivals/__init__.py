"""When the requests of an open loop come: each process is one module of this folder, found by listing it.

A process gives offsets from the point's start in nanoseconds, in order and without end, and the same seed gives the
same on every machine and every Python: draws are `random.Random.random()`, whose sequence Python guarantees.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast

from bench.errors import UnknownName, UsageError

BILLION = 1_000_000_000


class Process(Protocol):
    """What every module of this folder has. ABOUT is a few words for a plan's help.

    STEADY says that the rate is the stated one all along a point, EVEN that all gaps are alike.
    """

    NAME: str
    ABOUT: str
    STEADY: bool
    EVEN: bool

    def times(self, rate: float, seed: int, burst_size: int) -> Iterator[int]:
        """The arrivals at so many requests/s; `burst_size` is for requests that come together."""


@cache
def processes() -> dict[str, Process]:
    """Every process of arrivals by its name."""
    modules = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    return {one.NAME: one for one in cast(list[Process], modules)}


def described(process: Process) -> str:
    """How its requests come, for help and docs: of one that is not steady that its rate changes."""
    return process.ABOUT if process.STEADY else f"{process.ABOUT} (its rate changes while it is measured)"


def times(name: str | None, rate: float, seed: int, burst_size: int = 1) -> Iterator[int]:
    """The arrivals of the process of this name; UsageError where there is none, or where nothing would be sent."""
    if name not in processes():
        raise UnknownName("process of arrivals", str(name), processes(), "docs/sweeps.md")
    if not (math.isfinite(rate) and rate > 0):
        raise UsageError(f"A rate of {rate:g} sends nothing: give a number above 0.")
    if burst_size < 1:
        raise UsageError(f"A burst of {burst_size} requests is none: give 1 or more.")
    return processes()[name].times(rate, seed, burst_size)
