"""The parts of the Crossover page: a pair to choose, the prices of its chips, and who wins under each division."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bench.plain_text import markdown
from bench.questions import options as every
from bench.questions.crossover.figure import EVERY_STRIP, MOST_STRIPS
from bench.questions.crossover.options import AXES, USERS, at, axis_title
from bench.questions.crossover.pairs import value_columns
from bench.questions.crossover.result import CrossoverResult, Leads, NormalisedVerdict, NotKnown, Pair, PairList
from bench.questions.crossover.side_names import names
from bench.questions.crossover.verdict import brief
from bench.wording import counted, lowered, number
from pages.shared import address, options, points, result
from pages.shared.headlines import unbroken
from pages.shared.page import Page

KEYS = ("price_a", "price_b")
CHEAPEST, DEAREST = 0.25, 2.0
"""The slider reaches from a quarter to twice of the dearer of the break-even price and the price now."""
PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}


def sides(page: Page) -> None:
    """Draw the options, and the way back to all pairs."""
    is_pair = page.view.option("a") and page.view.option("b")
    typed = partial(typed_prices, page) if is_pair else None
    # The names of two sides take a line of a narrow page: the axis gives way.
    shown, more = (("a", "b", "metric", "per"), ("along",)) if typed else (("a", "b", "along", "metric", "per"), ())
    options.row(page, *shown, more=more, label="Axis, prices", further=typed)
    if page.view.option("a") or page.view.option("b"):
        # All pairs are undivided only where that is fair, which is for them to say.
        per = page.view.option("per")
        st.button(
            "All pairs",
            key="crossover.all",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=_take_pair,
            args=(page.name, None, None, None if per == "raw" else per),
        )


def figure(page: Page, answer: CrossoverResult) -> None:
    """Draw the chart: a clicked strip becomes the pair; a clicked point of a pair is told."""
    if isinstance(answer, Pair):
        result.figure(page, opens="point", part="pair")
        points.one(page)
        return
    result.figure(page, on_pick=partial(_choose, page.name, answer))
    if answer.pairs:
        st.caption("Click a strip, or a row of the table, to see that pair's curves and who wins divided otherwise.")
    if (many := len(answer.pairs)) > MOST_STRIPS:
        is_all = answer.asked.every_strip
        more = f"all {many}" if many <= EVERY_STRIP else f"{EVERY_STRIP} of {many}"
        st.button(
            f"Show {MOST_STRIPS if is_all else more} strips",
            key="crossover.strips",
            type="tertiary",
            on_click=address.choose_option,
            args=(page.name, "strips", "few" if is_all else "all"),
        )


def rows(page: Page, answer: CrossoverResult) -> None:
    """Draw the knots of a pair; or the pairs, of which a picked row becomes the pair; nothing without either."""
    if isinstance(answer, Pair):
        result.rows(page, labels=_labels(answer))
    else:
        # Where a pair crosses stands in its verdict, with the digits that an interpolated place deserves.
        own = ("pair", "kind", "a", "b", "crossing")
        result.rows(page, without=own, on_pick=partial(_choose, page.name, answer))


def _labels(found: Pair) -> dict[str, str]:
    """What heads the columns of the knots: both sides by name."""
    chosen, (a, b) = found.asked, names(found.a, found.b).values()
    a, b = ("A", "B") if a == found.a.label else (a, b)
    words = {
        chosen.along: axis_title(chosen.along).split(" (")[0],
        "a_over_b": f"{a} / {b}",
        "a_lead_percent": f"Lead of {a} (%, better over worse)",
        "a_lead_percent_low": "Lead, from (95 %)",
        "a_lead_percent_high": "Lead, to (95 %)",
    }
    for side, name, column in zip("ab", (a, b), value_columns(chosen), strict=True):
        words |= {
            column: f"{name}: {lowered(chosen.row.label)} ({chosen.unit})",
            f"{side}_measured": f"{name} measured",
            f"{side}_series": f"{name}: the best deployment",
        }
    return words


def _choose(name: str, pairs: PairList, place: str | int) -> None:
    """Take the pair in this place of the list, divided as it is there: before the page is run again, as what changes
    the address must be."""
    pair = pairs.pairs[int(place)]
    _take_pair(name, pair.a.filters, pair.b.filters, pairs.asked.per)


def _take_pair(name: str, a: str | None, b: str | None, per: str | None) -> None:
    address.choose_options(name, a=a, b=b, per=per, price_a=None, price_b=None)


def typed_prices(page: Page) -> None:
    """Ask what a chip of each side costs: a price is charted, so the curves are divided by it."""
    for option in every(page.name):
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


def verdicts(answer: CrossoverResult) -> None:
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
