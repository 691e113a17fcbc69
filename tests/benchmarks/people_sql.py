"""People's SQL on the shipped library: a group-by with its process, one that waited ready and one started for it."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.access import Visitor
from bench.library import Library
from bench.library.user_sql import query
from bench.library.user_sql.query import QueryDesk
from tests.benchmarks import Figure, seconds

ROUNDS = 9
READY_S = 2.0
"""Longer than a process takes to be ready."""

SQL = "SELECT accelerator, count(*) AS n, max(output_tokens_per_s) AS most FROM points GROUP BY 1 ORDER BY 2 DESC"


def measure() -> Iterator[Figure]:
    """The seconds from handing a query in to its rows; the median of nine."""
    visitor = Visitor.at_the_shell()
    with tempfile.TemporaryDirectory() as folder:
        library = Library.open(Path(folder) / "library")
        desk = QueryDesk(library)
        waited = []
        for _ in range(ROUNDS):
            desk.prepare(visitor)
            time.sleep(READY_S)
            waited.append(seconds(lambda: desk.run(SQL, visitor)))
        started = [seconds(lambda: query.run(library, SQL)) for _ in range(ROUNDS)]
        desk.close()
        library.close()
    yield Figure("SQL round trip of a group-by, a process waiting ready", statistics.median(waited) * 1000, "ms", 500)
    yield Figure("the same with a process started for it", statistics.median(started) * 1000, "ms")
