"""A CSV file as slices of text columns, streamed; rows are counted as a reader counts them, the header being row 1."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from bench.catalogue import is_metric
from bench.errors import InputError
from bench.formats.reading.text_file import beginning, check_text, opened
from bench.formats.table.slices import RowPositions, Slice, check_rows, header_names, numbers_from, plain_error, within
from bench.plain_text import QUOTED_FORMULA

MAX_BYTES = 2_000_000_000
MAX_HEADER = 1 << 20
BLOCK = 4 << 20
DELIMITERS = ",;\t"
TEXT, WORDS = pa.string(), pa.dictionary(pa.int32(), pa.string())


def header_cells(text: str) -> tuple[list[str], str]:
    """The cells of a CSV's first line and the delimiter that divides it into the most; no cells when it cannot be
    taken apart."""
    found = {mark: _first_line(text, mark) for mark in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda mark: len(found[mark]))
    return found[delimiter], delimiter


def _first_line(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


class CsvTable:
    """An opened CSV file. Columns of metrics come as numbers or as plain text, the others as text in dictionaries."""

    def __init__(self, path: Path) -> None:
        quotes = check_text(path, MAX_BYTES)
        if quotes % 2:
            raise InputError(
                f"{path.name} has an odd number of quotation marks, so one is never closed; "
                "write a quotation mark inside a cell twice."
            )
        with opened(path) as stream:
            cells, self._delimiter = header_cells(beginning(stream.read(MAX_HEADER)) or "")
        if not cells:
            raise InputError(f"The first row of {path.name} is no header that can be taken apart.")
        self.columns = header_names(path.name, cells)
        self._path = path
        self._quoted = quotes > 0
        self._cells = cells

    def slices(self) -> Iterator[Slice]:
        """The rows in order. A row with too few or too many cells comes as broken.

        The quick reading takes metrics for numbers and cannot tell the number of a broken row; from the first thing
        on that is not in order the file is read again as text, row by row.
        """
        broken: list[Any] = []
        handed = 0
        quick = self._batches(pa.float64(), threads=True, on_broken=broken.append)
        with contextlib.suppress(pa.ArrowInvalid):
            for batch in quick:
                if broken or not all(within(one, 0.0) for one in batch.columns if pa.types.is_floating(one.type)):
                    break
                yield Slice(numbers_from(handed + 2, batch.num_rows), self._named(batch), sound=True)
                handed += batch.num_rows
            else:
                if not broken:
                    return
        quick.close()
        yield from self._counted(handed)

    def _counted(self, handed: int) -> Iterator[Slice]:
        broken: list[tuple[int, str]] = []

        def note(row: Any) -> None:
            reason = f"it has {row.actual_columns:,} cells and the header has {row.expected_columns:,}"
            broken.append((row.number, reason))

        kept = handed_on = 0
        try:
            for batch in self._batches(TEXT, threads=False, on_broken=note):
                known = broken.copy()  # the reader is ahead of us and adds to it meanwhile
                numbers = _physical(numbers_from(kept, batch.num_rows), [number for number, _ in known])
                fresh = max(0, min(batch.num_rows, handed - kept))
                kept += batch.num_rows
                yield Slice(numbers[fresh:], self._named(batch.slice(fresh)), dict(known[handed_on:]))
                handed_on = len(known)
        except pa.ArrowInvalid as problem:
            raise InputError(_sentence(self._path.name, plain_error(problem))) from problem
        if handed_on < len(broken):
            yield Slice(numbers_from(0, 0), {}, dict(broken[handed_on:]))

    def _named(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        return dict(zip(self.columns, map(_without_quotes, batch.columns), strict=True))

    def _batches(
        self, metrics: pa.DataType, *, threads: bool, on_broken: Callable[[Any], object]
    ) -> Generator[pa.RecordBatch]:
        rows = 0
        with opened(self._path) as stream:
            reader = self._open(stream, metrics, threads, on_broken)
            if reader.schema.names != self._cells:
                raise InputError(f"The first row of {self._path.name} is no header that can be taken apart.")
            for batch in reader:
                rows += batch.num_rows
                check_rows(self._path.name, rows)
                yield batch

    def _open(self, stream: BinaryIO, metrics: pa.DataType, threads: bool, on_broken: Callable[[Any], object]) -> Any:
        def skip(row: Any) -> str:
            on_broken(row)
            return "skip"

        types = {cell: metrics if is_metric(cell.strip()) else WORDS for cell in self._cells}
        return arrow_csv.open_csv(
            pa.PythonFile(stream, mode="r"),
            read_options=arrow_csv.ReadOptions(use_threads=threads, block_size=BLOCK),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self._delimiter,
                newlines_in_values=self._quoted,
                ignore_empty_lines=False,
                invalid_row_handler=skip,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types, strings_can_be_null=True, null_values=[""], check_utf8=False
            ),
        )


def _without_quotes(column: pa.Array) -> pa.Array:
    """The cells, texts without the quote by which an export keeps a spreadsheet from running them as formulas."""
    if not pa.types.is_dictionary(column.type):
        return column
    words = pc.replace_substring_regex(column.dictionary, QUOTED_FORMULA, r"\1")
    return pa.DictionaryArray.from_arrays(column.indices, words)


def _physical(kept: RowPositions, broken: list[int]) -> RowPositions:
    """The row numbers in the file of the rows kept, counted from 0, when these rows of the file were left out."""
    before = np.sort(np.asarray(broken, dtype=np.int64)) - 2 - np.arange(len(broken))
    return np.asarray(kept + 2 + np.searchsorted(before, kept, side="right"), dtype=np.int64)


def _sentence(file: str, problem: str) -> str:
    if "straddling" in problem:
        return f"A row of {file} is longer than {BLOCK:,} bytes; a quotation mark may be missing."
    if "Empty CSV" in problem:
        return f"{file} has no rows."
    return f"{file} cannot be read as CSV: {problem}."
