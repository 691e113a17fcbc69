"""The parts of the Crossover page: choosing a pair, the verdict under every normalisation, and the price slider."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bench.plain_text import markdown
from bench.questions import options as every
from bench.questions.crossover.answers import value_columns
from bench.questions.crossover.asked import axis_title
from bench.questions.crossover.phrases import Teller
from bench.questions.crossover.result import Leads, Listing, NotKnown, Pair, Result, Verdict
from bench.wording import lowered, number
from pages.shared import address, options, points, result
from pages.shared.frame import Page
from pages.shared.headlines import unbroken

PRICES = ("price_a", "price_b")
PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}
CHEAPEST, DEAREST = 0.25, 2.0
"""The slider reaches from a quarter to twice of the dearer of the break-even price and the price now."""


def sides(page: Page) -> None:
    """The options, and the way back to all pairs."""
    priced = page.view.option("a") and page.view.option("b")
    prices = partial(_prices, page) if priced else None
    # The names of two sides take a line of a narrow page: the axis gives way.
    shown, more = (
        (("a", "b", "metric", "per"), ("along",)) if priced else (("a", "b", "along", "metric", "per"), ())
    )
    options.row(page, *shown, more=more, label="Axis, prices", further=prices)
    if page.view.option("a") or page.view.option("b"):
        st.button("All pairs", key="crossover.all", type="tertiary", icon=":material/arrow_back:",
                  on_click=_take, args=(page.name, None, None))  # fmt: skip


def _prices(page: Page) -> None:
    """What a chip of each side costs, to be typed: a price is charted, so the curves are divided by it."""
    for option in every(page.name):
        if option.key in PRICES:
            key = f"{page.name}.{option.key}"
            st.session_state[key] = page.view.option(option.key)
            st.text_input(option.label, placeholder="None", help=option.help, key=key, on_change=_price,
                          args=(page.name, option.key, key))  # fmt: skip


def figure(page: Page, found: Result) -> None:
    """The chart: a clicked strip becomes the pair; a clicked point of a pair is told."""
    if isinstance(found, Pair):
        result.figure(page, opens="point", part="pair")
        points.one(page)
        return
    result.figure(page, on_pick=partial(_choose, page.name, found))
    if found.pairs:
        st.caption(
            "Click a strip, or a row of the table, to see that pair's curves and who wins divided otherwise."
        )


def verdicts(found: Result) -> None:
    """The verdict under every normalisation side by side, the one that is charted in bold."""
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


def slider(page: Page, found: Result) -> None:
    """What a chip of A may cost: moving it prices A, and the curves and the verdict per dollar follow."""
    even = found.even.get("a") if isinstance(found, Pair) else None
    if not isinstance(found, Pair) or even is None:
        return
    best, priced = even.usd_per_accelerator_hour, found.a.price
    now = priced.usd if priced else best
    high, low = DEAREST * max(best, now), CHEAPEST * min(best, now)
    tell, key = Teller.short(found.asked, found.a, found.b), f"{page.name}.slider"
    known = "" if priced else " (no price is known, so the slider starts there)"
    st.session_state[key] = round(min(max(now, round(low, 2)), round(high, 2)), 3)
    st.slider(
        f"Price of one chip of {markdown(tell.a)} (USD/h); at {markdown(tell.at(even.x))} it breaks even at"
        f" {number(best, 3)}{known}",
        min_value=round(low, 2), max_value=round(high, 2), step=0.005, format="%.3f", key=key, on_change=_price,
        args=(page.name, "price_a", key),
    )  # fmt: skip


def rows(page: Page, found: Result) -> None:
    """The knots of a pair; or the pairs, of which a picked row becomes the pair; nothing where there is neither."""
    if page.answer.rows.empty:
        return
    if isinstance(found, Pair):
        result.rows(page, labels=_labels(found))
    else:
        result.rows(page, without=("pair", "kind", "a", "b"), on_pick=partial(_choose, page.name, found))


def _labels(found: Pair) -> dict[str, str]:
    """What heads the columns of the knots: both sides by name."""
    tell, asked = Teller.short(found.asked, found.a, found.b), found.asked
    names = ("A", "B") if tell.a == found.a.label else (tell.a, tell.b)
    words = {asked.along: axis_title(asked.along).split(" (")[0], "a_over_b": f"{names[0]} / {names[1]}",
             "a_lead_percent": f"Lead of {names[0]} (%, better over worse)",
             "a_lead_percent_low": "Lead, from (95 %)", "a_lead_percent_high": "Lead, to (95 %)"}  # fmt: skip
    for side, name, column in zip("ab", names, value_columns(asked), strict=True):
        words |= {
            column: f"{name}: {lowered(asked.row.label)} ({asked.unit})",
            f"{side}_measured": f"{name} measured",
            f"{side}_series": f"{name}: the best deployment",
        }
    return words


def _cell(one: Verdict, found: Pair, tell: Teller) -> str:
    text = unbroken(tell.brief(one.outcome)).replace("|", "\\|")
    charted = (one.along, one.chips, one.per) == (found.asked.along, None, found.asked.per)
    return f"**{text}**" if charted else text


def _who(one: Verdict, tell: Teller) -> tuple[str, str]:
    """Who leads under a normalisation, and where that changes."""
    told = one.outcome.leader if isinstance(one.outcome, Leads) else tell.brief(one.outcome)
    return one.outcome.kind, told


def _choose(name: str, found: Listing, place: str | int) -> None:
    """Takes the pair in this place of the list: before the page is run again, as what changes the address must be."""
    pair = found.pairs[int(place)]
    _take(name, pair.a.filters, pair.b.filters)


def _take(name: str, a: str | None, b: str | None) -> None:
    address.choose_options(name, a=a, b=b, price_a=None, price_b=None)


def _price(name: str, option: str, key: str) -> None:
    """Takes a price of a side: what it changes is charted, the curves per dollar."""
    value = st.session_state[key]
    text = f"{value:g}" if isinstance(value, float) else str(value).strip()
    address.choose_options(name, **{option: text or None}, **({"per": "dollar"} if text else {}))
