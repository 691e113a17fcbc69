"""What the command line prints: one JSON document, or lines and tables made harmless for a terminal."""

from __future__ import annotations

import datetime
import json
import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bench.plain_text import terminal
from bench.wording import share

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

CELL_WIDTH = 48


def document(value: object) -> None:
    """Print one JSON document; what is absent or not finite is null."""
    sys.stdout.write(json.dumps(plain(value), indent=2, allow_nan=False) + "\n")


def line(text: str = "") -> None:
    """Print one line."""
    sys.stdout.write(terminal(text) + "\n")


def text(whole: str) -> None:
    """Print a text of ours as it is."""
    sys.stdout.write(whole)


def remark(text: str) -> None:
    """Tell the person something that is no part of the result."""
    sys.stderr.write(terminal(text) + "\n")


def remarks(texts: Iterable[str]) -> None:
    """Tell the person several such things, a line each."""
    for text in texts:
        remark(text)


def table(
    rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None, *, shares: Collection[str] = ()
) -> None:
    """Print rows under their column names, `shares` in percent; numbers are flush right and long texts are cut."""
    names = list(columns if columns is not None else dict.fromkeys(name for row in rows for name in row))
    cells = [[_shown(row.get(name), is_share=name in shares) for name in names] for row in rows]
    widths = [max(len(text) for text in column) for column in zip([terminal(n) for n in names], *cells, strict=True)]
    right = [all(_is_number(row.get(name)) for row in rows) for name in names]
    for texts in ([terminal(name) for name in names], *cells):
        padded = (
            text.rjust(width) if flush else text.ljust(width)
            for text, width, flush in zip(texts, widths, right, strict=True)
        )
        sys.stdout.write("  ".join(padded).rstrip() + "\n")


def listing(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None, *, as_json: bool) -> None:
    """Print rows, whole as a JSON document or these columns of them as a table."""
    if as_json:
        document(rows)
    else:
        table(rows, columns)


def plain(value: object) -> Any:
    """The value in JSON's own types; None for NaN, NaT, infinities and everything absent."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Iterable):
        return [plain(entry) for entry in value]
    return str(value)


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A data frame's rows in JSON's own types; a column of midnights is one of days."""
    names = [str(name) for name in frame.columns]
    columns = [_frame_column(frame.iloc[:, place]) for place in range(len(names))]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _frame_column(column: pd.Series[Any]) -> list[Any]:
    values = [None if absent else value for value, absent in zip(column.tolist(), column.isna(), strict=True)]
    if column.dtype.kind == "M" and all(value is None or value.time() == datetime.time() for value in values):
        values = [value and value.date() for value in values]
    return [plain(value) for value in values]


def arrow_rows(table: pa.Table) -> list[dict[str, Any]]:
    """An Arrow table's rows in JSON's own types; a column name that occurs again gets a number."""
    from bench.library.user_sql.frame import python_value

    names: list[str] = []
    for name in table.column_names:
        same = sum(taken == name or taken.startswith(f"{name}_") for taken in names)
        names.append(f"{name}_{same + 1}" if name in names else name)
    columns = [[plain(python_value(value)) for value in column] for column in table.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _shown(value: object, *, is_share: bool = False) -> str:
    if value is None:
        return "–"
    if isinstance(value, int | float) and is_share:
        return share(value)
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, list):
        value = ", ".join(str(entry) for entry in value)
    text = terminal(value)
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
