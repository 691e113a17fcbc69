"""The supervised child process: imports, exports and people's SQL run in one, which is confined and can be ended."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import select
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

PROJECT = Path(__file__).resolve().parents[1]
PIPE_BYTES = 1 << 20
"""Room for a long query, so that nobody waits for a process that is still starting."""

BLOCK = 1 << 16


class Worker:
    """A process that runs a module of the project and sees no key and no setting of the app.

    It gets `request` as a line of JSON on stdin, writes its answer to stdout, and ends with this object at the latest.
    """

    def __init__(
        self, module: str, request: object, errors: int | IO[bytes] = subprocess.DEVNULL, **variables: str
    ) -> None:
        self._process = subprocess.Popen(
            command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=PROJECT,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **variables},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # where the system gives no more, who asks waits for the start
            fcntl.fcntl(self._process.stdin, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.pid = self._process.pid
        self.end = weakref.finalize(self, _end, self._process)
        self.ask(request)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def ask(self, request: object) -> None:
        """Write a further line to its stdin; of one that has died the answer is missing then."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request, default=str).encode() + b"\n")
            self._process.stdin.flush()

    def attend(self, take: Callable[[bytes], object], is_over: Callable[[], bool], every_s: float) -> int:
        """The exit status; `take` gets what it writes, as it comes.

        `is_over` is asked every `every_s` seconds whether it is to be killed; what it raises ends the process too.
        """
        assert self._process.stdout is not None
        handle, due = self._process.stdout.fileno(), time.monotonic() + every_s
        written = select.poll()
        written.register(handle, select.POLLIN)
        try:
            while True:
                if written.poll(1000 * every_s):
                    block = os.read(handle, BLOCK)
                    if not block:
                        return self._process.wait()
                    take(block)
                if time.monotonic() >= due:
                    if is_over():
                        self._process.kill()  # what it wrote before is still read
                    due = time.monotonic() + every_s
        finally:
            self.end()


def command(module: str) -> list[str]:
    """The command that runs a module of the project, in the folder PROJECT."""
    return [sys.executable, "-m", module]


def limit_memory(cursor: duckdb.DuckDBPyConnection, room: int) -> None:
    """Let this process reserve `room` bytes more than now, all of DuckDB's threads running.

    The limit is on top of what is reserved because that grows with the machine's cores: an allocator's arenas and
    the threads' stacks are address space, not memory.
    """
    cursor.execute("SELECT count(*) FROM range(1_000_000)").fetchall()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
