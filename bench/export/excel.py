"""CSV that is safe to open in a spreadsheet."""

from __future__ import annotations

import codecs

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from bench.plain_text import csv_cell


def written(rows: pd.DataFrame) -> bytes:
    """The rows as `quoted`, behind the mark by which Excel knows UTF-8."""
    return codecs.BOM_UTF8 + quoted(rows)


def quoted(rows: pd.DataFrame) -> bytes:
    """The rows as CSV in UTF-8, columns headed by their keys; absent values are empty cells.

    Text that a spreadsheet would run as a formula gets a leading quote; lists are joined by semicolons.
    """
    safe = rows.copy(deep=False)
    for name in safe.columns:
        if not (is_numeric_dtype(safe[name]) or is_datetime64_any_dtype(safe[name])):
            safe[name] = pd.Series([_cell(value) for value in safe[name]], index=safe.index, dtype=object)
    safe.columns = [csv_cell(str(name)) for name in safe.columns]
    return safe.to_csv(index=False).encode()


def _cell(value: object) -> object:
    if hasattr(value, "__iter__") and not isinstance(value, str):
        value = "; ".join(str(item) for item in value)
    return csv_cell(value)
