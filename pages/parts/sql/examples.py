"""Beside the query: examples to run and to begin from, and the tables with their columns."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from bench import dictionary
from bench.plain_text import markdown
from bench.wording import counted
from pages.parts.sql import query
from pages.parts.sql.query import SessionQueries
from pages.shared import cached, table

LABELS = {"name": "Column", "holds": "What it holds", "unit": "Unit", "kind": "Type"}


def examples(queries: SessionQueries) -> None:
    """Draw questions; picking one writes its query into the box and runs it."""
    st.subheader("Examples", anchor=False)
    with st.container(key="examples"):
        for number, example in enumerate(dictionary.examples()):
            st.button(
                markdown(example.question),
                key=f"example.{number}",
                type="tertiary",
                icon=":material/play_circle:",
                on_click=query.pick,
                args=(queries, example.sql),
                wrap=True,
            )


def tables() -> None:
    """Draw every table by name; the one picked with its columns, their units and what they hold."""
    st.subheader("Tables", anchor=False)
    held = {one.name: one for one in cached.tables()}
    name = st.pills(
        "Table", list(held), default="points", required=True, key="sql.table", label_visibility="collapsed", wrap=True
    )
    one = held[name or "points"]
    st.caption(markdown(f"{one.about} {counted(one.rows, 'row')}, {counted(len(one.columns), 'column')}."))
    columns = pd.DataFrame([vars(column) for column in one.columns])
    table.show(columns[list(LABELS)], key=f"rows.schema.{one.name}", alt=f"The columns of {one.name}", labels=LABELS)
