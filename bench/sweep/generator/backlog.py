"""Answers whose bytes wait to be read: a slice of them each time the event loop comes round, after all that arrived.

So reading costs no stamp more than a slice, and under the fullest load it yields to arrival until the bytes waiting
would fill memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import thread_time_ns

from bench.sweep.wire.answer import WireAnswer

SLICE = 64
"""Pieces read at once, some 50 µs of work."""
COMFORTABLE = 8_000_000
"""Bytes that may wait; for each time as many, one slice more is read at once."""


class Backlog:
    """What waits to be read. `read` hears of each answer that has ended, once all of it is read."""

    def __init__(self, read: Callable[[WireAnswer], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._read = read
        self._answers: deque[tuple[WireAnswer, Callable[[WireAnswer], None] | None]] = deque()
        self._bytes = 0
        self._scheduled = False
        self.spent_ns = 0

    def add(self, answer: WireAnswer, look: Callable[[WireAnswer], None] | None = None) -> None:
        """Have the answer's bytes read when there is time, after a look at what has come of it."""
        if answer.queued:
            return
        answer.queued = True
        self._answers.append((answer, look))
        self._bytes += answer.waiting
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._slices)

    def empty(self) -> None:
        """Read all there is."""
        start = thread_time_ns()
        while self._answers:
            self._slice()
        self.spent_ns += thread_time_ns() - start

    def _slices(self) -> None:
        start = thread_time_ns()
        for _ in range(1 + self._bytes // COMFORTABLE):
            if self._answers:
                self._slice()
        self.spent_ns += thread_time_ns() - start
        self._scheduled = bool(self._answers)
        if self._scheduled:
            self._loop.call_soon(self._slices)

    def _slice(self) -> None:
        answer, look = self._answers[0]
        if look is not None:
            look(answer)
        self._bytes = max(0, self._bytes - answer.read(SLICE))
        if answer.waiting:
            return
        self._answers.popleft()
        if not self._answers:
            self._bytes = 0
        answer.queued = False
        if answer.ended:
            self._read(answer)
