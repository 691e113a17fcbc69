"""What the two sides of a comparison differ in, fact by fact."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions.compare.result import Comparison
from bench.wording import counted
from pages.shared.page import Page


def table(page: Page) -> None:
    """Draw the facts in which the matched points differ, A beside B; nothing without any."""
    found = page.answer.result
    if not isinstance(found, Comparison) or not found.differences:
        return
    with st.expander(f"The sides differ in {counted(len(found.differences), 'fact')}", expanded=True):
        lines = ["| | A | B |", "|---|---|---|"]
        for one in found.differences:
            cells = (markdown(text).replace("|", "\\|") for text in (one.fact, one.a, one.b))
            lines.append(f"| {' | '.join(cells)} |")
        st.markdown("\n".join(lines))
