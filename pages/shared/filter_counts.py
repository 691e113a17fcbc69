"""How many points a page would say it shows after a choice: its own story is filled in for each, as the choice would.

No pass over the points knows this for all pages: each fills in the story that has what its chart needs, and looks at a
model's points before it knows what that is. A story takes 10 to 60 ms, a row offers seventy. So a row is drawn with the
numbers that are known; the others are worked out in one thread of the process once the page stands, and its row is
drawn again when the last is there, for which the browser asks. They hold for every session until the library changes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

import streamlit as st

from bench import selection
from bench.basis import story
from bench.errors import BenchError
from bench.questions import question, questions
from bench.view import View
from pages.shared import address, buttons, cached
from pages.shared.page import Page

FilterChoice = Mapping[str, Sequence[str]]
NumberKey = tuple[object, ...]
MissingNumbers = Mapping[NumberKey, Callable[[], int]]

MOST = 20_000
"""So many numbers are kept, the latest used."""

MOST_ROWS, MOST_WANTED = 200, 20
"""So many rows that lack numbers are remembered, the latest drawn; and worked on, the latest asked for."""

YIELDS_S = 1.0
"""A number waits as long as pages are drawn, which would each be later by what it takes, but no longer than this."""


class KnownNumbers:
    """The numbers that are known to this process, and the thread that works out those of rows a browser asks for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._none_is_drawn = threading.Condition(self._lock)
        self._drawn = 0
        self._known: OrderedDict[NumberKey, int] = OrderedDict()
        self._begun: set[NumberKey] = set()
        self._rows: OrderedDict[str, MissingNumbers] = OrderedDict()
        self._wanted: OrderedDict[str, MissingNumbers] = OrderedDict()
        self._is_at_work = False

    def row(self, missing: MissingNumbers) -> str:
        """By which name a browser may ask for the missing numbers of a row."""
        name = token_hex(8)
        with self._lock:
            self._rows[name] = missing
            _shorten(self._rows, MOST_ROWS)
        return name

    def are_known(self, row: str) -> bool:
        """Whether what a row lacked is known by now; the row that was asked for last is worked on first."""
        with self._lock:
            missing = self._rows.get(row)
            if missing is None:
                return False
            self._wanted[row] = missing
            self._wanted.move_to_end(row)
            _shorten(self._wanted, MOST_WANTED)
            if all(key in self._known for key in missing):
                return True
            if not self._is_at_work:
                self._is_at_work = True
                # Waited for as the process ends, for no longer than one number: DuckDB may not be left amid one.
                threading.Thread(target=self._work, name="filter-counts", daemon=False).start()
        return False

    @contextmanager
    def yielding(self) -> Iterator[None]:
        """While a page is drawn in this block, no further number is begun."""
        with self._lock:
            self._drawn += 1
        try:
            yield
        finally:
            with self._lock:
                self._drawn -= 1
                self._none_is_drawn.notify_all()

    def known(self, key: NumberKey) -> int | None:
        """The number, where it has been worked out."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def _work(self) -> None:
        try:
            while task := self._next():
                key, work_out = task
                number = work_out()
                with self._lock:
                    self._known[key] = number
                    self._begun.discard(key)  # one that fails is not begun again
                    _shorten(self._known, MOST)
        finally:
            with self._lock:
                self._is_at_work = False

    def _next(self) -> tuple[NumberKey, Callable[[], int]] | None:
        with self._lock:
            self._none_is_drawn.wait_for(lambda: not self._drawn, timeout=YIELDS_S)
            missing = (one for row in reversed(self._wanted.values()) for one in row.items())
            task = next((one for one in missing if one[0] not in self._known and one[0] not in self._begun), None)
            if task is None or not threading.main_thread().is_alive():
                self._is_at_work = False
                return None
            self._begun.add(task[0])
            return task


def _shorten(kept: OrderedDict[Any, Any], most: int) -> None:
    """Drop the oldest beyond `most`."""
    while len(kept) > most:
        kept.popitem(last=False)


@st.cache_resource(show_spinner=False)
def numbers() -> KnownNumbers:
    """The numbers of this process."""
    return KnownNumbers()


class RowNumbers:
    """The numbers of one drawn row; those that are not known are noted, to be worked out once the page stands."""

    def __init__(self, page: Page) -> None:
        """`page` as it stands before a choice."""
        self._page = page
        self._missing: dict[NumberKey, Callable[[], int]] = {}
        self._alone: View | None = None

    def label(self, choice: FilterChoice, words: str = "") -> str:
        """How many points the page has after this choice, with words after it; "" as long as nobody knows."""
        key, work_out = self.task(choice)
        found = numbers().known(key)
        if found is None:
            self._missing[key] = work_out
        return "" if found is None else f" ({found:,}{words})"

    def complete(self) -> None:
        """Have what is missing worked out, and the page drawn again once it is there."""
        buttons.again(row=numbers().row(self._missing) if self._missing else "")

    def task(self, choice: FilterChoice) -> tuple[NumberKey, Callable[[], int]]:
        """Under what this choice's number is known, and what works it out."""
        name, view = self._page.name, self._page.view
        if "model" in choice:
            if self._alone is None:
                self._alone = address.of_other_models(name, view)
            view = self._alone
        key = (
            name,
            view.query(),
            tuple((one, tuple(values)) for one, values in choice.items()),
            cached.library().version,
        )
        return key, lambda: points_after(name, view, choice)


def points_after(name: str, view: View, choice: FilterChoice) -> int:
    """How many points a page says it shows after a choice; `view` is the one shown before, complete.

    What the page fills in is counted as it would be, and what it lets go of is gone.
    """
    library = cached.library()
    near = address.near_after(view, choice)
    after = story.nearest(story.chosen(library, view, choice), near)
    try:
        told = question(name).complete(library, after) if name in questions() else after
    except BenchError:
        told = after
    return selection.count(library, View(told.where))
