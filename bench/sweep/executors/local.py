"""Load from this machine: in this process, or from worker processes that start together and share one point."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from pathlib import Path
from time import monotonic_ns
from typing import Any, BinaryIO

from bench.errors import BenchError
from bench.sweep.folder import NotWritten
from bench.sweep.generator.assignment import Assignment, RunningAssignment
from bench.sweep.generator.live import RequestTally
from bench.sweep.wire.exchange import PointRun

NAME = "local"
LENGTH = 8
TOLD_EVERY_S = 0.5
START_NS, START_NS_PER_CONNECTION = 250_000_000, 1_000_000
"""How long before its start a shared point is announced: every worker must have heard and opened its connections."""
ROOT = Path(__file__).resolve().parents[3]


class Local:
    """So many load processes; with one, the load is sent from this process itself."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers
        self._processes: list[_Worker] = []
        self._work: RunningAssignment | None = None

    @property
    def tally(self) -> RequestTally:
        """How the point under way is going."""
        if self._work is not None:
            return self._work.tally
        return RequestTally.of(worker.tally for worker in self._processes)

    async def run(self, job: Assignment) -> tuple[list[Path], list[PointRun]]:
        """Where the raw samples lie and what each worker did; BenchError when a worker could not do its part."""
        jobs = job.shared(self.workers)
        if len(jobs) == 1:
            self._work = RunningAssignment(jobs[0])
            return [jobs[0].spool], [await self._work.run()]
        self._work = None
        while len(self._processes) < len(jobs):
            self._processes.append(await _Worker.started())
        workers = self._processes[: len(jobs)]
        try:
            await asyncio.gather(*(worker.prepare(part) for worker, part in zip(workers, jobs, strict=True)))
            most = max(part.load.concurrency or 0 for part in jobs)
            start = monotonic_ns() + START_NS + most * START_NS_PER_CONNECTION
            runs = await asyncio.gather(*(worker.run(start) for worker in workers))
        except BaseException:
            await self.close()
            raise
        return [part.spool for part in jobs], list(runs)

    async def close(self) -> None:
        """End the worker processes."""
        processes, self._processes = self._processes, []
        for worker in processes:
            await worker.end()


EXECUTOR = Local


class _Worker:
    """A worker process, as this one sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.tally = RequestTally()
        self._process = process

    @classmethod
    async def started(cls) -> _Worker:
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bench.sweep.executors.local",
                cwd=ROOT,
                start_new_session=True,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        )

    async def prepare(self, job: Assignment) -> None:
        """Have the worker make its requests ready."""
        self.tally = RequestTally()
        self._send(job)
        await self._hear("ready")

    async def run(self, start_ns: int) -> PointRun:
        """What the worker did."""
        self._send(start_ns)
        found: PointRun = await self._hear("done")
        return found

    async def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(_framed(message))

    async def _hear(self, wanted: str) -> Any:
        assert self._process.stdout is not None
        while True:
            try:
                kind, said = await _received(self._process.stdout)
            except asyncio.IncompleteReadError:
                raise BenchError(
                    f"A worker process ended with status {await self._process.wait()}: resume the sweep, with fewer "
                    "--workers if memory ran out."
                ) from None
            if kind == "tally":
                self.tally = said
            elif kind == "full":
                raise NotWritten(said)
            elif kind == "failed":
                raise BenchError(said)
            elif kind == wanted:
                return said


def _framed(message: object) -> bytes:
    content = pickle.dumps(message)
    return len(content).to_bytes(LENGTH) + content


async def _received(stream: asyncio.StreamReader) -> Any:
    """The next message of the other process, which is ours: nobody else can write into the pipe."""
    length = int.from_bytes(await stream.readexactly(LENGTH))
    return pickle.loads(await stream.readexactly(length))


async def _serve(stdin: Any, stdout: BinaryIO) -> None:
    """Do one assignment after another until the other process closes the pipe, or dies."""
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)

    def tell(kind: str, said: object = None) -> None:
        stdout.write(_framed((kind, said)))
        stdout.flush()

    while True:
        try:
            work = RunningAssignment(await _received(stream))
            tell("ready")
            start = await _received(stream)
            load = asyncio.ensure_future(work.run(start))
            gone = asyncio.ensure_future(stream.read(1))
            while not load.done():
                await asyncio.wait({load, gone}, timeout=TOLD_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    return
                tell("tally", work.tally)
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await gone
            load.result()
            tell("tally", work.tally)
            tell("done", load.result())
        except asyncio.IncompleteReadError:
            return
        except NotWritten as problem:
            tell("full", str(problem))
        except BenchError as problem:
            tell("failed", str(problem))


if __name__ == "__main__":
    import uvloop

    uvloop.run(_serve(sys.stdin, sys.stdout.buffer))
