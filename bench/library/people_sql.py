"""SQL that people write: one SELECT, run by a child process that can read the packs, write nothing and be killed.

The index's own lock does not suffice: DELETE inside a CTE parses as SELECT, and one string can outgrow DuckDB's memory
limit. So the statement's type is checked and it runs in a read-only transaction; the child may grow by ROOM only once
the library is open, may write no file, sees no environment variable and ends after TIME_LIMIT_S, whatever it is doing.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from bench.errors import BenchError, QueryRefused
from bench.library.library import Library

TIME_LIMIT_S = 10.0
START_LIMIT_S = 20.0
"""A busy machine may take so long to begin; the query's own time is counted from then."""

ROW_LIMIT = 10_000
BYTE_LIMIT = 64 << 20
ROOM = 1 << 30
"""Bytes a query may take beyond what the opened library has reserved; a string may outgrow DuckDB's own limit."""

TEXT_LIMIT = 100_000
BATCH_ROWS = 2048
PROJECT = Path(__file__).resolve().parents[2]

TOO_MUCH = "The query needed more memory than a query may have; select less."
ONE_SELECT = "Only one SELECT statement can be run here"


@dataclass(frozen=True)
class Result:
    """The rows of a query; `truncated` says that there were more than ROW_LIMIT rows or BYTE_LIMIT bytes."""

    table: pa.Table
    truncated: bool


def run(library: Library, sql: str) -> Result:
    """The rows a person's SQL asks for; QueryRefused with one sentence when it is not run, fails or is stopped."""
    if len(sql) > TEXT_LIMIT:
        raise QueryRefused(f"The query is longer than {TEXT_LIMIT:,} characters.")
    folders = [[str(path), own] for path, own in library.folders]
    request = json.dumps({"folders": folders, "sql": sql, "seconds": TIME_LIMIT_S})
    too_long = f"The query was stopped after {TIME_LIMIT_S:g} s; select less."
    with subprocess.Popen(
        [sys.executable, "-m", "bench.library.people_sql"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=PROJECT,
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        start_new_session=True,
    ) as child:
        try:
            answer, _ = child.communicate(request.encode(), timeout=TIME_LIMIT_S + START_LIMIT_S)
        except subprocess.TimeoutExpired as problem:
            raise QueryRefused(too_long) from problem
        finally:
            child.kill()
    if child.returncode == -signal.SIGALRM:
        raise QueryRefused(too_long)
    return _decoded(answer)


def checked(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The statement when it is exactly one SELECT; QueryRefused otherwise."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as problem:
        raise QueryRefused(_said(problem)) from problem
    if not statements:
        raise QueryRefused(f"{ONE_SELECT}; this text holds none.")
    if len(statements) > 1:
        raise QueryRefused(f"{ONE_SELECT}; this text holds {len(statements)}.")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise QueryRefused(f"{ONE_SELECT}; this is {kind.name.replace('_', ' ')}.")
    return statements[0].query


def answered(
    folders: Sequence[tuple[str, bool]],
    sql: str,
    confine: Callable[[duckdb.DuckDBPyConnection], None] | None = None,
) -> tuple[pa.Table, bool]:
    """The rows and whether they were cut, in this very process; `confine` limits it once the library is open."""
    library = Library.of(tuple((Path(path), own) for path, own in folders))
    with contextlib.closing(library), library.cursor() as cursor:
        statement = checked(cursor, sql)
        if confine:
            confine(cursor)
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        try:
            return _limited(cursor.execute(statement).to_arrow_reader(BATCH_ROWS))
        except (duckdb.Error, pa.ArrowException) as problem:
            raise QueryRefused(_said(problem)) from problem


def _limited(reader: pa.RecordBatchReader) -> tuple[pa.Table, bool]:
    batches: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in reader:
        if rows + batch.num_rows > ROW_LIMIT or size + batch.nbytes > BYTE_LIMIT:
            if size + batch.nbytes <= BYTE_LIMIT:
                batches.append(batch.slice(0, ROW_LIMIT - rows))
            return pa.Table.from_batches(batches, reader.schema), True
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
    return pa.Table.from_batches(batches, reader.schema), False


def _decoded(answer: bytes) -> Result:
    head, _, body = answer.partition(b"\n")
    try:
        stated = json.loads(head)
    except ValueError as problem:
        raise QueryRefused(TOO_MUCH) from problem
    if "refused" in stated:
        raise QueryRefused(stated["refused"])
    with pa.ipc.open_stream(body) as stream:
        return Result(stream.read_all(), truncated=stated["truncated"])


def _said(problem: Exception) -> str:
    """What DuckDB says about a statement, without the excerpt of it."""
    if isinstance(problem, duckdb.OutOfMemoryException):
        return TOO_MUCH
    lines = itertools.takewhile(lambda line: not line.startswith("LINE "), str(problem).splitlines())
    return " ".join(line.strip() for line in lines if line.strip())[:500] or type(problem).__name__


def _limit_memory(cursor: duckdb.DuckDBPyConnection) -> None:
    """Nothing; this process may reserve ROOM more than now, all of DuckDB's threads running.

    The limit is on top of what is reserved because that grows with the machine's cores: an allocator's arenas and
    the threads' stacks are address space, not memory.
    """
    cursor.execute("SELECT count(*) FROM range(1_000_000)").fetchall()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _write_nothing() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Nothing; answers the request on stdin with one JSON line and, when it succeeded, an Arrow stream."""
    _write_nothing()
    request = json.loads(sys.stdin.buffer.read())
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    out = sys.stdout.buffer
    try:
        table, truncated = answered(request["folders"], request["sql"], _limit_memory)
    except BenchError as problem:
        out.write(json.dumps({"refused": str(problem)}).encode() + b"\n")
        return
    out.write(json.dumps({"truncated": truncated}).encode() + b"\n")
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)


if __name__ == "__main__":
    main()
