"""Whether a point's figures can be true together: order of percentiles, first token before last, and units.

Units are held against the clock: with c requests under way for d seconds, n answers of mean latency l take up n x l
of c x d seconds and no more (Little's law). A closed loop uses nearly all of them, so a figure that is a thousand times
too large or too small was filed in the wrong unit. So was one of three that do not add up by that much: a request takes
its TTFT and then a TPOT for each further token.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from bench.catalogue import metric
from bench.errors import InputError
from bench.formats.consistency import ROUNDED_MS, ROUNDING, first_before_last, rising_statistics
from bench.records import Flag

LITTLE_TOLERANCE = 1.5
"""Lengths drawn from 80 to 100 % of the stated ones and a client's own delays explain a third."""
LONGEST_OF_MEAN = 2.0
"""How long the longest request is taken to be where only the mean is known: lengths drawn evenly from 0 on."""
NOT_THE_OTHERS = "throughput, latency or concurrency of this row is not what the others' is"
TOO_MUCH, TOO_LITTLE = 100.0, 0.005
"""Between them lies all that ramps, failures and rounding do; a wrong unit is off by 1,000."""

A_THOUSAND, NEARLY = 1000.0, 0.1
NO_TTFT_MS, NO_TTFT_OF_TPOT = 0.5, 0.05
"""No model answers over HTTP so soon, far below the time of one step; 10 to 500 ms in seconds are such numbers."""

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
    _check_parts(file, where, metrics)
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
        if key == "ttft_ms_mean" and "e2el_ms_mean" not in metrics and (gaps := _gaps(metrics)):
            share *= 1 + gaps * metrics.get("tpot_ms_mean", math.inf) / latency
        elif key != "e2el_ms_mean":
            continue
        if share < TOO_LITTLE and not metrics.get("requests_failed"):
            raise _unsound(
                file, where, f"{key} is {latency:g}",
                f"{ok:g} answers that fast take no {duration:g} s at concurrency {concurrency:g}: the unit is not "
                f"{metric(key).unit}",
            )  # fmt: skip


def _gaps(metrics: Mapping[str, float]) -> float:
    """How many tokens a request had after its first one, on average; 0 where that is not known."""
    tokens, ok = metrics.get("output_tokens"), metrics.get("requests_ok")
    return max(0.0, tokens / ok - 1) if tokens and ok else 0.0


def _check_parts(file: str, where: str, metrics: Mapping[str, float]) -> None:
    """Whatever the load: E2EL is TTFT + TPOT x (tokens - 1), near enough to see a unit that only one of them has."""
    ttft, tpot, e2el = (metrics.get(f"{base}_ms_mean") for base in ("ttft", "tpot", "e2el"))
    if not (ttft and tpot):
        return
    seen = f"ttft_ms_mean is {ttft:g}"
    if ttft < NO_TTFT_MS and ttft < tpot * NO_TTFT_OF_TPOT:
        raise _unsound(
            file, where, seen, f"no first token comes so soon where a further one takes {tpot:g} ms: the unit is not ms"
        )  # fmt: skip
    gaps = _gaps(metrics)
    if not e2el or gaps < 1 or e2el <= ttft:
        return
    share = tpot * gaps / (e2el - ttft)
    if not TOO_LITTLE <= share <= TOO_MUCH:
        raise _unsound(
            file,
            where,
            f"tpot_ms_mean is {tpot:g}",
            f"{gaps:,.0f} tokens after the first took {e2el - ttft:g} ms together: the unit is not ms",
        )
    wait = e2el - tpot * gaps
    if ttft < tpot and abs(wait / (ttft * A_THOUSAND) - 1) < NEARLY:
        raise _unsound(
            file, where, seen, f"e2el_ms_mean leaves {wait:g} ms before the first token: the unit is not ms"
        )


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
    metrics: Mapping[str, float],
    concurrency: float | None,
    osl: float | None,
    *,
    because: str = NOT_THE_OTHERS,
) -> tuple[Flag, ...]:
    """The flag that throughput, latency and concurrency of a closed loop do not fit each other; none where they do.

    Requests in flight are the rate of answers times their mean time in the system (Little's law). `because` says why
    they may be others than those that were kept under way.
    """
    implied = _in_flight(metrics, osl)
    if not (implied and concurrency):
        return ()
    least, most = _least_in_flight(metrics, concurrency), concurrency * LITTLE_TOLERANCE
    if least <= implied <= most:
        return ()
    off = max(implied / concurrency, concurrency / implied)
    return (
        Flag(
            "littles-law",
            f"Throughput x latency is {implied:,.{0 if implied >= 100 else 1}f} requests in flight; the stated "
            f"concurrency is {concurrency:,.0f}, {off:.2g} times off.",
            f"Requests in flight equal arrival rate x time in the system: {because}.",
            "Leave the point out of rankings, or measure it again.",
        ),
    )


def _least_in_flight(metrics: Mapping[str, float], concurrency: float) -> float:
    """How few requests a closed loop may have had in flight on average, its ramp, tail and failures counted for it.

    A loop that fills each free place at once ends within the sum of all times / places + the longest of them (Graham,
    Bounds for certain multiprocessing anomalies, 1966). A failed request's time is not known: it is taken for the
    longest. Without a number of requests a ramp and a tail are inside the tolerance.
    """
    ok, failed = metrics.get("requests_ok"), metrics.get("requests_failed", 0.0)
    mean = metrics.get("e2el_ms_mean", metrics.get("e2el_ms_p50"))
    if not ok or not mean:
        return concurrency / LITTLE_TOLERANCE
    places = min(concurrency, ok + failed)
    longest = max(metrics.get("e2el_ms_max", metrics.get("e2el_ms_p99", LONGEST_OF_MEAN * mean)), mean)
    share = ok * mean / (ok * mean + (places + failed) * longest)
    return places * share / LITTLE_TOLERANCE


def unit_unfit(metrics: Mapping[str, float], concurrency: float | None, osl: float | None) -> str | None:
    """Why latencies of a closed loop cannot be in their unit, where no duration is stated; None where they can."""
    implied = _in_flight(metrics, osl)
    if not (implied and concurrency) or TOO_LITTLE <= implied / concurrency <= TOO_MUCH:
        return None
    return (
        f"throughput x latency is {implied:.3g} requests in flight where {concurrency:,.0f} were, so its latencies are "
        "not in the unit of their keys"
    )


def _in_flight(metrics: Mapping[str, float], osl: float | None) -> float | None:
    """The requests in flight that throughput and latency imply; by the rate of requests where no length is known."""
    output = metrics.get("output_tokens_per_s")
    rate = output / osl if output and osl else metrics.get("requests_per_s")
    latency = metrics.get("e2el_ms_mean", metrics.get("e2el_ms_p50"))
    return rate * latency / 1000 if rate and latency else None
