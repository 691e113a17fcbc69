"""The DuckDB index: in memory, locked down, rebuilt from the files in a moment; nothing in it is worth keeping.

Points, scores, passports and refusals of packs are views over Parquet; the small rest are tables. Measured on a
million points: one list of files matched by field id costs what a bare read_parquet costs.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bench import catalogue, names
from bench.errors import InputError
from bench.formats.reading import ABOUT, REAL, TEXT, WHOLE
from bench.library.columns import IDENTITY, PACK_BASE, REFUSALS, SCORES, literal, quoted, read_sql
from bench.library.facts import PRICE
from bench.library.packs import SIDECARS, Pack
from bench.library.prices import read_book
from bench.library.snapshot import Snapshot
from bench.records import Price, Refusal

MEMORY_LIMIT = "512MB"

SOURCES: Mapping[str, pa.DataType] = {
    "source_id": TEXT,
    "file": TEXT,
    "format": TEXT,
    "tool_version": TEXT,
    "sources": pa.list_(TEXT),
    **dict.fromkeys(ABOUT, TEXT),
    "source_url": TEXT,
    "points": WHOLE,
    "scores": WHOLE,
    "refusals": WHOLE,
    "first_date": pa.date32(),
    "last_date": pa.date32(),
    "imported": TEXT,
    "shipped": pa.bool_(),
    "facts": TEXT,
    "retracted": TEXT,
}
NOTES = {"id": TEXT, "source_id": TEXT, "text": TEXT, "at": TEXT, "who": TEXT}
RETRACTIONS = {
    "id": TEXT,
    "kind": TEXT,
    "source_id": TEXT,
    "reason": TEXT,
    "at": TEXT,
    "who": TEXT,
    "purged": pa.bool_(),
}
FACTS = {"source_id": TEXT, "fact": TEXT, "value": TEXT}
HELD = {"source_id": TEXT, "pack": TEXT}
PRICES = {
    "book": TEXT,
    "provider": TEXT,
    "accelerator": TEXT,
    "accelerators": WHOLE,
    "instance": TEXT,
    "region": TEXT,
    "terms": TEXT,
    "usd_per_hour": REAL,
    "usd_per_accelerator_hour": REAL,
    "as_of": pa.date32(),
    "source_url": TEXT,
    "note": TEXT,
}


LeftOut = Callable[[Pack], str]
"""The SQL condition of a pack's rows that are not shown; empty when all are."""


class Index:
    """A DuckDB over one state of a library's files, shown again whenever that state changes."""

    def __init__(self, readable: Sequence[Path]) -> None:
        """`readable`: the only folders SQL may read, now and later."""
        self._lock = threading.RLock()
        self._con = duckdb.connect(":memory:")
        self._shown: Snapshot | None = None
        self.stored: frozenset[str] = frozenset()
        self.derived: Mapping[str, str] = {}
        self._lock_down(readable)
        for name, rows in (
            ("accelerators", names.accelerators()),
            ("models", names.models()),
            ("engines", names.engines()),
        ):
            self._table(name, _named(rows))

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor for one call; cursors of different threads do not disturb each other."""
        with self._lock:
            return self._con.cursor()

    def show(self, snapshot: Snapshot) -> None:
        """Nothing; every later query sees this state, a running one still the former."""
        with self._lock:
            if snapshot is self._shown:
                return
            stored = frozenset(key for pack in snapshot.packs for key in pack.sheet.metrics)
            derived = catalogue.derivable(stored | IDENTITY.keys())
            self._con.execute("BEGIN")
            try:
                self._show_ledgers(snapshot)
                self._show_prices(snapshot)
                self._show_packs(snapshot, stored, derived)
                self._con.execute("COMMIT")
            except BaseException:
                self._con.execute("ROLLBACK")
                raise
            self._shown, self.stored, self.derived = snapshot, stored, derived

    def close(self) -> None:
        """Nothing; the index is gone, the files stay."""
        with self._lock:
            self._con.close()

    def _lock_down(self, readable: Sequence[Path]) -> None:
        folders = ", ".join(literal(str(folder)) for folder in readable)
        for setting in (
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            f"memory_limit = {literal(MEMORY_LIMIT)}",
            "temp_directory = ''",
            "TimeZone = 'UTC'",
            f"allowed_directories = [{folders}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._con.execute(f"SET {setting}")

    def _show_packs(self, snapshot: Snapshot, stored: frozenset[str], derived: Mapping[str, str]) -> None:
        held = [
            {"source_id": source_id, "pack": str(pack.path)} for source_id, pack in snapshot.owners.items()
        ]
        self._table("held", _arrow(held, HELD))
        columns = {**PACK_BASE, **dict.fromkeys(sorted(stored), REAL)}
        metrics = _point_columns(stored, derived)
        self._view("pack_points", _rows_sql(snapshot, columns, partial(_doubled, snapshot)))
        shown = _rows_sql(snapshot, columns, partial(_hidden, snapshot))
        self._view("points", f"SELECT {metrics} FROM ({shown})")
        for name, kinds in SIDECARS.items():
            self._view(f"pack_{name}", _sidecar_sql(snapshot, name, kinds))
        scores = ", ".join(quoted(name) for name in SCORES)
        self._view(
            "scores",
            f"SELECT {scores} FROM pack_scores WHERE source_id NOT IN (SELECT id FROM retractions)"
            " AND score_id NOT IN (SELECT id FROM retractions)",
        )
        self._view("passports", "SELECT * FROM pack_passports")
        refused = ", ".join(quoted(name) for name in REFUSALS)
        self._view(
            "refusals", f"SELECT {refused} FROM pack_refusals UNION ALL SELECT {refused} FROM file_refusals"
        )
        self._table("sources", _arrow(_sources(snapshot), SOURCES))

    def _show_ledgers(self, snapshot: Snapshot) -> None:
        ledgers = snapshot.ledgers
        if self._shown is None or self._shown.ledgers is not ledgers:
            facts = [
                {"source_id": source_id, "fact": key, "value": str(value)}
                for source_id, stated in ledgers.facts.items()
                for key, value in stated.items()
            ]
            hidden = [dataclasses.asdict(row) for row in ledgers.retractions.values()]
            self._table("notes", _arrow(ledgers.notes, NOTES))
            self._table("facts", _arrow(facts, FACTS))
            self._table("retractions", _arrow(hidden, RETRACTIONS))

    def _show_prices(self, snapshot: Snapshot) -> None:
        """The price books, and with their refusals all that are not of a single pack."""
        prices = list(_stated_prices(snapshot))
        refusals: list[Mapping[str, Any]] = list(_of_files(snapshot))
        for book in snapshot.price_books:
            try:
                found, refused = read_book(book)
            except InputError as problem:
                refused, found = [Refusal(book.name, str(problem))], []
            prices.extend(found)
            refusals.extend(dataclasses.asdict(refusal) for refusal in refused)
        rows = [
            {**dataclasses.asdict(price), "usd_per_accelerator_hour": price.usd_per_accelerator_hour}
            for price in prices
        ]
        self._table("prices", _arrow(rows, PRICES))
        self._table("file_refusals", _arrow(refusals, REFUSALS))

    def _table(self, name: str, rows: pa.Table) -> None:
        self._con.register("incoming", rows)
        self._con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM incoming")
        self._con.unregister("incoming")

    def _view(self, name: str, sql: str) -> None:
        self._con.execute(f"CREATE OR REPLACE VIEW {name} AS {sql}")


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


def _rows_sql(snapshot: Snapshot, columns: Mapping[str, pa.DataType], left_out: LeftOut) -> str:
    """The rows of all packs but some; only packs with such rows are filtered, so the others cost nothing more."""
    conditions = {str(pack.path): left_out(pack) for pack in snapshot.packs}
    kept = ", ".join(quoted(name) for name in columns)
    whole = [path for path, condition in conditions.items() if not condition]
    parts = [f"SELECT {kept} FROM {read_sql(whole, columns)} AS packs"]
    touched = {path: condition for path, condition in conditions.items() if condition}
    if touched:
        out = " OR ".join(f"(filename = {literal(path)} AND ({sql}))" for path, sql in touched.items())
        rows = read_sql(list(touched), columns, filename=True)
        parts.append(f"SELECT {kept} FROM {rows} AS packs WHERE NOT ({out})")
    return " UNION ALL ".join(parts)


def _doubled(snapshot: Snapshot, pack: Pack) -> str:
    """Rows of sources that another pack owns or that were purged."""
    return _among("source_id", [held for held in pack.held if snapshot.owners.get(held) is not pack])


def _hidden(snapshot: Snapshot, pack: Pack) -> str:
    """Doubled rows and retracted ones."""
    retracted = [row for row in snapshot.ledgers.retractions.values() if row.source_id in pack.held]
    conditions = (
        _doubled(snapshot, pack),
        _among("source_id", [row.id for row in retracted if row.kind == "source"]),
        _among("point_id", [row.id for row in retracted if row.kind == "point"]),
    )
    return " OR ".join(condition for condition in conditions if condition)


def _among(column: str, ids: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(literal, ids))})" if ids else ""


def _sidecar_sql(snapshot: Snapshot, name: str, kinds: Mapping[str, pa.DataType]) -> str:
    paths = [str(pack.sidecar(name)) for pack in snapshot.packs if name in pack.sheet.sidecars]
    rows = read_sql(paths, kinds, filename=True)
    kept = ", ".join(f"beside.{quoted(column)}" for column in kinds)
    return (
        f"SELECT {kept} FROM {rows} AS beside JOIN held ON held.source_id = beside.source_id"
        f" AND beside.filename = replace(held.pack, '.parquet', '.{name}.parquet')"
    )


def _sources(snapshot: Snapshot) -> Iterable[Mapping[str, Any]]:
    for held, pack in snapshot.held():
        facts = snapshot.ledgers.facts.get(held.id, {})
        retraction = snapshot.ledgers.retractions.get(held.id)
        about = {key: facts.get(key, held.about.get(key)) for key in ABOUT}
        yield {
            **dataclasses.asdict(held),
            **about,
            "source_id": held.id,
            "sources": list(held.slugs),
            "first_date": _day(held.first_date),
            "last_date": _day(held.last_date),
            "shipped": pack.shipped,
            "facts": json.dumps(facts, ensure_ascii=False) if facts else None,
            "retracted": retraction.reason if retraction else None,
        }


def _stated_prices(snapshot: Snapshot) -> Iterable[Price]:
    """The prices people stated as a fact of a source."""
    for held, _ in snapshot.held():
        usd = snapshot.ledgers.facts.get(held.id, {}).get(PRICE)
        if usd is not None:
            for accelerator in held.accelerators:
                yield Price(
                    "stated", held.file, accelerator, 1, "unstated", usd, note=f"stated for {held.file}"
                )


def _of_files(snapshot: Snapshot) -> Iterable[Mapping[str, Any]]:
    """Refused files that were not loaded since, each reason once, and packs that cannot be read."""
    latest: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for entry in snapshot.ledgers.refusals:
        if entry.get("source_id") not in snapshot.owners:
            latest[tuple(entry.get(key) for key in REFUSALS)] = entry
    yield from latest.values()
    for path, reason in snapshot.damaged.items():
        yield {"file": Path(path).name, "reason": reason}


def _named(rows: Sequence[Any]) -> pa.Table:
    """Rows of dataclasses with every field, typed by what the field declares."""
    kinds = {}
    for column in dataclasses.fields(rows[0]):
        declared = str(column.type)
        kinds[column.name] = (
            pa.list_(TEXT)
            if "tuple" in declared
            else REAL
            if "float" in declared
            else WHOLE
            if "int" in declared
            else TEXT
        )
    return _arrow([{**dataclasses.asdict(row), "aliases": list(row.aliases)} for row in rows], kinds)


def _arrow(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, pa.DataType]) -> pa.Table:
    listed = list(rows)
    return pa.table(
        [pa.array([row.get(name) for row in listed], type=kind) for name, kind in kinds.items()],
        names=list(kinds),
    )


def _day(text: str | None) -> datetime.date | None:
    return datetime.date.fromisoformat(text) if text else None
