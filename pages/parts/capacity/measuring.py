"""The way from a plan to a sweep that measures its point; the sweep does not start by itself."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions.capacity.planning import sweep_of
from pages.shared.page import Page


def link(page: Page) -> None:
    """Draw the way to Launch with the first plan's deployment, lengths and load; nothing without a plan."""
    found = page.answer.result
    plan = next(iter((*found.plans, *found.beyond)), None)
    if plan is None:
        return
    with st.container(key="onward.capacity", horizontal=True, vertical_alignment="center"):
        st.page_link(
            "launch.py",
            label="Measure this point",
            query_params=sweep_of(plan),
            icon=":material/arrow_forward:",
            icon_position="right",
            help=markdown(f"A sweep of {plan.facts.hardware} at this load."),
        )
