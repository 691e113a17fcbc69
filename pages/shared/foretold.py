"""How many points a page would say it shows after a choice: its own story is filled in for each, as the choice would.

No pass over the points knows this for all pages: each fills in the story that has what its chart needs, and looks at a
model's points before it knows what that is. A story takes 10 to 60 ms, a row offers seventy. So a row is drawn with the
numbers that are known; the others are worked out in one thread of the process once the page stands, and its row is
drawn again when the last is there. They hold for every session until the library changes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

import streamlit as st

from bench import selection
from bench.basis import story
from bench.errors import BenchError
from bench.questions import question, questions
from bench.view import View
from pages.shared import address, buttons, cached
from pages.shared.page import Page

Choice = Mapping[str, Sequence[str]]
Key = tuple[object, ...]

MOST = 20_000
"""So many numbers are kept, the latest used."""

MOST_WANTED = 500
"""So many wait to be worked out; readers who have gone on in the meantime want them no longer."""

EVERY_S = 0.5
"""So often a row that lacks numbers looks whether they are there."""

ROWS = count(1)


class Numbers:
    """The numbers that are known to this process, and the thread that works out those that are wanted."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._lock = threading.Lock()
        self._known: OrderedDict[Key, int] = OrderedDict()
        self._wanted: deque[tuple[Key, Callable[[], int]]] = deque()
        self._is_at_work = False

    def known(self, key: Key) -> int | None:
        """The number, where it has been worked out."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def want(self, wanted: Iterable[tuple[Key, Callable[[], int]]]) -> None:
        """Works these out soon, before what was wanted earlier."""
        with self._lock:
            self._wanted.extendleft(reversed([one for one in wanted if one[0] not in self._known]))
            while len(self._wanted) > MOST_WANTED:
                self._wanted.pop()
            if self._is_at_work or not self._wanted:
                return
            self._is_at_work = True
        # Waited for as the process ends, for no longer than one number: DuckDB may not be left in the middle of one.
        threading.Thread(target=self._work, name="foretold", daemon=False).start()

    def _work(self) -> None:
        try:
            while task := self._next():
                key, work_out = task
                if self.known(key) is None:
                    self.keep(key, work_out())
        finally:
            with self._lock:
                self._is_at_work = False

    def _next(self) -> tuple[Key, Callable[[], int]] | None:
        with self._lock:
            if self._wanted and threading.main_thread().is_alive():
                return self._wanted.popleft()
            self._is_at_work = False
            return None

    def keep(self, key: Key, number: int) -> int:
        """The number, from now on known."""
        with self._lock:
            self._known[key] = number
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return number


@st.cache_resource(show_spinner=False)
def numbers() -> Numbers:
    """The numbers of this process."""
    return Numbers()


class Row:
    """The numbers of one drawn row; those that are not known are noted, to be worked out once the page stands."""

    def __init__(self, page: Page) -> None:
        """`page` as it stands before a choice."""
        self._page = page
        self._missing: dict[Key, Callable[[], int]] = {}
        self._alone: View | None = None

    def points(self, choice: Choice) -> int | None:
        """How many points the page says it shows after this choice; None as long as nobody knows."""
        key, work_out = self.task(choice)
        found = numbers().known(key)
        if found is None:
            self._missing[key] = work_out
        return found

    def told(self, choice: Choice, words: str = "") -> str:
        """The number behind a label, with words after it; nothing as long as nobody knows it."""
        found = self.points(choice)
        return "" if found is None else f" ({found:,}{words})"

    def complete(self) -> None:
        """Has what is missing worked out, and the page drawn again once it is there."""
        there = f"foretold-{next(ROWS)}" if self._missing else ""
        buttons.again(there)
        # Always a part of the page, since a browser that looks once more after the last number must find it.
        st.fragment(_look, run_every=EVERY_S if there else None)(self._missing, there, count())

    def task(self, choice: Choice) -> tuple[Key, Callable[[], int]]:
        """Under what this choice's number is known, and what works it out."""
        name, view, version = self._page.name, self._page.view, self._page.version
        if "model" in choice:
            if self._alone is None:
                self._alone = address.of_other_models(name, view, version)
            view = self._alone
        key = (name, view.query(), tuple((one, tuple(values)) for one, values in choice.items()), version)
        return key, lambda: points_after(name, view, choice)


def _look(missing: Mapping[Key, Callable[[], int]], there: str, looks: Iterator[int]) -> None:
    """Nothing while the page is drawn; later looks come by themselves, once it stands, and mark that all is there."""
    nth = next(looks)
    if nth == 1:
        numbers().want(missing.items())
    elif nth and missing and all(numbers().known(key) is not None for key in missing):
        with st.container(key=there):
            st.html("<span></span>")


def points_after(name: str, view: View, choice: Choice) -> int:
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
