"""The outline of a file's first value read to its end: for keys behind lists that are longer than a beginning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.errors import InputError
from bench.formats.reading.json_text import BOM, parsed
from bench.formats.reading.outline import Outline, outline_of
from bench.formats.reading.text_file import MAX_YAML_BYTES, opened

MOST_BYTES = 128_000_000
DEEPEST = 16
MOST_MEMORY = 600_000_000
COSTS = {b",": 48, b"[": 64, b"{": 240}
"""Bytes that Python takes for a value in a list, for a list and for an object, by the mark that each has in JSON."""


def outline_of_whole(path: Path) -> Outline:
    """What the file is by its first value; of lists their first entry alone, of lines the first line.

    Raises:
        InputError: the value is no JSON, or longer or of more parts than may be read.
    """
    with opened(path) as stream:
        text = stream.readline(MOST_BYTES + 1)
        while text and not text.strip():
            text = stream.readline(MOST_BYTES + 1)
        following = stream.readline(2)
        if text[:4].removeprefix(BOM).lstrip()[:1] not in (b"{", b"["):
            return outline_of(text + following + stream.read(MAX_YAML_BYTES))
        if text.rstrip().endswith(b"}") and following.startswith(b"{"):
            return Outline("lines", _cut(_value(text, path), 0))
        text += following + stream.read(MOST_BYTES + 1)
    value = _cut(_value(text, path), 0)
    return Outline("list" if isinstance(value, list) else "object", value)


def _value(text: bytes, path: Path) -> Any:
    if len(text) > MOST_BYTES or sum(text.count(mark) * cost for mark, cost in COSTS.items()) > MOST_MEMORY:
        raise InputError(
            f"{path.name} has no key of a known result format in its first 64 KiB, and is too large to be looked "
            "through for them; put its lists behind its other keys, or divide it."
        )
    return parsed(text, path.name)


def _cut(value: Any, depth: int) -> Any:
    """The value with one entry in each list, so that it takes no room while other files are looked at."""
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        return {key: _cut(one, depth + 1) for key, one in value.items()}
    return [_cut(one, depth + 1) for one in value[:1]] if isinstance(value, list) else value
