"""Whether a headline holds: its verdict again with one choice changed at a time.

The choices are those a colleague would ask about: without flagged points, without speculation, with older runs too,
at each other price book, at each provider alone. A verdict is who or what a headline names, as a code and in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bench import selection
from bench.basis import evidence, prices
from bench.basis.evidence import Ranking
from bench.basis.prices import Choice
from bench.basis.statement import Statement
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
    """In how many ways to look, the answer's own among them, its verdict holds; and what is said in the others.

    `unknown` are the ways in which nothing can be said.
    """

    ways: int
    holding: int
    otherwise: tuple[tuple[str, Verdict], ...]
    unknown: tuple[str, ...]


def of(library: Library, view: View, choice: Choice | None,
       verdict: Callable[[Variation], Verdict | None]) -> Robustness | None:  # fmt: skip
    """How a View's verdict fares with one choice changed at a time; with a price `choice` also whose price it is.

    None where it has no verdict, or there is nothing to vary.
    """
    others = _ways(library, view, choice)
    own = verdict(Variation("own", "", evidence.read(view), choice or Choice())) if others else None
    if own is None:
        return None
    found = [(one.words, verdict(one)) for one in others]
    otherwise = tuple((words, other) for words, other in found if other and other.code != own.code)
    unknown = tuple(words for words, other in found if other is None)
    known = 1 + len(found) - len(unknown)
    return Robustness(known, known - len(otherwise), otherwise, unknown)


def _ways(library: Library, view: View, choice: Choice | None) -> list[Variation]:
    """The other ways to look at a View's selection that rank other points, or price them otherwise."""
    ranking, price = evidence.read(view), choice or Choice()
    varied, selected = of_points(ranking), selection.clause(view)
    ranked = [evidence.ranked(library, one) for one in (ranking, *(one for _, _, one in varied))]
    own, *others = library.fetch(
        f"SELECT {', '.join(f'count(*) FILTER ({one.sql})' for one in ranked)} FROM points WHERE {selected.sql}",
        (*(value for one in ranked for value in one.params), *selected.params),
    )[0]
    told = zip(varied, others, strict=True)
    found = [Variation(*way, price) for way, many in told if many not in (0, own)]
    if choice is not None:
        priced = prices.alternatives(library, choice)
        found += [Variation("price", f"at {words}", ranking, other) for words, other in priced.items()]
    return found


def statements(found: Robustness | None) -> list[Statement]:
    """That a headline does not hold in every way to look, and what wins instead; nothing where it does."""
    if found is None or not found.otherwise:
        return []
    by_words: dict[str, list[str]] = {}
    for way, verdict in found.otherwise:
        by_words.setdefault(verdict.words, []).append(way)
    parts = [f"{verdict} {joined(ways, last='or', at_most=LISTED)}" for verdict, ways in by_words.items()]
    more = f"; {len(parts) - LISTED} more verdicts" if len(parts) > LISTED else ""
    text = f"Holds in {found.holding} of {found.ways} ways to look; {'; '.join(parts[:LISTED])}{more}."
    return [Statement("variation", "holds_in", text, {"ways": found.ways, "holding": found.holding})]


def of_points(ranking: Ranking) -> list[tuple[str, str, Ranking]]:
    """The other ways to rank the selected points: a code, words and the ranking of each."""
    runs = "with the newest runs alone" if ranking.all_runs else "with older runs too"
    return [
        ("flagged", "without flagged points", replace(ranking, flagged=False)),
        ("speculation", "without speculation", replace(ranking, without_speculation=True)),
        ("runs", runs, replace(ranking, all_runs=not ranking.all_runs)),
    ]
