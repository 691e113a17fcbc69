"""What other processes do in the tests: they write to a library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bench.library import Library
from bench.library.intake import take_in


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


def take_in_at_once(place: Path, files: Sequence[Path]) -> None:
    """Imports the files together as the app does."""
    take_in(Library.open(place, shipped=False), files)


def importing() -> list[int]:
    """The processes that import for this one and have not ended."""
    started = [
        child
        for task in Path("/proc/self/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [int(child) for child in started if b"intake_child" in Path(f"/proc/{child}/cmdline").read_bytes()]


def signalled(number: int) -> None:
    """Sends a signal to the processes that import for this one."""
    for child in importing():
        os.kill(child, number)


def change_for_ever(place: Path, files: Sequence[Path]) -> None:
    """Imports, states facts and merges until it is killed."""
    while True:
        library = Library.open(place, shipped=False)
        for number, file in enumerate(files):
            report = library.add([file])
            held = [*report.imported, *report.already]
            library.set_facts(held[0].sha256, {"variant": f"round {number}"})
        library.close()
