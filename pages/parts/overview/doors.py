"""The ways from the first page to any other: a box to type into, and the matrix of models and accelerators."""

from __future__ import annotations

from urllib.parse import parse_qsl

import streamlit as st

from bench.chart import value_label
from bench.destinations import EXAMPLE, LONGEST, Destination
from bench.plain_text import markdown
from bench.questions.overview.figure import opens
from bench.wording import counted
from pages.shared import buttons, cached, result
from pages.shared.frame import Page

PICKED, CLICKED = "overview.pick", "overview.clicked"
"""Which cell of the matrix is chosen, and that it was clicked just now, so that its page opens at once."""

WIDTHS = ((5, "few"), (11, "some"))
"""How many models a matrix of each width has at most; look.css has the widths, under which it scrolls in its box."""

ONE_AT_A_TIME = "0.4s"


@st.fragment
def box(page: Page) -> None:
    """Draw a box that says, as one types, which pages can answer; its links come next by keyboard."""
    with st.container(key="go"):
        typed = st.text_input(
            "Go to",
            key="overview.go",
            placeholder=f"Go anywhere: {EXAMPLE}, tpu vs gpu cost, llama 70b 1k/1k …",
            label_visibility="collapsed",
            icon=":material/search:",
            autocomplete="off",
            live=ONE_AT_A_TIME,
        )
        if typed and typed.strip():
            _offered(page, typed[:LONGEST])


def _offered(page: Page, typed: str) -> None:
    directions = cached.directions(typed.strip(), page.version)
    with st.container(key="offers", gap=None):
        for one in directions.destinations:
            _link(one)
        said = [*directions.told, *([] if directions.destinations else [f"Try names and numbers, as in: {EXAMPLE}."])]
        if said:
            st.caption(markdown(" ".join(said)))


def matrix(page: Page) -> None:
    """Draw the chart of models and accelerators, whose cells open the page that compares them; the same by keyboard."""
    models = len({pair.model for pair in page.answer.result.pairs})
    width = next((name for most, name in WIDTHS if models <= most), "many")
    with st.container(key=f"matrix-{width}"):
        result.figure(page, on_pick=_picked)
    pairs = {opens(pair): pair for pair in page.answer.result.pairs if opens(pair)}
    if not pairs:
        return
    with st.container(key="cell", horizontal=True, vertical_alignment="center", gap="small"):
        chosen = st.selectbox(
            "A cell of the matrix",
            [*pairs],
            index=None,
            key=PICKED,
            label_visibility="collapsed",
            placeholder="Model on accelerator",
            width=440,
            format_func=lambda key: (
                f"{value_label('model', pairs[key].model)} on {value_label('accelerator', pairs[key].accelerator)},"
                f" {counted(pairs[key].measured + pairs[key].other_evidence, 'point')}"
            ),
        )
        way = cached.of_cell(page.view, chosen, page.version) if chosen else None
        if way is not None:
            _link(way)
            if st.session_state.pop(CLICKED, False):
                buttons.through("cell", f"{way.page}?{way.query}")


def _picked(query: str) -> None:
    st.session_state[PICKED], st.session_state[CLICKED] = query, True


def _link(way: Destination) -> None:
    st.page_link(
        f"{way.page}.py",
        label=markdown(way.label),
        query_params=parse_qsl(way.query),
        icon=":material/arrow_forward:",
        icon_position="right",
    )
