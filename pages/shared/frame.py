"""The frame around every page: what it asks, what is selected, the filters, the link, and what went wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench.errors import BenchError
from bench.plain_text import markdown
from bench.questions import question, questions
from bench.view import View
from pages.shared import address, buttons, cached, filter_counts, first_paint, notices, selectors
from pages.shared.page import Page
from pages.shared.page_paths import FIRST

LOG = logging.getLogger("kneepoint.pages")


@contextmanager
def opened(name: str, title: str = "", asks: str = "") -> Iterator[Page]:
    """The page inside its frame; what goes wrong inside becomes one sentence on the page.

    `title` and `asks` are for a page that presents no question.
    """
    with _errors_shown(name), filter_counts.numbers().yielding():
        page = _framed(name, title, asks)
        try:
            _unless_nothing_is_selected(page)
            yield page
        finally:
            first_paint.complete(page)


@contextmanager
def bare(name: str, title: str, asks: str) -> Iterator[None]:
    """The frame of a page that shows no selection of the library; what goes wrong inside becomes one sentence."""
    with _errors_shown(name):
        _kicker(title, asks)
        yield


def linked(said: str, name: str, query: str, *, written: bool = False, follow: bool = False) -> None:
    """Draw the line of such a page that says what is shown, with Copy link where the other pages have it.

    `query` is what the link asks for; with `written` the address bar shows it too.
    """
    with st.container(key="selection", horizontal=True, vertical_alignment="center"):
        st.caption(markdown(said))
        theme = st.context.theme.type or "light"
        buttons.link(name, [*questions(), "data", name], query, query if written else "", theme, follow=follow)


@contextmanager
def _errors_shown(name: str) -> Iterator[None]:
    """What goes wrong in the block is told on the page, which ends there."""
    try:
        yield
    except BenchError as problem:
        notices.failed(str(problem))
        st.stop()
    except Exception:
        LOG.exception("The page %s could not be drawn.", name)
        notices.broken()
        st.stop()


def _kicker(title: str, asks: str) -> DeltaGenerator:
    """The line that says what page this is; what goes at its end belongs into the place that is given."""
    st.set_page_config(page_title=f"{title} - Kneepoint")
    with st.container(key="kicker", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{markdown(title)}** {markdown(asks)}", width="stretch")
        return st.container(
            key="kicker-end", horizontal=True, vertical_alignment="center", gap="small", width="content"
        )


def _framed(name: str, title: str, asks: str) -> Page:
    is_question = name in questions()
    if is_question:
        title, asks = question(name).TITLE, question(name).QUESTION
    end = _kicker(title, asks)
    library = cached.current()
    from_facts = is_question and question(name).NEEDS == "facts"
    if not from_facts and not cached.count(View()):
        notices.nothing_loaded()
        st.stop()
    view = address.current(name, library)
    page = Page(name, view, library, st.context.theme.type or "light")
    with end:
        _shared(page)
    if is_question:
        first_paint.above(page, "selecting", partial(selectors.row, page), gap=None)
    else:
        with st.container(key="selecting", gap=None):
            selectors.row(page)
    gone = library.incomplete() if from_facts else cached.not_loaded(View(view.where))
    notices.warn([*address.kept().problems, *gone])
    return page


def _unless_nothing_is_selected(page: Page) -> None:
    """End a page of points where there are none."""
    is_of_points = page.name in questions() and question(page.name).NEEDS != "facts"
    if is_of_points and not cached.count(View(page.view.where)):
        notices.nothing_selected(page.name, page.view)
        first_paint.complete(page)
        st.stop()


def _shared(page: Page) -> None:
    """Tell how much is selected, the page's link, and the way back to its story."""
    st.caption(markdown(cached.described(View(page.view.where))))
    at = "" if page.name == FIRST else page.name
    names = [*questions(), "data"]
    buttons.link(
        at,
        names,
        address.linked(page.view),
        address.write(page.view),
        page.theme,
        unfolded=bool(st.session_state.get("selectors_open")),
    )
    st.button("Reset", key="reset", on_click=address.reset, help="Everything as this page opens by itself.")
