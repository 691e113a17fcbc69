"""What an answer looks like on the wire: the events of a stream, each an HTTP chunk of its own, or one document."""

from __future__ import annotations

import json
import time
from functools import lru_cache
from typing import Any

from bench.endpoint import counting, http1
from bench.endpoint.settings import Settings

MARK = "@text@"
STREAM_HEAD = (
    http1.COMMON_START
    + b"content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
"""The headers of a stream."""


@lru_cache(maxsize=8)
def _texts(tokens_per_chunk: int) -> list[bytes]:
    """The texts chunks take in turn, twice over, so that a slice never has to wrap."""
    words = counting.words()
    once = [
        "".join(words[(start * tokens_per_chunk + place) % len(words)] for place in range(tokens_per_chunk))
        for start in range(len(words))
    ]
    return [text.encode() for text in once] * 2


class Wording:
    """The bytes of one request's answer. Nothing is encoded per token: chunks differ in words of one length alone."""

    def __init__(self, settings: Settings, chat: bool, number: int) -> None:
        self._settings, self._chat, self._number = settings, chat, number
        self._base = {
            "id": answer_id(chat, number),
            "object": "chat.completion.chunk" if chat else "text_completion",
            "created": int(time.time()),
            "model": settings.model,
        }
        self._texts = _texts(settings.tokens_per_chunk)
        self._offset = number * 131 % (len(self._texts) // 2)
        self._reasoning_chunks = -(-settings.reasoning_tokens // settings.tokens_per_chunk) if chat else 0
        self._content = self._framing("content" if chat else "text")
        self._reasoning = self._framing(settings.reasoning_field) if self._reasoning_chunks else None

    def chunks(self, at: int, many: int) -> bytes:
        """`many` full chunks from the one numbered `at`."""
        before = self._reasoning_chunks - at
        if self._reasoning and before > 0:
            if before < many:
                return self.chunks(at, before) + self.chunks(at + before, many - before)
            head, tail = self._reasoning
        else:
            head, tail = self._content
        start = (self._offset + at) % (len(self._texts) // 2)
        if many == 1:
            return head + self._texts[start] + tail
        return head + (tail + head).join(self._texts[start : start + many]) + tail

    def ending(self, at: int, tokens: int, finish: str, usage: dict[str, Any] | None) -> bytes:
        """The last chunk, of so many tokens, and all that follows it."""
        text = self._text(at, tokens)
        own = self._settings.finish == "own"
        events = [self._event({self._field(at): text}, None if own else finish)]
        if own:
            events.append(self._event({}, finish))
        if usage and self._settings.usage_chunk == "with_finish":
            events[-1]["usage"] = usage
        elif usage:
            events.append({**self._base, "choices": [], "usage": usage})
        done = _framed(b"data: [DONE]\n\n") if self._settings.done else b""
        return b"".join(map(_framed_event, events)) + done + b"0\r\n\r\n"

    def role(self) -> bytes:
        """The chunk that has a role and no token; empty for completions, which have none."""
        return _framed_event(self._event({"role": "assistant", "content": ""}, None)) if self._chat else b""

    def malformed(self) -> bytes:
        """A chunk that is not JSON."""
        return _framed(
            b'data: {"id":"'
            + answer_id(self._chat, self._number).encode()
            + b'","choices":[{"index":0,"delta":{"cont\n\n'
        )

    def error(self, body: bytes) -> bytes:
        """An error inside the stream, and the stream's end."""
        return _framed(b"data: " + body + b"\n\n") + _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"

    def document(self, tokens: int, finish: str, usage: dict[str, Any] | None) -> bytes:
        """The whole answer as one JSON document."""
        reasoning = min(self._settings.reasoning_tokens, tokens) if self._chat else 0
        message: dict[str, Any] = {"role": "assistant", "content": self._all(reasoning, tokens)}
        if reasoning:
            message[self._settings.reasoning_field] = self._all(0, reasoning)
        said = {"message": message} if self._chat else {"text": self._all(0, tokens)}
        kind = "chat.completion" if self._chat else "text_completion"
        choice = {"index": 0, **said, "logprobs": None, "finish_reason": finish}
        counted = {"usage": usage} if usage else {}
        return json.dumps({**self._base, "object": kind, "choices": [choice], **counted}).encode()

    def _field(self, at: int) -> str:
        if not self._chat:
            return "text"
        return self._settings.reasoning_field if at < self._reasoning_chunks else "content"

    def _text(self, at: int, tokens: int) -> str:
        full = self._texts[(self._offset + at) % (len(self._texts) // 2)]
        return full[: len(full) // self._settings.tokens_per_chunk * tokens].decode()

    def _all(self, start: int, end: int) -> str:
        words = counting.words()
        return "".join(words[(self._offset + place) % len(words)] for place in range(start, end))

    def _event(self, said: dict[str, Any], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": said} if self._chat else {"index": 0, "text": said.get("text", "")}
        return {**self._base, "choices": [{**choice, "logprobs": None, "finish_reason": finish}]}

    def _framing(self, field: str) -> tuple[bytes, bytes]:
        """The bytes before and after the text of a full chunk, HTTP framing included."""
        before, _, after = _sse(self._event({field: MARK}, None)).partition(MARK.encode())
        size = len(before) + len(after) + len(self._texts[0])
        return b"%x\r\n" % size + before, after + b"\r\n"


def answer_id(chat: bool, number: int) -> str:
    """The id of request `number`'s answer, by which a client's record can be matched with the log."""
    return f"{'chatcmpl' if chat else 'cmpl'}-{number}"


def _sse(event: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"


def _framed_event(event: dict[str, Any]) -> bytes:
    return _framed(_sse(event))


def _framed(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"
