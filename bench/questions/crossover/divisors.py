"""What a throughput is divided by: chips, dollars and watts, and where prices and power come from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bench import names, pricing, selection
from bench.chart import value_label
from bench.errors import UsageError
from bench.library import Library
from bench.questions.crossover.asked import Asked, Per
from bench.questions.crossover.curves import Measured
from bench.selection import Clause
from bench.view import View
from bench.wording import joined, number

WITH_POINTS = "with_points"
"""Price terms: the prices that the source of the points prints itself."""

Divisor = Callable[[Measured], float | None]


@dataclass(frozen=True)
class Price:
    """What an hour of one accelerator costs, in USD, and where that is from."""

    usd: float
    words: str
    stated: bool = False


@dataclass(frozen=True)
class Prices:
    """The price of each accelerator of both sides; a side's own, where the reader states it, is for all of it."""

    book: str
    terms: str
    of_accelerator: dict[str, Price]
    of_side: dict[str, Price]

    def of(self, side: str, accelerator: str | None) -> Price | None:
        """The price on one side; None when not known."""
        return self.of_side.get(side) or self.of_accelerator.get(accelerator or "")


def prices(library: Library, view: View, asked: Asked, condition: Clause) -> Prices:
    """The prices of a complete View: the book's, overridden by what the reader states."""
    book, terms = (
        "" if view.option(key) == pricing.EVERY else view.option(key) for key in ("price_book", "price_terms")
    )
    found: dict[str, Price] = {}
    if terms == WITH_POINTS:
        found = _printed(library, condition, book)
    elif view.option("price_book"):
        listed = pricing.chip_prices(library, book, terms)
        found = {key: Price(row.median, row.words) for key, row in listed.items()}
    stated = {
        side: Price(usd, f"{number(usd)} USD/h (stated by you)", stated=True)
        for side, usd in (("a", asked.price_a), ("b", asked.price_b))
        if usd is not None
    }
    return Prices(book, terms, found, stated)


def completed(library: Library, view: View) -> View:
    """The View with a price book and terms.

    What is left open follows from the model alone, so that a listed pair has the same prices when it is chosen: the
    prices that the model's own pages print, where one prints all accelerators it measures, else the book that fits
    its accelerators. UnknownName or UsageError for a book or terms that no loaded price has.
    """
    book, terms = view.option("price_book"), view.option("price_terms")
    if book and terms and terms != WITH_POINTS:
        pricing.asked(library, book, terms)
        return view
    measured = _measured_on(library, view)
    if terms in ("", WITH_POINTS) and not (terms == "" and book == pricing.EVERY):
        for printed in _with_points(library, measured):
            if book in ("", printed):
                return view.with_options(price_book=printed, price_terms=WITH_POINTS)
    if terms == WITH_POINTS:
        pricing.asked(library, book, "")
        raise UsageError(
            f"price_terms={WITH_POINTS} is for points whose own page prints prices{_in(book)}; leave price_terms out."
        )
    pricing.asked(library, book, terms)
    offered = [
        row
        for row in pricing.books(library)
        if book in ("", pricing.EVERY, row.name) and terms in ("", row.terms)
    ]
    best = pricing.fitting_book(offered, {chip for chips in measured.values() for chip in chips})
    if book == pricing.EVERY or best is None:
        return view.with_options(
            price_book=book or None, price_terms=terms or (pricing.EVERY if book else None)
        )
    return view.with_options(price_book=best.name, price_terms=best.terms)


def _measured_on(library: Library, view: View) -> dict[str | None, frozenset[str]]:
    """The accelerators of the model's points by the page they were published on, None for points without one."""
    condition = selection.clause(selection.ordinary(View.of({"model": view.values("model")})))
    found = library.fetch(
        f"SELECT source_url, list(DISTINCT accelerator) FROM points WHERE {condition.sql}"
        " AND accelerator IS NOT NULL GROUP BY 1",
        condition.params,
    )
    return {url: frozenset(chips) for url, chips in found}


def _in(book: str) -> str:
    return f" in {book[:60]!r}" if book else ""


def _with_points(library: Library, measured: Mapping[str | None, frozenset[str]]) -> list[str]:
    """The books that hold, from one of the points' pages, a price of each of the accelerators measured there."""
    found = [
        (book, len(chips))
        for book, url, chips in _sources(library, [url for url in measured if url])
        if len(measured[url]) > 1 and measured[url] <= frozenset(chips)
    ]
    return [book for book, _ in sorted(found, key=lambda row: (-row[1], row[0]))]


def printed_books(library: Library, condition: Clause) -> list[str]:
    """The books that hold a price from a page the points were published on."""
    return list(dict.fromkeys(book for book, _, _ in _sources(library, _pages(library, condition))))


def _pages(library: Library, condition: Clause) -> list[str]:
    """The pages the points were published on."""
    found = library.fetch(
        "SELECT list(DISTINCT source_url ORDER BY source_url) FILTER (source_url IS NOT NULL)"
        f" FROM points WHERE {condition.sql}",
        condition.params,
    )[0][0]
    return list(found or ())


def _printed(library: Library, condition: Clause, book: str) -> dict[str, Price]:
    found: dict[str, Price] = {}
    for name, url, _ in _sources(library, _pages(library, condition)):
        if name != book:
            continue
        for accelerator, median, quotes in library.fetch(
            "SELECT accelerator, median(usd_per_accelerator_hour), count(*) FROM prices"
            " WHERE book = ? AND source_url = ? AND usd_per_accelerator_hour > 0 GROUP BY 1 ORDER BY 1",
            (book, url),
        ):
            printed = "printed" if quotes == 1 else f"median of {quotes} printed"
            words = f"{number(median)} USD/h ({printed} with the points)"
            found.setdefault(accelerator, Price(median, words))
    return found


def _sources(library: Library, pages: Collection[str]) -> list[tuple[Any, ...]]:
    """(book, page, accelerators) of the prices printed on these pages, those with the most accelerators first."""
    return library.fetch(
        "SELECT book, source_url, list(DISTINCT accelerator ORDER BY accelerator) AS chips FROM prices"
        " WHERE usd_per_accelerator_hour > 0 AND source_url IN (SELECT unnest(CAST(? AS VARCHAR[])))"
        " GROUP BY 1, 2 ORDER BY len(chips) DESC, 1, 2",
        (list(pages),),
    )


def divisor(per: Per, side: str, priced: Prices) -> Divisor:
    """What a side's values are divided by; None where that is not known."""

    def chips(row: Measured) -> float | None:
        return float(row.accelerators) if row.accelerators else None

    def dollars(row: Measured) -> float | None:
        price = priced.of(side, row.accelerator)
        return price.usd * row.accelerators if price and row.accelerators else None

    def watts(row: Measured) -> float | None:
        rated = rated_power(row.accelerator)
        return rated * row.accelerators if rated and row.accelerators else None

    found: dict[Per, Divisor] = {
        "raw": lambda _: 1.0,
        "accelerator": chips,
        "dollar": dollars,
        "watt": watts,
    }
    return found[per]


def rated_power(accelerator: str | None) -> float | None:
    """The published power of one accelerator in W, its TDP; None where none is published."""
    row = names.accelerator(accelerator) if accelerator else None
    return row.tdp_w if row else None


def lacking(per: Per, rows: list[Measured], side: str, priced: Prices) -> str:
    """Why a side cannot be divided by this, in a few words; empty when it can."""
    if per == "raw" or any(divisor(per, side, priced)(row) for row in rows):
        return ""
    chips = joined(sorted({value_label("accelerator", row.accelerator) for row in rows}))
    if not any(row.accelerators for row in rows):
        return f"the number of chips of {chips} is not stated"
    if per == "dollar":
        return f"no price of {chips}{f' in {priced.book}' if priced.book else ''}"
    return f"no rated power of {chips} is known here"
