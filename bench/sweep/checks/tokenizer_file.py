"""The tokens of a text by a model's own tokenizer.json, for endpoints that count none.

Needs the `tokenizers` library of requirements-tokenizer.txt, which the app itself does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.errors import InputError, UsageError

MOST_BYTES = 256 * 2**20
"""The largest tokenizers there are take some 35 MB."""


class TokenizerFile:
    """Counts texts by a tokenizer.json; what a chat template puts around them is not known and not counted."""

    by = "the tokenizer file, without the chat template"

    def __init__(self, path: Path) -> None:
        self._tokenizer = _read(path)

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in found]


def _read(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise UsageError(
            "endpoint.tokenizer needs the tokenizers library: pip install -r requirements-tokenizer.txt."
        ) from None
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InputError(f"{path} has {size:,} bytes, and no tokenizer.json has: give the model's own.")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise InputError(f"endpoint.tokenizer {path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError:
        raise InputError(f"endpoint.tokenizer {path} is no text: give the model's tokenizer.json.") from None
    try:
        return Tokenizer.from_str(text)
    except Exception as problem:  # the library raises bare Exceptions for a file that it cannot read
        raise InputError(f"endpoint.tokenizer {path} is no tokenizer.json: {str(problem)[:200]}.") from problem
