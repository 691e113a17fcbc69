"""Runs of random requests with the figures that a tool would write of them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

STATISTICS = ("mean", "std", "min", "max", "p50", "p90", "p99")


@dataclass(frozen=True)
class Run:
    """A run's load and the figures of it."""

    kind: str
    concurrency: int | None
    metrics: dict[str, float]


@dataclass(frozen=True)
class Ranges:
    """What requests may be like; `spread` is how many times slower than the fastest one may stream."""

    ttft: tuple[float, float]
    tpot: tuple[float, float]
    tokens: tuple[int, int]
    spread: float
    fewest: int = 1
    hang_s: float = 0.0
    chunks: int = 1
    kinds: tuple[str, ...] = ("closed", "open", "saturated")


ANY = Ranges((0.2, 1e5), (0.1, 100), (1, 2000), 25, hang_s=600, chunks=8)
PLAIN = Ranges((20, 60), (2, 10), (20, 300), 3, fewest=8)
"""Requests of a serving engine none of which fails, so that a wrong unit shows in any mode of load."""


@st.composite
def runs(draw: st.DrawFn, of: Ranges) -> Run:
    """Requests of a closed loop, an open one or all at once; figures rounded as they are printed, or not at all."""
    slow = draw(st.floats(*of.tpot))
    one = st.tuples(st.floats(*of.ttft), st.floats(1, of.spread), st.integers(*of.tokens))
    requests = draw(st.lists(one, min_size=of.fewest, max_size=40))
    ttft, times, tokens = (np.array(column, dtype=float) for column in zip(*requests, strict=True))
    tpot = slow * times
    ttft = ttft + tpot  # the first token takes a step too
    e2el = ttft + tpot * (tokens - 1)
    kind = draw(st.sampled_from(of.kinds))
    places = {"closed": draw(st.integers(1, 16)), "saturated": len(requests)}.get(kind, len(requests))
    hung = draw(st.lists(st.floats(0, of.hang_s), max_size=3)) if of.hang_s else []
    gap = 1 / draw(st.floats(1, 50)) if kind == "open" else 0.0
    duration = _lasts([*e2el / 1000, *hung], places, gap)
    chunk = draw(st.integers(1, of.chunks))
    metrics = {
        "duration_s": duration,
        "requests_ok": float(len(requests)),
        "requests_failed": float(len(hung)),
        "output_tokens": float(tokens.sum()),
        "input_tokens": float(100 * len(requests)),
    }
    rates = {
        "requests_per_s": len(requests),
        "output_tokens_per_s": metrics["output_tokens"],
        "input_tokens_per_s": metrics["input_tokens"],
    }
    rates = {key: total / duration for key, total in rates.items()}
    rates["total_tokens_per_s"] = rates["input_tokens_per_s"] + rates["output_tokens_per_s"]
    several = tokens > 1
    gaps = np.maximum(1, (tokens[several] - 1) // chunk).astype(int)
    values = {
        "ttft_ms": ttft,
        "tpot_ms": tpot[several],
        "ntpot_ms": e2el / tokens,
        "e2el_ms": e2el,
        "itl_ms": np.repeat((e2el - ttft)[several] / gaps, gaps),
    }
    for base, samples in values.items():
        if samples.size:
            metrics |= {f"{base}_{statistic}": _statistic(samples, statistic) for statistic in STATISTICS}
    metrics |= rates
    if draw(st.booleans()):
        metrics = {key: value if key == "duration_s" else round(value, 2) for key, value in metrics.items()}
    return Run(kind, places if kind == "closed" else None, metrics)


def _lasts(times: list[float], places: int, gap: float) -> float:
    """The seconds that requests take which begin `gap` after each other, so many at a time."""
    free = [0.0] * places
    for number, time in enumerate(times):
        begins = max(heapq.heappop(free), number * gap)
        heapq.heappush(free, begins + time)
    return max(free)


def _statistic(samples: np.ndarray, statistic: str) -> float:  # type: ignore[type-arg]
    if statistic.startswith("p"):
        return float(np.percentile(samples, float(statistic[1:])))
    return float(getattr(samples, statistic)())
