"""A process that answers with the code and the shipped library of any revision, whose folder it is told."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = sys.argv[1]
sys.path[:] = [ROOT, *(path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parents[2])]

from bench.errors import BenchError  # noqa: E402
from bench.library import Library  # noqa: E402 - of that revision
from bench.questions import questions  # noqa: E402
from bench.view import View  # noqa: E402


def main() -> None:
    """Answers each line with the seconds that the question and query it names takes to answer."""
    with tempfile.TemporaryDirectory() as own:
        library = Library.open(Path(own))
        library.fetch("SELECT count(*) FROM points")
        for line in sys.stdin:
            name = line.strip()
            told: dict[str, object] = {}
            if name == "names":
                told["names"] = list(questions())
            elif name == "forget":
                getattr(getattr(library, "remembered", None), "forget", lambda: None)()
            else:
                asked, _, query = name.partition("?")
                before = time.perf_counter()
                with contextlib.suppress(BenchError):
                    questions()[asked].answer(library, View.from_query(query))
                told["seconds"] = time.perf_counter() - before
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
