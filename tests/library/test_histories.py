"""Whatever is done to a library, in whatever order, it holds what a plain dictionary would."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from bench.library import Library, merging
from tests.library.files import sweep
from tests.thorough import times

pytestmark = pytest.mark.long

FILES = st.integers(0, 4)
ROWS = 2


class History(RuleBasedStateMachine):
    """Two processes' views of one library, and what each file's points should look like."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="history-"))
        self.library = Library.open(self.place / "library", shipped=False)
        self.reader = Library.open(self.place / "library", shipped=False)
        self.files = {number: sweep(self.place / "files", number, ROWS) for number in range(5)}
        self.variants: dict[int, str | None] = {}
        self.ids: dict[int, str] = {}
        self.hidden: set[int] = set()
        self.purged: set[int] = set()

    def teardown(self) -> None:
        for library in (self.library, self.reader):
            library.close()
        shutil.rmtree(self.place)

    @rule(numbers=st.lists(FILES, min_size=1, max_size=3), variant=st.none() | st.sampled_from("ab"))
    def add(self, numbers: list[int], variant: str | None) -> None:
        facts = {"variant": variant} if variant else {}
        report = self.library.add([self.files[number] for number in numbers], facts)
        for number in numbers:
            if number not in self.purged:
                self.variants[number] = variant or self.variants.get(number)
        for row in report.imported:
            self.ids[next(number for number in numbers if str(self.files[number]) == row.file)] = row.sha256

    @precondition(lambda self: self.variants)
    @rule(data=st.data(), variant=st.none() | st.sampled_from("xyz"))
    def state(self, data: st.DataObject, variant: str | None) -> None:
        number = data.draw(st.sampled_from(sorted(self.variants)))
        self.library.set_facts(self.ids[number], {"variant": variant})
        self.variants[number] = variant

    @precondition(lambda self: self.variants.keys() - self.hidden)
    @rule(data=st.data())
    def retract(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.variants.keys() - self.hidden)))
        self.library.retract(self.ids[number], "for a reason")
        self.hidden.add(number)

    @precondition(lambda self: self.hidden)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.hidden)))
        self.library.restore(self.ids[number])
        self.hidden.remove(number)

    @precondition(lambda self: self.variants)
    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.variants)))
        self.library.purge(self.ids[number], "for good")
        self.purged.add(number)
        self.hidden.discard(number)
        del self.variants[number]

    @rule()
    def rebuild(self) -> None:
        assert self.library.rebuild().sources == len(self.variants)

    @rule()
    def open_again(self) -> None:
        self.library.close()
        self.library = Library.open(self.place / "library", shipped=False)

    @invariant()
    def both_hold_what_they_should(self) -> None:
        expected = sorted(
            (self.ids[number], variant or "", ROWS)
            for number, variant in self.variants.items()
            if number not in self.hidden
        )
        self.reader.refresh()
        for library in (self.library, self.reader):
            found = library.fetch(
                "SELECT source_id, coalesce(variant, ''), count(*) FROM points GROUP BY 1, 2 ORDER BY 1"
            )
            assert found == expected
        assert self.library.version == self.reader.version


def test_a_library_holds_what_its_history_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "FAN", 3)
    monkeypatch.setattr(merging, "GRACE_S", 0.0)
    run_state_machine_as_test(History, settings=settings(max_examples=times(3, 1), stateful_step_count=8))
