"""A process that answers with the code and the shipped library of any revision, whose folder it is told."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = sys.argv[1]
sys.path[:] = [ROOT, *(path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parents[2])]

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
            if name == "names":
                told: dict[str, object] = {"names": list(questions())}
            else:
                forget = getattr(getattr(library, "remembered", None), "forget", None)
                if forget is not None:
                    forget()
                asked, _, query = name.partition("?")
                before = time.perf_counter()
                questions()[asked].answer(library, View.from_query(query))
                told = {"seconds": time.perf_counter() - before}
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
