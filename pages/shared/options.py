"""A question's own options as widgets, seeded from the View."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench import names
from bench.basis import evidence
from bench.basis.options import Option, plain, separated
from bench.plain_text import visible
from bench.questions import Choices
from bench.questions import options as every
from bench.view import View
from pages.shared import address, cached, first_paint
from pages.shared.page import Page

Size = Literal["narrow", "wide", "full"]

BOX_PX, LETTER_PX, AROUND_PX, MORE_PX = 110, 6.2, 44, 124
"""A box of the row is at least so wide; a letter of what it shows takes this much, its arrow and edges that.

The button at the row's end is the last. So a page 800 px wide holds any page's options in two lines.
"""

LONG = 22
"""Its list is as wide as the box: so many letters of the longest choice have room, and all of what is chosen."""

RUNS = (evidence.RUNS, evidence.FLAGGED)
"""Choices of every answer whose first value is meant where a View says nothing."""


def row(
    page: Page,
    *keys: str,
    more: tuple[str, ...] = (),
    label: str = "Options",
    further: Callable[[], object] | None = None,
) -> None:
    """Draw the named options, or all of them, in one line; those that few readers need behind a button at its end.

    `further` draws what else belongs behind that button.
    """
    draw = partial(_row, page, keys, more, label, further)
    first_paint.above(page, "options", draw, horizontal=True, vertical_alignment="bottom", gap="small")


def _row(
    page: Page, keys: tuple[str, ...], more: tuple[str, ...], label: str, further: Callable[[], object] | None
) -> None:
    wanted = [option for option in every(page.name) if not keys or option.key in keys]
    offered = _offered(page)
    folded = [one.key for one in every(page.name) if one.key in more and (one.kind != "choice" or offered.get(one.key))]
    for option in sorted(wanted, key=lambda one: keys.index(one.key) if keys else 0):
        with st.container(key=f"option.{option.key}", width=_px(page, option, offered)):
            _widget(page, option, offered)
    if folded or further is not None:
        with st.container(key="option.more", width=MORE_PX, gap=None):
            st.caption("More")
            with st.popover(label, width="stretch"):
                column(page, *folded)
                if further is not None:
                    further()


def _px(page: Page, option: Option, offered: Choices) -> int:
    """How wide a box has to be for what it shows to be read whole."""
    value, labels = page.view.option(option.key), dict(offered.get(option.key, ()))
    letters = (len(labels.get(value, value)), len(option.label), *(min(len(one), LONG) for one in labels.values()))
    return max(BOX_PX, round(LETTER_PX * max(letters)) + AROUND_PX)


def box(key: str, size: Size) -> DeltaGenerator:
    """A place in a grid of options that on a narrow page is as wide as this (look.css)."""
    return st.container(key=f"box-{size}.{key}")


def _widget(page: Page, option: Option, offered: Choices) -> None:
    key = f"{page.name}.{option.key}"
    value = page.view.option(option.key)
    common: dict[str, Any] = {"key": key, "help": option.help, "on_change": _chosen, "args": (page.name, option, key)}
    if option.kind == "choice":
        labels = dict(offered.get(option.key, ()))
        if value:
            labels.setdefault(value, value)
        if not labels:
            return
        st.session_state[key] = value or (next(iter(labels)) if option in RUNS else None)
        st.selectbox(
            option.label,
            list(labels),
            format_func=lambda one: visible(labels.get(one, one)),
            placeholder="Choose",
            **common,
        )
    else:
        st.session_state[key] = separated(value) if option.kind == "number" else value
        st.text_input(option.label, placeholder="None", **common)


def _chosen(name: str, option: Option, widget_key: str) -> None:
    value = st.session_state[widget_key]
    text = "" if value is None else str(value).strip()
    address.choose_option(name, option.key, (plain(text) if option.kind == "number" else text) or None)


def column(page: Page, *keys: str) -> None:
    """Draw the named options one below the other, as a popover has room for them."""
    offered = _offered(page)
    for option in sorted((one for one in every(page.name) if one.key in keys), key=lambda one: keys.index(one.key)):
        _widget(page, option, offered)


def _offered(page: Page) -> Choices:
    """What the question's options offer, and those of every answer."""
    runs = {
        evidence.RUNS.key: [("newest", "The newest of each deployment"), ("all", "Older ones too")],
        evidence.FLAGGED.key: [("ranked", "Ranked, with their flags named"), ("out", "Left out")],
    }
    own = cached.choices(page.name, page.view)
    return {**runs, **cached.basis_choices(page.view), **own}


def known_or_typed(label: str, known: Mapping[str, str], chosen: str | None, **box: Any) -> None:
    """Draw a box of known values, each with its label, in which another may be typed; `chosen` is among them."""
    st.selectbox(
        label,
        list(dict.fromkeys([*known, *([chosen] if chosen else [])])),
        format_func=lambda one: visible(known.get(one, one)),
        accept_new_options=True,
        **box,
    )


def known_names(kind: str) -> Mapping[str, str]:
    """The values on offer for a fact and their labels: known names of its kind, or the loaded precisions; else none."""
    if kind in names.KINDS:
        return names.offered(kind)
    return {one.value: one.label for one in cached.offers(View(), kind)[0]} if kind == "precision" else {}
