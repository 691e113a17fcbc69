"""A sweep that has ended is read from a pack of the library, once no load is under way any more."""

from __future__ import annotations

from pathlib import Path

from bench.sweep.folder import Folder


def enter(folder: Folder, library: Path) -> int:
    """How many points of the sweep the library shows; it has shown them since each was finished.

    Raises:
        BenchError: the library cannot be written. Its readers then go on reading the journal itself.
    """
    from bench.library import Library

    if not folder.read.measured:
        return 0
    held = Library.open(library, shipped=False)
    try:
        held.settle()
        shown: int = held.fetch("SELECT count(*) FROM points WHERE source_id = ?", [folder.id])[0][0]
        return shown
    finally:
        held.close()
