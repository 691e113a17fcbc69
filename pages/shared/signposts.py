"""Links from one page to another that carry what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from bench.plain_text import markdown
from bench.view import View
from pages.shared.frame import Page


def sentences(page: Page) -> None:
    """What the answer says, each sentence with the page that shows it."""
    linked = page.answer.numbers.get("links", ())
    told = {link["sentence"] for link in linked}
    with st.container(key="sentences"):
        for link in linked:
            said, way = st.columns([0.87, 0.13], vertical_alignment="top")
            said.markdown(markdown(link["sentence"]))
            with way:
                _link(link["page"], "Show it", link["query"])
        rest = [finding for finding in page.answer.findings if finding not in told]
        st.caption(" ".join(markdown(finding) for finding in rest))


def onward(page: Page) -> None:
    """The other pages that may help, by the question each answers, with the reader's filters."""
    ways: Sequence[Mapping[str, Any]] = page.answer.numbers.get("next", ())
    with st.container(key="onward", horizontal=True):
        for way in ways:
            _link(
                way["page"],
                f"{way['title']}: {way['question']}",
                View(page.view.where, whole=True).query() if page.view.where else "",
            )


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
