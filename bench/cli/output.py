"""What the command line prints: one JSON document, or lines and tables made harmless for a terminal."""

from __future__ import annotations

import datetime
import json
import math
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bench.plain_text import terminal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

CELL_WIDTH = 48
BAR_WIDTH = 24
DRAWN_EVERY_S = 0.1


def document(value: object) -> None:
    """Print one JSON document; what is absent or not finite is null."""
    sys.stdout.write(json.dumps(plain(value), indent=2, allow_nan=False) + "\n")


def line(text: str = "") -> None:
    """Print one line."""
    sys.stdout.write(terminal(text) + "\n")


def remark(text: str) -> None:
    """Tell the person something that is no part of the result."""
    sys.stderr.write(terminal(text) + "\n")


class Bar:
    """A bar on the terminal that says how far an import is; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = False
        self._drawn = 0.0

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *ended: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def show(self, done: int, of: int, text: str) -> None:
        """Draw it, but not more often than anybody can see."""
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self._drawn < DRAWN_EVERY_S:
            return
        self._shown, self._drawn = True, now
        full = round(BAR_WIDTH * done / of) if of else 0
        said = f"[{'#' * full}{' ' * (BAR_WIDTH - full)}] {done:,} of {of:,}  {terminal(text)}"
        sys.stderr.write("\r\x1b[K" + said[: shutil.get_terminal_size().columns - 1])
        sys.stderr.flush()


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> None:
    """Print rows under their column names; numbers are flush right and long texts are cut."""
    names = list(columns if columns is not None else dict.fromkeys(name for row in rows for name in row))
    cells = [[_shown(row.get(name)) for name in names] for row in rows]
    widths = [
        max(len(text) for text in column) for column in zip([terminal(n) for n in names], *cells, strict=True)
    ]
    right = [all(_is_number(row.get(name)) for row in rows) for name in names]
    for texts in ([terminal(name) for name in names], *cells):
        padded = (
            text.rjust(width) if flush else text.ljust(width)
            for text, width, flush in zip(texts, widths, right, strict=True)
        )
        sys.stdout.write("  ".join(padded).rstrip() + "\n")


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


def arrow_rows(found: pa.Table) -> list[dict[str, Any]]:
    """An Arrow table's rows in JSON's own types; a column name that occurs again gets a number."""
    from bench.library.people_frame import told

    names: list[str] = []
    for name in found.column_names:
        same = sum(taken == name or taken.startswith(f"{name}_") for taken in names)
        names.append(f"{name}_{same + 1}" if name in names else name)
    columns = [[plain(told(value)) for value in column] for column in found.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, list):
        value = ", ".join(str(entry) for entry in value)
    text = terminal(value)
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
