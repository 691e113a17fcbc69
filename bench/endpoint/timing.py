"""When a request's chunks are due, and how long a step takes: means, and jitter around them from a seed."""

from __future__ import annotations

import math
import random
from array import array

from bench.endpoint.settings import Settings

MS, US = 1_000_000, 1_000


def varied(draw: random.Random, mean: float, jitter: str, share: float) -> float:
    """A waiting time drawn around its mean with `share` of it as standard deviation; never below 0.

    normal is cut at 0. lognormal keeps mean and deviation: sigma^2 = ln(1 + share^2), mu = ln(mean) - sigma^2 / 2.
    """
    if jitter == "none" or not mean or not share:
        return mean
    if jitter == "normal":
        return max(0.0, draw.gauss(mean, share * mean))
    variance = math.log1p(share * share)
    return math.exp(draw.gauss(math.log(mean) - variance / 2, math.sqrt(variance)))


def waits_ns(settings: Settings, number: int, prefilled: int, writes: int) -> array[int]:
    """The waits of request `number` in ns: before its first write, then between one write and the next.

    `prefilled` counts the input tokens that are read for it.
    """
    first = settings.ttft_ms * MS
    gap = settings.itl_ms * settings.chunks_per_write * MS
    prefill = round(prefilled * settings.prefill_us_per_token * US)
    if settings.jitter == "none":
        return array("q", [round(first) + prefill]) + array("q", [round(gap)]) * (writes - 1)
    draw = random.Random(f"{settings.seed} waits {number}")
    how = (settings.jitter, settings.jitter_share)
    return array(
        "q", [round(varied(draw, first, *how)) + prefill] + [round(varied(draw, gap, *how)) for _ in range(writes - 1)]
    )


def step_ns(settings: Settings, running: int, prefilled: int, draw: random.Random) -> int:
    """The time of a step with `running` requests that also reads `prefilled` input tokens, in ns."""
    mean = (
        (settings.step_ms or 0) * MS
        + settings.step_us_per_request * US * running
        + settings.step_us_per_request_squared * US * running**2
        + settings.prefill_us_per_token * US * prefilled
    )
    return round(varied(draw, mean, settings.jitter, settings.jitter_share))


def output_tokens(settings: Settings, number: int, most: int, least: int, ignore_eos: bool) -> tuple[int, bool]:
    """How many tokens request `number` gets, and whether it stops by itself before `most`."""
    if ignore_eos or not settings.stops_early or least >= most:
        return most, False
    draw = random.Random(f"{settings.seed} stop {number}")
    if draw.random() >= settings.stops_early:
        return most, False
    return draw.randint(max(1, least), max(1, most - 1)), most > 1
