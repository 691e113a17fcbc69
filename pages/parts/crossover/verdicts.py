"""Who wins a pair on the Crossover page, under every normalisation side by side."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions.crossover.phrases import Teller
from bench.questions.crossover.result import Leads, NotKnown, Pair, Result, Verdict
from pages.shared.headlines import unbroken

PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}


def table(found: Result) -> None:
    """The verdict under every normalisation, the one that is charted in bold; nothing without a pair."""
    if not isinstance(found, Pair) or found.outcome.kind in ("not_comparable", "no_points"):
        return
    tell = Teller.short(found.asked, found.a, found.b)
    pers = [key for key in PER if any(one.per == key for one in found.verdicts)]
    lines = [f"| | {' | '.join(PER[key] for key in pers)} |", f"|---|{'---|' * len(pers)}"]
    for held in dict.fromkeys(map(tell.held_equal, found.verdicts)):
        row = {one.per: _cell(one, found, tell) for one in found.verdicts if tell.held_equal(one) == held}
        lines.append(f"| {markdown(held)} | {' | '.join(row[key] for key in pers)} |")
    who = {_who(one, tell) for one in found.verdicts if not isinstance(one.outcome, NotKnown)}
    with st.container(key="verdicts"):
        st.markdown(
            "**Who wins depends on what you divide by.** Rows: what is held equal. Columns: what you divide by."
            if len(who) > 1
            else "Whatever you divide by, the winner is the same, where it is known."
        )
        st.markdown("\n".join(lines))


def _cell(one: Verdict, found: Pair, tell: Teller) -> str:
    text = unbroken(tell.brief(one.outcome)).replace("|", "\\|")
    charted = (one.along, one.chips, one.per) == (found.asked.along, None, found.asked.per)
    return f"**{text}**" if charted else text


def _who(one: Verdict, tell: Teller) -> tuple[str, str]:
    """Who leads under a normalisation, and where that changes."""
    told = one.outcome.leader if isinstance(one.outcome, Leads) else tell.brief(one.outcome)
    return one.outcome.kind, told
