"""Whether a headline holds: its verdict again with one choice changed at a time.

The choices are those a colleague would ask about: without flagged points, without speculation, with older runs too,
at each other price book, at each provider alone. A verdict is who or what a headline names, as a code and in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench import selection
from bench.basis import evidence, prices
from bench.basis.evidence import Ranking
from bench.basis.prices import Choice
from bench.basis.statement import Statement, finding
from bench.basis.wording import opened
from bench.library import Library
from bench.view import View
from bench.wording import joined

LISTED = 4
"""So many verdicts that differ are told."""


@dataclass(frozen=True)
class Verdict:
    """What a headline says in one code, and in words that follow "GB200 …" or stand alone: "GB200 is cheapest"."""

    code: str
    words: str


@dataclass(frozen=True)
class Variation:
    """One way to look: a name, words that follow "in words", and what is ranked and at whose price."""

    kind: str
    words: str
    ranking: Ranking
    prices: Choice


@dataclass(frozen=True)
class Robustness:
    """An answer's own verdict, and by words that in each other way to look, None where nothing can be said there."""

    own: Verdict
    others: tuple[tuple[str, Verdict | None], ...]

    @property
    def ways(self) -> int:
        """In how many other ways to look something can be said."""
        return len(self.known)

    @property
    def holding(self) -> int:
        """In how many of them the answer's own verdict holds."""
        return self.ways - len(self.otherwise)

    @property
    def known(self) -> tuple[tuple[str, Verdict], ...]:
        """The other ways in which something can be said."""
        return tuple((words, verdict) for words, verdict in self.others if verdict is not None)

    @property
    def otherwise(self) -> tuple[tuple[str, Verdict], ...]:
        """Those in which it is something else."""
        return tuple((words, verdict) for words, verdict in self.known if verdict.code != self.own.code)


def of(
    library: Library,
    view: View,
    choice: Choice | None,
    verdict: Callable[[Variation], Verdict | None],
    usable: str = "TRUE",
) -> Robustness | None:
    """How a View's verdict fares with one choice changed at a time; with a price `choice` also whose price it is.

    Only points that meet the SQL condition `usable` count. None where it has no verdict, or there is nothing to vary.
    """
    others = _ways(library, view, choice, usable)
    price = choice or prices.stated(view)
    own = verdict(Variation("own", "", evidence.read(view), price)) if others else None
    if own is None:
        return None
    return Robustness(own, tuple((one.words, verdict(one) if many else None) for one, many in others))


def _ways(library: Library, view: View, choice: Choice | None, usable: str) -> list[tuple[Variation, int]]:
    """The other ways to look at a View's selection that rank other points or price them otherwise, and how many.

    One that comes to the same points, or the same price of each of their accelerators, is no check.
    """
    ranking, price = evidence.read(view), choice or prices.stated(view)
    varied, selected = of_points(ranking), selection.clause(view)
    ranked = [evidence.ranked(library, one).also(f"({usable})") for one in (ranking, *(one for _, _, one in varied))]
    own, *others = library.fetch(
        f"SELECT {', '.join(f'count(*) FILTER ({one.sql})' for one in ranked)} FROM points WHERE {selected.sql}",
        (*(value for one in ranked for value in one.params), *selected.params),
    )[0]
    told = zip(varied, others, strict=True)
    ways = [(Variation(*way, price), many) for way, many in told if many != own]
    if choice is not None:
        chips = library.fetch(
            f"SELECT DISTINCT accelerator FROM points WHERE {selected.sql} AND {ranked[0].sql}",
            (*selected.params, *ranked[0].params),
        )
        others_priced = prices.alternatives(library, choice)
        known = prices.chip_prices_of_each(library, [choice, *others_priced.values()])
        usd = {
            one: [priced[chip].usd if chip in priced else None for (chip,) in chips] for one, priced in known.items()
        }
        ways += [
            (Variation("price", f"at {words}", ranking, other), own)
            for words, other in others_priced.items()
            if usd[other] != usd[choice]
        ]
    return ways


def statements(robustness: Robustness | None) -> list[Statement]:
    """In how many ways to look a headline holds, what wins in the others, and in which nothing can be said."""
    if robustness is None or not robustness.others:
        return []
    parts = [f"{verdict} {_together(ways)}" for verdict, ways in _by_words(robustness).items()]
    parts = [*parts[:LISTED], *[f"{len(parts) - LISTED} more verdicts"] * (len(parts) > LISTED)]
    text = f"{_held(robustness)}: {'; '.join(parts) or joined([words for words, _ in robustness.known], at_most=9)}."
    if unknown := [words for words, one in robustness.others if one is None]:
        nothing = f"{opened(_together(unknown))} nothing can be said."
        text = f"{text} {nothing}" if robustness.known else nothing
    return [Statement("variation", "holds_in", text, {"ways": robustness.ways, "holding": robustness.holding})]


def doubts(robustness: Robustness | None) -> list[Statement]:
    """That a headline holds in fewer than half of the other ways to look, and what wins there; else nothing."""
    if robustness is None or 2 * robustness.holding >= robustness.ways:
        return []
    (words, ways), *others = sorted(_by_words(robustness).items(), key=lambda one: -len(one[1]))
    why = _together(ways) if not others else f"in {len(ways)}"
    text = f"{_held(robustness)}: {words} {why}."
    return [finding("doubt", text, ways=robustness.ways, holding=robustness.holding)]


def hedged(headline: Statement) -> Statement:
    """A headline that holds in fewer than half of the ways to look: it says that it is undecided."""
    return replace(headline, text=f"Undecided: {re.sub('^One ', 'one ', headline.text)}")


def _held(robustness: Robustness) -> str:
    if robustness.ways == 1:
        return "Holds in the other check too" if robustness.holding else "Does not hold in the one other check"
    few = f"{robustness.holding} of" if robustness.holding else "none of"
    return f"Holds in {'all' if robustness.holding == robustness.ways else few} {robustness.ways} checks"


def _by_words(found: Robustness) -> dict[str, list[str]]:
    """What is told instead of a headline, and in which ways to look."""
    by_words: dict[str, list[str]] = {}
    for way, verdict in found.otherwise:
        by_words.setdefault(verdict.words, []).append(way)
    return by_words


def _together(ways: Sequence[str]) -> str:
    """Ways to look in a sentence, prices of providers told once: "at the price of RunPod, Crusoe or Nebius"."""
    owners = [way.removeprefix("at ").removesuffix("'s price") for way in ways if way.endswith("'s price")]
    others = [way for way in ways if not way.endswith("'s price")]
    at = [f"at the price of {joined(owners, last='or', at_most=LISTED)}"] if owners else []
    return joined([*others, *at], last="or", at_most=LISTED)


def of_points(ranking: Ranking) -> list[tuple[str, str, Ranking]]:
    """The other ways to rank the selected points: a code, words and the ranking of each."""
    runs = "with the newest runs alone" if ranking.all_runs else "with older runs too"
    return [
        ("flagged", "without flagged points", replace(ranking, flagged=False)),
        ("speculation", "without speculation", replace(ranking, without_speculation=True)),
        ("runs", runs, replace(ranking, all_runs=not ranking.all_runs)),
    ]
