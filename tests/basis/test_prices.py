"""The price of an accelerator under one choice: terms, book, provider and utilisation, the same for every answer."""

from __future__ import annotations

import datetime
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis import prices
from bench.basis.prices import EVERY, WITH_POINTS, ChipPrice, Choice, Quote
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.names import DATA
from bench.selection import Clause, clause
from bench.view import View


def quote(provider: str, usd: float, terms: str = "on_demand", chip: str = "h100-sxm") -> Quote:
    return Quote("book", provider, chip, 1, None, None, terms, usd, datetime.date(2026, 7, 20), None, None)


def test_by_default_a_chip_is_priced_on_demand_from_every_book_at_the_median_over_providers(shipped: Library) -> None:
    assert prices.read(shipped, View()) == Choice()
    found = prices.chip_prices(shipped, Choice())
    rows = shipped.fetch(
        "SELECT accelerator, provider, usd_per_accelerator_hour FROM prices WHERE terms = 'on_demand'"
        " AND usd_per_accelerator_hour > 0"
    )
    by_chip: dict[str, dict[str, set[str]]] = {}
    for chip, provider, usd in rows:
        by_chip.setdefault(chip, {}).setdefault(provider, set()).add(f"{usd:.3g}")
    assert found.keys() == by_chip.keys()
    for chip, providers in by_chip.items():
        medians = [statistics.median(map(float, values)) for values in providers.values()]
        assert found[chip].usd == pytest.approx(statistics.median(medians), rel=5e-3)
        assert found[chip].providers == len(providers)
    h100 = {one.book for one in prices.quotes(shipped, Choice(), ["h100-sxm"])}
    assert len(h100) > 1
    assert "mi325x" not in found


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 9)), min_size=1), st.integers(1, 5))
def test_quoting_the_same_again_changes_no_price(offers: list[tuple[str, int]], again: int) -> None:
    every = [quote(provider, usd) for provider, usd in offers]
    once = prices.of_chips(every, Choice())["h100-sxm"]
    assert prices.of_chips([*every, *every[:again]], Choice())["h100-sxm"] == once
    assert once.low == min(usd for _, usd in offers) <= once.usd <= once.high == max(usd for _, usd in offers)


def test_a_modelled_cost_counts_only_where_nothing_is_offered_and_is_called_that() -> None:
    offered = [quote("a", 2), quote("b", 4), quote("m", 1, "modelled:rental")]
    own = prices.of_chips(offered, Choice(EVERY))["h100-sxm"]
    assert (own.usd, own.modelled) == (3, False)
    alone = prices.of_chips(offered[2:], Choice(EVERY))["h100-sxm"]
    assert (alone.usd, alone.modelled) == (1, True)
    assert "modelled" in alone.words
    assert prices.quoted(offered[2]).startswith("a modelled cost")


def test_equal_quotes_of_one_provider_are_one_that_knows_its_regions(shipped: Library) -> None:
    found = prices.quotes(shipped, Choice(provider="GCP"), ["tpu-v6e"])
    assert [one.usd_per_accelerator_hour for one in found] == [2.7, 2.97, 3.24]
    for one in found:
        regions = shipped.fetch(
            "SELECT DISTINCT region FROM prices WHERE accelerator = 'tpu-v6e' AND provider = 'GCP'"
            " AND terms = 'on_demand' AND usd_per_accelerator_hour = ?",
            (one.usd_per_accelerator_hour,),
        )
        assert set(one.regions) == {region for (region,) in regions}
    # A chip's share of an instance of eight is 0.403250 where one alone is 0.403200.
    spot = prices.quotes(shipped, Choice("spot"), ["tpu-v6e"])
    assert len({f"{one.usd_per_accelerator_hour:.3g}" for one in spot}) == len(spot)


def test_a_choice_is_checked_against_what_is_loaded(shipped: Library) -> None:
    def read(**options: str) -> Choice:
        return prices.read(shipped, View.of({}, options))

    assert read(price_book="articles", price_terms="unstated") == Choice("unstated", "articles")
    assert read(price_terms="every", utilisation="0.6") == Choice(EVERY, utilisation=0.6)
    for key, value, offered in (
        ("price_book", "foo", "articles"),
        ("price_terms", "often", "on_demand"),
        ("provider", "Lamda", "Lambda"),
    ):
        with pytest.raises(UnknownName, match=rf"{key} named '{value}'.*{offered}"):
            read(**{key: value})
    with pytest.raises(UsageError, match=r"articles.*spot"):
        read(price_book="articles", price_terms="spot")


def test_a_book_and_a_provider_are_priced_by_their_own_quotes_alone(shipped: Library) -> None:
    pairs = shipped.fetch("SELECT DISTINCT book, provider FROM prices WHERE usd_per_accelerator_hour > 0")
    choices = [Choice(EVERY, *pair) for pair in pairs]
    for choice in choices:
        quotes = prices.quotes(shipped, choice)
        assert {(one.book, one.provider) for one in quotes} == {(choice.book, choice.provider)}
    each = prices.chip_prices_of_each(shipped, choices)
    assert each == {choice: prices.chip_prices(shipped, choice) for choice in choices}


def test_a_book_named_alone_is_read_under_the_terms_it_has(shipped: Library) -> None:
    whole = prices.completed(shipped, View.of({}, {"price_book": "articles", "provider": "GCP"}))
    terms = {one.terms for one in prices.quotes(shipped, Choice(EVERY, "articles"))}
    assert whole.option("price_terms") == EVERY if len(terms) > 1 else terms.pop()
    assert prices.completed(shipped, whole) == whole
    listed = prices.completed(shipped, View.of({}, {"price_book": "list-prices"}))
    assert listed.option("price_terms") == "on_demand"


def test_prices_printed_with_the_points_are_those_of_their_own_pages(shipped: Library) -> None:
    view = View.of({"source": ["inferencebench-gemma4-h100"]})
    choice = Choice(WITH_POINTS)
    assert prices.chip_prices(shipped, choice) == {}
    (own,) = prices.chip_prices(shipped, choice, clause(view)).values()
    assert (own.accelerator, own.low, own.high, own.providers) == ("h100-sxm", 2.49, 5.40, 6)
    assert own.printed
    assert prices.chip_prices(shipped, choice, Clause("FALSE", ())) == {}


def test_sql_gives_the_price_and_the_cost_that_the_tables_give(shipped: Library) -> None:
    found = prices.chip_prices(shipped, Choice())
    sql, params = prices.cost_sql("usd_per_million_output_tokens", found, 0.5)
    rows = shipped.fetch(
        f"SELECT accelerator, accelerators, output_tokens_per_s, {sql} FROM points"
        " WHERE output_tokens_per_s > 0 AND accelerators > 0 AND accelerator IS NOT NULL ORDER BY point_id LIMIT 200",
        params,
    )
    assert {chip in found for chip, *_ in rows} == {True, False}
    for chip, many, rate, usd in rows:
        wanted = found[chip].usd * many / (rate * 0.5 * 3600) * 1e6 if chip in found else None
        assert usd == (None if wanted is None else pytest.approx(wanted))


def test_what_an_answer_says_of_prices_counts_the_chips_that_have_none(shipped: Library) -> None:
    found = prices.chip_prices(shipped, Choice())
    priced, unpriced = prices.statements(Choice(), found, ["h100-sxm", "mi325x"])
    assert (priced.kind, priced.values) == ("prices", {"h100-sxm": found["h100-sxm"].usd})
    assert (unpriced.kind, unpriced.values) == ("unpriced", {"unpriced": 1})
    assert prices.statements(Choice(), found, []) == []


@pytest.mark.parametrize(
    ("choice", "price", "words"),
    [
        (Choice(), ChipPrice("h100-sxm", 3.9, 5, 2.15, 10), ["on demand", "3.90 USD/h", "5 providers", "2.15 to 10"]),
        (
            Choice(book="articles", provider="Lambda", utilisation=0.5),
            ChipPrice("h100-sxm", 2.49, 1, 2.49, 2.49),
            ["articles", "Lambda", "50 %", "2.49 USD/h"],
        ),
        (Choice(WITH_POINTS), ChipPrice("h100-sxm", 3, 1, 2.49, 5.4, printed=True), ["printed with the points"]),
        (Choice("modelled:neocloud"), ChipPrice("h100-sxm", 1.5, 1, 1.5, 1.5, modelled=True), ["modelled", "neocloud"]),
    ],
)
def test_what_an_answer_says_of_a_price_names_what_was_chosen(
    choice: Choice, price: ChipPrice, words: list[str]
) -> None:
    (told,) = prices.statements(choice, {"h100-sxm": price}, ["h100-sxm"])
    assert [word for word in words if word not in told.text] == []


def books(library: Library) -> set[str]:
    return {value for value, _ in prices.choices(library, View())[prices.BOOK.key]}


def test_a_price_book_that_comes_later_is_offered_after_the_next_look(tmp_path: Path) -> None:
    library, other = Library.open(tmp_path / "own"), Library.open(tmp_path / "other")
    before = books(library)
    header, first = (DATA / "prices" / "articles.csv").read_text().splitlines()[:2]
    own = tmp_path / "own" / "prices" / "ours.csv"
    own.parent.mkdir(parents=True)
    own.write_text(f"{header}\n{first.replace('articles,', 'ours,', 1)}\n")
    library.refresh()
    assert books(library) - before == {"ours"}
    assert books(other) == before
    own.unlink()
    library.refresh()
    assert books(library) == before
