"""What a plan is going to cost before it starts, what one point may ask, and whether that is within the plan's caps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.errors import UsageError
from bench.sweep.facts import PRICE
from bench.sweep.profiles import CLIMBS, possible
from bench.sweep.shapes import Length, PlannedPoint

if TYPE_CHECKING:
    from bench.sweep.exchange import Limits
    from bench.sweep.plan import Plan

WARMUP_SHARE, LONGEST_WARMUP_S = 0.1, 10.0
"""Without a stated warm-up: this share of a point's duration, at most so long."""


@dataclass(frozen=True)
class Timed:
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


def warmup(plan: Plan, point: PlannedPoint) -> tuple[int, float]:
    """The warm-up of a point, in requests and in seconds.

    Where none is stated, a point that ends by its requests begins with one for each under way at once, and one that
    ends by time with a tenth of it, at most 10 s.
    """
    stated = plan.point
    if stated.warmup_requests is not None or stated.warmup_s is not None:
        return stated.warmup_requests or 0, stated.warmup_s or 0.0
    if stated.duration_s is not None:
        return 0, min(WARMUP_SHARE * stated.duration_s, LONGEST_WARMUP_S)
    return point.load.concurrency or 0, 0.0


def measured_requests(plan: Plan, point: PlannedPoint) -> int | None:
    """How many requests end a point, without its warm-up; None when time ends it."""
    stated = plan.point
    if stated.requests_per_concurrency is not None and point.load.concurrency is not None:
        return stated.requests_per_concurrency * point.load.concurrency
    return stated.requests


def point_limits(plan: Plan, point: PlannedPoint) -> Limits:
    """When a point ends and what one answer may cost, as the load takes it."""
    from bench.sweep.exchange import Limits

    requests, seconds = warmup(plan, point)
    return Limits(
        requests=measured_requests(plan, point),
        duration_s=plan.point.duration_s,
        warmup_requests=requests,
        warmup_s=seconds,
        tokens=plan.caps.tokens,
        drain_s=plan.point.drain_s,
        timeout_s=plan.point.timeout_s,
        stall_s=plan.point.stall_s,
    )


def budget(plan: Plan, timed: Timed | None = None, measured: Iterable[str] = ()) -> Budget:
    """What the plan asks for, but for the points whose keys are `measured` already.

    `timed` is one request of the plan's shortest input, timed by the preflight; without it, what depends on the
    endpoint's speed is None. Every accelerator that the facts state is paid for.
    """
    done = set(measured)
    left = [point for point in possible(plan) if point.key not in done]
    asked = [_asked(plan, point, timed) for point in left]
    requests = _sum([count for count, _ in asked])
    minutes = _sum([seconds for _, seconds in asked])
    minutes = None if minutes is None else minutes / 60
    price, chips = plan.facts.get(PRICE), plan.facts.get("accelerators")
    usd = None
    if minutes is not None and isinstance(price, float) and isinstance(chips, int):
        usd = minutes / 60 * price * chips
    return Budget(
        points=len(left),
        may_end_early=plan.search in CLIMBS,
        requests=None if requests is None else int(requests),
        input_tokens=_tokens(
            [(count, point.shape.isl) for (count, _), point in zip(asked, left, strict=True)]
        ),
        output_tokens=_tokens(
            [(count, point.shape.osl) for (count, _), point in zip(asked, left, strict=True)]
        ),
        minutes=minutes,
        usd=usd,
    )


def demand_within_caps(plan: Plan, foreseen: Budget) -> None:
    """Nothing; UsageError names the first cap that the plan is going to exceed."""
    for name, wanted, cap in (
        ("requests", foreseen.requests, plan.caps.requests),
        ("tokens", foreseen.tokens, plan.caps.tokens),
        ("minutes", foreseen.minutes, plan.caps.minutes),
    ):
        if wanted is not None and wanted > cap:
            raise UsageError(
                f"The plan takes {wanted:,.0f} {name} and caps.{name} is {cap:,.0f}: "
                f"ask for less, or raise the cap."
            )


def _asked(plan: Plan, point: PlannedPoint, timed: Timed | None) -> tuple[int | None, float | None]:
    """How many requests a point sends at most, and the seconds it takes at least; None where that is open.

    A trace plays for as long as it is, unless a count or a duration ends it.
    """
    before, before_s = warmup(plan, point)
    count, seconds = measured_requests(plan, point), plan.point.duration_s
    by_time = None if seconds is None else seconds + before_s
    alone = _alone(point, timed)
    if point.load.load_kind == "closed":
        level = point.load.concurrency or 1
        fits = math.ceil(by_time / alone + 1) * level if by_time is not None and alone else None
        wave = (
            None if count is None or alone is None else math.ceil((count + before) / level) * alone + before_s
        )
    else:
        rate = point.load.request_rate
        fits = math.ceil(by_time * rate) if by_time is not None and rate else None
        wave = (count + before) / rate + before_s if count is not None and rate else None
    sent = _least([None if count is None else count + before, fits])
    return (None if sent is None else int(sent)), _least([by_time, wave])


def _alone(point: PlannedPoint, timed: Timed | None) -> float | None:
    """Seconds of one request of this shape at least; a longer input only takes longer than the timed one."""
    if timed is None or point.shape.osl is None:
        return None
    return timed.ttft_s + (point.shape.osl.mean - 1) * timed.tpot_s


def _least(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return min(known, default=None)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _tokens(asked: Sequence[tuple[int | None, Length | None]]) -> int | None:
    each = [count * length.mean if count is not None and length else None for count, length in asked]
    total = _sum(each)
    return None if total is None else round(total)
