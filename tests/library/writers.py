"""What other processes do in the tests: they write to a library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.library import Library


def add_each(place: Path, files: Sequence[Path]) -> None:
    """Imports the files one by one, as so many commands would."""
    library = Library.open(place, shipped=False)
    for file in files:
        library.add([file])


def change_for_ever(place: Path, files: Sequence[Path]) -> None:
    """Imports, states facts and merges until it is killed."""
    while True:
        library = Library.open(place, shipped=False)
        for number, file in enumerate(files):
            report = library.add([file])
            held = [*report.imported, *report.already]
            library.set_facts(held[0].sha256, {"variant": f"round {number}"})
        library.close()
