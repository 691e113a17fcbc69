"""What a chart opens, by a click or by the picker under it: a point's card, or the points behind a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import streamlit as st

from bench.chart import setting
from bench.export.rows import readable
from bench.plain_text import markdown, visible
from bench.questions.heatmap import cells
from bench.questions.heatmap.result import WITHOUT_VALUE
from bench.questions.openable import measured_of
from bench.wording import counted
from pages.shared import address, buttons, cached, card, table
from pages.shared.address import CELL, POINT
from pages.shared.page import Page
from pages.shared.page_paths import link

MOST_OFFERED = 300
"""So many points are offered in a picker, the leaders first; the table below has every one."""


def one(
    page: Page,
    *,
    projected: Callable[[str], tuple[str, str] | None] | None = None,
    costs: Callable[[str], card.Costs] | None = None,
) -> None:
    """Draw the picker under the chart, and the card of what is opened; nothing where the chart has no point.

    `projected` tells of a place of the chart that was not measured itself which point is behind it, and how it comes
    about; such a place opens that point. `costs` tells what the tokens of a point cost.
    """
    there = cached.openable_ids(page.name, page.view, page.theme)
    if not there:
        return
    id = address.opened(page.name).get(POINT)
    shown = _offered(there, id)
    words = cached.points_in_words(tuple(dict.fromkeys(map(measured_of, shown))))
    leads = {one: said for one in shown if ":" in one and projected and (said := projected(one))}
    offered = {
        one: f"Projected from {words[measured_of(one)]}, times {one.partition(':')[2]}" if one in leads else words[one]
        for one in shown
        if measured_of(one) in words
    }
    _picker(page, POINT, "Open a point", "Click a point of the chart, or pick one here", offered, id)
    if id is not None:
        own = measured_of(id)
        card.drawn(page, own, costs(own) if costs else None, lead=leads[id][1] if id in leads else "")


def behind(page: Page) -> None:
    """Draw the picker under a heatmap, the points behind the cell that is opened, and the card of one of them."""
    there = cached.openable_ids(page.name, page.view, page.theme)
    opened = address.opened(page.name)
    cell, id = opened.get(CELL), opened.get(POINT)
    offered = cells.in_words(page.answer.result, _offered(there, cell))
    _picker(page, CELL, "Open a cell", "Click a cell for the points behind it, or pick one here", offered, cell)
    if cell is None:
        return
    rows = cached.behind(page.view, cell)
    states = dict(zip(page.answer.rows["cell"], page.answer.rows["state"], strict=True))
    with st.container(key="behind", border=True):
        card.head(offered[cell], "", page.name, CELL)
        if states.get(cell) != "measured":
            _measure(page, cell, str(states.get(cell, "")))
        if id is None:
            buttons.in_sight("behind", address.opened_by_hand())
        if rows.empty:
            return
        st.markdown(f"**{counted(len(rows), 'point')} behind this cell**, best first; pick a row for its card")
        shown = rows.assign(standing=rows["standing"].str.replace("_", " "))
        ids = [str(one) for one in rows["point_id"]]
        table.show(
            readable.table(shown, first=(*rows.columns[:1], "standing")),
            key="rows.behind",
            alt="The points clicked",
            labels={"standing": "Ranked"},
            on_pick=lambda row: address.open_(page.name, by_chart=False, **{CELL: cell, POINT: ids[row]}),
        )
        table.files(lambda: rows, "kneepoint-points-clicked")
        words = cached.points_in_words(tuple(ids[:MOST_OFFERED]))
        _picker(page, POINT, "Open a point", "Pick a row above, or a point here", words, id, {CELL: cell})
    if id is not None:
        card.drawn(page, id, None, {CELL: cell})


def _offered(there: tuple[str, ...], opened: str | None) -> tuple[str, ...]:
    """The first of what can be opened, what is opened always among them."""
    first = there[:MOST_OFFERED]
    return first if opened is None or opened in first else (*first, opened)


def _picker(
    page: Page,
    kind: str,
    label: str,
    hint: str,
    offered: Mapping[str, str],
    opened: str | None,
    within: Mapping[str, str] | None = None,
) -> None:
    """Tell what can be opened as a list to type in, for whoever has no mouse; it shows what a click has opened."""
    key = f"{page.name}.open.{kind}"
    st.session_state[key] = opened
    with st.container(key=f"options.open.{kind}"):
        st.selectbox(
            label,
            list(offered),
            format_func=lambda id: visible(offered.get(id, id)),
            placeholder=hint,
            key=key,
            index=None,
            on_change=lambda: address.open_(page.name, **{**(within or {}), kind: st.session_state[key]}),
        )


def _measure(page: Page, cell: str, state: str) -> None:
    """Draw the way from a cell without a value to a sweep that would fill it; the sweep does not start by itself."""
    stated = cells.plan_of_cell(page.view, cell)
    settings = [
        setting(key, float(text)) for key, text in stated.items() if key in cells.MEASURED_AT and _is_number(text)
    ]
    held: dict[str, str] = {name: what for name, (_, what) in WITHOUT_VALUE.items()}
    what = f"Here are {held.get(state, 'points of one side alone')}" if state else "Nothing was measured here yet"
    st.markdown(markdown(f"{what}: {', '.join(settings)}." if settings else f"{what}."))
    link("launch", "Measure this", stated)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
