"""The parts of the Jobs page: every sweep in a table; one with its progress, its points and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench.errors import BenchError
from bench.plain_text import markdown, visible
from bench.runs import grid_chart, watching
from bench.sweep.folder import UNDER_WAY, Folder
from bench.sweep.planning import form
from bench.sweep.session import launching
from bench.view import View
from pages.shared import address, buttons, cached, cached_sweeps, charts, frame, headlines, notices, table
from pages.shared.page_paths import link
from pages.shared.runs import frontier, key
from pages.shared.visitor import admitted, own_port, visitor

NAME = "jobs"
EVERY_S = 3
LABELS = {
    "state": "State",
    "title": "Sweep",
    "model": "Model asked for",
    "endpoint": "Endpoint",
    "points": "Points",
    "started": "Started (UTC)",
    "minutes": "Minutes",
    "by": "Started by",
    "id": "Id",
}
PROBLEM = "jobs.problem"
LOG_LINES = 200


def named() -> Folder | None:
    """The sweep that the address names; None where it names none, which is told when it names one that is not there."""
    address.kept().page = NAME
    id = st.query_params.get("job", "")
    folder = cached_sweeps.folder_of(id)
    if id and folder is None:
        notices.warn([f"There is no sweep '{visible(id[:60])}' in this library; these are there."])
    return folder


def library() -> Path:
    """The folder the sweeps lie in."""
    return cached.library().path


def every() -> None:
    """Draw every sweep in a table that follows what runs."""
    frame.linked("Every sweep of this library", NAME, "", follow=True)
    rows = cached_sweeps.sweeps(library())
    _following(any(state in UNDER_WAY for state in rows["state"]), _every)


def _every() -> None:
    rows = cached_sweeps.sweeps(library())
    headlines.headline(watching.headline(list(rows["state"])))
    if rows.empty:
        st.markdown("A first look at an endpoint takes about a minute.")
        with st.container(key="onward.first"):
            link("launch", "Measure an endpoint")
        return
    st.caption("Pick a row to watch, cancel or resume a sweep.")
    ids = list(rows["id"])
    table.show(
        rows, key="rows.jobs", alt="Every sweep of this library", labels=LABELS, on_pick=lambda row: _open(ids[row])
    )
    table.files(lambda: rows, "kneepoint-sweeps")


def _open(id: str) -> None:
    st.query_params["job"] = id


def one(folder: Folder) -> None:
    """Draw one sweep: where it is, how it goes, what it has found, and what can be done about it."""
    frame.linked(f"Sweep {folder.id}", NAME, urlencode({"job": folder.id}), follow=True)
    status, title = cached_sweeps.sweep_status(folder), st.empty()
    _onward(folder, status)
    _buttons(folder, status)
    _following(watching.is_under_way(status), lambda: _one(folder, title))
    _behind(folder)


def _one(folder: Folder, title: DeltaGenerator) -> None:
    status = cached_sweeps.sweep_status(folder)
    if not watching.is_under_way(status) and st.session_state.get("jobs.followed") == folder.id:
        st.session_state.pop("jobs.followed")
        st.rerun()
    if watching.is_under_way(status):
        st.session_state["jobs.followed"] = folder.id
    headlines.headline(watching.sentence(status), title)
    buttons.said(watching.announced(status))
    if watching.is_under_way(status):
        st.progress(watching.share_done(status))
        if status.get("current"):
            with st.container(horizontal=True, key="live"):
                for label, words, course in watching.live(status):
                    st.metric(label, words or "not yet", chart_data=course or None, chart_type="line", border=True)
    story = cached_sweeps.run_story(folder)
    for name, made in cached_sweeps.run_figures(folder, st.context.theme.type or "light").items():
        with st.container(key=f"chart.{name}"):
            charts.draw(made, f"chart.jobs.{name}", story.headline)
        with st.container(key=f"actions.picture.{name}", horizontal=True):
            source, query = f"Source: sweep {folder.id}.", urlencode({"job": folder.id})
            buttons.picture(story.headline, source, query, f"kneepoint-{folder.id}-{name}", chart=f"chart.{name}")
    if story.lines:
        st.caption(markdown(" ".join([key(story), *story.caveats[: 1 if story.simulated else 0]])))
    if flags := grid_chart.flags(story):
        st.markdown("\n".join(f"- {markdown(flag)}" for flag in flags))


def _following(active: bool, draw: Callable[[], None]) -> None:
    """Draw a part that is drawn again every few seconds, as long as something runs."""
    st.fragment(draw, run_every=EVERY_S if active else None)()


def _onward(folder: Folder, status: Mapping[str, Any]) -> None:
    with st.container(key="onward", horizontal=True, vertical_alignment="center"):
        link("jobs", "All sweeps")
        link("run", "The run's story", {"run": folder.id})
        story = cached_sweeps.run_story(folder)
        if story.lines and cached.count(View.of({"source": [story.source]})):
            link("pareto", "See it on the frontier", frontier(story))


def _buttons(folder: Folder, status: Mapping[str, Any]) -> None:
    """Cancel, go on, run again, change: what this state allows, for those who may."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.warning(markdown(problem))
    if not admitted("launch"):
        return
    with st.container(key="actions", horizontal=True, vertical_alignment="center"):
        if watching.is_under_way(status):
            st.button("Cancel", icon=":material/stop:", key="cancel", on_click=_do, args=("cancel", folder))
        elif status.get("state") != "done":
            st.button(
                "Resume: measure what is missing",
                icon=":material/play_arrow:",
                key="resume",
                on_click=_do,
                args=("resume", folder),
            )
        st.button("Run it again", icon=":material/replay:", key="again", on_click=_do, args=("again", folder))
        stated = form.stated_by(folder.plan.unseeded())
        if stated is not None:
            link("launch", "Change it and run", form.in_a_link(stated))


def _do(what: str, folder: Folder) -> None:
    try:
        if what == "cancel":
            launching.cancel(library(), folder.id, visitor())
        elif what == "resume":
            launching.resume(library(), folder.id, visitor(), own_port=own_port())
        else:
            started = launching.launch(library(), folder.plan.unseeded(), visitor(), own_port=own_port())
            st.query_params["job"] = started.id
    except BenchError as problem:
        st.session_state[PROBLEM] = str(problem)
    cached_sweeps.look_again()


def _behind(folder: Folder) -> None:
    try:
        lines = folder.log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
    except OSError:
        lines = []
    if lines:
        with st.expander("Log"):
            st.code("\n".join(visible(line) for line in lines), language=None)
