"""How many points a page would say it shows after a choice: its own story is filled in for each, as the choice would.

No pass over the points knows this for all pages: each fills in the story that has what its chart needs, and looks at a
model's points before it knows what that is. A story takes 10 to 60 ms, a row offers seventy. So a row is drawn with the
numbers that are known; the others are worked out in one thread of the process once the page stands, and its row is
drawn again when the last is there, for which the browser asks. They hold for every session until the library changes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex

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

MOST = 20_000
"""So many numbers are kept, the latest used."""

MOST_WANTED = 500
"""So many wait to be worked out; readers who have gone on in the meantime want them no longer."""

MOST_ROWS = 200
"""So many rows that lack numbers are remembered, the latest drawn."""

YIELDS_S = 1.0
"""A number waits as long as pages are drawn, which would each be later by what it takes, but no longer than this."""


@dataclass
class MissingNumbers:
    """What works out the numbers that a drawn row lacks, and whether a browser has asked for them."""

    tasks: Mapping[NumberKey, Callable[[], int]]
    is_wanted: bool = False


class KnownNumbers:
    """The numbers that are known to this process, and the thread that works out those that are wanted."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._lock = threading.Lock()
        self._none_is_drawn = threading.Condition(self._lock)
        self._drawn = 0
        self._known: OrderedDict[NumberKey, int] = OrderedDict()
        self._wanted: deque[tuple[NumberKey, Callable[[], int]]] = deque()
        self._is_at_work = False
        self._rows: OrderedDict[str, MissingNumbers] = OrderedDict()

    def row(self, missing: Mapping[NumberKey, Callable[[], int]]) -> str:
        """By which name a browser may ask for the missing numbers of a row."""
        name = token_hex(8)
        with self._lock:
            self._rows[name] = MissingNumbers(dict(missing))
            while len(self._rows) > MOST_ROWS:
                self._rows.popitem(last=False)
        return name

    def are_known(self, row: str) -> bool:
        """Whether what a row lacked is known by now; it is wanted from when a browser first asks."""
        with self._lock:
            lacked = self._rows.get(row)
        if lacked is None:
            return False
        if not lacked.is_wanted:
            lacked.is_wanted = True
            self.want(lacked.tasks.items())
        with self._lock:
            return all(key in self._known for key in lacked.tasks)

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

    def want(self, wanted: Iterable[tuple[NumberKey, Callable[[], int]]]) -> None:
        """Have these worked out soon, before what was wanted earlier."""
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

    def _next(self) -> tuple[NumberKey, Callable[[], int]] | None:
        with self._lock:
            self._none_is_drawn.wait_for(lambda: not self._drawn, timeout=YIELDS_S)
            if self._wanted and threading.main_thread().is_alive():
                return self._wanted.popleft()
            self._is_at_work = False
            return None

    def keep(self, key: NumberKey, number: int) -> int:
        """The number, from now on known."""
        with self._lock:
            self._known[key] = number
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return number


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

    def points(self, choice: FilterChoice) -> int | None:
        """How many points the page says it shows after this choice; None as long as nobody knows."""
        key, work_out = self.task(choice)
        found = numbers().known(key)
        if found is None:
            self._missing[key] = work_out
        return found

    def label(self, choice: FilterChoice, words: str = "") -> str:
        """The number behind a label, with words after it; nothing as long as nobody knows it."""
        found = self.points(choice)
        return "" if found is None else f" ({found:,}{words})"

    def complete(self) -> None:
        """Have what is missing worked out, and the page drawn again once it is there."""
        buttons.again(row=numbers().row(self._missing) if self._missing else "")

    def task(self, choice: FilterChoice) -> tuple[NumberKey, Callable[[], int]]:
        """Under what this choice's number is known, and what works it out."""
        name, view, version = self._page.name, self._page.view, self._page.version
        if "model" in choice:
            if self._alone is None:
                self._alone = address.of_other_models(name, view, version)
            view = self._alone
        key = (name, view.query(), tuple((one, tuple(values)) for one, values in choice.items()), version)
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
