"""The body of a request: what an OpenAI-compatible route is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from bench.sweep.wire.exchange import RequestApi


@dataclass(frozen=True)
class RequestStyle:
    """How the endpoint is asked, once preflight has found what it takes.

    `usage` asks for token counts in the stream; `length_field` is what holds the output length. With `ignore_eos` or
    `min_tokens` the output is held to that length.
    """

    model: str
    api: RequestApi = "chat"
    streaming: bool = True
    usage: bool = True
    ignore_eos: bool = False
    min_tokens: bool = False
    length_field: str = "max_tokens"
    vendor: Mapping[str, Any] = field(default_factory=dict)


def body(
    manner: RequestStyle, text: str, osl: int, messages: Sequence[Mapping[str, str]] | None = None, hold: bool = True
) -> bytes:
    """The JSON of one request for `osl` tokens; `messages` take the text's place in a chat.

    `hold` False lets the model end where it will.
    """
    request: dict[str, Any] = {"model": manner.model}
    if manner.api == "chat":
        request["messages"] = list(messages) if messages is not None else [{"role": "user", "content": text}]
    else:
        request["prompt"] = text
    request[manner.length_field] = osl
    if manner.streaming:
        request["stream"] = True
        if manner.usage:
            request["stream_options"] = {"include_usage": True}
    if hold and manner.ignore_eos:
        request["ignore_eos"] = True
    if hold and manner.min_tokens:
        request["min_tokens"] = osl
    return bytes(
        memoryview(orjson.dumps(request | dict(manner.vendor)))
    )  # a copy: orjson's own holds ten times its size
