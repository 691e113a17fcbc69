"""What is wrong with a point, told by its own samples: each flag says what was seen, why it matters, what to do.

Every line that is drawn is a constant of this module; a flag is raised beyond its line, not on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bench.records import Flag, Load
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.rising import Rise
from bench.sweep.measured.window import Measured
from bench.sweep.wire.exchange import PointRun
from bench.wording import counted, joined, number, share

LAG_SHARE = 0.05
"""Of the point's ITL p50 or TTFT p50, whichever is smaller: a clock that late blurs the figure in its second digit."""
CPU_SHARE = 0.80
"""Of one core: from there on waiting for its turn grows without bound, as in any queue."""
BURST = 0.1
"""An ITL p50 below this share of its mean is the gap inside a burst of chunks, and no rhythm to keep up with."""
LENGTH_SHARE = 0.02
"""How far the mean length may be from what was asked."""
PREFIX_SHARE = 0.05
"""Of the input tokens that came from a prefix cache, beyond the share that was asked to be shared."""
TTFT_RISE, IN_FLIGHT_RISE = 0.5, 0.25
"""How much TTFT and the requests under way rise over the window, as a share of their medians."""
CHANCE = 0.05
"""Up to which probability of chance a rise counts as one."""
SLEPT_MS, WALL_MS, PAUSE_MS = 10.0, 50.0, 1000.0
CLOCK_RATE = 0.001
"""Twice what a clock is slewed by at most: 500 ppm, Linux adjtimex(2)."""
TOKENS_PER_CHUNK = 1.5
COUNTED_SHARE = 0.99


@dataclass(frozen=True)
class ClientLoad:
    """How hard the load generator itself worked; None where it took no sample.

    `cpu_share` is that of the busiest worker, of one core.
    """

    lag_ms_p99: float | None = None
    lag_ms_max: float | None = None
    cpu_share: float | None = None

    @classmethod
    def of(cls, runs: Iterable[PointRun]) -> ClientLoad:
        """What the workers of one point say of themselves, their lag samples pooled."""
        import numpy as np

        workers = list(runs)
        lags = np.concatenate(
            [np.array(run.lag_ns, dtype=np.int64) for run in workers] or [np.array([], dtype=np.int64)]
        )
        shares = [
            run.cpu_s / ((run.end_ns - run.start_ns) / 1e9) for run in workers if run.end_ns > run.start_ns
        ]
        return cls(
            lag_ms_p99=float(np.percentile(lags, 99)) / 1e6 if len(lags) else None,
            lag_ms_max=float(lags.max()) / 1e6 if len(lags) else None,
            cpu_share=max(shares, default=None),
        )


def flags(
    found: Measured,
    load: Load,
    client: ClientLoad,
    *,
    rise: Rise | None = None,
    drift: ClockDrift | None = None,
    prefix_share: float | None = None,
    shared_prefix_share: float = 0.0,
) -> tuple[Flag, ...]:
    """Everything that is wrong with a point, the gravest first; empty when nothing is.

    `rise` is what `rising.rise` found; `prefix_share` the share of input tokens that the engine says came from its
    prefix cache, None where it says nothing, and `shared_prefix_share` what was meant to.
    """
    checked = (
        client_limited(found.metrics, client, found.send_delay_ms_p99),
        failures(found),
        over_saturated(rise) if load.load_kind == "open" else None,
        off_target("osl", found.osl_actual, found.osl_asked),
        off_target("isl", found.isl_actual, found.isl_asked),
        prefix_cache_warm(prefix_share, shared_prefix_share),
        not_steady(found),
        too_few_requests(found),
        clock_trouble(drift, client.lag_ms_max),
        cut_short(found),
        chunks_counted(found),
        tokens_in_chunks(found),
    )
    return tuple(flag for flag in checked if flag is not None)


def client_limited(
    metrics: Mapping[str, float], client: ClientLoad, send_delay_ms: float | None
) -> Flag | None:
    """Raised when the load generator was too late or too busy to describe the endpoint."""
    line = lag_line_ms(metrics)
    ttft = metrics.get("ttft_ms_p50")
    seen = []
    if client.lag_ms_p99 is not None and line is not None and client.lag_ms_p99 > line:
        seen.append(f"its event loop was {_ms(client.lag_ms_p99)} late at p99, above {_ms(line)}")
    if client.cpu_share is not None and client.cpu_share > CPU_SHARE:
        seen.append(f"it took {share(client.cpu_share)} of a core, above {share(CPU_SHARE)}")
    if send_delay_ms is not None and ttft is not None and send_delay_ms > LAG_SHARE * ttft:
        seen.append(f"requests were sent {_ms(send_delay_ms)} late at p99, above {_ms(LAG_SHARE * ttft)}")
    if not seen:
        return None
    return Flag(
        "client_limited",
        f"The load generator was at its limit: {joined(seen)}.",
        f"These figures describe the machine that measured, not the endpoint; lag may be {share(LAG_SHARE)} of the "
        "smaller of ITL p50 and TTFT p50.",
        "Measure with more --workers, from a machine with idle cores, or with a lower load.",
    )


def lag_line_ms(metrics: Mapping[str, float]) -> float | None:
    """The most the event loop may be late at p99, in ms; None when the point has neither ITL nor TTFT."""
    itl, mean = metrics.get("itl_ms_p50"), metrics.get("itl_ms_mean")
    if itl is not None and mean is not None and itl < BURST * mean:
        itl = mean
    rhythms = [value for value in (itl, metrics.get("ttft_ms_p50")) if value]
    return LAG_SHARE * min(rhythms) if rhythms else None


def failures(found: Measured) -> Flag | None:
    """Raised by any failed request."""
    failed = sum(found.failures.values())
    if not failed:
        return None
    every = failed + round(found.metrics.get("requests_ok", 0.0))
    kinds = [
        f"{many:,} {kind}" for kind, many in sorted(found.failures.items(), key=lambda row: (-row[1], row[0]))
    ]
    return Flag(
        "failures",
        f"{failed:,} of {counted(every, 'request')} failed ({share(failed / every)}): {joined(kinds, at_most=8)}.",
        "Latencies are over the requests that ended well: one that turns requests away looks faster than it is.",
        "Look at the errors in the request samples; lower the load, or raise the endpoint's limits.",
    )


def off_target(which: str, actual: float | None, asked: float | None) -> Flag | None:
    """Raised when the mean length differs from what the same requests asked for; `which` is isl or osl."""
    if actual is None or not asked or abs(actual / asked - 1) <= LENGTH_SHARE:
        return None
    word, todo = {
        "osl": (
            "Outputs",
            "Let the endpoint take ignore_eos or min_tokens, or compare at the actual length.",
        ),
        "isl": (
            "Inputs",
            "Let the prompts be calibrated against this endpoint, or compare at the actual length.",
        ),
    }[which]
    return Flag(
        f"{which}_off_target",
        f"{word} had {number(actual)} tokens on average where {number(asked)} were asked for "
        f"({share(actual / asked - 1)} off).",
        "Throughput and latency both depend on length, so the point does not stand for the workload it is filed under.",
        todo,
    )


def prefix_cache_warm(hits: float | None, asked: float = 0.0) -> Flag | None:
    """Raised when more of the input came from a prefix cache than was meant to be shared."""
    if hits is None or hits - asked <= PREFIX_SHARE:
        return None
    return Flag(
        "prefix_cache_warm",
        f"{share(hits)} of the input tokens came from the engine's prefix cache; {share(asked)} were meant to.",
        "What is cached is not computed: TTFT is shorter and throughput higher than for prompts never seen before.",
        "Use another seed, restart the endpoint, or switch its prefix caching off.",
    )


def over_saturated(rise: Rise | None) -> Flag | None:
    """Raised when TTFT and the requests under way were still rising when the point ended."""
    if rise is None or max(rise.ttft_chance, rise.in_flight_chance) >= CHANCE:
        return None
    if rise.ttft <= TTFT_RISE or rise.in_flight <= IN_FLIGHT_RISE:
        return None
    return Flag(
        "over_saturated",
        f"TTFT rose by {share(rise.ttft)} of its median and the requests under way by {share(rise.in_flight)} "
        f"(Mann-Kendall, p {_chance(rise.ttft_chance)} and {_chance(rise.in_flight_chance)}, {rise.groups} groups).",
        "Requests come faster than they are answered, so the queue grows, and the latencies only tell how long the "
        "point lasted; the throughput is the most there is.",
        "Read the throughput alone, or lower the request rate.",
    )


def not_steady(found: Measured) -> Flag | None:
    """Raised when warm-up and drain could not be cut off."""
    if found.window.steady:
        return None
    return Flag(
        "not_steady",
        f"There is no steady state: {found.window.why}.",
        "The figures hold the start and the end of the run, where the endpoint is not fully loaded.",
        "Ask for more requests or a longer duration.",
    )


def too_few_requests(found: Measured, percent: int = 99) -> Flag | None:
    """Raised when fewer than one request lies beyond the percentile that is shown."""
    needed = round(100 / (100 - percent))
    if found.timed >= needed or not found.timed:
        return None
    return Flag(
        "too_few_requests",
        f"The latencies are over {counted(found.timed, 'request')}; a p{percent} needs {needed:,}.",
        f"With fewer, the p{percent} is little else than the slowest request, and another run will give another one.",
        f"Ask for {needed:,} requests or more, or read the median.",
    )


def clock_trouble(drift: ClockDrift | None, lag_ms_max: float | None = None) -> Flag | None:
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
    if not seen:
        return None
    return Flag(
        "clock_trouble",
        f"During the point {joined(seen)}.",
        "Latencies over such a moment are of the clock or of the machine that measured, not of the endpoint.",
        "Measure the point again on a machine that stays awake and is not paused.",
    )


def cut_short(found: Measured) -> Flag | None:
    """Raised when more requests were cut off at the end than a p99 can bear: they would have been the slowest."""
    every = found.cancelled + found.timed
    if not found.cancelled or found.cancelled <= 0.01 * every:
        return None
    return Flag(
        "cut_short",
        f"{counted(found.cancelled, 'request')} were still under way when the point was over, beside {found.timed:,} "
        "that are timed.",
        "What is cut off is what takes longest, so the slow tail is missing from e2el and the like.",
        "Give the point a longer drain, or a longer duration.",
    )


def chunks_counted(found: Measured) -> Flag | None:
    """Raised when tokens were counted by chunks, since the endpoint does not say how many there were."""
    if found.counted_by_server is None or found.counted_by_server >= COUNTED_SHARE:
        return None
    return Flag(
        "tokens_by_chunks",
        f"{share(1 - found.counted_by_server)} of the answers came without a token count, so each chunk counts as one.",
        "Where a chunk holds several tokens or half of one, throughput and tpot are wrong by as much.",
        "Let the endpoint send usage in the stream (stream_options.include_usage).",
    )


def tokens_in_chunks(found: Measured) -> Flag | None:
    """Raised when chunks carry several tokens, so that itl tells of packets."""
    if found.tokens_per_chunk is None or found.tokens_per_chunk <= TOKENS_PER_CHUNK:
        return None
    return Flag(
        "tokens_in_chunks",
        f"A chunk carried {number(found.tokens_per_chunk)} tokens on average.",
        "ITL is then the time between packets, not between tokens.",
        "Compare TPOT, which is per token.",
    )


def _ms(value: float) -> str:
    if abs(value) >= 10_000:
        return f"{number(value / 1000)} s"
    return f"{number(value)} ms"


def _chance(p: float) -> str:
    return "below 0.001" if p < 0.001 else f"{p:.3f}"
