"""What is kept of sweeps between reruns, until their files or their state change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bench import chart
from pages.shared.cached import FEW, LARGE, SMALL, library

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


def stamp(path: Path) -> str:
    """What changes when the file does; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"


def _as_it_is(folder: Folder) -> tuple[str, ...]:
    """What changes when the plan, the journal or the state of a sweep does."""
    state = sweep_status(folder).get("state")
    return str(folder.path), stamp(folder.path / "plan.json"), stamp(folder.journal), str(state)


def _by_plan(folder: Folder) -> tuple[str, ...]:
    """What changes when the plan does: a measured point never changes."""
    return str(folder.path), stamp(folder.path / "plan.json")


FOLDER = "bench.sweep.folder.Folder"
WHOLE: dict[str | type[Any], Callable[[Any], Any]] = {FOLDER: _as_it_is}
OF_A_POINT: dict[str | type[Any], Callable[[Any], Any]] = {FOLDER: _by_plan}


def folder_of(id: str) -> Folder | None:
    """The folder of a sweep of the library; None where there is none with this id."""
    from bench.sweep.folder import ID, SWEEPS, Folder

    folder = Folder(library().path / SWEEPS / id) if ID.fullmatch(id) else None
    return folder if folder is not None and folder.path.is_dir() else None


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=WHOLE)
def run_story(folder: Folder) -> RunStory:
    """What a sweep's folder tells."""
    from bench import runs

    return runs.story(folder)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=WHOLE)
def earlier(folder: Folder) -> tuple[EarlierBest, ...]:
    """What sweeps before this one found for its model and shapes."""
    from bench.runs.earlier import earlier
    from bench.sweep.folder import listed

    others = listed(folder.path.parent.parent)
    return earlier(folder, run_story(folder), [one for one in others if one.id < folder.id])


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=WHOLE)
def run_figures(folder: Folder, theme: str) -> dict[str, go.Figure]:
    """A sweep's charts as it fills, by name; none before its first point."""
    from bench.runs import curve_chart, grid_chart

    story, drawn = run_story(folder), chart.theme(theme)
    if not story.lines:
        return {}
    return {
        "curve": curve_chart.figure(story, drawn, behind=earlier(folder)),
        "grid": grid_chart.figure(story, folder.plan, drawn),
    }


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=OF_A_POINT)
def point_story(folder: Folder, number: int) -> PointStory:
    """What the n-th point of a sweep tells."""
    from bench import runs

    return runs.point_story(folder, number)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=OF_A_POINT)
def point_figure(folder: Folder, number: int, chart_of: str, theme: str) -> go.Figure:
    """One of a point's charts: over_time, latencies or waterfall."""
    from bench.runs import point_charts

    drawn = {
        "over_time": point_charts.over_time,
        "latencies": point_charts.latencies,
        "waterfall": point_charts.waterfall,
    }[chart_of]
    return drawn(point_story(folder, number), chart.theme(theme))


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=OF_A_POINT)
def requests(folder: Folder, number: int) -> pd.DataFrame:
    """A row for each request of a point."""
    from bench.runs import request

    return request.requests(folder, point_story(folder, number))


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=OF_A_POINT)
def request_story(folder: Folder, number: int, wanted: int) -> RequestStory:
    """What one request of a point tells."""
    from bench.runs import request

    return request.request_story(folder, point_story(folder, number), wanted)


def request_figure(folder: Folder, number: int, wanted: int, theme: str) -> go.Figure:
    """The chart of one request of a point."""
    from bench.runs import request_chart

    return request_chart.figure(request_story(folder, number, wanted), chart.theme(theme))


@st.cache_data(show_spinner=False, ttl=STATUS_S, max_entries=LARGE)
def sweeps(library: Path) -> pd.DataFrame:
    """Every sweep of a library; one look at the files serves all who watch."""
    from bench.runs import watching

    return watching.table(library)


@st.cache_data(show_spinner=False, ttl=STATUS_S, max_entries=SMALL, hash_funcs={FOLDER: lambda folder: folder.path})
def sweep_status(folder: Folder) -> dict[str, Any]:
    """What a sweep says of itself; one look at the file serves all who watch."""
    return folder.status


def look_again() -> None:
    """Have the next look at sweeps be a new one."""
    sweep_status.clear()
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
