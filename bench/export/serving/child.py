"""The process that writes one file of points for a server's reader and ends: what it takes, the pages do not lack."""

from __future__ import annotations

import json
import os
import signal
import sys

from bench.errors import BenchError, UsageError
from bench.export import format_named
from bench.library import Library
from bench.view import View
from bench.workers import limit_memory

ROOM = 2 << 30
"""Bytes a file may take to be made, beyond what the opened library takes."""
NICE = 5
REFUSED = 3
TOO_MUCH = "The file needs more memory than an export may have: narrow the selection."


def main() -> int:
    """The exit status; the file, or with REFUSED a JSON object that says why there is none, goes to stdout."""
    request = json.loads(sys.stdin.buffer.readline())
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    os.nice(NICE)
    try:
        library = Library.of(request["folders"])
        with library.cursor() as cursor:
            limit_memory(cursor, ROOM)
        content = format_named(request["format"]).write(library, View.from_query(request["query"]))
    except BenchError as problem:
        return _refused(str(problem), isinstance(problem, UsageError))
    except MemoryError:
        return _refused(TOO_MUCH, usage=True)
    sys.stdout.buffer.write(content)
    return 0


def _refused(why: str, usage: bool) -> int:
    sys.stdout.buffer.write(json.dumps({"why": why, "usage": usage}).encode())
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
