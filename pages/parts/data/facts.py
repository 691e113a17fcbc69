"""The facts that sources leave open, asked for once: for all of them together, or for those that are picked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench import names
from bench.errors import BenchError
from bench.library import facts as stated
from bench.library import report_by_file
from bench.library.facts import PRICE
from bench.library.report_by_file import FACT_LABELS, FileLine
from bench.plain_text import markdown, visible
from bench.wording import counted, joined
from pages.shared import options

COLUMN_PX = 190
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
class StatedFacts:
    """What the reader stated: for all sources that leave a fact open, and for some of them; `about` are the sources
    that are being spoken of, none for all."""

    for_all: dict[str, Any] = field(default_factory=dict)
    for_one: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: tuple[str, ...] = ()

    def of(self, sources: Sequence[FileLine]) -> dict[str, dict[str, Any]]:
        """The facts of each source that leaves some open."""
        return report_by_file.stated(sources, self.for_all, self.for_one)

    def own(self) -> list[dict[str, Any]]:
        """The facts stated for each source that is being spoken of, or those for all."""
        return [self.for_one.setdefault(one, {}) for one in self.about] or [self.for_all]


def boxes(sources: Sequence[FileLine], facts: StatedFacts, drop: str) -> None:
    """Draw the boxes for what is open, offered from the known names."""
    open_facts = [fact for fact in FACT_LABELS if any(fact in one.open for one in sources)]
    needed = [fact for fact in open_facts if fact != PRICE]
    without = [one for one in sources if any(fact != PRICE for fact in one.open)]
    with _frame(bool(needed)):
        st.markdown(_asks(sources, without, needed))
        if len(sources) > 1:
            _about(sources, facts, drop)
        spoken_of = [one for one in sources if not facts.about or one.source_id in facts.about]
        with st.grid("auto", min_column_width=COLUMN_PX):
            for fact in open_facts:
                if any(fact in one.open for one in spoken_of):
                    with st.container(gap="xsmall"):
                        _box(fact, facts, drop)
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


def _asks(sources: Sequence[FileLine], without: Sequence[FileLine], needed: Sequence[str]) -> str:
    if not needed:
        return "Costs are reckoned by a price book's quotes; a price stated here is kept with the results beside them."
    labels = joined([FACT_LABELS[fact].lower() for fact in needed])
    who = markdown(without[0].file) if len(sources) == 1 else f"{len(without)} of {counted(len(sources), 'source')}"
    verb = "does" if len(without) == 1 else "do"
    return (
        f"**What did it run on?** {who} {verb} not say: {labels}. "
        "State what you know, once; it is kept with the results, and charts compare by it."
    )


def _about(sources: Sequence[FileLine], facts: StatedFacts, drop: str) -> None:
    """Tell which of the files the boxes speak of: all that do not say, or those that are picked."""
    files = {one.source_id: one.file for one in sources}
    facts.about = tuple(one for one in facts.about if one in files)
    key = f"adding.about.{drop}"
    st.session_state[key] = list(facts.about)
    st.multiselect(
        "For these files",
        list(files),
        key=key,
        format_func=lambda one: visible(files[one]),
        placeholder=f"All {len(sources)}, where they do not say; or pick some",
        on_change=lambda: setattr(facts, "about", tuple(st.session_state[key])),
    )


def _box(fact: str, facts: StatedFacts, drop: str) -> None:
    own = facts.own()
    said = {given.get(fact) for given in own}
    value = said.pop() if len(said) == 1 else None
    key = f"adding.fact.{drop}.{_about_key(facts.about)}.{fact}"
    for_all = facts.for_all.get(fact) if facts.about else None
    hint = f"As all: {for_all}" if for_all is not None else "They differ" if said else "Not stated"
    common: dict[str, Any] = {"key": key, "help": HELP[fact], "on_change": _state, "args": (own, fact, key)}
    st.session_state[key] = value
    if fact in ("accelerators", *stated.LENGTHS):
        st.number_input(FACT_LABELS[fact], min_value=1, step=1, placeholder=hint, **common)
    elif fact == PRICE:
        st.number_input(FACT_LABELS[fact], min_value=0.0, step=0.1, format="%.3f", placeholder=hint, **common)
    else:
        options.known_or_typed(FACT_LABELS[fact], options.known_names(fact), value, placeholder=hint, **common)
        if value and fact in names.KINDS and (unknown := names.unknown(fact, value)):
            st.caption(markdown(unknown))


def _about_key(about: Sequence[str]) -> str:
    """What tells the boxes about some sources from those about others; empty about all."""
    return "-".join(one[:12] for one in about[:3]) + (f"-{len(about)}" if len(about) > 3 else "")


def _state(own: Sequence[dict[str, Any]], fact: str, key: str) -> None:
    value = st.session_state[key]
    for given in own:
        if value in (None, ""):
            given.pop(fact, None)
        else:
            given[fact] = value
