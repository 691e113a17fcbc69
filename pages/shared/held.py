"""The parts of the Data page: sources, the selected points and their passports, scores, prices, refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from bench import access, holdings, pricing
from bench.export import readable
from bench.plain_text import markdown
from bench.view import View
from pages.shared import cached, table
from pages.shared.frame import Page
from pages.shared.visitor import visitor

LABELS = {
    "title": "Source",
    "source_url": "Published at",
    "licence_url": "Licence text",
    "first_date": "First measured",
    "last_date": "Last measured",
    "attribution": "Attribution",
    "shipped": "Ships with Kneepoint",
    "unit_in_file": "Unit in the file",
    "usd_per_hour": "Price (USD/h)",
    "usd_per_accelerator_hour": "Price per chip (USD/h)",
}
HIDDEN = (
    "source_id",
    "licence_url",
    "retrieved",
    "attribution",
    "facts",
    "imported",
    "tool_version",
    "shipped",
)


def headline(page: Page) -> None:
    """How much is loaded, from where, and what was refused."""
    st.title(markdown(cached.told(page.version)), anchor=False)


def tabs(page: Page, parts: Mapping[str, Callable[[Page], None]]) -> None:
    """Each part in a tab of its own, drawn when it is open."""
    opened = st.tabs(list(parts), on_change="rerun", key="data.tabs")
    for tab, part in zip(opened, parts.values(), strict=True):
        if tab.open:
            with tab:
                part(page)


def sources(page: Page) -> None:
    """Every source; the one picked with its licence, its attribution and its file."""
    held = cached.held("sources", page.version)
    picked = table.show(
        readable.table(held, first=("title", "points", "scores", "licence", "source_url"), without=HIDDEN),
        key="rows.sources",
        alt="Every source with licence and link",
        labels=LABELS,
        pick=True,
    )
    if picked is None:
        st.caption("Pick a row for the source's licence, its attribution and its original file.")
        return
    row = held.iloc[picked].astype(object).where(held.iloc[picked].notna(), None).to_dict()
    with st.container(border=True, key="behind"):
        facts = (
            ("Licence", row["licence"]),
            ("Attribution", row["attribution"]),
            ("Retrieved", row["retrieved"]),
            ("Format", row["format"]),
            ("Facts stated at import", row["facts"]),
            ("Hidden", row["retracted"]),
        )
        lines = [f"**{markdown(row['title'])}**"]
        st.markdown("  \n".join(lines + [f"{label}: {markdown(value)}" for label, value in facts if value]))
        with st.container(horizontal=True):
            _link("Published at", row["source_url"])
            _link("Licence text", row["licence_url"])
            _original(row["source_id"], row["file"])


def points(page: Page) -> None:
    """The selected points, and their files."""
    where, limit = View(page.view.where), holdings.FILE_POINTS
    total = cached.count(where, page.version)
    if not total:
        st.markdown("No point matches all of the filters above; lift one of them.")
        return
    shown = readable.table(cached.points(where, table.SHOWN_ROWS, page.version))
    table.show(shown, key="rows.points", alt="The selected points", labels=LABELS, of=total)
    with st.container(key="actions", horizontal=True, vertical_alignment="center"):
        table.downloads(lambda: holdings.points(cached.library(), where, limit), "kneepoint-points")
    if total > limit:
        st.caption(
            f"A file holds the first {limit:,} of {total:,} points; narrow the selection for the others."
        )


def passports(page: Page) -> None:
    """How each metric of the selected sources was read."""
    found = cached.passports(View(page.view.where), page.version)
    st.caption("How each figure of a source became a metric: by its formula, never by its label.")
    _whole(
        found, "passports", ("title", "metric", "definition"), "No source of this selection has a passport."
    )


def scores(page: Page) -> None:
    """Every quality score."""
    _whole(cached.held("scores", page.version), "scores", (), "No quality score is loaded.")


def prices(page: Page) -> None:
    """Every price of every book."""
    first = ("book", "provider", "accelerator", "terms", "usd_per_accelerator_hour", "accelerators")
    held = cached.held("prices", page.version)
    _whole(held, "prices", first, "No price is loaded.", terms=pricing.terms_in_words)


def refusals(page: Page) -> None:
    """Every file and row that was not loaded, and why."""
    first = ("file", "row", "column", "value", "expected", "reason")
    nothing = "Nothing was refused: every row of every file is loaded."
    _whole(cached.held("refusals", page.version), "refusals", first, nothing)


def adding(page: Page) -> None:
    """How results come in, or why this visitor cannot bring any."""
    decision = access.may("import", visitor())
    if decision:
        st.caption("To add results: python -m bench import PATH. This page shows them at its next change.")
    else:
        st.caption(markdown(decision.reason))


def _whole(
    rows: pd.DataFrame,
    name: str,
    first: tuple[str, ...],
    nothing: str,
    **words: Callable[[str], str],
) -> None:
    """A table and its files; `words` put the values of a column as people write them, in the table only."""
    if rows.empty:
        st.markdown(nothing)
        return
    shown = rows.assign(
        **{column: rows[column].map(write, na_action="ignore") for column, write in words.items()}
    )
    table.show(
        readable.table(shown, first=first), key=f"rows.{name}", alt=f"Every one of the {name}", labels=LABELS
    )
    with st.container(key="actions", horizontal=True):
        table.downloads(lambda: rows, f"kneepoint-{name}")


def _link(label: str, address: object) -> None:
    link = readable.web_link(address) if address else None
    if link:
        st.link_button(label, link)


def _original(source_id: str, file: str) -> None:
    def read() -> bytes:
        return holdings.original(cached.library(), source_id)[1]

    st.download_button("Original file", read, file, key="original", on_click="ignore")
