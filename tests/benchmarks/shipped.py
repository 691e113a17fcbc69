"""The shipped library: opening it in a fresh process, and every question's answer and chart on it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tests.benchmarks import Figure
from tests.benchmarks._process import process

STARTS = 5
WORDS = {
    "first_s": "first answer of a process",
    "again_s": "the same answer again",
    "figure_s": "its chart",
    "everything_s": "answer over all points, no filter",
}
GOALS = {"first_s": 0.3, "again_s": 0.3}


def measure() -> Iterator[Figure]:
    """Fresh processes open it and answer each question: the first time, then again."""
    opened, answered = [], []
    for _ in range(STARTS):
        with process("_answerer") as answerer:
            opened.append(answerer.ask("open"))
            answered.append(answerer.ask("answer"))
    points = opened[0]["points"]
    alone, imports = (statistics.median(row[key] for row in opened) for key in ("open_s", "with_imports_s"))
    yield Figure(f"Library.open of the shipped {points:,} points in a fresh process", alone, "s")
    yield Figure("the same with its imports", imports, "s")
    for name in answered[0]:
        figures = [row[name] for row in answered]
        for key, words in WORDS.items():
            waited = statistics.median(row[key] for row in figures)
            yield Figure(f"{name}: {words}, median of {STARTS}", waited, "s", GOALS.get(key))
