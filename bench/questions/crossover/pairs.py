"""The pairs that can be compared when the reader has chosen none: who could be a side, and each pair's verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from operator import ne
from typing import Any

from bench import selection
from bench.basis.evidence import Ranking
from bench.library import Library
from bench.questions.crossover import curves, defaults, phrases, versus
from bench.questions.crossover.asked import LENGTHS, LOADS, SIDE_LENGTH, Asked, Per
from bench.questions.crossover.curves import Measured, Priced
from bench.questions.crossover.result import Compared, Crosses, Leads, ListedPair, Outcome, Side
from bench.questions.crossover.versus import Held, Match
from bench.selection import clause
from bench.view import View

NAMED = ("engine", "precision", "variant", "speculation", "disaggregated", "harness", "source")
"""What tells apart the curves of one accelerator, in the order in which it is named."""

FEWEST, MOST_PAIRS, DIVIDED_OTHERWISE = 2, 200, 40
"""A curve of fewer places is none; so many pairs are listed; of so many it is told how many cross divided otherwise."""

Key = tuple[tuple[tuple[str, Any], ...], tuple[Any, ...]]
"""A curve: what tells it apart, by column, and what is fixed along it."""


@dataclass(frozen=True)
class Candidate:
    """One curve that can be a side: what it is, its points, and it in words."""

    key: Key
    held: Held
    side: Side

    @cached_property
    def told(self) -> tuple[Any, ...]:
        """What another curve may be unlike in: all that tells it apart but its accelerator and a free remark."""
        return tuple(value for column, value in self.key[0] if column not in ("accelerator", "variant"))


def grouped(library: Library, ranking: Ranking, asked: Asked) -> list[dict[Key, Held]]:
    """What was measured of each curve of an accelerator: of the whole selection, then of the one chosen side if any.

    Counts of chips are told apart where nothing is divided.
    """
    columns = ("accelerator", *(() if asked.per != "raw" else ("accelerators",)), *NAMED)
    each = [defaults.of_side(library, ranking, own) for own in _owns(asked)]
    told = []
    for rows in curves.measured(library, clause(ranking.view), each, asked, columns):
        groups: dict[Key, list[Measured]] = defaultdict(list)
        for row in rows:
            if row.point.accelerator is not None:
                groups[tuple((key, getattr(row.point, key)) for key in columns), row.fixed].append(row)
        told.append({key: Held(held) for key, held in groups.items()})
    return told


def candidates(library: Library, view: View, ranking: Ranking, asked: Asked) -> list[list[Candidate]]:
    """Every `grouped` curve of at least two places, labelled and with the filters that choose it, longest first.

    Those of the chosen side carry its filters too, as the View does not hold them.
    """
    told = []
    for own, groups in zip(_owns(asked), grouped(library, ranking, asked), strict=True):
        mates: dict[str, dict[Key, Held]] = defaultdict(dict)
        for key, held in groups.items():
            mates[_chip(key)][key] = held
        kept: dict[str, Candidate] = {}
        for key, held in sorted(groups.items(), key=lambda item: -len(item[1].xs)):
            if len(held.xs) >= FEWEST:
                where = dict(_chosen_by(library, key, mates[_chip(key)], view, asked).where)
                side = phrases.side(View.of(where | dict((own or View()).where)), held.points)
                if len(side.filters) <= SIDE_LENGTH:
                    kept.setdefault(side.filters, Candidate(key, held, side))
        told.append(list(kept.values()))
    return told


def _owns(asked: Asked) -> list[View | None]:
    """The filters of what pairs are of: none of their own, then those of the one side that is chosen, if any."""
    return [None, *(own for own in (asked.a, asked.b) if own)]


def listed(
    found: Sequence[Sequence[Candidate]], asked: Asked, priced: Priced
) -> tuple[tuple[ListedPair, ...], Mapping[Per, tuple[Outcome, ...]], int]:
    """The pairs of comparable candidates, the most telling first, what they come to divided otherwise, and how many
    are beyond MOST_PAIRS.

    Pairs are of different accelerators, where any are; with a side chosen, of it and others.
    """
    # Of many candidates few differ in what is fixed and where they were measured.
    shared, unlike_fixed = cache(versus.shared), cache(versus.unlike_fixed)
    usable = []
    for a, b in _couples(*found):
        if unlike_fixed(a.key[1], b.key[1], asked.along) is None:
            knots = shared(a.held.xs, b.held.xs)
            order = (sum(map(ne, a.told, b.told)), -knots, a.side.label, b.side.label)
            usable += [(order, a, b)] if knots >= FEWEST else []
    apart = [row for row in usable if _chip(row[1].key) != _chip(row[2].key)] or usable
    told = []
    for order, a, b in sorted(apart, key=lambda row: row[0])[:MOST_PAIRS]:
        match, facts = Match(a.held, b.held), (a.held.points[0], b.held.points[0])
        outcome = versus.compared(match, asked, asked.per, priced)
        sides = phrases.told_apart(a.side, b.side, [facts])
        told.append((ListedPair(0, *sides, outcome, order[0], (a.key, b.key)), match))
    told.sort(key=lambda row: _telling(row[0]))
    pers = [per for per in asked.pers if per != asked.per and 0 < len(told) <= DIVIDED_OTHERWISE]
    otherwise = {per: tuple(versus.compared(one, asked, per, priced) for _, one in told) for per in pers}
    placed = tuple(replace(one, place=place) for place, (one, _) in enumerate(told))
    return placed, otherwise, max(0, len(apart) - MOST_PAIRS)


def again(named: Sequence[ListedPair], groups: Sequence[Mapping[Key, Held]]) -> list[Match]:
    """Some listed pairs among other curves, by `grouped`: of a chosen side, if any, and of the others."""
    return [Match(groups[-1].get(one.keys[0], Held()), groups[0].get(one.keys[1], Held())) for one in named]


def _chosen_by(library: Library, one: Key, mates: Mapping[Key, Held], view: View, asked: Asked) -> View:
    """The filters that choose a curve and no other of its accelerator: as few facts as do, else its series."""
    left = dict(mates)
    where: dict[str, Any] = {"accelerator": _chip(one)}

    def narrow(key: str, part: int, *, always: bool = False) -> None:
        value = _facts(one, part, asked).get(key)
        narrower = {mate: held for mate, held in left.items() if _facts(mate, part, asked).get(key) == value}
        if len(narrower) < len(left) or always:
            where[key] = str(value).lower() if isinstance(value, bool) else value
            for mate in left.keys() - narrower.keys():
                del left[mate]

    facts = _facts(one, 0, asked)
    narrow("accelerators", 0)
    others = [_facts(mate, 0, asked) for mate in left if mate[0] != one[0]]
    alone = [key for key in NAMED if all(other[key] != facts[key] for other in others)]
    for key in alone[:1] or NAMED:
        narrow(key, 0)
    fixed = _facts(one, 1, asked)
    for key in ("isl", "osl", *LOADS):
        if key in fixed and not view.values(key):
            # The load a length is followed at belongs to what a pair is, wherever it is stated.
            narrow(key, 1, always=asked.along in LENGTHS and key in LOADS and fixed[key] is not None)
    if None in where.values() or any(mate != one and len(held.xs) >= FEWEST for mate, held in left.items()):
        loads = {key: where[key] for key in LOADS if where.get(key) is not None}
        sql = "SELECT DISTINCT series_id FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY 1"
        ids = [point.point_id for point in mates[one].points]
        where = {"series": [series_id for (series_id,) in library.fetch(sql, (ids,))], **loads}
    told = {key: one if isinstance(one, list) else [one] for key, one in where.items()}
    return View.of({key: [selection.written(value) for value in values] for key, values in told.items()})


def _facts(key: Key, part: int, asked: Asked) -> dict[str, Any]:
    """What tells a curve apart, or with `part` 1 what is fixed along it, by column."""
    return dict(key[0]) if part == 0 else dict(zip(curves.fixed_columns(asked.along), key[1], strict=True))


def _chip(key: Key) -> str:
    return str(key[0][0][1])


def _couples(found: Sequence[Candidate], *left: Sequence[Candidate]) -> Iterable[tuple[Candidate, Candidate]]:
    """Every two of them, TPUs before others as the side asked about; with a `left` side, of it and the others."""
    if not left:
        ordered = sorted(found, key=lambda one: (not _chip(one.key).startswith("tpu"), one.side.label))
        return combinations(ordered, 2)
    taken = {point for one in left[0] for point in one.held.points}
    return ((one, other) for one in left[0] for other in found if taken.isdisjoint(other.held.points))


def _telling(pair: ListedPair) -> tuple[Any, ...]:
    """The most alike pairs first; of those the ones that cross, widest leads on both sides first, then close races."""
    outcome = pair.outcome
    smallest = abs(outcome.smallest.lead_percent) if isinstance(outcome, Leads) else 0.0
    leads = [knot.lead_percent for knot in outcome.found.knots] if isinstance(outcome, Crosses) else [0.0]
    order = 0 if isinstance(outcome, Crosses) else 1 if isinstance(outcome, Compared) else 2
    named = (pair.a.label, pair.b.label, pair.a.filters, pair.b.filters)
    return (pair.unlike, order, smallest, -min(max(leads), -min(leads)), *named)
