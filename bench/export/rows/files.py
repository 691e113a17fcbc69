"""Rows as CSV, for programs and spreadsheets alike, and as Parquet."""

from __future__ import annotations

import codecs
import io

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from bench.plain_text import csv_cell


def csv(rows: pd.DataFrame) -> bytes:
    """The rows as CSV in UTF-8, columns headed by their keys; absent values are empty cells, lists joined by "; ".

    Text that a spreadsheet would run as a formula gets a leading quote. Lines end as RFC 4180 says, for which a cell
    with a lone carriage return is written in quotation marks: else what follows it would begin a cell of its own.
    """
    safe = rows.copy(deep=False)
    for name in safe.columns:
        if not (is_numeric_dtype(safe[name]) or is_datetime64_any_dtype(safe[name])):
            cells = [_in_one_cell(value) for value in safe[name]]
            safe[name] = pd.Series(cells, index=safe.index, dtype=object)
    safe.columns = [csv_cell(str(name)) for name in safe.columns]
    return safe.to_csv(index=False, lineterminator="\r\n").encode()


def excel(rows: pd.DataFrame) -> bytes:
    """The rows as CSV behind the mark by which Excel knows UTF-8."""
    return codecs.BOM_UTF8 + csv(rows)


def parquet(rows: pd.DataFrame) -> bytes:
    """The rows as Parquet, types as they are."""
    buffer = io.BytesIO()
    rows.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _in_one_cell(value: object) -> object:
    if hasattr(value, "__iter__") and not isinstance(value, str):
        value = "; ".join(str(item) for item in value)
    return csv_cell(value)
