"""A point's card, drawn: what it is, its figures, its flags, where it comes from, and where to go from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import streamlit as st

from bench import access, catalogue
from bench.errors import NotFound
from bench.export.rows import readable
from bench.holdings.card import Card
from bench.holdings.data_link import UNFOLDED
from bench.plain_text import markdown
from bench.view import View
from pages.shared import address, buttons, cached, cached_sweeps, notices, table
from pages.shared.page import Page
from pages.shared.page_paths import link
from pages.shared.visitor import visitor

Costs = tuple[tuple[str, str], ...]
PASSPORT = "How the source's figures became these metrics"


def drawn(page: Page, id: str, costs: Costs | None, within: Mapping[str, str] | None = None, lead: str = "") -> None:
    """Draw the card of a point; `within` is what stays open when it is closed, `lead` what it is to what was clicked.

    `costs` are those that the page tells of it; without any they are those of its row in the answer.
    """
    rows = page.answer.rows
    own = rows[rows["point_id"] == id] if "point_id" in rows else rows.head(0)
    stated = own.iloc[0].to_dict() if len(own) else {}
    costly = catalogue.metrics_of("cost", held=map(str, stated))
    beside = {key: stated[key] for key in costly}
    try:
        card = cached.point_card(id, beside)
    except NotFound as missing:
        st.caption(markdown(str(missing)))
        return
    with st.container(key="card", border=True):
        head(card.deployment, card.workload, page.name, "point", within)
        if lead:
            st.markdown(markdown(lead))
        _figures(card, card.costs if costs is None else costs)
        notices.flagged(card.flags)
        st.caption(" · ".join(f"{label}: {markdown(value)}" for label, value in card.facts))
        _links(page, card)
        _passport(card)
        buttons.in_sight("card", address.opened_by_hand())


def head(title: str, below: str, name: str, what: str, within: Mapping[str, str] | None = None) -> None:
    """Draw what is opened, in words, and the button that closes it."""
    with st.container(key=f"head.{what}", horizontal=True, vertical_alignment="top"):
        second = f"  \n{markdown(below)}" if below else ""
        st.markdown(f"**{markdown(title)}**{second}", width="stretch")
        st.button(
            "Close",
            key=f"close.{what}",
            icon=":material/close:",
            type="tertiary",
            on_click=address.open_,
            args=(name,),
            kwargs=dict(within or {}),
        )


def _figures(card: Card, costs: Costs) -> None:
    """Draw latencies by statistic, throughputs, and costs with all else, side by side where there is room."""
    with st.container(key="card.figures", horizontal=True):
        if len(card.latencies):
            st.markdown(_table("Latency", card.latencies), width="content")
        if len(card.throughputs):
            st.markdown(_table("Throughput", card.throughputs), width="content")
        if pairs := (*costs, *card.others):
            st.markdown(_pairs(pairs, costs=bool(costs)), width="content")


def _table(corner: str, rows: pd.DataFrame) -> str:
    heads = [_cell(str(name)) for name in rows.columns]
    lines = [f"| {corner} | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name, told in rows.astype(object).where(rows.notna(), "").iterrows():
        lines.append(f"| {_cell(str(name))} | {' | '.join(_cell(str(cell)) for cell in told)} |")
    return "\n".join(lines)


def _pairs(pairs: Iterable[tuple[str, str]], *, costs: bool) -> str:
    lines = ["| Cost and more | |" if costs else "| Also stated | |", "|---|---:|"]
    lines += [f"| {_cell(label)} | {_cell(value)} |" for label, value in pairs]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return markdown(text).replace("|", "\\|")


def _links(page: Page, card: Card) -> None:
    shown = View(page.view.where)
    with st.container(key="onward.card", horizontal=True):
        link("data", "Open point", shown.with_options(point_id=card.id).pairs())
        link("data", "Source", shown.with_options(source_id=card.source_id).pairs())
        if card.run and cached_sweeps.swept(cached.library().path, card.run):
            link("run", "Open run", [("run", card.run[0]), ("point", card.run[1])])
        if access.may("retract", visitor()):
            unfolded = shown.with_options(point_id=card.id, correct=UNFOLDED)
            link("data", "Hide or correct", unfolded.pairs())
        again = cached_sweeps.once_more(cached.library().path, card)
        if again:
            link("launch", "Measure again", again)
        if published := readable.web_link(card.source_url) if card.source_url else None:
            st.page_link(published, label="Published at", icon=":material/open_in_new:", icon_position="right")


def _passport(card: Card) -> None:
    """Tell how each figure was read, folded away, and the point as a file."""
    with st.expander(PASSPORT if len(card.passports) else "As a file", key="card.passport", type="compact"):
        if len(card.passports):
            table.show(readable.table(card.passports), key="rows.passport", alt="Passports of the point's source")
        table.files(lambda: pd.DataFrame([card.row]), f"kneepoint-point-{card.id}")
