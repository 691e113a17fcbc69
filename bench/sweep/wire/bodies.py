"""The body of a request: what an OpenAI-compatible route is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from bench.sweep.wire.exchange import Api


@dataclass(frozen=True)
class Manner:
    """How the endpoint is asked, once preflight has found what it takes.

    `usage` asks for token counts in the stream; `length_field` is what holds the output length. With `ignore_eos` or
    `min_tokens` the output is held to that length.
    """

    model: str
    api: Api = "chat"
    streaming: bool = True
    usage: bool = True
    ignore_eos: bool = False
    min_tokens: bool = False
    length_field: str = "max_tokens"
    vendor: Mapping[str, Any] = field(default_factory=dict)


def body(
    manner: Manner,
    text: str,
    osl: int,
    messages: Sequence[Mapping[str, str]] | None = None,
    hold: bool = True,
) -> bytes:
    """The JSON of one request for `osl` tokens; `messages` take the text's place in a chat.

    `hold` False lets the model end where it will.
    """
    asked: dict[str, Any] = {"model": manner.model}
    if manner.api == "chat":
        asked["messages"] = list(messages) if messages is not None else [{"role": "user", "content": text}]
    else:
        asked["prompt"] = text
    asked[manner.length_field] = osl
    if manner.streaming:
        asked["stream"] = True
        if manner.usage:
            asked["stream_options"] = {"include_usage": True}
    if hold and manner.ignore_eos:
        asked["ignore_eos"] = True
    if hold and manner.min_tokens:
        asked["min_tokens"] = osl
    return bytes(
        memoryview(orjson.dumps(asked | dict(manner.vendor)))
    )  # a copy: orjson's own holds ten times its size
