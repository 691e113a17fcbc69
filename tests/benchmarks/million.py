"""A million points in 200 packs: opening, two questions against bare DuckDB, another process's import, memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.library import Library
from tests.benchmarks import Figure, seconds
from tests.benchmarks._bare import Bare, recorded, run
from tests.benchmarks._process import ROOT, process
from tests.benchmarks._synthetic import library_of_a_million, published_csv
from tests.benchmarks._views import QUESTIONS, VIEWS

STARTS, ROUNDS, IMPORTS = 5, 11, 5
DECIDE = ("scaling", "crossover", "cost")
"""The questions whose whole answer must come within a second."""

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
    yield Figure(
        "Library.open in a fresh process, imports not counted, median of 5", middle["open_s"], "s", 0.5
    )
    yield Figure("processor time of it", middle["cpu_s"], "s")
    yield Figure(
        "Library.open in a fresh process with its imports, median of 5", middle["with_imports_s"], "s"
    )


def against_bare(folder: Path) -> Iterator[Figure]:
    """What each question's rows take, against the same SQL over read_parquet of the list of files, in turns."""
    library = Library.open(folder, shipped=False)
    bare = Bare(library, folder)
    for name, view in VIEWS.items():
        question = QUESTIONS[name]
        statements = recorded(
            library, lambda recorder, question=question, view=view: question.rows(recorder, view)
        )
        pairs = in_turns(
            lambda question=question, view=view: question.rows(library, view),
            lambda statements=statements: run(bare, statements),
        )
        mine = statistics.median(own for own, _ in pairs)
        ratio = statistics.median(own / other for own, other in pairs)
        yield Figure(f"{name} rows of a million points, median of {ROUNDS}", mine, "s")
        yield Figure(f"{name} rows over the same SQL on bare read_parquet(list), median", ratio, "x", 1.5)
    for name in DECIDE:
        question, view = QUESTIONS[name], VIEWS[name]
        question.answer(library, view)
        waits = [
            seconds(lambda question=question, view=view: question.answer(library, view)) for _ in range(5)
        ]
        yield Figure(f"{name}: its whole answer, median of 5", statistics.median(waits), "s", 1)
    library.close()


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
    yield Figure("refresh after another process imported 1,000 points, median of 5", statistics.median(waits) * 1000,
                 "ms", 200)  # fmt: skip
    yield Figure("refresh after another process imported 1,000 points, slowest of 5", max(waits) * 1000, "ms")
    yield Figure("peak memory after both questions and the refreshes", peak, "MB", 700)
    yield Figure("peak memory before the first question", seen["before_questions_mb"], "MB")


def imported_by_another(folder: Path, file: Path) -> None:
    """Nothing; another process has imported the file when this returns."""
    code = (
        "import sys; from pathlib import Path; from bench.library import Library;"
        "report = Library.open(Path(sys.argv[1]), shipped=False).add([sys.argv[2]]);"
        "sys.exit(len(report.imported) != 1)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder), str(file)], cwd=ROOT, check=True)
