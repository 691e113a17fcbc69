"""Which files of an import stand instead of files that were imported before, in sentences."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from bench.library.library import Library
from bench.library.report import ImportReport
from bench.wording import joined


def sentences(
    report: ImportReport, library: Library, *, dry_run: bool, shown: Callable[[str], str] = str
) -> list[str]:
    """A sentence for each such file: "run.json: newer version of run.json, imported today; will replace it."."""
    told = []
    for row in report.imported:
        older = [words for id in row.instead_of if (words := _file(library, id))]
        if row.instead_of:
            what = joined(older, at_most=3) or "another file of this import"
            verb = "will replace" if dry_run else "replaces"
            told.append(
                f"{shown(row.file)}: newer version of {what}; {verb} {'it' if len(row.instead_of) == 1 else 'them'}."
            )
    return told


def _file(library: Library, source_id: str) -> str:
    """The name of a source's file and when it was imported; "" for one that this import brought itself."""
    held = library.file_of(source_id)
    if held is None:
        return ""
    name, day = held[0], held[1][:10]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"{name}, imported {'today' if day == today else f'on {day}'}"
