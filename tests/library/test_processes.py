"""Several processes at one library, and processes that die: nothing doubled, nothing halved, nobody waits."""

from __future__ import annotations

import multiprocessing
import random
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.library import Library
from bench.library.importing.sandbox import take_in
from tests.library.files import sweep
from tests.library.writers import add_each, churn, signalled, take_in_each
from tests.thorough import some, times

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


@pytest.mark.parametrize("write", some([add_each, take_in_each], 1))
def test_writers_do_not_lock_each_other_out_and_nothing_is_doubled(
    processes: ForkServerContext, tmp_path: Path, write: Callable[[Path, list[Path]], None]
) -> None:
    files = [sweep(tmp_path / "files", number, ROWS) for number in range(times(8, 5))]
    place = tmp_path / "library"
    writers = []
    for seed in range(times(3, 2)):
        shuffled = random.Random(seed).sample(files, len(files))
        writers.append(processes.Process(target=write, args=(place, shuffled)))
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


@pytest.mark.exhaustive  # a kill by itself is in importing/test_sandbox.py
def test_the_child_killed_at_any_moment_costs_at_most_the_file_it_was_at(tmp_path: Path) -> None:
    place, chance = tmp_path / "library", random.Random(12)
    library = Library.open(place, shipped=False)
    ended_by = {"refused": 0, "given up": 0, "too late": 0}
    takes, trials = seconds_of_an_import(library, tmp_path), times(25, 2, 6)
    for number in range(trials):
        batch = [sweep(tmp_path / "files", 3 * number + place_in, ROWS) for place_in in range(3)]
        before = len(whole(library))
        killer = threading.Timer(chance.uniform(0, 1.1 * takes), signalled, (signal.SIGKILL,))
        killer.start()
        try:
            report = take_in(library, batch)
        except BenchError as problem:
            assert "not imported" in str(problem)  # noqa: PT017 - either end is right, at its moment
            report = None
        killer.join()
        library.refresh()
        more = len(whole(library)) - before
        if report is None:
            assert more in (0, 3)
            ended_by["given up"] += 1
        else:
            assert more == len(report.imported) == 3 - len(report.refused)
            assert len(report.refused) <= 1
            ended_by["refused" if report.refused else "too late"] += 1
        library.add(batch)
        assert len(whole(library)) == before + 3
    assert sum(ended_by.values()) == trials
    assert list((place / "tmp").iterdir()) == []


def test_nobody_is_told_of_what_others_do_to_packs(processes: ForkServerContext, tmp_path: Path) -> None:
    """Several import, rebuild, merge and purge, whose packs go at once; one reads."""
    place, told = tmp_path / "library", processes.Queue()
    many = times(24, 4, 12)
    writers = []
    for seed in range(times(3, 2)):
        own = [sweep(tmp_path / "files", 1000 * seed + number, ROWS) for number in range(many)]
        writers.append(processes.Process(target=churn, args=(place, own, seed, told)))
    for writer in writers:
        writer.start()
    library = Library.open(place, shipped=False)
    while any(writer.is_alive() for writer in writers):
        library.refresh()
        whole(library)
        library.fetch("SELECT count(*) FROM passports")
        assert library.refusals().empty
        time.sleep(0.02)
    for writer in writers:
        ended(writer)
    assert told.empty(), told.get()
    again = Library.open(place, shipped=False)
    assert again.verify().wrong == ()
    assert len(whole(again)) == len(list((place / "sources").iterdir()))


def seconds_of_an_import(library: Library, folder: Path) -> float:
    """How long an import that nobody kills takes on this machine, as busy as it is."""
    began = time.monotonic()
    take_in(library, [sweep(folder / "files", 1000, ROWS)])
    return time.monotonic() - began
