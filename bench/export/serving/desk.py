"""Where a server's readers get files of points: so many at a time, each written by a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from bench.errors import BenchError, UsageError
from bench.export.serving.child import REFUSED
from bench.library import confinement
from bench.wording import counted

if TYPE_CHECKING:
    from bench.export import ExportFormat
    from bench.library import Library
    from bench.view import View

TIME_LIMIT_S = 120.0
LOOKED_EVERY_S = 0.1


class Busy(UsageError):
    """Others' files take every place: the same wish may be met in a moment."""


class VisitorLeft(BenchError):
    """Whoever asked for the file has left."""


class ExportDesk:
    """Writes files of one library, `at_once` at a time, from any thread."""

    def __init__(self, library: Library, at_once: int = 2) -> None:
        self.library = library
        self.at_once = at_once
        self._places = threading.Semaphore(at_once)

    def written(
        self, kind: ExportFormat, view: View, gone: Callable[[], bool] = lambda: False, wait_s: float = 0.0
    ) -> IO[bytes]:
        """The file, from its beginning; it lies on the disk without a name until it is closed.

        Raises:
            Busy: there was no place within `wait_s`.
            Left: `gone` says so of who asked.
            UsageError: what is selected cannot be such a file, or takes too long.
        """
        if not self._places.acquire(timeout=wait_s):
            raise Busy(
                f"{counted(self.at_once, 'export is', 'exports are')} being written, as many as at once can be; "
                "ask again in a moment."
            )
        try:
            return self._by_a_process(kind, view, gone)
        finally:
            self._places.release()

    def _by_a_process(self, kind: ExportFormat, view: View, gone: Callable[[], bool]) -> IO[bytes]:
        request = {
            "folders": [[str(path), own] for path, own in self.library.folders],
            "format": kind.name,
            "query": view.query(),
            "seconds": TIME_LIMIT_S,
        }
        file = tempfile.TemporaryFile()  # noqa: SIM115 (whoever asked closes it)
        try:
            status = _ran(json.dumps(request).encode() + b"\n", file, gone)
            file.seek(0)
            if status == 0:
                return file
            raise _why(status, file)
        except BaseException:
            file.close()
            raise


def _ran(request: bytes, file: IO[bytes], gone: Callable[[], bool]) -> int:
    """The status the process ended with; VisitorLeft, and it is ended, as soon as nobody waits for it."""
    process = subprocess.Popen(
        confinement.command("bench.export.serving.child"),
        stdin=subprocess.PIPE,
        stdout=file,
        stderr=subprocess.DEVNULL,
        cwd=confinement.PROJECT,
        env=confinement.environment(),
        start_new_session=True,
    )
    end = time.monotonic() + 2 * TIME_LIMIT_S
    to_send: bytes | None = request
    try:
        while True:
            try:
                process.communicate(to_send, timeout=LOOKED_EVERY_S)
                return process.returncode
            except subprocess.TimeoutExpired:
                to_send = None  # it goes on with what it was given
                if gone():
                    raise VisitorLeft("Whoever asked for this export has left.") from None
                if time.monotonic() > end:
                    return -signal.SIGALRM
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _why(status: int, file: IO[bytes]) -> BenchError:
    if status == -signal.SIGALRM:
        return UsageError(f"The export took longer than {TIME_LIMIT_S:g} s: narrow the selection.")
    if status == REFUSED:
        told = json.load(file)
        return (UsageError if told["usage"] else BenchError)(told["why"])
    return BenchError("The export broke off; the library is unharmed. Narrow the selection, or ask again.")
