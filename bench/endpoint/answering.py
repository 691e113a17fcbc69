"""One request being answered: what is written at each turn, and how a failure half-way shows."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from typing import Any

from bench.endpoint import chunks, dialects, http1, timing
from bench.endpoint.connection import ClientConnection
from bench.endpoint.failures import HALF_WAY
from bench.endpoint.requested import ValidRequest
from bench.endpoint.settings import Settings
from bench.endpoint.truth import Truth

NEVER = 1 << 62
WAIT_FOR_READER_NS = 200_000
UNQUEUED_NS = 1_000_000
"""A request admitted sooner than this after it was read did not wait: its time runs from when it was read."""


class Answering:
    """A request from its admission to its last byte. `truth` records what is sent as it is sent."""

    def __init__(
        self,
        settings: Settings,
        request: ValidRequest,
        connection: ClientConnection,
        keep_alive: bool,
        truth: Truth,
        ended: Callable[[Answering], None],
    ) -> None:
        self._settings, self._asked, self._connection = settings, request, connection
        self._keep_alive, self._ended, self.truth = keep_alive, ended, truth
        self._tokens, stopped = timing.output_tokens(
            settings, truth.number, request.most, request.least, request.ignore_eos
        )
        self._finish = "stop" if stopped else "length"
        self._chunks = -(-self._tokens // settings.tokens_per_chunk)
        self._wording = chunks.Wording(settings, request.chat, truth.number)
        self._at = self._turn = self._silent_until = 0
        self._half = max(1, self._chunks // 2) if truth.failure in HALF_WAY else NEVER
        self._head = chunks.STREAM_HEAD if request.stream else b""
        self._waits: array[int] = array("q")
        self.over = self._started = False
        connection.on_loss = lambda: self._leave("client_left")

    @property
    def kv_tokens(self) -> int:
        """The room this request takes in the KV cache at its end."""
        return self._asked.prompt_tokens + self._asked.most

    @property
    def prompt_tokens(self) -> int:
        """Its input tokens."""
        return self._asked.prompt_tokens

    @property
    def to_prefill(self) -> int:
        """Its input tokens that are not in the prefix cache."""
        return self._asked.prompt_tokens - self.truth.cached_tokens

    def skip_start_of_head(self) -> None:
        """Take the common start of the headers as sent."""
        self._head = self._head[len(http1.COMMON_START) :] if self._head else self._head
        self._started = True

    def open(self) -> None:
        """Send the headers, unless they are to come with the first chunk; waiting in the queue comes after them."""
        if self._asked.stream and self._settings.headers_at_once:
            head, self._head = self._head, b""
            self._connection.send(head + (self._wording.role() if self._settings.role_chunk == "at_once" else b""))

    def admitted(self, now: int) -> int:
        """The request runs from now on; gives when its first write is due, if it keeps time on its own."""
        self.truth.admitted_ns = max(now, self.truth.received_ns)  # a late step began before it came
        if now - self.truth.received_ns < UNQUEUED_NS:
            now = self.truth.received_ns
        if self._settings.batched:
            return now
        writes = -(-self._chunks // self._settings.chunks_per_write)
        self._waits = timing.waits_ns(self._settings, self.truth.number, self.to_prefill, writes)
        return now + (self._waits[0] if self._asked.stream else sum(self._waits))

    def turn(self, due: int) -> int | None:
        """Write what is due and give when the next write is; None when there is none."""
        if self.over:
            return None
        if due < self._silent_until:
            return self._silent_until
        if self._connection.backlog and not self._settings.itl_ms:
            return time.monotonic_ns() + WAIT_FOR_READER_NS
        if not self.write(due):
            return None
        if due < self._silent_until:
            return self._silent_until
        self._turn += 1
        return due + self._waits[self._turn]

    def write(self, due: int) -> bool:
        """One write: the next chunks, and after the last one the end. Whether there is more to come."""
        if due >= self._silent_until:
            self._write(due)
        return not self.over

    def _write(self, due: int) -> None:
        if not self._asked.stream:
            self._advance_unseen(due)
            return
        if self._at >= self._half and not self._goes_on(due):
            return
        many = min(self._settings.chunks_per_write, self._chunks - self._at)
        if self._at + many < self._chunks:
            data = self._wording.chunks(self._at, many)
        else:
            data = self._wording.chunks(self._at, many - 1) if many > 1 else b""
            last = self._tokens - (self._chunks - 1) * self._settings.tokens_per_chunk
            data += self._wording.ending(self._chunks - 1, last, self._finish, self._usage())
        if not self._at:
            role = self._settings.role_chunk
            late_role = role == "with_first" or (role == "at_once" and not self._settings.headers_at_once)
            data = self._head + (self._wording.role() if late_role else b"") + data
        self._at += many
        truth = self.truth
        truth.due_ns.append(due)
        truth.sent_ns.append(time.monotonic_ns())
        self._connection.send(data)
        if self._at >= self._chunks:
            self._end("whole")

    def stop(self) -> None:
        """Tell the log that the endpoint stops: what is under way stays open in it."""
        self._leave("open")
        self._connection.lose()

    def _advance_unseen(self, due: int) -> None:
        self._at = self._at + self._settings.chunks_per_write if self._settings.batched else self._chunks
        if self._at >= self._half and not self._goes_on(due):
            return
        if self._at < self._chunks:
            return
        document = self._wording.document(self._tokens, self._finish, self._usage())
        self.truth.due_ns.append(due)
        self.truth.sent_ns.append(time.monotonic_ns())
        self._connection.send(self._document(document))
        self._at = self._chunks
        self._end("whole")

    def _document(self, document: bytes) -> bytes:
        whole = http1.answer(200, document)
        return whole[len(http1.COMMON_START) :] if self._started else whole

    def _goes_on(self, due: int) -> bool:
        """Fail as asked; whether this write still happens."""
        self._half = NEVER
        failure, connection = self.truth.failure, self._connection
        if failure == "stall":
            self._silent_until = due + round(self._settings.stall_s * 1e9)
            return False
        if self._asked.stream and failure == "malformed":
            connection.send(self._wording.malformed())
            return True
        error = dialects.error(self._settings.dialect, 500, "The engine failed while it generated (as asked for).")
        document = self._wording.document(self._tokens, self._finish, self._usage())
        if failure == "error_event":
            self._keep_alive &= not self._asked.stream
            connection.send(self._wording.error(error) if self._asked.stream else http1.answer(200, error))
            self._end("failed")
        elif failure == "malformed":
            connection.send(http1.answer(200, document[: len(document) // 2]))
            self._end("failed")
        else:
            if not self._asked.stream:
                whole = http1.answer(200, document)
                connection.send(whole[: -len(document) // 2])
            self._leave("failed")
            connection.close_when_sent()
        return False

    def _usage(self) -> dict[str, Any] | None:
        if not self._asked.usage:
            return None
        usage: dict[str, Any] = {
            "prompt_tokens": self._asked.prompt_tokens,
            "total_tokens": self._asked.prompt_tokens + self._tokens,
            "completion_tokens": self._tokens,
        }
        if self._settings.prefix_caching:
            usage["prompt_tokens_details"] = {"cached_tokens": self.truth.cached_tokens}
        if self._asked.chat and self._settings.reasoning_tokens:
            reasoning = min(self._settings.reasoning_tokens, self._tokens)
            usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
        return usage

    def _end(self, how: str) -> None:
        self._leave("failed" if how == "whole" and self.truth.failure == "malformed" else how)
        self._connection.served(self._keep_alive)

    def _leave(self, how: str) -> None:
        if self.over:
            return
        self.over = True
        self.truth.ended, self.truth.end_ns = how, time.monotonic_ns()
        self.truth.output_tokens = min(self._tokens, self._at * self._settings.tokens_per_chunk)
        self._connection.on_loss = None
        self._ended(self)
