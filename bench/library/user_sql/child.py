"""The process that answers one person's query and ends: it reads the packs, writes nothing and can be killed.

It opens the library before it is asked, waits, and looks for what has changed when the query comes, so that nobody
waits for a start. The index's own lock does not suffice: one string can outgrow DuckDB's memory limit. So the statement
is checked and runs in a read-only transaction; the process may grow by ROOM only once the library is open, may write no
file, sees no environment variable and ends after the time it is given, whatever it is doing.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import select
import signal
import sys
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from bench import catalogue
from bench.errors import BenchError, QueryRefused
from bench.library.columns import quoted
from bench.library.library import Library
from bench.library.user_sql.grammar import checked, said
from bench.workers import limit_memory

ROW_LIMIT = 10_000
BYTE_LIMIT = 64 << 20
ROOM = 1 << 30
"""Bytes a query may take beyond what the opened library has reserved; a string may outgrow DuckDB's own limit."""

BATCH_ROWS = 2048
IDLE_S = 900.0
"""A process nobody asks gives its memory back."""

WORD, TEXT = re.compile(r"[a-z]\w+"), re.compile(r"'(?:[^']|'')*'")
TIME_WITH_OFFSET = "TIME WITH TIME ZONE"
TOO_MUCH = "The query needed more memory than a query may have; select less."
GONE = "A file of the library was replaced while the query read it; run it again."


def answered(library: Library, sql: str, *, confined: bool = False) -> tuple[pa.Table, bool]:
    """The rows and whether they were cut, in this very process, which is limited from here on when `confined`."""
    with library.cursor() as cursor:
        statement = checked(cursor, sql)
        _know_every_metric(library, cursor, statement)
        if confined:
            limit_memory(cursor, ROOM)
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        try:
            return _limited(cursor.sql(statement))
        except duckdb.OutOfMemoryException as problem:
            raise QueryRefused(TOO_MUCH) from problem
        except duckdb.IOException as problem:
            raise QueryRefused(GONE) from problem
        except (duckdb.BinderException, duckdb.CatalogException) as problem:
            raise QueryRefused(said(_placed(library, statement) or problem)) from problem
        except OSError as problem:
            raise QueryRefused(_without_paths(library, _as_rows_came(str(problem)))) from problem
        except (duckdb.Error, pa.ArrowException, UnicodeError) as problem:
            raise QueryRefused(_without_paths(library, said(problem))) from problem


def _know_every_metric(library: Library, cursor: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Let the cursor read NULL for the catalogue's metrics that the statement names and no point of this library has.

    A query then runs on every library; others' columns stay out of a SELECT *.
    """
    named = {word for word in WORD.findall(TEXT.sub("", statement.lower())) if catalogue.is_metric(word)}
    if absent := sorted(key for key in named if not library.has(key)):
        columns = ", ".join(f"NULL::DOUBLE AS {quoted(key)}" for key in absent)
        cursor.execute(f"CREATE TEMP VIEW points AS SELECT *, {columns} FROM memory.main.points")


def _placed(library: Library, statement: str) -> duckdb.Error | None:
    """What is wrong with the statement, with its line, which DuckDB tells of a statement and not of a relation."""
    with library.cursor() as apart:
        _know_every_metric(library, apart, statement)
        try:
            apart.execute(f"PREPARE asked AS {statement}")
        except duckdb.Error as problem:
            return problem
    return None


def _as_rows_came(told: str) -> str:
    """What DuckDB told Arrow, which makes an error of files of it, whatever it is."""
    known = {"Out of Memory Error": TOO_MUCH, "IO Error": GONE}
    return next((why for kind, why in known.items() if told.startswith(kind)), said(OSError(told)))


def _without_paths(library: Library, sentence: str) -> str:
    for root in library.roots:
        sentence = sentence.replace(str(root.path), "the library")
    return sentence


def _with_offsets(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The rows with each time of day that has an offset as text, in lists and structs too, since Arrow's has none."""
    types = [str(type_) for type_ in rows.types]
    if not any(TIME_WITH_OFFSET in type_ for type_ in types):
        return rows
    columns = [
        f"CAST(#{place} AS {type_.replace(TIME_WITH_OFFSET, 'VARCHAR')})" if TIME_WITH_OFFSET in type_ else f"#{place}"
        for place, type_ in enumerate(types, start=1)
    ]
    names = (name.replace('"', '""') for name in rows.columns)
    return rows.project(", ".join(f'{column} AS "{name}"' for column, name in zip(columns, names, strict=True)))


def _limited(rows: duckdb.DuckDBPyRelation) -> tuple[pa.Table, bool]:
    reader = _with_offsets(rows).to_arrow_reader(BATCH_ROWS)
    batches: list[pa.RecordBatch] = []
    count = size = 0
    cut = False
    for batch in reader:
        cut = count + batch.num_rows > ROW_LIMIT or size + batch.nbytes > BYTE_LIMIT
        if cut and size + batch.nbytes <= BYTE_LIMIT:
            batches.append(batch.slice(0, ROW_LIMIT - count))
        if cut:
            break
        batches.append(batch)
        count, size = count + batch.num_rows, size + batch.nbytes
    table = pa.Table.from_batches(batches, reader.schema)
    return table.rename_columns(_each_once(table.column_names)), cut


def _each_once(names: Sequence[str]) -> list[str]:
    """The names with a number behind those that came before: a column is known by its name."""
    unique: list[str] = []
    for name in names:
        number, fresh = 1, name
        while fresh in unique:
            number += 1
            fresh = f"{name}_{number}"
        unique.append(fresh)
    return unique


def _request(library: Library | None) -> dict[str, Any] | None:
    """The request, once it comes; None when nobody will ask any more.

    Who has to wait makes the table of points meanwhile, as an index does at the first query.
    """
    if library is not None and not _comes(0):
        library.fetch("SELECT count(*) FROM points")
    if not _comes(IDLE_S):
        return None
    line = sys.stdin.buffer.readline()
    return json.loads(line) if line else None


def _comes(within_s: float) -> bool:
    return bool(select.select([sys.stdin.buffer], [], [], within_s)[0])


def main() -> None:
    """Open the folders of the first line of stdin and answer the request of the second.

    The answer on stdout is one JSON line and, when there are rows, an Arrow stream.
    """
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with io.FileIO(sys.stdin.fileno(), closefd=False) as unbuffered:  # the request must not be read with it
        folders = json.loads(unbuffered.readline())
    out = sys.stdout.buffer
    library: Library | None = None
    refusal = ""
    try:
        library = Library.of(folders)
    except BenchError as problem:
        refusal = str(problem)
    request = _request(library)
    if request is None:
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    try:
        if library is None:
            raise QueryRefused(refusal)
        library.refresh()
        table, truncated = answered(library, request["sql"], confined=True)
        out.write(json.dumps({"truncated": truncated}).encode() + b"\n")
        with pa.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
    except BenchError as problem:
        out.write(json.dumps({"refused": str(problem)}).encode() + b"\n")
    out.flush()
    os._exit(0)  # taking everything down in order would take 50 ms, which the reader waits for


if __name__ == "__main__":
    main()
