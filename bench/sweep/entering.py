"""A sweep's journal enters the library, as any result file does, once no load is under way any more."""

from __future__ import annotations

from pathlib import Path

from bench.errors import BenchError
from bench.sweep.facts import PRICE
from bench.sweep.folder import Folder

RESUMED = "The sweep was resumed, and its longer journal is in the library instead."


def enter(folder: Folder, library: Path) -> int:
    """How many points of the sweep the library holds now; a shorter journal of the same sweep is replaced.

    Raises:
        BenchError: the journal was not taken.
    """
    from bench.library import Library

    if not folder.read.points:
        return 0
    held = Library.open(library, shipped=False)
    try:
        price = folder.plan.facts.get(PRICE)
        report = held.add([folder.journal], {PRICE: price} if price is not None else {})
        if report.refused:
            raise BenchError(report.refused[0].reason)
        kept = {row.sha256 for row in report.imported} | {row.sha256 for row in report.already}
        rows = held.fetch(
            "SELECT source_id, count(*) FROM points WHERE source = ? GROUP BY ALL", [f"sweep-{folder.id}"]
        )
        for source_id, _ in rows:
            if source_id not in kept:
                held.purge(source_id, RESUMED)
        return sum(count for source_id, count in rows if source_id in kept)
    finally:
        held.close()
