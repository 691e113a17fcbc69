"""The numbers behind a row's choices: worked out once, in one thread, the latest wanted first."""

from __future__ import annotations

import threading

import pytest

from pages.shared.foretold import MOST_WANTED, Numbers

SOON_S = 10


def settled(numbers: Numbers, key: tuple[object, ...]) -> int | None:
    waited = threading.Event()
    for _ in range(SOON_S * 100):
        if numbers.known(key) is not None:
            break
        waited.wait(0.01)
    return numbers.known(key)


def test_a_number_is_worked_out_once() -> None:
    numbers, asked = Numbers(), []

    def seven() -> int:
        asked.append(threading.current_thread().name)
        return 7

    for _ in range(3):
        numbers.want([(("a",), seven)])
        assert settled(numbers, ("a",)) == 7
    assert asked == ["foretold"]


def test_what_is_wanted_last_comes_first_and_what_nobody_waits_for_is_dropped() -> None:
    numbers, begun, go_on, order = Numbers(), threading.Event(), threading.Event(), []

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
    numbers = Numbers()
    numbers.want([(("bad",), lambda: 1 // 0)])
    for _ in range(SOON_S * 100):
        numbers.want([(("good",), lambda: 2)])
        if numbers.known(("good",)) == 2:
            break
        threading.Event().wait(0.01)
    assert numbers.known(("good",)) == 2
    assert numbers.known(("bad",)) is None
    assert told == [ZeroDivisionError]
