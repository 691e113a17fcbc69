"""Where a server's readers get files of points: so many at a time, each written by a process of its own."""

from __future__ import annotations

import contextlib
import json
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from bench.errors import BenchError, UsageError
from bench.export.serving.child import REFUSED
from bench.wording import counted
from bench.workers import Worker

if TYPE_CHECKING:
    from bench.export import ExportFormat
    from bench.library import Library
    from bench.view import View

TIME_LIMIT_S = 120.0
LOOKED_EVERY_S = 0.1
BROKE_OFF = "The export broke off; the library is unharmed. Narrow the selection, or ask again."


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
            VisitorLeft: `gone` says so of who asked.
            UsageError: what is selected cannot be such a file, or takes too long.
        """
        if not self._places.acquire(timeout=wait_s):
            raise Busy(
                f"{counted(self.at_once, 'export is', 'exports are')} being written, as many as at once can be; "
                "ask again in a moment."
            )
        try:
            file = tempfile.TemporaryFile()  # noqa: SIM115 (whoever asked closes it)
            try:
                self._write(file, kind, view, gone)
                file.seek(0)
            except BaseException:
                with contextlib.suppress(OSError):  # what a full disk has not taken
                    file.close()
                raise
        finally:
            self._places.release()
        return file

    def _write(self, file: IO[bytes], kind: ExportFormat, view: View, gone: Callable[[], bool]) -> None:
        folders = self.library.folders
        request = {"folders": folders, "format": kind.name, "query": view.query(), "seconds": TIME_LIMIT_S}
        end = time.monotonic() + 2 * TIME_LIMIT_S  # its own alarm comes first, once it has started
        too_long = UsageError(f"The export took longer than {TIME_LIMIT_S:g} s: narrow the selection.")

        def is_over() -> bool:
            if gone():
                raise VisitorLeft("Whoever asked for this export has left.")
            if time.monotonic() > end:
                raise too_long
            return False

        try:
            status = Worker("bench.export.serving.child", request).attend(file.write, is_over, LOOKED_EVERY_S)
            file.flush()
        except OSError as problem:  # the disk is full
            raise BenchError(BROKE_OFF) from problem
        if status == -signal.SIGALRM:
            raise too_long
        if status == REFUSED:
            file.seek(0)
            told = json.load(file)
            raise (UsageError if told["usage"] else BenchError)(told["why"])
        if status != 0:
            raise BenchError(BROKE_OFF)
