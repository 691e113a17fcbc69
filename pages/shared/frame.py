"""The frame around every page: what it asks, what is selected, the filters, the link, and what went wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from bench.errors import BenchError
from bench.library import Library
from bench.plain_text import markdown
from bench.questions import Answer, Question, question, questions
from bench.view import View
from pages.shared import address, buttons, cached, filters, notices
from pages.shared.shell import FIRST

LOG = logging.getLogger("kneepoint.pages")


@dataclass(frozen=True)
class Page:
    """One run of a page: its View, complete, and the library it is about."""

    name: str
    view: View
    library: Library
    version: str
    theme: str

    @property
    def question(self) -> Question:
        """The question this page presents."""
        return question(self.name)

    @cached_property
    def answer(self) -> Answer[Any]:
        """The question's answer for this View."""
        return cached.answer(self.name, self.view, self.version)


@contextmanager
def opened(name: str, title: str = "", asks: str = "") -> Iterator[Page]:
    """The page inside its frame; what goes wrong inside becomes one sentence on the page.

    `title` and `asks` are for a page that presents no question.
    """
    with _told(name):
        yield _framed(name, title, asks)


@contextmanager
def bare(name: str, title: str, asks: str) -> Iterator[None]:
    """The frame of a page that shows no selection of the library; what goes wrong inside becomes one sentence."""
    with _told(name):
        _kicker(title, asks)
        yield


def linked(said: str, name: str, query: str, *, written: bool = False, follow: bool = False) -> None:
    """The line of such a page that says what is shown, with Copy link where the other pages have it.

    `query` is what the link asks for; with `written` the address bar shows it too.
    """
    with st.container(key="selection", horizontal=True, vertical_alignment="center"):
        st.caption(markdown(said))
        theme = st.context.theme.type or "light"
        buttons.link(
            name, [*questions(), "data", name], query, query if written else "", theme, follow=follow
        )


@contextmanager
def _told(name: str) -> Iterator[None]:
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


def _kicker(title: str, asks: str) -> None:
    st.set_page_config(page_title=f"{title} - Kneepoint")
    with st.container(key="kicker"):
        st.markdown(f"**{markdown(title)}** {markdown(asks)}")


def _framed(name: str, title: str, asks: str) -> Page:
    is_question = name in questions()
    if is_question:
        title, asks = question(name).TITLE, question(name).QUESTION
    _kicker(title, asks)
    library = cached.current()
    from_facts = is_question and question(name).NEEDS == "facts"
    if not from_facts and not cached.count(View(), library.version):
        notices.nothing_loaded()
        st.stop()
    view = address.current(name, library)
    page = Page(name, view, library, library.version, st.context.theme.type or "light")
    _selection(page)
    notices.about_the_link([*address.kept().problems, *cached.not_loaded(View(view.where), page.version)])
    if is_question and not from_facts and not cached.count(View(view.where), page.version):
        notices.nothing_selected(name, view, page.version)
        st.stop()
    return page


def _selection(page: Page) -> None:
    """The line that says what is selected and opens the filters, with Copy link and Reset beside it."""
    is_open = st.session_state.setdefault("filters_open", False)
    with st.container(key="selection", horizontal=True, vertical_alignment="center"):
        st.button(
            markdown(cached.described(View(page.view.where), page.version)),
            key="selected",
            type="tertiary",
            icon=":material/keyboard_arrow_up:" if is_open else ":material/tune:",
            on_click=_toggle_filters,
            width="stretch",
            wrap=True,
        )
        at = "" if page.name == FIRST else page.name
        names = [*questions(), "data"]
        buttons.link(at, names, address.linked(page.view), address.write(page.view), page.theme)
        st.button("Reset", key="reset", on_click=address.reset)
    if is_open:
        filters.panel(page.name, page.view, page.library)


def _toggle_filters() -> None:
    st.session_state["filters_open"] = not st.session_state.get("filters_open", False)
