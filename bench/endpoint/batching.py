"""What requests share: capacity in requests and in KV-cache tokens, a queue in order of arrival, a prefix cache."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.endpoint.answering import Answering


BLOCK = 64
"""Characters; about the 16 tokens of an engine's block."""

MOST_BLOCKS = 65_536


class BatchRoom:
    """The running and the waiting ones. None is no limit."""

    def __init__(self, max_running: int | None, max_waiting: int | None, kv_tokens: int | None) -> None:
        self.max_running, self.max_waiting, self.most_kv = max_running, max_waiting, kv_tokens
        self.running: dict[int, Answering] = {}
        self.waiting: deque[Answering] = deque()
        self.kv_used = 0

    def offer(self, guest: Answering) -> bool:
        """Queue up; False when the queue is full. Whoever needs more than the whole cache would wait for ever."""
        if self.max_waiting is not None and self.max_running is not None:
            free = self.max_running - len(self.running)
            if len(self.waiting) >= self.max_waiting + free:
                return False
        self.waiting.append(guest)
        return True

    def admit(self) -> list[Answering]:
        """Those who may run from now on, first come, first served: nobody overtakes one who does not fit yet."""
        admitted = []
        while self.waiting and self._fits(self.waiting[0]):
            guest = self.waiting.popleft()
            self.running[id(guest)] = guest
            self.kv_used += guest.kv_tokens
            admitted.append(guest)
        return admitted

    def leave(self, guest: Answering) -> None:
        """Make room, whether the guest ran or waited."""
        if self.running.pop(id(guest), None) is not None:
            self.kv_used -= guest.kv_tokens
        elif guest in self.waiting:
            self.waiting.remove(guest)

    def kv_share(self) -> float:
        """The share of the KV cache in use; 0 where it has no limit."""
        return self.kv_used / self.most_kv if self.most_kv else 0.0

    def _fits(self, guest: Answering) -> bool:
        if self.max_running is not None and len(self.running) >= self.max_running:
            return False
        return self.most_kv is None or self.kv_used + guest.kv_tokens <= self.most_kv


class Prefixes:
    """The blocks of earlier prompts, the ones longest unused dropped first."""

    def __init__(self) -> None:
        self._known: dict[int, None] = {}

    def known_share(self, prompt: str) -> float:
        """The share of a prompt, in whole blocks from its start, that is known; all of it is known afterwards."""
        chain, same, hit = 0, 0, True
        for start in range(0, len(prompt) - BLOCK + 1, BLOCK):
            chain = hash((chain, prompt[start : start + BLOCK]))
            hit = hit and chain in self._known
            same += hit
            self._known.pop(chain, None)
            self._known[chain] = None
        while len(self._known) > MOST_BLOCKS:
            del self._known[next(iter(self._known))]
        return same * BLOCK / len(prompt) if prompt else 0.0
