"""The audit on the Data page: what contradicts itself in the library and in the answers about it."""

from __future__ import annotations

import streamlit as st

from bench.audit.accepted import accepted
from bench.export import readable
from pages.shared import cached, listed, table
from pages.shared.frame import Page

LABELS = {
    "status": "Status", "check": "Check", "finding": "What contradicts what", "deserves": "Deserves the flag",
    "source": "Source", "points": "Points", "reason": "Accepted because", "key": "Key",
}  # fmt: skip
WIDEST_PX = 760


def section(page: Page) -> None:
    """Every finding, the new ones first; a row opens the point it is about."""
    with st.spinner("Checking figures against each other and answers against their points …"):
        found = cached.audit(page.version, len(accepted(page.library)))
    st.markdown(found.headline)
    if not found.rows:
        return
    st.caption(
        "Each figure is held against the others of its point, its source and its answers. Flagged: the point says so"
        " itself. Known: somebody looked and left it. `python -m bench audit` finds the same."
    )
    rows = found.table()
    shown = readable.table(rows, without=("key",))
    table.show(shown, key="rows.audit", alt="Findings of the audit", labels=LABELS, widest=WIDEST_PX,
               on_pick=lambda row: _open(found.rows[row].finding.point_ids))  # fmt: skip
    table.files(lambda: rows, "kneepoint-audit")


def _open(point_ids: tuple[str, ...]) -> None:
    if point_ids:
        listed.open_(point_id=point_ids[0])
