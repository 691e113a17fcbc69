"""Readers' queries at one desk: who may, how many at once, and a process that waits ready for each."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.access import Visitor
from bench.errors import AccessDenied, QueryRefused
from bench.library import Library
from bench.library.user_sql import query
from bench.library.user_sql.query import QueryDesk
from tests.library.files import sweep
from tests.polling import until

pytestmark = pytest.mark.long

ME = Visitor.at_the_shell()
COUNT = "SELECT count(*) AS n FROM points"
ENDLESS = "SELECT sum(sqrt(a.range)) FROM range(10000000000) a"
IDLE_LOOKS = 5


class VisitorLeft(BaseException):
    """The reader has gone to another page."""


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
    """The process that waits for a query, once it has opened the library."""
    desk.prepare(ME)
    assert desk._ready is not None
    pid, looks = desk._ready.pid, deque[bool](maxlen=IDLE_LOOKS)
    until(lambda: looks.append(is_idle(pid)) or sum(looks) == IDLE_LOOKS)
    return pid


def is_idle(pid: int) -> bool:
    """Whether no thread of the process runs, or would if it had a processor."""
    try:
        states = [task.read_text().rpartition(") ")[2][0] for task in Path(f"/proc/{pid}/task").glob("*/stat")]
    except (FileNotFoundError, ProcessLookupError):  # one has ended meanwhile
        return False
    return set(states) == {"S"}


def test_who_may_not_ask_is_refused_and_gets_no_process(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    reader = Visitor("127.0.0.1", "127.0.0.1", "localhost:8501")
    desk.prepare(reader)
    assert desk._ready is None
    with pytest.raises(AccessDenied, match="read-only"):
        desk.run("SELECT 1", reader)


def test_a_process_that_waited_knows_what_was_imported_meanwhile(
    desk: QueryDesk, library: Library, tmp_path: Path
) -> None:
    waited = ready(desk)
    library.add([sweep(tmp_path, 2)])
    assert count(desk) == 6
    assert not Path(f"/proc/{waited}").exists()
    assert desk._ready is None


def test_a_process_that_waited_keeps_the_limits(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    ready(desk)
    monkeypatch.setattr(query, "TIME_LIMIT_S", 0.6)
    with pytest.raises(QueryRefused, match=r"stopped after 0\.6 s"):
        desk.run(ENDLESS, ME)


def test_a_process_that_died_waiting_is_replaced(desk: QueryDesk) -> None:
    pid = ready(desk)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert count(desk) == 3


def test_more_than_there_are_places_for_wait_and_are_told(desk: QueryDesk) -> None:
    others_wait, sentences = threading.Event(), list[str]()

    def leave_to_others(_: str) -> None:
        if others_wait.is_set():
            raise VisitorLeft

    def wait(sentence: str) -> None:
        sentences.append(sentence)
        others_wait.set()

    first = threading.Thread(target=pytest.raises, args=(VisitorLeft, desk.run, ENDLESS, ME, leave_to_others))
    first.start()
    until(lambda: desk._places._value == 0)
    assert desk.run(COUNT, ME, wait).table.num_rows == 1
    first.join()
    assert sentences[0].startswith("1 other query is running")


def test_who_waits_too_long_is_told(desk: QueryDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "WAIT_LIMIT_S", 0.3)
    with desk._places, pytest.raises(QueryRefused, match=r"every place for 0\.3 s"):
        desk.run(COUNT, ME)
    assert count(desk) == 3


def test_who_leaves_ends_the_query_and_gives_the_place_back(desk: QueryDesk) -> None:
    sentences: list[str] = []

    def leave(sentence: str) -> None:
        sentences.append(sentence)
        raise VisitorLeft

    with pytest.raises(VisitorLeft):
        desk.run(ENDLESS, ME, leave)
    assert [re.findall(r"\d+", sentence)[1:] for sentence in sentences] == [["100"]]
    assert desk._places._value == 1
    assert count(desk) == 3
