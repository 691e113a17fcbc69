"""A table for a document in Markdown: an issue, a chat, a report."""

from __future__ import annotations

import pandas as pd

from bench import chart
from bench.export import Format, readable
from bench.holdings.listing import selected
from bench.library import Library
from bench.plain_text import markdown
from bench.view import View

MOST_ROWS = 1000
"""A table for people; longer ones are for programs."""


def written(rows: pd.DataFrame) -> bytes:
    """The rows as a Markdown table in the words of the pages; numbers are aligned right, absent values are blank."""
    shown = readable.table(rows)
    if shown.empty:
        return b""
    numeric = [pd.api.types.is_numeric_dtype(shown[name]) for name in shown]
    lines = [
        [markdown(chart.title(str(name))) for name in shown.columns],
        ["---:" if number else "---" for number in numeric],
        *([_cell(str(name), value) for name, value in zip(shown.columns, row, strict=True)]
          for row in shown.itertuples(index=False, name=None)),
    ]  # fmt: skip
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def _cell(name: str, value: object) -> str:
    if value is None or (not isinstance(value, str) and pd.isna(value)):  # type: ignore[call-overload]
        return ""
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")
    if isinstance(value, str):
        return markdown(value)
    return markdown(chart.value_label(name, value))


def _selected(library: Library, view: View) -> bytes:
    condition = selected(view)
    rows = library.query(
        f"SELECT * FROM points WHERE {condition.sql} ORDER BY source, model, concurrency, point_id LIMIT {MOST_ROWS}",
        condition.params,
    )
    return written(rows)


FORMATS = (
    Format("markdown", "Markdown table", ".md", "text/markdown", _selected,
           f"For an issue, a chat or a report; at most the first {MOST_ROWS:,} points."),
)  # fmt: skip
