"""What the cells of one row must agree on: percentiles rise, and the first token comes before the last."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from bench.catalogue import base_metrics, statistics_of
from bench.formats.columns import Mask, Verdicts, mask, shown

ROUNDING, ROUNDED_MS = 1.001, 0.02
"""Tools round what they print, to two digits after the point at the coarsest."""
ROUNDING_OF_MEANS = 1.02
"""A mean may be the tool's own and its bounds computed anew from requests whose mean is a per cent off."""


def check(columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    """Refuse the rows whose measured values contradict each other."""
    metrics = tuple(columns)
    for rising in rising_statistics(metrics):
        _check_rising(rising, columns, verdicts)
    for first, last in first_before_last(metrics):
        late = _beyond(columns[first], columns[last])
        if pc.any(late).as_py():
            _refuse(mask(late), (first,), last, columns, verdicts)
    for lower, higher in mean_within(metrics):
        beyond = _beyond(columns[lower], columns[higher], ROUNDING_OF_MEANS)
        if pc.any(beyond).as_py():
            _refuse(mask(beyond), (lower,), higher, columns, verdicts)


@cache
def rising_statistics(metrics: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """For each distribution where lower is better, its columns from smallest to largest (min, percentiles, max).

    Of a rate the catalogue files the slow tail under p99, so there the order says nothing.
    """
    groups: list[tuple[str, ...]] = []
    for row in base_metrics():
        if row.distribution and row.direction == "lower":
            found = statistics_of(row.key, metrics)
            percentiles = [statistic for statistic in found if statistic.startswith("p")]
            ordered = [*_among(found, "min"), *percentiles, *_among(found, "max")]
            groups.append(tuple(f"{row.key}_{statistic}" for statistic in ordered))
    return tuple(group for group in groups if len(group) > 1)


@cache
def first_before_last(metrics: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pairs of a TTFT column and the E2EL column of the same statistic: each request's TTFT is the smaller, so its
    mean and every percentile are too."""
    statistics = [s for s in statistics_of("ttft_ms", metrics) if s != "std"]
    return tuple((f"ttft_ms_{s}", f"e2el_ms_{s}") for s in statistics if f"e2el_ms_{s}" in metrics)


@cache
def mean_within(metrics: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pairs of columns of a distribution where lower is better: its smallest value and its mean, its mean and its
    largest, and its standard deviation and its largest, which is the greater where no value is below zero."""
    pairs = [
        (f"{row.key}_{lower}", f"{row.key}_{higher}")
        for row in base_metrics()
        if row.distribution and row.direction == "lower"
        for lower, higher in (("min", "mean"), ("mean", "max"), ("std", "max"))
    ]
    return tuple(pair for pair in pairs if set(pair) <= set(metrics))


def _beyond(lower: pa.Array, higher: pa.Array, rounding: float = ROUNDING) -> pa.Array:
    """Where the lower value is above the higher one by more than rounding."""
    return pc.greater(lower, pc.add(pc.multiply(higher, rounding), ROUNDED_MS))


def _among(found: Iterable[str], statistic: str) -> list[str]:
    return [statistic] if statistic in found else []


def _check_rising(names: tuple[str, ...], columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    below = columns[names[0]]
    for place, name in enumerate(names[1:], start=1):
        falls = _beyond(below, columns[name])
        if pc.any(falls).as_py():
            _refuse(mask(falls), names[:place], name, columns, verdicts)
        below = pc.coalesce(columns[name], below)


def _refuse(
    wrong: Mask, lower: tuple[str, ...], higher: str, columns: dict[str, pa.Array], verdicts: Verdicts
) -> None:
    def expected(row: int) -> str:
        name = next(name for name in reversed(lower) if columns[name][row].is_valid)
        return f"at least {columns[name][row].as_py()!r}, the value of {name}"

    verdicts.against(wrong, higher, shown(columns[higher]), expected)
