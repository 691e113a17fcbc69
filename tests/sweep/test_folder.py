"""What is told of a sweep whose process has gone: how its journal ended, if its status does not say."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.errors import UsageError
from bench.formats.journal import EndLine
from bench.sweep.folder import Folder, Writer
from bench.sweep.session.runner import run
from tests.library.sweeps import point, session
from tests.sweep.sweeping import folder_for

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


def test_without_an_end_in_the_journal_it_was_interrupted_after_the_points_it_has(tmp_path: Path) -> None:
    found = left_behind(tmp_path, point(1), point(2), started=FIRST, points_done=1, seconds_left=9).status
    assert (found["state"], found["reason"], found["points_done"]) == ("interrupted", GONE, 2)
    assert (found["current"], found["seconds_left"]) == (None, None)


def test_a_journal_with_its_end_says_how_it_ended_where_no_status_could_be_written(tmp_path: Path) -> None:
    found = left_behind(tmp_path, point(1), EndLine("failed", FULL, BETWEEN), started=FIRST).status
    assert (found["state"], found["reason"], found["points_done"]) == ("failed", FULL, 1)


def test_the_end_of_an_earlier_session_is_not_that_of_one_that_was_killed(tmp_path: Path) -> None:
    end = EndLine("cancelled", "It was cancelled.", BETWEEN)
    found = left_behind(tmp_path, point(1), end, started=SECOND, state="checking").status
    assert (found["state"], found["reason"]) == ("interrupted", GONE)


def test_a_status_that_says_how_it_ended_stands(tmp_path: Path) -> None:
    end = EndLine("failed", FULL, BETWEEN)
    found = left_behind(tmp_path, end, started=FIRST, state="done", reason="All is measured.").status
    assert (found["state"], found["reason"]) == ("done", "All is measured.")


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

    for _ in range(1000):
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
        for _ in range(2000):
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
    told = (
        "import pathlib, resource, sys; from bench.sweep.folder import Folder; "
        "from bench.sweep.session.runner import run; "
        "folder = Folder(pathlib.Path(sys.argv[1])); "
        "most = lambda: (folder.journal.stat().st_size + 50, resource.RLIM_INFINITY); "
        "full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, most()); "
        "ended = run(folder, lambda status: full() if status['points_done'] == 3 else None); "
        "print(ended.state, ended.reason)"
    )
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1,2,3,4")
        done = subprocess.run(
            [sys.executable, "-c", told, str(folder.path)], capture_output=True, text=True, timeout=60
        )
    assert done.stdout.startswith("failed "), done.stderr
    stated = json.loads((folder.path / "status.json").read_text())
    assert f"{stated['state']} {stated['reason']}\n" == done.stdout
    assert "cannot be written (file too large)" in stated["reason"]
    assert len(folder.read.points) == 3
    assert not folder.read.ends
