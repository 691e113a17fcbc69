"""TOML from plain values: tables, lists of tables, texts, numbers, truths."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(document: Mapping[str, Any]) -> str:
    """The document as TOML; its own values first, then each table under its heading."""
    lines = [f"{_key(key)} = {toml(value)}" for key, value in document.items() if not _is_table(value)]
    for key, value in document.items():
        if isinstance(value, Mapping):
            lines += _table(f"[{_key(key)}]", value)
        elif _is_table(value):
            for entry in value:
                lines += _table(f"[[{_key(key)}]]", entry)
    return "\n".join(lines).lstrip("\n") + "\n"


def toml(value: Any) -> str:
    """A value on one line, as it stands behind an equals sign."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(part) for part in value) + "]"
    return repr(value)


def _table(heading: str, entries: Mapping[str, Any]) -> list[str]:
    return ["", heading, *(f"{_key(key)} = {toml(value)}" for key, value in entries.items())] if entries else []


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
    )


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL, which TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
