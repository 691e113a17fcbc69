"""The price of an accelerator from every quote in force, and terms in the words of people."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.names import DATA
from bench.pricing import asked, books, chip_prices, comparable, quotes, terms_in_words


def test_terms_read_as_people_write_them() -> None:
    assert terms_in_words("modelled:neocloud") == "modelled, neocloud"
    assert terms_in_words("on_demand") == "on demand"


def test_every_shipped_term_keeps_a_wording_of_its_own(tmp_path: Path) -> None:
    terms = [row[0] for row in Library.open(tmp_path / "own").fetch("SELECT DISTINCT terms FROM prices")]
    words = [terms_in_words(one) for one in terms]
    assert len(set(words)) == len(terms) > 4
    assert not [one for one in words if "_" in one or ":" in one]


def test_the_price_of_an_accelerator_is_the_median_of_its_offers_over_every_book(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "own")
    prices = chip_prices(library, terms="on_demand")
    for chip, price in prices.items():
        offers = [quote.usd_per_accelerator_hour for quote in quotes(library, [chip], terms="on_demand")]
        assert price.median == pytest.approx(statistics.median(offers))
        assert (price.quotes, price.lowest, price.highest) == (len(offers), min(offers), max(offers))
    assert len({quote.book for quote in quotes(library, ["h100-sxm"], terms="on_demand")}) > 1
    assert (
        chip_prices(library, "articles", "unstated", "Lambda")["h100-sxm"].words == "2.49 USD/h (one quote)"
    )


def test_a_modelled_cost_enters_only_where_nothing_is_offered(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "own")
    prices = chip_prices(library)
    for chip, price in prices.items():
        every = quotes(library, [chip])
        offers = [quote for quote in every if not quote.is_modelled]
        assert price.quotes == len(offers or every)
    assert {chip for chip in prices if all(quote.is_modelled for quote in quotes(library, [chip]))}


def test_accelerators_are_priced_on_demand_where_that_covers_half_of_them(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "own")
    assert comparable(library, ["h100-sxm"]) == ("", "")
    assert comparable(library, ["h100-sxm", "b200-sxm"]) == ("", "on_demand")
    book, terms = comparable(library, ["gb300-nvl72", "mi355x", "h100-sxm"])
    covered = {row.name for row in books(library) if row.terms == terms and "gb300-nvl72" in row.accelerators}
    assert terms == "on_demand" or book in covered


def test_a_book_and_terms_are_checked_against_those_that_are_loaded(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "own")
    assert asked(library, "", "") == ("", "")
    assert asked(library, "every", "on_demand") == ("", "on_demand")
    assert asked(library, "articles", "unstated") == ("articles", "unstated")
    with pytest.raises(UnknownName, match=r"price_book named 'foo'.*articles"):
        asked(library, "foo", "")
    with pytest.raises(UnknownName, match=r"price_terms named 'often'.*on_demand"):
        asked(library, "", "often")
    with pytest.raises(UsageError, match="articles has no spot prices"):
        asked(library, "articles", "spot")


def test_a_price_book_that_comes_later_is_offered_after_the_next_look(tmp_path: Path) -> None:
    library, other = Library.open(tmp_path / "own"), Library.open(tmp_path / "other")
    before = books(library)
    header, quote = (DATA / "prices" / "articles.csv").read_text().splitlines()[:2]
    own = tmp_path / "own" / "prices" / "ours.csv"
    own.parent.mkdir(parents=True)
    own.write_text(f"{header}\n{quote.replace('articles,', 'ours,', 1)}\n")
    library.refresh()
    assert {book.name for book in books(library)} - {book.name for book in before} == {"ours"}
    assert books(other) == before
    own.unlink()
    library.refresh()
    assert books(library) == before
