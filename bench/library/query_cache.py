"""What queries of one state of the library came to: an answer, its figure and its variations ask many of them again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

MOST, MOST_ROWS = 512, 50_000
"""So many results, and so many rows in all, are kept: those asked for last."""

SMALL = 5_000
"""A result of more rows is not kept: it is the points themselves, which one answer asks for once."""

FetchedRows = list[tuple[Any, ...]]


class CachedResults:
    """The small results of the queries asked of one state; they are gone with the state."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: object = None
        self._rows = 0
        self._kept: OrderedDict[tuple[str, str], tuple[tuple[Any, ...], ...]] = OrderedDict()

    def ask(
        self, state: Callable[[], object], sql: str, params: Sequence[object], run: Callable[[], FetchedRows]
    ) -> FetchedRows:
        """The rows of a query, run only where this state was not asked it before."""
        key, now = (sql, repr(params)), state()
        with self._lock:
            if now != self._state:
                self._kept.clear()
                self._rows, self._state = 0, now
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return list(known)
        rows = run()
        with self._lock:
            if key not in self._kept and len(rows) <= SMALL and state() == now == self._state:
                self._kept[key] = tuple(rows)
                self._rows += len(rows)
                while len(self._kept) > MOST or self._rows > MOST_ROWS:
                    self._rows -= len(self._kept.popitem(last=False)[1])
        return rows
