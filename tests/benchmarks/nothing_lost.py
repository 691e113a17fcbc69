"""Fifty kills (-9) at random moments of a sweep of thirty points, resumed after each: nothing lost or doubled."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.endpoint import Settings, running
from bench.library import Library
from bench.sweep.folder import Folder
from bench.sweep.session.endings import enter
from bench.sweep.session.runner import run
from tests.benchmarks import Figure
from tests.sweep.sweeping import folder_for, numbers_of_samples, started

KILLS, POINTS, SEED = 50, 30, 20261121
PLAN = {"workloads__isl": "16,24,32,40,48,56", "workloads__osl": "16", "loads__concurrency": "1,2,4,8,16"}
REQUESTS = 30
MOMENTS = 1.5
"""Kills come at any moment of this many times as long as a process takes to its first point's end."""


def measure() -> Iterator[Figure]:
    """Kills and resumes, then lets the sweep end; looks at the journal and at the samples after each kill."""
    draw = random.Random(SEED)
    found: Counter[str] = Counter()
    kept: dict[str, object] = {}
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as library, running(Settings(ttft_ms=4, itl_ms=1)) as url:
        folder = folder_for(Path(library), url, point__requests=str(REQUESTS), **PLAN)
        usual = seconds_of_a_point(folder)
        for _ in range(KILLS):
            process = started(folder)
            time.sleep(draw.uniform(0.0, MOMENTS * usual))
            found["killed while it ran"] += process.poll() is None
            process.kill()
            process.communicate()
            lines = {line.key: line for line, _ in folder.read.points}
            found["wrong in the library"] += in_library(Path(library)) != sorted(line.number for line in lines.values())
            found["points lost"] += sum(lines.get(key) != line for key, line in kept.items())
            found["points gained"] += len(lines) - len(kept)
            kept = dict(lines)
        done = run(folder)
        found["not done in the end"] += done.state != "done"
        check(folder, found)
        entered = enter(folder, Path(library))
        found["wrong in the library"] += entered != POINTS or in_library(Path(library)) != list(range(1, POINTS + 1))
    yield Figure("points of the journal lost or changed by 50 kills", found["points lost"], "", 0)
    yield Figure("points missing, doubled or strange in the end", found["wrong points"], "", 0)
    yield Figure("points whose raw samples do not match", found["wrong samples"], "", 0)
    yield Figure("looks at the library that missed or doubled a point", found["wrong in the library"], "", 0)
    yield Figure("sweeps that did not end well", found["not done in the end"], "", 0)
    yield Figure("kills that met a running sweep", found["killed while it ran"], "of 50")
    yield Figure("points measured between kills", found["points gained"], "of 30")
    yield Figure("all of it", time.perf_counter() - start, "s")


def in_library(path: Path) -> list[int]:
    """The numbers of the points that a library opened now shows."""
    library = Library.open(path, shipped=False)
    try:
        return sorted(int(place.split()[1]) for (place,) in library.fetch("SELECT locator FROM points"))
    finally:
        library.close()


def seconds_of_a_point(folder: Folder) -> float:
    """How long a process of this sweep takes to the end of its first point, on this machine as busy as it is."""
    begun = time.perf_counter()
    process = started(folder)
    while not folder.read.points:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    return time.perf_counter() - begun


def check(folder: Folder, found: Counter[str]) -> None:
    """Count what is not as if nothing had happened."""
    lines = [line for line, _ in folder.read.points]
    planned = Counter(point.key for point in folder.plan.points())
    measured = Counter(line.key for line in lines)
    found["wrong points"] += sum(((planned - measured) + (measured - planned)).values()) + (len(lines) != POINTS)
    held = numbers_of_samples(folder)
    expected = {f"{line.number}.parquet": line.requests_sent for line in lines}
    found["wrong samples"] += len(set(held.items()) ^ set(expected.items()))
    found["wrong samples"] += sum(line.requests_ok + line.requests_failed != REQUESTS for line in lines)
