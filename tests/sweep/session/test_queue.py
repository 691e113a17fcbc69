"""Whose turn it is: one sweep at each endpoint, first come first served, and never more load than cores."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.folder import Folder
from bench.sweep.session.queue import QueuedSweep, await_turn, endpoint_of, obstacle
from tests.polling import until

ASKED = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), min_size=1, max_size=9)


def standing(number: int, endpoint: str, workers: int = 1, waits: bool = True) -> QueuedSweep:
    return QueuedSweep(f"20260101-00000{number}-abcdef", endpoint, workers, f"2026-01-01T00:00:0{number}", waits)


@given(ASKED, st.integers(1, 6), st.randoms(use_true_random=False))
def test_everybody_gets_a_turn_and_nobody_measures_anybody_else(asked, cores, chance) -> None:
    queued = [standing(number, endpoint, workers) for number, (endpoint, workers) in enumerate(asked)]
    waiting, running, begun = list(queued), [], []
    while waiting or running:
        for one in chance.sample(waiting, len(waiting)):
            others = [other for other in (*waiting, *running) if other.id != one.id]
            if obstacle(one, others, cores) is None:
                waiting.remove(one)
                running.append(QueuedSweep(one.id, one.endpoint, one.workers, one.since, waits=False))
                begun.append(one)
        assert running, "nobody runs and nobody may begin"
        assert len({one.endpoint for one in running}) == len(running)
        assert len(running) == 1 or sum(one.workers for one in running) <= cores
        running.remove(chance.choice(running))
    for endpoint in "abc":
        assert [one for one in begun if one.endpoint == endpoint] == [one for one in queued if one.endpoint == endpoint]


def test_who_waits_for_an_endpoint_keeps_no_core_from_those_behind() -> None:
    first, second, third = standing(1, "a", waits=False), standing(2, "a"), standing(3, "b")
    assert obstacle(third, [first, second], cores=2) is None
    assert "It waits for 1 sweep at a" in (obstacle(second, [first, third], cores=2) or "")
    assert "needs 1" in (obstacle(third, [first], cores=1) or "")


def test_a_sweep_that_needs_every_core_is_not_passed_by_for_ever() -> None:
    small, large, late = standing(1, "a", waits=False), standing(2, "b", workers=2), standing(3, "c")
    assert obstacle(large, [small, late], cores=2) is not None
    assert obstacle(late, [small, large], cores=2) is not None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://localhost:8000/v1", "http://127.0.0.1:8000", True),
        ("http://[::1]:8000", "http://127.0.0.1:8000", True),
        ("https://GPU.example/v1", "https://gpu.example.:443", True),
        ("http://gpu.example", "http://gpu.example:80/other", True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8001", False),
    ],
)
def test_one_endpoint_has_many_urls(one: str, other: str, same: bool) -> None:
    assert (endpoint_of(one) == endpoint_of(other)) is same


class Sweep:
    """A sweep that does nothing but wait for its turn and hold it."""

    def __init__(self, library: Path, number: int, endpoint: str) -> None:
        self.folder = Folder(library / f"20260101-00000{number}-abcdef")
        self.folder.path.mkdir(parents=True)
        self.own = standing(number, endpoint)
        self.began, self.ends, self.stops = threading.Event(), threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _tell(self, state: str, **more: str) -> None:
        told = {"endpoint": self.own.endpoint, "workers": 1, "queued": self.own.since}
        self.folder.tell({"id": self.folder.id, "state": state, **told, **more})

    def _run(self) -> None:
        with self.folder.taken():
            if await_turn(
                self.folder,
                self.own,
                waiting=lambda why: self._tell("queued", reason=why),
                begins=lambda: self._tell("running"),
                over=self.stops.is_set,
                cores=8,
                look_s=0.01,
            ):
                self.began.set()
                self.ends.wait()


def queued(sweep: Sweep) -> None:
    """Wait until a sweep says that it waits."""
    until(lambda: sweep.folder.status["state"] == "queued")


def test_sweeps_of_one_library_take_turns_and_who_leaves_the_queue_lets_the_next_one_on(tmp_path: Path) -> None:
    first = Sweep(tmp_path, 1, "a")
    assert first.began.wait(60)
    second, third = Sweep(tmp_path, 2, "a"), Sweep(tmp_path, 3, "a")
    for waits in (second, third):
        queued(waits)
    elsewhere = Sweep(tmp_path, 4, "b")
    assert elsewhere.began.wait(60)
    assert not second.began.is_set()
    assert not third.began.is_set()
    assert first.folder.id in second.folder.status["reason"]
    second.stops.set()
    second.thread.join()
    first.ends.set()
    assert third.began.wait(60)
    assert not second.began.is_set()
    for one in (third, elsewhere):
        one.ends.set()
