"""A Parquet file as slices of columns: numbers as they are, everything else as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from bench.errors import InputError
from bench.formats.table.slices import Slice, check_rows, header_names, numbers_from, plain_error

MAX_BYTES = 2_000_000_000
ROWS = 65_536
UNREADABLE = (pa.ArrowException, OSError, ValueError, OverflowError)


class ParquetTable:
    """An opened Parquet file; rows are counted from 1.

    Texts stay in the dictionaries they are stored in: a few bytes can stand for a long text in millions of rows.
    """

    def __init__(self, path: Path) -> None:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} is larger than {MAX_BYTES:,} bytes; divide it.")
        self._path = path
        try:
            self._file = _opened(path)
            schema = self._file.schema_arrow
        except UNREADABLE as problem:
            raise _broken(path, problem) from problem
        check_rows(path.name, self._file.metadata.num_rows)
        self.columns = header_names(path.name, list(schema.names))
        for column in schema:
            if not _readable(column.type):
                raise InputError(
                    f"{path.name}: column {column.name[:80]!r} is {column.type}; a cell holds one value, "
                    "and several texts are divided by |."
                )

    def slices(self) -> Iterator[Slice]:
        """The rows in order; InputError when a page cannot be read."""
        done = 0
        try:
            for batch in self._file.iter_batches(batch_size=ROWS):
                columns = [_cells(column) for column in batch.columns]
                numbers = numbers_from(done + 1, batch.num_rows)
                yield Slice(numbers, dict(zip(self.columns, columns, strict=True)))
                done += batch.num_rows
                check_rows(self._path.name, done)
        except UNREADABLE as problem:
            raise _broken(self._path, problem) from problem
        finally:
            self._file.close()


def schema_names(path: Path) -> tuple[str, ...]:
    """The columns of a Parquet file; empty when its footer cannot be read."""
    try:
        return tuple(parquet.read_schema(path).names)
    except UNREADABLE:
        return ()


def _opened(path: Path) -> Any:
    # The row groups' own metadata stays untouched: where it is damaged, looking at it ends the process.
    schema = parquet.read_schema(path)
    texts = [column.name for column in schema if pa.types.is_string(column.type)]
    return parquet.ParquetFile(path, read_dictionary=texts, page_checksum_verification=True)


def _broken(path: Path, problem: Exception) -> InputError:
    return InputError(f"{path.name} is a broken Parquet file: {plain_error(problem)}.")


def _readable(kind: pa.DataType) -> bool:
    """Whether a column has one value in each row; lists could be far longer than the file."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    plain = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_boolean,
        pa.types.is_date,
        pa.types.is_timestamp,
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_null,
    )
    return any(test(kind) for test in plain)


def _cells(column: Any) -> Any:
    """A column as float64, or as text in a dictionary."""
    kind = column.type
    if pa.types.is_floating(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_dictionary(kind):
        column.validate(full=True)
        column.dictionary.validate(full=True)
        words = pc.cast(column.dictionary, pa.string())
        return pa.DictionaryArray.from_arrays(column.indices, words)
    if pa.types.is_timestamp(kind):
        column = pc.strftime(column, format="%Y-%m-%d")
    texts = pc.cast(column, pa.string())
    texts.validate(full=True)
    return texts.dictionary_encode()
