"""The rows of a tool's CSV below its one header, as texts by the header's names."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterator, Mapping

from bench.errors import InputError
from bench.formats.reading.source_file import SourceFile
from bench.formats.reading.text_file import check_text, opened

MAX_BYTES = 16_000_000
WHOLE = re.compile(r"-?\d{1,18}")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d{1,3})?")


def rows(file: SourceFile) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row with where it is, counted from 1 below the header; blank rows and empty cells are left out, and comments
    and blank lines above the header.

    Raises:
        InputError: the file is too large or no CSV throughout, or a row has another number of cells than the header.
    """
    check_text(file.path, MAX_BYTES)
    with opened(file.path) as stream:
        text = stream.read().decode().removeprefix("\ufeff")
    lines = itertools.dropwhile(lambda line: not line.strip() or line.startswith("#"), text.splitlines())
    try:
        header, *below = list(csv.reader(lines)) or [[]]
    except csv.Error as problem:
        raise InputError(f"{file.name} is no CSV throughout: {problem}.") from problem
    for number, cells in enumerate(below, start=1):
        if cells and len(cells) != len(header):
            raise InputError(
                f"Row {number:,} of {file.name} has {len(cells):,} cells; expected {len(header):,}, as its header."
            )
        if cells:
            named = zip(header, cells, strict=True)
            yield f"row {number}", {key: value for key, value in named if value}


def typed(row: Mapping[str, str], texts: Collection[str]) -> dict[str, object]:
    """The cells of a row as JSON would have them, those of `texts` as they are; what is no number stays the text that
    an error shows."""
    return {key: cell if key in texts else _number_or_text(cell) for key, cell in row.items()}


def _number_or_text(cell: str) -> object:
    if WHOLE.fullmatch(cell):
        return int(cell)
    return float(cell) if NUMBER.fullmatch(cell) else cell
