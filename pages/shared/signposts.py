"""Links from one page to another that carry what they are about."""

from __future__ import annotations

import streamlit as st

from bench.basis import limits, story
from bench.basis.stated_share import StatedShare
from bench.basis.wording import opened
from bench.errors import BenchError
from bench.plain_text import markdown
from bench.view import View
from pages.shared import address, cached
from pages.shared.headlines import unbroken
from pages.shared.page import Page
from pages.shared.page_paths import link


def by_throughput(page: Page, known: StatedShare) -> None:
    """Tell what the heatmap says without the limits, where few points say whether they keep them; else nothing."""
    if not (known.is_few and known.is_of_limits):
        return
    own = story.own_choice(page.view)
    wide = View(own.with_where(model=page.view.values("model")).where, slo=(limits.NONE,))
    try:
        answer = cached.answer("heatmap", cached.complete("heatmap", wide))
    except BenchError:
        return
    with st.container(key="onward-throughput", horizontal=True, gap="small"):
        st.markdown(f"By throughput alone: {unbroken(answer.headline)}", width="content")
        link("heatmap", "Open Heatmap", wide.query())


def out_of_nothing(page: Page) -> None:
    """Offer the steps that lead to an answer where the headline says why there is none, and the points."""
    if page.answer.is_told:
        return
    with st.container(key="onward-steps", horizontal=True, vertical_alignment="center"):
        for place, step in enumerate(cached.steps(page.name, page.view)):
            if step.page == page.name:
                st.button(
                    markdown(step.label),
                    key=f"step.{place}",
                    help=markdown(f"{opened(step.gain)}."),
                    on_click=address.take,
                    args=(page.name, step.view),
                )
            else:
                link(step.page, f"{step.label}: {step.gain}", step.view.query())
        link("data", "Data: What is loaded?", View(page.view.where, whole=True).query())
