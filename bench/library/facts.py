"""Facts a person states about a source as a whole: checked, typed, and laid over its rows after reading.

A fact replaces what the file says in every row of the source; taking it back (None) brings the file's word back.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any, get_args

import pyarrow as pa

from bench.errors import UnknownName, UsageError
from bench.formats.reading.point_table import (
    ABOUT,
    DEPLOYMENT_COLUMNS,
    LOAD_COLUMNS,
    POINT_COLUMNS,
    REAL,
    WORKLOAD_COLUMNS,
)
from bench.formats.table.cells import POINT_CELLS, Parse, Unexpected, text, whole
from bench.records import Evidence, LoadKind, Origin

STATED = ("source", "harness", "harness_version", "evidence", "origin", "date", "source_url", "note")
COLUMNS: Mapping[str, pa.DataType] = {
    **DEPLOYMENT_COLUMNS,
    **WORKLOAD_COLUMNS,
    **LOAD_COLUMNS,
    **{key: POINT_COLUMNS[key] for key in STATED},
}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
PRICE = "usd_per_accelerator_hour"
"""The fact that is no column: it becomes a price of the source's accelerators."""

WANTED = ("model", "engine", "accelerator", "accelerators", "precision")
"""What a point is hard to compare without; an import reports which of these a source leaves open, and the price."""

LENGTHS = ("isl_requested", "osl_requested")
"""Wanted too, but where a data set is named: there every request has a length of its own."""

MAX_TEXT = 1000
CHOICES = {"evidence": get_args(Evidence), "origin": get_args(Origin), "load_kind": get_args(LoadKind)}
NAMES = ("model", "engine", "accelerator", "source")
"""The columns of canonical names."""


def _amount(cell: str) -> float:
    value = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not 0.0 <= value <= 1e15:
        raise Unexpected("a number of at least 0")
    return value


PARSERS: Mapping[str, Parse] = {
    **dict.fromkeys((*ABOUT, PRICE, *COLUMNS), text),
    **dict.fromkeys((PRICE, *(key for key, kind in COLUMNS.items() if kind == REAL)), _amount),
    **{key: POINT_CELLS[key][1] for key in COLUMNS if key in POINT_CELLS},
    "turns": whole(0),
    "request_rate": _amount,
}
"""How the text of a fact is read: as a cell of a table is, but for two that may be 0 in older ledgers."""


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
        if pa.types.is_date32(kind) and isinstance(value, str):
            value = datetime.date.fromisoformat(value)
        column = pa.repeat(pa.scalar(value, type=kind), len(rows))
        place = rows.schema.get_field_index(key)
        rows = rows.append_column(key, column) if place < 0 else rows.set_column(place, key, column)
    return rows


def _checked(key: str, value: object) -> Any:
    if key not in PARSERS:
        raise UnknownName("fact", key, PARSERS, "docs/published-format.md")
    cell = str(value).strip()
    if not cell or len(cell) > MAX_TEXT:
        raise UsageError(f"{key} must be a text of 1 to {MAX_TEXT:,} characters.")
    try:
        found = PARSERS[key](cell[:10] if key == "date" else cell)
    except Unexpected as problem:
        raise UsageError(f"{key} is {cell[:80]!r}; write {problem}.") from problem
    return found.isoformat() if isinstance(found, datetime.date) else found
