"""Choosing a pair on the Crossover page: by its sides, by a strip of the chart, or by a row of the table."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bench.questions.crossover.figure import EVERY_STRIP, MOST_STRIPS
from bench.questions.crossover.options import axis_title
from bench.questions.crossover.pairs import value_columns
from bench.questions.crossover.result import CrossoverResult, Pair, PairList
from bench.questions.crossover.side_names import names
from bench.wording import lowered
from pages.parts.crossover import prices
from pages.shared import address, options, points, result
from pages.shared.frame import Page


def sides(page: Page) -> None:
    """Draw the options, and the way back to all pairs."""
    is_pair = page.view.option("a") and page.view.option("b")
    typed = partial(prices.typed, page) if is_pair else None
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
            on_click=_take,
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
    _take(name, pair.a.filters, pair.b.filters, pairs.asked.per)


def _take(name: str, a: str | None, b: str | None, per: str | None) -> None:
    address.choose_options(name, a=a, b=b, per=per, price_a=None, price_b=None)
