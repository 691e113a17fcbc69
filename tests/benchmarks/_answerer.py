"""A fresh process that answers every question on the shipped library, each as a reader meets it first."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

started = time.perf_counter()

from bench.library import Library  # noqa: E402 - the import is part of what is measured
from tests.benchmarks._process import answering  # noqa: E402

imported = time.perf_counter()


@cache
def library() -> Library:
    """The shipped library and nothing of the reader's own."""
    return Library.open(Path(tempfile.gettempdir()) / "does-not-exist")


def opened() -> dict[str, Any]:
    """Seconds of Library.open alone, and with its imports, and the points then there."""
    took = timed(library)[0]
    points = library().fetch("SELECT count(*) FROM points")[0][0]
    return {"open_s": took, "with_imports_s": took + imported - started, "points": points}


def answered() -> dict[str, Any]:
    """For each question the seconds of its first answer, the same again, its chart, and one without filters."""
    from bench.chart import LIGHT
    from bench.questions import questions
    from bench.view import View

    found = {}
    for name, question in questions().items():
        first, answer = timed(lambda question=question: question.answer(library(), View()))
        again, _ = timed(lambda question=question: question.answer(library(), View()))
        everything, _ = timed(lambda question=question: question.answer(library(), View(whole=True)))
        drawn, _ = timed(lambda question=question, answer=answer: question.figure(answer.result, LIGHT))
        found[name] = {"first_s": first, "again_s": again, "figure_s": drawn, "everything_s": everything}
    return found


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of a call and what it returned."""
    before = time.perf_counter()
    value = call()
    return time.perf_counter() - before, value


if __name__ == "__main__":
    answering({"open": opened, "answer": answered})
