"""What vLLM's `bench serve` and SGLang's `bench_serving` write alike, the second having begun as a copy of the first.

Figures are named `<statistic>_<latency>_ms`, or without `_ms` in seconds; lists with one entry for each request, where
they were asked for, are in seconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from bench.errors import InputError
from bench.formats.plausibility.distributions import ROUNDED_MS, ROUNDING
from bench.formats.reading.fields import Fields, SampleArray, numbers_of
from bench.formats.reading.metric_collector import PointMetrics
from bench.records import Load

STATISTIC = re.compile(r"(mean|median|std|p(?P<percent>\d{1,3}(?:\.\d{1,3})?))_(?P<latency>[a-z0-9_]+?)(?P<ms>_ms)?")
MOST_FIGURES = 1000
"""Every whole percentile of all latencies is 400; a library has a column for each."""
SAME_MEAN = 0.01
"""Requests whose mean differs by more from the file's own are not the ones the tool took."""
LONGEST_S = 1e9
"""Thirty years; what is longer is damage, and its sums leave the numbers a computer has."""

RequestMask = np.ndarray[Any, np.dtype[np.bool_]]


def load_of(run: Fields, arrivals: str) -> Load:
    """Closed where a number of requests is kept under way, open where a rate is asked for, saturated where neither.

    An open loop may have a ceiling of requests under way: it is told with the arrivals, for it tells loads apart.
    """
    unlimited = run.raw("request_rate") == "inf"
    rate = math.inf if unlimited else run.number("request_rate", infinite=True)
    ceiling = run.whole("max_concurrency")
    if ceiling is not None and ceiling < 1:
        raise run.unfit("max_concurrency", ceiling, "a number of requests")
    if rate is not None and math.isfinite(rate):
        if rate <= 0:
            raise run.unfit("request_rate", rate, "requests per second")
        capped = f"{arrivals}, at most {ceiling:,} under way" if ceiling else arrivals
        return Load("open", request_rate=rate, arrivals=capped)
    if ceiling:
        return Load("closed", concurrency=ceiling)
    return Load("saturated") if rate == math.inf else Load("unknown")


def file_latencies(run: Fields, metrics: PointMetrics, latencies: Mapping[str, tuple[str, str]]) -> None:
    """File every statistic of these latencies: the tool's word -> the metric and how it is defined."""
    keys = run.keys()
    for key, match in zip(keys, map(STATISTIC.fullmatch, keys), strict=True):
        if match is None or match["latency"] not in latencies or (not match["ms"] and f"{key}_ms" in run):
            continue
        base, definition = latencies[match["latency"]]
        statistic = _statistic(match)
        if statistic is not None:
            metric, known = f"{base}_{statistic}", metrics.get(f"{base}_{statistic}")
            metrics.file(
                metric,
                run.number(key),
                definition=definition,
                unit="ms" if match["ms"] else "s",
                factor=1.0 if match["ms"] else 1000.0,
            )
            if known is not None and abs(metrics[metric] - known) > known * (ROUNDING - 1) + ROUNDED_MS:
                raise InputError(
                    f"{run.place(key)} in {run.file} is {metrics[metric]:g} ms, but the same statistic is {known:g} ms "
                    "under its other name; correct the one that is wrong."
                )
            if len(metrics.collector.by_metric) > MOST_FIGURES:
                raise InputError(
                    f"{run.file} has more than {MOST_FIGURES:,} different figures; leave percentiles out that "
                    "nobody needs."
                )


def file_requests(run: Fields, metrics: PointMetrics, latencies: Mapping[str, tuple[str, str]]) -> None:
    """File the statistics that the file lacks and its lists of requests give, over those that ended well.

    Lists that do not tell which requests those are, or whose mean is not the tool's, are left alone.
    """
    run.passed_over("input_lens", "start_times", "queue_times", "generated_texts", "prompts")
    lists = {key: run.numbers(key) for key in ("ttfts", "latencies", "output_lens")}
    gaps, errors = run.list("itls"), run.list("errors")
    sizes = {len(one) for one in (*lists.values(), gaps, errors) if one is not None and len(one)}
    if len(sizes) > 1:
        raise InputError(
            f"The lists of requests in {run.file} have {min(sizes):,} to {max(sizes):,} entries; expected one for each "
            "request."
        )
    well = _ended_well(lists, errors, run.whole("completed"))
    if well is None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        by_latency = _samples(run, lists, gaps, well)
    for latency, samples in by_latency.items():
        if np.abs(samples[~np.isnan(samples)]).max(initial=0) > LONGEST_S:
            raise InputError(f"A list of requests in {run.file} gives a {latency} above {LONGEST_S:g} s; correct it.")
        base, definition = latencies.get(latency, ("", ""))
        stated = metrics.get(f"{base}_mean")
        known = samples[np.isfinite(samples)]
        as_the_tool = (
            stated is None or abs((float(known.mean()) if known.size else 0) * 1000 - stated) <= SAME_MEAN * stated
        )
        if base and as_the_tool:
            metrics.file_samples(base, known, unit="s", factor=1000, definition=definition)


def _statistic(match: re.Match[str]) -> str | None:
    """The catalogue's word for a statistic; None for a percentile that is none."""
    if match["percent"] is None:
        return {"median": "p50"}.get(match[1], match[1])
    percent = float(match["percent"])
    if percent >= 100:
        return "max" if percent == 100 else None
    return f"p{percent:g}".replace(".", "_") if percent else "min"


def _ended_well(lists: Mapping[str, SampleArray | None], errors: Any, completed: int | None) -> RequestMask | None:
    """Which requests ended well: those without an error, with an answer, or that took time; None when none of the
    three finds as many as the tool counted."""
    candidates = [np.array([not error for error in errors], dtype=np.bool_)]
    candidates += [one > 0 for key in ("output_lens", "latencies") if (one := lists[key]) is not None]
    return next((one for one in candidates if one.size and int(one.sum()) == completed), None)


def _samples(
    run: Fields, lists: Mapping[str, SampleArray | None], gaps: Any, well: RequestMask
) -> dict[str, SampleArray]:
    """The latencies of the requests that ended well, in seconds, by the tools' words; those that the lists give."""
    samples: dict[str, SampleArray] = {}
    ttft, e2el, tokens = (one[well] if one is not None and one.size else None for one in lists.values())
    if gaps:
        each = [numbers_of(one, f"{run.place('itls')} in {run.file}") for one, ok in zip(gaps, well, strict=True) if ok]
        samples["itl"] = np.concatenate(each) if each else np.empty(0)
        if e2el is None and ttft is not None:
            e2el = ttft + np.array([one.sum() for one in each])
    if ttft is not None:
        samples["ttft"] = ttft
    if e2el is not None:
        samples["e2el"] = e2el
    if ttft is not None and e2el is not None and tokens is not None:
        several = tokens > 1
        samples["tpot"] = (e2el - ttft)[several] / (tokens[several] - 1)
    return samples
