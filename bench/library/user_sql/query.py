"""SQL that people write: one SELECT, run by a process of its own, which is told the query and killed at its limits."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from bench import access
from bench.access import Visitor
from bench.errors import QueryRefused
from bench.library.library import Library
from bench.library.user_sql.child import ROW_LIMIT, TOO_MUCH
from bench.wording import counted
from bench.workers import Worker

TIME_LIMIT_S = 10.0
START_LIMIT_S = 20.0
"""A busy machine may take so long to begin; the query's own time is counted from then."""

WAIT_LIMIT_S = 30.0
TEXT_LIMIT = 100_000
TOLD_EVERY_S = 0.25
LONG_S, NICE = 1.0, 10
"""A query that takes this long may take every core until its limit; from here on it gives way."""

Tell = Callable[[str], object]

__all__ = ["ROW_LIMIT", "QueryDesk", "QueryResult", "answer", "readable", "run", "worker"]


@dataclass(frozen=True)
class QueryResult:
    """The rows of a query; `truncated` says that there were more than ROW_LIMIT rows or 64 MB."""

    table: pa.Table
    truncated: bool


class QueryDesk:
    """Runs readers' queries over one library, as many at once as there are cores and at least two, from any thread.

    A process that has opened the library takes 20 ms for a query that takes a new one 310 ms, so one is kept waiting.
    """

    def __init__(self, library: Library, at_once: int | None = None) -> None:
        self._library = library
        self.at_once = at_once or max(2, len(os.sched_getaffinity(0)))
        self._places = threading.Semaphore(self.at_once)
        self._lock = threading.Lock()
        self._ready: Worker | None = None

    def run(self, sql: str, visitor: Visitor, tell: Tell | None = None) -> QueryResult:
        """The rows of a query; AccessDenied or QueryRefused with one sentence where there are none.

        `tell` hears in a sentence, every quarter of a second, what is waited for; what it raises ends the query.
        """
        access.demand("query", visitor)
        readable(sql)
        self._wait_for_a_place(tell)
        try:
            return _result(self._waiting() or worker(self._library), sql, tell)
        finally:
            self._places.release()

    def prepare(self, visitor: Visitor) -> None:
        """Have a process wait for the next query of a visitor who may ask one."""
        if access.may("query", visitor):
            with self._lock:
                if self._ready is None or not self._ready.is_alive:
                    self._ready = worker(self._library)

    def close(self) -> None:
        """End the process that waits."""
        if (one := self._waiting()) is not None:
            one.end()

    def _waiting(self) -> Worker | None:
        """The process that waits, which is no longer the next one's."""
        with self._lock:
            one, self._ready = self._ready, None
        return one if one is not None and one.is_alive else None

    def _wait_for_a_place(self, tell: Tell | None) -> None:
        until = time.monotonic() + WAIT_LIMIT_S
        while not self._places.acquire(timeout=TOLD_EVERY_S):
            if time.monotonic() > until:
                raise QueryRefused(
                    f"Other queries took every place for {WAIT_LIMIT_S:g} s; run this one again in a moment."
                )
            if tell:
                others = counted(self.at_once, "other query is", "other queries are")
                tell(f"{others} running; this one waits for a place.")


def run(library: Library, sql: str) -> QueryResult:
    """The rows a person's SQL asks for; QueryRefused with one sentence when it is not run, fails or is stopped."""
    return _result(worker(library), readable(sql))


def worker(library: Library) -> Worker:
    """A process that opens the library's folders and waits for one query."""
    return Worker("bench.library.user_sql.child", library.folders)


def readable(sql: str) -> str:
    """The text when it can be a query at all; QueryRefused says why not."""
    if len(sql) > TEXT_LIMIT:
        raise QueryRefused(f"The query is longer than {TEXT_LIMIT:,} characters.")
    if "\0" in sql:
        raise QueryRefused("The query holds a NUL character; take it out.")
    try:
        sql.encode()
    except UnicodeEncodeError as problem:
        raise QueryRefused(
            f"Character {problem.start + 1} of the query is half a character (a lone surrogate); take it out."
        ) from problem
    return sql


def _result(process: Worker, sql: str, tell: Tell | None = None) -> QueryResult:
    """The rows by this process; `tell` hears every quarter of a second how long it has been running."""
    written, status = answer(process, sql, TIME_LIMIT_S, tell)
    if status == -signal.SIGALRM:
        raise _stopped(TIME_LIMIT_S)
    if status == -signal.SIGSEGV:
        raise QueryRefused("DuckDB could not run this query; write it more simply.")
    head, _, body = written.partition(b"\n")
    try:
        stated = json.loads(head)
        if "refused" in stated:
            raise QueryRefused(stated["refused"])
        with pa.ipc.open_stream(body) as stream:
            return QueryResult(stream.read_all(), truncated=stated["truncated"])
    except (ValueError, pa.ArrowException) as problem:
        raise QueryRefused(TOO_MUCH) from problem


def answer(process: Worker, sql: str, seconds: float, tell: Tell | None = None) -> tuple[bytes, int]:
    """What the process wrote of this query, which it ends by its own alarm, and its exit status."""
    began, written = time.monotonic(), bytearray()

    def is_over() -> bool:
        gone = time.monotonic() - began
        if gone > seconds + START_LIMIT_S:
            raise _stopped(seconds)
        if gone > LONG_S:
            _give_way(process.pid)
        if tell:
            tell(f"Running for {gone:.0f} s; a query is stopped after {seconds:g} s.")
        return False

    process.ask({"sql": sql, "seconds": seconds})
    status = process.attend(written.extend, is_over, TOLD_EVERY_S)
    return bytes(written), status


def _stopped(seconds: float) -> QueryRefused:
    return QueryRefused(f"The query was stopped after {seconds:g} s; select less.")


def _give_way(pid: int) -> None:
    """Let pages and measurements go before this process and each of its threads."""
    with contextlib.suppress(OSError):  # it has just ended
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), NICE)
