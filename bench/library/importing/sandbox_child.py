"""The process that imports for the app: confined, told what to take in on stdin, telling on stdout how far it is."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from bench.errors import BenchError
from bench.library import Library
from bench.workers import limit_memory

ROOM = 3 << 29
"""Bytes of address space beyond the opened library's; the memory in use is watched from outside."""


def main() -> None:
    """Answer with a line for each file before it is opened, and a last one with the report or the problem."""
    request = json.loads(sys.stdin.buffer.readline())
    try:
        library = Library.of(request["folders"])
        with library.cursor() as cursor:
            limit_memory(cursor, ROOM)
        os.chdir(request["below"])
        report = library.add(
            request["paths"],
            facts_of=request["facts_of"],
            dry_run=request["dry_run"],
            force=request["force"],
            who=request["who"],
            refuse=request["refuse"],
            progress=lambda done, of, file: _say({"done": done, "of": of, "file": file}),
        )
        _say({"report": report.document()})
    except BenchError as problem:
        _say({"problem": str(problem)})


def _say(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
