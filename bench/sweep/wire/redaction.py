"""Keys taken out of what an endpoint says: some repeat the key they refuse, or the whole head of a request."""

from __future__ import annotations

import json
from collections.abc import Iterable

REDACTED = "…"
SURELY = 8
"""So many characters do not stand in a document by chance; a shorter key may be part of a model's name."""


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with an ellipsis for each secret, as it is or as JSON spells it."""
    for secret in secrets:
        for form in _spellings(secret):
            text = text.replace(form, REDACTED)
    return text


def redacted_body(body: bytes, secrets: Iterable[str]) -> bytes:
    """The bytes of an answer with an ellipsis for each secret that does not stand there by chance."""
    for secret in secrets:
        if len(secret) >= SURELY:
            for form in _spellings(secret):
                body = body.replace(form.encode(), REDACTED.encode())
    return body


def _spellings(secret: str) -> list[str]:
    """The longest first: one that holds another is taken out whole."""
    inside = json.dumps(secret)[1:-1]
    return sorted({secret, inside, inside.replace("/", "\\/")}, key=len, reverse=True)
