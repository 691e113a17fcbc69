"""Imports in threads of their own: followed while under way, found again by who did not start them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from bench.errors import InputError
from bench.library.importing.jobs import ImportJob, ImportJobs
from bench.library.importing.report import Imported, ImportReport
from bench.library.library import Progress

REPORT = ImportReport(imported=[Imported("a.csv", "published", "0" * 64, 3)])


class Held:
    """Work that tells how far it is and goes on when it is let go."""

    def __init__(self) -> None:
        self.let_go, self.told = threading.Event(), threading.Event()

    def __call__(self, progress: Progress) -> ImportReport:
        progress(1, 4, "b.csv")
        self.told.set()
        assert self.let_go.wait(10)
        return REPORT


@pytest.fixture
def held() -> Iterator[Held]:
    work = Held()
    yield work
    work.let_go.set()


def test_an_import_is_followed_until_its_report_is_there(held: Held) -> None:
    arrival = ImportJobs().begin(held, listed=True)
    assert held.told.wait(10)
    assert (arrival.under_way, arrival.done, arrival.of, arrival.file) == (True, 1, 4, "b.csv")
    assert arrival.share == 0.25
    assert not arrival.wait(0.01)
    held.let_go.set()
    assert arrival.wait(10)
    assert arrival.report() is REPORT
    assert arrival.problem is None


def test_the_newest_is_what_is_under_way_else_what_ended_a_moment_ago(held: Held) -> None:
    arrivals = ImportJobs()
    assert arrivals.newest(60) is None
    under_way = arrivals.begin(held, listed=True)
    quick = arrivals.begin(lambda progress: REPORT, listed=True)
    unlisted = arrivals.begin(lambda progress: REPORT, listed=False)
    assert quick.wait(10)
    assert unlisted.wait(10)
    assert arrivals.newest(60) is under_way
    held.let_go.set()
    assert under_way.wait(10)
    assert arrivals.newest(60) is quick
    assert arrivals.newest(-1) is None


def test_what_ended_it_is_told_when_it_was_foreseen() -> None:
    def refused(progress: Progress) -> ImportReport:
        raise InputError("The library cannot be written.")

    def unforeseen(progress: Progress) -> ImportReport:
        raise ZeroDivisionError

    def ended(arrival: ImportJob) -> ImportJob:
        assert arrival.wait(10)
        return arrival

    arrivals = ImportJobs()
    assert ended(arrivals.begin(refused, listed=False)).problem == "The library cannot be written."
    broken = ended(arrivals.begin(unforeseen, listed=False))
    assert broken.problem is None
    with pytest.raises(ZeroDivisionError):
        broken.report()
