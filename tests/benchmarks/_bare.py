"""What the library adds to DuckDB: the same SQL, once through the library and once over a bare read_parquet(list)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from bench import catalogue
from bench.library import Library
from bench.library.columns import IDENTITY, literal, quoted
from bench.library.newest_runs import SET_ASIDE


@dataclass(frozen=True)
class Statement:
    """One query a question ran: its SQL, what was bound in it, and whether a data frame was asked for."""

    sql: str
    params: Sequence[object]
    frame: bool


class Recorder:
    """A library that remembers the SQL it was asked."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.statements: list[Statement] = []

    def query(self, sql: str, params: Sequence[object] = ()) -> Any:
        self.statements.append(Statement(sql, params, frame=True))
        return self._library.query(sql, params)

    def fetch(self, sql: str, params: Sequence[object] = ()) -> Any:
        self.statements.append(Statement(sql, params, frame=False))
        return self._library.fetch(sql, params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


def recorded(library: Library, call: Callable[[Any], object]) -> list[Statement]:
    """The statements over points that a call runs; those over small tables are left out."""
    recorder = Recorder(library)
    call(recorder)
    return [statement for statement in recorder.statements if "FROM points" in statement.sql]


def run(run_one: Any, statements: Sequence[Statement]) -> None:
    """Run the statements through an object with `query` and `fetch`."""
    for statement in statements:
        (run_one.query if statement.frame else run_one.fetch)(statement.sql, statement.params)


class Bare:
    """DuckDB as it comes, with `points` a view over read_parquet of the library's files and the derived columns."""

    def __init__(self, library: Library, folder: Path) -> None:
        files = ", ".join(literal(str(path)) for path in sorted(folder.glob("points/*.parquet")) if _is_pack(path))
        stored = library.metric_columns()
        derived = catalogue.derivable(stored | IDENTITY.keys())
        columns = [quoted(name) for name in (*IDENTITY, *sorted(stored - derived.keys()))]
        for key, sql in derived.items():
            value = f"coalesce({quoted(key)}, {sql})" if key in stored else sql
            columns.append(f"{value} AS {quoted(key)}")
        self._con = duckdb.connect()
        self._con.execute(f"CREATE VIEW points AS SELECT {', '.join(columns)} FROM read_parquet([{files}])")
        self._con.register("aside", library.query(f"SELECT * FROM {SET_ASIDE}"))
        self._con.execute(f"CREATE TABLE {SET_ASIDE} AS SELECT * FROM aside")

    def query(self, sql: str, params: Sequence[object] = ()) -> Any:
        return self._con.cursor().execute(sql, list(params)).df()

    def fetch(self, sql: str, params: Sequence[object] = ()) -> Any:
        return self._con.cursor().execute(sql, list(params)).fetchall()


def _is_pack(path: Path) -> bool:
    return path.name.count(".") == 1
