"""A Parquet file as slices of columns: numbers as they are, everything else as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from bench.errors import InputError
from bench.formats.slices import Slice, check_rows, header_names, numbers_from, plain_error

MAX_BYTES = 2_000_000_000
ROWS = 65_536
UNREADABLE = (pa.ArrowException, OSError, ValueError, OverflowError)


class ParquetTable:
    """An opened Parquet file; rows are counted from 1."""

    def __init__(self, path: Path) -> None:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} is larger than {MAX_BYTES:,} bytes; divide it.")
        self._path = path
        try:
            self._file = parquet.ParquetFile(path, page_checksum_verification=True)
            schema = self._file.schema_arrow
        except UNREADABLE as problem:
            raise InputError(f"{path.name} is a broken Parquet file: {plain_error(problem)}.") from problem
        check_rows(path.name, self._file.metadata.num_rows)
        self.columns = header_names(path.name, list(schema.names))
        for column in schema:
            if not _readable(column.type):
                raise InputError(
                    f"{path.name}: column {column.name[:80]!r} is {column.type}; a cell holds one value."
                )

    def slices(self) -> Iterator[Slice]:
        """The rows in order; InputError when a page cannot be read."""
        done = 0
        try:
            for batch in self._file.iter_batches(batch_size=ROWS):
                columns = [_cells(column) for column in batch.columns]
                yield Slice(
                    numbers_from(done + 1, batch.num_rows), dict(zip(self.columns, columns, strict=True))
                )
                done += batch.num_rows
                check_rows(self._path.name, done)
        except UNREADABLE as problem:
            raise InputError(
                f"{self._path.name} is a broken Parquet file: {plain_error(problem)}."
            ) from problem
        finally:
            self._file.close()


def schema_names(path: Path) -> tuple[str, ...]:
    """The columns of a Parquet file; empty when its footer cannot be read."""
    try:
        return tuple(parquet.read_schema(path).names)
    except UNREADABLE:
        return ()


def _readable(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_list(kind):
        return bool(pa.types.is_string(kind.value_type))
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean, pa.types.is_date,
             pa.types.is_timestamp, pa.types.is_string, pa.types.is_large_string, pa.types.is_null)  # fmt: skip
    return any(test(kind) for test in plain)


def _cells(column: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pa.types.is_floating(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_list(kind):
        texts = [
            None if value is None else json.dumps(value, ensure_ascii=False) for value in column.to_pylist()
        ]
        return pa.array(texts, type=pa.string())
    if pa.types.is_timestamp(kind):
        return pc.strftime(column, format="%Y-%m-%d")
    return _checked(pc.cast(column, pa.string()))


def _checked(column: Any) -> Any:
    """Text whose bytes are UTF-8; a Parquet file may claim text and hold anything."""
    column.validate(full=True)
    return pc.if_else(pc.equal(pc.utf8_trim_whitespace(column), ""), None, column)
