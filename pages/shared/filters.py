"""Every filter that has no selector of its own: what is loaded beside the others, and how many points each leaves."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import streamlit as st

from bench import names
from bench.library import Library
from bench.plain_text import visible
from bench.selection import Offer
from bench.view import FILTERS, Filter, View
from pages.shared import address, cached

COLUMN_PX = 220
MOST_VALUES = 100
"""So many values of one filter still make a link that this app reads again."""

IN_THE_ROW = frozenset({"model", "precision", "isl", "osl", "accelerator"})
"""These have selectors of their own."""

UNLISTED = frozenset({"series"})
"""Offered only once a link has set them: nobody picks a series by its id."""


def panel(name: str, view: View, library: Library) -> None:
    """Draw every further filter that tells loaded points apart or is set, as a widget.

    Several precisions or lengths at once are chosen here too.
    """
    with st.container(key="filters"), st.grid("auto", min_column_width=COLUMN_PX):
        for row in (one for one in FILTERS if library.has(one.column)):
            if row.kind == "date":
                _date(name, row, view)
            elif row.key not in ("model", "accelerator"):
                _values(name, row, view)


def _values(name: str, row: Filter, view: View) -> None:
    asked = view.values(row.key)
    if row.key in UNLISTED and not asked:
        return
    offered, _ = cached.offers(view, row.key)
    if len(offered) < 2 and not asked:
        return
    labels = _labels(offered)
    picked: list[str] = []
    for value in asked:
        matching = [offer.value for offer in offered if _means(row, value, offer)]
        picked += matching or [value]
        if not matching:
            labels[value] = f"{visible(value)} (0)"
    key = f"filter.{row.key}"
    st.session_state[key] = list(dict.fromkeys(picked))
    st.multiselect(
        row.label,
        list(labels),
        key=key,
        format_func=lambda value: labels.get(value, visible(value)),
        placeholder="All",
        select_all=False,
        max_selections=MOST_VALUES,
        on_change=chosen,
        args=(name, row.key, key),
    )


def _date(name: str, row: Filter, view: View) -> None:
    asked = view.values(row.key)
    key = f"filter.{row.key}"
    st.session_state[key] = datetime.date.fromisoformat(asked[0]) if asked else None
    st.date_input(
        row.label,
        key=key,
        format="YYYY-MM-DD",
        min_value=datetime.date(2000, 1, 1),
        max_value=datetime.date(2100, 1, 1),
        on_change=chosen,
        args=(name, row.key, key),
    )


def chosen(name: str, filter_key: str, widget_key: str) -> None:
    """Take what a filter's widget holds."""
    value = st.session_state[widget_key]
    values = value if isinstance(value, list) else [value] if value else []
    address.choose(name, **{filter_key: tuple(str(item) for item in values)})


def _labels(offered: Sequence[Offer]) -> dict[str, str]:
    """A label for each value with the points it leaves; the value itself is added where two labels are alike."""
    shown = [visible(offer.label) for offer in offered]
    return {
        offer.value: f"{label} ({offer.points:,})"
        if shown.count(label) == 1
        else f"{label}, {visible(offer.value)} ({offer.points:,})"
        for offer, label in zip(offered, shown, strict=True)
    }


def _means(row: Filter, value: str, offer: Offer) -> bool:
    """Whether a value as a link writes it stands for an offered one."""
    if row.kind == "name":
        return offer.value in names.matching(row.column, value)
    if row.kind == "number":
        return float(value) == float(offer.value)
    return value.lower() == offer.value.lower()
