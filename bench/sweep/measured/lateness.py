"""How far the load generator's own lateness can have moved a point's percentiles.

What arrives while the event loop is busy, or while the process does not run, is stamped once it gets to it. A hundred
times a second the loop notes how late it is, for every moment since the last look: so it is known when it was held up,
and what was stamped right behind that may have come at any time since. Each request's first and last token are late by
that at most. This bounds each percentile: where every value may be too high by some, a percentile is at least that of
the values less so much. Nothing is assumed of how lateness and latency hang together; in a closed loop they do, since
a load generator that is held up sends its requests between two stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.sweep.generator.load import LAG_EVERY_NS
from bench.sweep.generator.samples import IntColumn, Mask, Samples
from bench.sweep.generator.spool import ABSENT
from bench.sweep.measured.window import MILLION, each_request
from bench.sweep.wire.exchange import PointRun

PERCENTS = (50, 90, 99)
BEHIND_NS = 5_000_000
"""What waited while the loop was held up is stamped within so long behind it, and no longer than it was held up."""


@dataclass(frozen=True)
class LatePercentile:
    """A percentile, in ms, and the most that it may read off by, either way for TPOT and too high for the others."""

    key: str
    percent: int
    value: float
    by: float

    @property
    def share(self) -> float:
        """The most it may be off by, of its own value."""
        return self.by / self.value if self.value > 0 else 0.0


def late_ns(stamps: IntColumn, run: PointRun) -> IntColumn:
    """How late each of these stamps of one load process may be, in ns; 0 where its loop was not held up."""
    lag = np.array(run.lag_ns, dtype=np.int64)
    if not len(lag):
        return np.zeros(len(stamps), dtype=np.int64)
    due = run.lag_from_ns + LAG_EVERY_NS * np.arange(len(lag))
    # Moments of one stop have one end; behind it comes what had waited.
    until = np.maximum.accumulate(due + lag + np.minimum(BEHIND_NS, lag))
    place = np.minimum(np.searchsorted(until, stamps, "left"), len(lag) - 1)
    held = (due[place] <= stamps) & (stamps <= until[place])
    since = due[place] - np.minimum(LAG_EVERY_NS, lag[place])  # it may have begun before the moment that tells of it
    return np.where(held, stamps - since, 0)


def lateness(samples: Samples, numbers: IntColumn, runs: Sequence[PointRun]) -> tuple[IntColumn, IntColumn]:
    """How late the first and the last stamp of each request may be, in ns; 0 for what has none.

    Requests are dealt out to the load processes by their numbers, in turn, as `Assignment` shares them: each process
    takes every so many-th, beginning with its own index.
    """
    first, last = (np.zeros(len(samples), dtype=np.int64) for _ in range(2))
    ends = samples.last_ns
    for index, run in enumerate(runs):
        own = numbers % len(runs) == index
        first[own] = np.where(samples.first_ns[own] == ABSENT, 0, late_ns(samples.first_ns[own], run))
        last[own] = late_ns(ends[own], run)
    return first, last


def moved(samples: Samples, timed: Mask, late: tuple[IntColumn, IntColumn]) -> tuple[LatePercentile, ...]:
    """How far the percentiles of TTFT, TPOT and E2EL may be off; nothing of no request.

    In an open loop a request that was sent late has waited for the load generator, which is known exactly.
    """
    if not timed.any():
        return ()
    first, last = (column[timed] / MILLION for column in late)
    intended = samples.intended_ns[timed]
    waited = np.where(intended == ABSENT, 0, samples.sent_ns[timed] - intended) / MILLION
    later = np.maximum((samples.shown - samples.at_first)[timed], 1)
    values = each_request(samples, timed)
    bounds = {
        "ttft_ms": (values["ttft_ms"] - waited - first, values["ttft_ms"]),
        "tpot_ms": (values["tpot_ms"] - last / later, values["tpot_ms"] + first / later),
        "e2el_ms": (values["e2el_ms"] - waited - last, values["e2el_ms"]),
    }
    percentiles: list[LatePercentile] = []
    for key, (low, high) in bounds.items():
        known = ~np.isnan(values[key])
        if not known.any():
            continue
        least, seen, most = (np.percentile(column[known], PERCENTS) for column in (low, values[key], high))
        off = np.maximum(seen - least, most - seen)
        percentiles += [LatePercentile(key, *row) for row in zip(PERCENTS, seen.tolist(), off.tolist(), strict=True)]
    return tuple(percentiles)
