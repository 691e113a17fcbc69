"""Measurements, not tests: `make bench` runs them all, `python -m tests.benchmarks NAME…` some of them.

Each module of this folder with a `measure()` is one; it yields Figures. Nothing here runs in `make test`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number with its goal; `goal` None where there is none."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"  goal {'>=' if self.at_least else '<='} {self.goal:g}"
        verdict = {True: "  ok", False: "  MISSED", None: ""}[self.met]
        return f"{self.what:<72} {self.value:>10.3f} {self.unit}{goal}{verdict}"


def seconds(call: Callable[[], object]) -> float:
    """How long one call takes, in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def percentile(values: Sequence[float], percent: float) -> float:
    """The exact percentile of raw values, by linear interpolation."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
