"""Whole columns of a table at a time: text in, canonical values out, and which rows hold something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from bench.formats.table.cells import Parse, Unexpected
from bench.formats.table.slices import MAX_NUMBER, Slice, within
from bench.records import Refusal

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$"
MAX_NUMBER_LENGTH = 64
SHOWN = 200
REMEMBERED = 50_000
MAX_REFUSALS = 10_000

CellMask = npt.NDArray[np.bool_]
CellText = Callable[[int], str]


class Verdicts:
    """Which rows of a slice are refused, and for each of them the column, the value and what was expected.

    The first thing found wrong with a row is the one that is kept. A blank row is neither kept nor refused.
    """

    def __init__(self, rows: int) -> None:
        self.bad: CellMask = np.zeros(rows, dtype=np.bool_)
        self.blank: CellMask = np.zeros(rows, dtype=np.bool_)
        self.reasons: dict[int, tuple[str, str | None, str]] = {}

    def against(self, rows: CellMask, column: str, value: CellText | None, expected: CellText | str) -> None:
        """Refuse these rows because of this column."""
        rows = rows & ~self.blank
        for row in np.flatnonzero(rows & ~self.bad):
            place = int(row)
            wanted = expected if isinstance(expected, str) else expected(place)
            self.reasons[place] = (column, value(place) if value else None, wanted)
        self.bad |= rows

    @property
    def kept(self) -> CellMask:
        """The rows that load."""
        kept: CellMask = ~(self.bad | self.blank)
        return kept


class RefusedRows:
    """Collects the refusals of one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._beyond = 0
        self.kept: list[Refusal] = []

    def of_slice(self, rows: Slice, verdicts: Verdicts) -> None:
        """Take up what was refused in one slice."""
        refusals = [
            Refusal(self._file, f"Row {number:,} was refused: {reason}.", row=number)
            for number, reason in rows.broken.items()
        ]
        room = max(0, MAX_REFUSALS - len(self.kept))
        for place in np.flatnonzero(verdicts.bad)[:room]:
            refusals.append(self._cell(int(rows.numbers[place]), *verdicts.reasons[int(place)]))
        refused = len(rows.broken) + int(verdicts.bad.sum())
        refusals = sorted(refusals, key=lambda refusal: refusal.row or 0)[:room]
        self.kept.extend(refusals)
        self._beyond += refused - len(refusals)

    def finish(self) -> None:
        """Put the refusals in the order of the rows, and say how many there were beyond those that are listed."""
        self.kept.sort(key=lambda refusal: refusal.row or 0)
        if self._beyond:
            reason = f"{self._beyond:,} further rows were refused; only the first {MAX_REFUSALS:,} are listed."
            self.kept.append(Refusal(self._file, reason, further=self._beyond))

    def _cell(self, row: int, column: str, value: str | None, expected: str) -> Refusal:
        found = f"is {value!r}" if value is not None else "is absent"
        reason = f"Row {row:,} was refused: {column[:80]} {found}, expected {expected}."
        return Refusal(self._file, reason, row=row, column=column, value=value, expected=expected)


def mask(condition: Any) -> CellMask:
    """An Arrow condition as a mask; NULL is False."""
    return np.asarray(pc.fill_null(condition, False).to_numpy(zero_copy_only=False), dtype=np.bool_)


def shown(column: pa.Array) -> CellText:
    """A function that gives the beginning of a row's cell, as the text a reader is shown."""
    if pa.types.is_dictionary(column.type):
        beginnings = pc.utf8_slice_codeunits(column.dictionary, 0, SHOWN)
        return lambda row: str(beginnings[column.indices[row].as_py()].as_py())
    return lambda row: str(column[row].as_py())[:SHOWN]


def measured(column: pa.Array, least: float) -> tuple[pa.Array, CellMask | None]:
    """The column as float64, and the rows whose cell is no finite number from `least` to 1e30; None when there are
    none. A wrong cell is NULL."""
    if pa.types.is_dictionary(column.type):
        numbers, wrong = measured(column.dictionary, least)
        return numbers.take(column.indices), None if wrong is None else at_rows(wrong, column)
    if not pa.types.is_floating(column.type):
        quick = _quick_numbers(column)
        column = quick if quick is not None else column
    if pa.types.is_floating(column.type) and within(column, least):
        return column, None
    return _careful_numbers(column, least)


def at_rows(words: CellMask, column: pa.Array) -> CellMask:
    """What holds for each word of a column's dictionary, for each of its rows; False where the cell is blank."""
    places = pc.fill_null(column.indices, len(words)).to_numpy(zero_copy_only=False)
    found: CellMask = np.append(words, False)[places]
    return found


def stated(column: pa.Array) -> CellMask:
    """The rows that have more than blanks in this column."""
    if pa.types.is_dictionary(column.type):
        return at_rows(stated(column.dictionary), column)
    if pa.types.is_string(column.type):
        return mask(pc.not_equal(pc.utf8_trim_whitespace(column), ""))
    return mask(pc.is_valid(column))


def _quick_numbers(column: pa.Array) -> pa.Array | None:
    longest = pc.max(pc.binary_length(column)).as_py() or 0
    if longest > MAX_NUMBER_LENGTH:
        return None
    try:
        return pc.cast(column, pa.float64())
    except pa.ArrowInvalid:
        return None


def _careful_numbers(column: pa.Array, least: float) -> tuple[pa.Array, CellMask | None]:
    given = stated(column)
    if not pa.types.is_floating(column.type):
        text = pc.utf8_trim_whitespace(column)
        short = pc.less_equal(pc.binary_length(text), MAX_NUMBER_LENGTH)
        number = pc.and_(short, pc.match_substring_regex(text, NUMBER))
        column = pc.cast(pc.if_else(number, text, None), pa.float64())
    within = pc.and_(pc.greater_equal(column, least), pc.less(column, MAX_NUMBER))
    bad = given & ~mask(within)
    return pc.if_else(within, column, None), bad if bad.any() else None


class CellReader:
    """Reads one column cell by cell, each different text once."""

    def __init__(self, kind: pa.DataType, parse: Parse) -> None:
        self._kind = kind
        self._parse = parse
        self._known: dict[str, tuple[Any, str | None]] = {}
        self._last: tuple[pa.Array, pa.Array] | None = None

    def read(self, column: pa.Array, name: str, verdicts: Verdicts) -> pa.Array:
        """The column's canonical values; rows with an unexpected cell are refused and NULL."""
        if pa.types.is_floating(column.type):
            column = _number_text(column)
        words = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
        if self._last is not None and self._last[0].equals(words.dictionary):
            return self._last[1].take(words.indices)
        looked_up = [self._look_up(cell) for cell in words.dictionary.to_pylist()]
        values = pa.array([value for value, _ in looked_up], type=self._kind)
        if any(expected for _, expected in looked_up):
            wrong = np.array([expected is not None for _, expected in looked_up], dtype=np.bool_)
            verdicts.against(
                at_rows(wrong, words), name, shown(words), lambda row: str(looked_up[words.indices[row].as_py()][1])
            )
        else:
            self._last = (words.dictionary, values)
        return values.take(words.indices)

    def _look_up(self, cell: str | None) -> tuple[Any, str | None]:
        text = cell.strip() if cell else ""
        if not text:
            return None, None
        known = self._known.get(text)
        if known is None:
            try:
                known = (self._parse(text), None)
            except Unexpected as problem:
                known = (None, str(problem))
            if len(self._known) < REMEMBERED:
                self._known[text] = known
        return known


def _number_text(column: pa.Array) -> pa.Array:
    """Float64 as text, whole numbers without a point; a table with gaps often holds whole numbers as floats."""
    texts = [None if v is None else str(int(v)) if v.is_integer() else repr(v) for v in column.to_pylist()]
    return pa.array(texts, type=pa.string())
