"""The numbers behind a row's choices: worked out once, in one thread, the latest wanted first."""

from __future__ import annotations

import threading

import pytest

from bench.questions import question
from bench.selection import count
from bench.view import View
from pages.shared import address, cached, filter_counts
from pages.shared.filter_counts import MOST_WANTED, KnownNumbers
from tests.polling import until

SOON_S = 60


def settled(numbers: KnownNumbers, key: tuple[object, ...], row: str) -> int | None:
    return until(lambda: numbers.are_known(row)) and numbers.known(key)


def test_a_number_is_worked_out_once_from_when_a_browser_asks_for_its_row() -> None:
    numbers, asked = KnownNumbers(), []

    def seven() -> int:
        asked.append(threading.current_thread().name)
        return 7

    rows = [numbers.row({("a",): seven}) for _ in range(3)]
    numbers.row({("c",): lambda: 1 // 0})
    assert numbers.known(("a",)) is None
    for row in rows:
        assert settled(numbers, ("a",), row) == 7
    assert asked == ["filter-counts"]


def test_a_model_counts_the_points_of_the_story_that_its_page_then_tells() -> None:
    library = cached.library()
    first = question("pareto").complete(library, View.of({"model": ["deepseek-r1"]}))
    shown = address.of_other_models("pareto", first)
    for model in ("llama-3.1-70b", "qwen3.5-397b-a17b"):
        alone = question("pareto").complete(library, View.of({"model": [model]}))
        number = filter_counts.points_after("pareto", shown, {"model": [model]})
        assert 0 < number == count(library, View(alone.where)) < count(library, View.of({"model": [model]}))


def test_the_row_asked_for_last_comes_first_and_what_nobody_waits_for_is_dropped() -> None:
    numbers, begun, go_on, order = KnownNumbers(), threading.Event(), threading.Event(), []

    def first() -> int:
        begun.set()
        assert go_on.wait(SOON_S)
        return 0

    numbers.are_known(numbers.row({("first",): first}))
    assert begun.wait(SOON_S)
    rows = [numbers.row({(at,): lambda at=at: order.append(at) or at}) for at in range(MOST_WANTED + 1)]  # type: ignore[misc]
    for row in (*rows, rows[1]):
        assert not numbers.are_known(row)
    go_on.set()
    assert until(lambda: numbers.known((2,))) == 2
    assert order == [1, *range(MOST_WANTED, 1, -1)]


def test_one_that_fails_does_not_end_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: failed.append(args.exc_type))
    numbers = KnownNumbers()
    bad = numbers.row({("bad",): lambda: 1 // 0})
    assert not numbers.are_known(bad)
    assert settled(numbers, ("good",), numbers.row({("good",): lambda: 2})) == 2
    assert not numbers.are_known(bad)
    assert failed == [ZeroDivisionError]


def test_numbers_wait_while_a_page_is_drawn_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = KnownNumbers()
    row = numbers.row({("a",): lambda: 7})
    monkeypatch.setattr(filter_counts, "YIELDS_S", SOON_S)
    with numbers.yielding():
        assert not numbers.are_known(row)
        threading.Event().wait(0.1)
        assert not numbers.are_known(row)
    assert settled(numbers, ("a",), row) == 7
    monkeypatch.setattr(filter_counts, "YIELDS_S", 0.05)
    with numbers.yielding():
        assert settled(numbers, ("b",), numbers.row({("b",): lambda: 8})) == 8
