"""A real pseudo-terminal: a program is started in one, typed to and read."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class Terminal:
    """The side at which a person sits."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Returns once this text has been written since the last time; fails where it does not come."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.seen!r}"
            self._read()
        self.seen = self.seen.partition(text)[2]

    def to_the_end(self, seconds: float = 60) -> str:
        """All that is written until the program has closed the terminal."""
        deadline = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < deadline, self.seen
        return self.seen

    def _read(self) -> bool:
        if select.select([self._handle], [], [], 0.1)[0]:
            try:
                self.seen += os.read(self._handle, 1 << 16).decode(errors="replace")
            except OSError:  # as Linux says that nobody has the other side open any more
                return False
        return True


@contextmanager
def started(argv: Sequence[str], folder: Path, stdout: int | None = None, **extra: str) -> Iterator[Terminal]:
    """A program whose terminal this is; with `stdout` only its stdin and stderr are."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        argv,
        cwd=folder,
        stdin=theirs,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "200", **extra},
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            os.close(ours)
