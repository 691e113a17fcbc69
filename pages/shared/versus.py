"""The parts of the Crossover page: choosing a pair, the verdict under every normalisation, and the price slider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from bench import catalogue
from bench.plain_text import markdown
from bench.questions.crossover.asked import at
from bench.questions.crossover.tables import knot_columns
from bench.wording import lowered, number
from pages.shared import address, options, points, result
from pages.shared.frame import Page
from pages.shared.headlines import unbroken

PER = {"raw": "Raw", "accelerator": "Per chip", "dollar": "Per dollar", "watt": "Per rated watt"}
LISTED = {
    "label_a": "A",
    "label_b": "B",
    "verdict": "Verdict",
    "crossing": "First crossing",
    "between": "Between the measured",
    "from": "Compared from",
    "to": "Compared to",
    "a_lead_percent_low": "A leads by at least (%, below 0 B leads)",
    "a_lead_percent_high": "A leads by at most (%, below 0 B leads)",
    "knots": "Places",
}
CHEAPEST, DEAREST = 0.25, 2.0
"""The slider reaches from a quarter to twice of the dearer of the break-even price and the price now."""


def is_list(page: Page) -> bool:
    """Whether the page lists pairs."""
    return page.answer.numbers["mode"] == "list"


def sides(page: Page) -> None:
    """The options, and the way back to all pairs."""
    options.row(page, "a", "b", "along", "metric", "per")
    if not is_list(page) or page.view.option("a") or page.view.option("b"):
        st.button("All pairs", key="crossover.all", type="tertiary", icon=":material/arrow_back:",
                  on_click=_take, args=(page.name, None, None))  # fmt: skip
    options.more(page, "Prices", "price_book", "price_terms", "price_a", "price_b")


def figure(page: Page) -> None:
    """The chart: a clicked strip becomes the pair; a clicked point of a pair is told."""
    if not is_list(page):
        clicked = result.figure(page, clickable=True, part="pair")
        points.one(page, clicked, (page.view.option("metric"),))
        return
    result.figure(page, on_pick=lambda strip: _choose(page, int(strip)))
    if page.answer.numbers["pairs"]:
        st.caption(
            "Click a strip, or a row of the table, to see that pair's curves and its verdict in other terms."
        )


def verdicts(page: Page) -> None:
    """The verdict under every normalisation side by side, the one that is charted in bold."""
    if is_list(page) or page.answer.numbers["kind"] in ("not_comparable", "no_points"):
        return
    found = page.answer.numbers["verdicts"]
    pers = [key for key in PER if any(one["per"] == key for one in found)]
    lines = [f"| | {' | '.join(PER[key] for key in pers)} |", f"|---|{'---|' * len(pers)}"]
    for held in dict.fromkeys(one["held_equal"] for one in found):
        row = {one["per"]: one for one in found if one["held_equal"] == held}
        lines.append(f"| {markdown(held)} | {' | '.join(_cell(row[key]) for key in pers)} |")
    with st.container(key="verdicts"):
        if len({_who(one) for one in found if one["kind"] != "not_known"}) > 1:
            st.markdown(
                "**The verdict is the normalisation's.** Who leads, by what is held equal and what divides:"
            )
        else:
            st.markdown("Who leads, by what is held equal and what divides: the same everywhere it is known.")
        st.markdown("\n".join(lines))


def slider(page: Page) -> None:
    """What a chip of A may cost: moving it prices A, and the verdict per dollar follows."""
    if is_list(page):
        return
    even, priced = page.answer.numbers["break_even"]["a"], page.answer.numbers["prices"]["a"]
    if not even:
        return
    best = even[0]["usd_per_accelerator_hour"]
    now = priced["usd_per_accelerator_hour"] or best
    high = DEAREST * max(best, now)
    low = CHEAPEST * min(best, now)
    label, along = page.answer.numbers["a"]["label"], page.answer.numbers["along"]
    load = at(along, even[0]["x"])
    known = "" if priced["usd_per_accelerator_hour"] else ", where the handle stands as no price is known"
    key = f"{page.name}.slider"
    st.session_state[key] = round(min(max(now, round(low, 2)), round(high, 2)), 3)
    st.slider(
        f"Price of one chip of {markdown(label)} (USD/h); at {markdown(load)} it breaks even at"
        f" {number(best, 3)}{known}",
        min_value=round(low, 2), max_value=round(high, 2), step=0.005, format="%.3f", key=key, on_change=_price,
        args=(page.name, key),
    )  # fmt: skip


def rows(page: Page) -> None:
    """The knots of a pair; or the pairs, of which a picked row becomes the pair; nothing where there is neither."""
    if page.answer.rows.empty:
        return
    if not is_list(page):
        result.rows(page, labels=_knot_labels(page.answer.numbers))
        return
    places = [int(place) for place in page.answer.rows["pair"]]
    result.rows(page, labels=LISTED, without=("pair", "kind", "a", "b"),
                on_pick=lambda row: _choose(page, places[row]))  # fmt: skip


def _knot_labels(numbers: Mapping[str, Any]) -> dict[str, str]:
    names = {side: numbers[side]["label"].split(",")[0] for side in ("a", "b")}
    if names["a"] == names["b"]:
        names = {"a": "A", "b": "B"}
    metric = catalogue.metric(numbers["metric"])
    columns = knot_columns(numbers["along"], numbers["metric"], numbers["per"])
    words = {"x": numbers["along"].replace("_", " ").capitalize(), "ratio": f"{names['a']} / {names['b']}",
             "leads": "Leads (a, b or tie)", "lead_percent": f"Lead of {names['a']} (%, better over worse)",
             "lead_low": "Lead, from (95 %)", "lead_high": "Lead, to (95 %)", "tie": "Tie",
             "settled": "Settled"}  # fmt: skip
    for side, name in names.items():
        words |= {
            side: f"{name}: {lowered(metric.label)} ({numbers['unit']})",
            f"{side}_measured": f"{name} measured",
            f"member_{side}": f"{name}: the best series",
        }
    return {columns[key]: label for key, label in words.items()}


def _cell(verdict: Mapping[str, Any]) -> str:
    text = unbroken(verdict["verdict"]).replace("|", "\\|")
    return f"**{text}**" if verdict["asked"] else text


def _who(verdict: Mapping[str, Any]) -> tuple[Any, ...]:
    """Who leads under a normalisation, and where that changes."""
    return verdict["kind"], tuple(round(x, 1) for x in verdict["crossings"]), str(verdict["turns"])


def _choose(page: Page, place: int) -> None:
    pair = next((one for one in page.answer.numbers["pairs"] if one["pair"] == place), None)
    if pair is not None:
        _take(page.name, pair["a"], pair["b"])


def _take(name: str, a: str | None, b: str | None) -> None:
    address.choose_option(name, "a", a)
    address.choose_option(name, "b", b)
    for key in ("price_a", "price_b"):
        address.choose_option(name, key, None)


def _price(name: str, key: str) -> None:
    address.choose_option(name, "price_a", f"{st.session_state[key]:g}")
