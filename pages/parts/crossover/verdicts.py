"""Who wins a pair on the Crossover page, under every normalisation side by side."""

from __future__ import annotations

import streamlit as st

from bench.plain_text import markdown
from bench.questions.crossover.options import AXES, USERS
from bench.questions.crossover.result import CrossoverResult, Leads, NormalisedVerdict, NotKnown, Pair
from bench.questions.crossover.side_names import names
from bench.questions.crossover.verdict import brief
from bench.wording import counted
from pages.shared.headlines import unbroken

PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}


def table(answer: CrossoverResult) -> None:
    """Draw the verdict under every normalisation, the one that is charted in bold; nothing without a pair."""
    if not isinstance(answer, Pair) or answer.outcome.kind in ("not_comparable", "no_points"):
        return
    pers = [key for key in PER if any(one.per == key for one in answer.verdicts)]
    lines = [f"| | {' | '.join(PER[key] for key in pers)} |", f"|---|{'---|' * len(pers)}"]
    rows: dict[str, dict[str, str]] = {}
    for one in answer.verdicts:
        rows.setdefault(_held_equal(one, answer), {})[one.per] = _cell(one, answer)
    for held, row in rows.items():
        lines.append(f"| {markdown(held)} | {' | '.join(row[key] for key in pers)} |")
    who = {_who(one, answer) for one in answer.verdicts if not isinstance(one.outcome, NotKnown)}
    with st.container(key="verdicts"):
        st.markdown(
            "**Who wins depends on what you divide by.** Rows: what is held equal. Columns: what you divide by."
            if len(who) > 1
            else "Whatever you divide by, the winner is the same, where it is known."
        )
        st.markdown("\n".join(lines))


def _cell(one: NormalisedVerdict, found: Pair) -> str:
    text = unbroken(_brief(one, found)).replace("|", "\\|")
    charted = (one.along, one.chips, one.per) == (found.asked.along, None, found.asked.per)
    return f"**{text}**" if charted else text


def _brief(one: NormalisedVerdict, found: Pair) -> str:
    return brief(one.outcome, found.asked, names(found.a, found.b))


def _who(one: NormalisedVerdict, found: Pair) -> tuple[str, str]:
    """Who leads under a normalisation, and where that changes."""
    return one.outcome.kind, one.outcome.leader if isinstance(one.outcome, Leads) else _brief(one, found)


def _held_equal(one: NormalisedVerdict, found: Pair) -> str:
    """What is held equal for a verdict: "Same batch", "Same concurrency, 4 chips each"."""
    axis = "batch per chip" if one.along == USERS and found.asked.along == "batch" else AXES[one.along][0]
    return f"Same {axis}, {counted(one.chips, 'chip')} each" if one.chips else f"Same {axis}"
