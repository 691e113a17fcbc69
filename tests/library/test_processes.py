"""Several processes at one library, and processes that die: nothing doubled, nothing halved, nobody waits."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from bench.library import Library
from tests.library.files import sweep
from tests.library.writers import add_each, change_for_ever
from tests.thorough import times

pytestmark = pytest.mark.long

ROWS = 3


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.library.writers"])
    return context


def whole(library: Library) -> dict[str, int]:
    """The points of each source; every source must be there whole and once."""
    counted = library.fetch("SELECT source_id, count(*), count(DISTINCT point_id) FROM points GROUP BY 1")
    assert all(points == distinct == ROWS for _, points, distinct in counted)
    return {source: points for source, points, _ in counted}


def ended(process: BaseProcess) -> None:
    process.join(60)
    assert process.exitcode == 0


def test_writers_do_not_lock_each_other_out_and_nothing_is_doubled(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    files = [sweep(tmp_path / "files", number, ROWS) for number in range(8)]
    place = tmp_path / "library"
    writers = []
    for seed in range(times(3, 2)):
        shuffled = random.Random(seed).sample(files, len(files))
        writers.append(processes.Process(target=add_each, args=(place, shuffled)))
    for writer in writers:
        writer.start()
    library = Library.open(place, shipped=False)
    seen = 0
    while any(writer.is_alive() for writer in writers):
        library.refresh()
        found = len(whole(library))
        assert found >= seen
        seen = found
        time.sleep(0.02)
    for writer in writers:
        ended(writer)
    library.refresh()
    assert len(whole(library)) == len(files)
    assert library.fetch("SELECT count(*) FROM sources") == [(len(files),)]


def test_a_writer_killed_at_any_moment_leaves_a_whole_library(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    files = [sweep(tmp_path / "files", number, ROWS) for number in range(30)]
    place = tmp_path / "library"
    chance = random.Random(7)
    kept: set[str] = set()
    for _ in range(times(10, 3)):
        writer = processes.Process(target=change_for_ever, args=(place, chance.sample(files, len(files))))
        writer.start()
        time.sleep(chance.uniform(0.05, 0.45))
        writer.kill()
        writer.join()
        library = Library.open(place, shipped=False)
        found = whole(library)
        assert kept <= found.keys()
        assert library.refusals().empty
        kept = set(found)
        library.close()
    library = Library.open(place, shipped=False)
    library.add(files)
    assert len(whole(library)) == len(files)
    for folder in (place / "tmp").iterdir():
        os.utime(folder, (0, 0))
    library.add([sweep(tmp_path / "files", 99, ROWS)])
    assert list((place / "tmp").iterdir()) == []
