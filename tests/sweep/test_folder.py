"""What is told of a sweep whose process has gone: how its journal ended, if its status does not say."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.errors import InputError, UsageError
from bench.formats.journal import EndLine
from bench.sweep.folder import BROKEN, Folder, Writer
from bench.sweep.session.origin import FILE as ORIGIN
from bench.sweep.session.origin import SweepOrigin, keep, origin_of
from bench.sweep.session.runner import run
from tests.library.sweeps import point, session
from tests.sweep.sweeping import folder_for, no_file_beyond

FIRST, SECOND = "2026-11-21T12:00:00.000+00:00", "2026-11-21T14:00:00.000+00:00"
BETWEEN = "2026-11-21T13:00:00.000+00:00"
GONE = "its process ended before the sweep did"
FULL = "status.json cannot be written (no space left on device)"
FAST = Settings(ttft_ms=2, itl_ms=0.5)


def left_behind(library: Path, *lines: Any, **status: Any) -> Folder:
    """A sweep whose process has gone: its journal, and the status it wrote last."""
    folder = folder_for(library, "http://127.0.0.1:1")
    writer = Writer(folder)
    writer.add(session(folder.id))
    for line in lines:
        writer.add(line)
    writer.close()
    folder.tell({"id": folder.id, "state": "running", "points_done": 0, "current": {"level": "x"}} | status)
    return folder


JOURNALLED_END = EndLine("failed", FULL, BETWEEN)


@pytest.mark.parametrize(
    ("lines", "status", "told"),
    [
        ([point(1), point(2)], {"points_done": 1, "seconds_left": 9}, ("interrupted", GONE, 2)),
        ([point(1), JOURNALLED_END], {}, ("failed", FULL, 1)),
        ([point(1), JOURNALLED_END], {"started": SECOND, "state": "checking"}, ("interrupted", GONE, 1)),
        ([JOURNALLED_END], {"state": "done", "reason": "All is measured."}, ("done", "All is measured.", 0)),
    ],
    ids=["no end", "an end and no status", "the end of an earlier session", "a status that says how it ended"],
)
def test_how_a_sweep_ended_whose_process_has_gone(
    lines: list[Any], status: dict[str, Any], told: tuple[str, str, int], tmp_path: Path
) -> None:
    found = left_behind(tmp_path, *lines, **{"started": FIRST} | status).status
    assert (found["state"], found["reason"], found["points_done"]) == told
    if "state" not in status:
        assert (found["current"], found["seconds_left"]) == (None, None)


@pytest.mark.parametrize("content", [b"[" * 200_000, b"\xff", b'{"state": "\\ud800"}', b"[]"])
def test_files_of_a_sweep_that_cannot_be_read_are_told(tmp_path: Path, content: bytes) -> None:
    folder = left_behind(tmp_path, started=FIRST)
    keep(folder, SweepOrigin.now("Ada", from_page=False))
    for name in ("status.json", "plan.json", ORIGIN):
        (folder.path / name).write_bytes(content)
    assert folder.status["state"] == BROKEN
    with pytest.raises(InputError):
        _ = folder.plan
    assert origin_of(folder) == SweepOrigin("unknown", "", from_page=True)


def test_a_journal_that_cannot_be_read_leaves_it_interrupted(tmp_path: Path) -> None:
    folder = left_behind(tmp_path, started=FIRST)
    folder.journal.write_bytes(b"nothing of ours\n")
    assert (folder.status["state"], folder.status["points_done"]) == ("interrupted", 0)


def test_only_a_sweep_that_runs_can_be_asked_to_end_and_the_next_session_is_not_the_one_asked(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:1")
    assert not folder.ask_to_end()
    assert not folder.cancel.exists()
    with folder.taken():
        assert folder.ask_to_end()
        assert folder.cancel.exists()
        with pytest.raises(UsageError, match="is running already"), folder.taken():
            pass
        assert folder.cancel.exists()
    with folder.taken():
        assert not folder.cancel.exists()


def test_whoever_finds_it_running_has_asked_this_session(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:1")

    def ask() -> None:
        while not folder.ask_to_end():
            pass

    for _ in range(100):
        asking = threading.Thread(target=ask)
        asking.start()
        with folder.taken():
            asking.join()
            assert folder.cancel.exists()


def test_who_looks_whether_a_sweep_runs_keeps_none_from_beginning(tmp_path: Path) -> None:
    folder, over = folder_for(tmp_path, "http://127.0.0.1:1"), threading.Event()

    def look() -> None:
        while not over.is_set():
            folder.held()

    looking = [threading.Thread(target=look) for _ in range(2)]
    for one in looking:
        one.start()
    try:
        for _ in range(500):
            with folder.taken():
                pass
    finally:
        over.set()
        for one in looking:
            one.join()


@pytest.mark.long
def test_where_only_the_status_cannot_be_written_the_sweep_still_says_why_it_ended(tmp_path: Path) -> None:
    with running(FAST) as url:
        folder = folder_for(tmp_path, url)

        def in_the_way(status: Any) -> None:
            if status["points_done"] == 1 and (folder.path / "status.json").is_file():
                (folder.path / "status.json").unlink()
                (folder.path / "status.json").mkdir()

        ended = run(folder, in_the_way)
        assert ended.state == "failed"
        assert "status.json cannot be written (is a directory)" in ended.reason
        assert (folder.status["state"], folder.status["reason"]) == ("failed", ended.reason)
        assert folder.status["points_done"] == len(folder.read.points) == 1
        assert not list(folder.path.glob(".status.json.*"))
        (folder.path / "status.json").rmdir()
        assert run(folder).state == "done"
    assert len(folder.read.points) == 2


@pytest.mark.long
def test_where_only_the_journal_cannot_be_written_the_status_says_why_it_ended(tmp_path: Path) -> None:
    """From the third finished point on no file may grow beyond the journal, which is longer than the status."""
    with running(FAST) as url, ExitStack() as full:
        folder = folder_for(tmp_path, url, loads__concurrency="1,2,3,4")

        def fill(status: Any) -> None:
            if status["points_done"] == 3:
                full.enter_context(no_file_beyond(folder.journal.stat().st_size + 50))

        ended = run(folder, fill)
    stated = json.loads((folder.path / "status.json").read_text())
    assert (ended.state, ended.reason) == (stated["state"], stated["reason"])
    assert ended.state == "failed"
    assert "cannot be written (file too large)" in ended.reason
    assert len(folder.read.points) == 3
    assert not folder.read.ends
