"""A published CSV of 200 MB: its import against DuckDB's CREATE TABLE AS SELECT * FROM read_csv, and its memory."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from tests.benchmarks import Figure
from tests.benchmarks._process import process

MEGABYTES, ROUNDS = 200, 5
ROWS_AT_FIRST = 10_000


def measure() -> Iterator[Figure]:
    """In turns: one process imports the file, another makes a table of it in memory and on disk.

    Both processes are new each time and have loaded their modules before the clock starts.
    """
    imports, in_memory, on_disk = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "synthetic.csv"
        rows = write_csv(file)
        for number in range(ROUNDS):
            with process("_importer", Path(folder) / f"library{number}", file) as importer:
                importer.ask("warm")
                imports.append(importer.ask("import"))
            with process("_table_maker", file, Path(folder) / f"{number}.duckdb") as maker:
                in_memory.append(maker.ask("memory")["s"])
                on_disk.append(maker.ask("disk")["s"])
    if any(answer["points"] != rows for answer in imports):
        raise AssertionError(f"the file holds {rows} rows, but {imports} were imported")
    took = [answer["s"] for answer in imports]
    size = MEGABYTES / statistics.median(took)
    yield Figure(f"import of a 200 MB CSV of {rows:,} points, median of {ROUNDS}", statistics.median(took), "s")
    yield Figure("its rate", size, "MB/s")
    yield Figure(
        "its rate over CREATE TABLE AS SELECT * FROM read_csv, in memory",
        paired_rate(in_memory, took),
        "x",
        1 / 3,
        at_least=True,
    )
    yield Figure("its rate over the same in a database file", paired_rate(on_disk, took), "x")
    yield Figure(
        "peak memory of the importing process, most of all rounds",
        max(answer["peak_mb"] for answer in imports),
        "MB",
        1000,
    )


def paired_rate(theirs: list[float], mine: list[float]) -> float:
    """The median, over the rounds, of our rate over theirs."""
    return statistics.median(other / own for other, own in zip(theirs, mine, strict=True))


def write_csv(path: Path) -> int:
    """The rows of a CSV of 200 MB in the published format, written to `path`: 15 dimensions and 20 metrics."""
    copy_rows(path, ROWS_AT_FIRST)
    rows = int(ROWS_AT_FIRST * MEGABYTES * 1e6 / path.stat().st_size)
    copy_rows(path, rows)
    return rows


def copy_rows(path: Path, rows: int) -> None:
    """Write synthetic rows, the same ones each time, with made-up figures."""
    metrics = ", ".join(
        f"round({low} + {span} * (hash(i, {place}) % 1000003) / 1000003.0, 3) AS {key}"
        for place, (key, low, span) in enumerate(METRICS)
    )
    duckdb.connect().execute(f"COPY (SELECT {DIMENSIONS}, {metrics} FROM range({rows}) AS r(i)) TO '{path}' (HEADER)")


DIMENSIONS = """
['deepseek-r1', 'llama-3.1-8b', 'llama-3.1-70b', 'llama-3.1-405b', 'gpt-oss-120b'][1 + i // 5000 % 5] AS model,
['bf16', 'fp8', 'fp4'][1 + i // 500 % 3] AS precision, ['vllm', 'sglang'][1 + i // 1500 % 2] AS engine,
'0.' || i // 20000 % 9 || '.1' AS engine_version,
['h100-sxm', 'h200-sxm', 'b200-sxm', 'mi300x'][1 + i // 2500 % 4] AS accelerator,
1 << i // 100 % 5 AS accelerators, 1 << i // 100 % 5 AS tp, 128 << i // 10 % 8 AS isl, 64 << i // 80 % 7 AS osl,
1 << i % 10 AS concurrency, 'synthetic' AS harness, 'measured' AS evidence,
DATE '2025-01-01' + (i // 5000 % 600)::INTEGER AS date, 'https://example.org/synthetic' AS source_url,
'synthetic layout ' || i // 100 AS variant
"""

METRICS = (
    ("output_tokens_per_s", 100, 9000),
    ("total_tokens_per_s", 9200, 90000),
    ("requests_per_s", 1, 50),
    ("ttft_ms_mean", 20, 60),
    ("ttft_ms_p50", 20, 30),
    ("ttft_ms_p90", 50, 30),
    ("ttft_ms_p99", 80, 30),
    ("tpot_ms_mean", 5, 10),
    ("tpot_ms_p50", 5, 5),
    ("tpot_ms_p90", 10, 5),
    ("tpot_ms_p99", 15, 5),
    ("itl_ms_mean", 5, 10),
    ("itl_ms_p50", 5, 5),
    ("itl_ms_p99", 10, 5),
    ("e2el_ms_mean", 5000, 5000),
    ("e2el_ms_p50", 5000, 5000),
    ("e2el_ms_p99", 10000, 5000),
    ("duration_s", 60, 60),
    ("requests_ok", 1, 1000),
    ("power_w_per_accelerator", 300, 500),
)
"""Key, smallest value and span of each metric."""
