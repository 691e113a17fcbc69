"""Who wins a pair on the Crossover page, under every normalisation side by side."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions.crossover.pair_words import Phrasing
from bench.questions.crossover.result import CrossoverResult, Leads, NormalisedVerdict, NotKnown, Pair
from pages.shared.headlines import unbroken

PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}


def table(answer: CrossoverResult) -> None:
    """Draw the verdict under every normalisation, the one that is charted in bold; nothing without a pair."""
    if not isinstance(answer, Pair) or answer.outcome.kind in ("not_comparable", "no_points"):
        return
    tell = Phrasing.short(answer.asked, answer.a, answer.b)
    pers = [key for key in PER if any(one.per == key for one in answer.verdicts)]
    lines = [f"| | {' | '.join(PER[key] for key in pers)} |", f"|---|{'---|' * len(pers)}"]
    for held in dict.fromkeys(map(tell.held_equal, answer.verdicts)):
        row: dict[str, str] = {
            one.per: _cell(one, answer, tell) for one in answer.verdicts if tell.held_equal(one) == held
        }
        lines.append(f"| {markdown(held)} | {' | '.join(row[key] for key in pers)} |")
    who = {_who(one, tell) for one in answer.verdicts if not isinstance(one.outcome, NotKnown)}
    with st.container(key="verdicts"):
        st.markdown(
            "**Who wins depends on what you divide by.** Rows: what is held equal. Columns: what you divide by."
            if len(who) > 1
            else "Whatever you divide by, the winner is the same, where it is known."
        )
        st.markdown("\n".join(lines))


def _cell(one: NormalisedVerdict, found: Pair, tell: Phrasing) -> str:
    text = unbroken(tell.brief(one.outcome)).replace("|", "\\|")
    charted = (one.along, one.chips, one.per) == (found.asked.along, None, found.asked.per)
    return f"**{text}**" if charted else text


def _who(one: NormalisedVerdict, tell: Phrasing) -> tuple[str, str]:
    """Who leads under a normalisation, and where that changes."""
    told = one.outcome.leader if isinstance(one.outcome, Leads) else tell.brief(one.outcome)
    return one.outcome.kind, told
