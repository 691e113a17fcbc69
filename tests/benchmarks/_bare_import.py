"""A fresh process that reads a file as barely as can be: orjson's parse, or a DuckDB table in memory or on disk."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import orjson

from tests.benchmarks._process import answering

FILE, DATABASE = (Path(text) for text in sys.argv[1:])


def parsed() -> dict[str, Any]:
    """Seconds from opening a JSON file, or one of JSON lines, to its last value; nothing is kept."""
    before = time.perf_counter()
    with FILE.open("rb") as stream:
        for text in stream if FILE.suffix == ".jsonl" else [stream.read()]:
            orjson.loads(text)
    return {"s": time.perf_counter() - before}


def table_made(where: str) -> dict[str, Any]:
    """Seconds of CREATE TABLE AS, closing the database included."""
    before = time.perf_counter()
    with duckdb.connect(where) as connection:
        connection.execute(f"CREATE TABLE points AS SELECT * FROM read_csv('{FILE}')")
    waited = time.perf_counter() - before
    DATABASE.unlink(missing_ok=True)
    return {"s": waited}


if __name__ == "__main__":
    answering({"parse": parsed, "memory": lambda: table_made(":memory:"), "disk": lambda: table_made(str(DATABASE))})
