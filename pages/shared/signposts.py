"""Links from one page to another that carry what they are about."""

from __future__ import annotations

from urllib.parse import parse_qsl

import streamlit as st

from bench.basis import story
from bench.plain_text import markdown
from bench.questions import questions
from bench.view import View
from pages.shared.frame import Page


def sentences(page: Page) -> None:
    """What the answer says, each sentence with the page that shows it."""
    links = {link.kind: link for link in page.answer.result.links}
    findings = [one for one in page.answer.statements if one.role == "finding"]
    with st.container(key="sentences"):
        for one in findings:
            if one.kind in links:
                said, way = st.columns([0.87, 0.13], vertical_alignment="top")
                said.markdown(markdown(one.text))
                with way:
                    _link(links[one.kind].page, "Show it", links[one.kind].view.query())
        st.caption(" ".join(markdown(one.text) for one in findings if one.kind not in links))


def onward(page: Page) -> None:
    """The other questions, with the reader's filters."""
    with st.container(key="onward", horizontal=True):
        for name, other in questions().items():
            if name != page.name:
                chosen = story.own_choice(page.view).where
                _link(name, f"{other.TITLE}: {other.QUESTION}", View(chosen).query())


def to_data(page: Page) -> None:
    """The Data page, which lists what is selected where a question has no chart for it."""
    with st.container(key="onward", horizontal=True):
        _link("data", "Data: What is loaded?", View(page.view.where, whole=True).query())


def _link(page: str, label: str, query: str) -> None:
    st.page_link(
        f"{page}.py",
        label=markdown(label),
        query_params=parse_qsl(query),
        icon=":material/arrow_forward:",
        icon_position="right",
    )
