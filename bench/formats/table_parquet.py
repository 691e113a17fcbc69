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
from bench.formats.cells import MAX_TEXT
from bench.formats.slices import Slice, check_rows, header_names, numbers_from, plain_error

MAX_BYTES = 2_000_000_000
ROWS = 65_536
MAX_LISTED = 50_000_000
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
                    f"{path.name}: column {column.name[:80]!r} is {column.type}; a cell holds one value."
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
    with parquet.ParquetFile(path) as file:
        leaves = [file.schema.column(place) for place in range(len(file.schema))]
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
        listed = [sum(group.column(place).num_values for group in groups) for place in range(len(leaves))]
    if max(listed, default=0) > MAX_LISTED:
        raise ValueError(f"a column lists more than {MAX_LISTED:,} values")
    return parquet.ParquetFile(path, read_dictionary=texts, page_checksum_verification=True)


def _broken(path: Path, problem: Exception) -> InputError:
    return InputError(f"{path.name} is a broken Parquet file: {plain_error(problem)}.")


def _readable(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        kind = kind.value_type
        return bool(pa.types.is_string(kind.value_type if pa.types.is_dictionary(kind) else kind))
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean, pa.types.is_date,
             pa.types.is_timestamp, pa.types.is_string, pa.types.is_large_string, pa.types.is_null)  # fmt: skip
    return any(test(kind) for test in plain)


def _cells(column: Any) -> Any:
    """A column as float64, or as text in a dictionary."""
    kind = column.type
    if pa.types.is_floating(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_list(kind):
        return _lists(column)
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


def _lists(column: Any) -> Any:
    """Lists of texts as the JSON a cell would hold; a text too long for a cell stays too long for one."""
    column.validate(full=True)
    texts = column.values.dictionary if pa.types.is_dictionary(column.type.value_type) else column.values
    texts.validate(full=True)
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > 4 * MAX_TEXT:
        raise ValueError(f"a listed text is longer than {MAX_TEXT:,} characters")
    lists = [None if value is None else json.dumps(value, ensure_ascii=False) for value in column.to_pylist()]
    return pa.array(lists, type=pa.string()).dictionary_encode()
