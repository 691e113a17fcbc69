"""Whether a point's figures can be true together: order of percentiles, first token before last, and units.

Units are held against the clock: with c requests under way for d seconds, n answers of mean latency l take up n x l
of c x d seconds and no more (Little's law). A closed loop uses nearly all of them, so a figure that is a thousand times
too large or too small was filed in the wrong unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from bench.catalogue import metric
from bench.errors import InputError
from bench.formats.consistency import first_before_last, rising_statistics
from bench.records import Flag

ROUNDING = 1.001
"""Tools round what they print, to two digits after the point at the coarsest."""
ROUNDED_MS = 0.02
LITTLE_TOLERANCE = 1.5
"""Lengths drawn from 80 to 100 % of the stated ones, a ramp and a tail explain a third."""
TOO_MUCH, TOO_LITTLE = 100.0, 0.005
"""Between them lies all that ramps, failures and rounding do; a wrong unit is off by 1,000."""

BEYOND_THE_RUN = 10.0
"""Some tools stop their clock before the last answers; a wrong unit is off by 1,000."""


def check(
    file: str,
    where: str,
    metrics: Mapping[str, float],
    *,
    concurrency: float | None = None,
    whole_run: bool = False,
) -> None:
    """Nothing when the figures can be true together; InputError that names the two that cannot.

    `where` is the place in the file; `concurrency` what a closed loop kept under way, else None; `whole_run` says that
    the duration is from before the first request to after the last answer.
    """
    keys = tuple(metrics)
    for key, value in metrics.items():
        if value < 0 or not math.isfinite(value):
            raise _unsound(file, where, f"{key} is {value:g}", "no measurement is below zero")
    for rising in rising_statistics(keys):
        for lower, higher in pairwise(rising):
            if metrics[lower] > metrics[higher] * ROUNDING + ROUNDED_MS:
                raise _contradiction(file, where, lower, higher, metrics)
    for first, last in first_before_last(keys):
        if metrics[first] > metrics[last] * ROUNDING + ROUNDED_MS:
            raise _contradiction(file, where, first, last, metrics)
    _check_unit(file, where, metrics, concurrency)
    if whole_run:
        _check_within(file, where, metrics)


def _check_unit(file: str, where: str, metrics: Mapping[str, float], concurrency: float | None) -> None:
    duration, ok = metrics.get("duration_s"), metrics.get("requests_ok")
    if not (duration and ok and ok >= 1 and concurrency):
        return
    for key in ("e2el_ms_mean", "e2el_ms_p50", "ttft_ms_mean"):
        latency = metrics.get(key)
        if latency is None:
            continue
        room = min(concurrency, ok) * duration
        share = ok * latency / 1000 / room
        if share > TOO_MUCH:
            raise _unsound(
                file, where, f"{key} is {latency:g}",
                f"{ok:g} answers that slow do not fit into {duration:g} s at concurrency {concurrency:g}: the unit is "
                f"not {metric(key).unit}",
            )  # fmt: skip
        if share < TOO_LITTLE and key == "e2el_ms_mean" and not metrics.get("requests_failed"):
            raise _unsound(
                file, where, f"{key} is {latency:g}",
                f"{ok:g} answers that fast take no {duration:g} s at concurrency {concurrency:g}: the unit is not "
                f"{metric(key).unit}",
            )  # fmt: skip


def _check_within(file: str, where: str, metrics: Mapping[str, float]) -> None:
    """Whatever the load: no request takes longer than the run it is part of."""
    duration = metrics.get("duration_s")
    for key, value in metrics.items():
        if duration and key.startswith(("e2el_ms", "ttft_ms")) and value > duration * 1000 * BEYOND_THE_RUN:
            raise _unsound(
                file,
                where,
                f"{key} is {value:g}",
                f"the run took {duration:g} s: the unit is not {metric(key).unit}",
            )


def _contradiction(
    file: str, where: str, lower: str, higher: str, metrics: Mapping[str, float]
) -> InputError:
    return _unsound(
        file,
        where,
        f"{lower} is {metrics[lower]:g}",
        f"it cannot be above {higher}, which is {metrics[higher]:g}",
    )


def _unsound(file: str, where: str, seen: str, why: str) -> InputError:
    return InputError(f"{file}: in {where} {seen}, but {why}; correct the file or leave this result out.")


def littles_law(
    metrics: Mapping[str, float], concurrency: float | None, osl: float | None
) -> tuple[Flag, ...]:
    """The flag that throughput, latency and concurrency of a closed loop do not fit each other; none where they do.

    Requests in flight are the rate of answers times their mean time in the system (Little's law); a ramp, a tail and
    lengths drawn below the requested ones take it down to some 75 %.
    """
    output, latency = (
        metrics.get("output_tokens_per_s"),
        metrics.get("e2el_ms_mean", metrics.get("e2el_ms_p50")),
    )
    if not (output and latency and concurrency and osl):
        return ()
    implied = output / osl * latency / 1000
    off = max(implied / concurrency, concurrency / implied)
    if off <= LITTLE_TOLERANCE:
        return ()
    return (
        Flag(
            "littles-law",
            f"Throughput x latency is {implied:,.{0 if implied >= 100 else 1}f} requests in flight; the stated "
            f"concurrency is {concurrency:,.0f}, {off:.2g} times off.",
            "Requests in flight equal arrival rate x time in the system, so throughput, latency or concurrency of "
            "this row is not what the others' is.",
            "Leave the point out of rankings, or measure it again.",
        ),
    )
