"""Who runs and who waits: capacity in requests and in KV-cache tokens, and a queue in order of arrival."""

from __future__ import annotations

from collections import deque
from typing import Generic, Protocol, TypeVar


class BatchedRequest(Protocol):
    """Whatever asks to run; `kv_tokens` is the room it needs in the cache at its end."""

    @property
    def kv_tokens(self) -> int: ...  # noqa: D102


G = TypeVar("G", bound=BatchedRequest)


class BatchRoom(Generic[G]):
    """The running and the waiting ones. None is no limit."""

    def __init__(self, max_running: int | None, max_waiting: int | None, kv_tokens: int | None) -> None:
        self.max_running, self.max_waiting, self.most_kv = max_running, max_waiting, kv_tokens
        self.running: dict[int, G] = {}
        self.waiting: deque[G] = deque()
        self.kv_used = 0

    def offer(self, guest: G) -> bool:
        """Queue up; False when the queue is full. Whoever needs more than the whole cache would wait for ever."""
        if self.max_waiting is not None and self.max_running is not None:
            free = self.max_running - len(self.running)
            if len(self.waiting) >= self.max_waiting + free:
                return False
        self.waiting.append(guest)
        return True

    def admit(self) -> list[G]:
        """Those who may run from now on, first come, first served: nobody overtakes one who does not fit yet."""
        admitted = []
        while self.waiting and self._fits(self.waiting[0]):
            guest = self.waiting.popleft()
            self.running[id(guest)] = guest
            self.kv_used += guest.kv_tokens
            admitted.append(guest)
        return admitted

    def leave(self, guest: G) -> None:
        """Make room, whether the guest ran or waited."""
        if self.running.pop(id(guest), None) is not None:
            self.kv_used -= guest.kv_tokens
        elif guest in self.waiting:
            self.waiting.remove(guest)

    def kv_share(self) -> float:
        """The share of the KV cache in use; 0 where it has no limit."""
        return self.kv_used / self.most_kv if self.most_kv else 0.0

    def _fits(self, guest: G) -> bool:
        if self.max_running is not None and len(self.running) >= self.max_running:
            return False
        return self.most_kv is None or self.kv_used + guest.kv_tokens <= self.most_kv
