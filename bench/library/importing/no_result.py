"""Files that plainly are no result, as they lie about where results do: notes, logs, scripts, pictures.

A result is data: JSON, YAML or CSV, whole or broken. What is data as far as its beginning tells, and what nobody can
tell, is never taken for one of these.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from bench.formats.reading.text_file import beginning

HEAD = 65536
LINES = 200
"""So many lines of a file are looked at."""

ASIDE = ("__MACOSX", "__pycache__")
MAGIC = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"II*\0",
    b"MM\0*",
    b"%PDF-",
    b"\0\0\0\x01Bud1",
    b"\0\x05\x16\x07",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\x7fELF",
)
"""How pictures, PDFs, what Finder and Explorer leave behind, and programs begin."""

PROSE = frozenset(".md .rst .log .out .err .py .sh .bash .ps1 .html .htm .css .js .svg .toml .ini .cfg".split())
"""Endings of texts that read like YAML or a table here and there: a log has a colon in every line."""

DATA = frozenset(".json .jsonl .ndjson .csv .tsv .yaml .yml .parquet".split())
"""Endings of data: what has one and cannot be read is broken."""

JSON_BEGINS = re.compile(
    r"""\s*(?:\{\s*(?:["}]|$)
          |\[\s*(?:[{\["\]]|$|(?:true|false|null|NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?:[,\]]|$)))""",
    re.VERBOSE,
)
JSON_LINE = re.compile(rf'{JSON_BEGINS.pattern}|\s*(?:[}}\]]|"[^"]*"\s*:)', re.VERBOSE)
YAML_LINE = re.compile(r"(?:- )?[\w.-]+:(?:\s|$)")
NAME = re.compile(r'"?[A-Za-z_][\w ./%()-]{0,60}"?')
NOT_IN_TEXT = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
DELIMITERS = ",;\t"
MOSTLY = 0.5


def is_aside(name: str) -> bool:
    """Whether a file or a folder of this name is left out wherever it lies: hidden, or a machine's own."""
    return name.startswith(".") or name in ASIDE


def is_plainly_none(path: Path) -> bool:
    """Whether a file in no known format is text that is no data, or a picture."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    if head.startswith(MAGIC) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return True
    text = beginning(head)
    if text is None or NOT_IN_TEXT.search(text) or text.count("\ufffd") > 1 + len(text) // 100:
        return False
    lines = [line for line in text.splitlines()[:LINES] if line.strip()]
    ending = path.suffix.lower()
    if not lines or ending in DATA or JSON_BEGINS.match(text) or _mostly(JSON_LINE, lines):
        return False
    return ending in PROSE or not (_is_yaml(lines) or _is_table(lines))


def _mostly(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    return sum(pattern.match(line) is not None for line in lines) >= MOSTLY * len(lines)


def _is_yaml(lines: Sequence[str]) -> bool:
    """Whether most of what begins at the margin are keys."""
    keys = [line for line in lines if not line.startswith((" ", "\t", "#", "---", "..."))]
    return bool(keys) and _mostly(YAML_LINE, keys)


def _is_table(lines: Sequence[str]) -> bool:
    """Whether most rows have as many cells as the first, which names them or has three or more."""
    for delimiter in DELIMITERS:
        header, *rows = (_cells(line, delimiter) for line in lines)
        named = all(NAME.fullmatch(cell.strip()) for cell in header)
        alike = sum(len(row) == len(header) for row in rows)
        if not rows and len(header) > 1 and all(cell.strip(' "').isidentifier() for cell in header):
            return True
        if rows and len(header) > (1 if named else 2) and alike >= MOSTLY * len(rows):
            return True
    return False


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)
