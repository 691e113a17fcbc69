"""From the order to import 10,000 rows in one process to their being seen in another, in a library of a million."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process
from tests.benchmarks._synthetic import library_of_a_million, published_csv

ROWS, ROUNDS, PAUSE_S = 10_000, 5, 0.02


def measure() -> Iterator[Figure]:
    """Fresh processes import, one that stays open looks again and again."""
    library = library_of_a_million()
    with tempfile.TemporaryDirectory() as folder:
        in_process = [shown(library, Path(folder) / f"{number}.csv", number, "import") for number in range(ROUNDS)]
        by_child = [
            shown(library, Path(folder) / f"{number}.csv", number, "take in") for number in range(ROUNDS, 2 * ROUNDS)
        ]
    what = "import of 10,000 rows until another process sees them"
    yield Figure(f"{what}, median of 5", statistics.median(wait for wait, _ in in_process), "s")
    yield Figure(
        "until the importing process is done, merging included, median of 5",
        statistics.median(whole for _, whole in in_process),
        "s",
    )
    yield Figure(f"{what}, as the app imports, median of 5", statistics.median(wait for wait, _ in by_child), "s", 3)
    yield Figure("until that is done, median of 5", statistics.median(whole for _, whole in by_child), "s")


def shown(library: Path, file: Path, number: int, how: str) -> tuple[float, float]:
    """The seconds from the order to import a new file until a reader sees it, and until the importer is done."""
    published_csv(file, ROWS, number)
    with process("_reader", library) as reader, process("_importer", library, file) as importer:
        reader.ask("open")
        points = reader.ask("count")["points"]
        importer.ask("ready")
        start = time.perf_counter()
        importer.tell(how)
        while reader.ask("refresh")["points"] < points + ROWS:
            time.sleep(PAUSE_S)
        return time.perf_counter() - start, importer.answer()["s"]
