"""The pairs that can be compared when the reader has chosen none: who could be a side, and each pair's verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from operator import ne
from typing import Any

from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import labels, versus
from bench.questions.crossover.asked import LENGTHS, LOADS, SIDE_LENGTH, Asked
from bench.questions.crossover.curves import Measured, fixed_columns, measured
from bench.questions.crossover.divisors import Prices
from bench.questions.crossover.versus import Match, Outcome, Side
from bench.selection import Clause
from bench.view import View

NAMED = ("engine", "precision", "variant", "speculation", "disaggregated", "harness", "source")
"""What tells apart the curves of one accelerator, in the order in which it is named."""

FEWEST = 2
"""A curve of fewer places is none."""
MOST_PAIRS = 200
MOST_CANDIDATES = 400
KINDS = ("crosses", "passes", "tie", "a_leads", "b_leads")


@dataclass(frozen=True)
class Candidate:
    """One curve that can be a side: what it is by column, what is fixed along it, and its points."""

    facts: Mapping[str, Any]
    fixed: tuple[Any, ...]
    rows: tuple[Measured, ...]
    label: str = ""
    value: str = ""

    @cached_property
    def xs(self) -> frozenset[float]:
        """Where it was measured."""
        return frozenset(row.x for row in self.rows)

    @cached_property
    def compared(self) -> tuple[Any, ...]:
        """The facts in which sides are alike or not: all but the accelerator and the name of the variant."""
        return tuple(value for key, value in self.facts.items() if key not in ("accelerator", "variant"))

    @cached_property
    def side(self) -> Side:
        """It as a side of a pair."""
        return Side(self.label, self.rows)

    @cached_property
    def chips(self) -> tuple[int, ...]:
        """The counts of accelerators it was measured on."""
        return tuple(sorted({row.accelerators for row in self.rows if row.accelerators}))


@dataclass(frozen=True)
class Pair:
    """Two candidates, what their comparison came to, and in how many facts they differ."""

    a: Candidate
    b: Candidate
    match: Match
    outcome: Outcome
    unlike: int = 0


def owners(asked: Asked) -> tuple[str, ...]:
    """What a candidate is told apart by; the count of chips too, unless values are divided by it."""
    return ("accelerator", *(() if asked.per != "raw" else ("accelerators",)), *NAMED)


def candidates(
    library: Library, view: View, condition: Clause, asked: Asked, own: View | None = None
) -> list[Candidate]:
    """Every curve of at least two places, labelled and with the filters that choose it, longest first.

    `own` are filters of the condition that the View does not hold, so that a candidate has to carry them.
    """
    columns = owners(asked)
    groups: dict[tuple[Any, ...], list[Measured]] = {}
    for row in measured(library, condition, asked.along, asked.metric, columns):
        if row.accelerator is not None:
            groups.setdefault((row.owner, row.fixed), []).append(row)
    mates: dict[str, list[Candidate]] = defaultdict(list)
    for (owner, fixed), rows in groups.items():
        one = Candidate(dict(zip(columns, owner, strict=True)), fixed, tuple(rows))
        mates[one.facts["accelerator"]].append(one)
    every = [one for held in mates.values() for one in held]
    found = sorted((one for one in every if len(one.xs) >= FEWEST), key=lambda one: -len(one.xs))
    kept: dict[str, Candidate] = {}
    for one in found[:MOST_CANDIDATES]:
        where = _chosen_by(library, one, mates[one.facts["accelerator"]], view, asked)
        where = where.with_where(**{**dict(where.where), **dict(own.where)}) if own else where
        value = asking.written(where)
        if len(value) <= SIDE_LENGTH:
            words = labels.of_side(where, {one.facts["accelerator"]}, one.chips, [one.facts])
            kept.setdefault(value, replace(one, label=words, value=value))
    return list(kept.values())


def _chosen_by(
    library: Library, one: Candidate, mates: Sequence[Candidate], view: View, asked: Asked
) -> View:
    """The filters that choose a curve and no other, by its facts where those do, else by its series."""
    where, left = _apart(one, mates, view, asked)
    if left or any(value is None for value in where.values()):
        loads = {key: where[key] for key in LOADS if where.get(key) is not None}
        return View.of(
            {"series": _series(library, one), **{key: [labels.written(loads[key])] for key in loads}}
        )
    return View.of({key: (labels.written(part),) for key, part in where.items()})


def _apart(
    one: Candidate, mates: Sequence[Candidate], view: View, asked: Asked
) -> tuple[dict[str, Any], list[Candidate]]:
    """As few facts of a curve as tell it from all others of its accelerator, and those that none of them tells off."""
    where: dict[str, Any] = {"accelerator": one.facts["accelerator"]}
    if "accelerators" in one.facts and len({mate.facts["accelerators"] for mate in mates}) > 1:
        where["accelerators"] = one.facts["accelerators"]
        mates = [mate for mate in mates if mate.facts["accelerators"] == one.facts["accelerators"]]
    alone = [
        key
        for key in NAMED
        if all(mate.facts[key] != one.facts[key] for mate in mates if mate.facts != one.facts)
    ]
    for key in alone[:1] or NAMED:
        narrower = [mate for mate in mates if mate.facts[key] == one.facts[key]]
        if len(narrower) < len(mates):
            where[key], mates = one.facts[key], narrower
    columns = fixed_columns(asked.along)
    for key in ("isl", "osl", *LOADS):
        if key not in columns or view.values(key):
            continue
        place = columns.index(key)
        narrower = [mate for mate in mates if mate.fixed[place] == one.fixed[place]]
        # The load a length is followed at belongs to what a pair is, wherever it is stated.
        stated = asked.along in LENGTHS and key in LOADS and one.fixed[place] is not None
        if len(narrower) < len(mates) or stated:
            where[key], mates = one.fixed[place], narrower
    return where, [mate for mate in mates if mate is not one and len(mate.xs) >= FEWEST]


def _series(library: Library, one: Candidate) -> list[str]:
    """The ids of the series that its points belong to."""
    ids = [point for row in one.rows for point in row.point_ids]
    return [
        row[0]
        for row in library.fetch(
            "SELECT DISTINCT series_id FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY 1",
            (ids,),
        )
    ]


def listed(found: Sequence[Candidate], left: Sequence[Candidate] | None, asked: Asked,
           prices: Prices) -> tuple[list[Pair], int]:  # fmt: skip
    """The pairs of comparable candidates, the most telling first, and how many are beyond MOST_PAIRS.

    Pairs are of different accelerators, where more than one is selected; with a `left` side chosen, of it and others.
    """
    several = len({one.facts["accelerator"] for one in found}) > 1
    # Of many candidates few differ in what is fixed and where they were measured.
    shared, unlike_fixed = cache(versus.shared), cache(versus.unlike_fixed)
    usable = []
    for a, b in _couples(found, left):
        if several and a.facts["accelerator"] == b.facts["accelerator"]:
            continue
        if unlike_fixed(a.fixed, b.fixed, asked.along):
            continue
        knots = shared(a.xs, b.xs)
        if knots >= FEWEST:
            usable.append((unlikeness(a, b), -knots, a.label, b.label, a, b))
    usable.sort(key=lambda row: row[:4])
    told = []
    for unlike, _, _, _, a, b in usable[:MOST_PAIRS]:
        match = Match(a.side, b.side)
        told.append(Pair(a, b, match, versus.compared(match, asked, asked.per, prices), unlike))
    return sorted(told, key=_telling), max(0, len(usable) - MOST_PAIRS)


def _couples(
    found: Sequence[Candidate], left: Sequence[Candidate] | None
) -> Iterable[tuple[Candidate, Candidate]]:
    if left is None:
        return combinations(sorted(found, key=_first), 2)
    ids = {point for one in left for row in one.rows for point in row.point_ids}
    others = [one for one in found if not any(point in ids for row in one.rows for point in row.point_ids)]
    return ((one, other) for one in left for other in others)


def _first(one: Candidate) -> tuple[Any, ...]:
    """TPUs before others, as the side asked about; else by name."""
    return (not str(one.facts["accelerator"]).startswith("tpu"), one.label)


def unlikeness(a: Candidate, b: Candidate) -> int:
    """In how many facts two sides differ besides the accelerator and the name of the variant."""
    return sum(map(ne, a.compared, b.compared))


def _telling(pair: Pair) -> tuple[Any, ...]:
    """The most alike pairs first; of those the ones that cross, widest leads on both sides first, then close races."""
    kind, found = pair.outcome.kind, pair.outcome.found
    smallest = abs(found.smallest.lead_percent) if found and found.smallest else 0.0
    leads = [knot.lead_percent for knot in found.knots] if found else [0.0]
    both = min(max(leads), -min(leads)) if kind == "crosses" else 0.0
    place = min(KINDS.index(kind), KINDS.index("a_leads")) if kind in KINDS else len(KINDS)
    return (pair.unlike, place, smallest, -both, pair.a.label, pair.b.label, pair.a.value, pair.b.value)
