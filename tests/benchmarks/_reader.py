"""A fresh process that opens a library, asks two questions and notices a change."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

started = time.perf_counter()

from bench.library import Library  # noqa: E402 - the import is part of what is measured
from tests.benchmarks._process import answering, peak_megabytes  # noqa: E402

imported = time.perf_counter()
PATH = Path(sys.argv[1])
library: Library | None = None


def opened() -> dict[str, Any]:
    """Seconds of Library.open alone, with its imports, and of the processor alone."""
    global library
    before, used = time.perf_counter(), time.process_time()
    library = Library.open(PATH, shipped=False)
    waited = time.perf_counter() - before
    return {"open_s": waited, "with_imports_s": waited + imported - started, "cpu_s": time.process_time() - used}


def asked() -> dict[str, Any]:
    """The rows each question gives, the seconds of the first asking, the most memory so far."""
    from bench.questions import question
    from bench.view import View
    from tests.benchmarks._synthetic import QUESTIONS

    assert library is not None
    answer: dict[str, Any] = {"before_questions_mb": peak_megabytes()}
    for name in QUESTIONS:
        before = time.perf_counter()
        answer[f"{name}_rows"] = len(question(name).answer(library, View(whole=True)).rows)
        answer[f"{name}_first_s"] = time.perf_counter() - before
    return {**answer, "peak_mb": peak_megabytes()}


def counted() -> dict[str, Any]:
    """The points in sight."""
    assert library is not None
    return {"points": library.fetch("SELECT count(*) FROM points")[0][0], "peak_mb": peak_megabytes()}


def refreshed() -> dict[str, Any]:
    """Seconds of a refresh, whether it saw a change, and the points then in sight."""
    assert library is not None
    before = time.perf_counter()
    changed = library.refresh()
    waited = time.perf_counter() - before
    return {"refresh_s": waited, "changed": changed, **counted()}


def main() -> None:
    answering({"open": opened, "ask": asked, "count": counted, "refresh": refreshed})


if __name__ == "__main__":
    main()
