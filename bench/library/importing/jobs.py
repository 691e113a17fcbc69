"""Imports under way in this process: each in a thread of its own, so that it goes on when its page is closed."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from bench.errors import BenchError
from bench.library.importing.report import ImportReport
from bench.progress import Progress

AT_ONCE = 2
"""So many imports run at a time; further ones wait their turn, since each takes a processor for itself."""

REMEMBERED = 8

Work = Callable[[Progress], ImportReport]


@dataclass
class ImportJob:
    """One import, or the dry run of one: how far it is, and what came of it.

    `shown` gives the name a person knows a file of the report by; `ended` is when it ended, in seconds since 1970.
    """

    work: Future[ImportReport]
    shown: Callable[[str], str] = str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    done: int = 0
    of: int = 0
    file: str = ""
    ended: float | None = None

    @property
    def under_way(self) -> bool:
        """Whether it has not ended yet."""
        return not self.work.done()

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1."""
        return min(1.0, self.done / self.of) if self.of else 0.0

    def wait(self, seconds: float) -> bool:
        """Whether it ended within so many seconds."""
        return bool(wait([self.work], seconds).done)

    def report(self) -> ImportReport:
        """What it did with each file; the error that ended it, where one did."""
        return self.work.result()

    @property
    def problem(self) -> str | None:
        """The sentence that ended it; None while it is under way, when it ended well, or nobody foresaw the error."""
        error = self.work.exception() if self.work.done() else None
        return str(error) if isinstance(error, BenchError) else None


class ImportJobs:
    """The imports of this process, newest last; any thread may ask."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="import")
        self._lock = threading.Lock()
        self._listed: list[ImportJob] = []

    def begin(self, work: Work, *, shown: Callable[[str], str] = str, listed: bool) -> ImportJob:
        """The import that has begun; only a listed one is shown to who opens the page meanwhile."""
        arrival = ImportJob(Future(), shown)

        def hear(done: int, of: int, file: str) -> None:
            arrival.done, arrival.of, arrival.file = done, of, file

        def followed() -> ImportReport:
            try:
                return work(hear)
            finally:
                arrival.ended = time.time()

        arrival.work = self._threads.submit(followed)
        if listed:
            with self._lock:
                self._listed = [*self._listed, arrival][-REMEMBERED:]
        return arrival

    def newest(self, within_s: float) -> ImportJob | None:
        """The newest import that is under way, or else ended within so many seconds; None where there is none."""
        with self._lock:
            listed = list(reversed(self._listed))
        under_way = next((one for one in listed if one.under_way), None)
        recent = (one for one in listed if one.ended is not None and time.time() - one.ended <= within_s)
        return under_way or next(recent, None)
