"""A price book `data/prices/<book>.csv`: what accelerators cost by the hour, where and on which terms."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from bench.errors import InputError
from bench.names import accelerator_slug
from bench.records import Price, Refusal

TERMS = (
    "on_demand",
    "spot",
    "reserved",
    "list",
    "marketplace",
    "unstated",
    "modelled:hyperscaler",
    "modelled:neocloud",
    "modelled:rental",
)
PLACEHOLDERS = (700.0, 9.99)
"""Figures that catalogues print where they have no price: 700.0 in SkyPilot's, 9.99 in SemiAnalysis' registry."""

NEEDED = ("provider", "accelerator", "accelerators", "terms", "usd_per_hour")
KNOWN = (*(column.name for column in fields(Price)), "usd_per_accelerator_hour")


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
    unknown = [column for column in header if column not in KNOWN]
    if unknown or len(set(header)) < len(header):
        odd = unknown[0] if unknown else next(column for column in header if header.count(column) > 1)
        raise InputError(f"{path.name} has an unknown or doubled column {odd!r}; known are {', '.join(KNOWN)}.")


def _price(stem: str, row: dict[str, str]) -> tuple[Price, str | None]:
    """The price in a row, and the placeholder found in place of its figure, if any."""
    for column in ("provider", "accelerator"):
        if not row[column]:
            raise _WrongCell(column, "a name")
    if row["terms"] not in TERMS:
        raise _WrongCell("terms", f"one of {', '.join(TERMS)}")
    chips = _chips(row["accelerators"])
    usd, each = _usd(row, "usd_per_hour"), _usd(row, "usd_per_accelerator_hour")
    placeholder = next((row["usd_per_hour"] for value in (usd, each) if value in PLACEHOLDERS), None)
    if placeholder is not None:
        usd = None
    elif usd is not None and each is not None and not math.isclose(usd, each * chips, rel_tol=0.01):
        raise _WrongCell("usd_per_accelerator_hour", f"usd_per_hour / {chips} = {usd / chips:g}")
    price = Price(
        book=row.get("book") or stem,
        provider=row["provider"],
        accelerator=accelerator_slug(row["accelerator"]),
        accelerators=chips,
        terms=row["terms"],
        usd_per_hour=usd,
        instance=row.get("instance") or None,
        region=row.get("region") or None,
        as_of=_day(row.get("as_of", "")),
        source_url=_link(row.get("source_url", "")),
        note=row.get("note") or None,
    )
    return price, placeholder


def _chips(cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and int(cell) > 0):
        raise _WrongCell("accelerators", "a whole number of chips, at least 1")
    return int(cell)


def _usd(row: dict[str, str], column: str) -> float | None:
    cell = row.get(column, "")
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise _WrongCell(column, "USD per hour above 0, or empty where there is no price")
    return value


def _day(cell: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(cell) if cell else None
    except ValueError as problem:
        raise _WrongCell("as_of", "a date such as 2026-11-20") from problem


def _link(cell: str) -> str | None:
    if cell and not cell.startswith(("https://", "http://")):
        raise _WrongCell("source_url", "an address that begins with https:// or http://")
    return cell or None
