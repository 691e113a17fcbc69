"""The front door of the library: every reader's points, the rows of a published table and those of an audit pass here.

A rule about figures is added once: to `check` where a point that breaks it is refused, to `doubts` where it is flagged.
"""

from __future__ import annotations

import dataclasses

from bench.formats.plausibility import lengths, offered, soundness
from bench.formats.plausibility.latency_parts import too_fast
from bench.formats.plausibility.lengths import off_target
from bench.formats.plausibility.rates import SAME_WINDOW, differing, fewest_requests, mean_length, of_all, shared_out
from bench.records import Flag, Point, Workload

OUTPUT = "output_tokens_per_s"
NOT_ONLY_SERVING = (
    "the window holds more than serving, such as a client's pauses, or one of the three is not what it says"
)


def admitted(file: str, point: Point, because: str = NOT_ONLY_SERVING, *, whole_run: bool = False) -> Point:
    """The point with the flags that its figures earn; InputError where they cannot be true together."""
    check(file, point, whole_run=whole_run)
    return judged(point, because)


def check(file: str, point: Point, *, whole_run: bool = False) -> None:
    """Check that the figures of a point can be true together; InputError names its place and the two that cannot.

    `whole_run` says that the duration is from before the first request to after the last answer, and that throughputs
    are sums over it.
    """
    where = f"the {point.locator}" if point.locator.isalpha() else point.locator
    load, let_in = point.load, _let_in(point)
    soundness.check(
        file,
        where,
        point.metrics,
        concurrency=let_in,
        is_cap=load.load_kind != "closed",
        saturated=load.load_kind == "saturated",
        whole_run=whole_run,
        osl=point.workload.osl_actual,
    )
    osl = mean_length(point.workload, "osl")
    for metrics, is_cap in _either_throughput(point):
        soundness.check_in_flight(file, where, metrics, let_in, osl, is_cap=is_cap)


def judged(point: Point, because: str = NOT_ONLY_SERVING) -> Point:
    """The point with the flags of its figures whose kind it does not have."""
    kinds = {flag.kind for flag in point.flags}
    found = (flag for flag in doubts(point, because) if flag.kind not in kinds)
    return dataclasses.replace(point, flags=(*point.flags, *found))


def doubts(point: Point, because: str = NOT_ONLY_SERVING) -> tuple[Flag, ...]:
    """The flags of a point's figures: a mean length that is not the one asked for, requests in flight that are not,
    more answers than were sent, a throughput that is not what others come to, a TPOT too fast, an idle run.

    `because` says why other requests than asked for may have been under way.
    """
    idle = soundness.mostly_idle(point.metrics) if point.load.load_kind == "saturated" else ()
    return (
        *off_target(point.workload),
        *littles_law(point, because),
        *more_than_sent(point),
        *differing(point.metrics, point.workload, point.deployment, _let_in(point)),
        *too_fast(point.metrics),
        *idle,
    )


def littles_law(point: Point, because: str = NOT_ONLY_SERVING) -> tuple[Flag, ...]:
    """The flag that throughput, latency and concurrency do not fit each other, the heaviest; none where they do."""
    osl, concurrency = mean_length(point.workload, "osl"), _let_in(point)
    found = [
        flag
        for metrics, is_cap in _either_throughput(point)
        for flag in soundness.littles_law(metrics, concurrency, osl, because=because, is_cap=is_cap)
    ]
    return tuple(sorted(found, key=lambda flag: flag.kind != "littles-law")[:1])


def more_than_sent(point: Point) -> tuple[Flag, ...]:
    """The flag that an open loop answers more than it was sent; none where it does not, or where a rate may be that of
    conversations."""
    if point.workload.turns:
        return ()
    osl = mean_length(point.workload, "osl")
    ok = soundness.request_count(point.metrics, osl)
    counted = point.metrics.get("requests_per_s", 0.0)
    reckoned = max(soundness.answers(metrics, osl) or 0.0 for metrics, _ in _either_throughput(point))
    return offered.more_than_sent(point.load, counted, ok) or offered.more_than_sent(
        point.load, reckoned, ok, offered.RECKONED
    )


def _let_in(point: Point) -> int | None:
    """How many requests were let in at once: the concurrency, or the batch."""
    return point.load.batch if point.load.concurrency is None else point.load.concurrency


def _either_throughput(point: Point) -> list[tuple[dict[str, float], bool]]:
    """The metrics by the throughput of all, and by each other that is stated and comes to another: that of each
    accelerator, of which there is one at least, and that in requests. Beside each whether the requests in flight may be
    fewer than by its arithmetic. An NTPOT is left out where answers are not of one length: that of a short one is long.

    In a closed loop a concurrency is how many were kept under way, under any other load how many were let in at most.
    """
    is_cap = point.load.load_kind != "closed"
    uneven = () if lengths.are_one(point.workload) else ("ntpot_ms_mean", "ntpot_ms_p50")
    timed = {key: value for key, value in point.metrics.items() if key not in uneven}
    stated, least = (soundness.with_tpot(of_all(timed, point.deployment, fewest)) for fewest in (None, 1))
    others = (one for one in shared_out(point.metrics, point.deployment) if one.off > one.limit)
    found = [stated, *({**stated, one.key: one.computed} for one in others)]
    osl = mean_length(point.workload, "osl")
    by_output = stated.get(OUTPUT, 0.0) / osl if osl else 0.0
    if by_output and not 1 / SAME_WINDOW <= stated.get("requests_per_s", by_output) / by_output <= SAME_WINDOW:
        found.append({key: value for key, value in stated.items() if key != OUTPUT})
    # Answers may end before the length that was asked for, and then the requests that are stated count.
    ends_early = point.workload.osl_actual is None and by_output < stated.get("requests_per_s", 0.0)
    either = [(metrics, is_cap or (ends_early and OUTPUT in metrics)) for metrics in found]
    either += [(least, True)] * (least != stated)
    either += [(more, True) for metrics, _ in either if (more := _by_input(metrics, point.workload, osl))]
    return [(_with_output(metrics, point.workload), is_cap) for metrics, is_cap in either]


def _by_input(metrics: dict[str, float], workload: Workload, osl: float | None) -> dict[str, float] | None:
    """The metrics by the requests a second that input or all tokens make at least; None where they make no more than
    what is stated."""
    fewest = fewest_requests(metrics, workload)
    if fewest <= SAME_WINDOW * (soundness.answers(metrics, osl) or 0.0):
        return None
    return {**{key: value for key, value in metrics.items() if key != OUTPUT}, "requests_per_s": fewest}


def _with_output(metrics: dict[str, float], workload: Workload) -> dict[str, float]:
    """The metrics with the output of requests of a counted length, where it is not stated."""
    if OUTPUT in metrics or not workload.osl_actual or "requests_per_s" not in metrics:
        return metrics
    return {**metrics, OUTPUT: metrics["requests_per_s"] * workload.osl_actual}
