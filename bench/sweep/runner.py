"""One sweep in one process: preflight, then point after point until its search says stop, each kept before the next.

Whatever ends it (a signal, a request to cancel, a crash, a full disk) costs at most the point under way. Resuming
replays the journal through the plan's search, which then asks for what is missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import Any

import bench
from bench.errors import BenchError, InputError, UsageError
from bench.formats.journal import EndLine, PointLine, Session
from bench.sweep import budget as budgets
from bench.sweep import profiles, spool
from bench.sweep.assignment import Asked, Assignment
from bench.sweep.bodies import Manner
from bench.sweep.calibration import Calibration
from bench.sweep.clock import ClockDrift, ClockReading
from bench.sweep.exchange import Target
from bench.sweep.executors.local import Local
from bench.sweep.finishing import Ran, deployment, line_of
from bench.sweep.folder import Folder, NotWritten, Writer
from bench.sweep.live import Pace, Tally
from bench.sweep.preflight import Preflight, preflight
from bench.sweep.profiles import Stop
from bench.sweep.prompts import lengths_to_calibrate
from bench.sweep.ramp import Finished, named
from bench.sweep.shapes import PlannedPoint
from bench.sweep.telemetry import Poller

TOLD_EVERY_S = 0.5
LOST_IN_A_ROW = 2
"""A grid ends after so many points in a row without one good answer: the next one will have none either."""

Watch = Callable[[Mapping[str, Any]], object]


@dataclass(frozen=True)
class Ended:
    """How a session ended. `state` is done, stopped (at a cap), cancelled, interrupted or failed."""

    state: str
    reason: str


def run(folder: Folder, watch: Watch | None = None) -> Ended:
    """How the sweep in this folder ended; it goes on where its journal ends. `watch` is told its status twice a second.

    Raises:
        UsageError: another process is running it, or its plan cannot be run.
        InputError: the plan or the journal cannot be read.
    """
    with folder.taken():
        return _Run(folder, watch).whole()


class _Run:
    """A session of a sweep."""

    def __init__(self, folder: Folder, watch: Watch | None) -> None:
        self.folder = folder
        self.watch = watch
        self.plan = folder.plan
        before = folder.read
        self.attempt = len(before.sessions)
        self.lines = [line for line, _ in before.points]
        self.began = monotonic()
        self.started = _now()
        self.spent_s = sum(line.seconds or 0.0 for line in self.lines)
        self.ending: Ended | None = None
        self.executor = Local(self.plan.workers or 1)
        self.pace = Pace()
        self.checks: list[dict[str, Any]] = []

    def whole(self) -> Ended:
        """How it ended, which the status and the journal say too."""
        self.folder.cancel.unlink(missing_ok=True)
        spool.clear(
            self.folder.requests, [line.samples.rpartition("/")[2] for line in self.lines if line.samples]
        )
        self.tell("checking")
        sustained: tuple[Mapping[str, Any], ...] = ()
        writer: Writer | None = None
        try:
            with _terminable():
                found = self.looked_at()
            writer = Writer(self.folder)
            writer.add(self.session(found))
            import uvloop

            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                ended, sustained = runner.run(self.points(found, writer))
        except KeyboardInterrupt:
            ended = Ended("interrupted", "It was told to end before its first point.")
        except BenchError as problem:
            ended = Ended("failed", str(problem))
        with contextlib.suppress(NotWritten):  # where nothing can be written, the sentence is all there is
            if writer is not None:
                writer.add(EndLine(ended.state, ended.reason, _now(), sustained))
            self.tell(ended.state, reason=ended.reason, sustained=list(sustained))
        if writer is not None:
            writer.close()
        return ended

    # Before the first point

    def looked_at(self) -> Preflight:
        """What the preflight found, all of it well enough to go on."""
        budgets.demand_within_caps(self.plan, budgets.budget(self.plan))
        shapes = {point.shape for point in profiles.possible(self.plan)}
        endpoint = self.plan.endpoint
        held = self.plan.point.hold_osl
        manner = Manner(endpoint.model, endpoint.api, endpoint.streaming, ignore_eos=held, min_tokens=held,
                        vendor=self.plan.vendor)  # fmt: skip
        found = preflight(
            self.asked(None).target,
            manner,
            isls=lengths_to_calibrate(shapes),
            osls=[shape.osl.least for shape in shapes if shape.osl],
            longest=max((shape.longest or 0 for shape in self.plan.shapes), default=0) or None,
            key_env=endpoint.key_env,
        )
        self.checks = [asdict(check) for check in found.checks]
        if found.problem is not None:
            raise InputError(found.problem)
        settled = self.plan.settled(context_tokens=found.engine.context_tokens)
        if settled != self.plan:
            self.plan = settled
            self.folder.keep_plan(settled)
        done = [line.key for line in self.lines]
        budgets.demand_within_caps(self.plan, budgets.budget(self.plan, _timed(found), done))
        return found

    def asked(self, found: Preflight | None) -> Asked:
        """Whom to ask; once the preflight has found the address and whether streams come, these hold."""
        endpoint = self.plan.endpoint
        if endpoint.url is None:
            raise UsageError(f"The endpoint {endpoint.name!r} is known by name only: state its URL.")
        headers = {}
        if endpoint.key_env is not None:
            key = os.environ.get(endpoint.key_env)
            if not key:
                raise UsageError(
                    f"The environment variable {endpoint.key_env} is not set, so there is no key."
                )
            headers["Authorization"] = f"Bearer {key}"
        target: Target | None = found.target if found is not None else None
        return Asked(endpoint.url, target.address if target else None, endpoint.api,
                     target.streaming if target else endpoint.streaming, endpoint.ca_file, headers)  # fmt: skip

    def session(self, found: Preflight) -> Session:
        """The session's line in the journal."""
        note = self.plan.facts.get("note")
        return Session(
            sweep=self.folder.id,
            started=self.started,
            deployment=deployment(self.plan, found.engine),
            tool_version=bench.__version__,
            evidence="simulated" if found.engine.simulates else "measured",
            simulates=found.engine.simulates,
            title=self.plan.title,
            profile=self.plan.based_on,
            api=self.plan.endpoint.api,
            streaming=found.manner.streaming,
            seed=self.plan.seed,
            max_model_len=self.plan.context_tokens,
            note=str(note) if note is not None else None,
        )

    # Point after point

    async def points(self, found: Preflight, writer: Writer) -> tuple[Ended, tuple[Mapping[str, Any], ...]]:
        """How it ended, with what was sustained where levels were climbed."""
        self.heed_signals()
        try:
            while True:
                chosen = profiles.next_load(self.plan, [_finished(line) for line in self.lines])
                if isinstance(chosen, Stop):
                    return Ended("done", chosen.reason), tuple(
                        {"level": named(one.point), "output_tokens_per_s": one.output_tokens_per_s}
                        for one in chosen.sustained
                    )
                ended = self.capped() or await self.one(chosen, found, writer)
                if ended is not None:
                    return ended, ()
        finally:
            await self.executor.close()

    async def one(self, point: PlannedPoint, found: Preflight, writer: Writer) -> Ended | None:
        """Why the sweep ends with this point; None when it is kept and the sweep goes on."""
        number = 1 + max((line.number for line in self.lines), default=0)
        load = asyncio.ensure_future(self.load(point, number, found))
        self.pace = Pace()
        while not load.done():
            await asyncio.wait({load}, timeout=TOLD_EVERY_S)
            if self.folder.cancel.exists():
                self.ending = Ended(
                    "cancelled", "It was cancelled; resume goes on with the point that was under way."
                )
            if self.ending is not None and not load.done():
                load.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await load
                return self.ending
            self.tell("running", current=self.current(point))
        ran = load.result()
        tally = self.executor.tally
        if tally.ok == 0 and tally.failed and (ended := self.lost(point, tally)) is not None:
            return ended
        samples = self.folder.requests / f"{number}.parquet"
        line = line_of(ran, self.plan, number, f"{self.folder.requests.name}/{samples.name}")
        spool.to_parquet(ran.found, ran.start_ns, samples)
        writer.add(line)
        self.lines.append(line)
        self.spent_s += ran.seconds
        spool.clear(
            self.folder.requests, [one.samples.rpartition("/")[2] for one in self.lines if one.samples]
        )
        self.tell("running", finished=line.number)
        return self.ending or self.given_up(tally)

    async def load(self, point: PlannedPoint, number: int, found: Preflight) -> Ran:
        """The load of one point and what was seen beside it."""
        limits = budgets.point_limits(self.plan, point)
        left = self.minutes_left * 60
        limits = replace(limits, duration_s=min(limits.duration_s or left, left), tokens=None,
                         requests=_least(limits.requests, self.requests_left))  # fmt: skip
        job = Assignment(
            asked=self.asked(found),
            manner=found.manner,
            point=point,
            limits=limits,
            seed=self.plan.seed or 0,
            calibration=found.calibration or Calibration(),
            spool=self.folder.requests / f"{number}.part",
            salt=f"again {self.attempt}" if self.attempt else "",
            burst_size=self.plan.loads.burst_size,
            hold=self.plan.point.hold_osl,
            tokens_left=self.tokens_left,
        )
        started, before = _now(), ClockReading.now()
        poller = Poller(found.target)
        poller.start()
        try:
            stems, runs = await self.executor.run(job)
        finally:
            await asyncio.to_thread(poller.stop)
        drift = ClockDrift.between(before, ClockReading.now())
        return Ran(point, limits, spool.gathered(stems), runs, drift, poller.readings, started)

    # Why it ends

    @property
    def requests_left(self) -> int:
        """What the cap on requests leaves."""
        return self.plan.caps.requests - sum(line.requests_sent for line in self.lines)

    @property
    def tokens_left(self) -> int:
        """What the cap on tokens leaves, by what was asked for."""
        return self.plan.caps.tokens - sum(line.tokens_asked for line in self.lines)

    @property
    def minutes_left(self) -> float:
        """What the cap on minutes leaves."""
        earlier = sum(line.seconds or 0.0 for line in self.lines if (line.started or "") < self.started)
        return self.plan.caps.minutes - (earlier + monotonic() - self.began) / 60

    def capped(self) -> Ended | None:
        """Why there is no next point, when a cap is met."""
        for name, left in (("requests", self.requests_left), ("tokens", self.tokens_left),
                           ("minutes", self.minutes_left)):  # fmt: skip
            if left <= 0:
                cap = getattr(self.plan.caps, name)
                return Ended(
                    "stopped", f"caps.{name} of {cap:,g} is used up: raise it in a new sweep for the rest."
                )
        return None

    def lost(self, point: PlannedPoint, tally: Tally) -> Ended | None:
        """Why a point whose every request failed ends the sweep without being kept; None when it is data."""
        gone = set(tally.kinds) <= {"connect"}
        if self.lines and not gone:
            return None
        return Ended(
            "failed",
            f"Every request failed at {named(point)}: {tally.reasons}. Look at the endpoint, then resume.",
        )

    def given_up(self, tally: Tally) -> Ended | None:
        """Why points that keep failing end a grid."""
        last = self.lines[-LOST_IN_A_ROW:]
        if self.plan.search != "grid" or len(last) < LOST_IN_A_ROW or any(line.requests_ok for line in last):
            return None
        return Ended(
            "failed",
            f"{LOST_IN_A_ROW} points in a row had no good answer: {tally.reasons}. Look at the endpoint, then resume.",
        )

    def heed_signals(self) -> None:
        """Nothing; SIGINT and SIGTERM end the sweep with the point under way."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            self.ending = Ended(
                "interrupted", "It was told to end; resume goes on with the point that was under way."
            )

        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(
                ValueError, RuntimeError
            ):  # outside the main thread there are no signals
                loop.add_signal_handler(number, end)

    # What is told meanwhile

    def current(self, point: PlannedPoint) -> dict[str, Any]:
        """The point under way and how it goes."""
        tally = self.executor.tally
        return {
            "key": point.key,
            "level": named(point),
            "requests_ok": tally.ok,
            "requests_failed": tally.failed,
            "output_tokens_per_s": self.pace.look(tally.tokens),
            "ttft_ms_p50": tally.ttft_ms_p50,
        }

    def tell(self, state: str, **more: Any) -> None:
        """Nothing; the status says where the sweep is."""
        possible = len(profiles.possible(self.plan))
        done = len(self.lines)
        elapsed = monotonic() - self.began
        left = self.spent_s / done * (possible - done) if done and state == "running" else None
        status = {
            "id": self.folder.id,
            "state": state,
            "title": self.plan.title,
            "pid": os.getpid(),
            "started": self.started,
            "updated": _now(),
            "points_done": done,
            "points_possible": possible,
            "seconds": elapsed,
            "seconds_left": left,
            "checks": self.checks,
            **more,
        }
        self.folder.tell(status)
        if self.watch is not None:
            self.watch(status)


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


def _timed(found: Preflight) -> budgets.Timed | None:
    if found.e2el_ms is None or not found.timed_osl:
        return None
    first = found.ttft_ms if found.ttft_ms is not None else 0.0
    return budgets.Timed(first / 1000, max(found.e2el_ms - first, 0.0) / 1000 / max(found.timed_osl - 1, 1))


def _finished(line: PointLine) -> Finished:
    return Finished(line.key, line.requests_ok, line.requests_failed, line.metrics)


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def status_of(ended: Ended) -> int:
    """The exit status: 0 when the sweep did all it was to do."""
    return 0 if ended.state in ("done", "stopped") else 1
