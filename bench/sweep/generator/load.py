"""The load of one point from one process: a closed loop at a concurrency, or an open loop on a schedule."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import resource
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from ssl import SSLError
from time import monotonic_ns, process_time
from typing import Any

from bench.errors import UsageError
from bench.records import Load
from bench.sweep.generator.alarm import BILLION, Alarm
from bench.sweep.generator.backlog import Backlog
from bench.sweep.generator.backoff import Backoff, refused
from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.client import Client
from bench.sweep.wire.connection import Connection
from bench.sweep.wire.exchange import Exchange, Limits, PointRun, PreparedRequest, RequestOutcome, Target

WATCH_S = 0.1
"""How often what is under way is held against its limits, and so how far past one it may go."""
LAG_EVERY_NS = 10_000_000
FIRST_SENDS = 16
"""Requests written in one go when a closed loop starts; between two goes what has come is stamped."""
CANCELLED = "the point was over before the answer was"
SETTLE_S = 0.02
"""Between the connections and the load: an endpoint that takes a connection only to reset it has done so by then."""
SPARE = 8
"""Idle connections an open loop keeps open ahead of what it needs."""


async def run_point(
    target: Target,
    asks: Iterator[PreparedRequest],
    load: Load,
    limits: Limits,
    on_exchange: Callable[[Exchange], object] | None = None,
    *,
    start_ns: int | None = None,
    enough: Callable[[bool], bool] | None = None,
    failed_before: int = 0,
) -> PointRun:
    """What the load did; each exchange goes to `on_exchange` once it is read, or into the run without one.

    A closed loop keeps exactly `load.concurrency` requests under way until the limits or the asks end; an open loop
    sends each ask at its own time, on an absolute schedule from the start, however late earlier ones are.
    A place of a closed loop that is refused rests before it asks again. `start_ns` is when the load starts, now without
    it. `enough` is asked ten times a second whether to end, and told whether an answer is on its way. When the task is
    cancelled, what is under way is kept with the outcome `cancelled`. `failed_before` are the requests that failed in a
    row until now: a load on an endpoint that is out begins as gently as the one before it ended.

    UsageError when the load is neither closed with a concurrency nor open.
    """
    if load.load_kind not in ("closed", "open") or (load.load_kind == "closed" and not (load.concurrency or 0) > 0):
        raise UsageError(f"A load of kind {load.load_kind!r} without a concurrency of 1 or more cannot be sent.")
    _allow_many_files()
    run = _Point(target, asks, load, limits, on_exchange, enough, failed_before)
    collecting, frozen = gc.isenabled(), gc.get_freeze_count() > 0
    if not frozen:  # or whoever started this process has done it, once
        gc.collect()
        gc.freeze()
    gc.disable()
    try:
        return await run.whole(start_ns)
    finally:
        if not frozen:
            gc.unfreeze()
        if collecting:
            gc.enable()


@dataclass(slots=True)
class _Rest:
    """A place of a closed loop that waits until it may ask again, and how often in a row it was asked for less."""

    handle: asyncio.TimerHandle
    connection: Connection | None
    refusals: int
    since_ns: int


class _Point:
    """The load while it runs."""

    def __init__(
        self,
        target: Target,
        asks: Iterator[PreparedRequest],
        load: Load,
        limits: Limits,
        on_exchange: Callable[[Exchange], object] | None,
        enough: Callable[[bool], bool] | None,
        failed_before: int,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.limits = limits
        self.concurrency = load.concurrency or 0 if load.load_kind == "closed" else None
        self.asks = asks
        self.enough = enough
        self.report = PointRun(start_ns=0)
        self.on_exchange = on_exchange or self.report.exchanges.append
        self.client = Client(target, limits, self.ended, self.more)
        self.backlog = Backlog(self.read)
        self.done: asyncio.Future[None] = self.loop.create_future()
        self.tasks: set[asyncio.Task[None]] = set()
        self.sending = True
        self.out_of_time = False
        self.requests_left = None if limits.requests is None else limits.requests + limits.warmup_requests
        self.tokens_left = limits.tokens
        self.stop_ns: int | None = None
        self.under_way = 0
        self.backoff = Backoff(self.concurrency or 1, failed_before)
        self.resting: dict[int, _Rest] = {}
        self.rests = count()
        self.starting = self.concurrency or 0  # requests of a closed loop's start still to be sent
        self.next: PreparedRequest | None = None  # an open loop's next request
        self.waiting: deque[WireAnswer] = deque()  # those of an open loop that no connection may be opened for
        self.probe_ns = 0
        self.sender = Alarm(self.start_closed if self.concurrency is not None else self.send_due)
        self.prober = Alarm(self.probe)
        self.watcher: asyncio.TimerHandle | None = None

    async def whole(self, start_ns: int | None) -> PointRun:
        """What the load did, from the first connection to the last byte read."""
        before = self.loop.get_exception_handler()
        self.loop.set_exception_handler(self.failed)
        try:
            await self.client.open_ahead(SPARE if self.concurrency is None else self.concurrency)
            await asyncio.sleep(SETTLE_S)
            self.begin(start_ns)
            cpu, waited = process_time(), waited_s()
            try:
                await self.done
            except asyncio.CancelledError:
                self.cancel()
                raise
            finally:
                self.report.end_ns = monotonic_ns()
                self.report.cpu_s = process_time() - cpu
                self.report.waited_s = None if waited is None else (waited_s() or waited) - waited
                self.close()
                self.backlog.empty()
                self.report.parse_s = self.backlog.spent_ns / BILLION
                self.report.connections = self.client.opened
                self.report.resent += self.client.idle.gone
            return self.report
        finally:
            self.close()
            await self.client.close()
            self.loop.set_exception_handler(before)

    def begin(self, start_ns: int | None) -> None:
        """Start the load at that time, or now."""
        start = monotonic_ns() if start_ns is None else start_ns
        self.report.start_ns = start
        if self.limits.duration_s is not None:
            self.stop_ns = start + round((self.limits.warmup_s + self.limits.duration_s) * BILLION)
        self.probe_ns = self.report.lag_from_ns = max(start, monotonic_ns())
        self.prober.set(self.probe_ns)
        self.watcher = self.loop.call_later(WATCH_S, self.watch)
        if self.concurrency is None:
            self.next = self.take()
            first = self.next.at_ns if self.next is not None and self.next.at_ns is not None else 0
            self.sender.set(start + first)
        else:
            self.sender.set(start)

    def close(self) -> None:
        """End timers and attempts to connect."""
        self.sender.close()
        self.prober.close()
        if self.watcher is not None:
            self.watcher.cancel()
        for task in list(self.tasks):
            task.cancel()
        for number in list(self.resting):
            self.awake(number)

    # What is sent

    def take(self) -> PreparedRequest | None:
        """The next request to send; None, from then on, when the point's limits or its asks have ended."""
        if not self.sending:
            return None
        late = self.stop_ns is not None and monotonic_ns() >= self.stop_ns
        ask = None if late or self.requests_left == 0 else next(self.asks, None)
        if ask is None or (self.tokens_left is not None and ask.osl > self.tokens_left):
            self.stop()
            return None
        if self.requests_left is not None:
            self.requests_left -= 1
        if self.tokens_left is not None:
            self.tokens_left -= ask.osl
        return ask

    def start_closed(self) -> None:
        """Send the first requests of a closed loop, a few at a time."""
        for _ in range(min(FIRST_SENDS, self.starting)):
            self.starting -= 1
            self.send_next(None)
        if self.starting:
            self.loop.call_soon(self.start_closed)

    def send_next(self, connection: Connection | None, refusals: int = 0) -> None:
        """Send the next request of a place of a closed loop, or end the place."""
        ask = self.take()
        if ask is not None:
            answer = self.client.answer_to(ask, None)
            answer.refusals = refusals
            self.send(answer, connection)

    def go_on(self, connection: Connection | None, answer: WireAnswer) -> None:
        """Send the next request of the place that got this answer, at once or when it has rested."""
        rest = self.backoff.rest_s(answer)
        if not rest or not self.sending:
            self.send_next(connection, answer.refusals)
            return
        number = next(self.rests)
        handle = self.loop.call_later(rest, self.rested, number)
        self.resting[number] = _Rest(handle, connection, answer.refusals, monotonic_ns())

    def rested(self, number: int) -> None:
        """Let a place go on."""
        rest = self.awake(number)
        self.send_next(rest.connection, rest.refusals)
        self.look_done()

    def awake(self, number: int) -> _Rest:
        """A place that rests no more; the time is on the point's account."""
        rest = self.resting.pop(number)
        rest.handle.cancel()
        self.report.rested_s += (monotonic_ns() - rest.since_ns) / BILLION
        return rest

    def send_due(self) -> None:
        """Send what an open loop should have sent by now, a few at a time."""
        start, now = self.report.start_ns, monotonic_ns()
        for _ in range(FIRST_SENDS):
            if self.next is None:
                return
            if self.next.at_ns is None:
                raise UsageError(f"Request {self.next.number} of an open loop has no time: give it an at_ns.")
            due = start + self.next.at_ns
            if self.stop_ns is not None and due >= self.stop_ns:
                self.stop()
                return
            if due > now:
                break
            answer = self.client.answer_to(self.next, due)
            connection = self.client.take(self.next)
            if connection is None and not self.client.makes_room(len(self.tasks)):
                self.waiting.append(answer)
            else:
                self.send(answer, connection)
            if len(self.client.idle) < SPARE // 2 and not self.tasks:
                self.keep(self.client.open_ahead(SPARE))
            self.next = self.take()
        if self.next is not None:
            self.sender.set(start + (self.next.at_ns or 0))

    def send(self, answer: WireAnswer, connection: Connection | None) -> None:
        """Write a request on a connection, on a new one where there is none or its end can be read already."""
        self.under_way += 1
        self.report.in_flight = max(self.report.in_flight, self.under_way)
        connection = self.client.suited(connection, answer.ask)
        if connection is not None and connection.usable():
            connection.send(answer, self.client.request(answer.ask))
        else:
            self.report.resent += connection is not None
            self.keep(self.send_anew(answer))

    async def send_anew(self, answer: WireAnswer) -> None:
        """Open a connection and write the request on it."""
        answer.sent_ns = monotonic_ns()
        try:
            connection = await self.client.open(answer.ask)
        except OSError as error:
            self.gave_up(answer, "connect", _reason(error) or f"no connection within {self.limits.connect_s:g} s")
        except asyncio.CancelledError:
            self.gave_up(answer, "cancelled", CANCELLED)
            self.look_done()
            raise
        else:
            if not self.out_of_time or self.concurrency is None:
                connection.send(answer, self.client.request(answer.ask))
                return
            self.gave_up(answer, "cancelled", CANCELLED)
        if self.concurrency is not None:
            self.go_on(None, answer)
        self.look_done()

    def gave_up(self, answer: WireAnswer, outcome: RequestOutcome, words: str) -> None:
        """Count a request that was never written."""
        self.under_way -= 1
        now = monotonic_ns()
        answer.sent_ns = answer.sent_ns or now
        answer.end(now, outcome, words)
        self.backlog.add(answer)

    # What comes back

    def ended(self, connection: Connection, answer: WireAnswer) -> None:
        """Take the connection back, free or gone; in a closed loop it sends at once again.

        No request is written twice: one whose connection goes before its answer is a failure, since the endpoint may
        have taken it (RFC 9110, 9.2.2: a POST is not repeated by itself).
        """
        self.under_way -= 1
        self.client.heard(answer)
        self.backlog.add(answer)
        self.report.refused += refused(answer)
        kept = connection if connection.open else None
        if self.concurrency is not None:
            self.go_on(kept, answer)
        elif self.waiting:
            self.send(self.waiting.popleft(), kept)
        elif connection.open:
            self.client.idle.append(connection)
        self.look_done()

    def more(self, connection: Connection, answer: WireAnswer) -> None:
        """Read a part of an answer."""
        self.backlog.add(answer, connection.look_for)

    def read(self, answer: WireAnswer) -> None:
        """Hand on what became of a request. Once one is answered well again, all places go on."""
        exchange = answer.exchange()
        if self.backoff.heard(answer, exchange):
            for number in [number for number, rest in self.resting.items() if not rest.refusals]:
                self.rested(number)
        self.on_exchange(exchange)

    # How it ends

    def stop(self) -> None:
        """Send no more, and let what is under way end within the drain."""
        if self.sending:
            self.sending = False
            self.next = None
            if self.limits.drain_s is not None:
                self.loop.call_later(self.limits.drain_s, self.cancel)
            self.loop.call_soon(self.look_done)

    def look_done(self) -> None:
        """End the point once nothing is sent or under way."""
        if not (self.sending or self.under_way or self.waiting or self.done.done()):
            self.done.set_result(None)

    def cancel(self) -> None:
        """Give up what is under way, and count it as cancelled."""
        self.sending, self.out_of_time = False, True
        self.next = None
        for task in list(self.tasks):
            task.cancel()
        while self.waiting:
            self.under_way += 1
            self.gave_up(self.waiting.popleft(), "cancelled", CANCELLED)
        for connection in list(self.client.connections):
            if connection.answer is not None:
                connection.cut("cancelled", CANCELLED)
        self.look_done()

    def watch(self) -> None:
        """Cut off what has passed a limit."""
        self.watcher = self.loop.call_later(WATCH_S, self.watch)
        now = monotonic_ns()
        if self.sending and (
            (self.stop_ns is not None and now >= self.stop_ns) or (self.enough and self.enough(self.is_answered()))
        ):
            self.out_of_time = True
            self.stop()
        for connection in list(self.client.connections):
            if connection.answer is not None:
                connection.check(now)

    def is_answered(self) -> bool:
        """Whether an answer is on its way: its first token has come and its last has not."""
        return any(
            connection.answer is not None and connection.answer.speaking for connection in self.client.connections
        )

    def probe(self) -> None:
        """Note how late the loop is, for every moment since the last look: what came then is as late."""
        now = monotonic_ns()
        while self.probe_ns <= now:
            self.report.lag_ns.append(now - self.probe_ns)
            self.probe_ns += LAG_EVERY_NS
        self.prober.set(self.probe_ns)

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task beside the load, whose failure is the point's."""
        task = self.loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.kept)

    def kept(self, task: asyncio.Task[None]) -> None:
        """Forget such a task that has ended."""
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self.done.done():
            self.done.set_exception(error)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the point with what goes wrong in a callback, but for a connection's own errors."""
        error = context.get("exception")
        if "transport" in context and isinstance(error, OSError):
            return
        if not self.done.done():
            self.done.set_exception(error or RuntimeError(str(context.get("message"))))


def _reason(error: OSError) -> str:
    """Why there is no connection, in words; empty when time ran out."""
    if isinstance(error, SSLError):
        return getattr(error, "verify_message", "") or error.reason or "TLS failed"
    return os.strerror(error.errno) if error.errno else str(error)


def _allow_many_files() -> None:
    """Let this process hold as many connections as the system lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def waited_s() -> float | None:
    """How long this process has been ready to run while others had the cores; None where the system does not say.

    Source: the run delay of Linux, Documentation/scheduler/sched-stats, "Per-process schedstats".
    """
    try:
        return int(Path("/proc/self/schedstat").read_bytes().split()[1]) / BILLION
    except (OSError, ValueError, IndexError):
        return None
