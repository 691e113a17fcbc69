"""Sources and points as tables that the reader searches, sorts, pages through and opens, as the link says."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from bench import catalogue, chart
from bench.export.rows import readable
from bench.holdings import listing, tables
from bench.holdings.data_link import SOURCE_ORDERS
from bench.plain_text import visible
from bench.view import View
from bench.wording import counted
from pages.shared import address, cached, exporting, options, table
from pages.shared.page import Page

NAME = "data"
LABELS = {
    "title": "Source",
    "source_url": "Published at",
    "licence_url": "Licence text",
    "first_date": "First measured",
    "last_date": "Last measured",
    "imported": "Imported (UTC)",
    "retracted": "Hidden because",
    "shipped": "Ships with Kneepoint",
    "unit_in_file": "Unit in the file",
    "usd_per_hour": "Price (USD/h)",
    "usd_per_accelerator_hour": "Price per chip (USD/h)",
}
MOST_SEARCHED = 200
COLUMN_PX = 190
NO_TAG = ""


def sources(page: Page) -> None:
    """Draw every source, or those that have points of the selection; a row opens one."""
    _controls(page, SOURCE_ORDERS)
    listed = cached.sources(page.view)
    if listed.rows.empty:
        _nothing(page, "source")
        return
    st.caption("Pick a row to open a source: its licence, its files, how its figures were read, its corrections.")
    sorted_by = page.view.option("sort").removeprefix("-")
    first = (
        "title",
        *((sorted_by,) if sorted_by in listed.rows else ()),
        "points",
        *listing.LOADS_FIRST,
        "scores",
        "tags",
        "retracted",
        "licence",
        "source_url",
        "first_date",
        "last_date",
    )
    rows = readable.table(listed.rows, first=first, without=_unseen(listed.rows, sorted_by))
    ids = list(listed.rows["source_id"])
    table.show(
        rows,
        key="rows.sources",
        alt="Sources with licence and link",
        labels=LABELS,
        on_pick=lambda row: open_(source_id=str(ids[row])),
    )
    _paged(page, listed, "source")
    table.files(lambda: tables.sources(cached.library()), "kneepoint-sources")


def _unseen(rows: pd.DataFrame, sorted_by: str) -> tuple[str, ...]:
    """The columns of the table of sources that say nothing there."""
    nothing = [name for name in ("scores", "refusals") if name != sorted_by and not rows[name].any()]
    return ("file", "shipped", "source_id", *nothing)


def points(page: Page) -> None:
    """Draw the selected points, or those of the opened source; a row opens one."""
    orders = cached.orders()
    _controls(page, orders)
    listed = cached.points(page.view)
    if listed.rows.empty:
        _nothing(page, "point")
        return
    st.caption("Pick a row to open a point: its figures, how each was read, notes and tags.")
    sorted_by = page.view.option("sort").removeprefix("-")
    rows = readable.table(listed.rows, first=("model", sorted_by, *readable.FIRST, "tags", "notes"))
    ids = list(listed.rows["point_id"])
    table.show(
        rows,
        key="rows.points",
        alt="The selected points",
        labels=LABELS,
        on_pick=lambda row: open_(point_id=str(ids[row])),
    )
    _paged(page, listed, "point")
    view, limit = page.view, tables.FILE_POINTS
    with st.container(key="actions.points", horizontal=True):
        table.downloads(lambda: listing.file(cached.library(), view), "kneepoint-points")
        exporting.box(view, listed.total, "kneepoint-points")
    if listed.total > limit:
        st.caption(f"A file holds the first {limit:,} of {listed.total:,} points; narrow the selection for the others.")


def open_(**which: str | None) -> None:
    """Open a source or a point by its id, or with None the table it stands in again; for callbacks."""
    address.choose_options(NAME, **which, correct=None, tab=None, sort=None, page=None)


def _controls(page: Page, orders: tuple[str, ...]) -> None:
    tags = listing.tags(page.library)
    chosen = page.view.option("tag")
    sort = page.view.option("sort")
    with st.container(key="options"), st.grid("auto", min_column_width=COLUMN_PX):
        st.session_state["data.search"] = page.view.option("search")
        with options.box("search", "full"):
            st.text_input(
                "Search",
                key="data.search",
                placeholder="Any words: a model, a file, a note",
                max_chars=MOST_SEARCHED,
                on_change=lambda: _narrow(search=st.session_state["data.search"].strip() or None),
            )
        if tags or chosen:
            st.session_state["data.tag"] = chosen
            with options.box("tag", "narrow"):
                st.selectbox(
                    "Tag",
                    [NO_TAG, *dict.fromkeys([*tags, *filter(None, [chosen])])],
                    key="data.tag",
                    format_func=lambda tag: visible(tag) if tag else "Any",
                    on_change=lambda: _narrow(tag=st.session_state["data.tag"] or None),
                )
        st.session_state["data.sort"] = sort.removeprefix("-")
        with options.box("sort", "wide"):
            st.selectbox("Sort by", list(orders), key="data.sort", format_func=_heading, on_change=_sorted)
        st.session_state["data.order"] = sort.startswith("-")
        with options.box("order", "narrow"):
            st.selectbox(
                "Order",
                [False, True],
                key="data.order",
                on_change=_sorted,
                format_func=lambda down: "Descending" if down else "Ascending",
            )


def _paged(page: Page, listed: listing.TablePage, noun: str) -> None:
    """Tell which rows are shown, of how many, and the way to the others."""
    if listed.pages == 1:
        return
    first = listing.ROWS * (listed.page - 1) + 1
    with st.container(key="paging", horizontal=True, vertical_alignment="center"):
        key = f"data.page.{listed.page}.{listed.pages}"  # its own for each: it takes no value from the session's state
        turn = lambda: address.choose_options(NAME, page=str(st.session_state[key]))  # noqa: E731
        st.pagination(listed.pages, default=listed.page, key=key, on_change=turn)
        last = first + len(listed.rows) - 1
        st.caption(
            f"{first:,} to {last:,} of {counted(listed.total, noun)}. Sort by sorts all of them, a heading these."
        )


def _nothing(page: Page, noun: str) -> None:
    """Tell why the table is empty, and how to fill it."""
    wanted = [f"the words '{visible(page.view.option('search'))}'"] if page.view.option("search") else []
    wanted += [f"the tag '{visible(page.view.option('tag'))}'"] if page.view.option("tag") else []
    if page.view.where:
        wanted.append("all of the filters above")
    if not wanted:
        st.markdown(f"There is no {noun} to show.")
        return
    st.text(f"No {noun} matches {' and '.join(wanted)}.")
    st.button("Search everything", key="data.everything", on_click=_everything)


def _heading(column: str) -> str:
    if catalogue.is_metric(column):
        return catalogue.metric(column).axis
    return LABELS.get(column) or chart.title(column)


def _sorted() -> None:
    down = "-" if st.session_state["data.order"] else ""
    _narrow(sort=f"{down}{st.session_state['data.sort']}")


def _everything() -> None:
    address.choose_options(NAME, search=None, tag=None, page=None)
    for key, _ in address.kept().views.get(NAME, View()).where:
        address.choose(NAME, **{key: ()})


def _narrow(**options: str | None) -> None:
    """Begin another selection at its first page."""
    address.choose_options(NAME, **options, page=None)
