"""The parts of the Data page: its tables in tabs, one of which is in the link."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from bench.audit import finding
from bench.basis.prices import terms_in_words
from bench.export.rows import readable
from bench.holdings import history, listing
from bench.view import View
from pages.parts.data import correcting
from pages.parts.data import listing as listed
from pages.parts.data.listing import LABELS, NAME
from pages.shared import address, cached, headlines, notices, table
from pages.shared.page import Page

Parts = Mapping[str, Callable[[Page], None]]
HIDDEN_LABELS = {**LABELS, "hidden": "Hidden", "reason": "Because", "who": "Who", "at": "When (UTC)"}
CHANGE_LABELS = {"at": "When (UTC)", "who": "Who", "what": "Did what", "about": "About", "detail": "Why, or what"}

AUDIT_LABELS = {
    "status": "Status",
    "check": "Check",
    "finding": "What contradicts what",
    "deserves": "Deserves the flag",
    "source": "Source",
    "points": "Points",
    "reason": "Accepted because",
    "key": "Key",
}
AUDIT_PX = 760


def headline(page: Page) -> None:
    """Tell how much is loaded, from where, and what was refused."""
    correcting.said()
    headlines.headline(cached.summary())


def tabs(page: Page, parts: Parts) -> None:
    """Draw each part in a tab of its own when it is open; the first when the link names none of them."""
    labels = {key: key.capitalize() for key in parts}
    asked = page.view.option("tab")
    st.session_state["data.tabs"] = labels[asked if asked in labels else next(iter(labels))]
    opened = st.tabs(list(labels.values()), on_change=_turn, key="data.tabs")
    for tab, part in zip(opened, parts.values(), strict=True):
        if tab.open:
            with tab:
                part(page)


def sources(page: Page) -> None:
    """Draw every source as a table, and a fact to state about several of them."""
    listed.sources(page)
    correcting.of_sources(listing.called(cached.sources(page.view).rows))


def passports(page: Page) -> None:
    """Tell how each metric of the selected sources was read."""
    found = cached.passports(View(page.view.where))
    st.caption("How each figure of a source became a metric: by its formula, never by its label.")
    first = ("title", "metric", "definition")
    whole(found, "passports", first, "No source of this selection has a passport.")


def scores(page: Page) -> None:
    """Draw every quality score; a row opens one."""
    held = cached.held("scores")
    ids = list(held.get("score_id", ()))
    whole(held, "scores", (), "No quality score is loaded.", on_pick=lambda row: listed.open_(point_id=str(ids[row])))


def prices(page: Page) -> None:
    """Draw every price of every book."""
    first = ("accelerator", "usd_per_accelerator_hour", "terms", "provider", "book", "accelerators")
    held = cached.held("prices")
    whole(held, "prices", first, "No price is loaded.", words={"terms": terms_in_words})


def refusals(page: Page) -> None:
    """Draw every file and row that was not loaded, and why."""
    first = ("file", "row", "column", "value", "expected", "reason")
    nothing = "Nothing was refused: every row of every file is loaded."
    whole(cached.held("refusals"), "refusals", first, nothing)


def hidden(page: Page) -> None:
    """Draw what is in no answer because somebody hid it or deleted it; a row opens it."""
    rows = cached.held("hidden")
    if rows.empty:
        st.markdown("Nothing is hidden: every result that was imported is in the answers.")
        return
    st.caption("Hidden results are in no answer until brought back. Pick a row to open one; deleted ones are gone.")
    first = ("hidden", "title", "reason", "who", "at")
    ids = list(zip(rows["kind"], rows["id"], strict=True))

    def opens(row: int) -> None:
        kind, id = ids[row]
        listed.open_(**{"source_id" if kind == "source" else "point_id": str(id)})

    whole(rows, "hidden", first, "", without=("kind", "purged", "id"), labels=HIDDEN_LABELS, on_pick=opens)


def changes(page: Page) -> None:
    """Tell who did what when, the newest first: of the whole library, or of the opened source."""
    source_id = page.view.option("source_id")
    size = history.size(page.library)
    rows = cached.changes(source_id, size)
    notices.warn(cached.lost_changes(size))
    what = "this source" if source_id else "this library"
    st.caption(f"Every change of {what}, on a page, at the command line or by the API, the newest first.")
    whole(
        rows,
        "changes",
        ("at", "who", "what", "about", "detail"),
        f"Nobody has changed {what} yet.",
        without=("id",),
        labels=CHANGE_LABELS,
    )


def audit(page: Page) -> None:
    """Draw every finding, the new ones first; a row opens the point it is about."""
    with st.spinner("Checking figures against each other …"):
        result = cached.audit_report(len(finding.accepted(page.library)))
    st.markdown(result.headline)
    if not result.rows:
        return
    st.caption(
        "Each figure is held against the others of its point, of its source and under its label. Flagged: the"
        " point says so itself. Known: somebody looked and left it. `python -m bench audit` finds the same."
    )
    rows = result.table()
    shown = readable.table(rows, without=("key",))

    def opens(row: int) -> None:
        if ids := result.rows[row].finding.point_ids:
            listed.open_(point_id=ids[0])

    table.show(
        shown, key="rows.audit", alt="Findings of the audit", labels=AUDIT_LABELS, widest=AUDIT_PX, on_pick=opens
    )
    table.files(lambda: rows, "kneepoint-audit")


def whole(
    rows: pd.DataFrame,
    name: str,
    first: tuple[str, ...],
    nothing: str,
    *,
    without: tuple[str, ...] = (),
    labels: Mapping[str, str] | None = None,
    words: Mapping[str, Callable[[str], str]] | None = None,
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Draw a table and its files. `words` put a column's values as people write them."""
    if rows.empty:
        st.markdown(nothing)
        return
    told = {column: rows[column].map(write, na_action="ignore") for column, write in (words or {}).items()}
    shown = readable.table(rows.assign(**told), first=first, without=without)
    table.show(shown, key=f"rows.{name}", alt=f"Every one of the {name}", labels=labels or LABELS, on_pick=on_pick)
    table.files(lambda: rows, f"kneepoint-{name}")


def _turn() -> None:
    """Let the link follow the tab; its table begins at its first page, in its own order."""
    address.choose_options(NAME, tab=str(st.session_state["data.tabs"]).lower(), sort=None, page=None)
