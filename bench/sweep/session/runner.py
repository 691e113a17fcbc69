"""One sweep in one process: preflight, then point after point until its search says stop, each kept before the next.

Whatever ends it (a signal, a request to cancel, a crash, a full disk) costs at most the point under way. Resuming
replays the journal through the plan's search, which then asks for what is missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from bench.errors import BenchError
from bench.formats.journal import EndLine, PointLine
from bench.sweep import executors
from bench.sweep.checks import budget as budgets
from bench.sweep.checks.endpoint_checks import Preflight
from bench.sweep.folder import Folder, NotWritten, Writer, now
from bench.sweep.generator import spool
from bench.sweep.generator.assignment import Assignment
from bench.sweep.generator.calibration import Calibration
from bench.sweep.generator.live import RequestTally
from bench.sweep.measured.clock import ClockDrift, ClockReading
from bench.sweep.measured.telemetry import Poller
from bench.sweep.pauses import USUAL, Pauses
from bench.sweep.planning import searches
from bench.sweep.planning.searches import Stop
from bench.sweep.planning.shapes import PlannedPoint
from bench.sweep.planning.stop_rules import Finished
from bench.sweep.session import endings, queue, setup
from bench.sweep.session.endings import CANCELLED, SessionEnd
from bench.sweep.session.origin import origin_of
from bench.sweep.session.status import StatusListener, StatusWriter

if TYPE_CHECKING:  # with numpy, which no sweep waits for before its load
    from bench.sweep.measured.finishing import FinishedLoad

PATIENCE_S, TIMES_ALONE = 10.0, 5.0
"""A point is given up after so long without a good answer, and not before so many times what one takes alone."""


class _Cancelled(Exception):
    """It was cancelled while it waited for its turn."""


def run(
    folder: Folder, watch: StatusListener | None = None, place: str = "local", pauses: Pauses = USUAL
) -> SessionEnd:
    """How the sweep in this folder ended; it goes on where its journal ends. `watch` is told its status now and then.

    The load runs from the place of this name. `pauses` say, among others, how often that is.

    UsageError when another process is running it, or its plan cannot be run; InputError when the plan or the journal
    cannot be read.
    """
    with folder.taken():
        return _Session(folder, watch, place, pauses).whole()


class _Session:
    """A session of a sweep."""

    def __init__(self, folder: Folder, watch: StatusListener | None, place: str, pauses: Pauses) -> None:
        self.folder = folder
        self.pauses = pauses
        self.plan = folder.plan
        self.teller = StatusWriter(folder, self.plan, watch)
        before = folder.read
        self.attempt = len(before.sessions)
        self.lines = [line for line, _ in before.points]
        self.before = before.repeated
        self.to_repeat = {line.key for line in self.lines if not line.measured}
        self.ending: SessionEnd | None = None
        self.failed_in_a_row = 0
        self.executor = executors.executor(place, setup.workers(self.plan))
        self.checks: list[dict[str, Any]] = []

    def whole(self) -> SessionEnd:
        """How it ended, which status and journal say too; one with nothing left to measure stays as it is."""
        if self.lines and isinstance(chosen := self.next(), Stop):
            return endings.over(self.plan, chosen, self.lines)
        spool.clear(self.folder.requests, [line.samples.rpartition("/")[2] for line in self.lines if line.samples])
        sustained: tuple[Mapping[str, Any], ...] = ()
        writer: Writer | None = None
        try:
            with _terminable():
                self.await_turn()
                checked = self.opened()
            writer = Writer(self.folder)
            writer.add(setup.session(self.plan, checked, self.folder.id, self.teller.started))
            import uvloop

            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                ended, sustained = runner.run(self.points(checked, writer))
        except KeyboardInterrupt:
            ended = SessionEnd("interrupted", "It was told to stop before its first point.")
        except _Cancelled:
            ended = CANCELLED
        except BenchError as problem:
            ended = SessionEnd("failed", str(problem))
        # Each by itself: a full disk may take the one and not the other. Where it takes neither, the sentence is all.
        if writer is not None:
            with contextlib.suppress(NotWritten):
                writer.add(EndLine(ended.state, ended.reason, now(), sustained))
            writer.close()
        with contextlib.suppress(NotWritten):
            self.tell(ended.state, reason=ended.reason, sustained=list(sustained))
        return ended

    def await_turn(self) -> None:
        """Wait until no other sweep measures this endpoint and the cores are free. _Cancelled when told so."""

        def begin() -> None:
            self.teller.begin()
            self.tell("checking")

        standing, over = self.teller.standing, self.folder.cancel.exists
        waits, look_s = partial(self.waits, queue.QUEUED), self.pauses.turn_s
        if not queue.await_turn(self.folder, standing, waiting=waits, begins=begin, over=over, look_s=look_s):
            raise _Cancelled

    def opened(self) -> Preflight:
        """What the preflight found, all of it well enough to go on."""
        came = origin_of(self.folder)
        checked = setup.looked_at(
            self.plan,
            from_page=came is not None and came.from_page,
            minutes=self.minutes_left,
            waiting=partial(self.waits, "checking"),
            pauses=self.pauses,
        )
        self.checks = [asdict(check) for check in checked.checks]
        settled = setup.settled(self.plan, checked, [line.key for line in self.lines])
        if settled != self.plan:
            self.plan = settled
            self.folder.keep_plan(settled)
        return checked

    def waits(self, state: str, why: str) -> None:
        """Say in the status what is waited for. _Cancelled when told so."""
        if self.folder.cancel.exists():
            raise _Cancelled
        self.tell(state, reason=why)

    # Point after point

    def next(self) -> PlannedPoint | Stop:
        """The point to measure next, or why there is none; what failed in an earlier session comes again."""
        return searches.next_load(self.plan, [Finished.of(line) for line in self.measured_now])

    async def points(self, checked: Preflight, writer: Writer) -> tuple[SessionEnd, tuple[Mapping[str, Any], ...]]:
        """How it ended, with what was sustained where levels were climbed."""
        self.heed_signals()
        try:
            while True:
                chosen = self.next()
                if isinstance(chosen, Stop):
                    return endings.over(self.plan, chosen, self.lines), tuple(
                        {"level": one.point.words, "output_tokens_per_s": one.output_tokens_per_s}
                        for one in chosen.sustained
                    )
                self.heed_cancel()
                ended = self.ending or self.capped() or await self.one(chosen, checked, writer)
                if ended is not None:
                    return ended, ()
        finally:
            await self.executor.close()

    async def one(self, point: PlannedPoint, checked: Preflight, writer: Writer) -> SessionEnd | None:
        """Why the sweep ends with this point; None when it is kept and the sweep goes on."""
        number = 1 + max((line.number for line in (*self.lines, *self.before)), default=0)
        load = asyncio.ensure_future(self.load(point, number, checked))
        self.teller.begin_point()
        try:
            while not load.done():
                await asyncio.wait({load}, timeout=self.pauses.point_s)
                self.heed_cancel()
                if self.ending is not None and not load.done():
                    return self.ending
                # Aside: a busy disk or terminal may take longer than the load can wait.
                await asyncio.to_thread(self.tell, "running", current=self.teller.current(point, self.executor.tally))
        finally:
            await _over(load)
        from bench.sweep.measured.finishing import line_of
        from bench.sweep.measured.request_file import to_parquet

        ran = load.result()
        tally = self.executor.tally
        self.failed_in_a_row = tally.failed_in_a_row + (0 if tally.ok else self.failed_in_a_row)
        if not len(ran.spooled):
            return endings.empty(self.plan, ran, self.cut(ran, tally))
        samples = self.folder.requests / f"{number}.parquet"
        cut = self.cut(ran, tally)
        line = line_of(ran, self.plan, number, f"{self.folder.requests.name}/{samples.name}")
        if cut is not None:
            line = replace(line, flags=(*line.flags, endings.capped(cut, len(ran.spooled))))
        to_parquet(ran.spooled, ran.start_ns, samples, ran.readings)
        writer.add(line)
        self.keep(line)
        spool.clear(self.folder.requests, [one.samples.rpartition("/")[2] for one in self.lines if one.samples])
        self.tell("running", finished=line.number)
        if self.ending is not None or cut is None:
            return self.ending or endings.given_up(self.plan, self.measured_now)
        return endings.used_up(self.plan, cut)

    def keep(self, line: PointLine) -> None:
        """Take in a point's line, in place of the one it had when it failed in an earlier session."""
        self.before = (*self.before, *(one for one in self.lines if one.key == line.key))
        self.lines = [*(one for one in self.lines if one.key != line.key), line]
        self.to_repeat.discard(line.key)

    async def load(self, point: PlannedPoint, number: int, checked: Preflight) -> FinishedLoad:
        """The load of one point and what was seen beside it."""
        limits = budgets.point_limits(self.plan, point, setup.timed(checked))
        left = self.minutes_left * 60
        limits = replace(
            limits,
            duration_s=min(limits.duration_s or left, left),
            tokens=None,
            requests=min(limits.requests or self.requests_left, self.requests_left),
        )
        job = Assignment(
            target=checked.target,
            manner=checked.manner,
            point=point,
            limits=limits,
            seed=self.plan.seed or 0,
            calibration=checked.calibration or Calibration(),
            spool=self.folder.requests / f"{number}.part",
            salt=f"again {self.attempt}" if self.attempt else "",
            burst_size=self.plan.loads.burst_size,
            hold=self.plan.point.hold_osl,
            expected=budgets.most_requests(self.plan, point, setup.timed(checked)),
            steady_within=self.plan.point.steady_within,
            patience_s=self.patience_s(point, checked),
            failed_before=self.failed_in_a_row,
            tokens_left=self.tokens_left,
        )
        started, before = now(), ClockReading.now()
        poller = Poller(checked.target)
        try:
            stems, runs = await self.executor.run(job)
        finally:
            await asyncio.to_thread(poller.close)
        drift = ClockDrift.between(before, ClockReading.now())
        from bench.sweep.generator.samples import gathered
        from bench.sweep.measured.finishing import FinishedLoad

        return FinishedLoad(
            point,
            limits,
            gathered(stems),
            runs,
            drift,
            poller.readings,
            started,
            reasons=self.executor.tally.reasons,
            given_up=self.executor.tally.given_up,
            bases=[base.where for base in checked.target.bases],
            usage_is_constant=checked.usage_is_constant,
            together_alone=checked.together,
            counts_isl=checked.counts_by is not None or not point.shape.isl,
            holds_osl=self.plan.point.hold_osl and (checked.manner.ignore_eos or checked.manner.min_tokens),
        )

    def patience_s(self, point: PlannedPoint, checked: Preflight) -> float:
        """How long a point goes on without a good answer."""
        alone = budgets.alone_s(point, setup.timed(checked)) or 0.0
        return max(min(PATIENCE_S, endings.patience_s(self.plan)), TIMES_ALONE * alone)

    @property
    def measured_now(self) -> list[PointLine]:
        """The points of this session, and those of earlier ones that are not to be measured again."""
        return [line for line in self.lines if line.key not in self.to_repeat]

    # Why it ends

    @property
    def requests_left(self) -> int:
        """What the cap on requests leaves."""
        return self.plan.caps.requests - sum(line.requests_sent for line in (*self.lines, *self.before))

    @property
    def tokens_left(self) -> int:
        """What the cap on tokens leaves, by what was asked for."""
        return self.plan.caps.tokens - sum(line.tokens_asked for line in (*self.lines, *self.before))

    @property
    def minutes_left(self) -> float:
        """What the cap on minutes leaves."""
        earlier = sum(
            line.seconds or 0.0 for line in (*self.lines, *self.before) if (line.started or "") < self.teller.started
        )
        return self.plan.caps.minutes - (earlier + monotonic() - self.teller.began) / 60

    def capped(self) -> SessionEnd | None:
        """Why there is no next point, when a cap is met."""
        left = {"requests": self.requests_left, "tokens": self.tokens_left, "minutes": self.minutes_left}
        return next((endings.used_up(self.plan, name) for name, rest in left.items() if rest <= 0), None)

    def cut(self, ran: FinishedLoad, tally: RequestTally) -> str | None:
        """The cap that ended a point before its time; None when none did."""
        planned = budgets.measured_requests(self.plan, ran.point)
        if tally.ran_out:
            return "tokens"
        if ran.limits.requests is not None and (planned is None or ran.limits.requests < planned):
            return "requests" if len(ran.spooled) >= ran.limits.requests else None
        return "minutes" if self.minutes_left <= 0 else None

    def heed_cancel(self) -> None:
        """End the sweep when the file that asks for it is there."""
        if self.folder.cancel.exists():
            self.ending = CANCELLED

    def heed_signals(self) -> None:
        """End the sweep at SIGINT and SIGTERM with the point under way."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            self.ending = SessionEnd("interrupted", "It was told to stop; resume measures what is missing.")

        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError, RuntimeError):  # outside the main thread there are no signals
                loop.add_signal_handler(number, end)

    # What is told meanwhile

    def tell(self, state: str, **more: Any) -> None:
        """Say in the status where the sweep is."""
        self.teller.tell(state, self.plan, self.lines, self.checks, **more)


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


async def _over(load: asyncio.Future[FinishedLoad]) -> None:
    """End the load, where it has not ended itself; what went wrong in it is in its result."""
    load.cancel()
    await asyncio.wait({load})
    if not load.cancelled():
        load.exception()
