"""What an hour of one accelerator costs, and the SQL that turns it into cost per token."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from weakref import WeakKeyDictionary

from bench import catalogue
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.maths.cost import MILLION, SECONDS_PER_HOUR
from bench.wording import counted, number

EVERY = "every"
"""How a reader names every price book, or every terms."""

TERMS_FIRST = "on_demand"
MANY_PRICED = 0.5
"""Of several accelerators on-demand quotes are taken where they cover at least this share of them."""


@dataclass(frozen=True)
class ChipPrice:
    """The price of one accelerator in one book under one set of terms, in USD per hour.

    `median` is over `quotes` quotes, which run from `lowest` to `highest`.
    """

    accelerator: str
    median: float
    quotes: int
    lowest: float
    highest: float

    @property
    def words(self) -> str:
        """The price with the quotes it is made of: "2.52 USD/h (median of 7 quotes, 1.99 to 4.41)"."""
        price = f"{number(self.median)} USD/h"
        if self.quotes == 1:
            return f"{price} (one quote)"
        spread = f", {number(self.lowest)} to {number(self.highest)}" if self.lowest < self.highest else ""
        return f"{price} (median of {counted(self.quotes, 'quote')}{spread})"


@dataclass(frozen=True)
class Quote:
    """One price as a book prints it, in USD for one accelerator and hour.

    `accelerators` is how many chips the price was quoted for; `as_of` is None where the book does not date it.
    """

    book: str
    provider: str
    accelerator: str
    accelerators: int
    instance: str | None
    region: str | None
    terms: str
    usd_per_accelerator_hour: float
    as_of: datetime.date | None
    source_url: str | None
    note: str | None

    @property
    def is_modelled(self) -> bool:
        """Whether the price is a modelled cost that nobody offers."""
        return self.terms.startswith("modelled")


@dataclass(frozen=True)
class Book:
    """One price book under one set of terms, with the accelerators it prices."""

    name: str
    terms: str
    accelerators: frozenset[str]
    quotes: int
    newest: datetime.date | None


def terms_in_words(terms: str) -> str:
    """Terms as people write them: "on demand", "modelled, neocloud"."""
    return terms.replace("_", " ").replace(":", ", ")


def books(library: Library) -> tuple[Book, ...]:
    """Every loaded price book under each of its terms, by name and terms; quotes without a price do not count."""
    version, known = _BOOKS.get(library, ("", ()))
    if version != library.version:
        version = library.version
        found = library.fetch(
            "SELECT book, terms, list(DISTINCT accelerator), count(*), max(as_of) FROM prices"
            " WHERE usd_per_accelerator_hour > 0 GROUP BY book, terms ORDER BY book, terms"
        )
        known = tuple(Book(name, terms, frozenset(chips), *rest) for name, terms, chips, *rest in found)
        _BOOKS[library] = version, known
    return known


_BOOKS: WeakKeyDictionary[Library, tuple[str, tuple[Book, ...]]] = WeakKeyDictionary()
"""The books of a library and the version they are of: a page asks for them four times over."""


def providers(library: Library, book: str = "", terms: str = "") -> tuple[str, ...]:
    """Everyone with a price in a book under these terms, by name; empty `book` or `terms` take them all."""
    found = library.fetch(
        "SELECT DISTINCT provider FROM prices WHERE usd_per_accelerator_hour > 0 AND ? IN ('', book)"
        " AND ? IN ('', terms) ORDER BY 1",
        (book, terms),
    )
    return tuple(row[0] for row in found)


def fitting_book(offered: Collection[Book], accelerators: Collection[str]) -> Book | None:
    """The book that prices the most of these accelerators; on demand before other terms, newer before older.

    Of equals the one with the most quotes; None when there is no book.
    """
    wanted = frozenset(accelerators)
    return max(
        offered,
        key=lambda book: (
            len(book.accelerators & wanted),
            book.terms == TERMS_FIRST,
            book.newest or datetime.date.min,
            book.quotes,
        ),
        default=None,
    )


def comparable(library: Library, accelerators: Collection[str]) -> tuple[str, str]:
    """The book and terms that price these accelerators alike; empty where every book, or every terms, may enter.

    One accelerator takes every quote. Several take every book's on-demand quotes where those cover MANY_PRICED of
    them, else the one book under the one set of terms that covers the most.
    """
    offered, wanted = books(library), frozenset(accelerators)
    if len(wanted) < 2 or not offered:
        return "", ""
    on_demand = {chip for row in offered if row.terms == TERMS_FIRST for chip in row.accelerators}
    if len(on_demand & wanted) >= MANY_PRICED * len(wanted):
        return "", TERMS_FIRST
    fitting = fitting_book(offered, wanted)
    return (fitting.name, fitting.terms) if fitting else ("", "")


def asked(library: Library, book: str, terms: str) -> tuple[str, str]:
    """The book and terms as a reader wrote them, empty where each may be any.

    UnknownName for one that no loaded price has, UsageError for a book that has none under these terms.
    """
    if not (book or terms):
        return "", ""
    offered = books(library)
    choices = {"price_book": [row.name for row in offered], "price_terms": [row.terms for row in offered]}
    for (key, known), value in zip(choices.items(), (book, terms), strict=True):
        if value and value not in (EVERY, *known):
            raise UnknownName(f"choice for {key}", value, (EVERY, *known))
    book, terms = ("" if value == EVERY else value for value in (book, terms))
    if book and terms and not any((row.name, row.terms) == (book, terms) for row in offered):
        raise UsageError(
            f"The price book {book} has no {terms_in_words(terms)} prices; leave price_book or price_terms out."
        )
    return book, terms


def chip_prices(
    library: Library, book: str = "", terms: str = "", provider: str = ""
) -> dict[str, ChipPrice]:
    """The median price of each accelerator in a book, under these terms, at a provider; without a price it is absent.

    Empty `book`, `terms` or `provider` take them all. A modelled cost, which nobody offers, enters only where an
    accelerator has no offer.
    """
    found = library.fetch(
        "WITH quote AS (SELECT accelerator, usd_per_accelerator_hour AS usd, terms LIKE 'modelled%' AS modelled"
        " FROM prices WHERE usd_per_accelerator_hour > 0 AND ? IN ('', book) AND ? IN ('', terms)"
        " AND ? IN ('', provider)), offered AS (SELECT DISTINCT accelerator FROM quote WHERE NOT modelled)"
        " SELECT accelerator, median(usd), count(*), min(usd), max(usd) FROM quote"
        " WHERE NOT modelled OR accelerator NOT IN (FROM offered) GROUP BY accelerator ORDER BY 1",
        (book, terms, provider),
    )
    return {row[0]: ChipPrice(*row) for row in found}


def quotes(
    library: Library, accelerators: Collection[str], book: str = "", terms: str = "", provider: str = ""
) -> tuple[Quote, ...]:
    """Every single price of these accelerators, the cheapest of each first; what is left empty takes them all.

    A row of a book without a price is no quote.
    """
    columns = ", ".join(column.name for column in fields(Quote))
    found = library.fetch(
        f"SELECT {columns} FROM prices WHERE usd_per_accelerator_hour > 0"
        " AND accelerator IN (SELECT unnest(CAST(? AS VARCHAR[]))) AND ? IN ('', book) AND ? IN ('', terms)"
        " AND ? IN ('', provider)"
        " ORDER BY accelerator, usd_per_accelerator_hour, provider, book, terms, region, instance",
        (sorted(accelerators), book, terms, provider),
    )
    return tuple(Quote(*row) for row in found)


def cost_sql(key: str, prices: Mapping[str, ChipPrice], utilisation: float) -> tuple[str, tuple[object, ...]]:
    """The DuckDB expression of a cost metric over a point's columns, and its parameters; NULL without a price.

    Formula: the catalogue's, with `utilisation` the share of the hour in which the tokens are really served.
    """
    throughput = catalogue.PRICED[key]
    tokens_per_hour = f"nullif({throughput}, 0) * CAST(? AS DOUBLE) * {SECONDS_PER_HOUR}"
    price, params = price_sql(prices)
    return f"({price}) * accelerators / ({tokens_per_hour}) * {MILLION}", (*params, utilisation)


def price_sql(prices: Mapping[str, ChipPrice]) -> tuple[str, tuple[object, ...]]:
    """The DuckDB expression of the price of a point's accelerator, and its parameters; NULL without a price."""
    if not prices:
        return "CAST(NULL AS DOUBLE)", ()
    cases = " ".join("WHEN ? THEN CAST(? AS DOUBLE)" for _ in prices)
    bound = (value for price in prices.values() for value in (price.accelerator, price.median))
    return f"CASE accelerator {cases} END", tuple(bound)
