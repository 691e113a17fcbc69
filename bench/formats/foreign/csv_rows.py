"""The rows of a tool's CSV below its one header, as texts by the header's names."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator

from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.formats.text_file import check_text, opened

MAX_BYTES = 16_000_000


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
