"""A sweep in its library: whole and single after every kill (-9); test_in_place.py has libraries that are open."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.session.endings import enter
from bench.sweep.session.runner import run
from tests.polling import until
from tests.sweep.sweeping import ROOT, command, document, folder_for, numbers_of_samples, started

pytestmark = pytest.mark.long

FAST = Settings(ttft_ms=2, itl_ms=0.5)
ENTER = """
import sys
from pathlib import Path
from bench.sweep.session.endings import enter
from bench.sweep.folder import Folder
enter(Folder(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def in_library(library: Library) -> dict[str, str]:
    """The points' ids by their place in the journal; none may be there twice."""
    library.refresh()
    rows = library.fetch("SELECT locator, point_id, source_id FROM points")
    found = {locator: point for locator, point, _ in rows}
    assert len(found) == len(rows)
    assert len({source for _, _, source in rows}) <= 1
    return found


def measured(folder: Folder) -> set[str]:
    return {f"point {line.number}" for line, _ in folder.read.points}


def killed(process: subprocess.Popen[bytes], after_s: float) -> None:
    time.sleep(after_s)
    process.kill()
    process.communicate()


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_library_and_journal_are_whole_and_single_after_every_kill(kills: int, tmp_path: Path) -> None:
    draw = random.Random(7)
    library = Library.open(tmp_path, shipped=False)
    known: dict[str, str] = {}
    kept: dict[str, object] = {}
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, workloads__isl="16,24,32", loads__concurrency="1,2", point__requests="20")
        for attempt in range(kills):
            process = started(folder)
            # A quick machine has measured everything before the last of the kills.
            until(lambda at=attempt, it=process: len(folder.read.points) > at or it.poll() is not None)
            killed(process, draw.uniform(0.0, 0.8) if attempt else 0)
            lines = {line.key: line for line, _ in folder.read.points}
            assert kept.items() <= lines.items()
            kept = dict(lines)
            found = in_library(library)
            assert found.keys() == measured(folder)
            assert known.items() <= found.items()
            known = found
            if attempt:
                entering = [sys.executable, "-c", ENTER, str(folder.path), str(tmp_path)]
                killed(subprocess.Popen(entering, cwd=ROOT, stdout=subprocess.PIPE), draw.uniform(0.1, 0.9))
            other = Library.open(tmp_path, shipped=False)
            assert in_library(library) == in_library(other) == known
            other.close()
        assert run(folder).state == "done"
        assert enter(folder, tmp_path) == 6
    found = in_library(library)
    assert found.keys() == measured(folder)
    assert known.items() <= found.items()
    assert len(found) == 6
    library.close()
    assert kept.items() <= {line.key: line for line, _ in folder.read.points}.items()
    assert sorted(line.key for line, _ in folder.read.points) == sorted(one.key for one in folder.plan.points())
    sent = {f"{line.number}.parquet": line.requests_sent for line, _ in folder.read.points}
    assert numbers_of_samples(folder) == sent


def test_a_sweep_that_cannot_begin_leaves_nothing_unless_it_is_the_only_one_to_say_so(tmp_path: Path) -> None:
    library = ("--library", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        ask = ("sweep", "--url", url, *library, *"--model m --isl 16 --osl 4 --concurrency 1 --requests 2".split())
        done = command(*ask, "--json")
        assert done.returncode == 1
        told = document(done.stdout)
        assert (told["state"], told["points"]) == ("failed", [])
        assert "connection refused" in told["reason"]
        assert told["reason"] in done.stderr
        assert "Traceback" not in done.stderr
        assert [path for path in tmp_path.rglob("*") if not path.name.startswith(".")] == [tmp_path / "sweeps"]
        assert command(*ask, "--detach").returncode == 0
        (folder,) = listed(tmp_path)
        until(lambda: not folder.held() and folder.status["state"] == "failed")
    assert "connection refused" in folder.status["reason"]
    gone = command("purge", folder.id, "--reason", "it never ran", *library, "--no-shipped")
    assert gone.returncode == 0, gone.stderr
    assert listed(tmp_path) == []


def test_a_sweep_whose_endpoint_went_away_meanwhile_stays(tmp_path: Path) -> None:
    """Nothing is discarded that was resumed, whatever the first look then says."""
    with running(FAST) as url:
        folder = folder_for(tmp_path, url)
        run(folder, lambda status: folder.cancel.touch() if folder.read.points else None)
    assert command("resume", folder.id, "--library", str(tmp_path)).returncode == 1
    assert measured(folder) == {"point 1"}
    library = Library.open(tmp_path, shipped=False)
    assert in_library(library).keys() == {"point 1"}
    library.close()
