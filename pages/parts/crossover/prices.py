"""The prices of a pair's chips on the Crossover page: typed, or moved from the price at which both sides are even."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions import options
from bench.questions.crossover.options import at
from bench.questions.crossover.result import CrossoverResult, Pair
from bench.questions.crossover.side_names import names
from bench.wording import number
from pages.shared import address
from pages.shared.frame import Page

KEYS = ("price_a", "price_b")
CHEAPEST, DEAREST = 0.25, 2.0
"""The slider reaches from a quarter to twice of the dearer of the break-even price and the price now."""


def typed(page: Page) -> None:
    """Ask what a chip of each side costs: a price is charted, so the curves are divided by it."""
    for option in options(page.name):
        if option.key in KEYS:
            key = f"{page.name}.{option.key}"
            st.session_state[key] = page.view.option(option.key)
            st.text_input(
                option.label,
                placeholder="None",
                help=option.help,
                key=key,
                on_change=_take,
                args=(page.name, option.key, key),
            )


def slider(page: Page, answer: CrossoverResult) -> None:
    """Draw what a chip of A may cost: moving it prices A, and the curves and the verdict per dollar follow."""
    even = answer.even.get("a") if isinstance(answer, Pair) else None
    if not isinstance(answer, Pair) or even is None:
        return
    best, priced = even.usd_per_accelerator_hour, answer.a.price
    now = priced.usd if priced else best
    high, low = DEAREST * max(best, now), CHEAPEST * min(best, now)
    key, who, place = f"{page.name}.slider", names(answer.a, answer.b)["a"], at(answer.asked.along, even.x)
    known = "" if priced else " (no price is known, so the slider starts there)"
    st.session_state[key] = round(min(max(now, round(low, 2)), round(high, 2)), 3)
    st.slider(
        f"Price of one chip of {markdown(who)} (USD/h); at {markdown(place)} it breaks even at"
        f" {number(best, 3)}{known}",
        min_value=round(low, 2),
        max_value=round(high, 2),
        step=0.005,
        format="%.3f",
        key=key,
        on_change=_take,
        args=(page.name, "price_a", key),
    )


def _take(name: str, option: str, key: str) -> None:
    """Take a price of a side: what it changes is charted, the curves per dollar."""
    value = st.session_state[key]
    text = f"{value:g}" if isinstance(value, float) else str(value).strip()
    address.choose_options(name, **{option: text or None}, **({"per": "dollar"} if text else {}))
