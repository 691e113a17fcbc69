"""A question's own options as widgets, seeded from the View."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench.plain_text import visible
from bench.questions import Choices, Option
from pages.shared import address, cached
from pages.shared.frame import Page

Size = Literal["narrow", "wide", "full"]

COLUMN_PX = 150
MOST_COLUMNS = 7
LONG, LONGER, LONGEST = 18, 40, 50
"""A choice with a name of more characters than the first gets a box of two columns, beyond the last of three, so that
the name is read whole; on a narrow page one with a name beyond the second has a row of its own (look.css)."""


def row(page: Page, *keys: str, name: str = "options") -> None:
    """The named options, or all of them, side by side."""
    wanted = [option for option in page.question.OPTIONS if not keys or option.key in keys]
    offered = cached.choices(page.name, page.view, page.version)
    longest = {option.key: _longest(page, option, offered) for option in wanted}
    spans = {key: 1 + (many > LONG) + (many > LONGEST) for key, many in longest.items()}
    with st.container(key=name):
        grid = st.grid(min(sum(spans.values()), MOST_COLUMNS), min_column_width=COLUMN_PX)
        for option in sorted(wanted, key=lambda one: keys.index(one.key) if keys else 0):
            with grid.cell(column_span=spans[option.key]), box(option.key, _size(longest[option.key])):
                _widget(page, option, offered)


def box(key: str, size: Size) -> DeltaGenerator:
    """A place in a grid of options that on a narrow page is as wide as this (look.css)."""
    return st.container(key=f"box-{size}.{key}")


def _size(longest: int) -> Size:
    return "full" if longest > LONGER else "wide" if longest > LONG else "narrow"


def _longest(page: Page, option: Option, offered: Choices) -> int:
    """The characters of the longest name in a choice's box; of its label for a box to type in."""
    if option.kind != "choice":
        return len(option.label)
    return max(map(len, [*(label for _, label in offered.get(option.key, ())), page.view.option(option.key)]))


def _widget(page: Page, option: Option, offered: Choices) -> None:
    key = f"{page.name}.{option.key}"
    value = page.view.option(option.key)
    common = {"key": key, "help": option.help, "on_change": _chosen, "args": (page.name, option.key, key)}
    if option.kind == "choice":
        labels = dict(offered.get(option.key, ()))
        if value:
            labels.setdefault(value, value)
        if not labels:
            return
        st.session_state[key] = value or None
        st.selectbox(
            option.label,
            list(labels),
            format_func=lambda one: visible(labels.get(one, one)),
            placeholder="Choose",
            **common,
        )
    else:
        st.session_state[key] = value
        st.text_input(option.label, placeholder="None", **common)


def _chosen(name: str, option_key: str, widget_key: str) -> None:
    value = st.session_state[widget_key]
    address.choose_option(name, option_key, str(value).strip() if value is not None else None)


def more(page: Page, label: str, *keys: str) -> None:
    """Options few readers need, folded away; nothing when this selection offers none of them."""
    offered = cached.choices(page.name, page.view, page.version)
    options = [option for option in page.question.OPTIONS if option.key in keys]
    usable = [option.key for option in options if option.kind != "choice" or offered.get(option.key)]
    if usable:
        with st.expander(label, key=f"more.{page.name}", type="compact"):
            row(page, *usable, name=f"options.{page.name}.more")
