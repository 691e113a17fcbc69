"""Packs: the rows of one import batch in one Parquet file, and the sheet beside it that says what it holds.

`<batch>.parquet` makes a pack visible; its sheet `<batch>.json` and its sidecars (scores, passports, refusals) are
there before it. A sheet is read at every start; a Parquet footer only by DuckDB. The sheet says the size and the
sha256 of every file beside it and carries a seal of its own, so that no bit of a pack changes unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench.errors import InputError
from bench.library.columns import PACK_BASE, PASSPORTS, REFUSALS, SCORES, numbered, pack_schema
from bench.library.store import document, names_in

IMPORTER = 1
"""The version of what importing makes of a source; a rebuild by a newer one wins over older packs."""

SIDECARS: Mapping[str, Mapping[str, pa.DataType]] = {"scores": SCORES, "passports": PASSPORTS, "refusals": REFUSALS}
SEAL = "seal"
ROW_GROUP = 122_880
PENDING_ROWS = 65_536
PENDING_TABLES = 256
"""So many tables become one on the way: that of a single point takes 80 KiB, which are mostly empty columns."""


@dataclass(frozen=True)
class HeldSource:
    """What a pack holds of one source. `facts` counts the facts that were written when its rows were made.

    `bytes` is how much of a journal they were made of, 0 for a source that does not grow. `digests` are the sha256 of
    its files, the main one's first; none for a journal that is read in place. Of the keys its format did not read,
    `unread_keys` counts all and `not_understood` names the first. `points_of` is as in its manifest.
    """

    id: str
    file: str
    format: str
    imported: str
    facts: int = 0
    bytes: int = 0
    tool_version: str | None = None
    points: int = 0
    scores: int = 0
    passports: int = 0
    refusals: int = 0
    slugs: tuple[str, ...] = ()
    accelerators: tuple[str, ...] = ()
    first_date: str | None = None
    last_date: str | None = None
    source_url: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    usd_per_accelerator_hour: float | None = None
    digests: tuple[str, ...] = ()
    unread_keys: int = 0
    not_understood: tuple[str, ...] = ()
    points_of: str | None = None


@dataclass(frozen=True)
class FileSum:
    """What a file was when it was written."""

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> FileSum:
        """That of a file as it is now."""
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return cls(stream.tell(), digest)


@dataclass(frozen=True)
class Sheet:
    """What a pack holds. A merged pack has a generation one above those it was made of.

    `files` are the sums of the pack's files, "" for its own and each sidecar by its name; there is none in the sheet of
    an earlier version.
    """

    sources: tuple[HeldSource, ...]
    metrics: tuple[str, ...]
    importer: int = IMPORTER
    generation: int = 0
    files: Mapping[str, FileSum] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """The rows of the pack."""
        return sum(held.points for held in self.sources)

    @property
    def sidecars(self) -> tuple[str, ...]:
        """The names of the sidecars that lie beside the pack."""
        return tuple(name for name in SIDECARS if any(getattr(held, name) for held in self.sources))

    def encoded(self) -> bytes:
        """The sheet as it lies on disk."""
        stated = asdict(self)
        return _dumped({**stated, SEAL: _seal(stated)})


@dataclass(frozen=True, eq=False)
class Pack:
    """A published pack, in the shipped library or in the reader's own.

    A journal that is read in place is one as well: its rows are then in memory, and `path` is the journal's.
    """

    path: Path
    sheet: Sheet
    shipped: bool
    rows: pa.Table | None = None
    passports: pa.Table | None = None

    def sidecar(self, name: str) -> Path:
        """Where the sidecar of this name lies; the pack itself where the name is empty."""
        return self.path.with_suffix(f".{name}.parquet") if name else self.path

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file of the pack, the one that makes it visible first."""
        beside = (self.sidecar(name) for name in self.sheet.sidecars)
        return (self.path, *beside, self.path.with_suffix(".json"))

    @cached_property
    def held(self) -> Mapping[str, HeldSource]:
        """What it holds, by source id."""
        return {held.id: held for held in self.sheet.sources}


def listed(folder: Path) -> list[str]:
    """The file names of the packs in a folder, in order; none when the folder is not there."""
    return sorted(name for name in names_in(folder) if name.endswith(".parquet") and name.count(".") == 1)


def read_sheet(pack: Path) -> Sheet:
    """The sheet of a pack; InputError when it is missing or damaged."""
    try:
        stated = document(pack.with_suffix(".json").read_bytes())
        seal = stated.pop(SEAL, None)
        if seal not in (None, _seal(stated)):
            raise ValueError("it is not what was written")
        sources = tuple(_held(entry) for entry in stated["sources"])
        files = {str(name): FileSum(**said) for name, said in stated.get("files", {}).items()}
        importer, generation = int(stated["importer"]), int(stated["generation"])
        return Sheet(sources, tuple(stated["metrics"]), importer, generation, files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"The pack {pack.name} has no readable sheet; rebuild the library.") from problem


def _dumped(stated: Mapping[str, Any]) -> bytes:
    return json.dumps(stated, ensure_ascii=False, separators=(",", ":")).encode()


def _seal(stated: Mapping[str, Any]) -> str:
    """What changes with anything a sheet states."""
    return hashlib.sha256(_dumped(stated)).hexdigest()


def _held(entry: Mapping[str, Any]) -> HeldSource:
    """A source as a sheet states it; what a newer version added is passed over."""
    known = {column.name for column in fields(HeldSource)} & entry.keys()
    values: dict[str, Any] = {key: tuple(entry[key]) if isinstance(entry[key], list) else entry[key] for key in known}
    return HeldSource(**values)


class PackWriter:
    """Rows on their way into one pack in a staging folder; metrics may differ between them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: list[pa.Table] = []
        self._pending_rows = 0
        self._parts: list[tuple[Path, frozenset[str]]] = []
        self._writer: pq.ParquetWriter | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._written: Future[None] | None = None
        self._schema = pack_schema(frozenset())
        self._metrics: frozenset[str] = frozenset()
        self._beside: dict[str, list[pa.Table]] = {name: [] for name in SIDECARS}

    def write(self, points: pa.Table) -> None:
        """Take finished rows: any of the pack's columns, and metrics."""
        if points.num_rows:
            self._pending.append(points)
            self._pending_rows += points.num_rows
            if self._pending_rows >= PENDING_ROWS:
                self._flush()
            elif len(self._pending) >= PENDING_TABLES:
                metrics = self._pending_metrics()
                self._pending = [_united(self._pending, pack_schema(metrics)).combine_chunks()]

    def write_beside(self, name: str, rows: pa.Table) -> None:
        """Take rows of a sidecar."""
        if rows.num_rows:
            self._beside[name].append(conformed(rows, numbered(SIDECARS[name])))

    def absorb(self, other: PackWriter) -> None:
        """Take everything that was written to another writer, which is of no use afterwards."""
        if other._parts:
            other._flush()
            other._end_part()
            self._parts.extend(other._parts)
            self._metrics |= other._metrics
        for table in other._pending:
            self.write(table)
        for name, tables in other._beside.items():
            self._beside[name].extend(tables)

    def close(self, sources: Iterable[HeldSource], *, generation: int = 0, importer: int = IMPORTER) -> Path:
        """The finished pack in the staging folder, its sheet and sidecars beside it."""
        self._flush()
        if not self._parts:
            self._open(frozenset())
        self._end_part()
        pack = self._folder / "pack.parquet"
        if len(self._parts) == 1 and self._parts[0][1] == self._metrics:
            self._parts[0][0].rename(pack)
        else:
            _joined([part for part, _ in self._parts], pack, pack_schema(self._metrics))
        for name, tables in self._beside.items():
            if tables:
                pq.write_table(pa.concat_tables(tables), pack.with_suffix(f".{name}.parquet"), compression="zstd")
        beside = [name for name, tables in self._beside.items() if tables]
        sums = {name: FileSum.of(pack.with_suffix(f".{name}.parquet") if name else pack) for name in ("", *beside)}
        sheet = Sheet(tuple(sources), tuple(sorted(self._metrics)), importer, generation, sums)
        pack.with_suffix(".json").write_bytes(sheet.encoded())
        return pack

    def _flush(self) -> None:
        if not self._pending:
            return
        metrics = self._pending_metrics()
        if self._writer is None or not metrics <= self._parts[-1][1]:
            self._end_part()
            self._open(self._metrics | metrics)
        assert self._writer is not None
        rows = _united(self._pending, self._schema)
        self._wait()
        self._thread = self._thread or ThreadPoolExecutor(max_workers=1, thread_name_prefix="pack-writer")
        self._written = self._thread.submit(self._writer.write_table, rows, row_group_size=ROW_GROUP)
        self._pending, self._pending_rows = [], 0

    def _pending_metrics(self) -> frozenset[str]:
        return frozenset(name for table in self._pending for name in table.column_names if name not in PACK_BASE)

    def _wait(self) -> None:
        """End when the rows on their way to disk are there; what went wrong with them is raised here."""
        if self._written is not None:
            self._written.result()
            self._written = None

    def _open(self, metrics: frozenset[str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._metrics = metrics
        self._schema = pack_schema(metrics)
        self._parts.append((self._folder / f"part{len(self._parts)}.parquet", metrics))
        self._writer = parquet_writer(self._parts[-1][0], self._schema)

    def _end_part(self) -> None:
        self._wait()
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of packs: zstd, dictionaries for everything but metrics, whose values hardly repeat."""
    dictionaries = [name for name in schema.names if name in PACK_BASE and name not in ("point_id", "restated_in")]
    return pq.ParquetWriter(path, schema, compression="zstd", compression_level=1, use_dictionary=dictionaries)


def _united(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([conformed(table, schema) for table in tables])


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with exactly these columns; one it lacks is NULL in every row."""
    present = set(table.column_names)
    columns = [
        table.column(column.name).cast(column.type) if column.name in present else pa.nulls(len(table), column.type)
        for column in schema
    ]
    return pa.table(columns, schema=schema)


def _joined(parts: Sequence[Path], target: Path, schema: pa.Schema) -> None:
    with parquet_writer(target, schema) as writer:
        for part in parts:
            for table in row_groups(part):
                writer.write_table(conformed(table, schema), row_group_size=ROW_GROUP)
            part.unlink()


def row_groups(path: Path) -> Iterator[pa.Table]:
    """The rows of a Parquet file, a row group at a time."""
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            yield file.read_row_group(number)


def damage(pack: Pack) -> str | None:
    """Why a pack that is there cannot be read, or is not what was written; None where it is, or is gone."""
    for name in ("", *pack.sheet.sidecars):
        path, written, why = pack.sidecar(name), pack.sheet.files.get(name), ""
        try:
            if written is None:
                pq.read_metadata(path)
            elif (now := FileSum.of(path)).bytes != written.bytes:
                why = f"it has {now.bytes:,} of {written.bytes:,} bytes"
            elif now != written:
                why = "it is not what was written"
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
        except pa.ArrowException as problem:
            why = str(problem).splitlines()[0][:120]
        if why and pack.path.exists():  # else a merge has just removed it
            what = f"file {path.name} of the pack" if name else "pack"
            return f"The {what} {pack.path.name} is damaged ({why}); rebuild the library from its sources."
    return None
