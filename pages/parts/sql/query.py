"""The SQL page's query: what stands in the box, what was run of it, and the link, which never runs anything.

A query is run when the reader presses Run or picks an example, and kept with its rows in this session's memory: going
back to it shows them again. The address holds the query and what its chart shows; a query that came with an address
and was not run in this session waits in the box.
"""

from __future__ import annotations

import shlex
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bench import access
from bench.dictionary import TO_BEGIN
from bench.errors import BenchError
from bench.library.user_sql.frame import frame
from bench.library.user_sql.query import ROW_LIMIT, TIME_LIMIT_S
from bench.plain_text import markdown
from bench.wording import counted, joined
from pages.shared import cached, headlines
from pages.shared import frame as framed
from pages.shared.visitor import admitted, visitor

KEY, BOX, NAME = "sql", "sql.text", "sql"
CHART = ("x", "y", "colour")
"""What the address says of the chart, beside the query."""

LONGEST_LINK = 6_000
"""Characters; browsers and proxies cut addresses of some 8,000."""

REMEMBERED, REMEMBERED_BYTES = 8, 32 << 20
BOX_PX = 290
ENDED = "The query was ended because the page was used meanwhile; run it again and wait for its rows."
FROM_LINK = "This query came with the link and has not run. Read it, then press Run."


@dataclass(frozen=True)
class QueryOutcome:
    """What a query gave: its rows, whether there were more and how long it took; or the sentence why there are none."""

    rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    cut: bool = False
    seconds: float = 0.0
    bytes: int = 0
    problem: str = ""


@dataclass
class SessionQueries:
    """One session's queries. `shown` is the one whose outcome the page shows, `wanted` the one to run now."""

    text: str = ""
    shown: str = ""
    wanted: str | None = None
    from_link: bool = False
    chart: dict[str, str] = field(default_factory=dict)
    outcomes: OrderedDict[str, QueryOutcome] = field(default_factory=OrderedDict)
    addresses: deque[str] = field(default_factory=lambda: deque(maxlen=32))

    @property
    def outcome(self) -> QueryOutcome | None:
        """The outcome the page shows; None before the first and for a query that has not run."""
        return self.outcomes.get(self.shown)

    def keep(self, outcome: QueryOutcome) -> None:
        """Keep the outcome of the query shown; old ones make room for it."""
        self.outcomes[self.shown] = outcome
        self.outcomes.move_to_end(self.shown)
        while len(self.outcomes) > 1 and (
            len(self.outcomes) > REMEMBERED or sum(one.bytes for one in self.outcomes.values()) > REMEMBERED_BYTES
        ):
            self.outcomes.popitem(last=False)

    @property
    def link(self) -> dict[str, str]:
        """What the address says: the query and its chart; nothing where that would be too long for an address."""
        said = {"query": self.text, **self.chart} if self.text.strip() else {}
        return said if len(urlencode(said)) <= LONGEST_LINK else {}


def current() -> SessionQueries:
    """This session's queries, with what the address brings when that is news."""
    queries: SessionQueries = st.session_state.setdefault(KEY, SessionQueries())
    stated = {key: st.query_params[key] for key in ("query", *CHART) if key in st.query_params}
    address = urlencode(stated)
    went_back = _went_through_history()
    if went_back or ("query" in stated and address not in queries.addresses):
        queries.text = stated.get("query", "").encode(errors="replace").decode()
        queries.chart = {key: stated[key] for key in CHART if key in stated}
        queries.shown = queries.text
        queries.from_link = bool(queries.text.strip()) and queries.outcome is None
        st.session_state[BOX] = queries.text
        st.session_state.pop("sql.tabs", None)
    queries.addresses.append(address)
    st.session_state.setdefault(BOX, queries.text)
    return queries


def headline(queries: SessionQueries) -> Any:
    """The place of the page's sentence, which is said when the query has run; and what the box is for."""
    framed.linked(
        f"One SELECT, read-only, {TIME_LIMIT_S:g} s and {ROW_LIMIT:,} rows at most."
        " A link carries the query and never runs it.",
        NAME,
        urlencode(queries.link),
        written=True,
    )
    place = st.empty()
    say(queries, place)
    return place


def say(queries: SessionQueries, place: Any) -> None:
    """Write the page's sentence: what came of the query, or what can be asked."""
    headlines.headline(_sentence(queries), place)


def halves() -> Any:
    """The query's column and the one beside it, which on a narrow page stands below."""
    with st.container(key="halves"):
        return st.columns(2, gap="large")


def box(queries: SessionQueries) -> None:
    """Draw the box and the button, for those who may ask; the query to read for all others."""
    above = st.empty()
    if not admitted("query"):
        if queries.text.strip():
            st.code(queries.text, language="sql", wrap_lines=True)
            terminal(queries.text)
        else:
            st.markdown("Pick an example to read its query and to take it to a terminal.")
        return
    with st.form("sql.form", border=False):
        typed = st.text_area("Query", key=BOX, height=BOX_PX, placeholder=TO_BEGIN, label_visibility="collapsed")
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.form_submit_button("Run", type="primary", icon=":material/play_arrow:", key="sql.run")
            st.caption("or Ctrl+Enter")
    if pressed:
        queries.wanted = typed or ""
    elif queries.from_link:
        above.info(FROM_LINK, icon=":material/link:")


def pick(queries: SessionQueries, text: str) -> None:
    """Put this query into the box and run it, where the visitor may ask; for callbacks."""
    queries.text = st.session_state[BOX] = text
    queries.shown, queries.from_link, queries.chart = "", False, {}
    if access.may("query", visitor()):
        queries.wanted = text
    else:
        write(queries)


def run(queries: SessionQueries) -> None:
    """Run the query that is wanted, if one is, telling what is waited for; its address is a step in the history."""
    if queries.wanted is None:
        cached.desk().prepare(visitor())
        return
    text, queries.wanted = queries.wanted, None
    if text != queries.text:
        queries.chart = {}
    queries.text = queries.shown = text
    queries.from_link = False
    # What is told when a click ends this run of the page, and with it the query.
    queries.keep(QueryOutcome(problem=ENDED))
    st.session_state.pop("sql.tabs", None)
    status = st.empty()
    began = time.monotonic()
    try:
        found = cached.desk().run(text, visitor(), lambda sentence: status.caption(markdown(sentence)))
        seconds = time.monotonic() - began
        queries.keep(QueryOutcome(frame(found.table), found.truncated, seconds, found.table.nbytes))
    except BenchError as problem:
        queries.keep(QueryOutcome(problem=str(problem)))
    status.empty()
    write(queries)
    cached.desk().prepare(visitor())


def write(queries: SessionQueries) -> None:
    """Write to the address what is asked now, as a step in the browser's history."""
    queries.addresses.append(urlencode(queries.link))
    st.query_params.from_dict(queries.link)


def terminal(text: str) -> None:
    """Show the same query on the command line."""
    with st.expander("The same from a terminal", key="more.sql"):
        command = shlex.join(["python", "-m", "bench", "query", text, "--csv"])
        st.code(command, language="bash", wrap_lines=True)


def _sentence(asked: SessionQueries) -> str:
    outcome = asked.outcome
    if outcome is None:
        held = {one.name: one.rows for one in cached.tables()}
        counts = [counted(held[name], name.removesuffix("s")) for name in ("points", "scores", "prices")]
        if not access.may("query", visitor()):
            return f"SQL asks {joined(counts)} whatever you like; here are the tables and examples."
        return f"Ask {joined(counts)} in SQL, or run an example."
    if outcome.problem:
        return "The query gave no rows."
    rows, columns = outcome.rows.shape
    if outcome.cut:
        return f"The first {counted(rows, 'row')}: the rest was cut."
    return f"{counted(rows, 'row')} and {counted(columns, 'column')} in {outcome.seconds:.2f} s."


def _went_through_history() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
