"""A fresh process that imports files at once: itself, or as the app does."""

from __future__ import annotations

import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from bench.library import Library
from bench.library.importing.sandbox import take_in
from tests.benchmarks._process import answering, peak_megabytes

FOLDER, *FILES = (Path(text) for text in sys.argv[1:])


@cache
def opened() -> Library:
    """The library, opened once."""
    return Library.open(FOLDER, shipped=False)


def ready() -> dict[str, Any]:
    """The version of the library; it is open now."""
    return {"version": opened().version}


def warmed() -> dict[str, Any]:
    """Imports one row elsewhere, so that every module is loaded; the library is open."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "synthetic.csv"
        file.write_text("model,output_tokens_per_s\nsynthetic,1\n")
        report = Library.open(Path(folder) / "library", shipped=False).add([file])
    return {**ready(), "points": report.imported[0].points}


def imported() -> dict[str, Any]:
    """Imports the file: seconds, points, refused files, peak memory."""
    before = time.perf_counter()
    report = opened().add(FILES)
    waited = time.perf_counter() - before
    points = sum(row.points for row in report.imported)
    return {"s": waited, "points": points, "refused": len(report.refused), "peak_mb": peak_megabytes()}


def taken_in() -> dict[str, Any]:
    """Imports everything at once as the app does, by a process of its own: seconds, points, refused files."""
    before = time.perf_counter()
    report = take_in(opened(), FILES)
    waited = time.perf_counter() - before
    return {"s": waited, "points": sum(row.points for row in report.imported), "refused": len(report.refused)}


if __name__ == "__main__":
    answering({"ready": ready, "warm": warmed, "import": imported, "take in": taken_in})
