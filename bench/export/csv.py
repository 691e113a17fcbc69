"""CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import pandas as pd

from bench.plain_text import csv_cell


def written(rows: pd.DataFrame) -> bytes:
    """The rows as CSV in UTF-8, columns headed by their keys; absent values are empty cells.

    Text that a spreadsheet would run as a formula gets a leading quote; lists are joined by semicolons.
    """
    safe = rows.copy(deep=False)
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = safe[name].map(_cell, na_action="ignore")
    safe.columns = [csv_cell(str(name)) for name in safe.columns]
    return safe.to_csv(index=False).encode()


def _cell(value: object) -> object:
    if hasattr(value, "__iter__") and not isinstance(value, str):
        value = "; ".join(str(item) for item in value)
    return csv_cell(value)
