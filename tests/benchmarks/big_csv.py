"""A published CSV of 200 MB: its import against DuckDB's CREATE TABLE AS SELECT * FROM read_csv, and its memory."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process
from tests.benchmarks._synthetic import published_csv

MEGABYTES, ROUNDS = 200, 5
ROWS_AT_FIRST = 10_000


def measure() -> Iterator[Figure]:
    """In turns: one process imports the file, another makes a table of it in memory and on disk.

    Both processes are new each time and have loaded their modules before the clock starts.
    """
    imports, in_memory, on_disk = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "synthetic.csv"
        published_csv(file, ROWS_AT_FIRST, 0)
        rows = int(ROWS_AT_FIRST * MEGABYTES * 1e6 / file.stat().st_size)
        published_csv(file, rows, 0)
        for number in range(ROUNDS):
            with process("_importer", Path(folder) / f"library{number}", file) as importer:
                importer.ask("warm")
                imports.append(importer.ask("import"))
            with process("_bare_import", file, Path(folder) / "table.duckdb") as maker:
                in_memory.append(maker.ask("memory")["s"])
                on_disk.append(maker.ask("disk")["s"])
    if any(answer["points"] != rows for answer in imports):
        raise AssertionError(f"the file holds {rows} rows, but {imports} were imported")
    took = [answer["s"] for answer in imports]
    yield Figure(f"import of a 200 MB CSV of {rows:,} points, median of {ROUNDS}", statistics.median(took), "s")
    yield Figure("its rate", MEGABYTES / statistics.median(took), "MB/s")
    yield Figure(
        "its rate over CREATE TABLE AS SELECT * FROM read_csv, in memory",
        paired_rate(in_memory, took),
        "x",
        1 / 3,
        at_least=True,
    )
    yield Figure("its rate over the same in a database file", paired_rate(on_disk, took), "x")
    peak = max(answer["peak_mb"] for answer in imports)
    yield Figure("peak memory of the importing process, most of all rounds", peak, "MB", 1000)


def paired_rate(theirs: list[float], mine: list[float]) -> float:
    """The median, over the rounds, of our rate over theirs."""
    return statistics.median(other / own for other, own in zip(theirs, mine, strict=True))
