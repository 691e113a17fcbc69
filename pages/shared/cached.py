"""What is kept between reruns; nothing else keeps anything but `cached_sweeps`, beside it.

One library serves every session of the process. What is derived from it is kept by question, View, library version
and theme; the same objects go to every session and nobody changes them. Every keep is bounded, and what is about many
points is kept apart, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bench import after_import, audit, chart, destinations, export, next_steps, selection
from bench.basis import prices, story
from bench.destinations import Destination, Directions
from bench.dictionary import DictionaryTable, tables
from bench.errors import BenchError, UsageError
from bench.export.rows import readable
from bench.export.serving.desk import ExportDesk
from bench.holdings import card, data_link, history, listing, provenance
from bench.holdings import tables as library_tables
from bench.library import Library
from bench.library.importing.jobs import ImportJobs
from bench.library.user_sql.query import QueryDesk
from bench.questions import Answer, Choices, heatmap, openable, question, questions
from bench.selection import Offer
from bench.view import FilterPairs, View
from pages.shared.upload_room import UploadRooms

Texts = tuple[str, ...]
TextPairs = tuple[tuple[str, str], ...]


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


@st.cache_resource(show_spinner=False)
def desk() -> QueryDesk:
    """Where this process's readers hand in their SQL."""
    return QueryDesk(library())


@st.cache_resource(show_spinner=False)
def export_desk() -> ExportDesk:
    """Where this process's readers get files of points."""
    return ExportDesk(library())


def warm(is_asked: Callable[[], bool]) -> None:
    """Open the library and answer what most readers open first, until one asks."""
    version = library().version
    for name in OPENED_FIRST:
        if is_asked():
            return
        with suppress(BenchError):
            view = complete(name, View(), version)
            figure(name, view, version, "light")


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def complete(name: str, view: View, version: str) -> View:
    """The View with nothing left to a default; most pages that present no question have none."""
    if name == "data":
        return data_link.complete(view)
    told = question(name).complete(library(), view) if name in questions() else view
    return told.with_options(**{story.NEAR: None}).made_whole()


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def choices(name: str, view: View, version: str) -> Choices:
    """What the question's options offer for this View."""
    return question(name).choices(library(), view)


def answer(name: str, view: View, version: str) -> Answer[Any]:
    """The question's answer for this View."""
    return (_large_answer if _is_large(view, version) else _answer)(name, view, version)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def _answer(name: str, view: View, version: str) -> Answer[Any]:
    return question(name).answer(library(), view)


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=BY_QUERY)
def _large_answer(name: str, view: View, version: str) -> Answer[Any]:
    return question(name).answer(library(), view)


def figure(name: str, view: View, version: str, theme: str) -> go.Figure:
    """The answer's chart, drawn for a light or dark page."""
    return (_large_figure if _is_large(view, version) else _figure)(name, view, version, theme)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def _figure(name: str, view: View, version: str, theme: str) -> go.Figure:
    return question(name).figure(answer(name, view, version).result, chart.theme(theme))


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=BY_QUERY)
def _large_figure(name: str, view: View, version: str, theme: str) -> go.Figure:
    return question(name).figure(answer(name, view, version).result, chart.theme(theme))


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def where_from(name: str, view: View, version: str) -> str:
    """Where the rows of the question's answer come from, in one line."""
    rows, of_points = answer(name, view, version).rows, question(name).NEEDS == "points"
    return provenance.line(library(), View(view.where), rows, of_points=of_points)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def varied(name: str, view: View, version: str) -> Varied:
    """The answer's headline as it holds in other ways to look, the doubt right below it, and the ways."""
    found = answer(name, view, version).varied(question(name).robustness(library(), view))
    doubts = tuple(one.text for one in found.statements if one.kind == "doubt")
    return Varied(found.verdict, found.headline, doubts, found.said("variation"))


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def steps(name: str, view: View, version: str) -> tuple[next_steps.Step, ...]:
    """What would let a page answer that cannot, the least change first."""
    return next_steps.next_steps(library(), name, answer(name, view, version))


@st.cache_resource(show_spinner=False, max_entries=FEW)
def audit_report(version: str, accepted: int) -> audit.Audit:
    """What contradicts itself in the library; `accepted` findings are known."""
    return audit.run(library())


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def basis_choices(view: View, version: str) -> Choices:
    """The prices to choose from for every answer."""
    return prices.choices(library(), view)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def chosen(view: View, choice: FilterPairs, version: str) -> View:
    """The View after the reader chose other values of filters."""
    return story.chosen(library(), view, dict(choice))


def readable_rows(
    name: str, view: View, version: str, first: Texts, without: Texts, fields: TextPairs, limit: int
) -> pd.DataFrame:
    """The answer's first rows as people read them."""
    kept = _large_readable if _is_large(view, version) else _readable
    return kept(name, view, version, first, without, fields, limit)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def _readable(
    name: str, view: View, version: str, first: Texts, without: Texts, fields: TextPairs, limit: int
) -> pd.DataFrame:
    return readable.table(answer(name, view, version).rows.head(limit), first, without, dict(fields))


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=BY_QUERY)
def _large_readable(
    name: str, view: View, version: str, first: Texts, without: Texts, fields: TextPairs, limit: int
) -> pd.DataFrame:
    return readable.table(answer(name, view, version).rows.head(limit), first, without, dict(fields))


def _is_large(view: View, version: str) -> bool:
    return count(View(view.where), version) > MANY_POINTS


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def described(view: View, version: str) -> str:
    """The selection in one line."""
    return selection.described(library(), view)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def not_loaded(view: View, version: str) -> list[str]:
    """One sentence for each thing asked for that is not loaded."""
    return selection.not_loaded(library(), view)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def offers(view: View, key: str, version: str) -> tuple[list[Offer], list[Offer]]:
    """What a filter offers beside what is shown, and what else it has."""
    return story.offers(library(), view, key)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def workloads(view: View, version: str) -> tuple[list[Offer], list[Offer]]:
    """The pairs of lengths beside what is shown, and those the model has else."""
    return story.workloads(library(), view)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def count(view: View, version: str) -> int:
    """How many points a View selects."""
    return selection.count(library(), view)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def not_exported(name: str, view: View, version: str) -> str:
    """Why what a View selects cannot be a file of this format; empty where it can."""
    try:
        export.format_named(name).demand(library(), view)
    except UsageError as problem:
        return str(problem)
    return ""


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def left_out(name: str, view: View, version: str) -> Texts:
    """What a file of this format will not hold of the points a View selects, a sentence for each reason."""
    return tuple(map(str, export.format_named(name).left_out(library(), view)))


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def behind(view: View, version: str, cell: str) -> pd.DataFrame:
    """The points behind a cell of the heatmap."""
    return heatmap.points_behind(library(), view, cell)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def openable_ids(name: str, view: View, version: str, _theme: str) -> Texts:
    """The points or cells of an answer's chart that can be opened, leaders first; the same in either theme."""
    return openable.openable(answer(name, view, version).rows, figure(name, view, version, _theme))


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def marked(name: str, view: View, version: str, theme: str, id: str) -> go.Figure:
    """The answer's chart with what is opened of it standing out."""
    return openable.marked(figure(name, view, version, theme), id)


def still_open(name: str, view: View, version: str, opened: TextPairs, theme: str) -> dict[str, str]:
    """What is opened of a chart as far as this View's has it."""
    held = dict(opened)
    try:
        there = openable_ids(name, view, version, theme)
        if held.get("cell") is None:
            return held if held.get("point") in there else {}
        if held["cell"] not in there:
            return {}
        inside = behind(view, version, held["cell"]) if held.get("point") else pd.DataFrame()
    except BenchError:
        return {}
    if "point_id" in inside and held["point"] in set(inside["point_id"]):
        return held
    return {"cell": held["cell"]}


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def points_in_words(ids: Texts, version: str) -> dict[str, str]:
    """What each of these points is, in a line."""
    return card.in_words(library(), ids)


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def point_card(point_id: str, version: str, beside: tuple[tuple[str, Any], ...]) -> card.Card:
    """The card of a point; `beside` is what an answer says of its cost."""
    return card.card(library(), point_id, dict(beside))


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def listed(table: str, view: View, version: str) -> listing.TablePage:
    """The page of the sources or the points that a View asks for."""
    return {"sources": listing.sources, "points": listing.points}[table](library(), view)


@st.cache_resource(show_spinner=False, max_entries=FEW)
def orders(version: str) -> Texts:
    """What points can be sorted by."""
    return listing.orders(library())


@st.cache_resource(show_spinner=False, max_entries=FEW)
def changes(source_id: str, version: str, size: tuple[int, ...]) -> pd.DataFrame:
    """Every recorded change, or those of one source; `size` is the audit's."""
    return history.changes(library(), source_id)


@st.cache_resource(show_spinner=False, max_entries=FEW)
def lost_changes(version: str, size: tuple[int, ...]) -> list[str]:
    """One sentence for each audit of which lines are damaged; `size` is the audits'."""
    return history.incomplete(library())


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=BY_QUERY)
def passports(view: View, version: str) -> pd.DataFrame:
    """The passports of the sources a View selects."""
    return library_tables.passports(library(), view)


@st.cache_resource(show_spinner=False, max_entries=LARGE, hash_funcs=BY_QUERY)
def held(table: str, version: str) -> pd.DataFrame:
    """A table of the whole library: sources, scores, prices or refusals."""
    return library_tables.TABLES[table](library())


@st.cache_resource(show_spinner=False, max_entries=FEW)
def dictionary(version: str) -> tuple[DictionaryTable, ...]:
    """Every table that SQL may read, with its columns."""
    return tables(library())


@st.cache_resource(show_spinner=False, max_entries=FEW, hash_funcs=BY_QUERY)
def summary(version: str) -> str:
    """What is loaded, in one sentence."""
    return library_tables.summary(library())


@st.cache_resource(show_spinner=False)
def import_jobs() -> ImportJobs:
    """The imports of this process."""
    return ImportJobs()


@st.cache_resource(show_spinner=False)
def rooms() -> UploadRooms:
    """How much each session may still upload: pages say it, and the server, whose modules are older, holds to it."""
    return UploadRooms()


@st.cache_resource(show_spinner=False, max_entries=LARGE)
def onward(source_ids: Texts, version: str) -> tuple[list[after_import.PageLink], str]:
    """Where the points of these sources are shown, or why there is nothing to compare them with."""
    return after_import.onward(library(), source_ids)


@st.cache_resource(show_spinner=False, max_entries=SMALL)
def directions(text: str, version: str) -> Directions:
    """Where what was typed leads."""
    return destinations.directions(library(), text)


@st.cache_resource(show_spinner=False, max_entries=SMALL, hash_funcs=BY_QUERY)
def of_cell(view: View, cell: str, version: str) -> Destination | None:
    """The page that can answer for a cell of the matrix within a View's other filters."""
    return destinations.of_cell(library(), view, cell)
