"""The failures that can be asked for: their names, which request gets which, and what the client receives."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from bench.endpoint import http1

KINDS = {
    "refused": "the connection is accepted and reset at once (counted by connection, not by request)",
    "reset": "the connection is reset before any answer",
    "429": "429 with Retry-After",
    "500": "500",
    "503": "503",
    "redirect": "307 to another path",
    "html": "200 with an HTML page",
    "error_body": "200 with a JSON error instead of an answer",
    "error_event": "half-way, the stream carries an error and ends",
    "cut": "half-way, the connection is closed",
    "malformed": "half-way, a chunk that is not JSON; the stream goes on",
    "stall": "half-way, silence; the stream then goes on",
    "slow_headers": "the headers come byte by byte",
    "huge_headers": "100 MB of headers",
    "endless_line": "a line that never ends",
    "endless_stream": "tokens that never end",
    "gzip": "a compressed body that never ends and unpacks to a thousand times its size",
}
HALF_WAY = frozenset({"error_event", "cut", "malformed", "stall"})
FLOOD_BLOCK = 65_536
HUGE_HEADERS = 100_000_000


@dataclass(frozen=True)
class EndlessAnswer:
    """An answer that is a start and then one block again and again; `most` bytes, without end when None."""

    start: bytes
    block: bytes
    most: int | None = None


def chosen(fail: Mapping[str, float], fail_at: Mapping[int, str], seed: int, number: int) -> str | None:
    """How request `number` fails; None when it does not. What is listed comes before what is drawn."""
    if number in fail_at:
        return fail_at[number] if fail_at[number] != "refused" else None
    shares = {kind: share for kind, share in fail.items() if kind != "refused"}
    return _drawn(shares, seed, number) if shares else None


def refuses(fail: Mapping[str, float], fail_at: Mapping[int, str], seed: int, number: int) -> bool:
    """Whether connection `number` is reset as soon as it is there."""
    if fail_at.get(number) == "refused":
        return True
    return "refused" in fail and _drawn({"refused": fail["refused"]}, seed + 1, number) is not None


def _drawn(shares: Mapping[str, float], seed: int, number: int) -> str | None:
    place = random.Random(f"{seed} failure {number}").random()
    for kind, share in shares.items():
        place -= share
        if place < 0:
            return kind
    return None


def instead(kind: str, path: str, retry_after_s: int, error: bytes) -> bytes | EndlessAnswer | None:
    """What the client receives instead of an answer; None when the failure belongs into an answer.

    `error` is an error body as the engine writes it.
    """
    if kind in ("429", "500", "503"):
        more = {"retry-after": str(retry_after_s)} if kind == "429" else {}
        return http1.answer(int(kind), error, headers=more)
    if kind == "redirect":
        return http1.answer(307, b"", headers={"location": f"/followed{path}"})
    if kind == "html":
        page = b"<!doctype html><html><body><h1>It works!</h1></body></html>\n"
        return http1.answer(200, page, kind="text/html; charset=utf-8")
    if kind == "error_body":
        return http1.answer(200, error)
    return _flood(kind)


def prepare() -> None:
    """Make what takes milliseconds to make, so that no answer waits for it beside."""
    for kind in KINDS:
        _flood(kind)


@cache
def _flood(kind: str) -> EndlessAnswer | None:
    unframed = http1.start(200, {"content-type": "text/event-stream; charset=utf-8", "connection": "close"})
    if kind == "huge_headers":
        return EndlessAnswer(unframed[:-2], (b"x-padding: " + b"a" * 1011 + b"\r\n") * 64, HUGE_HEADERS)
    if kind == "endless_line":
        return EndlessAnswer(unframed + b'data: {"id":"', b"a" * FLOOD_BLOCK)
    if kind == "endless_stream":
        choice = {"index": 0, "delta": {"content": " more"}, "text": " more", "finish_reason": None}
        event = b"data: " + json.dumps({"id": "chatcmpl-endless", "choices": [choice]}).encode() + b"\n\n"
        return EndlessAnswer(unframed, event * (FLOOD_BLOCK // len(event)))
    if kind == "gzip":
        packed = http1.start(
            200, {"content-type": "text/event-stream", "content-encoding": "gzip", "connection": "close"}
        )
        return EndlessAnswer(packed + b"\x1f\x8b\x08\0\0\0\0\0\0\x03", _packed_block() * 32)
    return None


def _packed_block() -> bytes:
    """A mebibyte of spaces, deflated so that the block may be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
