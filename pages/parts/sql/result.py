"""What a query gave: its rows as a table, two of its columns as a chart, and files; or why there is nothing."""

from __future__ import annotations

from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from bench import chart
from bench.chart import two_columns
from bench.chart.two_columns import ChartColumns
from bench.plain_text import markdown, visible
from bench.wording import counted
from pages.parts.sql import query
from pages.parts.sql.query import QueryOutcome, SessionQueries
from pages.shared import buttons, cached, charts, notices, table

ONE_COLOUR = ""
LABELS = {"x": "Along", "y": "Up", "colour": "A colour for each"}


def show(queries: SessionQueries) -> None:
    """Draw the outcome of the query shown, if it has run."""
    outcome = queries.outcome
    if outcome is None:
        return
    if outcome.problem:
        st.warning(markdown(outcome.problem))
        return
    notices.warn(cached.current().incomplete())
    if outcome.cut:
        st.warning("The query gives more rows than a page takes. Select less, or ORDER BY what matters first.")
    if outcome.rows.empty:
        st.markdown("No row has what the query asks for; loosen its conditions.")
        query.terminal(queries.shown)
        return
    of = two_columns.chosen(outcome.rows, queries.chart)
    if of is None:
        _table(outcome)
    else:
        parts = st.tabs(
            ["Table", "Chart"], key="sql.tabs", on_change="rerun", default="Chart" if queries.chart else "Table"
        )
        if parts[0].open:
            with parts[0]:
                _table(outcome)
        if parts[1].open:
            with parts[1]:
                _chart(queries, outcome.rows, of)
    query.terminal(queries.shown)


def _table(outcome: QueryOutcome) -> None:
    """Draw the rows under the names the query gave them, and their files."""
    shown = outcome.rows.copy(deep=False)
    for name in shown.columns:
        if pd.api.types.is_string_dtype(shown[name].dtype):
            shown[name] = shown[name].map(visible, na_action="ignore")
    names = {str(name): visible(name) for name in shown}
    table.show(shown, key="rows.sql", alt="The rows of the query", labels=names, exact=True)
    with st.container(key="actions", horizontal=True, vertical_alignment="center"):
        table.downloads(lambda: outcome.rows, "kneepoint-sql")


def _chart(queries: SessionQueries, rows: pd.DataFrame, of: ChartColumns) -> None:
    """Draw two columns as a chart, which two being the reader's choice and part of the link."""
    can = two_columns.columns(rows)
    offered = {"x": can.x, "y": can.y, "colour": (ONE_COLOUR, *can.colour)}
    with st.container(key="options.sql"):
        for column, (key, names) in zip(st.columns(3), offered.items(), strict=True):
            chosen = getattr(of, key) or ONE_COLOUR
            st.session_state[f"sql.{key}"] = chosen
            column.selectbox(
                LABELS[key],
                [name for name in names if key == "colour" or name != (of.y if key == "x" else of.x)],
                key=f"sql.{key}",
                format_func=lambda name: visible(name) if name else "One colour",
                on_change=_choose,
                args=(queries, of, key),
            )
    drawn, headline = two_columns.figure(rows, of, chart.theme(st.context.theme.type)), f"{of.y} over {of.x}"
    with st.container(key="chart"):
        charts.draw(drawn, "chart.sql", visible(headline))
    if left := two_columns.left_out(rows, of):
        st.caption(f"{counted(left, 'further value')} of {markdown(of.x)} left out; {two_columns.MOST_BARS} fit.")
    with st.container(key="actions", horizontal=True):
        source = f"Source: a query of Kneepoint library {cached.library().version}."
        buttons.picture(headline, source, urlencode(queries.link), "kneepoint-sql")


def _choose(queries: SessionQueries, of: ChartColumns, key: str) -> None:
    now = {"x": of.x, "y": of.y, "colour": of.colour or ONE_COLOUR}
    queries.chart = {**now, key: st.session_state[f"sql.{key}"]}
    query.write(queries)
