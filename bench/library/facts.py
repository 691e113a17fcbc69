"""Facts a person states about a source as a whole: checked, typed, and laid over its rows after reading.

A fact replaces what the file says in every row of the source; taking it back (None) brings the file's word back.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any, get_args

import pyarrow as pa

from bench import names
from bench.errors import UnknownName, UsageError
from bench.formats.reading.days import EARLIEST, may_be
from bench.formats.reading.point_table import (
    ABOUT,
    DEPLOYMENT_COLUMNS,
    LOAD_COLUMNS,
    POINT_COLUMNS,
    REAL,
    WORKLOAD_COLUMNS,
)
from bench.records import Evidence, LoadKind, Origin

STATED = ("source", "harness", "harness_version", "evidence", "origin", "date", "source_url", "note")
COLUMNS: Mapping[str, pa.DataType] = {
    **DEPLOYMENT_COLUMNS,
    **WORKLOAD_COLUMNS,
    **LOAD_COLUMNS,
    **{key: POINT_COLUMNS[key] for key in STATED},
}
PRICE = "usd_per_accelerator_hour"
"""The fact that is no column: it becomes a price of the source's accelerators."""

WANTED = ("model", "engine", "accelerator", "accelerators", "precision")
"""What a point is hard to compare without; an import reports which of these a source leaves open, and the price."""

LENGTHS = ("isl_requested", "osl_requested")
"""Wanted too, but where a data set is named: there every request has a length of its own."""

MAX_TEXT = 1000
CHOICES = {"evidence": get_args(Evidence), "origin": get_args(Origin), "load_kind": get_args(LoadKind)}
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "model": names.model_slug,
    "engine": names.engine_slug,
    "accelerator": names.accelerator_slug,
    "source": names.slugified,
}
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def checked(facts: Mapping[str, object]) -> dict[str, Any]:
    """The facts with typed values, names as canonical slugs; None takes a fact back.

    UnknownName for a key that is neither a column nor about the source; UsageError for a value that does not fit.
    """
    return {key: None if value is None or value == "" else _checked(key, value) for key, value in facts.items()}


def applied(rows: pa.Table, facts: Mapping[str, Any], columns: Mapping[str, pa.DataType]) -> pa.Table:
    """The rows with the facts that are among these columns in every one of them."""
    for key, value in facts.items():
        kind = COLUMNS.get(key)
        if kind is None or key not in columns:
            continue
        column = pa.repeat(pa.scalar(_plain(kind, value), type=kind), len(rows))
        place = rows.schema.get_field_index(key)
        rows = rows.append_column(key, column) if place < 0 else rows.set_column(place, key, column)
    return rows


def _checked(key: str, value: object) -> Any:
    if key in ABOUT:
        return _text(key, value)
    kind = REAL if key == PRICE else COLUMNS.get(key)
    if kind is None:
        raise UnknownName("fact", key, [*COLUMNS, *ABOUT, PRICE], "docs/published-format.md")
    if pa.types.is_boolean(kind):
        return _truth(key, value)
    if pa.types.is_date32(kind):
        return _date(key, value)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _number(key, value, whole=pa.types.is_integer(kind))
    text = _text(key, value)
    if key in CHOICES and text not in CHOICES[key]:
        raise UsageError(f"{key} is {text!r}; choose one of {', '.join(CHOICES[key])}.")
    if key == "source_url" and not text.startswith(("https://", "http://")):
        raise UsageError(f"source_url is {text!r}; a link begins with https:// or http://.")
    spelled = SPELLINGS.get(key, str)(text)
    if not spelled:
        raise UsageError(f"{key} is {text[:80]!r}; write a name with at least one letter a-z or digit.")
    return spelled


def _plain(kind: pa.DataType, value: Any) -> Any:
    return datetime.date.fromisoformat(value) if pa.types.is_date32(kind) and isinstance(value, str) else value


def _text(key: str, value: object) -> str:
    text = str(value).strip()
    if not text or len(text) > MAX_TEXT or "\0" in text:
        raise UsageError(f"{key} must be a text of 1 to {MAX_TEXT:,} characters.")
    return text


def _truth(key: str, value: object) -> bool:
    found = TRUTHS.get(str(value).strip().lower())
    if found is None:
        raise UsageError(f"{key} is {str(value)[:80]!r}; write true or false.")
    return found


def _date(key: str, value: object) -> str:
    expected = f"a date as 2026-11-20, from {EARLIEST.year} and not in the future"
    try:
        day = datetime.date.fromisoformat(str(value)[:10])
    except ValueError as problem:
        raise UsageError(f"{key} is {str(value)[:80]!r}; write {expected}.") from problem
    if not may_be(day):
        raise UsageError(f"{key} is {day.isoformat()}; write {expected}.")
    return day.isoformat()


def _number(key: str, value: object, *, whole: bool) -> float | int:
    expected = "a whole number" if whole else "a number"
    try:
        number = float(str(value))
    except ValueError as problem:
        raise UsageError(f"{key} is {str(value)[:80]!r}; write {expected}.") from problem
    least, most = ((1 if whole and key != "context_tokens" else 0), (1 if key == "shared_prefix_share" else 1e15))
    if not least <= number <= most or (whole and number != int(number)):
        raise UsageError(f"{key} is {str(value)[:80]!r}; write {expected} from {least} to {most:g}.")
    return int(number) if whole else number
