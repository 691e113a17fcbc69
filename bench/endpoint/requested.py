"""What a request asks for, or why it is refused before it costs anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.endpoint import counting, dialects
from bench.endpoint.settings import Settings


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class ValidRequest:
    """A valid request: `most` and `least` output tokens, and how it wants them.

    `prompt` is kept where a prefix cache looks at it, and empty elsewhere.
    """

    chat: bool
    stream: bool
    usage: bool
    prompt_tokens: int
    prompt: str
    most: int
    least: int
    ignore_eos: bool


def read(settings: Settings, chat: bool, body: bytes) -> ValidRequest:
    """The request in `body`; Refused when it is not one this engine would serve."""
    given = document(body)
    refused = dialects.unknown_fields(settings.dialect, given)
    if refused:
        raise Refused(*refused)
    if given.get("model", settings.model) != settings.model:
        raise Refused(404, f"The model `{str(given['model'])[:200]}` does not exist.")
    prompt = _prompt_tokens(chat, given)
    most = _whole(given, "max_completion_tokens", _whole(given, "max_tokens", settings.default_output)) or 0
    if most < 1:
        raise Refused(400, f"max_tokens must be at least 1, got {most}.")
    if prompt + most > settings.limit_tokens:
        raise Refused(*dialects.too_long(settings.dialect, prompt, most, settings.limit_tokens))
    heeded = {name: dialects.heeds(settings.dialect, name) for name in ("ignore_eos", "min_tokens")}
    asked_usage = isinstance(how := given.get("stream_options"), Mapping) and bool(how.get("include_usage"))
    stream = bool(given.get("stream")) and settings.stream
    return ValidRequest(
        chat=chat,
        stream=stream,
        usage=settings.usage == "always" or (settings.usage == "asked" and (asked_usage or not stream)),
        prompt_tokens=prompt,
        prompt=_prompt(chat, given) if settings.prefix_caching else "",
        most=most,
        least=(_whole(given, "min_tokens", 0) or 0) if heeded["min_tokens"] else 0,
        ignore_eos=heeded["ignore_eos"] and bool(given.get("ignore_eos")),
    )


def document(body: bytes) -> dict[str, Any]:
    """The JSON object in a request's body; Refused when there is none."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "The request's body is not JSON.") from None
    if not isinstance(given, dict):
        raise Refused(400, "The request's body is not a JSON object.")
    return given


def _prompt_tokens(chat: bool, given: Mapping[str, Any]) -> int:
    if not chat:
        if not isinstance(given.get("prompt"), str | list):
            raise Refused(400, "The field prompt is missing.")
        return counting.prompt_tokens(given["prompt"])
    messages = given.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        raise Refused(400, "The field messages is missing.")
    return counting.chat_tokens(messages)


def _prompt(chat: bool, given: Mapping[str, Any]) -> str:
    return "\n".join(map(counting.said, given["messages"])) if chat else counting.prompt_text(given["prompt"])


def _whole(given: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = given.get(name)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(400, f"{name} must be a whole number, got {str(value)[:40]}.")
    return value
