"""What one cell of a tidy table may hold, by column: text in, canonical value out, or what was expected instead."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import pyarrow as pa

from bench import names
from bench.formats.reading.days import EARLIEST, may_be
from bench.formats.reading.point_table import POINT_COLUMNS, REAL, SCORE_COLUMNS, TRUTH, WHOLE
from bench.records import Evidence, LoadKind, Origin

MAX_TEXT = 4096
MAX_WHOLE = 2**53
WHOLE_NUMBER = re.compile(r"\+?[0-9]{1,30}(?:\.0{0,30})?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TRUE, FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
MAY_BE_ZERO = frozenset({"repeat", "context_tokens", "prefill_workers", "decode_workers"})
FLAG_PARTS = ("kind", "seen", "why", "do")

Parse = Callable[[str], Any]


class Unexpected(ValueError):
    """A cell that cannot be taken; the message says what was expected."""


def text(cell: str) -> str:
    """The cell as it stands, without surrounding blanks."""
    if len(cell) > MAX_TEXT:
        raise Unexpected(f"a text of at most {MAX_TEXT:,} characters")
    if "\0" in cell:
        raise Unexpected("a text without NUL characters")
    return cell


def lower(cell: str) -> str:
    """The cell in lower case: precisions, speculation methods and the like."""
    return text(cell).lower()


def slug(canonical: Callable[[str], str]) -> Parse:
    """A parser for a name: its canonical slug."""

    def parse(cell: str) -> str:
        found = canonical(text(cell))
        if not found:
            raise Unexpected("a name with at least one letter a-z or digit")
        return found

    return parse


def choice(options: tuple[str, ...]) -> Parse:
    """A parser for one of a few words."""

    def parse(cell: str) -> str:
        word = cell.lower()
        if word not in options:
            raise Unexpected(f"one of {', '.join(options)}")
        return word

    return parse


def whole(least: int) -> Parse:
    """A parser for a whole number of at least this."""

    def parse(cell: str) -> int:
        value = int(cell.partition(".")[0]) if WHOLE_NUMBER.fullmatch(cell) else -1
        if not least <= value <= MAX_WHOLE:
            raise Unexpected(f"a whole number of at least {least}")
        return value

    return parse


def _real(cell: str) -> float:
    """The number in the cell; NaN, which no range holds, where it is none."""
    try:
        return float(cell)
    except ValueError:
        return math.nan


def share(cell: str) -> float:
    """A share between 0 and 1."""
    value = _real(cell)
    if not 0.0 <= value <= 1.0:
        raise Unexpected("a share from 0 to 1")
    return value


def rate(cell: str) -> float:
    """A rate above 0, per second."""
    value = _real(cell)
    if not 0.0 < value < 1e12:
        raise Unexpected("a number above 0")
    return value


def truth(cell: str) -> bool:
    """True or false."""
    word = cell.lower()
    if word in TRUE or word in FALSE:
        return word in TRUE
    raise Unexpected("true or false")


def day(cell: str) -> datetime.date:
    """A day between the year 2000 and tomorrow, written as 2026-11-20."""
    try:
        value = datetime.date.fromisoformat(cell) if DATE.fullmatch(cell) else None
    except ValueError:
        value = None
    if value is None or not may_be(value):
        raise Unexpected(f"a date such as 2026-11-20, from {EARLIEST.year} and not in the future")
    return value


def link(cell: str) -> str:
    """An address on the web."""
    if not text(cell).startswith(("https://", "http://")):
        raise Unexpected("an address that begins with https:// or http://")
    return cell


def texts(cell: str) -> list[str]:
    """Several texts: a JSON list, or divided by |."""
    parts = _decoded(cell) if cell.startswith("[") else cell.split("|")
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise Unexpected("texts divided by |, or a JSON list of texts")
    return [text(part.strip()) for part in parts if part.strip()]


def flags(cell: str) -> str:
    """A JSON list of flags, each with kind, seen, why and do."""
    parts = _decoded(cell)
    if not isinstance(parts, list) or not all(_is_flag(part) for part in parts):
        raise Unexpected(f"a JSON list of objects with the texts {', '.join(FLAG_PARTS)}")
    return json.dumps([{key: part[key] for key in FLAG_PARTS} for part in parts])


def _is_flag(part: object) -> bool:
    if not isinstance(part, dict) or set(part) != set(FLAG_PARTS):
        return False
    return all(isinstance(value, str) and len(value) <= MAX_TEXT for value in part.values())


def _decoded(cell: str) -> object:
    if len(cell) > 16 * MAX_TEXT or cell.count("[") + cell.count("{") > MAX_TEXT // 8:
        raise Unexpected("a shorter list")
    try:
        decoded: object = json.loads(cell)
        json.dumps(decoded, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return decoded


SPECIAL: Mapping[str, Parse] = {
    "model": slug(names.model_slug),
    "accelerator": slug(names.accelerator_slug),
    "engine": slug(names.engine_slug),
    "precision": lower,
    "kv_precision": lower,
    "speculation": lower,
    "source": slug(names.slugified),
    "source_url": link,
    "evidence": choice(get_args(Evidence)),
    "origin": choice(get_args(Origin)),
    "load_kind": choice(get_args(LoadKind)),
    "direction": choice(("higher", "lower")),
    "shared_prefix_share": share,
    "request_rate": rate,
    "turns": rate,
    "flags": flags,
}


def parser(column: str, kind: pa.DataType) -> Parse:
    """How a cell of this column is read."""
    if column in SPECIAL:
        return SPECIAL[column]
    if kind == WHOLE:
        return whole(0 if column in MAY_BE_ZERO else 1)
    by_type: dict[pa.DataType, Parse] = {TRUTH: truth, pa.date32(): day}
    return texts if pa.types.is_list(kind) else by_type.get(kind, text)


def columns(types: Mapping[str, pa.DataType]) -> dict[str, tuple[pa.DataType, Parse]]:
    """Every column that is read cell by cell, with its type; measured numbers are read as whole columns instead."""
    return {
        column: (kind, parser(column, kind))
        for column, kind in types.items()
        if column != "locator" and (kind != REAL or column in SPECIAL)
    }


POINT_CELLS = columns(POINT_COLUMNS)
SCORE_CELLS = columns(SCORE_COLUMNS)
