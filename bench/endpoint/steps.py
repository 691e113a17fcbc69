"""The batch in motion: one timer per step, one chunk per running request at the end of each."""

from __future__ import annotations

import random
import time

from bench.endpoint import timing
from bench.endpoint.batching import BatchRoom
from bench.endpoint.settings import Settings
from bench.endpoint.wheel import Wheel


class BatchSteps:
    """Steps follow each other without a gap while anybody runs; who arrives during one joins the next."""

    def __init__(self, settings: Settings, room: BatchRoom, wheel: Wheel) -> None:
        self._settings, self._room, self._wheel = settings, room, wheel
        self._draw = random.Random(f"{settings.seed} steps")
        self._going = False

    def wake(self) -> None:
        """Start a step unless one is under way: somebody waits."""
        if self._going:
            return
        due = self._begun(time.monotonic_ns())
        if due is not None:
            self._going = True
            self._wheel.add(due, self._turn)

    def _turn(self, due: int) -> int | None:
        for answer in list(self._room.running.values()):
            answer.write(due)
        following = self._begun(due)
        self._going = following is not None
        return following

    def _begun(self, now: int) -> int | None:
        """When the step that starts now ends; None when nobody runs."""
        admitted = self._room.admit()
        for answer in admitted:
            answer.admitted(now)
        if not self._room.running:
            return None
        prefilled = sum(answer.to_prefill for answer in admitted)
        return now + max(1, timing.step_ns(self._settings, len(self._room.running), prefilled, self._draw))
