"""Readers' queries at one desk: who may, how many at once, and a process that waits ready for each."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.access import Visitor
from bench.errors import AccessDenied, QueryRefused
from bench.library import Library
from bench.library.user_sql import desk as people_desk
from bench.library.user_sql import query
from bench.library.user_sql.desk import QueryDesk
from tests.library.files import sweep

pytestmark = pytest.mark.long

ME = Visitor.at_the_shell()
COUNT = "SELECT count(*) AS n FROM points"
ENDLESS = "SELECT sum(sqrt(a.range)) FROM range(10000000000) a"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    return library


@pytest.fixture
def desk(library: Library) -> Iterator[QueryDesk]:
    desk = QueryDesk(library, at_once=1)
    yield desk
    desk.close()


def count(desk: QueryDesk) -> int:
    return desk.run(COUNT, ME).table.to_pylist()[0]["n"]


def ready(desk: QueryDesk) -> int:
    """The process that waits."""
    desk.prepare(ME)
    assert desk._ready is not None
    time.sleep(1.5)
    return desk._ready._process.pid


def test_who_may_not_ask_is_refused_and_gets_no_process(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    reader = Visitor("127.0.0.1", "127.0.0.1", "localhost:8501")
    desk.prepare(reader)
    assert desk._ready is None
    with pytest.raises(AccessDenied, match="read-only"):
        desk.run("SELECT 1", reader)


def test_a_process_that_waited_answers_once_and_is_gone(desk: QueryDesk) -> None:
    waited = ready(desk)
    assert count(desk) == 3
    assert not Path(f"/proc/{waited}").exists()
    assert desk._ready is None
    assert count(desk) == 3


def test_a_process_that_waited_knows_what_was_imported_meanwhile(
    desk: QueryDesk, library: Library, tmp_path: Path
) -> None:
    ready(desk)
    library.add([sweep(tmp_path, 2)])
    assert count(desk) == 6
    ready(desk)
    library.retract(library.sources()["source_id"][0], "for the test")
    assert count(desk) == 3


def test_a_process_that_waited_keeps_the_limits(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "TIME_LIMIT_S", 0.6)
    ready(desk)
    with pytest.raises(QueryRefused, match=r"stopped after 0\.6 s"):
        desk.run(ENDLESS, ME)
    ready(desk)
    with pytest.raises(QueryRefused, match="needed more memory"):
        desk.run("SELECT repeat('x', 1500000000)", ME)
    assert count(desk) == 3


def test_a_process_that_died_waiting_is_replaced(desk: QueryDesk) -> None:
    for again in (False, True):
        os.kill(ready(desk), signal.SIGKILL)
        time.sleep(0.2)
        if again:
            assert ready(desk)
        assert count(desk) == 3


def test_who_is_waited_for_no_more_ends_by_itself(library: Library) -> None:
    desk = QueryDesk(library)
    waited = ready(desk)
    assert desk._ready is not None
    desk._ready._stdin.close()
    assert desk._ready._process.wait(10) == 0
    desk.close()
    assert not Path(f"/proc/{waited}").exists()


def test_more_than_there_are_places_for_wait_and_are_told(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "TIME_LIMIT_S", 2.0)
    outcome: list[str] = []

    def first() -> None:
        try:
            desk.run(ENDLESS, ME)
        except QueryRefused as problem:
            outcome.append(str(problem))

    runs = threading.Thread(target=first)
    runs.start()
    while not desk._running:
        time.sleep(0.01)
    told: list[str] = []
    assert desk.run(COUNT, ME, told.append).table.num_rows == 1
    runs.join()
    assert outcome == ["The query was stopped after 2 s; select less."]
    assert told[0] == "1 other query is running; this one waits for a place."


def test_a_long_query_gives_way(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "LONG_S", 0.2)
    monkeypatch.setattr(query, "TIME_LIMIT_S", 1.5)
    waited = ready(desk)
    seen: list[set[int]] = []

    def look(_: str) -> None:
        threads = [int(name) for name in os.listdir(f"/proc/{waited}/task")]
        seen.append({os.getpriority(os.PRIO_PROCESS, thread) for thread in threads})

    with pytest.raises(QueryRefused, match="stopped"):
        desk.run(ENDLESS, ME, look)
    assert seen[-1] == {query.NICE}


def test_who_waits_too_long_is_told(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_desk, "WAIT_LIMIT_S", 0.3)
    with desk._place(None), pytest.raises(QueryRefused, match=r"every place for 0\.3 s"):
        desk.run(COUNT, ME)
    assert count(desk) == 3


def test_who_leaves_ends_the_query_and_gives_the_place_back(desk: QueryDesk) -> None:
    class VisitorLeft(BaseException):
        """The reader has gone to another page."""

    told: list[str] = []

    def leave(sentence: str) -> None:
        told.append(sentence)
        raise VisitorLeft

    waited = ready(desk)
    with pytest.raises(VisitorLeft):
        desk.run(ENDLESS, ME, leave)
    assert told == ["Running for 0 s; a query is stopped after 10 s."]
    assert not Path(f"/proc/{waited}").exists()
    assert count(desk) == 3
