"""JSON as slices of text columns: a list of flat objects, or one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bench.errors import InputError
from bench.formats.reading.text_file import check_depth, check_text, opened
from bench.formats.table.slices import MAX_COLUMNS, Slice, check_rows

MAX_BYTES = 256_000_000
ROWS = 20_000
BLANK = re.compile(r"[ \t\r\n]*")
KEY = re.compile(r'"([a-z][a-z0-9_]{0,79})"[ \t\r\n]*:')

RowFields = dict[str, str | None]


class NoRow(ValueError):
    """A piece of valid JSON that is no row of a table; the message says why."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise NoRow(f"it has two entries named {doubled[:80]!r}")
    return fields


# Numbers stay as they are written, so that they are checked like the cells of a CSV.
DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=str)
ANY_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


def first_object(text: str) -> dict[str, Any]:
    """The first object of JSON text that may break off; empty when it does so before the object ends."""
    start = text.find("{")
    if start < 0 or start > 1000:
        return {}
    try:
        found = DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class JsonTable:
    """An opened JSON file; `columns` are all names in it that could be column names."""

    def __init__(self, path: Path) -> None:
        check_text(path, MAX_BYTES)
        with opened(path) as stream:
            check_depth(path.name, stream)
            stream.seek(0)
            self._text = stream.read().decode("utf-8-sig")
        self._name = path.name
        self.columns = tuple(dict.fromkeys(KEY.findall(self._text)))

    def slices(self) -> Iterator[Slice]:
        """The objects in order, counted from 1 (in a file of lines, by line).

        What is no row comes as broken; in a list an error of syntax is an InputError, in a file of lines it breaks
        only its line.
        """
        start = self._after_blanks(0)
        found = self._listed(start + 1) if self._text.startswith("[", start) else self._lines()
        rows: dict[int, RowFields] = {}
        broken: dict[int, str] = {}
        for number, row in found:
            check_rows(self._name, number)
            if isinstance(row, NoRow):
                broken[number] = str(row)
            else:
                rows[number] = row
            if len(rows) + len(broken) >= ROWS:
                yield self._slice(rows, broken)
                rows, broken = {}, {}
        yield self._slice(rows, broken)

    def _listed(self, place: int) -> Iterator[tuple[int, RowFields | NoRow]]:
        place, number = self._after_blanks(place), 0
        while number or not self._text.startswith("]", place):
            number += 1
            row, place = self._element(place)
            yield number, row
            place = self._after_blanks(place)
            if self._text.startswith("]", place):
                break
            if not self._text.startswith(",", place):
                raise InputError(f"{self._name} is not valid JSON: its list breaks off after element {number:,}.")
            place = self._after_blanks(place + 1)
        if self._after_blanks(place + 1) < len(self._text):
            raise InputError(f"{self._name} goes on after the end of its list; a file holds one list.")

    def _element(self, place: int) -> tuple[RowFields | NoRow, int]:
        try:
            value, end = ANY_DECODER.raw_decode(self._text, place)
            if not isinstance(value, dict):
                return NoRow("it is no object"), end
            return _fields(DECODER.raw_decode(self._text, place)[0]), end
        except NoRow as problem:
            return problem, end
        except json.JSONDecodeError as problem:
            raise InputError(f"{self._name} is not valid JSON at line {problem.lineno:,}: {problem.msg}.") from problem

    def _lines(self) -> Iterator[tuple[int, RowFields | NoRow]]:
        for number, line in enumerate(self._text.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                value = DECODER.decode(line)
                yield number, _fields(value) if isinstance(value, dict) else NoRow("it is no object")
            except NoRow as problem:
                yield number, problem
            except json.JSONDecodeError as problem:
                yield number, NoRow(f"it is not valid JSON ({problem.msg})")

    def _after_blanks(self, place: int) -> int:
        match = BLANK.match(self._text, place)
        return match.end() if match else place

    def _slice(self, rows: dict[int, RowFields], broken: dict[int, str]) -> Slice:
        keys = dict.fromkeys(key for row in rows.values() for key in row)
        if len(keys) > MAX_COLUMNS:
            raise InputError(f"{self._name} has more than {MAX_COLUMNS:,} different entries; a table has columns.")
        columns = {key: pa.array([row.get(key) for row in rows.values()], type=pa.string()) for key in keys}
        return Slice(np.fromiter(rows, dtype=np.int64, count=len(rows)), columns, broken)


def _fields(value: dict[str, Any]) -> RowFields:
    return {_unicode(key).strip(): _cell(key, entry) for key, entry in value.items()}


def _cell(key: str, value: Any) -> str | None:
    """A value as the text a CSV's cell would hold; None for null and blanks."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _unicode(text, f" of {key[:80]!a}").strip() or None


def _unicode(text: str, where: str = "") -> str:
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise NoRow(f"a text{where} holds half a character (a lone surrogate)") from problem
    return text
