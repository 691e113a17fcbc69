"""What time a GuideLLM benchmark's figures are over: its rates of tokens and of requests have not always one window.

The measured window is the run without its warm-up and cool-down; every request that overlaps it is counted whole, its
latencies too. Requests per second are the ends within the window / the window. Tokens per second are so from 0.8 on;
before they are all tokens of those requests / the time from the first of these tokens to the last, so that tokens
from warm-up and cool-down are in them, and the first TTFT is not.

Formulas: benchmark/schemas/metrics.py of 0.8.0, 0.8.1, 0.7.0 and (generative/metrics.py) 0.6.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bench.formats.reading import Fields
from bench.records import Flag

OF_REQUESTS = "from the first request's start to the last one's end, warm-up and cool-down cut where the run had them"
OF_TOKENS = "from the first token to the last of every request that overlaps the window; warm-up and cool-down not cut"
BOUNDED_FROM = (0, 8)
APART = 0.05
"""How far the two windows of a run may be apart; without a warm-up the first TTFT is all between them."""


def of_tokens(version: str | None, old: bool) -> str | None:
    """The window of the rates of tokens where it is not that of the requests; `old` is a report of 0.2 or 0.3."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version or "0.0")
    bounded = found is not None and (int(found[1]), int(found[2])) >= BOUNDED_FROM
    return None if bounded or old else OF_TOKENS


def apart(benchmark: Fields, metrics: Mapping[str, float], version: str | None, old: bool) -> tuple[Flag, ...]:
    """The flag that tokens were counted over another time than requests, in a run with warm-up or cool-down."""
    cut = [benchmark.number(key) or 0.0 for key in ("warmup_duration", "cooldown_duration")]
    tokens, rate, window = (metrics.get(key) for key in ("output_tokens", "output_tokens_per_s", "duration_s"))
    if not any(seconds > 0 for seconds in cut) or of_tokens(version, old) is None:
        return ()
    if not (tokens and rate and window) or abs(tokens / rate - window) <= APART * window:
        return ()
    return (
        Flag(
            "windows-differ",
            f"Tokens per second are over {tokens / rate:.3g} s, requests per second over the {window:.3g} s left when "
            f"{cut[0]:.3g} s of warm-up and {cut[1]:.3g} s of cool-down are cut.",
            "GuideLLM before 0.8 cuts warm-up and cool-down from its rate of requests only, so the two do not fit each "
            "other, and ramp and tail are in the throughput.",
            "Compare with runs without a warm-up, or measure again with GuideLLM 0.8 or later.",
        ),
    )
