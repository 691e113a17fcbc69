"""What other processes do in the tests: they write to a library."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from multiprocessing.queues import Queue
from pathlib import Path

from bench.library import Library, merging
from bench.library.importing.sandbox import take_in


def add_each(place: Path, files: Sequence[Path]) -> None:
    """Imports the files one by one, as so many commands would."""
    library = Library.open(place, shipped=False)
    for file in files:
        library.add([file])


def take_in_each(place: Path, files: Sequence[Path]) -> None:
    """Imports the files one by one as the app does, each by a process of its own."""
    library = Library.open(place, shipped=False)
    for file in files:
        take_in(library, [file])


def importing() -> list[int]:
    """The processes that import for this one and have not ended."""
    started = [child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()]
    return [int(child) for child in started if b"sandbox_child" in Path(f"/proc/{child}/cmdline").read_bytes()]


def signalled(number: int) -> None:
    """Sends a signal to the processes that import for this one."""
    for child in importing():
        os.kill(child, number)


def churn(place: Path, own: Sequence[Path], seed: int, told: Queue[str]) -> None:
    """Imports, states facts, purges, rebuilds and merges small packs at once; tells what went wrong."""
    merging.FAN, merging.GRACE_S = 3, 0.1
    chance, library = random.Random(seed), Library.open(place, shipped=False)
    for number, file in enumerate(own):
        try:
            report = library.add([file])
            for refusal in report.refused:
                told.put(f"{file.name} was refused: {refusal.reason}")
            if number % 4 == 3:
                for source_id, reason in library.rebuild().unread.items():
                    told.put(f"{source_id} was not read: {reason}")
            mine = report.imported[0].sha256
            if chance.random() < 0.3:
                library.purge(mine, "enough of it")
            elif chance.random() < 0.5:
                library.set_facts(mine, {"variant": f"round {number}"})
        except Exception as problem:  # whatever it is, the test is to say it
            told.put(f"{type(problem).__name__}: {problem}")
