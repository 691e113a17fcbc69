"""A sweep in its library while it runs: each point is seen once it is kept, whole and single after every kill (-9)."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.session.endings import enter
from bench.sweep.session.runner import run
from tests.sweep.sweeping import ROOT, command, document, folder_for, started

pytestmark = pytest.mark.long

FAST = Settings(ttft_ms=2, itl_ms=0.5)
READER = """
import sys, time
from pathlib import Path
from bench.library import Library
library = Library.open(Path(sys.argv[1]), shipped=False)
print("open", flush=True)
seen = 0
while seen < int(sys.argv[2]):
    library.refresh()
    for (number,) in library.fetch("SELECT concurrency FROM points ORDER BY 1 OFFSET ?", [seen]):
        print(number, flush=True)
        seen += 1
    time.sleep(0.02)
"""
ENTER = """
import sys
from pathlib import Path
from bench.sweep.session.endings import enter
from bench.sweep.folder import Folder
enter(Folder(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


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


def test_another_process_sees_each_point_while_the_sweep_goes_on(tmp_path: Path) -> None:
    """The sweep goes on to its next point once the reader has seen the one before."""
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1,2,3")
        reader = subprocess.Popen(
            [sys.executable, "-c", READER, str(tmp_path), "3"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n"
        seen: list[int] = []

        def await_reader(status: object) -> None:
            assert reader.stdout is not None
            while len(seen) < len(folder.read.points):
                seen.append(int(reader.stdout.readline()))

        assert run(folder, await_reader).state == "done"
        await_reader(None)
        assert reader.wait() == 0
        reader.stdout.close()
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_the_library_is_whole_and_single_after_every_kill(kills: int, tmp_path: Path) -> None:
    draw = random.Random(7)
    library = Library.open(tmp_path, shipped=False)
    known: dict[str, str] = {}
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, workloads__isl="16,24,32", loads__concurrency="1,2", point__requests="20")
        for attempt in range(kills):
            process = started(folder)
            # A quick machine has measured everything before the last of the kills.
            until(lambda at=attempt, it=process: len(folder.read.points) > at or it.poll() is not None)
            killed(process, draw.uniform(0.0, 0.8) if attempt else 0)
            found = in_library(library)
            assert found.keys() == measured(folder)
            assert known.items() <= found.items()
            known = found
            entering = [sys.executable, "-c", ENTER, str(folder.path), str(tmp_path)]
            killed(subprocess.Popen(entering, cwd=ROOT, stdout=subprocess.PIPE), draw.uniform(0.1, 0.9))
            assert in_library(library) == known
            other = Library.open(tmp_path, shipped=False)
            assert in_library(other) == known
            other.close()
        assert run(folder).state == "done"
        assert enter(folder, tmp_path) == 6
    found = in_library(library)
    assert found.keys() == measured(folder)
    assert known.items() <= found.items()
    assert len(found) == 6
    library.close()


def test_a_sweep_that_cannot_begin_leaves_nothing_unless_it_is_the_only_one_to_say_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ask = (
            "sweep",
            "--url",
            f"http://127.0.0.1:{taken.getsockname()[1]}",
            "--library",
            str(tmp_path),
            *"--model m --isl 16 --osl 4 --concurrency 1 --requests 2".split(),
        )
        assert command(*ask).returncode == 1
        assert [path for path in tmp_path.rglob("*") if not path.name.startswith(".")] == [tmp_path / "sweeps"]
        assert command(*ask, "--detach").returncode == 0
        (folder,) = listed(tmp_path)
        until(lambda: not folder.held() and folder.status["state"] == "failed")
    assert "connection refused" in folder.status["reason"]
    shown = document(command("sweeps", "--library", str(tmp_path), "--json").stdout)
    assert [(row["id"], row["state"]) for row in shown] == [(folder.id, "failed")]
    gone = command("purge", folder.id, "--reason", "it never ran", "--library", str(tmp_path), "--no-shipped")
    assert gone.returncode == 0, gone.stderr
    assert listed(tmp_path) == []


def test_a_sweep_whose_endpoint_went_away_meanwhile_stays(tmp_path: Path) -> None:
    """Nothing is discarded that was resumed, whatever the first look then says."""
    with running(FAST) as url:
        folder = folder_for(tmp_path, url)
        process = started(folder)
        until(lambda: len(folder.read.points) == 1)
        killed(process, 0)
    assert command("resume", folder.id, "--library", str(tmp_path)).returncode == 1
    assert measured(folder) == {"point 1"}
    library = Library.open(tmp_path, shipped=False)
    assert in_library(library).keys() == {"point 1"}
    library.close()
