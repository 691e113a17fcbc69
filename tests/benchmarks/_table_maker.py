"""A fresh process that makes a DuckDB table of a CSV file, in memory or in a database file."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import duckdb

from tests.benchmarks._process import answering

FILE, DATABASE = sys.argv[1:]


def table_made(where: str) -> dict[str, Any]:
    """Seconds of CREATE TABLE AS, closing the database included."""
    before = time.perf_counter()
    with duckdb.connect(where) as connection:
        connection.execute(f"CREATE TABLE points AS SELECT * FROM read_csv('{FILE}')")
    waited = time.perf_counter() - before
    if where == DATABASE:
        Path(DATABASE).unlink()
    return {"s": waited}


if __name__ == "__main__":
    answering({"memory": lambda: table_made(":memory:"), "disk": lambda: table_made(DATABASE)})
