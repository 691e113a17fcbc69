"""The machine's clocks beside each other, to see afterwards whether the one that was measured with can be trusted."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class ClockReading:
    """Four clocks at one moment, in ns: the one measured with, its rate before corrections, with sleep, of the day."""

    monotonic_ns: int
    raw_ns: int
    boot_ns: int
    wall_ns: int

    @classmethod
    def now(cls) -> ClockReading:
        """The clocks as they stand."""
        return cls(
            time.monotonic_ns(),
            time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW),
            time.clock_gettime_ns(time.CLOCK_BOOTTIME),
            time.time_ns(),
        )


@dataclass(frozen=True)
class ClockDrift:
    """How far the clocks came apart over a point. `rate` is a share: 0.001 is a millisecond in a second."""

    slept_ms: float
    rate: float
    wall_ms: float

    @classmethod
    def between(cls, before: ClockReading, after: ClockReading) -> ClockDrift:
        """The drift from one reading to a later one."""
        passed = after.monotonic_ns - before.monotonic_ns
        slept = after.boot_ns - before.boot_ns - passed
        raw = after.raw_ns - before.raw_ns
        wall = after.wall_ns - before.wall_ns - passed
        return cls(slept / 1e6, passed / raw - 1 if raw > 0 else 0.0, (wall - slept) / 1e6)
