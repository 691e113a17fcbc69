"""From a point's exchanges to its metrics: the steady state between warm-up and drain, and the whole run beside it.

Output tokens count by when they arrive, a request by the share of its output tokens that arrived inside, latencies
over the requests that started inside. Starts belong to [start, end), arrivals to (start, end]; windows that follow each
other never count anything twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bench.catalogue import COMMON_STATISTICS
from bench.records import Load
from bench.sweep.generator.samples import IntColumn, Mask, Samples, share_together
from bench.sweep.generator.spool import ABSENT, CANCELLED, FILLED, OK, OUTCOMES, SOURCES, STOPPED
from bench.sweep.wire.exchange import Limits, RequestOutcome, TokenSource

BILLION = 1_000_000_000
MILLION = 1_000_000
PERCENTILES = tuple(int(name[1:]) for name in COMMON_STATISTICS if name.startswith("p"))
OBJECTIVES = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms")
TOKENS_PER_CHUNK = 1.5
"""From so many tokens in a chunk on, or chunks of a token, the gaps between chunks are no inter-token latencies."""
FIRST_ANSWERS = 5
"""So many requests at least are the first ones, whose answers say how long it takes until the load is all there."""
TOGETHER = 0.2
"""Where more of the chunks than this share came with the one before, the gaps tell of writes, not of tokens."""


@dataclass(frozen=True)
class Window:
    """What of a run is measured. `why` says why it is no steady state, empty when it is one."""

    start_ns: int
    end_ns: int
    why: str = ""

    @property
    def steady(self) -> bool:
        """Whether warm-up and drain are cut off."""
        return not self.why

    @property
    def duration_s(self) -> float:
        """Seconds from its start to its end."""
        return (self.end_ns - self.start_ns) / BILLION


@dataclass(frozen=True)
class MeasuredPoint:
    """What a point measured. Metrics are keys of the catalogue; what could not be measured is not among them.

    `metrics` is the steady state, `whole` the run from its first request to its last answer, warm-up and drain
    included. The metrics `requests_ok` and `requests_failed` count every request after the warm-up, so that nothing
    that failed in the drain is missing; `failures` counts all there were, `in_warmup` how many of them fell into
    the warm-up, of which `refused_in_warmup` were told to come later, `warmup_ok` what ended well there;
    `cancelled` are those that were cut off because the point was over. These add up to every request that was sent.
    `timed` is over how many requests the latencies are. `isl_actual` and `osl_actual` are means over these,
    `isl_asked` and `osl_asked` what the same requests asked for, and `sources` are who counted their tokens;
    `stopped`, `filled` and `beyond` are the shares of them that the model ended early, that were ended early at a
    length, and that went beyond what was asked. `together` is the share of chunks that came with the one before,
    `first_tokens` how many tokens came with the first chunk.
    """

    window: Window
    metrics: Mapping[str, float]
    whole: Mapping[str, float]
    failures: Mapping[RequestOutcome, int] = field(default_factory=dict)
    in_warmup: int = 0
    refused_in_warmup: int = 0
    warmup_ok: int = 0
    cancelled: int = 0
    timed: int = 0
    isl_actual: float | None = None
    osl_actual: float | None = None
    isl_asked: float | None = None
    osl_asked: float | None = None
    stopped: float = 0.0
    filled: float = 0.0
    beyond: float = 0.0
    sources: tuple[TokenSource, ...] = ()
    counted_by_server: float | None = None
    tokens_per_chunk: float | None = None
    together: float | None = None
    first_tokens: float | None = None
    send_delay_ms_p99: float | None = None


def measured(
    samples: Samples, load: Load, limits: Limits, start_ns: int, *, objectives: Mapping[str, float] | None = None
) -> MeasuredPoint:
    """What the point measured.

    `start_ns` is when the load began. `objectives` are the most a good request may take, in ms, by the keys of
    OBJECTIVES; without any there is no goodput.
    """
    window = steady(samples, load, limits, start_ns)
    goals = objectives or {}
    starts = samples.start_ns
    after = starts >= warmed_up(samples, limits, start_ns)
    everything = np.ones(len(samples), dtype=bool)
    timed = started_well(samples, window)
    arrived = arrivals(samples)
    metrics = _figures(samples, window, timed, after, goals, arrived) if len(samples) else {}
    run = Window(int(starts.min()) if len(samples) else start_ns, _end_of(samples, start_ns))
    whole = _figures(samples, run, samples.outcome == OK, everything, goals, arrived) if len(samples) else {}
    kinds = Counter(OUTCOMES[place] for place in samples.outcome.tolist())
    cancelled = kinds.pop("cancelled", 0)
    kinds.pop("ok", 0)
    before = samples.outcome[~after]
    short = timed & (samples.output_tokens != ABSENT) & (samples.output_tokens < samples.asked_osl)
    beyond = timed & (samples.asked_osl != ABSENT) & (samples.output_tokens > samples.asked_osl)
    isl, isl_asked = _means(samples.input_tokens, samples.asked_isl, timed)
    osl, osl_asked = _means(samples.output_tokens, samples.asked_osl, timed)
    delays = (samples.sent_ns - samples.intended_ns)[(samples.intended_ns != ABSENT) & after]
    chunks = int(samples.chunks[timed].sum())
    return MeasuredPoint(
        window=window,
        metrics=metrics,
        whole=whole,
        failures=dict(sorted(kinds.items())),
        in_warmup=int(((before != OK) & (before != CANCELLED)).sum()),
        refused_in_warmup=int((before == OUTCOMES.index("http_429")).sum()),
        warmup_ok=int((before == OK).sum()),
        cancelled=cancelled,
        timed=int(timed.sum()),
        isl_actual=isl,
        osl_actual=osl,
        isl_asked=isl_asked,
        osl_asked=osl_asked,
        stopped=_share(short & (samples.finish == STOPPED), timed),
        filled=_share(short & (samples.finish == FILLED), timed),
        beyond=_share(beyond, timed),
        sources=tuple(SOURCES[place] for place in sorted(set(samples.source[timed].tolist()), reverse=True)),
        counted_by_server=_share(timed & (samples.source != 0), timed) if timed.any() else None,
        tokens_per_chunk=tokens_per_chunk(samples, timed),
        together=together(samples, timed),
        first_tokens=float(samples.at_first[timed & (samples.chunks > 0)].mean()) if chunks else None,
        send_delay_ms_p99=float(np.percentile(delays, 99)) / MILLION if len(delays) else None,
    )


def warmed_up(samples: Samples, limits: Limits, start_ns: int) -> int:
    """When the warm-up is over: its seconds have passed, and the first request after its requests begins."""
    over = start_ns + round(limits.warmup_s * BILLION)
    if limits.warmup_requests:
        starts = np.sort(samples.start_ns)
        beyond = limits.warmup_requests < len(starts)
        over = max(over, int(starts[limits.warmup_requests]) if beyond else _end_of(samples, start_ns) + 1)
    return over


def steady(samples: Samples, load: Load, limits: Limits, start_ns: int) -> Window:
    """The window of a point in its steady state; where it had none, all of it after the warm-up.

    Closed loop: from when as many requests as the concurrency are under way and the warm-up is over, until the first
    of their places stays empty. It is steady when at least as many requests as the concurrency started inside, which
    is one round. Open loop: from the end of the warm-up, but not before the first answers have ended, since until then
    fewer requests are under way than the rate keeps there, until the last intended send. It is steady when it is as
    long as one answer and two requests or more started inside.
    """
    over = warmed_up(samples, limits, start_ns)
    last = _end_of(samples, start_ns)
    if not (samples.start_ns >= over).any():
        return Window(over, max(over, last), "no request was sent after the warm-up")
    if load.load_kind == "open":
        answer = first_answers_ns(samples)
        begin, end = max(over, start_ns + answer), int(samples.start_ns.max())
        if begin >= end:
            return Window(
                over,
                max(over, last),
                f"the last request was sent before the first answers, of {answer / BILLION:.1f} s, had ended",
            )
        if int(((samples.start_ns >= begin) & (samples.start_ns < end)).sum()) < 2:
            return Window(over, max(over, last), "fewer than two requests were sent between warm-up and end")
        short = f"it lasted {(end - begin) / BILLION:.1f} s, less than one answer of {answer / BILLION:.1f} s"
        return Window(begin, end, short if end - begin < answer else "")
    concurrency = load.concurrency or 1
    full = _full(samples, concurrency)
    rest = int(samples.start_ns[samples.start_ns >= over].min())
    if full is None:
        return Window(rest, last, f"{concurrency} requests were never under way at once")
    begin, end = max(over, full[0]), full[1]
    started = int(((samples.sent_ns >= begin) & (samples.sent_ns < end)).sum())
    if started < concurrency:
        return Window(
            rest, last, f"{started} requests started in the steady state, less than one round of {concurrency}"
        )
    return Window(begin, end)


def first_answers_ns(samples: Samples) -> int:
    """How long the first answers took: nine in ten of the first twentieth that ended well; 0 where none did."""
    order = np.argsort(samples.start_ns, kind="stable")
    early = order[: max(len(order) // 20, FIRST_ANSWERS)]
    well = early[samples.outcome[early] == OK]
    if not len(well):
        return 0
    return int(np.percentile((samples.end_ns - samples.start_ns)[well], 90))


def _full(samples: Samples, concurrency: int) -> tuple[int, int] | None:
    """From when on all places are taken, and until when; None when they never are."""
    times = np.concatenate((samples.end_ns, samples.sent_ns))
    steps = np.repeat([-1, 1], len(samples))
    order = np.argsort(times, kind="stable")  # an end before a start of the same moment, which takes its place
    full = np.flatnonzero(np.cumsum(steps[order]) >= concurrency)
    if not len(full):
        return None
    return int(times[order[full[0]]]), int(times[order[full[-1] + 1]])


def _end_of(samples: Samples, start_ns: int) -> int:
    return int(samples.end_ns.max()) if len(samples) else start_ns


def started_well(samples: Samples, window: Window) -> Mask:
    """Which requests the latencies of a window are over: they started inside and ended well."""
    starts = samples.start_ns
    before_end = starts < window.end_ns if window.steady else starts <= window.end_ns
    chosen: Mask = (starts >= window.start_ns) & before_end & (samples.outcome == OK)
    return chosen


def arrivals(samples: Samples) -> tuple[IntColumn, IntColumn]:
    """When output tokens came and how many, of every chunk, and of what no chunk showed at the end of its answer.

    Those of requests that failed are left out: what they brought is of no use to anyone.
    """
    useful = (samples.outcome == OK) | (samples.outcome == CANCELLED)
    unseen = samples.unseen
    late = useful & (unseen > 0)
    when, tokens = samples.stamps_ns, samples.tokens
    if not useful.all():
        shown = np.repeat(useful, samples.chunks)
        when, tokens = when[shown], tokens[shown]
    if not late.any():
        return when, tokens
    return np.concatenate((when, samples.end_ns[late])), np.concatenate((tokens, unseen[late]))


def _figures(
    samples: Samples,
    window: Window,
    timed: Mask,
    counted: Mask,
    goals: Mapping[str, float],
    arrivals: tuple[IntColumn, IntColumn],
) -> dict[str, float]:
    """The metrics of one stretch of the run."""
    failed = (samples.outcome != OK) & (samples.outcome != CANCELLED)
    figures = {
        "requests_ok": float((counted & (samples.outcome == OK)).sum()),
        "requests_failed": float((counted & failed).sum()),
    }
    if window.duration_s > 0:
        figures |= _rates(samples, window, goals, arrivals)
    return figures | _latencies(samples, timed)


def _rates(
    samples: Samples, window: Window, goals: Mapping[str, float], arrivals: tuple[IntColumn, IntColumn]
) -> dict[str, float]:
    duration = window.duration_s
    rates = {"duration_s": duration}
    shares = served(samples, window)
    well = samples.outcome == OK
    ended = float(shares[well].sum())
    rates["requests_per_s"] = float(shares.sum()) / duration
    if goals:
        good = float(shares[well & _good(samples, goals)].sum())
        rates["goodput_requests_per_s"] = rates["requests_per_s"] * good / ended if ended else 0.0
    known = samples.output_tokens[(samples.outcome == OK)]
    if len(known) and (known != ABSENT).all():
        when, tokens = arrivals
        inside = (when > window.start_ns) & (when <= window.end_ns)
        when, tokens = when[inside], tokens[inside]
        rates["output_tokens"] = float(tokens.sum())
        rates["output_tokens_per_s"] = rates["output_tokens"] / duration
        if duration >= 1 and len(when):
            second = ((when - window.start_ns - 1) * 1e-9).astype(np.int32)
            in_each = np.bincount(second, weights=tokens, minlength=int(duration))[: int(duration)]
            rates["peak_output_tokens_per_s"] = float(in_each.max())  # of the whole seconds
    counted = well & (shares > 0)
    taken_in = samples.input_tokens[counted]
    if len(taken_in) and (taken_in != ABSENT).all():
        rates["input_tokens_per_s"] = rates["requests_per_s"] * float(taken_in @ shares[counted]) / ended
        rates["input_tokens"] = rates["input_tokens_per_s"] * duration
    if "output_tokens" in rates and "input_tokens" in rates:
        rates["total_tokens_per_s"] = (rates["input_tokens"] + rates["output_tokens"]) / duration
    return rates


def served(samples: Samples, window: Window) -> npt.NDArray[np.float64]:
    """The share of each request that was served in the window: of its output tokens, those that arrived inside.

    Requests of equal length end in waves, and a window that closes just before the end of one would lose it if only
    ends were counted. A request without tokens counts at its end; one that was cut off as the run was over has all the
    tokens it was asked for to come, or as many as the others have; one that failed is not served.
    """
    well = samples.outcome == OK
    cut_off = (samples.outcome == CANCELLED) & well.any()
    come = (samples.stamps_ns > window.start_ns) & (samples.stamps_ns <= window.end_ns)
    owner = np.repeat(np.arange(len(samples)), samples.chunks)
    ended = (samples.end_ns > window.start_ns) & (samples.end_ns <= window.end_ns)
    inside = np.bincount(owner, weights=samples.tokens * come, minlength=len(samples)) + samples.unseen * ended
    of = (samples.shown + samples.unseen).astype(np.float64)
    usual = of[well].mean() if well.any() else 0.0
    of = np.where(cut_off, np.maximum(np.where(samples.asked_osl == ABSENT, usual, samples.asked_osl), of), of)
    shares: npt.NDArray[np.float64] = np.where(of > 0, inside / np.maximum(of, 1), ended & well)
    return np.where(well | cut_off, shares, 0.0)


def _latencies(samples: Samples, timed: Mask) -> dict[str, float]:
    latencies: dict[str, float] = {}
    for key, values in each_request(samples, timed).items():
        latencies |= _distribution(key, values[~np.isnan(values)])
    if gaps_are_itl(samples, timed):
        latencies |= _distribution("itl_ms", samples.gaps_ns(timed) / MILLION)
    for name in COMMON_STATISTICS:
        if latencies.get(f"tpot_ms_{name}"):
            latencies[f"interactivity_tokens_per_s_per_user_{name}"] = 1000 / latencies[f"tpot_ms_{name}"]
    return latencies


def each_request(samples: Samples, chosen: Mask) -> dict[str, npt.NDArray[np.float64]]:
    """The latencies of each chosen request in ms by the catalogue's keys; NaN where a request has none.

    TPOT is over the tokens that came after the first chunk: those of the first were there when its clock began.
    """
    start, first = samples.start_ns[chosen], samples.first_ns[chosen]
    tokens, later = samples.output_tokens[chosen], (samples.shown - samples.at_first)[chosen]
    e2el = (samples.last_ns[chosen] - start) / MILLION
    ttft = np.where(first == ABSENT, np.nan, (first - start) / MILLION)
    return {
        "ttft_ms": ttft,
        "tpot_ms": np.where(later > 0, (e2el - ttft) / np.maximum(later, 1), np.nan),
        "ntpot_ms": np.where(tokens > 0, e2el / np.maximum(tokens, 1), np.nan),
        "e2el_ms": e2el,
    }


def _distribution(key: str, values: npt.NDArray[np.float64]) -> dict[str, float]:
    """Mean and exact percentiles, linear between neighbours; nothing of nothing."""
    if not len(values):
        return {}
    points = np.percentile(values, PERCENTILES, method="linear")
    return {f"{key}_mean": float(values.mean())} | {
        f"{key}_p{percent}": float(point) for percent, point in zip(PERCENTILES, points, strict=True)
    }


def tokens_per_chunk(samples: Samples, chosen: Mask) -> float | None:
    """How many tokens a chunk of these requests carried on average; None without a chunk."""
    chunks = int(samples.chunks[chosen].sum())
    return float(np.repeat(chosen, samples.chunks) @ samples.tokens) / chunks if chunks else None


def together(samples: Samples, chosen: Mask) -> float | None:
    """The share of these requests' chunks, after the first of each, that came with the one before; None without any."""
    return share_together(samples.gaps_ns(chosen))


def gaps_are_itl(samples: Samples, chosen: Mask) -> bool:
    """Whether the gaps between these requests' chunks are those between tokens: one each, and not in bursts."""
    each, near = tokens_per_chunk(samples, chosen), together(samples, chosen)
    return (each is None or one_each(each)) and (near is None or near <= TOGETHER)


def one_each(tokens_per_chunk: float) -> bool:
    """Whether a chunk is about a token."""
    return 1 / TOKENS_PER_CHUNK <= tokens_per_chunk <= TOKENS_PER_CHUNK


def _share(some: Mask, of: Mask) -> float:
    return float(some.sum()) / int(of.sum()) if of.any() else 0.0


def _good(samples: Samples, goals: Mapping[str, float]) -> Mask:
    """The requests that met every objective; a request that has no first token or no gap cannot miss one on it.

    The objective on itl is on the longest gap of the request.
    """
    everything = np.ones(len(samples), dtype=bool)
    values = each_request(samples, everything)
    good = everything.copy()
    for key, most in goals.items():
        if key == "itl_ms":
            owner = np.repeat(np.arange(len(samples)), np.maximum(samples.chunks - 1, 0))
            good[owner[samples.gaps_ns(everything) > most * MILLION]] = False
        else:
            good &= ~(values[key] > most)
    return good


def _means(actual: IntColumn, requested: IntColumn, chosen: Mask) -> tuple[float | None, float | None]:
    """The mean actual length, and the mean length asked of the same requests."""
    known = chosen & (actual != ABSENT)
    if not known.any():
        return None, None
    both = bool((requested[known] != ABSENT).all())
    return float(actual[known].mean()), float(requested[known].mean()) if both else None
