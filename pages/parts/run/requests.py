"""The requests of a run's point: their list, and one of them with the arrival of each chunk."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from bench.errors import BenchError
from bench.plain_text import markdown, visible
from bench.wording import counted, number
from pages.shared import cached_sweeps, charts, notices, runs, table
from pages.shared.runs import REQUEST, RunPage

MOST_OFFERED = 300
"""So many requests are offered in the picker: those that failed, then the slowest."""
LABELS = {
    "number": "Request",
    "due_s": "Due (s)",
    "ttft_ms": "TTFT (ms)",
    "e2el_ms": "E2EL (ms)",
    "input_tokens": "Input tokens",
    "output_tokens": "Output tokens",
    "chunks": "Chunks",
    "counts": "In the latencies",
    "outcome": "Outcome",
    "error": "Why",
    "chunk": "Chunk",
    "at_ms": "Came at (ms)",
    "gap_ms": "After the one before (ms)",
    "tokens": "Tokens",
    "tokens_so_far": "Tokens so far",
}


def listed(run: RunPage, point: int, requests: int) -> None:
    """Draw the requests of a point: a row picked, or one chosen from the list, opens it; the link keeps it."""
    rows = cached_sweeps.requests(run.folder, point)
    chosen = _chosen(rows)
    st.markdown(f"**Requests of this point**: {counted(requests, 'request')}, as they were due")
    _picker(rows, chosen)
    if chosen is not None:
        _one(run, point, chosen)
    numbers = [int(one) for one in rows["number"]]
    table.show(
        rows.dropna(axis="columns", how="all"),
        key="rows.requests",
        alt="The requests of the point",
        labels=LABELS,
        of=requests,
        on_pick=lambda row: open_(numbers[row]),
    )
    table.files(lambda: rows, f"kneepoint-{run.story.id}-{point}-requests")


def open_(request: int | None) -> None:
    """Open a request of the point that the address names, or with None close it."""
    if request is None:
        st.query_params.pop(REQUEST, None)
    else:
        st.query_params[REQUEST] = str(request)


def _chosen(rows: pd.DataFrame) -> int | None:
    """The request that the address names; None, and why, where the point has no such request."""
    text = st.query_params.get(REQUEST)
    if not text:
        return None
    if text.isdecimal() and len(text) < 12 and int(text) in set(rows["number"]):
        return int(text)
    notices.warn([f"This point has no request {text[:20]}; its list has those there are."])
    return None


def _picker(rows: pd.DataFrame, chosen: int | None) -> None:
    ordered = rows.assign(well=rows["outcome"] == "ok").sort_values(
        ["well", "e2el_ms"], ascending=[True, False], kind="stable"
    )
    first = ordered.head(MOST_OFFERED)
    first = first if chosen is None else pd.concat([first, rows[rows["number"] == chosen]])
    words = {int(row["number"]): _words(row) for row in first.to_dict("records")}
    st.session_state["run.request"] = chosen
    with st.container(key="options.open.request"):
        st.selectbox(
            "Open a request",
            list(words),
            format_func=lambda number: visible(words[number]),
            placeholder="Pick a row below or a bar above, or one here: failed ones first, then the slowest",
            key="run.request",
            index=None,
            on_change=lambda: open_(st.session_state["run.request"]),
        )


def _words(row: Mapping[Hashable, Any]) -> str:
    outcome = "" if row["outcome"] == "ok" else f", {row['outcome']}"
    return f"Request {row['number']}: {number(float(str(row['e2el_ms'])))} ms{outcome}"


def _one(run: RunPage, point: int, chosen: int) -> None:
    with st.container(key="card", border=True):
        try:
            request = cached_sweeps.request_story(run.folder, point, chosen)
        except BenchError as problem:
            st.caption(markdown(str(problem)))
            return
        with st.container(key="head.request", horizontal=True, vertical_alignment="top"):
            st.markdown(f"**{markdown(request.headline)}**", width="stretch")
            st.button(
                "Close", key="close.request", icon=":material/close:", type="tertiary", on_click=open_, args=(None,)
            )
        st.markdown(" · ".join(f"{label}: **{markdown(text)}**" for label, text in request.facts))
        st.caption("Prompts and answers are not kept; what a sweep keeps is their times and tokens.")
        drawn = cached_sweeps.request_figure(run.folder, point, chosen, run.theme)
        charts.draw(drawn, "chart.run.request", request.headline)
        runs.picture(run, request.headline, f"-{point}-request-{chosen}", "chart.run.request")
        if len(request.chunks):
            with st.expander(f"Each chunk: {counted(len(request.chunks), 'chunk')}", key="card.chunks"):
                table.show(request.chunks, key="rows.chunks", alt="The request's chunks", labels=LABELS)
                table.files(lambda: request.chunks, f"kneepoint-{run.story.id}-{point}-request-{chosen}")
