"""The DuckDB index: in memory, locked down, rebuilt from the files in a moment; nothing in it is worth keeping.

Points, scores, passports and refusals of packs are views over Parquet; the small rest are tables, and so are sweeps'
journals that are read in place. Measured on a
million points: one list of files matched by field id costs what a bare read_parquet costs. Of few points it is the
planning of such a view that costs, 5 ms a query, so few points are a table. A state is brought up at its first query,
since a change of a library passes through several that nobody asks about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bench import catalogue
from bench.formats.reading.point_table import REAL
from bench.library import newest_runs, tables
from bench.library.columns import IDENTITY, PACK_BASE, REFUSALS, SQL_TYPES, literal, quoted, read_sql
from bench.library.packs import SIDECARS, Pack, conformed
from bench.library.runs import UNDATED, KnownRuns, RunSpan
from bench.library.snapshot import Snapshot

MEMORY_LIMIT = "512MB"
AS_WRITTEN = "build_side_probe_side"
"""What is off, so that a join keeps its right side in memory: Parquet that is read with a schema counts as one row to
DuckDB, which would keep a million of them and run out. The points stand on the left of every join."""

IN_PLACE = "in_place"
"""The table of the rows that were read from journals; there is none where no sweep is read in place."""

FEW_POINTS = 10_000
"""2 kB each in memory; as a table, the shipped 4,700 are made in 27 ms and a query of them costs a tenth."""

LeftOutSql = Callable[[Pack], str]
"""The SQL condition of a pack's rows that are not shown; empty when all are."""


class Index:
    """A DuckDB over one state of a library's files, shown again whenever that state changes."""

    def __init__(self, readable: Sequence[Path]) -> None:
        """`readable`: the only folders SQL may read, now and later."""
        self._lock = threading.RLock()
        self._con = duckdb.connect(":memory:")
        self._shown: Snapshot | None = None
        self._made: dict[str, pa.Table | str] = {}
        self._is_up = False
        self._kept = False
        self._knows_what_stands = False
        self._unmade: set[str] = set()
        self.stored: frozenset[str] = frozenset()
        self.derived: Mapping[str, str] = {}
        self._lock_down(readable)
        for name, rows in tables.of_names().items():
            self._table(name, rows)

    def cursor(self, sql: str = "") -> duckdb.DuckDBPyConnection:
        """A cursor for one call; cursors of different threads do not disturb each other.

        A state is brought up at its first query, which raises duckdb.Error where files of it cannot be read; what lies
        beside the points, and which of them stand for others, at the first query whose `sql` asks for it. Without
        `sql` it may ask for anything that lies beside them.
        """
        with self._lock:
            if not self._is_up and self._shown is not None:
                self._bring_up(self._shown)
            for name in [one for one in SIDECARS if one in self._unmade and (not sql or one in sql.lower())]:
                self._show_beside(name)
            if newest_runs.SET_ASIDE in sql and not self._knows_what_stands:
                query = newest_runs.set_aside_sql("points", frozenset(self.stored | self.derived.keys()))
                self._con.execute(f"CREATE OR REPLACE TABLE {newest_runs.SET_ASIDE} AS {query}")
                self._knows_what_stands = True
            return self._con.cursor()

    def show(self, snapshot: Snapshot) -> None:
        """Show every later query this state; a running one still sees the former."""
        with self._lock:
            if snapshot is self._shown:
                return
            self.stored = frozenset(key for pack in snapshot.packs for key in pack.sheet.metrics)
            self.derived = catalogue.derivable(self.stored | IDENTITY.keys())
            self._shown, self._is_up = snapshot, False

    def _bring_up(self, snapshot: Snapshot) -> None:
        """Make the tables and views of a state, and what the runs of it say."""
        self._con.execute("BEGIN")
        try:
            for name, rows in tables.of_snapshot(snapshot).items():
                self._table(name, rows)
            few = sum(pack.sheet.points for pack in snapshot.packs) <= FEW_POINTS
            self._show_packs(snapshot, few)
            self._con.execute("COMMIT")
        except BaseException:
            self._con.execute("ROLLBACK")
            self._made = {}
            raise
        self._is_up, self._kept, self._knows_what_stands, self._unmade = True, few, False, set(SIDECARS)

    def known_runs(self, without: Sequence[str]) -> KnownRuns:
        """Looks up the runs the library holds of given series, leaving out these sources."""

        def known(keys: NDArray[np.int64]) -> list[tuple[int, RunSpan]]:
            with self.cursor("pack_points") as cursor:
                cursor.register("wanted_keys", pa.table({"key": keys}))
                rows = cursor.execute(
                    "SELECT series_key, series_id, min(date) - DATE '1970-01-01', max(date) - DATE '1970-01-01'"
                    " FROM pack_points WHERE series_key IN (SELECT key FROM wanted_keys)"
                    " AND NOT list_contains($1, source_id) GROUP BY ALL ORDER BY ALL",
                    [list(without)],
                ).fetchall()
            return [
                (key, RunSpan(UNDATED if first is None else first, UNDATED if last is None else last, name))
                for key, name, first, last in rows
            ]

        return known

    def sources_of(self, ids: Collection[str]) -> dict[str, str]:
        """The sources that these points and scores lie in, hidden ones too; what is neither is left out."""
        if not ids:
            return {}
        with self.cursor("pack_scores") as cursor:
            rows = cursor.execute(
                "WITH wanted AS (SELECT unnest(CAST($1 AS VARCHAR[])) AS id)"
                " SELECT point_id, source_id FROM pack_points WHERE point_id IN (SELECT id FROM wanted)"
                " UNION ALL SELECT score_id, source_id FROM pack_scores WHERE score_id IN (SELECT id FROM wanted)",
                [sorted(ids)],
            ).fetchall()
        return dict(rows)

    def close(self) -> None:
        """Give up the index; the files stay."""
        with self._lock:
            self._con.close()

    def _lock_down(self, readable: Sequence[Path]) -> None:
        folders = ", ".join(literal(str(folder)) for folder in readable)
        for setting in (
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            f"memory_limit = {literal(MEMORY_LIMIT)}",
            "temp_directory = ''",
            f"disabled_optimizers = {literal(AS_WRITTEN)}",
            "TimeZone = 'UTC'",
            "GLOBAL parquet_metadata_cache = true",
            f"allowed_directories = [{folders}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._con.execute(f"SET {setting}")

    def _show_packs(self, snapshot: Snapshot, few: bool) -> None:
        columns = {**PACK_BASE, **dict.fromkeys(sorted(self.stored), REAL)}
        growing = [pack for pack in snapshot.packs if pack.rows is not None]
        if growing:
            rows = pa.concat_tables([conformed(pack.rows, pa.schema(list(columns.items()))) for pack in growing])
            self._table(IN_PLACE, rows)
            self._table(f"{IN_PLACE}_passports", pa.concat_tables([pack.passports for pack in growing]))
        self._view("pack_points", _rows_sql(snapshot, columns, partial(_doubled, snapshot)))
        shown = _rows_sql(snapshot, columns, partial(_hidden, snapshot))
        self._points(f"SELECT {_point_columns(self.stored, self.derived)} FROM ({shown})", few)

    def _show_beside(self, name: str) -> None:
        """Make the views of what lies beside the points under this name."""
        assert self._shown is not None
        self._view(f"pack_{name}", _sidecar_sql(self._shown, name, SIDECARS[name]))
        shown = f"SELECT {', '.join(map(quoted, SIDECARS[name]))} FROM pack_{name}"
        if name == "scores":
            shown += " WHERE source_id NOT IN (SELECT id FROM retractions)"
            shown += " AND score_id NOT IN (SELECT id FROM retractions)"
        if name == "refusals":
            shown += f" UNION ALL SELECT {', '.join(map(quoted, REFUSALS))} FROM file_refusals"
        self._view(name, shown)
        self._unmade.discard(name)

    def _points(self, sql: str, few: bool) -> None:
        """Make the points: a table where they are few, else a view over their files.

        A version that a row of a run leaves out is the one that another row of it states.
        """
        self._con.execute(f"DROP {'TABLE' if self._kept else 'VIEW'} IF EXISTS points")
        self._made.pop("points", None)
        stated, versions = "points" if few else "points_as_stated", newest_runs.VERSIONS
        if few:
            self._con.execute(f"CREATE TABLE points AS {sql}")
        else:
            self._view(stated, sql)
        self._con.execute(f"CREATE OR REPLACE TABLE {versions} AS {newest_runs.versions_sql(stated)}")
        left_out = self._con.execute(f"SELECT 1 FROM {versions} LIMIT 1").fetchall()
        if few and left_out:
            known = f"points.point_id = {versions}.point_id"
            self._con.execute(
                f"UPDATE points SET engine_version = {versions}.engine_version FROM {versions} WHERE {known}"
            )
        elif not few:
            whole = f"SELECT * FROM {stated}"
            joined = (
                f"SELECT {stated}.* REPLACE (coalesce({stated}.engine_version, run.engine_version)"
                f" AS engine_version) FROM {stated} LEFT JOIN {versions} AS run USING (point_id)"
            )
            self._view("points", joined if left_out else whole)

    def _table(self, name: str, rows: pa.Table) -> None:
        if name in self._made and self._made[name] == rows:
            return
        self._made[name] = rows
        if not rows.num_rows:  # a ledger nobody wrote to; a sixth of the time of taking it over from Arrow
            columns = ", ".join(f"{quoted(column.name)} {SQL_TYPES[column.type]}" for column in rows.schema)
            self._con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
            return
        self._con.register("incoming", rows)
        self._con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM incoming")
        self._con.unregister("incoming")

    def _view(self, name: str, sql: str) -> None:
        if self._made.get(name) != sql:
            self._con.execute(f"CREATE OR REPLACE VIEW {name} AS {sql}")
            self._made[name] = sql


def _point_columns(stored: frozenset[str], derived: Mapping[str, str]) -> str:
    """Identity, stored metrics, and what can be derived; a stored value wins over a derived one."""
    columns = [quoted(name) for name in IDENTITY]
    for key in sorted(stored | derived.keys()):
        if key not in derived:
            columns.append(quoted(key))
        elif key in stored:
            columns.append(f"coalesce({quoted(key)}, {derived[key]}) AS {quoted(key)}")
        else:
            columns.append(f"{derived[key]} AS {quoted(key)}")
    return ", ".join(columns)


def _rows_sql(snapshot: Snapshot, columns: Mapping[str, pa.DataType], left_out: LeftOutSql) -> str:
    """The rows of all packs but some; only packs with such rows are filtered, so the others cost nothing more."""
    conditions = {str(pack.path): left_out(pack) for pack in snapshot.packs if pack.rows is None}
    kept = ", ".join(quoted(name) for name in columns)
    whole = [path for path, condition in conditions.items() if not condition]
    parts = [f"SELECT {kept} FROM {read_sql(whole, columns)} AS packs"]
    touched = {path: condition for path, condition in conditions.items() if condition}
    if touched:
        out = " OR ".join(f"(filename = {literal(path)} AND ({sql}))" for path, sql in touched.items())
        rows = read_sql(list(touched), columns, filename=True)
        parts.append(f"SELECT {kept} FROM {rows} AS packs WHERE NOT ({out})")
    growing = [left_out(pack) for pack in snapshot.packs if pack.rows is not None]
    if growing:
        out = " OR ".join(f"({sql})" for sql in growing if sql) or "false"
        parts.append(f"SELECT {kept} FROM {IN_PLACE} WHERE NOT ({out})")
    return " UNION ALL ".join(parts)


def _doubled(snapshot: Snapshot, pack: Pack) -> str:
    """Rows of sources that another pack owns or that were purged."""
    return _among("source_id", [held for held in pack.held if snapshot.owners.get(held) is not pack])


def _hidden(snapshot: Snapshot, pack: Pack) -> str:
    """Doubled rows and retracted ones, those too of which nobody can say any more in which source they lie."""
    retracted = [
        row for row in snapshot.ledgers.retractions.values() if row.source_id in pack.held or not row.source_id
    ]
    conditions = (
        _doubled(snapshot, pack),
        _among("source_id", [row.id for row in retracted if row.kind == "source"]),
        _among("point_id", [row.id for row in retracted if row.kind == "point"]),
    )
    return " OR ".join(condition for condition in conditions if condition)


def _among(column: str, ids: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(literal, ids))})" if ids else ""


def _sidecar_sql(snapshot: Snapshot, name: str, kinds: Mapping[str, pa.DataType]) -> str:
    paths = [str(pack.sidecar(name)) for pack in snapshot.packs if pack.rows is None and name in pack.sheet.sidecars]
    rows = read_sql(paths, kinds, filename=True)
    kept = ", ".join(f"beside.{quoted(column)}" for column in kinds)
    growing = name == "passports" and any(pack.rows is not None for pack in snapshot.packs)
    return (
        f"SELECT {kept} FROM {rows} AS beside JOIN held ON held.source_id = beside.source_id"
        f" AND beside.filename = replace(held.pack, '.parquet', '.{name}.parquet')"
        + (f" UNION ALL SELECT {kept} FROM {IN_PLACE}_passports AS beside" if growing else "")
    )
