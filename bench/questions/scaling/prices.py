"""What a chip costs where wide instances and replicas are priced: the rule and the words of every priced answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench import pricing
from bench.library import Library
from bench.pricing import EVERY, ChipPrice, terms_in_words
from bench.view import View


def priced(library: Library, view: View, chips: Sequence[str]) -> tuple[View, Mapping[str, ChipPrice]]:
    """The View with its price book and terms filled in, and the price of each accelerator under them.

    The rule where the reader names neither is that of the cost answer, so both tell the same price.
    """
    book, terms = pricing.asked(library, view.option("price_book"), view.option("price_terms"))
    if not view.option("price_book") and not view.option("price_terms"):
        book, terms = pricing.comparable(library, chips)
    prices = pricing.chip_prices(library, book, terms)
    return view.with_options(price_book=book or EVERY, price_terms=terms or EVERY), {
        chip: price for chip, price in prices.items() if chip in chips
    }


def choices(library: Library, view: View) -> dict[str, list[tuple[str, str]]]:
    """The price books and terms to choose from: of each those that have the other."""
    book, terms = view.option("price_book", EVERY), view.option("price_terms", EVERY)
    offered = pricing.books(library)
    books = dict.fromkeys(row.name for row in offered if terms in (EVERY, row.terms))
    kinds = dict.fromkeys(row.terms for row in offered if book in (EVERY, row.name))
    return {
        "price_book": [(EVERY, "Every book"), *((name, name) for name in books)],
        "price_terms": [(EVERY, "Every terms"), *((one, terms_in_words(one).capitalize()) for one in kinds)],
    }


def source(view: View) -> str:
    """Whose prices they are: "every price book, on demand", "articles, unstated"."""
    book, terms = view.option("price_book"), view.option("price_terms")
    named = "every price book" if book == EVERY else book
    return f"{named}, {'every terms' if terms == EVERY else terms_in_words(terms)}"
