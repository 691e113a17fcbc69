"""The bytes of an odd endpoint's answer, and when each of them is due."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.endpoint.odd import Cut, Odd

TEXTS = (" word", ' "so"', " déjà", " a\tb.", " 你好呀…", " end\n", " b\\ck")
"""What tokens say: five characters each, some of which JSON escapes."""
SPLIT_MS = 2.0
"""Between the writes of one event that is cut into several."""


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
    cut: Cut | None
    tells_usage: bool
    packed: bool = False


def head(odd: Odd, status: int, fields: Mapping[str, str]) -> bytes:
    """The head of any answer, with what this endpoint's heads have beside."""
    closes = odd.says_close and (odd.http == "1.0" or not odd.keep_alive)
    keeps = {"connection": "close"} if closes else {}
    lines = [f"{name}: {value}" for name, value in {**odd.headers, **keeps, **fields}.items()]
    return "\r\n".join([f"HTTP/{odd.http} {status} Said", *lines, "", ""]).encode()


def writes(odd: Odd, reply: Reply) -> Iterator[Write]:
    """The writes of a streamed answer, in order."""
    for write in _gathered(odd, _sent(odd, reply)):
        if odd.splits < 2 or not write.tokens:
            yield write
            continue
        size = -(-len(write.data) // (odd.splits + 1))  # what is left is longer, so that the end of the line is in it
        for place in range(odd.splits - 1):
            early = SPLIT_MS * (odd.splits - 1 - place)
            yield Write(write.at_ms - early, write.data[place * size : (place + 1) * size])
        yield Write(write.at_ms, write.data[(odd.splits - 1) * size :], write.tokens)


def document(odd: Odd, reply: Reply) -> dict[str, Any]:
    """An answer that is not streamed."""
    text = "".join(TEXTS[place % len(TEXTS)] for place in range(reply.tokens))
    message = {"role": "assistant", "content": text}
    return {
        "id": reply.id,
        "object": "chat.completion",
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": odd.finish}],
        **({"usage": _usage(reply, reply.tokens)} if odd.usage != "none" else {}),
    }


def lasts_ms(odd: Odd, tokens: int) -> float:
    """When an answer of so many tokens is over."""
    return odd.ttft_ms + odd.itl_ms * max(0, tokens - odd.tokens_per_chunk)


def _sent(odd: Odd, reply: Reply) -> Iterator[Write]:
    """The head, each event in its framing, and the end of the body."""
    chunked = odd.http == "1.1"
    packer = zlib.compressobj(wbits=31) if reply.packed else None
    fields = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
    if odd.gzip:
        fields |= {"vary": "accept-encoding"} | ({"content-encoding": "gzip"} if reply.packed else {})
    yield Write(0, head(odd, 200, fields | ({"transfer-encoding": "chunked"} if chunked else {})))
    at_ms = 0.0
    for event in _events(odd, reply):
        at_ms, data = event.at_ms, event.data
        if packer is not None:
            data = packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)
        yield Write(at_ms, b"%x\r\n%s\r\n" % (len(data), data) if chunked else data, event.tokens)
    if chunked and (reply.cut or odd).terminates:
        yield Write(at_ms, b"0\r\n\r\n")


def _gathered(odd: Odd, sent: Iterable[Write]) -> Iterator[Write]:
    """The same bytes in fewer writes, as the endpoint or a proxy before it gathers them."""
    held = Write(0, b"")
    for one in sent:
        held = Write(one.at_ms, held.data + one.data, held.tokens + one.tokens)
        full = len(held.tokens) >= odd.events_per_write or not held.tokens
        if len(held.data) >= odd.hold_bytes if odd.hold_bytes else full:
            yield held
            held = Write(one.at_ms, b"")
    if held.data:
        yield held


def _events(odd: Odd, reply: Reply) -> Iterator[Write]:
    """The stream's events, with when each is due."""
    yield _event(odd, 0, _chunk(reply, {"role": "assistant", "content": ""}))
    if odd.comments:
        yield Write(odd.ttft_ms / 2, f": still working{odd.line_end * 2}".encode())
    given = 0
    while given < reply.tokens:
        many = min(odd.tokens_per_chunk, reply.tokens - given)
        delta = _delta(odd, reply, given, many)
        given += many
        chunk = _chunk(reply, delta)
        if odd.usage == "every":
            chunk["usage"] = _usage(reply, given)
        yield _event(odd, lasts_ms(odd, given), chunk, [many])
    over = lasts_ms(odd, given)
    if not reply.cut:
        if odd.finish:
            yield _event(odd, over, _chunk(reply, {}, odd.finish))
        if odd.usage == "every" or (odd.usage == "end" and reply.tells_usage):
            yield _event(odd, over, {**_chunk(reply, {}), "choices": [], "usage": _usage(reply, given)})
    if (reply.cut or odd).done:
        yield Write(over, f"data: [DONE]{odd.line_end * 2}".encode())


def _delta(odd: Odd, reply: Reply, given: int, many: int) -> dict[str, Any]:
    """What a chunk brings: these tokens, on the channel they belong to."""
    text = "".join(TEXTS[place % len(TEXTS)] for place in range(given, given + many))
    if odd.channel == "tool_calls":
        if given:
            return {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}
        call = {"id": "call-1", "type": "function", "function": {"name": "reply", "arguments": ""}}
        return {"tool_calls": [{"index": 0, **call}]}
    thinks = odd.channel == "reasoning_content" and given < reply.tokens // 2
    return {"reasoning_content" if thinks else "content": text}


def _chunk(reply: Reply, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": reply.id, "object": "chat.completion.chunk", "model": reply.model, "choices": [choice]}


def _usage(reply: Reply, given: int) -> dict[str, int]:
    return {"prompt_tokens": reply.input_tokens, "completion_tokens": given, "total_tokens": reply.input_tokens + given}


def _event(odd: Odd, at_ms: float, chunk: Mapping[str, Any], tokens: list[int] | None = None) -> Write:
    text = json.dumps({**chunk, **odd.more}, ensure_ascii=False, indent=0 if odd.data_lines else None)
    lines = [f": {at_ms:g} ms"] * odd.comments + [f"data: {line}" for line in text.split("\n")]
    return Write(at_ms, (odd.line_end.join(lines) + odd.line_end * 2).encode(), tokens or [])
