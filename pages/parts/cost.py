"""The chart of the Cost page, and the way to all of its bars and back."""

from __future__ import annotations

import streamlit as st

from bench.questions.cost.figure import MOST, every
from pages.shared import address, result
from pages.shared.page import Page


def figure(page: Page) -> None:
    """Draw the chart, and where it has more bars than MOST a button for all of them."""
    result.figure(page, opens="point")
    costs = page.answer.result
    bars = every(costs) if costs.deployments else 0
    if bars > MOST:
        to = "few" if costs.asked.every_bar else "all"
        label = f"Show the cheapest {MOST}" if costs.asked.every_bar else f"Show all {bars} bars"
        st.button(label, key="cost.bars", type="tertiary", on_click=address.choose_option, args=("cost", "bars", to))
