"""What a plan is going to cost before it starts, what one point may ask, and whether that is within the plan's caps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import UsageError
from bench.sweep.planning.facts import PRICE
from bench.sweep.planning.plan_parts import where_stated
from bench.sweep.planning.searches import CLIMBS, possible
from bench.sweep.planning.shapes import PlannedPoint

if TYPE_CHECKING:
    from bench.sweep.planning.plan import Plan
    from bench.sweep.wire.exchange import Limits

DEFAULT_S = 30.0
WARMUP_SHARE, LONGEST_WARMUP_S = 0.1, 10.0
"""Without a stated warm-up: this share of a point's duration, at most so long."""
ANSWERS_FIRST = 1.2
"""In an open loop so many times one answer's time passes until as many requests are under way as stay there: until the
first have ended, each new one only adds to them."""
ANSWERS_LONG = 2
"""A point that is to be steady had better be so many answers long: under load they take longer than alone."""


@dataclass(frozen=True)
class TimedRequest:
    """One request timed alone: seconds to its first token, and seconds for each token after it."""

    ttft_s: float
    tpot_s: float


@dataclass(frozen=True)
class Budget:
    """What a plan asks for; None where only the sweep itself can tell.

    `may_end_early` says that points are the most there can be. `requests` and tokens are exact where points end by
    their requests, else the most that can be sent in their time, a request never being faster than alone. `minutes`
    is the least it takes, and `usd` what the accelerators cost in that time.
    """

    points: int
    may_end_early: bool
    requests: int | None
    input_tokens: int | None
    output_tokens: int | None
    minutes: float | None
    usd: float | None

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


PointDemand = tuple[float | None, float | None, float | None, float | None]
"""What a point asks: requests at most, seconds at least, input and output tokens; None where that is open."""


def duration_s(plan: Plan, point: PlannedPoint) -> float | None:
    """How long a point takes without its warm-up, in seconds; None when requests or a trace's last arrival end it.

    Where no end is stated at all it is DEFAULT_S, but for a trace, which is played whole.
    """
    if plan.point.has_an_end or point.shape.trace:
        return plan.point.duration_s
    return DEFAULT_S


def warmup(plan: Plan, point: PlannedPoint, timed: TimedRequest | None = None) -> tuple[int, float]:
    """The warm-up of a point, in requests and in seconds.

    Where none is stated, a point that ends by its requests begins with one for each under way at once, and one that
    ends by time with a tenth of it, at most 10 s. An open loop's lasts until the first answers have ended.
    """
    stated = plan.point
    if stated.warmup_requests is not None or stated.warmup_s is not None:
        return stated.warmup_requests or 0, stated.warmup_s or 0.0
    first = 0.0
    if point.load.load_kind == "open":
        first = ANSWERS_FIRST * (alone_s(point, timed) or 0.0)
    seconds = duration_s(plan, point)
    if seconds is not None:
        return 0, max(first, min(WARMUP_SHARE * seconds, LONGEST_WARMUP_S))
    return point.load.concurrency or math.ceil(first * (point.load.request_rate or 0)), 0.0


def too_short(plan: Plan, timed: TimedRequest | None) -> str | None:
    """Why some points of a plan cannot be steady, and how long they had to be; None where all may be.

    Steady is what lasts as long as one answer at least, after the warm-up.
    """
    short = [
        (seconds, alone)
        for point in possible(plan)
        if (alone := alone_s(point, timed)) is not None
        and (seconds := _lasts_s(plan, point)) is not None
        and seconds < alone
    ]
    if not short:
        return None
    seconds, longest = max(short, key=lambda row: row[1])
    return (
        f"A point of {seconds:g} s is over before its first answers, which take {longest:.1f} s, have ended: it cannot "
        f"be called steady. Give point.duration_s {math.ceil(ANSWERS_LONG * longest)} or more."
    )


def _lasts_s(plan: Plan, point: PlannedPoint) -> float | None:
    """How long requests are sent that are measured; None where answers, or a trace, say when that ends."""
    count, rate = measured_requests(plan, point), point.load.request_rate
    sending = count / rate if count is not None and rate else None
    return _least([duration_s(plan, point), sending])


def measured_requests(plan: Plan, point: PlannedPoint) -> int | None:
    """How many requests end a point, without its warm-up; None when time ends it."""
    stated = plan.point
    if stated.requests_per_concurrency is not None and point.load.concurrency is not None:
        return stated.requests_per_concurrency * point.load.concurrency
    return stated.requests


def point_limits(plan: Plan, point: PlannedPoint, timed: TimedRequest | None = None) -> Limits:
    """When a point ends and what one answer may cost, as the load takes it."""
    from bench.sweep.wire.exchange import Limits

    requests, seconds = warmup(plan, point, timed)
    return Limits(
        requests=measured_requests(plan, point),
        duration_s=duration_s(plan, point),
        warmup_requests=requests,
        warmup_s=seconds,
        tokens=plan.caps.tokens,
        drain_s=plan.point.drain_s,
        timeout_s=plan.point.timeout_s,
        stall_s=plan.point.stall_s,
    )


def budget(plan: Plan, timed: TimedRequest | None = None, measured: Iterable[str] = ()) -> Budget:
    """What the plan asks for, but for the points whose keys are `measured` already.

    `timed` is one request of the plan's shortest input, timed by the preflight; without it, what depends on the
    endpoint's speed is None. Every accelerator that the facts state is paid for.
    """
    done = set(measured)
    left = [point for point in possible(plan) if point.key not in done]
    demands = [_demand(plan, point, timed) for point in left]
    requests, minutes, inputs, outputs = (_sum([one[place] for one in demands]) for place in range(4))
    price, chips = plan.facts.get(PRICE), plan.facts.get("accelerators")
    usd = None
    if minutes is not None and isinstance(price, float) and isinstance(chips, int):
        usd = minutes / 3600 * price * chips
    return Budget(
        points=len(left),
        may_end_early=plan.search in CLIMBS,
        requests=None if requests is None else int(requests),
        input_tokens=None if inputs is None else round(inputs),
        output_tokens=None if outputs is None else round(outputs),
        minutes=None if minutes is None else minutes / 60,
        usd=usd,
    )


def demand_within_caps(plan: Plan, budget: Budget) -> None:
    """Raise UsageError for the first cap that the plan is going to exceed."""
    for name in ("requests", "tokens", "minutes"):
        wanted, cap = getattr(budget, name), getattr(plan.caps, name)
        if wanted is not None and wanted > cap:
            raise UsageError(
                f"The plan takes {wanted:,.0f} {name} and caps.{name} is {cap:,.0f}: "
                f"ask for less, or raise the cap{where_stated(plan.endpoint)}."
            )


def _demand(plan: Plan, point: PlannedPoint, timed: TimedRequest | None) -> PointDemand:
    if point.shape.trace:
        return _traced(plan, point, Path(point.shape.trace))
    before, before_s = warmup(plan, point, timed)
    count, seconds = measured_requests(plan, point), duration_s(plan, point)
    by_time = None if seconds is None else seconds + before_s
    alone = alone_s(point, timed)
    if point.load.load_kind == "closed":
        level = point.load.concurrency or 1
        fits = math.ceil(by_time / alone + 1) * level if by_time is not None and alone else None
        waves = None if count is None or alone is None else math.ceil((count + before) / level) * alone + before_s
    else:
        rate = point.load.request_rate
        fits = math.ceil(by_time * rate) if by_time is not None and rate else None
        waves = (count + before) / rate + before_s if count is not None and rate else None
    sent = _least([None if count is None else count + before, fits])
    isl, osl = point.shape.isl, point.shape.osl
    return (
        sent,
        _least([by_time, waves]),
        isl.mean * sent if isl and sent is not None else None,
        osl.mean * sent if osl and sent is not None else None,
    )


def _traced(plan: Plan, point: PlannedPoint, path: Path) -> PointDemand:
    """What of a trace is played before the point ends."""
    from bench.sweep.generator.traces import read_trace

    before, before_s = warmup(plan, point)
    count, seconds = measured_requests(plan, point), duration_s(plan, point)
    ends = math.inf if seconds is None else seconds + before_s
    played = [arrival for arrival in read_trace(path) if arrival.at_s <= ends]
    played = played if count is None else played[: count + before]
    return (
        len(played),
        played[-1].at_s,
        sum(arrival.isl for arrival in played),
        sum(arrival.osl for arrival in played),
    )


def alone_s(point: PlannedPoint, timed: TimedRequest | None) -> float | None:
    """Seconds of one request of this shape at least; a longer input only takes longer than the timed one."""
    if timed is None or point.shape.osl is None:
        return None
    return timed.ttft_s + (point.shape.osl.mean - 1) * timed.tpot_s


def most_requests(plan: Plan, point: PlannedPoint, timed: TimedRequest | None) -> int | None:
    """How many requests a point sends at most; None where that is open."""
    most = _demand(plan, point, timed)[0]
    return None if most is None else int(most)


def _least(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(known, default=None)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
