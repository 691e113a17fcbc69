"""What each point of a frontier gives and costs over the one before, in the words of a table's cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bench.basis.wording import times
from bench.catalogue import Metric
from bench.questions.pareto.axes import Axes
from bench.wording import inline, name_of, number

NOUNS = {"requests": "requests", "tokens_per_s": "throughput", "usd": "cost", "joules": "energy"}
"""What a metric with this part in its key is called."""

LEAST_CHANGE = 0.01


def gains(axes: Axes, x: Sequence[float], y: Sequence[float], line: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Each position on a frontier but the first, and what it gives: "18 % more throughput for +9 ms TPOT"."""
    for before, after in pairwise(line):
        yield after, f"{_gain(axes.y, y[before], y[after])} for {_cost(axes.x, x[before], x[after])}"


def _gain(metric: Metric, start: float, end: float) -> str:
    if not start:
        return _change(end, metric.unit)
    return times(end / start, next((noun for part, noun in NOUNS.items() if part in metric.key), inline(metric)))


def _cost(metric: Metric, start: float, end: float) -> str:
    if metric.base == "interactivity_tokens_per_s_per_user" and start > 0 and end > 0:
        return _change(1000 / end - 1000 / start, "ms", "TPOT")
    return _change(end - start, metric.unit, name_of(metric))


def _change(value: float, unit: str, noun: str = "") -> str:
    """A change in words: "+9 ms TPOT", "under 0.01 ms more TPOT"."""
    if 0 < abs(value) < LEAST_CHANGE:
        return f"under {LEAST_CHANGE} {unit} {'more' if value > 0 else 'less'} {noun}".rstrip()
    return f"{'+' if value >= 0 else '−'}{number(abs(value))} {unit} {noun}".rstrip()
