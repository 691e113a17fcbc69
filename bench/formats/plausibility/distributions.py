"""Whether the statistics of one latency can be those of one list of requests.

Percentiles rise and a mean lies between the smallest and the largest. Further apart, where nothing else tells a wrong
unit of a single figure: a share 1 - q of the values is at p_q or above it, so a mean is at least (1 - q) p_q (Markov's
inequality); it is at least the largest / n; and it is within one standard deviation of the median.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from bench.catalogue import METRICS, PERCENTILE, metric, statistics_of
from bench.formats.plausibility import Contradiction

ROUNDING, ROUNDED_MS = 1.001, 0.02
"""Tools round what they print, to two digits after the point at the coarsest."""
ROUNDING_OF_MEANS = 1.02
"""A mean may be the tool's own and its bounds computed anew from requests whose mean is a per cent off."""
SLACK = 2.0
"""Percentiles are interpolated or not; of a few values, or of weighted ones, that is worth this factor at most."""
FAR, APART = 3.0, 0.5
"""Standard deviations between mean and median, and the share of the larger that seconds of two digits may round."""
EACH_ONCE = ("ttft_ms", "e2el_ms")
"""Latencies with one value for each request, whatever the tool; others may be weighted or pooled."""
PARTS = ("tpot_ms", "itl_ms", "ntpot_ms")
"""Latencies of which each value is at most the E2EL of its request."""


def check(file: str, where: str, metrics: Mapping[str, float]) -> None:
    """Check that each latency's statistics can be of one list; InputError names the two that cannot."""
    keys = tuple(metrics)
    for rising in rising_statistics(keys):
        for lower, higher in pairwise(rising):
            _ordered(file, where, lower, higher, metrics, ROUNDING)
    for lower, higher in first_before_last(keys):
        _ordered(file, where, lower, higher, metrics, ROUNDING)
    for lower, higher in mean_within(keys):
        _ordered(file, where, lower, higher, metrics, ROUNDING_OF_MEANS)
    for base in PARTS:
        longest, whole = f"{base}_max", "e2el_ms_max"
        if longest in metrics and whole in metrics:
            _ordered(file, where, longest, whole, metrics, ROUNDING_OF_MEANS)
    for row in METRICS:
        if row.distribution and row.direction == "lower" and f"{row.key}_mean" in metrics:
            _about_mean(file, where, row.key, metrics)


@cache
def rising_statistics(metrics: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """For each distribution where lower is better, its columns from smallest to largest (min, percentiles, max).

    Of a rate the catalogue files the slow tail under p99, so there the order says nothing.
    """
    groups: list[tuple[str, ...]] = []
    for row in METRICS:
        if row.distribution and row.direction == "lower":
            found = statistics_of(row.key, metrics)
            percentiles = [statistic for statistic in found if statistic.startswith("p")]
            ordered = [statistic for statistic in ("min", *percentiles, "max") if statistic in found]
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
        for row in METRICS
        if row.distribution and row.direction == "lower"
        for lower, higher in (("min", "mean"), ("mean", "max"), ("std", "max"))
    ]
    return tuple(pair for pair in pairs if set(pair) <= set(metrics))


def _ordered(file: str, where: str, lower: str, higher: str, metrics: Mapping[str, float], rounding: float) -> None:
    if metrics[lower] > metrics[higher] * rounding + ROUNDED_MS:
        raise Contradiction(
            file, where, lower, metrics[lower], f"it cannot be above {higher}, which is {metrics[higher]:g}"
        )


def _about_mean(file: str, where: str, base: str, metrics: Mapping[str, float]) -> None:
    own = f"{base}_mean"
    mean = metrics[own]
    most = {f"{base}_{statistic}": mean / share for statistic, share in _shares(base, metrics).items()}
    for key, limit in most.items():
        if metrics[key] > limit * SLACK + ROUNDED_MS:
            raise Contradiction(
                file,
                where,
                own,
                mean,
                f"{key} of {metrics[key]:g} alone would make it larger: one is not in {metric(key).unit}",
            )
    median, spread = metrics.get(f"{base}_p50"), metrics.get(f"{base}_std")
    if median is None or spread is None:
        return
    if abs(mean - median) > FAR * spread + APART * max(mean, median) + ROUNDED_MS:
        raise Contradiction(
            file,
            where,
            own,
            mean,
            f"no mean is further from the median of {median:g} than the standard deviation of {spread:g}",
        )


def _shares(base: str, metrics: Mapping[str, float]) -> dict[str, float]:
    """The statistics of a latency of which is known what share of its values is as large at least."""
    shares = {}
    for statistic in statistics_of(base, metrics):
        if found := PERCENTILE.fullmatch(statistic):
            shares[statistic] = 1 - float(f"{found[1]}.{found[2] or 0}") / 100
    ok = metrics.get("requests_ok")
    if base in EACH_ONCE and ok and f"{base}_max" in metrics:
        shares["max"] = 1 / ok
    return shares
