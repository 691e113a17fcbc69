"""What the cells of one row must agree on: percentiles rise, and the first token comes before the last."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from bench.catalogue import base_metrics, statistics_of
from bench.formats.columns import Verdicts, mask, shown


def check(columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    """Refuse the rows whose measured values contradict each other."""
    metrics = tuple(columns)
    for rising in rising_statistics(metrics):
        _check_rising(rising, columns, verdicts)
    for first, last in first_before_last(metrics):
        _check_order(first, columns[first], last, columns[last], verdicts)


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


def _among(found: Iterable[str], statistic: str) -> list[str]:
    return [statistic] if statistic in found else []


def _check_rising(names: tuple[str, ...], columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    below_name, below = names[0], columns[names[0]]
    for name in names[1:]:
        _check_order(below_name, below, name, columns[name], verdicts)
        below_name, below = name, pc.coalesce(columns[name], below)


def _check_order(low_name: str, low: pa.Array, high_name: str, high: pa.Array, verdicts: Verdicts) -> None:
    wrong = mask(pc.greater(low, high))
    if wrong.any():
        verdicts.against(
            wrong,
            high_name,
            shown(high),
            lambda row: f"at least {low[row].as_py()!r}, the value of {low_name}",
        )
