"""A question's own options as widgets, seeded from the View."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench.basis import evidence, limits, prices
from bench.basis.options import Option
from bench.errors import BenchError
from bench.plain_text import visible
from bench.questions import Choices
from bench.questions import options as every
from bench.view import View
from pages.shared import address, cached
from pages.shared.frame import Page

Size = Literal["narrow", "wide", "full"]

COLUMN_PX = 150
MOST_COLUMNS = 7
RUNS = (evidence.RUNS, evidence.FLAGGED)
"""Choices of every answer whose first value is meant where a View says nothing."""

USUAL = (
    "ttft_ms_p50<=1000", "ttft_ms_p50<=5000", "ttft_ms_p99<=2000", "tpot_ms_p50<=50", "tpot_ms_p99<=100",
    "interactivity_tokens_per_s_per_user_p50>=20", "interactivity_tokens_per_s_per_user_p50>=50",
)  # fmt: skip
"""Limits that are offered: what people ask of a chat, an agent and a batch."""

LONG, LONGER, LONGEST = 18, 40, 50
"""A choice with a name of more characters than the first gets a box of two columns, beyond the last of three, so that
the name is read whole; on a narrow page one with a name beyond the second has a row of its own (look.css)."""


def row(page: Page, *keys: str, name: str = "options") -> None:
    """The named options, or all of them, side by side."""
    wanted = [option for option in every(page.name) if not keys or option.key in keys]
    offered = _offered(page)
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
        st.session_state[key] = value or (next(iter(labels)) if option in RUNS else None)
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
    offered = _offered(page)
    named = [option for option in every(page.name) if option.key in keys]
    usable = [option.key for option in named if option.kind != "choice" or offered.get(option.key)]
    if usable:
        with st.expander(label, key=f"more.{page.name}", type="compact"):
            row(page, *usable, name=f"options.{page.name}.more")


def _offered(page: Page) -> Choices:
    """What the question's options offer, and those of every answer."""
    runs = {
        evidence.RUNS.key: [("newest", "The newest of each deployment"), ("all", "Older ones too")],
        evidence.FLAGGED.key: [("ranked", "Ranked, with their flags named"), ("out", "Left out")],
    }
    own = cached.choices(page.name, page.view, page.version)
    return {**runs, **cached.basis_choices(page.view, page.version), **own}


def basis(page: Page, *, priced: bool) -> None:
    """What every answer stands on and the reader chooses once for all pages, folded away: limits, prices, runs."""
    words = "Limits, prices and runs" if priced else "Limits and runs"
    with st.expander(words, key=f"basis.{page.name}", type="compact"):
        _limits(page)
        keys = [
            *((one.key for one in prices.OPTIONS) if priced else ()),
            *(one.key for one in RUNS),
        ]
        row(page, *keys, name=f"options.{page.name}.basis")


def _limits(page: Page) -> None:
    """The reader's limits, each a metric with a number: chosen from the usual ones or typed."""
    key = f"{page.name}.slo"
    chosen = [limit for limit in page.view.slo if limit != limits.NONE]
    st.session_state[key] = chosen
    st.multiselect(
        "Limits",
        list(dict.fromkeys([*chosen, *USUAL])),
        key=key,
        format_func=_limit_words,
        placeholder="None: choose one, or type it as ttft_ms_p99<=2000",
        accept_new_options=True,
        select_all=False,
        max_selections=limits.MOST,
        on_change=_limited,
        args=(page.name, key),
        help="Points that break a limit, or do not state its metric, are not ranked; every page keeps to it.",
    )


def _limit_words(text: str) -> str:
    try:
        (limit,) = limits.read(View(slo=(text,)))
    except BenchError:
        return visible(text)
    return f"{limit.words[:1].upper()}{limit.words[1:]}"


def _limited(name: str, key: str) -> None:
    address.choose_limits(name, tuple(st.session_state[key]))
