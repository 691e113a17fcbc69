"""What an hour of an accelerator costs: terms, book, provider and utilisation, one choice for every answer.

Unless the reader chooses otherwise a chip is priced on demand, from every book, at the median over providers, of which
each counts once with the median of its unlike quotes; fully used. A chip without such a price has none. Modelled costs,
which nobody offers, and prices printed on the points' own page are terms that a reader chooses.
"""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace

from bench import catalogue
from bench.basis.narrator import Narrator
from bench.basis.options import Option
from bench.basis.statement import Statement, caveat
from bench.basis.wording import opened
from bench.basis.words import WORDS
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.maths.cost import MILLION, SECONDS_PER_HOUR
from bench.selection import Clause
from bench.view import View
from bench.wording import number, share

NARRATOR = Narrator(WORDS)

EVERY = "every"
"""How a reader names every price book, every terms or every provider."""

ON_DEMAND = "on_demand"
WITH_POINTS = "with_points"
"""Terms: the prices that the page prints on which the points were published."""

MODELLED = "modelled"
ROUNDED = 0.001
"""Quotes of one provider this close are one, as a chip's share of an instance is rounded."""

TERMS = Option(
    "price_terms",
    "Price terms",
    "choice",
    "Of prices: on demand, spot, reserved, modelled, or every one.",
    default=ON_DEMAND,
)
BOOK = Option("price_book", "Price book", "choice", "The price list, or every one.", default=EVERY)
PROVIDER = Option("provider", "Provider", "choice", "Whose prices are taken, or everyone's.", default=EVERY)
UTILISATION = Option(
    "utilisation",
    "Utilisation",
    "number",
    "The share of the paid time in which tokens are really served, from 0.001 to 1.",
    least=0.001,
    most=1,
    example="0.6",
    default="1",
)
OPTIONS = (TERMS, BOOK, PROVIDER, UTILISATION)
WHOSE = (TERMS.key, BOOK.key, PROVIDER.key)


@dataclass(frozen=True)
class Choice:
    """Whose prices count: terms, book and provider, each EVERY or one; and the utilisation, above 0 and at most 1."""

    terms: str = ON_DEMAND
    book: str = EVERY
    provider: str = EVERY
    utilisation: float = 1.0

    @property
    def whose(self) -> list[str]:
        """The book and the provider, as far as they are chosen."""
        return [one for one in (self.book, self.provider) if one != EVERY]

    @property
    def words(self) -> str:
        """The choice in a sentence: "on demand, list-prices", "modelled cost, neocloud"."""
        parts = [terms_in_words(self.terms), *self.whose]
        if self.utilisation < 1:
            parts.append(f"used to {share(self.utilisation)}")
        return ", ".join(parts)


@dataclass(frozen=True)
class ChipPrice:
    """The price of one accelerator for one hour in USD: the median over `providers`, whose quotes run from low to high.

    `modelled` is that nobody offers it; `printed` that it is the price on the points' own page; `stated` that the
    reader states it.
    """

    accelerator: str
    usd: float
    providers: int = 1
    low: float = 0.0
    high: float = 0.0
    modelled: bool = False
    printed: bool = False
    stated: bool = False

    @property
    def words(self) -> str:
        """The price with what it is made of: "2.52 USD/h (median of 4 providers, 1.99 to 4.41)"."""
        price = f"{number(self.usd)} USD/h"
        if self.stated:
            return f"{price} (stated by you)"
        kind = "modelled" if self.modelled else "printed with the points" if self.printed else ""
        if self.providers == 1 and self.low == self.high:
            return f"{price} ({kind or 'one provider'})"
        whose = "one provider's quotes" if self.providers == 1 else f"median of {self.providers} providers"
        return f"{price} ({f'{kind}, ' if kind else ''}{whose}, {number(self.low)} to {number(self.high)})"

    @property
    def brief(self) -> str:
        """The price with how many providers it is of: "2.52 USD (4)"; what is no offer is called that."""
        kind = "stated" if self.stated else "modelled" if self.modelled else "printed" if self.printed else ""
        return f"{number(self.usd)} USD ({kind or self.providers})"


@dataclass(frozen=True)
class Quote:
    """One price as a book prints it, in USD for one accelerator and hour.

    `accelerators` is how many chips the price was quoted for; `as_of` is None where the book does not date it.
    `regions` are all those in which the provider asks the same.
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
    regions: tuple[str, ...] = ()

    @property
    def is_modelled(self) -> bool:
        """Whether the price is a modelled cost that nobody offers."""
        return is_modelled(self.terms)


def is_modelled(terms: str) -> bool:
    """Whether terms are those of a modelled cost that nobody offers."""
    return terms.startswith(MODELLED)


def terms_in_words(terms: str) -> str:
    """Terms as people write them: "on demand", "modelled cost, neocloud", "prices printed with the points"."""
    if terms == WITH_POINTS:
        return "prices printed with the points"
    if terms == EVERY:
        return "any terms"
    if terms == "unstated":
        return "terms unstated"
    return terms.replace("_", " ").replace(f"{MODELLED}:", "modelled cost, ")


def stated(view: View) -> Choice:
    """What a View chooses, the default where it leaves something open, whether or not there is such a price."""
    whose = view.option(TERMS.key, ON_DEMAND), view.option(BOOK.key, EVERY), view.option(PROVIDER.key, EVERY)
    return Choice(*whose, UTILISATION.number(view) or 1.0)


def read(library: Library, view: View) -> Choice:
    """What a View chooses, the default where it leaves something open.

    UnknownName for terms, a book or a provider that no loaded price has; UsageError for a book that has none under
    these terms, or a utilisation that is none.
    """
    choice = stated(view)
    if (choice.terms, choice.book, choice.provider) == (ON_DEMAND, EVERY, EVERY):
        return choice
    held = _offered(library)
    for key, value in zip(WHOSE, (choice.terms, choice.book, choice.provider), strict=True):
        always = (EVERY, WITH_POINTS, ON_DEMAND) if key == TERMS.key else (EVERY,)
        known = dict.fromkeys((*always, *(row[key] for row in held)))
        if value not in known:
            raise UnknownName(f"choice for {key}", value, tuple(known))
    if choice.book != EVERY and choice.terms not in (EVERY, WITH_POINTS, *_terms_of(held, choice.book)):
        raise UsageError(
            f"The price book {choice.book} has no {terms_in_words(choice.terms)} prices; choose other terms or every"
            " book."
        )
    return choice


def completed(library: Library, view: View) -> View:
    """The View with its prices written out; terms that a book named alone does not have give way to those it has."""
    book = view.option(BOOK.key, EVERY)
    if not view.option(TERMS.key) and book != EVERY:
        own = _terms_of(_offered(library), book)
        if own and ON_DEMAND not in own:
            view = view.with_options(**{TERMS.key: own[0] if len(own) == 1 else EVERY})
    choice = read(library, view)
    return view.with_options(
        price_terms=choice.terms,
        price_book=choice.book,
        provider=choice.provider,
        utilisation=f"{choice.utilisation:.12g}",
    )


def choices(library: Library, view: View) -> dict[str, list[tuple[str, str]]]:
    """The terms, books and providers to choose from, each that goes together with the other two."""
    now, rows = {key: view.option(key, EVERY) for key in WHOSE}, _offered(library)
    now[TERMS.key] = EVERY if now[TERMS.key] == WITH_POINTS else now[TERMS.key]
    values = {key: {row[key] for row in rows if all(now[o] in (EVERY, row[o]) for o in now if o != key)} for key in now}
    terms = sorted({ON_DEMAND, *values[TERMS.key]}, key=lambda one: (one != ON_DEMAND, is_modelled(one), one))
    return {
        TERMS.key: [*((one, opened(terms_in_words(one))) for one in (*terms, WITH_POINTS, EVERY))],
        BOOK.key: [(EVERY, "Every book"), *((one, one) for one in sorted(values[BOOK.key]))],
        PROVIDER.key: [(EVERY, "Every provider"), *((one, one) for one in sorted(values[PROVIDER.key]))],
    }


def quotes(
    library: Library, choice: Choice, accelerators: Collection[str] | None = None, points: Clause | None = None
) -> tuple[Quote, ...]:
    """Every single price under a choice, the cheapest of each accelerator first; equal ones of one provider once.

    `accelerators` are all where None. `points` are those on whose pages WITH_POINTS looks; without them there is none.
    Prices less than ROUNDED apart are equal. A row of a book without a price is no quote. A modelled cost enters only
    where it is asked for by its terms.
    """
    return _unlike(_printed(library, choice, accelerators, points))


def _unlike(printed: Iterable[Quote]) -> tuple[Quote, ...]:
    """These quotes, those of one provider that are alike once: the first, with the regions of all."""
    alike: dict[tuple[str, str, str], list[list[Quote]]] = {}
    every: list[list[Quote]] = []
    for one in printed:
        groups = alike.setdefault((one.accelerator, one.provider, one.terms), [])
        usd = one.usd_per_accelerator_hour
        if not groups or usd > groups[-1][0].usd_per_accelerator_hour * (1 + ROUNDED):
            groups.append([])
            every.append(groups[-1])
        groups[-1].append(one)
    return tuple(
        replace(own[0], regions=tuple(dict.fromkeys(one.region for one in own if one.region))) for own in every
    )


def _printed(
    library: Library, choice: Choice, accelerators: Collection[str] | None = None, points: Clause | None = None
) -> list[Quote]:
    """The quotes under a choice, each as often as books print it."""
    columns = ", ".join(column.name for column in fields(Quote) if column.name != "regions")
    condition = Clause("usd_per_accelerator_hour > 0", ())
    for column, value in (("book", choice.book), ("provider", choice.provider)):
        if value != EVERY:
            condition = condition.also(f"{column} = ?", value)
    if choice.terms == WITH_POINTS:
        own = points or Clause("FALSE", ())
        condition = condition.also(f"source_url IN (SELECT source_url FROM points WHERE {own.sql})", *own.params)
    elif choice.terms != EVERY:
        condition = condition.also("terms = ?", choice.terms)
    if accelerators is not None:
        chips = sorted(accelerators)
        condition = condition.also("accelerator IN (SELECT unnest(CAST(? AS VARCHAR[])))", chips)
    rows = library.fetch(
        f"SELECT {columns} FROM prices WHERE {condition.sql} ORDER BY accelerator, usd_per_accelerator_hour, provider,"
        " as_of DESC NULLS LAST, book, terms, region, instance",
        condition.params,
    )
    return [Quote(*row) for row in rows]


def of_chips(held: Iterable[Quote], choice: Choice) -> dict[str, ChipPrice]:
    """The price of each accelerator by these quotes: the median over providers of the median of each one's quotes.

    Under EVERY terms a modelled cost counts only where an accelerator has no offer.
    """
    by_chip: dict[str, list[Quote]] = {}
    for one in held:
        by_chip.setdefault(one.accelerator, []).append(one)
    of_chip = {}
    for chip, own in sorted(by_chip.items()):
        offers = [one for one in own if not one.is_modelled] or own
        by_provider: dict[str, set[float]] = {}
        for one in offers:
            by_provider.setdefault(one.provider, set()).add(one.usd_per_accelerator_hour)
        every = [usd for values in by_provider.values() for usd in values]
        of_chip[chip] = ChipPrice(
            chip,
            statistics.median(map(statistics.median, by_provider.values())),
            len(by_provider),
            min(every),
            max(every),
            modelled=offers[0].is_modelled,
            printed=choice.terms == WITH_POINTS,
        )
    return of_chip


def chip_prices(library: Library, choice: Choice, points: Clause | None = None) -> dict[str, ChipPrice]:
    """The price of each accelerator under a choice; one without such a price is absent."""
    return of_chips(quotes(library, choice, points=points), choice)


def chip_prices_of_each(library: Library, choices: Iterable[Choice]) -> dict[Choice, dict[str, ChipPrice]]:
    """The price of each accelerator under each of these choices, by one query for all of the same terms."""
    every = list(choices)
    held = {terms: _printed(library, Choice(terms)) for terms in {one.terms for one in every}}

    def of(one: Choice) -> list[Quote]:
        names = ((one.book, "book"), (one.provider, "provider"))
        return [q for q in held[one.terms] if all(name in (EVERY, getattr(q, key)) for name, key in names)]

    return {one: of_chips(_unlike(of(one)), one) for one in every}


def alternatives(library: Library, choice: Choice) -> dict[str, Choice]:
    """The other ways to price, by words: each other book that has these terms, and each provider alone."""
    if choice.terms == WITH_POINTS:
        return {}
    held = _printed(library, replace(choice, book=EVERY, provider=EVERY))
    books = dict.fromkeys(row.book for row in held)
    providers = dict.fromkeys(row.provider for row in held)
    by_words: dict[str, Choice] = {}
    if len(books) > 1:
        by_words |= {f"prices of {one}": replace(choice, book=one) for one in books if one != choice.book}
    if len(providers) > 1:
        by_words |= {
            f"{one}'s price": replace(choice, provider=one, book=EVERY) for one in providers if one != choice.provider
        }
    return by_words


def price_sql(prices: Mapping[str, ChipPrice]) -> tuple[str, tuple[object, ...]]:
    """The DuckDB expression of the price of a point's accelerator, and its parameters; NULL without a price."""
    if not prices:
        return "CAST(NULL AS DOUBLE)", ()
    cases = " ".join("WHEN ? THEN CAST(? AS DOUBLE)" for _ in prices)
    bound = (value for price in prices.values() for value in (price.accelerator, price.usd))
    return f"CASE accelerator {cases} END", tuple(bound)


def cost_sql(key: str, prices: Mapping[str, ChipPrice], utilisation: float) -> tuple[str, tuple[object, ...]]:
    """The DuckDB expression of a cost metric over a point's columns, and its parameters; NULL without a price.

    Formula: the catalogue's, with `utilisation` the share of the hour in which the tokens are really served.
    """
    tokens_per_hour = f"nullif({catalogue.PRICED[key]}, 0) * CAST(? AS DOUBLE) * {SECONDS_PER_HOUR}"
    price, params = price_sql(prices)
    return f"({price}) * accelerators / ({tokens_per_hour}) * {MILLION}", (*params, utilisation)


def statements(choice: Choice, prices: Mapping[str, ChipPrice], chips: Iterable[str]) -> list[Statement]:
    """Which prices an answer stands on, and the accelerators that have none; nothing where no chip is named."""
    wanted = list(dict.fromkeys(chips))
    known = [prices[chip] for chip in wanted if chip in prices]
    unpriced = [chip for chip in wanted if chip not in prices]
    said = []
    if known:
        several = any(one.providers > 1 for one in known)
        whole = len(known) <= 2
        priced = [{"accelerator": one.accelerator, "words": one.words if whole else one.brief} for one in known]
        terms = f"{choice.words}{', the median of so many providers' * (several and not whole)}"
        text = NARRATOR.text("prices", {"terms": terms, "chips": priced})
        said.append(caveat("prices", text, (), **{one.accelerator: one.usd for one in known}))
    if unpriced:
        text = NARRATOR.text("unpriced", {"terms": adjective(choice), "accelerators": unpriced})
        said.append(caveat("unpriced", text, unpriced=len(unpriced)))
    return said


def quoted(one: Quote) -> str:
    """A quote in a sentence: "Lambda's 2.49 USD/h per chip (on demand)"; a modelled cost is called that."""
    price = f"{number(one.usd_per_accelerator_hour)} USD/h per chip"
    if one.is_modelled:
        return f"a {terms_in_words(one.terms)} of {price}"
    return f"{one.provider}'s {price} ({terms_in_words(one.terms)})"


def adjective(choice: Choice) -> str:
    """The terms before the word price: "on-demand ", "" for any terms."""
    words = MODELLED if is_modelled(choice.terms) else terms_in_words(choice.terms).replace(" ", "-")
    return {EVERY: "", WITH_POINTS: "printed "}.get(choice.terms, f"{words} ")


def _offered(library: Library) -> list[dict[str, str]]:
    """The terms, book and provider that go together in some price, each by its option."""
    sql = "SELECT DISTINCT terms, book, provider FROM prices WHERE usd_per_accelerator_hour > 0 ORDER BY ALL"
    return [dict(zip(WHOSE, row, strict=True)) for row in library.fetch(sql)]


def _terms_of(held: Iterable[Mapping[str, str]], book: str) -> list[str]:
    return list(dict.fromkeys(row[TERMS.key] for row in held if row[BOOK.key] == book))
