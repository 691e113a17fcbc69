"""The parts of a run's page: which run the address names, its result, its points, and what lies behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bench import chart
from bench.plain_text import markdown, visible
from bench.runs import RunStory, curve_chart
from bench.runs.levels import THROUGHPUT
from bench.sweep.folder import UNDER_WAY, Folder, listed
from bench.view import View
from bench.wording import counted, joined
from pages.shared import address, buttons, cached, cached_sweeps, charts, frame, headlines, notices, table
from pages.shared.page_paths import link

NAME, REQUEST = "run", "request"
NEWEST = 8
WAITING = ("queued", *UNDER_WAY)
MARKS = {True: ":material/check:", False: ":material/close:", None: ":material/help:"}
LABELS = {
    "number": "Point",
    "load": "Load",
    "shape": "Requests",
    "requests_ok": "Ended well",
    "requests_failed": "Failed",
    "is_knee": "Knee",
    "flags": "Flags",
    "started": "Started",
    "state": "Ended",
    "reason": "Why",
    "tool_version": "Kneepoint",
}


@dataclass(frozen=True)
class RunPage:
    """The run of this page, and the theme it is drawn for."""

    folder: Folder
    story: RunStory
    theme: str


def named() -> RunPage:
    """The run that the address names; the page ends here with what there is instead when it names none."""
    address.kept().page = NAME
    library = cached.current()
    id = st.query_params.get("run", "")
    folder = cached_sweeps.folder_of(id)
    if folder is None:
        _none(id, listed(library.path))
        st.stop()
    return RunPage(folder, cached_sweeps.run_story(folder), st.context.theme.type or "light")


def headline(run: RunPage) -> None:
    """Draw the result, and what to hold against it, below the line with the page's link."""
    frame.linked(f"Sweep {run.story.id}", NAME, _query(run), follow=True)
    headlines.headline(run.story.headline)
    st.caption(" ".join(markdown(caveat) for caveat in run.story.caveats))
    if run.story.findings:
        st.markdown("\n".join(f"- {markdown(finding)}" for finding in run.story.findings))


def _query(run: RunPage) -> str:
    """What a link to the run, the chosen point and its opened request asks for."""
    asked = {key: st.query_params.get(key, "") for key in ("point", REQUEST)}
    return urlencode({"run": run.story.id, **{key: number for key, number in asked.items() if number.isdigit()}})


def picture(run: RunPage, headline: str, name: str, chart: str) -> None:
    """Draw buttons that save one chart of the run, with what it says, the run, and the link to it."""
    with st.container(key=f"actions.{chart}", horizontal=True):
        source = f"Source: sweep {run.story.id}; Kneepoint library {cached.library().version}."
        buttons.picture(headline, source, _query(run), f"kneepoint-{run.story.id}{name}", chart=chart)


def onward(run: RunPage) -> None:
    """Offer the next step this state asks for, and the ways on."""
    story = run.story
    with st.container(key="onward", horizontal=True, vertical_alignment="center"):
        if story.state in WAITING:
            link("jobs", "Watch it", {"job": story.id})
        if cached.count(View.of({"source": [story.source]})):
            link("pareto", "See it on the frontier", frontier(story))
        link("jobs", "All sweeps")


def curve(run: RunPage) -> int | None:
    """The run's points as a chart; the number of the one the reader chose there, in the list or by link."""
    story = run.story
    if not story.lines:
        return None
    numbers = [line.number for line in story.lines]
    asked = st.query_params.get("point")
    chosen = int(asked) if asked and asked.isdecimal() and int(asked) in numbers else None
    if asked and chosen is None:
        there = f"points {numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"point {numbers[0]} alone"
        notices.warn([f"This run has no point {asked[:20]}; it has {there}."])
    with st.container(key="chart"):
        drawn = curve_chart.figure(story, chart.theme(run.theme), chosen, cached_sweeps.earlier(run.folder))
        charts.draw(drawn, "chart.run", story.headline, lambda ids: _open(int(ids[0])) if ids else None)
    st.caption(markdown(key(story)))
    picture(run, story.headline, "", "chart")
    words = {line.number: _words(row) for line, row in zip(story.lines, story.points.to_dict("records"), strict=True)}
    st.session_state["run.point"] = chosen
    with st.container(key="options"):
        st.selectbox(
            "Point",
            numbers,
            format_func=lambda number: visible(words[number]),
            placeholder="Click a point of the chart, or pick one here, for its requests",
            key="run.point",
            on_change=lambda: _open(st.session_state["run.point"]),
            index=None,
            width=420,
        )
    return chosen


def points(run: RunPage) -> None:
    """Draw every point with its figures and flags, and as files."""
    if run.story.points.empty:
        return
    table.show(run.story.points, key="rows.run", alt=f"Table: {run.story.headline}", labels=LABELS)
    with st.container(key="actions", horizontal=True, vertical_alignment="center"):
        table.downloads(lambda: run.story.points, f"kneepoint-{run.story.id}")


def behind(run: RunPage) -> None:
    """Draw the plan, what measured and what served, the preflight and the sessions, folded away."""
    story = run.story
    with st.expander("Plan"):
        _rows(story.planned)
        st.code(story.toml, language="toml")
    with st.expander("Environment: what served, and what measured"):
        _rows(story.environment)
    if story.checks:
        failed = sum(check.passed is False for check in story.checks)
        with st.expander(
            f"Preflight: {counted(len(story.checks), 'check')}" + (f", {failed} failed" if failed else "")
        ):
            st.markdown("\n".join(f"- {MARKS[check.passed]} {markdown(check.said)}" for check in story.checks))
    if len(story.sessions) > 1:
        with st.expander(f"Sessions: started, and gone on with {counted(len(story.sessions) - 1, 'time')}"):
            table.show(story.sessions.drop(columns="evidence"), key="rows.sessions", alt="Sessions", labels=LABELS)
            table.files(lambda: story.sessions, f"kneepoint-{story.id}-sessions")


def _none(id: str, known: list[Folder]) -> None:
    """Tell what there is instead of a run that is not there."""
    if not id:
        headlines.headline("This page tells the story of one sweep, and this link names none.")
    else:
        headlines.headline(f"There is no sweep '{visible(id[:60])}' in this library.")
    if not known:
        st.markdown("Nothing was measured here yet. A first look at an endpoint takes about a minute:")
        command = "python -m bench sweep --url http://127.0.0.1:8000 --model MODEL --profile quick"
        st.code(command, language="bash", wrap_lines=True)
        return
    st.markdown("The newest sweeps:")
    with st.container(key="sentences"):
        for folder in known[:NEWEST]:
            told = folder.status
            words = [folder.id, str(told.get("title") or ""), str(told.get("state"))]
            link(NAME, ", ".join(word for word in words if word), {"run": folder.id})
    if len(known) > NEWEST:
        st.caption(f"{len(known) - NEWEST:,} older ones are listed by python -m bench sweeps.")


def frontier(story: RunStory) -> Iterable[tuple[str, str]]:
    """What a link to a run's frontier asks for; what was simulated shows only where that is asked for."""
    where = {"source": [story.source], "evidence": ["measured", "simulated"] if story.simulated else []}
    return View.of(where, {"y": THROUGHPUT, "x": story.latency.key}).pairs()


def key(story: RunStory) -> str:
    """What the marks of a sweep's chart mean."""
    loads = {line.load.load_kind for line in story.lines}
    numbers = {"closed": "the concurrency", "open": "requests/s"}
    said = "Each point is a load; the number at it is " + joined(
        [words for kind, words in numbers.items() if kind in loads], "or"
    )
    return f"{said}. Open marks are not measured on an engine." if story.simulated else f"{said}."


def _open(number: int | None) -> None:
    """Open a point of the run, none of whose requests is opened yet; with None closes what is open."""
    query = {key: st.query_params[key] for key in st.query_params if key not in ("point", REQUEST)}
    st.query_params.from_dict(query | ({} if number is None else {"point": str(number)}))


def _words(row: Mapping[Any, Any]) -> str:
    repeat = f", repeat {row['repeat']}" if "repeat" in row else ""
    return f"{row['number']}: {row['load']}, {row['shape']}{repeat}"


def _rows(rows: Iterable[tuple[str, str]]) -> None:
    st.markdown("  \n".join(f"{markdown(label)}: **{markdown(words)}**" for label, words in rows))
