"""Rows as a table and as files: labels and units from the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from bench import catalogue, chart
from bench.export import csv, excel, parquet
from bench.wording import counted

SHOWN_ROWS = 5_000
WHOLE_ROWS, MOST_PX = 12, 460
"""A table of so many rows stands there whole; a longer one is as high and scrolls."""
LINKS = frozenset({"source_url", "licence_url", "url"})
SHARES = frozenset({"scaling_efficiency"})
"""Ratios that every sentence gives in percent, so a table does too."""

FILES = (
    ("CSV", csv.written, ".csv", "text/csv", None),
    ("CSV for Excel", excel.written, ".excel.csv", "text/csv", "No text in it runs as a formula."),
    ("Parquet", parquet.written, ".parquet", "application/vnd.apache.parquet", None),
)
"""What a table is saved as: the button, what writes it, how the file's name ends, its type, and what to know of it."""

TIMES = frozenset({"at", "imported"})
"""Moments in UTC, which a day does not tell."""

COUNTS = frozenset({"points", "scores", "refusals", "accelerators", "n"})


def show(
    shown: pd.DataFrame,
    *,
    key: str,
    alt: str,
    labels: Mapping[str, str] | None = None,
    of: int = 0,
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Nothing; draws a readable table, whose rows can be picked where `on_pick` is given.

    `of` is how many rows there are when not all are given. `on_pick` is called with the row's position before the
    page is run again: what changes the address belongs there, since a page that is run anew halfway has already told
    the browser its old one.
    """
    told = labels or {}
    drawn = shown.head(SHOWN_ROWS)
    st.dataframe(
        drawn,
        key=key,
        hide_index=True,
        height="content" if len(drawn) <= WHOLE_ROWS else MOST_PX,
        column_config={
            str(name): column(str(name), told.get(str(name)), drawn[name].dtype) for name in drawn
        },
        placeholder="",
        alt=alt,
        on_select=partial(_picked, key, on_pick) if on_pick else "ignore",
        selection_mode="single-row",
    )
    total = max(of, len(shown))
    if total > len(drawn):
        st.caption(f"The first {len(drawn):,} of {counted(total, 'row')} are shown.")


def _picked(key: str, then: Callable[[int], None]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows:
        then(rows[0])


def column(name: str, label: str | None, dtype: Any) -> Any:
    """How a column is headed and written."""
    metric = catalogue.metric(name) if catalogue.is_metric(name) else None
    heading = label or (metric.axis if metric else chart.title(name))
    if name in LINKS:
        return st.column_config.LinkColumn(
            heading, width="medium", display_text=r"https?://(?:www\.)?([^/?#]+)"
        )
    if pd.api.types.is_datetime64_any_dtype(dtype):
        if name in TIMES:
            return st.column_config.DatetimeColumn(heading, format="YYYY-MM-DD HH:mm")
        return st.column_config.DateColumn(heading, format="YYYY-MM-DD")
    if pd.api.types.is_bool_dtype(dtype):
        return st.column_config.CheckboxColumn(heading)
    if pd.api.types.is_numeric_dtype(dtype):
        about = metric.definition if metric else None
        written = "percent" if name in SHARES else "localized"
        return st.column_config.NumberColumn(heading, help=about, format=written)
    return st.column_config.TextColumn(heading)


def downloads(rows: Callable[[], pd.DataFrame], stem: str) -> None:
    """Buttons that save rows as files; the rows are fetched and the file is written when asked for."""
    for label, write, ending, mime, about in FILES:
        name = f"{stem}{ending}"
        st.download_button(
            label,
            lambda write=write: write(rows()),
            name,
            mime,
            key=f"save.{name}",
            help=about,
            on_click="ignore",
        )


def files(rows: Callable[[], pd.DataFrame], stem: str) -> None:
    """The buttons of `downloads` in a row of their own, under a table."""
    with st.container(key=f"actions.{stem}", horizontal=True, vertical_alignment="center"):
        downloads(rows, stem)
