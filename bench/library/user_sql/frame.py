"""The rows of a query as a data frame: numbers, days, words and booleans, and what is none of them written out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pandas as pd


FIRST_US, LAST_US = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1e6) for year in (1, 9999))
BEYOND = "beyond the calendar"


def frame(table: pa.Table) -> pd.DataFrame:
    """The rows with NULL as missing; exact decimals become floating point, lists and structs JSON text."""
    import pandas as pd

    kinds = {
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        **{
            getattr(pa, f"{sign}int{bits}")(): getattr(pd, f"{sign.upper()}Int{bits}Dtype")()
            for sign in ("", "u")
            for bits in (8, 16, 32, 64)
        },
    }
    plain = pa.table({name: _plain(table[name]) for name in table.column_names})
    rows: pd.DataFrame = plain.to_pandas(types_mapper=kinds.get)
    return rows


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if pa.types.is_decimal(kind):
        return _number(column)
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_string(kind):
        return column
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _days(column)
    return _texts(column)


def _number(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Integers, which a sum of integers is to DuckDB a wide decimal, as integers while they fit."""
    try:
        return column.cast(pa.int64())
    except pa.ArrowException:
        return column.cast(pa.float64())


def _days(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Days and moments in UTC; as text where one lies beyond the calendar, such as infinity."""
    try:
        moments = column.cast(pa.timestamp("us"))
    except pa.ArrowException:
        return _texts(column)
    ends = pc.min_max(moments.cast(pa.int64())).as_py()
    beyond = ends["min"] is not None and not FIRST_US <= ends["min"] <= ends["max"] <= LAST_US
    return _texts(column) if beyond else moments


def _texts(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([_written(value) for value in column], pa.string())


def python_value(scalar: pa.Scalar) -> Any:
    """The value in Python's own types; a span of time in words, and so what Python's calendar does not reach."""
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError):
        return BEYOND
    return in_words(value)


def in_words(value: Any) -> Any:
    """The value with every span of time in it in words."""
    if isinstance(value, pa.MonthDayNano):
        parts = (("months", value.months), ("days", value.days), ("s", value.nanoseconds / 1e9))
        return " ".join(f"{amount:g} {unit}" for unit, amount in parts if amount) or "0 s"
    if isinstance(value, dict):
        return {key: in_words(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_words(entry) for entry in value]
    return value


def _written(scalar: pa.Scalar) -> str | None:
    value = python_value(scalar)
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
