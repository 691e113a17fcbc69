"""Tokens: how the endpoint counts those it is sent, and the words it answers with, one token each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

PIECE = re.compile(r"\s?\w{1,6}|\s?[^\w\s]|\s")
"""A token: up to six letters or digits with the blank before them, a sign, or a blank; 4 to 5 characters of a text."""

PER_MESSAGE, PER_CHAT = 4, 3
"""What a chat template adds, as in OpenAI's cookbook, "How to count tokens with tiktoken"."""


def tokens_of(text: str) -> list[str]:
    """The tokens of a text; joined they are the text again."""
    return PIECE.findall(text)


def count(text: str) -> int:
    """How many tokens a text has."""
    return sum(1 for _ in PIECE.finditer(text))


def prompt_text(prompt: object) -> str:
    """The text of a completion's prompt, token ids written out."""
    if isinstance(prompt, str):
        return prompt
    return "".join(map(prompt_text, prompt)) if isinstance(prompt, list) else f" {prompt}"


def prompt_tokens(prompt: object) -> int:
    """The input tokens of a completion: of a text, a list of texts, or token ids themselves."""
    if isinstance(prompt, str):
        return count(prompt)
    if isinstance(prompt, Sequence):
        return sum(1 if isinstance(part, int) else prompt_tokens(part) for part in prompt)
    return 0


def chat_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """The input tokens of a chat, with what its template adds."""
    return PER_CHAT + sum(PER_MESSAGE + count(said(message)) for message in messages)


def said(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may come in parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


@lru_cache(maxsize=1)
def words() -> tuple[str, ...]:
    """1,024 words of one length, each a token; equal length lets chunks be framed without counting bytes."""
    syllables = [c + v for c in "bdfgklmnprst" for v in "aeiou"]
    return tuple(f" {first}{second}" for first in syllables for second in syllables)[:1024]
