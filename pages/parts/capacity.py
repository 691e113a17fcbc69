"""The ways from a plan to its engine and to a sweep that measures its point; neither starts by itself."""

from __future__ import annotations

import streamlit as st

from bench.chart import value_label
from bench.plain_text import markdown
from bench.questions.capacity.planning import sweep_of
from pages.shared.page import Page
from pages.shared.page_paths import link


def to_launch(page: Page) -> None:
    """Draw the way to Launch with the first plan's deployment, lengths and load; nothing without a plan or of a mix."""
    found = page.answer.result
    plan = next(iter((*found.plans, *found.beyond)), None)
    if plan is None or found.asked.demand.mix:
        return
    with st.container(key="onward.capacity", horizontal=True, vertical_alignment="center"):
        link("launch", "Measure this point", sweep_of(plan), f"A sweep of {plan.facts.hardware} at this load.")


def start(page: Page) -> None:
    """Draw the command that starts the first plan on vLLM or SGLang, and which of its flags the data leaves open."""
    found = page.answer.result.start
    if found is None:
        return
    version = f" {found.engine_version}" if found.engine_version else ""
    model = f"{value_label('model', found.model)} on " if found.model else ""
    of = f"{model}{found.hardware}, {value_label('engine', found.engine)}{version}"
    with st.expander(markdown(f"Run this: {of}"), key="start"):
        st.code(found.command, language="bash", wrap_lines=True)
        st.markdown(markdown(f"Open: {', '.join(found.open)}."))
