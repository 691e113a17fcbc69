"""What the client makes of given bytes, fed to it as the event loop would, cut into reads as the test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.connection import Connection
from bench.sweep.wire.exchange import Exchange, Limits, PreparedRequest, Target

TARGET = Target("127.0.0.1", 8000, "/v1/chat/completions")
STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
DONE = b"data: [DONE]\n\n"


class Wire(asyncio.Transport):
    """The end of a wire that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.gone = False

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.gone = True

    def abort(self) -> None:
        self.gone = True


def heard(
    reads: Iterable[bytes], *, target: Target = TARGET, limits: Limits | None = None, osl: int = 64, closed: bool = True
) -> Exchange:
    """The exchange of a request that is answered by these reads, and by the end of the connection if `closed`."""
    limits = limits or Limits()
    connection = Connection(0, limits, lambda *_: None, lambda *_: None, lambda _: None)
    wire = Wire()
    connection.connection_made(wire)
    connection.on(None, 1_000)
    answer = WireAnswer(PreparedRequest(0, b"{}", None, osl), target, limits, None, ("secret-key",))
    connection.send(answer, b"POST")
    assert wire.written == b"POST"
    for read in reads:
        if answer.ended or wire.gone:
            break
        connection.data_received(read)
    if closed and not answer.ended:
        connection.connection_lost(None)
    assert answer.ended
    while answer.waiting:
        answer.read(7)
    return answer.exchange()


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """The data in reads that end at these places, taken around its length."""
    edges = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(edges) if start < end]


def chunked(body: bytes, sizes: Sequence[int] = (1 << 20,), trailer: bytes = b"") -> bytes:
    """A body in chunks of these sizes, again and again."""
    parts, at, number = [], 0, 0
    while at < len(body):
        size = sizes[number % len(sizes)]
        part = body[at : at + size]
        parts.append(b"%x\r\n%s\r\n" % (len(part), part))
        at, number = at + size, number + 1
    return b"".join([*parts, b"0\r\n", trailer, b"\r\n"])


def streamed(body: bytes, sizes: Sequence[int] = (1 << 20,)) -> bytes:
    """A whole answer whose body is this stream of events."""
    return STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(body, sizes)


def event(delta: dict[str, Any], finish: str | None = None, line_end: bytes = b"\n", **more: Any) -> bytes:
    """A chunk of a chat, as an event."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    text = json.dumps({"id": "chatcmpl-1", "choices": [choice], **more}, ensure_ascii=False)
    return b"data: " + text.encode() + line_end * 2


def usage(prompt: int, completion: int, line_end: bytes = b"\n", **more: Any) -> bytes:
    """The event with token counts that comes after the last chunk."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, **more}
    return b"data: " + json.dumps({"id": "chatcmpl-1", "choices": [], "usage": counts}).encode() + line_end * 2
