"""Two thousand imports of one point each, one after the other: what they take, and what opening takes afterwards."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process

IMPORTS, STARTS = 2_000, 5
HEADER = "model,accelerator,accelerators,engine,isl,osl,concurrency,output_tokens_per_s,ttft_ms_p50,evidence,note"


def measure() -> Iterator[Figure]:
    """One process imports, fresh ones open."""
    with tempfile.TemporaryDirectory() as folder:
        library, files = Path(folder) / "library", Path(folder) / "files"
        write_files(files)
        with process("_importer", library, files) as importer:
            done = importer.ask("import")
        packs = len([path for path in (library / "points").glob("*.parquet") if path.name.count(".") == 1])
        opened = []
        for _ in range(STARTS):
            with process("_reader", library) as reader:
                opened.append(reader.ask("open"))
                points = reader.ask("count")["points"]
    if done["refused"] or points != IMPORTS:
        raise AssertionError(f"{IMPORTS} points were imported, {points} are seen, {done['refused']} were refused")
    yield Figure("2,000 one-point imports", done["s"], "s")
    yield Figure("one of them, mean", done["s"] / IMPORTS * 1000, "ms")
    yield Figure("one of them, p99", done["p99_s"] * 1000, "ms")
    yield Figure("packs that lie in the library afterwards", packs, "packs")
    yield Figure("peak memory of the importing process", done["peak_mb"], "MB")
    waited = statistics.median(row["open_s"] for row in opened)
    yield Figure("Library.open afterwards in a fresh process, median of 5", waited, "s", 2)
    waited = statistics.median(row["with_imports_s"] for row in opened)
    yield Figure("the same with its imports", waited, "s", 2)


def write_files(folder: Path) -> None:
    """Write one published table of one synthetic point in each file."""
    folder.mkdir()
    for number in range(IMPORTS):
        point = f"llama-3.1-8b,h100-sxm,1,vllm,1024,128,{number % 256 + 1},{100 + number},{20 + number % 7},measured"
        (folder / f"synthetic-{number:04}.csv").write_text(f"{HEADER}\n{point},synthetic\n")
