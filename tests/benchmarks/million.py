"""A million points in 200 packs: opening, two questions against bare DuckDB, another process's import, memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.library import Library
from bench.library.query_cache import CachedResults
from bench.questions import Answer, question, questions
from bench.view import View
from tests.benchmarks import Figure, seconds
from tests.benchmarks._bare import Bare, recorded, run
from tests.benchmarks._process import ROOT, process
from tests.benchmarks._synthetic import QUESTIONS, library_of_a_million, published_csv

STARTS, ROUNDS, IMPORTS = 5, 11, 5
WITH_VARIATIONS_S = 1.5
"""Within this an answer and its variations must come."""

NEW_POINTS = 1_000


def measure() -> Iterator[Figure]:
    """Fresh processes open it; one process pairs each question with the same SQL over bare files."""
    folder = library_of_a_million()
    yield from opening(folder)
    yield from against_bare(folder)
    yield from noticing(folder)


def opening(folder: Path) -> Iterator[Figure]:
    """How long a fresh process takes to open the library."""
    answers = []
    for _ in range(STARTS):
        with process("_reader", folder) as reader:
            answers.append(reader.ask("open"))
    middle = {key: statistics.median(row[key] for row in answers) for key in answers[0]}
    yield Figure("Library.open in a fresh process, imports not counted, median of 5", middle["open_s"], "s", 0.5)
    yield Figure("processor time of it", middle["cpu_s"], "s")
    yield Figure("Library.open in a fresh process with its imports, median of 5", middle["with_imports_s"], "s")


def against_bare(folder: Path) -> Iterator[Figure]:
    """The queries of each answer through the library and over bare read_parquet, in turns; then the answers whole."""
    library = Library.open(folder, shipped=False)
    bare = Bare(library, folder)
    for name in QUESTIONS:
        asked = question(name)
        forget(library)
        statements = recorded(library, lambda recorder, asked=asked: asked.answer(recorder, View(whole=True)))
        pairs = in_turns(
            lambda statements=statements: (forget(library), run(library, statements)),
            lambda statements=statements: run(bare, statements),
        )
        mine = statistics.median(own for own, _ in pairs)
        ratio = statistics.median(own / other for own, other in pairs)
        yield Figure(f"{name}: queries of its answer over a million points, median of {ROUNDS}", mine, "s")
        yield Figure(f"{name}: the same over bare read_parquet(list), median", ratio, "x", 1.5)
    for name in questions():
        told = [answered(library, name) for _ in range(5)]
        alone, varied = (statistics.median(times) for times in zip(*told, strict=True))
        yield Figure(f"{name}: its whole answer, nothing chosen, median of 5", alone, "s")
        yield Figure(f"{name}: its answer and the variations of it, median of 5", varied, "s", WITH_VARIATIONS_S)
    library.close()


def forget(library: Library) -> None:
    """Have every query run anew."""
    library.remembered = CachedResults()


def answered(library: Library, name: str) -> tuple[float, float]:
    """The seconds of an answer to nothing chosen, and of the same with its variations; nothing is remembered before."""
    forget(library)
    told: list[Answer[Any]] = []
    alone = seconds(lambda: told.append(question(name).answer(library, View())))
    return alone, alone + seconds(lambda: question(name).robustness(library, told[0].view))


def in_turns(first: Callable[[], object], second: Callable[[], object]) -> list[tuple[float, float]]:
    """The seconds of both calls in each round, after one round to warm them; who begins changes."""
    first(), second()
    pairs = []
    for number in range(ROUNDS):
        if number % 2:
            other = seconds(second)
            pairs.append((seconds(first), other))
        else:
            pairs.append((seconds(first), seconds(second)))
    return pairs


def noticing(folder: Path) -> Iterator[Figure]:
    """What a process that has answered both questions needs to see a file that another process imported."""
    waits = []
    with process("_reader", folder) as reader, tempfile.TemporaryDirectory() as files:
        reader.ask("open")
        seen = reader.ask("ask")
        points = reader.ask("count")["points"]
        for number in range(IMPORTS):
            file = published_csv(Path(files) / f"new-{number}.csv", NEW_POINTS, number)
            imported_by_another(folder, file)
            answer = reader.ask("refresh")
            points += NEW_POINTS
            if not answer["changed"] or answer["points"] != points:
                raise AssertionError(f"the new points are not seen: {answer}, expected {points}")
            waits.append(answer["refresh_s"])
        peak = reader.ask("count")["peak_mb"]
    yield Figure(
        "refresh after another process imported 1,000 points, median of 5", statistics.median(waits) * 1000, "ms", 200
    )
    yield Figure("refresh after another process imported 1,000 points, slowest of 5", max(waits) * 1000, "ms")
    yield Figure("peak memory after both questions and the refreshes", peak, "MB", 700)
    yield Figure("peak memory before the first question", seen["before_questions_mb"], "MB")


def imported_by_another(folder: Path, file: Path) -> None:
    """Have another process import the file; it has when this returns."""
    code = (
        "import sys; from pathlib import Path; from bench.library import Library;"
        "report = Library.open(Path(sys.argv[1]), shipped=False).add([sys.argv[2]]);"
        "sys.exit(len(report.imported) != 1)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder), str(file)], cwd=ROOT, check=True)
