"""Tidy tables in CSV, JSON or Parquet, told apart by their first bytes."""

from __future__ import annotations

from typing import Literal

from bench.formats.reading import SourceFile
from bench.formats.reading.text_file import beginning
from bench.formats.table.csv_slices import CsvTable, header_cells
from bench.formats.table.json_slices import JsonTable, first_object
from bench.formats.table.parquet_slices import ParquetTable, schema_names
from bench.formats.table.slices import OpenedTable

TableKind = Literal["csv", "json", "parquet"]


def table_kind(file: SourceFile) -> TableKind | None:
    """JSON when the text begins like a list or an object, Parquet by its magic bytes, CSV for other text, else None."""
    if file.head.startswith(b"PAR1"):
        return "parquet"
    text = (beginning(file.head) or "").lstrip()
    if not text:
        return None
    return "json" if text[0] in "[{" else "csv"


def column_names(file: SourceFile) -> tuple[str, ...]:
    """The columns a file seems to have, from its beginning only; empty when it is no table."""
    kind = table_kind(file)
    if kind == "parquet":
        return schema_names(file.path)
    text = beginning(file.head) or ""
    if kind == "json":
        return tuple(first_object(text))
    return tuple(cell.strip() for cell in header_cells(text)[0]) if kind == "csv" else ()


def open_table(file: SourceFile) -> OpenedTable:
    """The file as a table; InputError in one sentence when it is none or breaks a limit."""
    kind = table_kind(file)
    if kind == "parquet":
        return ParquetTable(file.path)
    if kind == "json":
        return JsonTable(file.path)
    return CsvTable(file.path)
