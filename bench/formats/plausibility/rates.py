"""Whether throughputs are what the sums and the time beside them come to.

A throughput is a sum divided by the time of its window: that of the whole run for the tools whose formula it is, and a
window of the tool's own for others (AIPerf's phase lasts until its last failure, GuideLLM cuts warm-up and cool-down).
Where lengths are known, output tokens are requests times their mean length. All tokens are at least those put out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bench.formats.plausibility import Contradiction, may_have_failed
from bench.records import Flag

SUMS = {"requests_per_s": "requests_ok", "output_tokens_per_s": "output_tokens", "input_tokens_per_s": "input_tokens"}
RATES = (*SUMS, "total_tokens_per_s")
ROUNDED = 0.01
"""Tools print rates with two digits after the point at the coarsest."""
SAME_WINDOW = 1.5
"""Where the formula is the sum over the same time, rounding alone lies between; half as much again is another run."""
OTHER_WINDOW = 100.0
"""Ramps and tails explain a lot where windows differ; a wrong unit is off by 1,000."""
ROUNDED_S = 0.005
"""Half of the last digit of a duration of two digits after the point."""


class StatedRate(NamedTuple):
    """A rate of the file and what others of its figures come to, told in words."""

    key: str
    stated: float
    computed: float
    sum: str
    rounded: float = ROUNDED
    over_time: bool = False
    """Whether it comes to that over the stated duration."""

    @property
    def off(self) -> float:
        """How many times one is the other, as far as rounding leaves no doubt."""
        low, high = sorted((self.stated, self.computed))
        return max(1.0, (high - self.rounded) / (low + self.rounded))


def check(file: str, where: str, metrics: Mapping[str, float], *, same_window: bool, osl: float | None = None) -> None:
    """Check that the rates can be those of the sums; InputError names the one that cannot.

    `same_window` says that rates are by definition sums over the stated duration; else a rate may be lower by any
    factor where a request may have failed: its window lasts until the last failure, the duration until the last
    answer. `osl` is the mean length of the answers, where the metrics do not give it.
    """
    moving = [key for key in ("requests_ok", *RATES) if metrics.get(key)]
    if metrics.get("duration_s") == 0 and moving:
        raise Contradiction(file, where, "duration_s", 0, f"{moving[0]} is {metrics[moving[0]]:g}, and that takes time")
    limit = SAME_WINDOW if same_window else OTHER_WINDOW
    hung = not same_window and may_have_failed(metrics)
    for held in _held(metrics, osl):
        if held.off > limit and not (hung and held.over_time and held.stated < held.computed):
            raise Contradiction(file, where, held.key, held.stated, f"{held.sum} come to {held.computed:,.4g}")


def differing(
    metrics: Mapping[str, float], osl: float | None, requested: tuple[float | None, float | None] = (None, None)
) -> tuple[Flag, ...]:
    """The flag that a throughput is not what its sums come to, though windows might explain it; none where it is.

    `osl` is the mean length of the answers, `requested` the lengths asked for: all tokens are no fewer than these make
    of the output, since an answer is seldom longer than asked for.
    """
    for held in (*_held(metrics, osl), *_of_lengths(metrics, *requested)):
        if held.off > SAME_WINDOW:
            return (
                Flag(
                    "rates_differ",
                    f"{held.key} is {held.stated:,.4g}; {held.sum} come to {held.computed:,.4g}.",
                    "Either the window of the throughput is another than the stated duration, or one is not what it "
                    "says.",
                    "Compare latencies only, or look up the tool's window.",
                ),
            )
    return ()


def _held(metrics: Mapping[str, float], osl: float | None) -> Iterator[StatedRate]:
    duration, ok = metrics.get("duration_s"), metrics.get("requests_ok")
    for key, of in SUMS.items():
        if ok and duration and key in metrics and of in metrics:
            computed = metrics[of] / duration
            said = f"{metrics[of]:,.10g} {_words(of)} in {duration:g} s"
            yield StatedRate(key, metrics[key], computed, said, ROUNDED + computed * ROUNDED_S / duration, True)
    requests, output = metrics.get("requests_per_s"), metrics.get("output_tokens_per_s")
    length = metrics["output_tokens"] / ok if ok and "output_tokens" in metrics else osl
    if requests and output and length:
        said = f"{requests:,.4g} requests/s of {length:,.4g} tokens"
        yield StatedRate("output_tokens_per_s", output, requests * length, said, ROUNDED * max(1.0, length))
    total, taken_in = metrics.get("total_tokens_per_s"), metrics.get("input_tokens_per_s")
    if total is not None and output is not None and taken_in is not None:
        both = taken_in + output
        # Either part may have been computed here from a duration that was printed.
        rounded = ROUNDED + (both * ROUNDED_S / duration if duration else 0.0)
        said = f"{taken_in:,.4g} input and {output:,.4g} output tokens/s"
        yield StatedRate("total_tokens_per_s", total, both, said, rounded)
    elif total is not None:
        part = max(output or 0.0, taken_in or 0.0)
        if part > total:
            yield StatedRate("total_tokens_per_s", total, part, f"{part:,.4g} input or output tokens/s alone")


def _of_lengths(metrics: Mapping[str, float], isl: float | None, osl: float | None) -> Iterator[StatedRate]:
    total, output = metrics.get("total_tokens_per_s"), metrics.get("output_tokens_per_s")
    if total and output and isl and osl and "input_tokens_per_s" not in metrics:
        least = output * (isl + osl) / osl
        if total < least:
            said = f"{output:,.4g} output tokens/s at {isl:,.4g} tokens in and {osl:,.4g} out"
            yield StatedRate("total_tokens_per_s", total, least, said)


def _words(key: str) -> str:
    return "requests" if key == "requests_ok" else key.replace("_", " ")
