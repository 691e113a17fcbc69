"""What is wrong with a point, told by its own samples: each flag says what was seen, why it matters, what to do.

Every line that is drawn is a constant of this module; a flag is raised beyond its line, not on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from bench.catalogue import metric
from bench.records import Flag, Load
from bench.sweep.arrivals import processes
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.lateness import LatePercentile
from bench.sweep.measured.saturation import CHANCE, IN_FLIGHT_RISE, TTFT_RISE, Rise
from bench.sweep.measured.window import TOGETHER, MeasuredPoint, one_each
from bench.sweep.wire.exchange import PointRun
from bench.wording import counted, joined, number, share

MOVED_SHARE, MOVED_MS = 0.05, 1.0
"""A percentile that the load generator may have moved by more than both is blurred in its second digit."""
CPU_SHARE = 0.80
"""Of one core: from there on waiting for its turn grows without bound, as in any queue."""
WAITED_SHARE = 0.05
"""Of the point's time that the load generator was ready to run while others had the cores."""
LENGTH_SHARE = 0.02
"""How far the mean length may be from what was asked."""
PREFIX_SHARE = 0.05
"""Of the input tokens that came from a prefix cache, beyond the share that was asked to be shared."""
SLEPT_MS, WALL_MS, PAUSE_MS = 10.0, 50.0, 1000.0
CLOCK_RATE = 0.001
"""Twice what a clock is slewed by at most: 500 ppm, Linux adjtimex(2)."""
COUNTED_SHARE = 0.99
FEWEST = 100
"""Of so many requests one lies beyond the p99."""
REFUSED_SHARE = 0.05
"""Of the requests, or of the time of a closed loop's places: beyond it the limiter is measured, not the engine."""


ANY_REMEDY = "Look at the errors in the request samples, and at the endpoint's log of that time."
REMEDIES = {
    "connect": "See whether the endpoint was there all the time, and how many connections it takes.",
    "http_429": "Lower the load to what is admitted, or raise the limit for this key.",
    "http_4xx": "Read the first error: the endpoint refuses what it is asked, such as a length beyond its context.",
    "timeout": "Lower the load, or give answers more time with point.timeout_s.",
    "stalled": "Look at the endpoint's log of that time, or let streams be silent for longer with point.stall_s.",
    "broken_stream": "See at concurrency 1 whether answers are whole: some endpoints serve one stream at a time, and "
    "drop the older one.",
    "too_large": "See what the endpoint sends: it is more than the tokens that were asked for can need.",
}
"""What helps against most failures of a kind."""


@dataclass(frozen=True)
class ClientLoad:
    """How hard the load generator itself worked; None where it took no sample.

    `cpu_share` is that of the busiest worker, of one core; `waited_share` that of the one which waited longest for a
    core, of the point's time. `resent` are the requests whose kept connection the endpoint had closed before; `refused`
    those that it asked not to be sent, and `rested_s` how long the places of a closed loop waited after these and other
    failures.
    """

    lag_ms_p99: float | None = None
    lag_ms_max: float | None = None
    cpu_share: float | None = None
    waited_share: float | None = None
    resent: int = 0
    refused: int = 0
    rested_s: float = 0.0
    seconds: float = 0.0
    lag_ms: npt.NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, runs: Iterable[PointRun]) -> ClientLoad:
        """What the workers of one point say of themselves, their lag samples pooled."""
        workers = list(runs)
        lags = np.concatenate(
            [np.array(run.lag_ns, dtype=np.int64) for run in workers] or [np.array([], dtype=np.int64)]
        )
        spans = {id(run): (run.end_ns - run.start_ns) / 1e9 for run in workers if run.end_ns > run.start_ns}
        known = [run for run in workers if id(run) in spans]
        return cls(
            lag_ms_p99=float(np.percentile(lags, 99)) / 1e6 if len(lags) else None,
            lag_ms_max=float(lags.max()) / 1e6 if len(lags) else None,
            cpu_share=max((run.cpu_s / spans[id(run)] for run in known), default=None),
            waited_share=max(
                (run.waited_s / spans[id(run)] for run in known if run.waited_s is not None), default=None
            ),
            resent=sum(run.resent for run in workers),
            refused=sum(run.refused for run in workers),
            rested_s=sum(run.rested_s for run in workers),
            seconds=max(spans.values(), default=0.0),
            lag_ms=lags / 1e6,
        )


def flags(
    point: MeasuredPoint,
    load: Load,
    client: ClientLoad,
    *,
    moved: Sequence[LatePercentile] = (),
    rise: Rise | None = None,
    drift: ClockDrift | None = None,
    prefix_share: float | None = None,
    shared_prefix_share: float = 0.0,
    isl_known: bool = True,
    osl_held: bool = True,
    where_failed: str = "",
    together_alone: float | None = None,
) -> tuple[Flag, ...]:
    """Everything that is wrong with a point, the gravest first; empty when nothing is.

    `moved` is how far percentiles may read off for the load generator's lateness. `rise` is what `rising.rise` found;
    `prefix_share` the share of input tokens that the engine says came from its prefix cache, None where it says
    nothing, and `shared_prefix_share` what was meant to. `isl_known` says that somebody has counted the input, and
    `osl_held` that the endpoint has accepted a field that holds answers to their length. `where_failed` says at which
    of several base URLs it was; `together_alone` is the share of chunks that came together in a request on its own.
    """
    limited = list(rate_limited(point, load, client))
    return tuple(
        chain(
            limited or outage(load, client),
            client_limited(moved, load, client),
            failures(point, load, where_failed),
            over_saturated(rise) if load.load_kind == "open" else (),
            off_target(point, isl_known, osl_held),
            prefix_cache_warm(prefix_share, shared_prefix_share),
            () if limited or (point.failures and not point.timed) else not_steady(point),
            too_few(point),
            clock_trouble(drift, client.lag_ms_max),
            incomplete_figures(point),
            bursts(point, load, client, together_alone),
            load_remarks(load, client),
        )
    )


def sent(point: MeasuredPoint) -> int:
    """The requests of a point that ended by themselves, those of the warm-up included."""
    ended_well = point.warmup_ok + round(point.metrics.get("requests_ok", 0.0))
    return ended_well + sum(point.failures.values())


def rate_limited(point: MeasuredPoint, load: Load, client: ClientLoad) -> Iterator[Flag]:
    """Raised when the endpoint asked for less load than it was given, and so set the pace itself."""
    every, lost = sent(point), _rested_share(load, client)
    if not every or not client.refused or max(client.refused / every, lost) <= REFUSED_SHARE:
        return
    rested = f", and its places waited {share(lost)} of the time to ask again" if lost else ""
    yield Flag(
        "rate_limited",
        f"{client.refused:,} of {counted(every, 'request')} were refused with HTTP 429 or 503{rested}.",
        "This measures the limiter: throughput and latencies are of the requests it admitted."
        if point.timed
        else "This measures the limiter, which admitted none.",
        "Lower the load to what is admitted, or raise the limit for this key.",
    )


def outage(load: Load, client: ClientLoad) -> Iterator[Flag]:
    """Raised when places of a closed loop rested for a good part of the time since nothing was answered well."""
    lost = _rested_share(load, client)
    if lost > REFUSED_SHARE:
        yield Flag(
            "outage",
            f"The endpoint failed for a while: places waited {share(lost)} of the time to ask again.",
            "Throughput holds that time, so it is less than the endpoint gives when it answers.",
            "Measure the point again once the endpoint is well.",
        )


def _rested_share(load: Load, client: ClientLoad) -> float:
    """The share of a closed loop's time, over all its places, that they rested."""
    return client.rested_s / ((load.concurrency or 1) * client.seconds) if client.seconds else 0.0


def client_limited(moved: Sequence[LatePercentile], load: Load, client: ClientLoad) -> Iterator[Flag]:
    """Raised when the load generator's own lateness may have moved a percentile visibly."""
    seen = [one for one in moved if one.share > MOVED_SHARE and one.by > MOVED_MS]
    if not seen:
        return
    by_key: dict[str, list[LatePercentile]] = {}
    for one in seen:
        by_key.setdefault(one.key, []).append(one)
    firm = [one for one in moved if one.percent == 50 and one not in seen]
    medians = sum(one.percent == 50 for one in moved)
    rest = f" Medians hold within {_ms(max(one.by for one in firm))}." if 0 < len(firm) == medians else ""
    late = "" if client.lag_ms_max is None else f": it was up to {_ms(client.lag_ms_max)} late"
    yield Flag(
        "client_limited",
        f"The load generator may have moved {joined([_movement(many) for many in by_key.values()])}{late}.",
        f"So far these figures are of the machine that measured, not of the endpoint.{rest}",
        _relief(load, client),
    )


def _movement(many: Sequence[LatePercentile]) -> str:
    """How far one latency may have moved, and from which percentile on: "TTFT from p90 on by up to 41 ms (20 %)"."""
    most = max(many, key=lambda one: one.by)
    label = metric(f"{most.key}_p50").label.partition(",")[0]
    least = min(one.percent for one in many)
    since = "" if least == 50 else f" at p{least}" if least == 99 else f" from p{least} on"
    return f"{label}{since} by up to {_ms(most.by)} ({share(most.share)})"


def _relief(load: Load, client: ClientLoad) -> str:
    """What helps a load generator that is late, by what held it up."""
    if client.waited_share is not None and client.waited_share > WAITED_SHARE:
        return (
            f"Other processes held the cores for {share(client.waited_share)} of the time: end them, or measure from "
            "a machine with idle cores."
        )
    if client.cpu_share is not None and client.cpu_share > CPU_SHARE:
        if (load.concurrency or 2) > 1:
            return f"It took {share(client.cpu_share)} of a core: measure with more --workers, or with a lower load."
        return f"It took {share(client.cpu_share)} of a core: measure from a faster machine."
    return "It was neither busy nor waiting for a core, so something paused it: measure again on a quiet machine."


def failures(point: MeasuredPoint, load: Load, where: str) -> Iterator[Flag]:
    """Raised by any failed request, in the warm-up or after it."""
    failed = sum(point.failures.values())
    if not failed:
        return
    kinds = [f"{many:,} {kind}" for kind, many in sorted(point.failures.items(), key=lambda row: (-row[1], row[0]))]
    early = f", {point.in_warmup:,} of them in the warm-up" if point.in_warmup else ""
    commonest = max(point.failures, key=lambda kind: point.failures[kind])
    alone = load.concurrency == 1 and commonest == "broken_stream"
    todo = ANY_REMEDY if alone else REMEDIES.get(commonest, ANY_REMEDY)
    yield Flag(
        "failures",
        f"{failed:,} of {counted(sent(point), 'request')} failed ({share(failed / sent(point))}): "
        f"{joined(kinds, at_most=8)}{early}{', ' if where else ''}{where}.",
        "Latencies are over the requests that ended well: one that turns requests away looks faster than it is."
        if point.timed
        else "No figure can be made of what did not end well.",
        f"Look at that endpoint, or leave its URL out. {todo}" if where else todo,
    )


def off_target(point: MeasuredPoint, isl_known: bool, osl_held: bool) -> Iterator[Flag]:
    """Raised by a mean length that differs from what the same requests were to have, and by inputs nobody counts."""
    if _is_off(point.osl_actual, point.osl_asked):
        yield _off_target("osl", "Outputs", point.osl_actual, point.osl_asked, *_why_off(point, osl_held))
    if _is_off(point.isl_actual, point.isl_asked):
        todo = "Let the prompts be calibrated against this endpoint, or compare at the actual length."
        yield _off_target("isl", "Inputs", point.isl_actual, point.isl_asked, "", todo)
    if not isl_known and point.isl_actual is None:
        yield Flag(
            "isl_unknown",
            "The endpoint counts no input tokens.",
            "A word may be one token or several: the input length is not known, and is left out.",
            "Give the model's tokenizer (--tokenizer tokenizer.json), or let the endpoint send usage.",
        )


def _is_off(actual: float | None, asked: float | None) -> bool:
    return actual is not None and bool(asked) and abs(actual / (asked or 1) - 1) > LENGTH_SHARE


def _why_off(point: MeasuredPoint, held: bool) -> tuple[str, str]:
    """What made outputs miss their length, and what to do about it."""
    if point.beyond > max(point.stopped, point.filled):
        return (
            f"{share(point.beyond)} of the answers went beyond max_tokens, which the endpoint ignores",
            "Compare at the actual length, or measure an endpoint that keeps to max_tokens.",
        )
    if point.filled > point.stopped:
        return (
            f"{share(point.filled)} were ended before max_tokens by a limit of the endpoint's own",
            "Raise the endpoint's limit on output or context, or ask for a shorter osl.",
        )
    if point.stopped and held:
        return (
            f"the model ended {share(point.stopped)} of them itself, although ignore_eos or min_tokens was accepted",
            "Compare at the actual length, or send prompts that ask for long answers.",
        )
    if point.stopped:
        return (
            f"the model ended {share(point.stopped)} of them itself, since nothing holds it to the length",
            "Serve with an engine that takes ignore_eos or min_tokens, or compare at the actual length.",
        )
    return "", "Compare at the actual length."


def _off_target(which: str, word: str, actual: float | None, requested: float | None, why: str, todo: str) -> Flag:
    assert actual is not None
    assert requested
    ratio = actual / requested
    off = f"{share(abs(ratio - 1))} {'more' if ratio > 1 else 'less'} than" if ratio < 2 else f"{number(ratio)} times"
    return Flag(
        f"{which}_off_target",
        f"{word} had {number(actual)} tokens on average, {off} the {number(requested)} that were asked for"
        f"{': ' if why else ''}{why}.",
        "Throughput and latency both depend on length, so the point does not stand for the workload it is filed under.",
        todo,
    )


def prefix_cache_warm(hits: float | None, requested: float) -> Iterator[Flag]:
    """Raised when more of the input came from a prefix cache than was meant to be shared."""
    if hits is not None and hits - requested > PREFIX_SHARE:
        yield Flag(
            "prefix_cache_warm",
            f"{share(hits)} of the input tokens came from the engine's prefix cache; {share(requested)} were meant to.",
            "What is cached is not computed: TTFT is shorter and throughput higher than for prompts never seen before.",
            "Use another seed, restart the endpoint, or switch its prefix caching off.",
        )


def over_saturated(rise: Rise | None) -> Iterator[Flag]:
    """Raised when TTFT and the requests under way were still rising when the point ended."""
    if rise is None or max(rise.ttft_chance, rise.in_flight_chance) >= CHANCE:
        return
    if rise.ttft > TTFT_RISE and rise.in_flight > IN_FLIGHT_RISE:
        yield Flag(
            "over_saturated",
            f"TTFT rose by {share(rise.ttft)} of its median and the requests under way by {share(rise.in_flight)} "
            f"(Mann-Kendall, p {_chance(rise.ttft_chance)} and {_chance(rise.in_flight_chance)}, {rise.groups} "
            "groups).",
            "Requests come faster than they are answered, so the queue grows, and the latencies only tell how long the "
            "point lasted; the throughput is the most there is.",
            "Read the throughput alone, or lower the request rate.",
        )


def not_steady(point: MeasuredPoint) -> Iterator[Flag]:
    """Raised when warm-up and drain could not be cut off, or the load still grew."""
    if not point.window.steady:
        yield Flag(
            "not_steady",
            f"There is no steady state: {point.window.why}.",
            "The figures may be of filling up or draining, where the endpoint is under another load than was asked "
            "for.",
            "Make the point longer, by point.duration_s or point.requests: several times as long as one answer takes.",
        )


def too_few(point: MeasuredPoint) -> Iterator[Flag]:
    """Raised when fewer than one request lies beyond the p99."""
    if 0 < point.timed < FEWEST:
        yield Flag(
            "too_few_requests",
            f"The latencies are over {counted(point.timed, 'request')}; a p99 needs {FEWEST}.",
            "With fewer, the p99 is little else than the slowest request, and another run will give another one.",
            f"Ask for {FEWEST} requests or more, or read the median.",
        )


def clock_trouble(drift: ClockDrift | None, lag_ms_max: float | None) -> Iterator[Flag]:
    """Raised when the machine slept or stood still, or its clocks ran apart."""
    seen = []
    if drift is not None and abs(drift.slept_ms) > SLEPT_MS:
        seen.append(f"the machine slept for {_ms(drift.slept_ms)}")
    if drift is not None and abs(drift.rate) > CLOCK_RATE:
        seen.append(f"the clock ran {share(abs(drift.rate))} too {'fast' if drift.rate > 0 else 'slow'}")
    if drift is not None and abs(drift.wall_ms) > WALL_MS:
        seen.append(f"the time of day was set by {_ms(drift.wall_ms)}")
    if lag_ms_max is not None and lag_ms_max > PAUSE_MS:
        seen.append(f"the load generator stood still for {_ms(lag_ms_max)}")
    if seen:
        yield Flag(
            "clock_trouble",
            f"During the point {joined(seen)}.",
            "Latencies over such a moment are of the clock or of the machine that measured, not of the endpoint.",
            "Measure the point again on a machine that stays awake and is not paused.",
        )


def incomplete_figures(point: MeasuredPoint) -> Iterator[Flag]:
    """Raised by more requests cut off than a p99 can bear, by tokens nobody counts, by chunks not of one token."""
    if point.cancelled > 0.01 * (point.cancelled + point.timed):
        yield Flag(
            "cut_short",
            f"{counted(point.cancelled, 'request')} were still under way when the point was over, beside "
            f"{point.timed:,} that are timed.",
            "What is cut off is what takes longest, so the slow tail is missing from e2el and the like.",
            "Give the point a longer drain, or a longer duration.",
        )
    send_usage = "Let the endpoint send usage in the stream (stream_options.include_usage)."
    if point.counted_by_server is not None and point.counted_by_server < COUNTED_SHARE:
        yield Flag(
            "tokens_by_chunks",
            f"{share(1 - point.counted_by_server)} of the answers came without a token count, so each chunk counts as "
            "one.",
            "Where a chunk holds several tokens or half of one, throughput and tpot are wrong by as much.",
            send_usage,
        )
    if "length" in point.sources:
        yield Flag(
            "tokens_by_length",
            "The endpoint counts no tokens, so an answer that ended with length has as many as it was asked for.",
            "Where the endpoint has a limit of its own below that, throughput and TPOT are wrong by as much.",
            send_usage,
        )
    if point.tokens_per_chunk is not None and not one_each(point.tokens_per_chunk):
        yield Flag(
            "tokens_in_chunks",
            f"A chunk carried {number(point.tokens_per_chunk)} tokens on average.",
            "The time between chunks is not that between tokens, so ITL is left out.",
            "Compare TPOT, which is per token.",
        )


def bursts(point: MeasuredPoint, load: Load, client: ClientLoad, together_alone: float | None) -> Iterator[Flag]:
    """Raised when chunks came together; of another kind where the load generator was so late that it made them so.

    It did not where those of a request on its own, read by an idle load generator, came together too.
    """
    if point.together is None or point.together <= TOGETHER:
        return
    tpot, first = point.metrics.get("tpot_ms_p50"), point.first_tokens or 1.0
    alone = together_alone if together_alone is not None and together_alone > TOGETHER else None
    if alone is None and tpot is not None and _late_share(client, tpot) > point.together / 2:
        yield Flag(
            "itl_left_out",
            f"{share(point.together)} of the chunks were read together with the one before, since the load generator "
            "was late.",
            "The time between two reads is not that between two tokens, so ITL is left out.",
            _relief(load, client),
        )
        return
    effect = (
        "Each answer came as a whole, so TTFT is E2EL and there is no TPOT."
        if tpot is None
        else f"TTFT waits for {number(first)} tokens, about {_ms((first - 1) * tpot)} longer than for one; TPOT is "
        "over the tokens after these, and ITL is left out."
    )
    yield Flag(
        "bursts",
        f"{share(point.together)} of the chunks came together with the one before"
        f"{'' if alone is None else f', and {share(alone)} in a request that was alone'}.",
        effect,
        "Look for a proxy that buffers, for a flush interval, or for a server without TCP_NODELAY.",
    )


def _late_share(client: ClientLoad, ms: float) -> float:
    """The share of moments in which the load generator was later than this, and so read several chunks at once."""
    if client.lag_ms is None or not len(client.lag_ms):
        return 0.0
    return float((client.lag_ms > ms).mean())


def load_remarks(load: Load, client: ClientLoad) -> Iterator[Flag]:
    """Raised by kept connections that the endpoint had closed, and by arrivals whose rate is not the stated one."""
    if client.resent:
        yield Flag(
            "resent",
            f"The endpoint had closed the connection of {counted(client.resent, 'request')} behind its last answer "
            "without saying so; another one took them before anything was sent.",
            "The time that a new connection took is not in their latency.",
            "Let the endpoint, or the proxy before it, keep connections open or answer with Connection: close.",
        )
    process = processes().get(load.arrivals or "")
    if process is not None and not process.STEADY:
        yield Flag(
            "rate_changes",
            f"Requests came {process.ABOUT} (loads.arrivals {process.NAME}), so their rate changed while it was "
            "measured.",
            "The figures are of all rates in that time together, not of the one that was stated.",
            "Compare it with points of the same arrivals, or choose arrivals of a steady rate.",
        )


def _ms(value: float) -> str:
    if abs(value) >= 10_000:
        return f"{number(value / 1000)} s"
    return f"{number(value)} ms"


def _chance(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"
