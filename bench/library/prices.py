"""A price book `data/prices/<book>.csv`: what accelerators cost by the hour, where and on which terms."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.errors import InputError
from bench.formats.table.cells import Parse, Unexpected, choice, link, rate, slug, text, whole
from bench.names import accelerator_slug
from bench.records import Price, Refusal

TERMS = tuple(
    "on_demand spot reserved list marketplace unstated modelled:hyperscaler modelled:neocloud modelled:rental".split()
)
PLACEHOLDERS = (700.0, 9.99)
"""Figures that catalogues print where they have no price: 700.0 in SkyPilot's, 9.99 in SemiAnalysis' registry."""


def _iso_day(cell: str) -> datetime.date:
    """The day of a quote, which may hold from a day to come."""
    try:
        return datetime.date.fromisoformat(cell)
    except ValueError:
        raise Unexpected("a date as 2026-11-20") from None


NEEDED = ("provider", "accelerator", "accelerators", "terms", "usd_per_hour")
PARSERS: Mapping[str, Parse] = {
    **dict.fromkeys(("book", "provider", "instance", "region", "note"), text),
    "accelerator": slug(accelerator_slug),
    "accelerators": whole(1),
    "terms": choice(TERMS),
    "usd_per_hour": rate,
    "usd_per_accelerator_hour": rate,
    "as_of": _iso_day,
    "source_url": link,
}
"""How a cell of each column is read, as in a table of results."""


class _WrongCell(ValueError):
    """A cell that is not what its column holds: which column, and what was expected."""

    def __init__(self, column: str, expected: str) -> None:
        super().__init__(f"{column} must be {expected}")
        self.column, self.expected = column, expected


def read_book(path: Path) -> tuple[list[Price], list[Refusal]]:
    """The prices of one book, and the rows or figures in it that were not taken, each with its reason.

    `usd_per_hour` is USD for `accelerators` chips; None where the cell is empty or holds a placeholder, and a
    placeholder is refused as well. The book's name is its column `book`, else the file's stem.
    InputError when the file is no CSV with the columns of a price book.
    """
    prices: list[Price] = []
    refusals: list[Refusal] = []
    for number, row in _rows(path):
        try:
            price, placeholder = _price(path.stem, row)
        except _WrongCell as wrong:
            cell = row.get(wrong.column)
            refusals.append(Refusal(path.name, f"{wrong}.", number, wrong.column, cell, wrong.expected))
            continue
        prices.append(price)
        if placeholder is not None:
            refusals.append(_placeholder(path, number, placeholder))
    return prices, refusals


def _placeholder(path: Path, number: int, cell: str) -> Refusal:
    reason = f"{cell} is a placeholder for a price that is not known; the price is absent."
    return Refusal(path.name, reason, number, "usd_per_hour", cell, "a price, or an empty cell")


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with its number, the header being row 1; cells trimmed."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            reader = csv.reader(lines, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            _check_header(path, header)
            for number, cells in enumerate(reader, start=2):
                if any(cell.strip() for cell in cells):
                    padded = [*cells, *[""] * (len(header) - len(cells))]
                    yield number, {name: cell.strip() for name, cell in zip(header, padded, strict=False)}
    except (csv.Error, UnicodeDecodeError) as problem:
        raise InputError(f"{path.name} is no price book: {problem}.") from problem


def _check_header(path: Path, header: list[str]) -> None:
    missing = [column for column in NEEDED if column not in header]
    if missing:
        raise InputError(f"{path.name} is no price book: the column {missing[0]!r} is missing.")
    unknown = [column for column in header if column not in PARSERS]
    if unknown or len(set(header)) < len(header):
        odd = unknown[0] if unknown else next(column for column in header if header.count(column) > 1)
        raise InputError(f"{path.name} has an unknown or doubled column {odd!r}; known are {', '.join(PARSERS)}.")


def _price(stem: str, row: dict[str, str]) -> tuple[Price, str | None]:
    """The price in a row, and the placeholder found in place of its figure, if any."""
    stated: dict[str, Any] = {"book": stem, "usd_per_hour": None}
    for column, cell in row.items():
        try:
            if cell or column in NEEDED[:-1]:
                stated[column] = PARSERS[column](cell)
        except Unexpected as problem:
            raise _WrongCell(column, str(problem)) from problem
    if not stated["provider"]:
        raise _WrongCell("provider", "a name")
    usd, each, chips = stated["usd_per_hour"], stated.pop("usd_per_accelerator_hour", None), stated["accelerators"]
    if usd in PLACEHOLDERS or each in PLACEHOLDERS:
        return Price(**{**stated, "usd_per_hour": None}), row["usd_per_hour"]
    if usd is not None and each is not None and not math.isclose(usd, each * chips, rel_tol=0.01):
        raise _WrongCell("usd_per_accelerator_hour", f"usd_per_hour / {chips} = {usd / chips:g}")
    return Price(**stated), None
