"""How the shipped library is made: one recipe for each source, from its transcription to published tables.

A recipe is a module of this folder: a pure function of the files in data/transcriptions. It defines
`tables() -> tuple[Table, ...]`, or `kept() -> tuple[Kept, ...]` for files that ship as they were written.
`python -m data.recipes` rebuilds data/library from all of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def recipes() -> Iterator[ModuleType]:
    """Every recipe of this folder, by name."""
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        module = importlib.import_module(f"{__name__}.{found.name}") if found.name != "__main__" else None
        if module is not None and (hasattr(module, "tables") or hasattr(module, "kept")):
            yield module
