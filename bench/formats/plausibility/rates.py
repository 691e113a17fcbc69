"""Whether throughputs are what the sums and the time beside them come to.

A throughput is a sum divided by the time of its window: that of the whole run for the tools whose formula it is, and a
window of the tool's own for others (AIPerf's phase lasts until its last failure, GuideLLM cuts warm-up and cool-down).
Where lengths are known, output tokens are requests times their mean length, and all tokens are to those put out as
both lengths are to the answer's. A throughput of each accelerator is that of all, divided by their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bench.catalogue import METRICS
from bench.formats.plausibility import Contradiction, may_have_failed
from bench.records import Deployment, Flag, Workload

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
SHARED_OUT = 1.05
"""A throughput of each accelerator is a quotient of one figure: no window lies between, only digits."""
COUNTED = 1.1
"""All tokens to those put out are as counted lengths, but for requests that a window has in part and failed ones."""
EACH = {row.key: row.inputs for row in METRICS if row.kind == "per_accelerator" and len(row.inputs) == 2}
"""The throughput of the whole that each one of a part is a share of, and the field that counts the sharers."""
TEMPLATE_TOKENS = 200.0
"""What a chat template and a system prompt add to an input that was only asked for."""
SHORTEST = 0.9
"""Answers drawn evenly from 80 to 100 % of the length asked for are this share of it on average."""


class StatedRate(NamedTuple):
    """A rate of the file and what others of its figures come to, told in words."""

    key: str
    stated: float
    computed: float
    sum: str
    rounded: float = ROUNDED
    over_time: bool = False
    """Whether it comes to that over the stated duration."""
    limit: float = SAME_WINDOW
    """How many times off is more than what may lie between them."""

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


def of_all(metrics: Mapping[str, float], deployment: Deployment, fewest: int | None = None) -> dict[str, float]:
    """The metrics, and a throughput of the whole deployment where only that of each accelerator is stated; of so many
    at least where their number is not."""
    found = dict(metrics)
    for key, (whole, counted) in EACH.items():
        many = getattr(deployment, counted) or fewest
        if key in metrics and many and whole not in found:
            found[whole] = metrics[key] * many
    return found


def fewest_requests(metrics: Mapping[str, float], workload: Workload) -> float:
    """The requests a second that input or all tokens make at least; 0 where lengths leave it open."""
    isl, osl = mean_length(workload, "isl"), mean_length(workload, "osl")
    most = _most_input(workload, isl) if isl else math.inf
    by_input = metrics.get("input_tokens_per_s", 0.0) / most
    return max(by_input, metrics.get("total_tokens_per_s", 0.0) / (most + osl)) if osl else by_input


def shared_out(metrics: Mapping[str, float], deployment: Deployment) -> Iterator[StatedRate]:
    """The stated throughputs of the whole deployment, each with what that of each accelerator comes to; where their
    number is not known, that of one is no more than the whole."""
    for key, (whole, counted) in EACH.items():
        known = getattr(deployment, counted)
        if key in metrics and whole in metrics and (known or metrics[key] > metrics[whole]):
            many = known or 1
            said = f"{metrics[key]:,.4g} of each of {many if known else 'the'} {_words(counted)}"
            rounded = ROUNDED * max(1.0, many)
            yield StatedRate(whole, metrics[whole], metrics[key] * many, said, rounded, limit=SHARED_OUT)


def differing(
    metrics: Mapping[str, float], workload: Workload, deployment: Deployment, let_in: float | None = None
) -> tuple[Flag, ...]:
    """The flag that a throughput is not what others of its figures come to; none where it is, or a window explains it.

    Lengths that were counted are taken as they are; those that were only asked for leave open what a chat template adds
    to the input and by how much answers end early, and an answer is seldom longer than asked for. `let_in` is how many
    requests at most are partly in a window.
    """
    shared, whole = shared_out(metrics, deployment), of_all(metrics, deployment)
    for held in (*_held(metrics, workload.osl_actual), *shared, *_of_lengths(whole, workload, let_in)):
        if held.off > held.limit:
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


def _of_lengths(metrics: Mapping[str, float], workload: Workload, let_in: float | None) -> Iterator[StatedRate]:
    output, taken_in = metrics.get("output_tokens_per_s"), metrics.get("input_tokens_per_s")
    total = metrics.get("total_tokens_per_s", None if taken_in is None or output is None else taken_in + output)
    isl, osl = (mean_length(workload, which) for which in ("isl", "osl"))
    if not (total and output and isl and osl):
        return
    key = "total_tokens_per_s" if "total_tokens_per_s" in metrics else "input_tokens_per_s and output_tokens_per_s"
    said = f"{output:,.4g} output tokens/s at {isl:,.4g} tokens in and {osl:,.4g} out"
    shortest = osl if workload.osl_actual is not None else osl * SHORTEST
    least, most = output * (isl + osl) / osl, output * (_most_input(workload, isl) + shortest) / shortest
    limit = SAME_WINDOW
    if workload.isl_actual is not None and workload.osl_actual is not None:
        ok, failed = metrics.get("requests_ok"), metrics.get("requests_failed", 0.0)
        limit = min(limit, COUNTED * (1 + ((let_in or ok) + failed) / ok if ok else 1))
    if total < least:
        yield StatedRate(key, total, least, said, limit=limit)
    elif total > most:
        at_most = "" if most == least else ", with a chat template and answers that end early,"
        yield StatedRate(key, total, most, said + at_most, limit=limit)


def mean_length(workload: Workload, which: str) -> float | None:
    """The mean length as counted, else as asked for."""
    counted: float | None = getattr(workload, f"{which}_actual")
    return counted if counted is not None else getattr(workload, f"{which}_requested")


def _most_input(workload: Workload, isl: float) -> float:
    """How many tokens an input has at most; any number where earlier turns or a prefix that is shared may come on top
    of what was asked for."""
    if workload.isl_actual is not None:
        return isl
    return math.inf if workload.turns or workload.shared_prefix_share else isl + TEMPLATE_TOKENS


def _words(key: str) -> str:
    return "requests" if key == "requests_ok" else key.replace("_", " ")
