"""CSV for programs: every value as it is. `excel` is the same for spreadsheets."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype


def written(rows: pd.DataFrame) -> bytes:
    """The rows as CSV in UTF-8, columns headed by their keys; absent values are empty cells, lists joined by "; ".

    Lines end as RFC 4180 says, for which a cell with a lone carriage return is written in quotation marks.
    """
    joined = rows.copy(deep=False)
    for name in joined.columns:
        if not (is_numeric_dtype(joined[name]) or is_datetime64_any_dtype(joined[name])):
            cells = [_in_one_cell(value) for value in joined[name]]
            joined[name] = pd.Series(cells, index=joined.index, dtype=object)
    return joined.to_csv(index=False, lineterminator="\r\n").encode()


def _in_one_cell(value: object) -> object:
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return "; ".join(str(item) for item in value)
    return value
