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
from bench.errors import BenchError
from bench.library.people_frame import frame
from bench.library.people_sql import ROW_LIMIT, TIME_LIMIT_S
from bench.plain_text import markdown
from bench.sql_examples import TO_BEGIN
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
class Outcome:
    """What a query gave: its rows, whether there were more and how long it took; or the sentence why there are none."""

    rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    cut: bool = False
    seconds: float = 0.0
    bytes: int = 0
    problem: str = ""


@dataclass
class Asked:
    """One session's queries. `shown` is the one whose outcome the page shows, `wanted` the one to run now."""

    text: str = ""
    shown: str = ""
    wanted: str | None = None
    from_link: bool = False
    chart: dict[str, str] = field(default_factory=dict)
    outcomes: OrderedDict[str, Outcome] = field(default_factory=OrderedDict)
    addresses: deque[str] = field(default_factory=lambda: deque(maxlen=32))

    @property
    def outcome(self) -> Outcome | None:
        """The outcome the page shows; None before the first and for a query that has not run."""
        return self.outcomes.get(self.shown)

    def keep(self, outcome: Outcome) -> None:
        """Nothing; the outcome is that of the query shown, and old ones make room for it."""
        self.outcomes[self.shown] = outcome
        self.outcomes.move_to_end(self.shown)
        while len(self.outcomes) > 1 and (
            len(self.outcomes) > REMEMBERED
            or sum(one.bytes for one in self.outcomes.values()) > REMEMBERED_BYTES
        ):
            self.outcomes.popitem(last=False)

    @property
    def link(self) -> dict[str, str]:
        """What the address says: the query and its chart; nothing where that would be too long for an address."""
        said = {"query": self.text, **self.chart} if self.text.strip() else {}
        return said if len(urlencode(said)) <= LONGEST_LINK else {}


def current() -> Asked:
    """This session's queries, with what the address brings when that is news."""
    asked: Asked = st.session_state.setdefault(KEY, Asked())
    stated = {key: st.query_params[key] for key in ("query", *CHART) if key in st.query_params}
    address = urlencode(stated)
    went_back = _went_through_history()
    if went_back or ("query" in stated and address not in asked.addresses):
        asked.text = stated.get("query", "").encode(errors="replace").decode()
        asked.chart = {key: stated[key] for key in CHART if key in stated}
        asked.shown = asked.text
        asked.from_link = bool(asked.text.strip()) and asked.outcome is None
        st.session_state[BOX] = asked.text
        st.session_state.pop("sql.tabs", None)
    asked.addresses.append(address)
    st.session_state.setdefault(BOX, asked.text)
    return asked


def headline(asked: Asked) -> Any:
    """The place of the page's sentence, which is said when the query has run; and what the box is for."""
    framed.linked(
        f"One SELECT, read-only, {TIME_LIMIT_S:g} s and {ROW_LIMIT:,} rows at most."
        " A link carries the query and never runs it.",
        NAME,
        urlencode(asked.link),
        written=True,
    )
    place = st.empty()
    say(asked, place)
    return place


def say(asked: Asked, place: Any) -> None:
    """The page's sentence: what came of the query, or what can be asked."""
    headlines.headline(_sentence(asked), place)


def halves() -> Any:
    """The query's column and the one beside it, which on a narrow page stands below."""
    with st.container(key="halves"):
        return st.columns(2, gap="large")


def box(asked: Asked) -> None:
    """The box and the button, for those who may ask; the query to read for all others."""
    above = st.empty()
    if not admitted("query"):
        if asked.text.strip():
            st.code(asked.text, language="sql", wrap_lines=True)
            terminal(asked.text)
        else:
            st.markdown("Pick an example to read its query and to take it to a terminal.")
        return
    with st.form("sql.form", border=False):
        typed = st.text_area(
            "Query",
            key=BOX,
            height=BOX_PX,
            placeholder=TO_BEGIN,
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.form_submit_button(
                "Run", type="primary", icon=":material/play_arrow:", key="sql.run"
            )
            st.caption("or Ctrl+Enter")
    if pressed:
        ask(asked, typed or "")
    elif asked.from_link:
        above.info(FROM_LINK, icon=":material/link:")


def ask(asked: Asked, text: str) -> None:
    """Nothing; this query runs next."""
    asked.wanted = text


def pick(asked: Asked, text: str) -> None:
    """A callback: this query stands in the box and runs, where the visitor may ask."""
    asked.text = st.session_state[BOX] = text
    asked.shown, asked.from_link, asked.chart = "", False, {}
    if access.may("query", visitor()):
        ask(asked, text)
    else:
        write(asked)


def run(asked: Asked) -> None:
    """Runs the query that is wanted, if one is, telling what is waited for; its address is a step in the history."""
    if asked.wanted is None:
        cached.desk().prepare(visitor())
        return
    text, asked.wanted = asked.wanted, None
    if text != asked.text:
        asked.chart = {}
    asked.text = asked.shown = text
    asked.from_link = False
    asked.keep(
        Outcome(problem=ENDED)
    )  # what is told when a click ends this run of the page, and with it the query
    st.session_state.pop("sql.tabs", None)
    status = st.empty()
    began = time.monotonic()
    try:
        found = cached.desk().run(text, visitor(), lambda sentence: status.caption(markdown(sentence)))
        seconds = time.monotonic() - began
        asked.keep(Outcome(frame(found.table), found.truncated, seconds, found.table.nbytes))
    except BenchError as problem:
        asked.keep(Outcome(problem=str(problem)))
    status.empty()
    write(asked)
    cached.desk().prepare(visitor())


def write(asked: Asked) -> None:
    """Nothing; the address says what is asked now, as a step in the browser's history."""
    asked.addresses.append(urlencode(asked.link))
    st.query_params.from_dict(asked.link)


def terminal(text: str) -> None:
    """The same query on the command line."""
    with st.expander("The same from a terminal", key="more.sql"):
        command = shlex.join(["python", "-m", "bench", "query", text, "--csv"])
        st.code(command, language="bash", wrap_lines=True)


def _sentence(asked: Asked) -> str:
    outcome = asked.outcome
    if outcome is None:
        held = {one.name: one.rows for one in cached.dictionary(cached.current().version)}
        counts = [counted(held[name], name.removesuffix("s")) for name in ("points", "scores", "prices")]
        if not access.may("query", visitor()):
            return f"SQL asks {joined(counts)} whatever you like; here are the tables and five examples."
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
