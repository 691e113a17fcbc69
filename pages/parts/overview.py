"""The ways from the first page to any other: a box to type into, and the matrix of models and accelerators."""

from __future__ import annotations

import streamlit as st

from bench.chart import value_label
from bench.plain_text import markdown
from bench.questions import questions
from bench.questions.overview.figure import opens
from bench.suggestions.typed import EXAMPLE
from bench.suggestions.words import LONGEST
from bench.wording import counted
from pages.shared import buttons, cached, result
from pages.shared.headlines import unbroken
from pages.shared.page import Page
from pages.shared.page_paths import link

PICKED, CLICKED = "overview.pick", "overview.clicked"
"""Which cell of the matrix is chosen, and that it was clicked just now, so that its page opens at once."""

WIDTHS = ((5, "few"), (11, "some"))
"""How many models a matrix of each width has at most; look.css has the widths, under which it scrolls in its box."""

ONE_AT_A_TIME = "0.4s"

CARDS = {"loaded": "What is loaded", "stands_out": "What stands out", "newest": "What is new"}
"""The kinds of sentences that stand in a card each, with what heads it."""

WAYS = {"loaded": "See the sources", "newest": "See its points"}
"""What their links are called, so that no two of the page are called alike; others open a page by its title."""


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
    directions = cached.directions(typed.strip())
    with st.container(key="offers", gap=None):
        for one in directions.destinations:
            link(one.page, one.label, one.query)
        said = [*directions.told, *([] if directions.destinations else [f"Try names and numbers, as in: {EXAMPLE}."])]
        if said:
            st.caption(markdown(" ".join(said)))


def matrix(page: Page) -> None:
    """Draw the chart of models and accelerators, whose cells open the page that compares them; the same by keyboard."""
    models = len({pair.model for pair in page.answer.result.pairs})
    width = next((name for most, name in WIDTHS if models <= most), "many")
    with st.container(key=f"matrix-{width}"):
        result.figure(page, on_pick=lambda query: st.session_state.update({PICKED: query, CLICKED: True}))
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
        way = cached.of_cell(page.view, chosen) if chosen else None
        if way is not None:
            link(way.page, way.label, way.query)
            if st.session_state.pop(CLICKED, False):
                buttons.through("cell", f"{way.page}?{way.query}")


def cards(page: Page) -> None:
    """Tell what is loaded, what stands out and what is new: a sentence each, and the page that shows it."""
    texts = {_card_of(one.kind): one.text for one in page.answer.statements}
    with st.container(key="cards"):
        for kind, heading in CARDS.items():
            if kind in texts:
                with st.container(key=f"card-{kind}", border=True, gap=None):
                    with st.container(key=f"head-{kind}", horizontal=True, gap="small"):
                        st.markdown(f"**{heading}**", width="content")
                        _way(page, kind)
                    st.markdown(unbroken(texts[kind]))


def lines(page: Page) -> None:
    """Tell what else is worth knowing, a short line each with the page that shows it."""
    linked = {one.kind for one in page.answer.result.links}
    with st.container(key="sentences"):
        for one in page.answer.statements:
            if one.role == "finding" and one.kind in linked and not _card_of(one.kind):
                with st.container(horizontal=True, gap="small", key=f"line-{one.kind}"):
                    st.markdown(unbroken(one.text), width="content")
                    _way(page, one.kind)


def _card_of(kind: str) -> str:
    """The card in which a statement of this kind stands, such as "newest" for "newest_imported"; "" for none."""
    return next((card for card in CARDS if kind == card or kind.startswith(f"{card}_")), "")


def _way(page: Page, kind: str) -> None:
    to = {one.kind: one for one in page.answer.result.links}[kind]
    title = questions()[to.page].TITLE if to.page in questions() else to.page
    link(to.page, WAYS.get(kind, f"Open {title}"), to.view.query())
