"""The audit on the Data page: what contradicts itself in the library."""

from __future__ import annotations

import streamlit as st

from bench.audit.finding import accepted
from bench.export.rows import readable
from pages.parts.data import listing
from pages.shared import cached, table
from pages.shared.frame import Page

LABELS = {
    "status": "Status",
    "check": "Check",
    "finding": "What contradicts what",
    "deserves": "Deserves the flag",
    "source": "Source",
    "points": "Points",
    "reason": "Accepted because",
    "key": "Key",
}
WIDEST_PX = 760


def section(page: Page) -> None:
    """Draw every finding, the new ones first; a row opens the point it is about."""
    with st.spinner("Checking figures against each other …"):
        result = cached.audit_report(page.version, len(accepted(page.library)))
    st.markdown(result.headline)
    if not result.rows:
        return
    st.caption(
        "Each figure is held against the others of its point, of its source and under its label. Flagged: the"
        " point says so itself. Known: somebody looked and left it. `python -m bench audit` finds the same."
    )
    rows = result.table()
    shown = readable.table(rows, without=("key",))
    table.show(
        shown,
        key="rows.audit",
        alt="Findings of the audit",
        labels=LABELS,
        widest=WIDEST_PX,
        on_pick=lambda row: _open(result.rows[row].finding.point_ids),
    )
    table.files(lambda: rows, "kneepoint-audit")


def _open(point_ids: tuple[str, ...]) -> None:
    if point_ids:
        listing.open_(point_id=point_ids[0])
