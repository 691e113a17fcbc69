"""Slices of a tidy table, whatever file it comes from, and the limits every table keeps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from bench.errors import InputError

MAX_ROWS = 5_000_000
MAX_COLUMNS = 1_000
MAX_NUMBER = 1e30
DEPTH = 3
"""So many slices are taken apart ahead of the one that is worked on."""

Item = TypeVar("Item")

RowPositions = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Slice:
    """Some rows of a table: their numbers in the file and their cells by column.

    Cells are text, text in a dictionary, or float64; a blank one is NULL. `broken` names rows that could not be
    taken apart, with the reason; they have no cells here. `sound` says that every float64 cell is known to be a
    finite number from 0 to MAX_NUMBER.
    """

    numbers: RowPositions
    columns: dict[str, pa.Array]
    broken: dict[int, str] = field(default_factory=dict)
    sound: bool = False


class OpenedTable(Protocol):
    """An opened table: the columns it seems to have, and its slices, to be pulled once."""

    columns: tuple[str, ...]

    def slices(self) -> Iterator[Slice]:
        """The rows, in order; InputError when the file breaks off or cannot be parsed."""


def header_names(file: str, cells: list[str]) -> tuple[str, ...]:
    """The column names in a header, blanks trimmed; InputError when two are alike or there are too many."""
    if len(cells) > MAX_COLUMNS:
        raise InputError(f"{file} has {len(cells):,} columns; the limit is {MAX_COLUMNS:,}.")
    trimmed = [cell.strip() or f"(column {place})" for place, cell in enumerate(cells, start=1)]
    doubled = next((cell for cell in trimmed if trimmed.count(cell) > 1), None)
    if doubled is not None:
        raise InputError(f"{file} has two columns named {doubled[:80]!r}; a column name stands once.")
    return tuple(trimmed)


def check_rows(file: str, rows: int) -> None:
    """Raise InputError where a table is beyond the limit of rows."""
    if rows > MAX_ROWS:
        raise InputError(f"{file} has more than {MAX_ROWS:,} rows; divide it.")


def numbers_from(first: int, count: int) -> RowPositions:
    """The numbers of `count` rows, from this one on."""
    return np.arange(first, first + count, dtype=np.int64)


def within(column: pa.Array, least: float) -> bool:
    """Whether every cell of a float64 column is NULL or a finite number from `least` to MAX_NUMBER."""
    total = pc.sum(column).as_py()
    if total is None:
        return True
    limits = pc.min_max(column).as_py()
    return math.isfinite(total) and limits["min"] >= least and limits["max"] < MAX_NUMBER


def plain_error(problem: Exception) -> str:
    """An Arrow error as the end of a sentence: its first line, shortened."""
    return str(problem).partition("\n")[0].strip().rstrip(".")[:200]


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items in order, made by a thread of their own, at most DEPTH of them ahead; its errors are raised here."""
    reader = ThreadPoolExecutor(1, thread_name_prefix="read ahead")

    def read_one() -> Future[list[Item]]:
        return reader.submit(lambda: list(islice(items, 1)))

    try:
        waiting = deque(read_one() for _ in range(DEPTH))
        while made := waiting.popleft().result():
            waiting.append(read_one())
            yield made[0]
    finally:
        reader.shutdown(cancel_futures=True)
