"""Whether a point's figures can be true together: statistics of each latency, latencies of a request, rates, units.

Units are held against the clock: with c requests under way for d seconds, n answers of mean latency l take up n x l
of c x d seconds and no more (Little's law). A closed loop uses nearly all of them, so a figure that is a thousand times
too large or too small was filed in the wrong unit. Requests that are all sent at once fill the run too; an open loop
may be idle, and there only the parts of a request, the rates and the time that HTTP itself takes tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from bench.catalogue import is_part, metric
from bench.formats.plausibility import Contradiction, distributions, latency_parts, may_have_failed, rates
from bench.formats.plausibility.latency_parts import TOO_LITTLE, TOO_MUCH, means_of
from bench.records import Flag

LITTLE_TOLERANCE = 1.5
"""Lengths drawn from 80 to 100 % of the stated ones and a client's own delays explain a third."""
MEAN_OF_MEDIAN = (0.88, 1.6)
"""How many times its median a mean E2EL is at least and at most: 0.886 to 1.554 in the 573 published points that state
both."""
LONGEST_OF_MEAN = 2.0
"""How long the longest request is taken to be where only the mean is known: lengths drawn evenly from 0 on."""
SHORT_RUN = 4.0
"""How many times fewer may be in flight where the longest request, or how many there were, is not stated: in a run of
one wave, of lengths as people ask for them, the longest is five to six times the mean (simulated: lognormal lengths of
a mean of 200 tokens, cut at 1,024)."""
LATENCIES = ("e2el_ms_mean", "e2el_ms_p50")
"""The time in the system that Little's law is told by, the first that is stated."""
TPOTS = ("tpot_ms_mean", "tpot_ms_p50")
"""Where none is, output tokens/s x TPOT are the requests that stream, which are no more than those in flight."""
SPEED = "interactivity_tokens_per_s_per_user_"
"""The catalogue's 1000 / TPOT in ms; of means that is about so, well within STREAM_TOLERANCE."""
FASTER = {"p50": LITTLE_TOLERANCE, "mean": TOO_MUCH}
"""How many times 1000 / TPOT an interactivity may be at most."""
STREAM_TOLERANCE = 4.0
"""A TPOT is a mean or median over requests, not tokens: a short answer with a long pause counts like a long one."""
PARTS = {
    **dict.fromkeys((*TPOTS, "ntpot_ms_mean", "ntpot_ms_p50"), STREAM_TOLERANCE),
    "ttft_ms_mean": LITTLE_TOLERANCE,
    "ttft_ms_p50": 2 * LITTLE_TOLERANCE,
    "itl_ms_mean": STREAM_TOLERANCE,
}
"""The parts of a request, and how many times those let in may be in one of them by its arithmetic.

Requests/s x TTFT are those that wait for a first token; a mean is no less than half the median. A gap between chunks is
within a request too, and more than that it does not tell: a chunk may hold any number of tokens, so output tokens/s x
ITL comes to 268 times the concurrency in a published point that is sound.
"""
IN_WORDS = {key: f"{'median ' * key.endswith('_p50')}{key.partition('_')[0].upper()}" for key in PARTS}
OF_TOKENS = ("tpot_ms", "ntpot_ms")
"""The parts that are times of a token; the others are times of a request."""
NOT_THE_OTHERS = "throughput, latency or concurrency of this row is not what the others' is"
BEYOND_THE_RUN = 10.0
"""Some tools stop their clock before the last answers; a wrong unit is off by 1,000."""
PARTS_OF_A_RUN = ("e2el_ms", "ttft_ms", "tpot_ms", "itl_ms", "ntpot_ms")
OF_ALL_AT_ONCE = 0.002
"""Of requests that are all sent at once, none is shorter on average than this share of the run, unless one of
them takes so much longer than the others as the largest or the standard deviation tells."""


def check(
    file: str,
    where: str,
    metrics: Mapping[str, float],
    *,
    concurrency: float | None = None,
    is_cap: bool = False,
    saturated: bool = False,
    whole_run: bool = False,
    osl: float | None = None,
) -> None:
    """Check that the figures can be true together; InputError names the two that cannot.

    `where` is the place in the file; `concurrency` what a closed loop kept under way, or where it `is_cap` how many
    were let in at most; `saturated` says that all requests were sent at once; `whole_run` that the duration is from
    before the first request to after the last answer, and that throughputs are sums over it; `osl` is the mean length
    of the answers, where metrics lack it.
    """
    for key, value in metrics.items():
        if value < 0 or not math.isfinite(value):
            raise Contradiction(file, where, key, value, "no measurement is below zero")
        if value > 1 and is_part(key):
            raise Contradiction(file, where, key, value, "a share is from 0 to 1")
    distributions.check(file, where, metrics)
    _check_unit(file, where, metrics, concurrency, is_cap=is_cap)
    latency_parts.check(file, where, metrics, osl)
    _check_speed(file, where, metrics)
    if saturated:
        _check_saturated(file, where, metrics, whole_run=whole_run)
    _check_within(file, where, metrics, BEYOND_THE_RUN if whole_run else TOO_MUCH)
    rates.check(file, where, metrics, same_window=whole_run, osl=osl)


def _check_speed(file: str, where: str, metrics: Mapping[str, float]) -> None:
    """Check that an interactivity is not above 1000 / TPOT; below it is one with the wait for the first token inside.

    The mean of quotients is above the quotient of means by as much as requests differ.
    """
    for statistic, most in FASTER.items():
        speed, tpot = metrics.get(SPEED + statistic), metrics.get(f"tpot_ms_{statistic}")
        if speed and tpot and speed * tpot / 1000 > most:
            said = f"a TPOT of {tpot:g} ms is {1000 / tpot:,.4g} tokens/s/user"
            raise Contradiction(file, where, SPEED + statistic, speed, said)


def _check_unit(
    file: str, where: str, metrics: Mapping[str, float], concurrency: float | None, *, is_cap: bool
) -> None:
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
            raise Contradiction(
                file,
                where,
                key,
                latency,
                f"{ok:g} answers that slow do not fit into {duration:g} s at concurrency {concurrency:g}: the unit is "
                f"not {metric(key).unit}",
            )
        if key == "ttft_ms_mean" and "e2el_ms_mean" not in metrics and (gaps := means_of(metrics).gaps):
            share *= 1 + gaps * metrics.get("tpot_ms_mean", math.inf) / latency
        elif key != "e2el_ms_mean":
            continue
        if share < TOO_LITTLE and not is_cap and not may_have_failed(metrics):
            raise Contradiction(
                file,
                where,
                key,
                latency,
                f"{ok:g} answers that fast take no {duration:g} s at concurrency {concurrency:g}: the unit is not "
                f"{metric(key).unit}",
            )


def _check_saturated(file: str, where: str, metrics: Mapping[str, float], *, whole_run: bool) -> None:
    """Check that requests which were sent at once and are under way as long as the run lasts take that long together.

    A failed one may have hung on after the others, so with failures, or where they are not counted, it cannot be told.
    """
    duration, ok, latency = (metrics.get(key) for key in ("duration_s", "requests_ok", "e2el_ms_mean"))
    if not (duration and ok and latency) or may_have_failed(metrics):
        return
    share, longest = latency / 1000 / duration, _longest(metrics, ok, latency) / 1000 / duration
    if ok * share < TOO_LITTLE or (whole_run and share < OF_ALL_AT_ONCE and longest < TOO_LITTLE):
        raise Contradiction(
            file,
            where,
            "e2el_ms_mean",
            latency,
            f"{ok:g} answers that fast, all asked for at once, take no {duration:g} s: the unit is not ms",
        )


def mostly_idle(metrics: Mapping[str, float]) -> tuple[Flag, ...]:
    """The flag that requests which were all sent at once took next to nothing of their run; none where they did not."""
    duration, ok, latency = (metrics.get(key) for key in ("duration_s", "requests_ok", "e2el_ms_mean"))
    if not (duration and ok and latency) or latency / 1000 / duration >= OF_ALL_AT_ONCE:
        return ()
    hung = "requests that failed" if may_have_failed(metrics) else "one of them"
    return (
        Flag(
            "mostly_idle",
            f"{ok:,.0f} answers took {latency:,.4g} ms on average, all asked for at once in a run of "
            f"{duration:,.4g} s.",
            f"Sent at once, answers wait for each other most of a run: either {hung} took far longer than the others, "
            "or the latencies are in another unit.",
            "Look up the unit in the tool's own output, and measure again without what hung.",
        ),
    )


def _longest(metrics: Mapping[str, float], ok: float, mean: float) -> float:
    """How long the longest request may have taken in ms: of n values of a standard deviation s none is further than
    s sqrt(n - 1) from their mean (Samuelson, How deviant can you be?, 1968), nor larger than their sum."""
    spread = metrics.get("e2el_ms_std")
    most = ok * mean if spread is None else mean + spread * math.sqrt(max(0.0, ok - 1))
    return metrics.get("e2el_ms_max", most)


def _check_within(file: str, where: str, metrics: Mapping[str, float], most: float) -> None:
    """Check that nothing that is part of a request takes longer than the run, whatever the load."""
    duration = metrics.get("duration_s")
    for key, value in metrics.items():
        if duration and key.startswith(PARTS_OF_A_RUN) and value > duration * 1000 * most:
            raise Contradiction(
                file, where, key, value, f"the run took {duration:g} s: the unit is not {metric(key).unit}"
            )


def littles_law(
    metrics: Mapping[str, float],
    concurrency: float | None,
    osl: float | None,
    *,
    because: str = NOT_THE_OTHERS,
    is_cap: bool = False,
) -> tuple[Flag, ...]:
    """The flag that throughput, latency and concurrency of a closed loop do not fit each other; none where they do.

    Requests in flight are the rate of answers times their mean time in the system (Little's law). Where only the
    median of that E2EL is stated, the flag is `littles-law-by-median`, which warns, as long as a mean of
    `MEAN_OF_MEDIAN` times the median explains it. Where too few are, and the end of a short run may explain it, it is
    `few-in-flight`, which warns too.
    `because` says why others may have been under way. `is_cap`: no more than `concurrency` were let in, so fewer are
    right.
    """
    flags = [
        flag
        for implied, key in (_in_flight(metrics, osl) if concurrency else ())
        for flag in _doubt_of(metrics, concurrency or 0, osl, implied, key, because=because, is_cap=is_cap)
    ]
    return tuple(sorted(flags, key=lambda flag: flag.kind != "littles-law")[:1])


def _doubt_of(
    metrics: Mapping[str, float],
    concurrency: float,
    osl: float | None,
    implied: float,
    key: str,
    *,
    because: str,
    is_cap: bool,
) -> tuple[Flag, ...]:
    """The flag that so many requests in flight, by this latency, are not those let in; none where they may be."""
    is_cap = is_cap or key in PARTS
    least, in_short_run = _least_in_flight(metrics, concurrency, osl)
    most = concurrency * PARTS.get(key, LITTLE_TOLERANCE)
    if (is_cap or least <= implied) and implied <= most:
        return ()
    off = max(implied / concurrency, concurrency / implied)
    by_median = key == LATENCIES[1]
    time = f"{'median ' * by_median}latency"
    seen = (
        f"Throughput x {IN_WORDS.get(key, time)} is {implied:,.{0 if implied >= 100 else 1}f} requests in flight; "
        f"the stated concurrency is {concurrency:,.0f}, {off:.2g} times off."
    )
    law = "Requests in flight equal arrival rate x mean time in the system"
    shortest, longest = MEAN_OF_MEDIAN
    if by_median and implied * longest >= least and implied * shortest <= most:
        explains = (least if implied < least else most) / implied
        by = f"{abs(explains - 1) * 100:.2g} % {'above' if explains > 1 else 'below'}"
        why = f"{law}; only the median is stated, and a mean {by} it would explain that."
        return (Flag("littles-law-by-median", seen, why, "Look up the mean E2EL, or measure the point again."),)
    if in_short_run <= implied * (longest if by_median else 1) < least:
        why = (
            f"{law}; a few slow requests at the end of a short run, which this row says too little of, may explain it."
        )
        do = "Look up the longest request and how many there were, or measure the point with more."
        return (Flag("few-in-flight", seen, why, do),)
    why = f"{law}: {_hung(metrics, implied, least)}{because}."
    return (Flag("littles-law", seen, why, "Leave the point out of rankings, or measure it again."),)


def _hung(metrics: Mapping[str, float], implied: float, least: float) -> str:
    """What failures may have to do with too few requests in flight: they hold places and have no latency."""
    if implied >= least or not may_have_failed(metrics):
        return ""
    failed = metrics.get("requests_failed")
    them = "requests that failed, which the file does not count," if failed is None else "the failed requests"
    return f"{them} may have hung on, and then that explains it; else "


def _least_in_flight(metrics: Mapping[str, float], concurrency: float, osl: float | None) -> tuple[float, float]:
    """How few requests a closed loop may have had in flight on average, its ramp, tail and failures counted for it; and
    how few in a run whose ramp and tail may be more than what is stated of it tells.

    A loop that fills each free place at once ends within the sum of all times / places + the longest of them (Graham,
    Bounds for certain multiprocessing anomalies, 1966). A failed request's time is not known: it is taken for the
    longest. Without a number of requests a ramp and a tail are inside the tolerance.
    """
    ok, failed = request_count(metrics, osl), metrics.get("requests_failed", 0.0)
    mean = metrics.get("e2el_ms_mean", metrics.get("e2el_ms_p50"))
    if not ok or not mean:
        return concurrency / LITTLE_TOLERANCE, concurrency / LITTLE_TOLERANCE / SHORT_RUN
    places = min(concurrency, ok + failed)

    def least(longest: float) -> float:
        share = ok * mean / (ok * mean + (places + failed) * max(longest, mean))
        return places * share / LITTLE_TOLERANCE

    likely = least(metrics.get("e2el_ms_max", metrics.get("e2el_ms_p99", LONGEST_OF_MEAN * mean)))
    is_bounded = metrics.keys() & {"e2el_ms_max", "e2el_ms_std"}
    return likely, min(likely, least(_longest(metrics, ok, mean))) if is_bounded else likely / SHORT_RUN


def request_count(metrics: Mapping[str, float], osl: float | None) -> float | None:
    """How many requests were answered: as counted, else as their throughput and the duration make, or the output
    tokens and their mean length; None where neither is stated."""
    if ok := metrics.get("requests_ok"):
        return ok
    rate, duration, tokens = answers(metrics, osl), metrics.get("duration_s"), metrics.get("output_tokens")
    return rate * duration if rate and duration else tokens / osl if tokens and osl else None


def with_tpot(metrics: Mapping[str, float]) -> dict[str, float]:
    """The metrics, and where no TPOT is stated that of an interactivity."""
    found = dict(metrics)
    for statistic in ("mean", "p50"):
        if (speed := metrics.get(SPEED + statistic)) and not metrics.keys() & set(TPOTS):
            found[f"tpot_ms_{statistic}"] = 1000 / speed
    return found


def check_in_flight(
    file: str,
    where: str,
    metrics: Mapping[str, float],
    concurrency: float | None,
    osl: float | None,
    *,
    is_cap: bool = False,
) -> None:
    """Check that a latency is in its unit by the requests in flight that it makes with the throughput.

    Too few are right of a cap, where requests are known to have failed, which may have hung on, and where a duration
    and a number or rate of answers tell the unit themselves, or how short the run was.
    """
    for implied, key in _in_flight(metrics, osl) if concurrency else ():
        share = implied / (concurrency or 1)
        excused = (
            is_cap
            or key in PARTS
            or metrics.get("requests_failed")
            or ("duration_s" in metrics and request_count(metrics, osl))
        )
        if share > TOO_MUCH or (share < TOO_LITTLE and not excused):
            why = f"with the throughput that is {implied:.3g} requests in flight where {concurrency:,.0f} were"
            raise Contradiction(file, where, key, metrics[key], f"{why}: the unit is not {metric(key).unit}")


def _in_flight(metrics: Mapping[str, float], osl: float | None) -> list[tuple[float, str]]:
    """The requests in flight that throughput and a latency imply, each with the key of that latency: of a whole
    request first, then of the part that tells of the most."""
    output, requests = metrics.get("output_tokens_per_s"), answers(metrics, osl)
    whole = next((key for key in LATENCIES if metrics.get(key)), None)
    found = [(requests * metrics[whole] / 1000, whole)] if requests and whole else []
    rates = {key: output if key.startswith(OF_TOKENS) else requests for key in PARTS}
    parts = [(rate * metrics[key] / 1000, key) for key, rate in rates.items() if rate and metrics.get(key)]
    return found + sorted(parts, key=lambda one: -one[0] / PARTS[one[1]])[:1]


def answers(metrics: Mapping[str, float], osl: float | None) -> float | None:
    """The answers a second: output tokens/s over their length, or what is stated where no length is known."""
    output = metrics.get("output_tokens_per_s")
    return output / osl if output and osl else metrics.get("requests_per_s")
