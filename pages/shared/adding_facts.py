"""The facts that sources leave open, asked for once: for all of them together, or for one that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench import names
from bench.errors import BenchError
from bench.library import by_file
from bench.library import facts as stated
from bench.library.by_file import FACT_LABELS, OpenSource
from bench.library.facts import PRICE
from bench.plain_text import markdown, visible
from bench.view import View
from bench.wording import counted, joined
from pages.shared import cached
from pages.shared.frame import Page

ALL = ""
COLUMN_PX = 190
NAMED = {"model": names.models, "accelerator": names.accelerators, "engine": names.engines}
HELP = {
    "accelerator": "Pick one, or type another.",
    "model": "Pick one, or type another.",
    "engine": "Pick one, or type another.",
    "precision": "Of the weights. Pick one, or type another.",
    "accelerators": "How many physical chips the whole deployment has.",
    "isl_requested": "In tokens a request, where every request was to have as many.",
    "osl_requested": "In tokens a request, where every request was to have as many.",
    PRICE: "What one chip costs by the hour, for costs per token. Leave it empty and a price book's is used.",
}


@dataclass
class Facts:
    """What the reader stated: for all sources that leave a fact open, and for single ones."""

    for_all: dict[str, Any] = field(default_factory=dict)
    for_one: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: str = ALL

    def of(self, sources: Sequence[OpenSource]) -> dict[str, dict[str, Any]]:
        """The facts of each source that leaves some open."""
        return by_file.stated(list(sources), self.for_all, self.for_one)

    def own(self, about: str) -> dict[str, Any]:
        """The facts stated for one source, or for all."""
        return self.for_all if about == ALL else self.for_one.setdefault(about, {})


def asked(sources: Sequence[OpenSource], facts: Facts, page: Page, drop: str) -> None:
    """The boxes for what is open, offered from the known names."""
    open_facts = [fact for fact in FACT_LABELS if any(fact in one.open for one in sources)]
    needed = [fact for fact in open_facts if fact != PRICE]
    without = [one for one in sources if any(fact != PRICE for fact in one.open)]
    with _frame(bool(needed)):
        st.markdown(_asks(sources, without, needed))
        if len(sources) > 1:
            _about(sources, facts, drop)
        own = {one.source_id: one for one in sources}.get(facts.about)
        with st.grid("auto", min_column_width=COLUMN_PX):
            for fact in open_facts:
                if own is None or fact in own.open:
                    _box(fact, facts, page, drop)
        for problem in wrong(facts.of(sources)):
            st.markdown(f":small[:red[{markdown(problem)}]]")


def _frame(needed: bool) -> DeltaGenerator:
    """Open before the reader where something is missing; folded where only a price could be added."""
    if needed:
        return st.container(key="options.adding", border=True)
    return st.expander("A price of your own", key="options.adding.price")


def wrong(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One sentence for each stated fact that cannot be."""
    problems: dict[str, None] = {}
    for given in facts.values():
        for key, value in given.items():
            try:
                stated.checked({key: value})
            except BenchError as problem:
                problems[str(problem)] = None
    return list(problems)


def _asks(sources: Sequence[OpenSource], without: Sequence[OpenSource], needed: Sequence[str]) -> str:
    if not needed:
        return "Costs are reckoned by a price book's quotes; a price stated here is kept with the results beside them."
    labels = joined([FACT_LABELS[fact].lower() for fact in needed])
    who = (
        markdown(without[0].file)
        if len(sources) == 1
        else f"{len(without)} of {counted(len(sources), 'source')}"
    )
    verb = "does" if len(without) == 1 else "do"
    return (
        f"**What did it run on?** {who} {verb} not say: {labels}. "
        "State what you know, once; it is kept with the results, and charts compare by it."
    )


def _about(sources: Sequence[OpenSource], facts: Facts, drop: str) -> None:
    files = {
        ALL: f"All {len(sources)} files, where they do not say",
        **{one.source_id: one.file for one in sources},
    }
    if facts.about not in files:
        facts.about = ALL
    key = f"adding.about.{drop}"
    st.session_state[key] = facts.about
    st.selectbox(
        "This is about",
        list(files),
        key=key,
        format_func=lambda one: visible(files[one]),
        on_change=_pick,
        args=(facts, key),
        width=420,
    )


def _pick(facts: Facts, key: str) -> None:
    facts.about = st.session_state[key] or ALL


def _box(fact: str, facts: Facts, page: Page, drop: str) -> None:
    own = facts.own(facts.about)
    key = f"adding.fact.{drop}.{facts.about[:12]}.{fact}"
    for_all = facts.for_all.get(fact) if facts.about != ALL else None
    hint = f"As all: {for_all}" if for_all is not None else "Not stated"
    common = {"key": key, "help": HELP[fact], "on_change": _state, "args": (own, fact, key)}
    st.session_state[key] = own.get(fact)
    if fact in ("accelerators", *stated.LENGTHS):
        st.number_input(FACT_LABELS[fact], min_value=1, step=1, placeholder=hint, **common)
    elif fact == PRICE:
        st.number_input(FACT_LABELS[fact], min_value=0.0, step=0.1, format="%.3f", placeholder=hint, **common)
    else:
        options = _known(fact, page)
        if own.get(fact) and own[fact] not in options:
            options[own[fact]] = own[fact]
        st.selectbox(
            FACT_LABELS[fact],
            list(options),
            format_func=lambda one: visible(options.get(one, one)),
            placeholder=hint,
            accept_new_options=True,
            **common,
        )


def _known(fact: str, page: Page) -> dict[str, str]:
    """The names on offer and their labels: the known ones, and for a precision those of the loaded points."""
    if fact in NAMED:
        return {row.slug: row.name for row in NAMED[fact]()}
    return {offer.value: offer.label for offer in cached.offers(View(), fact, page.version)}


def _state(own: dict[str, Any], fact: str, key: str) -> None:
    value = st.session_state[key]
    if value in (None, ""):
        own.pop(fact, None)
    else:
        own[fact] = value
