"""The View and the address bar: which of the two has news, and how the other learns of it.

The session's View is the only truth. A run starts from it unless the address brings news: the first run of a
session, Back and Forward, a link to another page. Widgets replace it in their callbacks. What a reader changes is
pushed to the browser's history; what we only write out in full replaces the entry, so that Back never sticks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bench import basis, old_links, selection
from bench.basis import limits, story
from bench.errors import BenchError, UnknownName, UsageError
from bench.holdings import data_link
from bench.library import Library
from bench.questions import options as every
from bench.questions import questions
from bench.view import FILTER_BY_KEY, LIMIT, WHOLE, FilterPairs, View, unlike_ours
from pages.shared import cached

KEY = "kept"
IGNORED = frozenset({WHOLE, "embed", "embed_options"})
REMEMBERED = 32

CELL, POINT = "cell", "point"
OPENED = (CELL, POINT)
"""What of a page's chart is opened: in its link beside the View, since no answer depends on it."""


@dataclass
class SessionView:
    """What one session has selected.

    `where` are the filters the reader chose, without what a story filled in, `near` is what a story had filled in when
    they were chosen, and `basis` are the limits, prices and runs: all follow from page to page. `views` holds each
    page's View. `queries` are addresses this session has already seen: a late rerun may still carry one, and that is no
    news. `opened` is what of each page's chart is opened, and `by_chart` says that a click in the chart did it; with
    another `turn` a chart forgets what was clicked in it. `marked` is what a chart is drawn with standing out: a chart
    drawn anew would not show what was clicked in it. `acts` counts what was opened, and `by_hand` that no link did.
    """

    where: FilterPairs = ()
    near: dict[str, str] = field(default_factory=dict)
    basis: View = field(default_factory=View)
    views: dict[str, View] = field(default_factory=dict)
    queries: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    page: str = ""
    problems: list[str] = field(default_factory=list)
    changed: bool = False
    opened: dict[str, dict[str, str]] = field(default_factory=dict)
    by_chart: bool = False
    marked: str | None = None
    turn: int = 0
    acts: int = 0
    by_hand: bool = False


def kept() -> SessionView:
    """This session's selection."""
    state: SessionView = st.session_state.setdefault(KEY, SessionView())
    return state


def current(name: str, library: Library) -> View:
    """The View of this run of a page, complete."""
    state = kept()
    pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    query = urlencode(pairs)
    moved, state.page = state.page != name, name
    news = bool(pairs) and not state.changed
    news = news and (moved or went_through_history() or query not in state.queries)
    if news:
        view, state.problems = _read(pairs, name)
        state.where, state.near, state.basis = (story.own_choice(view).where, story.shown(view), _basis_of(view))
        _opened_by_link(name)
    else:
        view = state.views.get(name, View())
        if moved:
            state.problems = []
        if story.own_choice(view).where != state.where:
            view = _of_the_models(name, view, View(state.where).values("model"))
            view = replace(story.own_choice(view), where=state.where, whole=False)
        if _basis_of(view) != state.basis:
            lifted = dict.fromkeys(key for key, _ in _basis_of(view).options)
            view = view.with_options(**lifted).with_options(**dict(state.basis.options))
            view = view.with_slo(state.basis.slo)
    state.queries.append(query)
    problems: list[str] = []
    whole = _completed(name, story.nearest(view, state.near), library, problems)
    problems += _gave_way(name, view, whole)
    state.problems += [one for one in problems if one not in state.problems]
    _let_go(name, whole, by_link=news, anew=moved)
    state.views[name] = whole
    return whole


def first(name: str, pairs: list[tuple[str, str]], library: Library) -> View:
    """The View that a page opened by this link shows in a new session, complete."""
    view, problems = _read(pairs, name)
    return _completed(name, story.nearest(view, story.shown(view)), library, problems)


def write(view: View) -> str:
    """The query the page's script shall put into the address in place of what is there; empty when none.

    A change the reader made is pushed here.
    """
    state = kept()
    query = linked(view)
    changed, state.changed = state.changed, False
    state.queries.append(query)
    if not changed:
        return query
    grouped: dict[str, list[str]] = {}
    for key, value in [*view.pairs(), *opened(state.page).items()]:
        grouped.setdefault(key, []).append(value)
    st.query_params.from_dict(grouped)
    return ""


def linked(view: View) -> str:
    """The query of a link to this page: the View, and what of its chart is opened."""
    return "&".join(part for part in (view.query(), urlencode(opened(kept().page))) if part)


def opened(name: str) -> dict[str, str]:
    """What of a page's chart is opened: a point, a cell, or a point of a cell."""
    return kept().opened.get(name, {})


def open_(name: str, *, by_chart: bool = False, **what: str | None) -> None:
    """Open a point or a cell of a page's chart, or with neither close what is open; a step of the history."""
    if went_through_history():
        return
    state = kept()
    state.opened[name] = {key: id for key in OPENED if (id := what.get(key))}
    state.changed = True
    if not by_chart or not state.opened[name]:
        _mark(name, keeps=by_chart)
    state.by_chart = by_chart
    state.acts, state.by_hand = state.acts + 1, True


def opened_by_hand() -> str:
    """Which opening of a point or a cell this is in the session; empty where a link has opened what is open."""
    return str(kept().acts) if kept().by_hand else ""


def choose(name: str, **choice: tuple[str, ...]) -> None:
    """Replace filters on every page; with another model, let go of what it has no point under."""
    if went_through_history():
        return
    state = kept()
    view = state.views.get(name, View())
    state.near = near_after(view, choice)
    if "model" in choice:
        view = _of_the_models(name, view, choice["model"])
    view = cached.chosen(view, tuple(choice.items()))
    state.views[name], state.problems, state.changed = view, [], True
    state.where = view.where


def near_after(view: View, choice: Collection[str]) -> dict[str, str]:
    """What the story that is told after a choice of these filters stays near to; nothing with another model."""
    return {} if "model" in choice else story.shown(view)


def of_other_models(name: str, view: View) -> View:
    """A page's View with no model and without what it would have chosen itself for the one that it shows."""
    return story.own_choice(_let_go_of_the_model(name, view)).with_where(model=())


def choose_option(name: str, key: str, value: str | None) -> None:
    """Replace an option of one page."""
    choose_options(name, **{key: value})


def choose_options(name: str, **options: str | None) -> None:
    """Replace several options at once, one step of the browser's history; those of every answer on all pages."""
    if went_through_history():
        return
    view = kept().views.get(name, View()).with_options(**options)
    kept().basis = _basis_of(view)
    _replace(name, view)


def choose_limits(name: str, slo: tuple[str, ...]) -> None:
    """Replace the limits on every page; where one that was typed is none, that is told and all stay as they were."""
    if went_through_history():
        return
    state, shown = kept(), kept().views.get(name, View())
    try:
        limits.read(View.of(slo=slo))
    except UsageError as problem:
        state.problems = [_said(problem)]
        return
    view = story.limited(shown, slo)
    state.basis, state.near = _basis_of(view), story.shown(shown)
    _replace(name, view)


def take(name: str, view: View) -> None:
    """Take a whole choice for a page, one step of the browser's history; its filters, limits and prices for all."""
    if went_through_history():
        return
    state = kept()
    state.where, state.near, state.basis = story.own_choice(view).where, {}, _basis_of(view)
    state.views[name], state.problems, state.changed = view, [], True


def reset() -> None:
    """Forget everything chosen: every page opens on its own story again."""
    state = kept()
    state.where, state.near, state.basis, state.problems, state.changed = (), {}, View(), [], True
    state.views.clear()
    state.opened.clear()
    st.session_state.pop("comparing", None)


def _opened_by_link(name: str) -> None:
    state = kept()
    state.opened[name] = {key: id for key in OPENED if (id := st.query_params.get(key))}
    _mark(name)


def _mark(name: str, *, keeps: bool = False) -> None:
    """Have the chart drawn with what is opened standing out; it `keeps` what was clicked in it, or forgets it."""
    state, held = kept(), opened(name)
    state.marked = held.get(CELL) or held.get(POINT)
    state.turn += state.by_chart and not keeps
    state.by_chart = False


def _let_go(name: str, view: View, *, by_link: bool, anew: bool) -> None:
    """Close what this selection's chart does not have; a link that asks for it is told so."""
    state, held = kept(), opened(name)
    state.by_hand = state.by_hand and not by_link
    if held and name in questions():
        theme = st.context.theme.type or "light"
        state.opened[name] = cached.still_open(name, view, held, theme)
    if anew or state.views.get(name) != view:
        _mark(name)
    if by_link and held and not opened(name):
        state.problems.append("What this link opens is not in the chart; the chart is as the link says.")


def _basis_of(view: View) -> View:
    """What of a View holds for every page: limits, and options that are not a question's own."""
    keys = {option.key for option in basis.OPTIONS}
    return View(slo=story.own_choice(view).slo, options=tuple(pair for pair in view.options if pair[0] in keys))


def _of_the_models(name: str, view: View, models: tuple[str, ...]) -> View:
    """The View without the options that a page would have chosen itself, where these are other models."""
    if models in (story.own_choice(view).values("model"), view.values("model")):
        return view
    return _let_go_of_the_model(name, view)


def _let_go_of_the_model(name: str, view: View) -> View:
    """The View without the options that a page would have chosen itself.

    What no reader chose is chosen anew for other models: axes of one model may be stated of no point of another.
    """
    if name not in questions():
        return view
    held = dict(_basis_of(view).options)
    try:
        alone = cached.complete(name, replace(story.own_choice(view), options=tuple(held.items()), whole=False))
    except BenchError:
        return view
    by_itself = (key for key, value in alone.options if view.option(key) == value and key not in held)
    return view.with_options(**{key: None for key in by_itself if key != story.FILLED})


def _replace(name: str, view: View) -> None:
    """Take this View for a page; its story is filled in anew where it was filled in before."""
    state = kept()
    stays_whole = view.whole and not view.option(story.FILLED)
    state.views[name] = view if stays_whole else replace(story.own_choice(view), whole=False)
    state.problems, state.changed = [], True


def went_through_history() -> bool:
    """Whether this run is one of Back or Forward, in which widgets tell what the page showed before."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _read(pairs: list[tuple[str, str]], name: str) -> tuple[View, list[str]]:
    """The View in a link, and a sentence for each part of it that cannot be used."""
    try:
        View.from_pairs(pairs)
    except UsageError as problem:
        return View(), [str(problem)]
    options = {story.FILLED, LIMIT, *(row.key for row in (every(name) if name in questions() else basis.OPTIONS))}
    problems = [told for key, value in pairs if key == WHOLE and (told := unlike_ours(value))]
    usable: list[tuple[str, str]] = []
    for key, value in old_links.renewed(pairs):
        if key in OPENED and name in questions():
            continue
        try:
            if key == LIMIT:
                limits.read(View(slo=(value,)))
            elif key in FILTER_BY_KEY:
                selection.clause(View.of({key: [value]}))
            elif name == "data" and key not in IGNORED:
                data_link.check(key, value)
            elif key not in options and key not in IGNORED:
                raise UnknownName("filter or option", key, [*FILTER_BY_KEY, *options], listing="this page")
            usable.append((key, value))
        except UsageError as problem:
            problems.append(_said(problem))
    return View.from_pairs(usable), problems


def _completed(name: str, view: View, library: Library, problems: list[str]) -> View:
    """The View complete, without the options the question cannot take; each of those is added to the problems.

    As it is when the question cannot complete it whatever the options; its answer then says why.
    """
    try:
        return cached.complete(name, view)
    except UsageError:
        return _without_the_impossible(name, view, library, problems)
    except BenchError:
        return view.made_whole()


def _without_the_impossible(name: str, view: View, library: Library, problems: list[str]) -> View:
    """The View complete with one option after the other, as the question states them, unless it refuses one."""
    usable = replace(view, options=())
    try:
        whole = cached.complete(name, usable)
    except BenchError:
        return view.made_whole()
    for option in every(name):
        wider = usable.with_options(**{option.key: view.option(option.key) or None})
        try:
            whole, usable = cached.complete(name, wider), wider
        except BenchError as problem:
            problems.append(_said(problem))
    return whole


def _said(problem: BenchError) -> str:
    """The problem's sentence without the command line that the browser's reader may not have."""
    return problem.on_a_page if isinstance(problem, UnknownName) else str(problem)


def _gave_way(name: str, view: View, whole: View) -> list[str]:
    """What the question says of options that a View asks for and that are others in it complete."""
    if all(whole.option(key) == value for key, value in view.options):
        return []
    try:
        found = cached.answer(name, replace(whole, options=view.options))
    except BenchError:
        return []
    return [one.text for one in found.statements if one.kind == "gave_way"]
