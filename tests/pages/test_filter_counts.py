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


def settled(numbers: KnownNumbers, key: tuple[object, ...]) -> int | None:
    return until(lambda: numbers.known(key))


def test_a_number_is_worked_out_once() -> None:
    numbers, asked = KnownNumbers(), []

    def seven() -> int:
        asked.append(threading.current_thread().name)
        return 7

    for _ in range(3):
        numbers.want([(("a",), seven)])
        assert settled(numbers, ("a",)) == 7
    assert asked == ["foretold"]


def test_a_model_counts_the_points_of_the_story_that_its_page_then_tells() -> None:
    library = cached.library()
    first = question("pareto").complete(library, View.of({"model": ["deepseek-r1"]}))
    shown = address.of_other_models("pareto", first, library.version)
    for model in ("llama-3.1-70b", "qwen3.5-397b-a17b"):
        alone = question("pareto").complete(library, View.of({"model": [model]}))
        number = filter_counts.points_after("pareto", shown, {"model": [model]})
        assert 0 < number == count(library, View(alone.where)) < count(library, View.of({"model": [model]}))


def test_what_is_wanted_last_comes_first_and_what_nobody_waits_for_is_dropped() -> None:
    numbers, begun, go_on, order = KnownNumbers(), threading.Event(), threading.Event(), []

    def first() -> int:
        begun.set()
        assert go_on.wait(SOON_S)
        return 0

    def noted(at: int) -> int:
        order.append(at)
        return at

    numbers.want([(("first",), first)])
    assert begun.wait(SOON_S)
    numbers.want([((at,), lambda at=at: noted(at)) for at in range(MOST_WANTED)])  # type: ignore[misc]
    numbers.want([(("late",), lambda: noted(-1))])
    go_on.set()
    assert settled(numbers, (MOST_WANTED - 2,)) == MOST_WANTED - 2
    assert order == [-1, *range(MOST_WANTED - 1)]


def test_one_that_fails_does_not_end_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_type))
    numbers = KnownNumbers()
    numbers.want([(("bad",), lambda: 1 // 0)])
    until(lambda: numbers.want([(("good",), lambda: 2)]) or numbers.known(("good",)) == 2)
    assert numbers.known(("bad",)) is None
    assert told == [ZeroDivisionError]


def test_a_row_is_worked_out_from_when_a_browser_asks_for_it() -> None:
    numbers, begun = KnownNumbers(), threading.Event()

    def nine() -> int:
        begun.set()
        return 9

    row = numbers.row({("b",): nine})
    numbers.row({("c",): lambda: 1 // 0})
    assert not begun.wait(0.1)
    numbers.are_known(row)
    assert settled(numbers, ("b",)) == 9
    assert numbers.are_known(row)


def test_numbers_wait_while_a_page_is_drawn_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = KnownNumbers()
    monkeypatch.setattr(filter_counts, "YIELDS_S", SOON_S)
    with numbers.yielding():
        numbers.want([(("a",), lambda: 7)])
        threading.Event().wait(0.1)
        assert numbers.known(("a",)) is None
    assert settled(numbers, ("a",)) == 7
    monkeypatch.setattr(filter_counts, "YIELDS_S", 0.05)
    with numbers.yielding():
        numbers.want([(("b",), lambda: 8)])
        assert settled(numbers, ("b",)) == 8
