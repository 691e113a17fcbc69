"""SQL that people write: one SELECT, run by a process of its own, which is told the query and killed at its limits."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa

from bench.errors import QueryRefused
from bench.library.library import Library
from bench.library.user_sql.child import ROW_LIMIT, TOO_MUCH

TIME_LIMIT_S = 10.0
START_LIMIT_S = 20.0
"""A busy machine may take so long to begin; the query's own time is counted from then."""

TEXT_LIMIT = 100_000
TOLD_EVERY_S = 0.25
LONG_S, NICE = 1.0, 10
"""A query that takes this long may take every core until its limit; from here on it gives way."""

PROJECT = Path(__file__).resolve().parents[3]

TOO_DEEP = "DuckDB could not run this query; write it more simply."

Tell = Callable[[str], object]

__all__ = ["ROW_LIMIT", "Child", "QueryResult", "readable", "result_by", "run"]


@dataclass(frozen=True)
class QueryResult:
    """The rows of a query; `truncated` says that there were more than ROW_LIMIT rows or 64 MB."""

    table: pa.Table
    truncated: bool


class Child:
    """A process that has opened the library's folders, or is about to, and answers one query."""

    def __init__(self, library: Library) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.library.user_sql.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
        stdin, self._process.stdin = self._process.stdin, None  # `communicate` cannot be told in parts
        assert stdin is not None
        self._stdin = stdin
        self.end = weakref.finalize(self, _end, self._process, stdin)
        folders = [[str(path), own] for path, own in library.folders]
        self._write(json.dumps(folders).encode() + b"\n")

    @property
    def waits(self) -> bool:
        """Whether the process is still there to be asked."""
        return self._process.poll() is None

    def answer(self, request: bytes, limit_s: float, tell: Callable[[float], None]) -> tuple[bytes, int]:
        """What the process wrote and its exit status; TimeoutExpired when it takes longer than `limit_s`.

        `tell` is called every quarter of a second with the seconds gone; what it raises ends the process.
        """
        began = time.monotonic()
        # In a thread, because a pipe holds less than the longest query and its reader may still be starting.
        writer = threading.Thread(target=self._write, args=(request,), daemon=True)
        writer.start()
        try:
            while True:
                try:
                    answer, _ = self._process.communicate(timeout=TOLD_EVERY_S)
                    return answer, self._process.returncode
                except subprocess.TimeoutExpired:
                    gone = time.monotonic() - began
                if gone > limit_s:
                    raise subprocess.TimeoutExpired("the query", limit_s)
                if gone > LONG_S:
                    _give_way(self._process.pid)
                tell(gone)
        finally:
            self._process.kill()
            writer.join()
            self.end()

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has died: what it should have answered is missing then
            self._stdin.write(line)
            self._stdin.flush()


def _give_way(pid: int) -> None:
    """Let pages and measurements go before this process and each of its threads."""
    with contextlib.suppress(OSError):  # it has just ended
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), NICE)


def run(library: Library, sql: str) -> QueryResult:
    """The rows a person's SQL asks for; QueryRefused with one sentence when it is not run, fails or is stopped."""
    return result_by(Child(library), readable(sql))


def readable(sql: str) -> str:
    """The text when it can be a query at all; QueryRefused says why not."""
    if len(sql) > TEXT_LIMIT:
        raise QueryRefused(f"The query is longer than {TEXT_LIMIT:,} characters.")
    if "\0" in sql:
        raise QueryRefused("The query holds a NUL character; take it out.")
    try:
        sql.encode()
    except UnicodeEncodeError as problem:
        raise QueryRefused(
            f"Character {problem.start + 1} of the query is half a character (a lone surrogate); take it out."
        ) from problem
    return sql


def result_by(child: Child, sql: str, tell: Tell | None = None) -> QueryResult:
    """The rows by this process, which ends; `tell` hears every quarter of a second how long it has been running."""
    stopped = f"The query was stopped after {TIME_LIMIT_S:g} s; select less."

    def running(gone: float) -> None:
        if tell:
            tell(f"Running for {gone:.0f} s; a query is stopped after {TIME_LIMIT_S:g} s.")

    request = json.dumps({"sql": sql, "seconds": TIME_LIMIT_S}).encode() + b"\n"
    try:
        answer, status = child.answer(request, TIME_LIMIT_S + START_LIMIT_S, running)
    except subprocess.TimeoutExpired as problem:
        raise QueryRefused(stopped) from problem
    if status == -signal.SIGALRM:
        raise QueryRefused(stopped)
    if status == -signal.SIGSEGV:
        raise QueryRefused(TOO_DEEP)
    return _decoded(answer)


def _decoded(answer: bytes) -> QueryResult:
    head, _, body = answer.partition(b"\n")
    try:
        stated = json.loads(head)
    except ValueError as problem:
        raise QueryRefused(TOO_MUCH) from problem
    if "refused" in stated:
        raise QueryRefused(stated["refused"])
    try:
        with pa.ipc.open_stream(body) as stream:
            return QueryResult(stream.read_all(), truncated=stated["truncated"])
    except pa.ArrowException as problem:
        raise QueryRefused(TOO_MUCH) from problem


def _end(process: subprocess.Popen[bytes], stdin: IO[bytes]) -> None:
    """End the process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
