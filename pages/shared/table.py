"""Rows as a table and as files: labels and units from the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bench import catalogue, chart
from bench.export.rows.files import csv, excel, parquet
from bench.wording import counted

SHOWN_ROWS = 5_000
WHOLE_ROWS, MOST_PX = 12, 460
"""A table of so many rows stands there whole; a longer one is as high and scrolls."""
LINKS = frozenset({"source_url", "licence_url", "url"})

FILES = (
    ("CSV", csv, ".csv", "text/csv", None),
    ("CSV for Excel", excel, ".excel.csv", "text/csv", "With the mark by which Excel knows its letters."),
    ("Parquet", parquet, ".parquet", "application/vnd.apache.parquet", None),
)
"""What a table is saved as: the button, what writes it, how the file's name ends, its type, and what to know of it."""

TIMES = frozenset({"at", "imported"})
"""Moments in UTC, which a day does not tell."""

DIGITS, SHARE_DIGITS = 4, 3
"""So many digits of a figure are shown, or all before the decimal point; files hold every one."""

MEASURED_ROWS, OUTLIER = 5, 2
"""A column of text is as wide as its longest text in so many first rows, of those not so many times the mean."""
LETTER_PX, CELL_PX, WIDEST_PX = 6.3, 22, 360

COUNTS = frozenset({"points", "scores", "refusals", "accelerators", "n"})


def show(
    shown: pd.DataFrame,
    *,
    key: str,
    alt: str,
    labels: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
    of: int = 0,
    on_pick: Callable[[int], None] | None = None,
    exact: bool = False,
    widest: int = WIDEST_PX,
) -> None:
    """Draw a readable table, whose rows can be picked where `on_pick` is given.

    Figures have the digits that say something, or with `exact` all of them. Texts are read whole, up to `widest`
    pixels. `fields` says whose values a column holds, `of` how many rows there are when not all are given. `on_pick` is
    called with the row's position before the page is run again: what changes the address belongs there, since a page
    that is run anew halfway has already told the browser its old one.
    """
    named, held = labels or {}, fields or {}
    drawn = shown.head(SHOWN_ROWS) if exact else rounded(shown.head(SHOWN_ROWS), held)
    st.dataframe(
        drawn,
        key=key,
        hide_index=True,
        height="content" if len(drawn) <= WHOLE_ROWS else MOST_PX,
        column_config={
            str(name): column(
                str(name), named.get(str(name)), drawn[name].dtype, width(drawn[name], widest), held.get(str(name))
            )
            for name in drawn
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


def rounded(shown: pd.DataFrame, fields: Mapping[str, str] = {}) -> pd.DataFrame:
    """The rows with their figures rounded to what is worth reading; whole numbers as they are."""
    figures = shown.copy(deep=False)
    for name in figures.columns:
        if pd.api.types.is_float_dtype(figures[name].dtype):
            is_share = catalogue.is_share(fields.get(str(name), str(name)))
            figures[name] = _rounded(figures[name], SHARE_DIGITS if is_share else DIGITS)
    return figures


def _rounded(figures: pd.Series[Any], digits: int) -> pd.Series[Any]:
    values = figures.to_numpy(dtype=float, na_value=np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        places = digits - 1 - np.floor(np.log10(np.abs(values)))
    scale = 10.0 ** np.clip(np.nan_to_num(places, posinf=0, neginf=0), 0, 12)
    return pd.Series(np.round(values * scale) / scale, figures.index, dtype=figures.dtype)


def width(cells: pd.Series[Any], widest: int = WIDEST_PX) -> int | None:
    """Pixels for a column of text that the table itself would cut; None where it measures well.

    The table looks at the first rows alone and takes what is far longer than the others there for an outlier.
    """
    if pd.api.types.is_numeric_dtype(cells.dtype) or pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return None
    lengths = cells.map(lambda cell: len(str(cell)), na_action="ignore").fillna(0)
    if lengths.empty:
        return None
    first = lengths.head(MEASURED_ROWS)
    seen = max((length for length in first if length <= OUTLIER * first.mean()), default=0)
    longest = float(lengths.max())
    return min(round(longest * LETTER_PX) + CELL_PX, widest) if longest > seen else None


def column(name: str, label: str | None, dtype: Any, px: int | None = None, field: str | None = None) -> Any:
    """How a column is headed and written, and its width where that is stated."""
    metric = catalogue.metric(name) if catalogue.is_metric(name) else None
    heading = label or (metric.axis if metric else chart.title(name))
    if name in LINKS:
        return st.column_config.LinkColumn(heading, width="medium", display_text=r"https?://(?:www\.)?([^/?#]+)")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        if name in TIMES:
            return st.column_config.DatetimeColumn(heading, format="YYYY-MM-DD HH:mm")
        return st.column_config.DateColumn(heading, format="YYYY-MM-DD")
    if pd.api.types.is_bool_dtype(dtype):
        return st.column_config.CheckboxColumn(heading)
    if pd.api.types.is_numeric_dtype(dtype):
        about = metric.definition if metric else None
        written = "percent" if catalogue.is_share(field or name) else "localized"
        return st.column_config.NumberColumn(heading, help=about, format=written)
    least = round(len(heading) * LETTER_PX) + CELL_PX
    return st.column_config.TextColumn(heading, width=max(px, least) if px else None)


def downloads(rows: Callable[[], pd.DataFrame], stem: str) -> None:
    """Draw buttons that save rows as files; the rows are fetched and the file is written when asked for."""
    for label, write, ending, mime, about in FILES:
        name = f"{stem}{ending}"
        st.download_button(
            label,
            partial(lambda write: write(rows()), write),
            name,
            mime,
            key=f"save.{name}",
            help=about,
            on_click="ignore",
        )


def files(rows: Callable[[], pd.DataFrame], stem: str) -> None:
    """Draw the buttons of `downloads` in a row of their own, under a table."""
    with st.container(key=f"actions.{stem}", horizontal=True, vertical_alignment="center"):
        downloads(rows, stem)
