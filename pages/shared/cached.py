"""What is kept between reruns; nothing else keeps anything but `cached_sweeps`, beside it.

One library serves every session of the process. What is derived from it is kept until the library changes; the same
objects go to every session and nobody changes them. Every keep is bounded, and what is about many points is kept
apart, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bench import audit, chart, dictionary, export, selection
from bench.basis import prices, story
from bench.errors import BenchError, UsageError
from bench.export.rows import readable
from bench.export.serving.desk import ExportDesk
from bench.holdings import card, data_link, history, listing, provenance
from bench.holdings import tables as library_tables
from bench.library import Library
from bench.library.importing.jobs import ImportJobs
from bench.library.user_sql.query import QueryDesk
from bench.questions import Answer, Choices, heatmap, openable, question, questions
from bench.suggestions import Step, after_import, next_steps, typed
from bench.view import View
from pages.shared.upload_room import UploadRooms

Texts = tuple[str, ...]
TextPairs = tuple[tuple[str, str], ...]
P = ParamSpec("P")
R = TypeVar("R")


class Varied(NamedTuple):
    """An answer's verdict, alone and below its subject in one line, the doubts right below it, and the ways to look
    that it holds in and does not."""

    verdict: str
    headline: str
    doubts: Texts
    ways: Texts


SMALL = 512
LARGE = 24
FEW = 2
MANY_POINTS = 10_000
OPENED_FIRST = ("overview", "pareto")

BY_QUERY: dict[str | type[Any], Callable[[Any], Any]] = {View: View.query}
"""A View is known by its query string, which Streamlit hashes thirty times faster than the View."""


@st.cache_resource(show_spinner=False)
def library() -> Library:
    """The process's library."""
    return Library.open()


def current() -> Library:
    """The process's library, brought up to what other processes wrote."""
    opened = library()
    opened.refresh()
    return opened


def kept(most: int = SMALL) -> Callable[[Callable[Concatenate[Library, P], R]], Callable[P, R]]:
    """Decorate a function of the process's library: its last `most` results are kept until the library changes."""

    def decorated(work: Callable[Concatenate[Library, P], R]) -> Callable[P, R]:
        def keep(version: str, /, *args: P.args, **named: P.kwargs) -> R:
            return work(library(), *args, **named)

        # Streamlit tells functions made here apart by this name alone.
        keep.__qualname__ = f"{work.__module__}.{work.__qualname__}.{most}"
        keeping = st.cache_resource(show_spinner=False, max_entries=most, hash_funcs=BY_QUERY)(keep)

        @wraps(work)
        def latest(*args: P.args, **named: P.kwargs) -> R:
            return keeping(library().version, *args, **named)

        return latest

    return decorated


def by_size(work: Callable[Concatenate[Library, str, View, P], R]) -> Callable[Concatenate[str, View, P], R]:
    """Decorate a function of a page's View: results about MANY_POINTS are kept apart, FEW at a time."""
    some, large = kept(LARGE)(work), kept(FEW)(work)

    def sized(name: str, view: View, /, *args: P.args, **named: P.kwargs) -> R:
        is_large = count(View(view.where)) > MANY_POINTS
        return (large if is_large else some)(name, view, *args, **named)

    return sized


@st.cache_resource(show_spinner=False)
def desk() -> QueryDesk:
    """Where this process's readers hand in their SQL."""
    return QueryDesk(library())


@st.cache_resource(show_spinner=False)
def export_desk() -> ExportDesk:
    """Where this process's readers get files of points."""
    return ExportDesk(library())


@st.cache_resource(show_spinner=False)
def import_jobs() -> ImportJobs:
    """The imports of this process."""
    return ImportJobs()


@st.cache_resource(show_spinner=False)
def rooms() -> UploadRooms:
    """How much each session may still upload: pages say it, and the server, whose modules are older, holds to it."""
    return UploadRooms()


count = kept()(selection.count)
described = kept()(selection.described)
not_loaded = kept()(selection.not_loaded)
basis_choices = kept()(prices.choices)
offers = kept()(story.offers)
workloads = kept()(story.workloads)
points_in_words = kept(LARGE)(card.in_words)
point_card = kept(LARGE)(card.card)
behind = kept(LARGE)(heatmap.points_behind)
onward = kept(LARGE)(after_import.onward)
directions = kept()(typed.directions)
of_cell = kept()(typed.of_cell)
summary = kept(FEW)(library_tables.summary)
passports = kept(FEW)(library_tables.passports)
tables = kept(FEW)(dictionary.tables)
orders = kept(FEW)(listing.orders)
sources = kept(LARGE)(listing.sources)
points = kept(LARGE)(listing.points)


@kept()
def complete(library: Library, name: str, view: View) -> View:
    """The View with nothing left to a default; most pages that present no question have none."""
    if name == "data":
        return data_link.complete(view)
    whole = question(name).complete(library, view) if name in questions() else view
    return whole.with_options(**{story.NEAR: None}).made_whole()


@kept()
def choices(library: Library, name: str, view: View) -> Choices:
    """What the question's options offer for this View."""
    return question(name).choices(library, view)


@by_size
def answer(library: Library, name: str, view: View) -> Answer[Any]:
    """The question's answer for this View."""
    return question(name).answer(library, view)


@by_size
def figure(library: Library, name: str, view: View, theme: str) -> go.Figure:
    """The answer's chart, drawn for a light or dark page."""
    return question(name).figure(answer(name, view).result, chart.theme(theme))


@by_size
def readable_rows(
    library: Library, name: str, view: View, first: Texts, without: Texts, fields: TextPairs, limit: int
) -> pd.DataFrame:
    """The answer's first rows as people read them."""
    return readable.table(answer(name, view).rows.head(limit), first, without, dict(fields))


@kept()
def where_from(library: Library, name: str, view: View) -> str:
    """Where the rows of the question's answer come from, in one line."""
    rows, of_points = answer(name, view).rows, question(name).NEEDS == "points"
    return provenance.line(library, View(view.where), rows, of_points=of_points)


@kept()
def varied(library: Library, name: str, view: View) -> Varied:
    """The answer's headline as it holds in other ways to look, the doubt right below it, and the ways."""
    found = answer(name, view).varied(question(name).robustness(library, view))
    doubts = tuple(one.text for one in found.statements if one.kind == "doubt")
    return Varied(found.verdict, found.headline, doubts, found.said("variation"))


@kept()
def steps(library: Library, name: str, view: View) -> tuple[Step, ...]:
    """What would let a page answer that cannot, the least change first."""
    return next_steps.next_steps(library, name, answer(name, view))


@kept()
def chosen(library: Library, view: View, choice: tuple[tuple[str, Texts], ...]) -> View:
    """The View after the reader chose other values of filters."""
    return story.chosen(library, view, dict(choice))


@kept()
def not_exported(library: Library, name: str, view: View) -> str:
    """Why what a View selects cannot be a file of this format; empty where it can."""
    try:
        export.format_named(name).demand(library, view)
    except UsageError as problem:
        return str(problem)
    return ""


@kept()
def left_out(library: Library, name: str, view: View) -> Texts:
    """What a file of this format will not hold of the points a View selects, a sentence for each reason."""
    return tuple(map(str, export.format_named(name).left_out(library, view)))


@kept(FEW)
def audit_report(library: Library, accepted: int) -> audit.Audit:
    """What contradicts itself in the library; `accepted` findings are known."""
    return audit.run(library)


@kept(FEW)
def changes(library: Library, source_id: str, size: tuple[int, ...]) -> pd.DataFrame:
    """Every recorded change, or those of one source; `size` is the audit's."""
    return history.changes(library, source_id)


@kept(FEW)
def lost_changes(library: Library, size: tuple[int, ...]) -> list[str]:
    """One sentence for each audit of which lines are damaged; `size` is the audits'."""
    return history.incomplete(library)


@kept(LARGE)
def held(library: Library, table: str) -> pd.DataFrame:
    """A table of the whole library: scores, prices, refusals or what is hidden."""
    return library_tables.TABLES[table](library)


@kept(LARGE)
def openable_ids(library: Library, name: str, view: View, theme: str) -> Texts:
    """The points or cells of an answer's chart that can be opened, leaders first."""
    return openable.openable(answer(name, view).rows, figure(name, view, theme))


@kept(LARGE)
def marked(library: Library, name: str, view: View, theme: str, id: str) -> go.Figure:
    """The answer's chart with what is opened of it standing out."""
    return openable.marked(figure(name, view, theme), id)


def still_open(name: str, view: View, opened: dict[str, str], theme: str) -> dict[str, str]:
    """What is opened of a chart as far as this View's has it."""
    try:
        there = openable_ids(name, view, theme)
        cell, point = opened.get("cell"), opened.get("point")
        if cell is None:
            return opened if point in there else {}
        if cell not in there:
            return {}
        inside = behind(view, cell) if point else pd.DataFrame()
    except BenchError:
        return {}
    return opened if "point_id" in inside and point in set(inside["point_id"]) else {"cell": cell}


def warm(is_asked: Callable[[], bool]) -> None:
    """Answer what most readers open first, until one asks."""
    for name in OPENED_FIRST:
        if is_asked():
            return
        with suppress(BenchError):
            figure(name, complete(name, View()), "light")
