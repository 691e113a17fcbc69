"""What is kept of sweeps between reruns, until their files or their state change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bench import chart
from pages.shared.cached import FEW, LARGE, SMALL, Texts

if TYPE_CHECKING:
    from bench.holdings.card import Card
    from bench.runs import PointStory, RunStory
    from bench.runs.earlier import EarlierBest
    from bench.runs.request import RequestStory
    from bench.sweep.folder import Folder

SEEN_S = 30
"""How old what an endpoint said may be."""

STATUS_S = 1.0
"""How old the state of a sweep may be; pages look every three seconds."""


def run_story(folder: Folder) -> RunStory:
    """What a sweep's folder tells, until its files or its state change."""
    return _run_story(str(folder.path), _stamp(folder), str(sweep_status(folder).get("state")))


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _run_story(path: str, stamp: Texts, state: str) -> RunStory:
    from bench import runs
    from bench.sweep import folder

    return runs.story(folder.Folder(Path(path)))


def earlier(folder: Folder) -> tuple[EarlierBest, ...]:
    """What sweeps before this one found for its model and shapes."""
    from bench.sweep.folder import listed

    told = run_story(folder)
    others = listed(folder.path.parent.parent)
    ids = tuple(one.id for one in others if one.id < folder.id)
    return _earlier(str(folder.path), len(told.lines), ids)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _earlier(path: str, points: int, ids: Texts) -> tuple[EarlierBest, ...]:
    from bench.runs.earlier import earlier
    from bench.sweep.folder import Folder

    folder = Folder(Path(path))
    return earlier(folder, run_story(folder), [Folder(folder.path.with_name(one)) for one in ids])


def run_figures(folder: Folder, theme: str) -> dict[str, go.Figure]:
    """A sweep's charts as it fills, by name, until its files or its state change; none before its first point."""
    return _run_figures(str(folder.path), _stamp(folder), str(sweep_status(folder).get("state")), theme)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _run_figures(path: str, stamp: Texts, state: str, theme: str) -> dict[str, go.Figure]:
    from bench.runs import curve_chart, grid_chart
    from bench.sweep import folder

    story = _run_story(path, stamp, state)
    if not story.lines:
        return {}
    drawn = chart.theme(theme)
    return {
        "curve": curve_chart.figure(story, drawn, behind=earlier(folder.Folder(Path(path)))),
        "grid": grid_chart.figure(story, folder.Folder(Path(path)).plan, drawn),
    }


def point_story(folder: Folder, number: int) -> PointStory:
    """What the n-th point of a sweep tells; a measured point never changes."""
    return _point_story(str(folder.path), number, _stamp(folder)[:1])


@st.cache_resource(show_spinner=False, max_entries=FEW)
def _point_story(path: str, number: int, plan: Texts) -> PointStory:
    from bench import runs
    from bench.sweep import folder

    return runs.point_story(folder.Folder(Path(path)), number)


def point_figure(folder: Folder, number: int, chart_of: str, theme: str) -> go.Figure:
    """One of a point's charts: over_time, latencies or waterfall."""
    return _point_figure(str(folder.path), number, _stamp(folder)[:1], chart_of, theme)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _point_figure(path: str, number: int, plan: Texts, chart_of: str, theme: str) -> go.Figure:
    from bench.runs import point_charts

    drawn = {
        "over_time": point_charts.over_time,
        "latencies": point_charts.latencies,
        "waterfall": point_charts.waterfall,
    }[chart_of]
    return drawn(_point_story(path, number, plan), chart.theme(theme))


def requests(folder: Folder, number: int) -> pd.DataFrame:
    """A row for each request of a point."""
    return _requests(str(folder.path), number, _stamp(folder)[:1])


@st.cache_resource(show_spinner=False, max_entries=FEW)
def _requests(path: str, number: int, plan: Texts) -> pd.DataFrame:
    from bench.runs import request
    from bench.sweep import folder

    return request.requests(folder.Folder(Path(path)), _point_story(path, number, plan))


def request_story(folder: Folder, number: int, wanted: int) -> RequestStory:
    """What one request of a point tells."""
    return _request_story(str(folder.path), number, _stamp(folder)[:1], wanted)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _request_story(path: str, number: int, plan: Texts, wanted: int) -> RequestStory:
    from bench.runs import request
    from bench.sweep import folder

    return request.request_story(folder.Folder(Path(path)), _point_story(path, number, plan), wanted)


def request_figure(folder: Folder, number: int, wanted: int, theme: str) -> go.Figure:
    """The chart of one request of a point."""
    from bench.runs import request_chart

    return request_chart.figure(request_story(folder, number, wanted), chart.theme(theme))


def _stamp(folder: Folder) -> Texts:
    """When the plan and the journal were written, and how long the journal is: another stamp, another story."""
    stamps = []
    for path in (folder.path / "plan.json", folder.journal):
        try:
            found = path.stat()
            stamps.append(f"{found.st_mtime_ns} {found.st_size}")
        except OSError:
            stamps.append("")
    return tuple(stamps)


@st.cache_data(show_spinner=False, ttl=STATUS_S, max_entries=LARGE)
def sweeps(library: Path) -> pd.DataFrame:
    """Every sweep of a library; one look at the files serves all who watch."""
    from bench.runs import watching

    return watching.table(library)


def sweep_status(folder: Folder) -> dict[str, Any]:
    """What a sweep says of itself; one look at the file serves all who watch."""
    return _sweep_status(str(folder.path))


@st.cache_data(show_spinner=False, ttl=STATUS_S, max_entries=SMALL)
def _sweep_status(path: str) -> dict[str, Any]:
    from bench.sweep.folder import Folder

    return Folder(Path(path)).status


def look_again() -> None:
    """Have the next look at sweeps be a new one."""
    _sweep_status.clear()
    sweeps.clear()


@st.cache_data(show_spinner="Looking at the endpoints …", ttl=SEEN_S, max_entries=FEW)
def endpoints(library: Path, stamp: str) -> list[dict[str, Any]]:
    """What each endpoint of the library said when it was last asked."""
    from bench.sweep.planning.endpoints import Endpoints
    from bench.sweep.session import setup

    return setup.seen(Endpoints(library), from_page=True)


def swept(library: Path, run: tuple[str, str]) -> bool:
    """Whether the sweep that measured a point is in this library."""
    from bench.runs import repeat_point

    return repeat_point.swept(library, run)


def once_more(library: Path, card: Card) -> dict[str, str] | None:
    """What a link states to measure a card's point again; None where no endpoint is known for it."""
    named = stamp(library / "endpoints.toml")
    if not card.run and not named:
        return None  # most readers never load what plans a sweep
    return _once_more(library, card.id, card.run, named, card)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def _once_more(library: Path, id: str, run: tuple[str, str] | None, named: str, _card: Card) -> dict[str, str] | None:
    from bench.runs import repeat_point

    return repeat_point.in_a_link(library, _card.row, run)


def stamp(path: Path) -> str:
    """What changes when the file does; empty where there is none."""
    try:
        told = path.stat()
    except OSError:
        return ""
    return f"{told.st_mtime_ns} {told.st_size}"
