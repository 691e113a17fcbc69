"""What a click in a chart opens: the points behind a cell, or one point with its passport."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from bench.chart import deployment_words, setting, workload_words
from bench.export import readable
from bench.plain_text import markdown
from bench.questions.heatmap import gaps
from bench.questions.heatmap.result import WITHOUT_VALUE
from bench.wording import counted
from pages.shared import cached, table
from pages.shared.frame import Page

MOST_CELLS = 8


def behind(page: Page, cells: list[str]) -> None:
    """The points in the cells the reader clicked; how to click when none is."""
    if not cells:
        st.caption("Click a cell to see the points behind it, or to measure one that is empty.")
        return
    found = [cached.behind(page.view, page.version, cell) for cell in cells[:MOST_CELLS]]
    rows = pd.concat(found, ignore_index=True) if len(found) > 1 else found[0]
    states = dict(zip(page.answer.rows["cell"], page.answer.rows["state"], strict=True))
    open_yet = [cell for cell in cells[:MOST_CELLS] if states.get(cell) != "measured"]
    with st.container(key="behind", border=True):
        if open_yet:
            _measure(page, open_yet[0], str(states.get(open_yet[0], "")))
        if rows.empty:
            return
        where = "this cell" if len(cells) == 1 else f"{len(found)} cells"
        st.markdown(f"**{counted(len(rows), 'point')} behind {where}**, best first")
        shown = rows.assign(standing=rows["standing"].str.replace("_", " "))
        table.show(
            readable.table(shown, first=(*rows.columns[:1], "standing")),
            key="rows.behind",
            alt="The points clicked",
            labels={"standing": "Ranked"},
        )
        table.files(lambda: rows, "kneepoint-points-clicked")


def _measure(page: Page, cell: str, state: str) -> None:
    """The way from a cell without a value to a sweep that would fill it; the sweep does not start by itself."""
    stated = gaps.wanted(page.view, cell)
    asked = [
        setting(key, float(text)) for key, text in stated.items() if key in gaps.ASKED and _is_number(text)
    ]
    held = {name: what for name, (_, what) in WITHOUT_VALUE.items()}
    what = (
        f"Here are {held.get(state, 'points of one side alone')}"
        if state
        else "Nothing was measured here yet"
    )
    st.markdown(markdown(f"{what}: {', '.join(asked)}." if asked else f"{what}."))
    st.page_link(
        "launch.py",
        label="Measure this",
        query_params=stated,
        icon=":material/arrow_forward:",
        icon_position="right",
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def one(page: Page, ids: list[str], metrics: tuple[str, ...], *, lead: str = "") -> None:
    """The point the reader clicked and how these figures of it were read; how to click when none is.

    Nothing where no point is drawn. `lead` says first what the points are to what was clicked.
    """
    if page.answer.rows.empty:
        return
    if not ids:
        st.caption("Click a point to see its deployment, its source and how its figures were read.")
        return
    found = cached.points_named(tuple(ids[:MOST_CELLS]), page.version)
    with st.container(key="behind", border=True):
        if lead:
            st.markdown(markdown(lead))
        for row in found.astype(object).where(found.notna(), None).to_dict("records")[:1]:
            st.markdown(f"**{markdown(deployment_words(row))}**  \n{markdown(workload_words(row))}")
        table.show(readable.table(found, first=metrics), key="rows.point", alt="The point clicked")
        table.files(lambda: found, "kneepoint-point-clicked")
        passports = cached.passports_of(ids[0], metrics, page.version)
        if not passports.empty:
            st.caption("How the source's figures became these metrics")
            table.show(readable.table(passports), key="rows.passport", alt="Passports of the point's source")
            table.files(lambda: passports, "kneepoint-passports-clicked")
