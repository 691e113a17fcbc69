"""The bytes of an odd endpoint's answer, and when each of them is due."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.endpoint.odd import Odd

TEXTS = (" word", ' "so"', " déjà", " a\tb.", " 你好呀…", " end\n", " b\\ck")
"""What tokens say: five characters each, some of which JSON escapes."""


@dataclass
class Write:
    """Bytes that are given to the kernel at once, so long after the request, and the tokens of the events they end."""

    at_ms: float
    data: bytes
    tokens: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Reply:
    """One answer: to whom, how much of what was asked, and what it counts."""

    id: str
    model: str
    tokens: int
    input_tokens: int
    tells_usage: bool


def head(status: int, fields: Mapping[str, str]) -> bytes:
    """The head of any answer."""
    lines = [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([f"HTTP/1.1 {status} Said", *lines, "", ""]).encode()


def document(odd: Odd, reply: Reply) -> dict[str, Any]:
    """An answer that is not streamed."""
    message = {"role": "assistant", "content": _text(0, reply.tokens)}
    return {
        "id": reply.id,
        "object": "chat.completion",
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": odd.finish}],
        **({"usage": _usage(odd, reply, reply.tokens)} if odd.usage != "none" else {}),
    }


def lasts_ms(odd: Odd, tokens: int) -> float:
    """When an answer of so many tokens is over."""
    return odd.ttft_ms + odd.itl_ms * max(0, tokens - odd.tokens_per_chunk)


def writes(odd: Odd, reply: Reply) -> Iterator[Write]:
    """The writes of a streamed answer, in order: the head, each event in its framing, and the end of the body."""
    fields = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
    yield Write(0, head(200, fields | {"transfer-encoding": "chunked"}))
    for event in _events(odd, reply):
        yield Write(event.at_ms, b"%x\r\n%s\r\n" % (len(event.data), event.data), event.tokens)
    yield Write(event.at_ms, b"0\r\n\r\n")


def _events(odd: Odd, reply: Reply) -> Iterator[Write]:
    """The stream's events, with when each is due."""
    yield _event(0, _chunk(reply, {"role": "assistant", "content": ""}))
    given = 0
    while given < reply.tokens:
        many = min(odd.tokens_per_chunk, reply.tokens - given)
        text = _text(given, many)
        given += many
        for part in (text[:2], text[2:]) if odd.halves else (text,):
            chunk = _chunk(reply, {"content": part})
            if odd.usage == "every":
                chunk["usage"] = _usage(odd, reply, given)
            yield _event(lasts_ms(odd, given), chunk, [0 if part == text[:2] else many])
    over = lasts_ms(odd, given)
    yield _event(over, _chunk(reply, {}, odd.finish))
    if odd.usage == "every" or (odd.usage == "end" and reply.tells_usage):
        yield _event(over, {**_chunk(reply, {}), "choices": [], "usage": _usage(odd, reply, given)})
    yield Write(over, b"data: [DONE]\n\n")


def _text(given: int, many: int) -> str:
    return "".join(TEXTS[place % len(TEXTS)] for place in range(given, given + many))


def _chunk(reply: Reply, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": reply.id, "object": "chat.completion.chunk", "model": reply.model, "choices": [choice]}


def _usage(odd: Odd, reply: Reply, given: int) -> dict[str, int]:
    output = given if odd.says_output is None else odd.says_output
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": output,
        "total_tokens": reply.input_tokens + output,
    }


def _event(at_ms: float, chunk: Mapping[str, Any], tokens: list[int] | None = None) -> Write:
    return Write(at_ms, f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode(), tokens or [])
