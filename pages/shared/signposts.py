"""Links from one page to another that carry what they are about."""

from __future__ import annotations

from urllib.parse import parse_qsl

import streamlit as st

from bench.basis import limits, story
from bench.basis.stated_share import StatedShare
from bench.basis.wording import opened
from bench.errors import BenchError
from bench.plain_text import markdown
from bench.questions import questions
from bench.questions.overview.result import Link
from bench.view import View
from pages.shared import address, cached
from pages.shared.frame import Page
from pages.shared.headlines import unbroken

CARDS = {"loaded": "What is loaded", "stands_out": "What stands out", "newest": "What is new"}
"""The sentences of the first page that stand in a card each, with what heads it."""


def card_of(kind: str) -> str:
    """The card in which a statement of this kind stands, such as "newest" for "newest_imported"; "" for none."""
    return next((card for card in CARDS if kind == card or kind.startswith(f"{card}_")), "")


def cards(page: Page) -> None:
    """Tell what is loaded, what stands out and what is new: a sentence each, and the page that shows it."""
    said = {card_of(one.kind): one.text for one in page.answer.statements}
    links = {link.kind: link for link in page.answer.result.links}
    with st.container(key="cards"):
        for kind, heading in CARDS.items():
            if kind in said:
                with st.container(key=f"card-{kind}", border=True, gap=None):
                    with st.container(key=f"head-{kind}", horizontal=True, gap="small"):
                        st.markdown(f"**{heading}**", width="content")
                        _link(links[kind].page, _way(links[kind]), links[kind].view.query())
                    st.markdown(unbroken(said[kind]))


def lines(page: Page) -> None:
    """Tell what else is worth knowing, a short line each with the page that shows it."""
    links = {link.kind: link for link in page.answer.result.links}
    with st.container(key="sentences"):
        for one in page.answer.statements:
            if one.role == "finding" and one.kind in links and not card_of(one.kind):
                with st.container(horizontal=True, gap="small", key=f"line-{one.kind}"):
                    st.markdown(unbroken(one.text), width="content")
                    _link(links[one.kind].page, _way(links[one.kind]), links[one.kind].view.query())


def _way(link: Link) -> str:
    """What a link is called: what it opens, so that no two ways of a page are called alike."""
    titles = {name: question.TITLE for name, question in questions().items()}
    return {"loaded": "See the sources", "newest": "See its points"}.get(
        link.kind, f"Open {titles.get(link.page, link.page)}"
    )


def by_throughput(page: Page, known: StatedShare) -> None:
    """Tell what the heatmap says without the limits, where few points say whether they keep them; else nothing."""
    if not (known.is_few and known.is_of_limits):
        return
    own = story.own_choice(page.view)
    wide = View(own.with_where(model=page.view.values("model")).where, slo=(limits.NONE,))
    try:
        answer = cached.answer("heatmap", cached.complete("heatmap", wide, page.version), page.version)
    except BenchError:
        return
    with st.container(key="onward-throughput", horizontal=True, gap="small"):
        st.markdown(f"By throughput alone: {unbroken(answer.headline)}", width="content")
        _link("heatmap", "Open Heatmap", wide.query())


def out_of_nothing(page: Page) -> None:
    """Offer the steps that lead to an answer where the headline says why there is none, and the points."""
    if page.answer.is_told:
        return
    with st.container(key="onward-steps", horizontal=True, vertical_alignment="center"):
        for place, step in enumerate(cached.steps(page.name, page.view, page.version)):
            if step.page == page.name:
                st.button(
                    markdown(step.label),
                    key=f"step.{place}",
                    help=markdown(f"{opened(step.gain)}."),
                    on_click=address.take,
                    args=(page.name, step.view),
                )
            else:
                _link(step.page, f"{step.label}: {step.gain}", step.view.query())
        _link("data", "Data: What is loaded?", View(page.view.where, whole=True).query())


def _link(page: str, label: str, query: str) -> None:
    st.page_link(
        f"{page}.py",
        label=markdown(label),
        query_params=parse_qsl(query),
        icon=":material/arrow_forward:",
        icon_position="right",
    )
