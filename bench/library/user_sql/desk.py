"""Where a server's readers hand in their queries: who may, so many at once, each run by a process that waits ready."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator

from bench import access
from bench.access import Visitor
from bench.errors import QueryRefused
from bench.library.library import Library
from bench.library.user_sql import query
from bench.library.user_sql.query import Child, QueryResult, Tell
from bench.wording import counted

WAIT_LIMIT_S = 30.0


class QueryDesk:
    """Runs people's queries over one library, as many at once as there are cores and at least two, from any thread.

    A process that has opened the library takes 20 ms for a query that takes a new one 310 ms, so one is kept waiting.
    """

    def __init__(self, library: Library, at_once: int | None = None) -> None:
        self._library = library
        self.at_once = at_once or max(2, len(os.sched_getaffinity(0)))
        self._running = 0
        self._changed = threading.Condition()
        self._ready: Child | None = None

    def run(self, sql: str, visitor: Visitor, tell: Tell | None = None) -> QueryResult:
        """The rows of a query; AccessDenied or QueryRefused with one sentence where there are none.

        `tell` hears in a sentence, every quarter of a second, what is waited for; what it raises ends the query.
        """
        access.demand("query", visitor)
        query.readable(sql)
        with self._place(tell):
            return query.result_by(self._taken() or Child(self._library), sql, tell)

    def prepare(self, visitor: Visitor) -> None:
        """Have a process wait for the next query of a visitor who may ask one."""
        if not access.may("query", visitor):
            return
        with self._changed:
            if self._ready is None or not self._ready.waits:
                self._ready = Child(self._library)

    def close(self) -> None:
        """End the processes that wait."""
        child = self._taken()
        if child is not None:
            child.end()

    def _taken(self) -> Child | None:
        with self._changed:
            child, self._ready = self._ready, None
        return child if child is not None and child.waits else None

    @contextlib.contextmanager
    def _place(self, tell: Tell | None) -> Iterator[None]:
        """One of the places, waited for; QueryRefused when none becomes free."""
        until = time.monotonic() + WAIT_LIMIT_S
        while not self._entered():
            if time.monotonic() > until:
                raise QueryRefused(
                    f"Other queries took every place for {WAIT_LIMIT_S:g} s; run this one again in a moment."
                )
            if tell:
                others = counted(self.at_once, "other query is", "other queries are")
                tell(f"{others} running; this one waits for a place.")
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def _entered(self) -> bool:
        """Whether there is a place now, or was one within a quarter of a second; it is taken."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._running < self.at_once, query.TOLD_EVERY_S):
                return False
            self._running += 1
            return True
