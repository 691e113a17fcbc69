"""What one load process is to do for one point, and doing it: its share of the requests, in their order and time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic, monotonic_ns

from bench.records import Load
from bench.sweep import arrivals
from bench.sweep.generator.calibration import Calibration
from bench.sweep.generator.live import RequestTally
from bench.sweep.generator.prompts import prompts, seed_of
from bench.sweep.generator.spool import Spool
from bench.sweep.generator.stopping import Precision, prepare
from bench.sweep.planning.shapes import PlannedPoint
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Exchange, Limits, PointRun, PreparedRequest, Target

AHEAD_BYTES = 32 * 2**20
"""Requests are made before the point starts, up to so many bytes; what comes after that is made as it is sent."""
ROUNDS_AHEAD = 4
SECONDS_AHEAD = 4
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Assignment:
    """One worker's share of one point: every `of`-th request, beginning with the `index`-th.

    `limits` and `tokens_left` are those of the whole point; tokens count input and output. `expected` is how many
    requests fit into the point at most, as far as that is known. After `patience_s` without a good answer, and with
    none on its way, the point is given up. `failed_before` are the requests that failed in a row just before it.
    """

    target: Target
    manner: RequestStyle
    point: PlannedPoint
    limits: Limits
    seed: int
    calibration: Calibration
    spool: Path
    salt: str = ""
    burst_size: int = 1
    hold: bool = True
    steady_within: float | None = None
    patience_s: float = 60.0
    failed_before: int = 0
    expected: int | None = None
    tokens_left: int | None = None
    index: int = 0
    of: int = 1

    def shared(self, workers: int) -> list[Assignment]:
        """The assignment of each of so many workers; never more than there is load to share."""
        load = self.point.load
        least = [workers, load.concurrency if load.load_kind == "closed" else None, self.limits.requests]
        count = max(1, min(part for part in least if part is not None))
        return [
            replace(self, index=index, of=count, spool=self.spool.with_name(f"{self.spool.name}.{index}"))
            for index in range(count)
        ]

    def part(self, whole: int) -> int:
        """This worker's share of a number."""
        return whole // self.of + (self.index < whole % self.of)

    @property
    def load(self) -> Load:
        """This worker's share of the load."""
        load = self.point.load
        if load.load_kind == "closed" and load.concurrency is not None:
            return replace(load, concurrency=self.part(load.concurrency))
        return load

    @property
    def own_limits(self) -> Limits:
        """This worker's share of the limits."""
        whole = self.limits
        return replace(
            whole,
            requests=None if whole.requests is None else self.part(whole.requests),
            warmup_requests=self.part(whole.warmup_requests),
            tokens=None,
        )


def times(job: Assignment) -> Iterator[int] | None:
    """When each request of the whole point is meant to be sent; None in a closed loop and where a trace says it."""
    load = job.point.load
    if load.load_kind != "open" or load.request_rate is None:
        return None
    seed = seed_of(f"arrivals {job.seed} {job.point.key}")
    return arrivals.times(load.arrivals, load.request_rate, seed, job.burst_size)


class AssignedRequests:
    """The requests of an assignment in order, until the tokens run out; `lengths` has what each was asked for."""

    def __init__(self, job: Assignment) -> None:
        self.lengths: dict[int, tuple[int | None, int]] = {}
        self.ran_out = False
        self._job = job
        self._tokens = None if job.tokens_left is None else job.part(job.tokens_left)
        self._made: deque[PreparedRequest] = deque()
        self._making = self._make()
        self._prepare()

    def __iter__(self) -> Iterator[PreparedRequest]:
        while True:
            if self._made:
                yield self._made.popleft()
            elif (ask := next(self._making, None)) is not None:
                yield ask
            else:
                return

    def _prepare(self) -> None:
        load = self._job.load
        if self._job.expected is not None:
            most = self._job.part(self._job.expected)
        elif load.load_kind == "closed":
            most = ROUNDS_AHEAD * (load.concurrency or 1)
        else:
            most = int((load.request_rate or 1000) * SECONDS_AHEAD / self._job.of) + 1
        size = 0
        for ask in islice(self._making, most):
            self._made.append(ask)
            size += len(ask.body)
            if size > AHEAD_BYTES:
                return

    def _make(self) -> Iterator[PreparedRequest]:
        job = self._job
        texts = prompts(job.point, job.seed, job.calibration, job.salt)
        mine = islice(texts, job.index, None, job.of)
        schedule = times(job)
        when = None if schedule is None else islice(schedule, job.index, None, job.of)
        for prompt in mine:
            if self._tokens is not None:
                isl = len(prompt.text) // CHARACTERS_PER_TOKEN if prompt.isl is None else prompt.isl
                self._tokens -= prompt.osl + isl
                if self._tokens < 0:
                    self.ran_out = True
                    return
            at = next(when) if when is not None else None
            if prompt.at_s is not None:
                at = round(prompt.at_s * arrivals.BILLION)
            self.lengths[prompt.number] = (prompt.isl, prompt.osl)
            made = body(job.manner, prompt.text, prompt.osl, prompt.messages, job.hold)
            yield PreparedRequest(prompt.number, made, prompt.isl, prompt.osl, at)


class RunningAssignment:
    """One assignment while it is carried out; `tally` says how it goes."""

    def __init__(self, job: Assignment) -> None:
        self.job = job
        self.tally = RequestTally()
        self._asks = AssignedRequests(job)
        self._spool = Spool(job.spool)
        self._at_once = job.load.concurrency or 1
        self._precision: Precision | None = None
        if job.steady_within is not None:
            prepare()

    async def run(self, start_ns: int | None = None) -> PointRun:
        """What the load did; its exchanges are in the spool.

        NotWritten when the disk is full.
        """
        from bench.sweep.generator.load import run_point

        job = self.job
        if job.steady_within is not None:
            begin = start_ns if start_ns is not None else monotonic_ns()
            warm = begin + round(job.limits.warmup_s * arrivals.BILLION)
            self._precision = Precision(job.steady_within, self._at_once, job.limits.warmup_requests, warm)
        self.tally.good_at = max(monotonic(), (start_ns or 0) / arrivals.BILLION)
        try:
            return await run_point(
                job.target,
                iter(self._asks),
                job.load,
                job.own_limits,
                self._keep,
                start_ns=start_ns,
                enough=self._enough,
                failed_before=job.part(job.failed_before),
            )
        finally:
            self.tally.ran_out = self._asks.ran_out
            self._spool.close()

    def _keep(self, one: Exchange) -> None:
        isl, osl = self._asks.lengths.pop(one.number)
        self._spool.add(one, isl, osl)
        self.tally.add(one)
        if self._precision is not None:
            self._precision.add(one)

    def _enough(self, is_answered: bool) -> bool:
        """Whether going on tells nothing more: all fails, or all is known as closely as was asked."""
        known = self._precision is not None and self._precision.enough()
        since_good = monotonic() - self.tally.good_at
        hopeless = self.tally.failed_in_a_row > 0 and since_good >= self.job.patience_s
        self.tally.given_up = hopeless and not is_answered
        return known or self.tally.given_up
