"""The columns of a pack: their types, and the field ids that let packs with different metrics be one view.

DuckDB matches columns of a list of Parquet files by field id without opening every footer; by name it opens them all
at each query. A column's field id is derived from its name, so packs never need to agree on a numbering.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

import pyarrow as pa

from bench.formats.reading.point_table import PASSPORT_COLUMNS, POINT_COLUMNS, REAL, SCORE_COLUMNS, TEXT, WHOLE

POINT_IDS: Mapping[str, pa.DataType] = dict.fromkeys(
    "point_id source_id deployment_id workload_id series_id".split(), TEXT
)
LENGTHS: Mapping[str, pa.DataType] = {"isl": WHOLE, "osl": WHOLE}
SERIES_KEY = "series_key"
"""Everything a series has in common but its run, as a number; kept in packs so that later imports find their run."""

IDENTITY: Mapping[str, pa.DataType] = {**POINT_IDS, **LENGTHS, **POINT_COLUMNS}
PACK_BASE: Mapping[str, pa.DataType] = {**IDENTITY, SERIES_KEY: WHOLE}
SCORES: Mapping[str, pa.DataType] = {"score_id": TEXT, "source_id": TEXT, **SCORE_COLUMNS}
PASSPORTS: Mapping[str, pa.DataType] = {"source_id": TEXT, **PASSPORT_COLUMNS}
REFUSALS: Mapping[str, pa.DataType] = {
    "source_id": TEXT,
    "file": TEXT,
    "row": WHOLE,
    **dict.fromkeys("column value expected reason".split(), TEXT),
}

SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.list_(pa.string()): "VARCHAR[]",
}

SCHEMA_TYPE = "MAP(INTEGER, STRUCT(name VARCHAR, type VARCHAR, default_value VARCHAR))"


def field_id(column: str) -> int:
    """The Parquet field id of a column: positive, and the same in every pack."""
    return zlib.crc32(column.encode()) & 0x7FFFFFFF


def numbered(columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """An Arrow schema of these columns with their field ids."""
    return pa.schema([_field(name, kind) for name, kind in columns.items()])


@lru_cache(maxsize=64)
def pack_schema(metrics: frozenset[str]) -> pa.Schema:
    """The schema of a pack that holds these metrics; identity columns are always all there."""
    return numbered({**PACK_BASE, **dict.fromkeys(sorted(metrics), REAL)})


def read_sql(paths: Sequence[str], columns: Mapping[str, pa.DataType], *, filename: bool = False) -> str:
    """The table function that reads these files as these columns; a column a file lacks is NULL there."""
    if not paths:
        nothing = ", ".join(f"CAST(NULL AS {SQL_TYPES[kind]}) AS {quoted(name)}" for name, kind in columns.items())
        return f"(SELECT {nothing}{', NULL::VARCHAR AS filename' if filename else ''} WHERE false)"
    files = ", ".join(literal(path) for path in paths)
    schema = f"CAST({literal(_schema_text(columns))} AS {SCHEMA_TYPE})"
    return f"read_parquet([{files}], schema = {schema}{', filename = true' if filename else ''})"


def _schema_text(columns: Mapping[str, pa.DataType]) -> str:
    """The schema as one text: as an expression of a struct for each column, it would be bound at every query."""
    entries = ", ".join(
        f"{field_id(name)}={{name: {_in_text(name)}, type: {_in_text(SQL_TYPES[kind])}, default_value: NULL}}"
        for name, kind in columns.items()
    )
    return f"{{{entries}}}"


def _in_text(value: str) -> str:
    """The value as it stands in the text of a nested value."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def literal(text: str) -> str:
    """The text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """The name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _field(name: str, kind: pa.DataType) -> pa.Field:
    if pa.types.is_list(kind):
        kind = pa.list_(_field("element", kind.value_type))
    return pa.field(name, kind, metadata={b"PARQUET:field_id": str(field_id(name)).encode()})
