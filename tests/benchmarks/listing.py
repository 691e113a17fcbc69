"""The table of points on the Data page in a library of a million: its pages, however searched and sorted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from bench.holdings import data_link, listing
from bench.library import Library
from bench.view import View
from tests.benchmarks import Figure
from tests.benchmarks._synthetic import library_of_a_million

ROUNDS = 5
ASKED: dict[str, tuple[dict[str, list[str]], dict[str, str]]] = {
    "first page": ({}, {}),
    "sorted by a metric": ({}, {"sort": "-output_tokens_per_s"}),
    "two words searched": ({}, {"search": "llama sglang"}),
    "filtered, sorted, page 50": ({"model": ["deepseek-r1"]}, {"sort": "ttft_ms_p50", "page": "50"}),
}


def measure() -> Iterator[Figure]:
    """One page of a hundred rows, from the View to the data frame."""
    library = Library.open(library_of_a_million())
    for name, (where, options) in ASKED.items():
        view = data_link.complete(View.of(where, {"tab": "points", **options}))
        listing.points(library, view)
        yield Figure(f"points as a table, {name}, median of 5", statistics.median(timed(library, view)), "s")
    library.close()


def timed(library: Library, view: View) -> list[float]:
    """The seconds of each round."""
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        listing.points(library, view)
        took.append(time.perf_counter() - start)
    return took
