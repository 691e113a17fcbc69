"""Whether an open loop asks for more than the endpoint gives: TTFT and the requests under way then rise on and on."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np

from bench.maths.trend import mann_kendall_p, sen_slope
from bench.sweep.arrivals import processes
from bench.sweep.generator.samples import IntColumn, Samples
from bench.sweep.generator.spool import ABSENT
from bench.sweep.measured.window import Window, first_answers_ns
from bench.wording import share

GROUPS = 20
"""Requests are taken in so many consecutive groups, by their medians: neighbours in one queue wait alike, so single
requests are no independent values, which the test asks for."""
IN_A_GROUP = 3
TTFT_RISE, IN_FLIGHT_RISE = 0.5, 0.25
"""How much TTFT and the requests under way rise over the window, as a share of their medians."""
SWINGS = 3.0
"""A number of requests under way that swings by chance stays within so many of its standard deviations."""
CHANCE = 0.05
"""Up to which probability of chance a rise counts as one."""


@dataclass(frozen=True)
class Rise:
    """How much TTFT and the requests under way rose over a window, as shares of their medians.

    The rise is Theil and Sen's slope times the number of steps; `…_chance` is Mann and Kendall's one-sided p.
    `under_way` is how many requests were under way, their median.
    """

    ttft: float
    ttft_chance: float
    in_flight: float
    in_flight_chance: float
    groups: int = GROUPS
    under_way: float = 0.0


def rise(samples: Samples, window: Window) -> Rise | None:
    """The rise over the requests that started in the window; None when they are too few to tell.

    At first an idle endpoint fills, which is no sign of anything: what started within one early answer of the first
    request is left out.
    """
    if not len(samples):
        return None
    starts = samples.start_ns
    filled = int(starts.min()) + first_answers_ns(samples)
    chosen = (starts >= max(window.start_ns, filled)) & (starts <= window.end_ns) & (samples.first_ns != ABSENT)
    if chosen.sum() < GROUPS * IN_A_GROUP:
        return None
    order = np.argsort(starts[chosen], kind="stable")
    moments: IntColumn = starts[chosen][order]
    ttfts = (samples.first_ns[chosen] - starts[chosen])[order]
    under_way = np.searchsorted(np.sort(starts), moments, "right") - np.searchsorted(
        np.sort(samples.end_ns), moments, "right"
    )
    by_ttft = [float(np.median(group)) for group in np.array_split(ttfts, GROUPS)]
    by_count = [float(np.mean(group)) for group in np.array_split(under_way, GROUPS)]
    return Rise(
        _rise(by_ttft), mann_kendall_p(by_ttft), _rise(by_count), mann_kendall_p(by_count), under_way=median(by_count)
    )


def grows(growth: Rise, arrivals: str | None = "constant") -> str:
    """Why a load does not stand still: the requests under way became more and more; empty where they did not.

    Unless arrivals are even, their number swings by its own root, as a Poisson count does (M/G/infinity), and
    neighbours swing together: only what is beyond three of these is a rise.
    """
    is_even = arrivals in processes() and processes()[arrivals].EVEN
    swing = 0.0 if is_even or not growth.under_way else SWINGS / growth.under_way**0.5
    if growth.in_flight_chance >= CHANCE or growth.in_flight <= max(IN_FLIGHT_RISE, swing):
        return ""
    return f"the requests under way rose by {share(growth.in_flight)} of their median while it was measured"


def _rise(values: list[float]) -> float:
    middle = median(values)
    return sen_slope(values) * (len(values) - 1) / middle if middle > 0 else 0.0
