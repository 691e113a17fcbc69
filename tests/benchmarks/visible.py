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
    waits, whole = [], []
    with tempfile.TemporaryDirectory() as folder, process("_reader", library) as reader:
        reader.ask("open")
        for number in range(ROUNDS):
            file = published_csv(Path(folder) / f"{number}.csv", ROWS, number)
            points = reader.ask("count")["points"]
            with process("_importer", library, file) as importer:
                importer.ask("ready")
                start = time.perf_counter()
                importer.tell("import")
                while reader.ask("refresh")["points"] < points + ROWS:
                    time.sleep(PAUSE_S)
                waits.append(time.perf_counter() - start)
                whole.append(importer.answer()["s"])
    yield Figure(
        "import of 10,000 rows until another process sees them, median of 5", statistics.median(waits), "s"
    )
    yield Figure(
        "until the importing process is done, merging included, median of 5", statistics.median(whole), "s"
    )
