"""The two answers and their rows: a chosen pair under every normalisation, or every pair that can be compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from operator import ne
from typing import Any

import pandas as pd

from bench.basis import evidence, prices
from bench.basis.evidence import PointTally, Ranking, Reason
from bench.basis.points import PointFacts
from bench.library import Library
from bench.questions import Column
from bench.questions.crossover import comparison, curves, result, side_names
from bench.questions.crossover import options as asking
from bench.questions.crossover.comparison import Match, MeasuredSide
from bench.questions.crossover.curves import HourlyPrices, MeasuredPlace
from bench.questions.crossover.options import ALONG, AXES, LENGTHS, LOADS, SIDE_LENGTH, CrossoverOptions, Per
from bench.questions.crossover.result import SIDES, Compared, ListedPair, Outcome, Pair, PairList, Side
from bench.questions.crossover.side_names import member, names
from bench.questions.crossover.verdict import brief
from bench.selection import Clause, clause, written
from bench.view import View
from bench.wording import counted, inline, number

PER_COLUMN = {"raw": "", "accelerator": "_per_chip", "dollar": "_per_usd_per_h", "watt": "_per_w"}
COLUMNS = tuple(map(Column, *zip(
    ("pair", "Pair"), ("kind", "Outcome"), ("a", "Filters of A"), ("b", "Filters of B"),
    ("users_per_accelerator", "Users per chip"), ("a_over_b", "A / B"), ("leads", "Leads (a, b or tie)"),
    ("a_lead_percent", "Lead of A (%, better over worse)"), ("a_measured", "A measured"), ("b_measured", "B measured"),
    ("tie", "Tie"), ("settled", "Settled"), ("a_series", "A: the best deployment"), ("label_a", "A"), ("label_b", "B"),
    ("b_series", "B: the best deployment"), ("verdict", "Verdict"), ("crossing", "First crossing"), ("knots", "Places"),
    ("between", "Between, run on both"), ("from", "Compared from"), ("to", "Compared to"),
    ("a_lead_percent_low", "A leads by at least (%, better over worse, below 0 B leads)"),
    ("a_lead_percent_high", "A leads by at most (%, better over worse, below 0 B leads)"), strict=True,
)))  # fmt: skip
NAMED = ("engine", "precision", "variant", "speculation", "disaggregated", "harness", "source")
"""What tells apart the curves of one accelerator, in the order in which it is named."""

FEWEST, MOST_PAIRS, DIVIDED_OTHERWISE = 2, 200, 40
"""A curve of fewer places is none; so many pairs are listed; of so many it is told how many cross divided otherwise."""

CurveKey = tuple[tuple[tuple[str, Any], ...], tuple[Any, ...]]
"""A curve: what tells it apart, by column, and what is fixed along it."""


@dataclass(frozen=True)
class Candidate:
    """One curve that can be a side: what it is, its points, and it in words."""

    key: CurveKey
    held: MeasuredSide
    side: Side

    @cached_property
    def traits(self) -> tuple[Any, ...]:
        """What another curve may be unlike in: all that tells it apart but its accelerator and a free remark."""
        return tuple(value for column, value in self.key[0] if column not in ("accelerator", "variant"))


def pair(library: Library, whole: View, options: CrossoverOptions) -> Pair:
    """The answer for a chosen pair."""
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    paid = prices.chip_prices(library, choice, points=either(library, ranking, options))
    priced, match = HourlyPrices(options, choice, paid), comparison.matched(library, ranking, options)
    outcome = comparison.compared(match, options, options.per, priced)
    both = []
    for key, side in zip(SIDES, named(options, match, outcome), strict=True):
        curve = outcome.curves[key] if isinstance(outcome, Compared | result.NoOverlap) else None
        hollow = _hollow(match.a if key == "a" else match.b, priced, key)
        both.append(replace(side, curve=curve, hollow=hollow, price=priced.of_all(key, side.points)))
    chips = {one.accelerator for side in both for one in side.points}
    return Pair(
        options,
        both[0],
        both[1],
        outcome,
        comparison.under_every(match, options, priced),
        comparison.break_even(match, options, priced),
        choice,
        _tally(library, ranking, options, match),
        prices=tuple(price for chip, price in paid.items() if chip in chips),
    )


def listing(library: Library, whole: View, options: CrossoverOptions) -> PairList:
    """Every pair's verdict, or why there is no pair."""
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    by_side = candidates(library, whole, ranking, options)
    paid = prices.chip_prices(library, choice, points=evidence.ranked(library, ranking))
    priced = HourlyPrices(options, choice, paid)
    pairs, otherwise, beyond, uneven = listed(by_side, options, priced)
    chips = {side.accelerator for one in pairs for side in (one.a, one.b)}
    return PairList(
        options,
        pairs,
        beyond,
        curves=len(by_side[0]),
        left=len(by_side[1]) if by_side[1:] else None,
        otherwise=otherwise,
        choice=choice,
        accelerators=tuple(sorted({s.side.accelerator or "" for s in by_side[0]})),
        prices=tuple(price for chip, price in priced.chips.items() if chip in chips),
        tally=evidence.tally(library, ranking, _reasons(library, options)),
        uneven=uneven,
    )


def fair_divisor(library: Library, whole: View, options: CrossoverOptions) -> Per:
    """What curves are divided by unless asked: chips, where the most alike of two accelerators are unequal in count."""
    if options.is_pair or not options.is_divisible:
        return "raw"
    ranking = evidence.read(whole)
    each = [asking.of_side(library, ranking, own) for own in _owns(options)]
    alike = [key for key in NAMED if key != "variant"]
    is_uneven = curves.are_uneven(library, clause(ranking.view), each, options, NAMED, alike)
    return "accelerator" if is_uneven else "raw"


def named(options: CrossoverOptions, match: Match, outcome: Outcome | None = None) -> tuple[Side, Side]:
    """Both sides in words, with what they differ in at every compared knot, and their points."""
    a = side_names.side(options.a or View(), match.a.points)
    b = side_names.side(options.b or View(), match.b.points)
    couples = [(one, other) for one in a.points for other in b.points[:1]]
    couples += [(one, other) for one in a.points[:1] for other in b.points]
    a, b = side_names.told_apart(a, b, _compared_points(outcome) or couples)
    return (replace(a, name="A"), replace(b, name="B")) if a.label == b.label else (a, b)


def _compared_points(outcome: Outcome | None) -> list[tuple[PointFacts, PointFacts]]:
    """The points of both sides at each compared knot; none where nothing was compared."""
    if not isinstance(outcome, Compared):
        return []
    best = ([outcome.member(side, knot).facts for side in SIDES] for knot in outcome.found.knots)
    return [(one, other) for one, other in best]


def sides(library: Library, whole: View, options: CrossoverOptions) -> dict[str, str]:
    """What can be a side of this selection, and the sides chosen: each accelerator, count of it and curve, in words."""
    ranking = evidence.read(whole)
    (by_side,) = candidates(library, whole, ranking, replace(options, a=None, b=None))
    sides = [side_names.side(own, ()) for own in (options.a, options.b) if own]
    if options.is_pair:
        sides = [*named(options, comparison.matched(library, ranking, options))]
    for chip in sorted({one.side.accelerator or "" for one in by_side}):
        points = [point for one in by_side if one.side.accelerator == chip for point in one.held.points]
        counts = sorted({one.accelerators for one in points if one.accelerators})
        every = [(), *((count,) for count in counts if len(counts) > 1)]
        owns = (View.of({"accelerator": [chip], "accelerators": only}) for only in every)
        sides += [side_names.side(own, points) for own in owns]
    labels = [(side.filters, side.label) for side in (*sides, *(one.side for one in by_side))]
    first = dict(reversed(labels))
    return {filters: first[filters] for filters, _ in labels}


def either(library: Library, ranking: Ranking, options: CrossoverOptions) -> Clause:
    """The points of any of the sides that are chosen; of the whole View when none is."""
    owns: list[View | None] = [own for own in (options.a, options.b) if own]
    conditions = [asking.of_side(library, ranking, own) for own in owns or [None]]
    sql = " OR ".join(f"({one.sql})" for one in conditions)
    return Clause(f"({sql})", tuple(value for one in conditions for value in one.params))


def _hollow(held: MeasuredSide, priced: HourlyPrices, side: result.SideKey) -> tuple[result.CurvePlace, ...]:
    """The places of points that a flag keeps out of every ranking, under the compared workload."""
    curve = curves.divided(held.hollow, curves.divisor(priced.asked.per, side, priced), priced.asked.row.better)
    return tuple(place for one in (curve.members if curve else ()) for place in one.places)


def _tally(library: Library, ranking: Ranking, options: CrossoverOptions, match: Match) -> PointTally:
    """What becomes of every point that either side selects."""
    tallies = []
    for own, fixed in zip((options.a, options.b), match.fixed or (None, None), strict=True):
        further = _reasons(library, options)
        if fixed is not None:
            same = curves.narrowed(Clause("TRUE", ()), options.along, fixed)
            words = "of other lengths or loads"
            further.append(Reason("other_workload", words, f"NOT ({same.sql})", same.params))
        tallies.append(evidence.tally(library, asking.narrowed(ranking, own), further))
    counts = Counter(tallies[0].counts) + Counter(tallies[1].counts)
    return PointTally(dict(counts), tallies[0].reasons)


def _reasons(library: Library, options: CrossoverOptions) -> list[Reason]:
    """Why a ranked point is on no curve."""
    no_value = f"{asking.value_sql(library, options.metric)} IS NULL"
    no_axis = f"NOT coalesce({ALONG[options.along]} > 0, FALSE)"
    told = [Reason("no_axis", f"without {AXES[options.along][0]}", no_axis)]
    told += [Reason("no_metric", f"without {inline(options.row)}", no_value)]
    unnamed = Reason("unnamed", "that state no accelerator", "accelerator IS NULL")
    return told if options.is_pair else [*told, unnamed]


def grouped(library: Library, ranking: Ranking, options: CrossoverOptions) -> list[dict[CurveKey, MeasuredSide]]:
    """What was measured of each curve of an accelerator: of the whole selection, then of the one chosen side if any.

    Counts of chips are told apart where nothing is divided.
    """
    columns = ("accelerator", *(() if options.per != "raw" else ("accelerators",)), *NAMED)
    each = [asking.of_side(library, ranking, own) for own in _owns(options)]
    each_side = []
    for rows in curves.measured(library, clause(ranking.view), each, options, columns):
        groups: dict[CurveKey, list[MeasuredPlace]] = defaultdict(list)
        for row in rows:
            if row.point.accelerator is not None:
                groups[tuple((key, getattr(row.point, key)) for key in columns), row.fixed].append(row)
        each_side.append({key: MeasuredSide(held) for key, held in groups.items()})
    return each_side


def candidates(library: Library, view: View, ranking: Ranking, options: CrossoverOptions) -> list[list[Candidate]]:
    """Every `grouped` curve of at least two places, labelled and with the filters that choose it, longest first.

    Those of the chosen side carry its filters too, as the View does not hold them.
    """
    each_side = []
    for own, groups in zip(_owns(options), grouped(library, ranking, options), strict=True):
        mates: dict[str, dict[CurveKey, MeasuredSide]] = defaultdict(dict)
        for key, held in groups.items():
            mates[_chip(key)][key] = held
        kept: dict[str, Candidate] = {}
        for key, held in sorted(groups.items(), key=lambda item: -len(item[1].xs)):
            if len(held.xs) >= FEWEST:
                where = dict(_chosen_by(library, key, mates[_chip(key)], view, options).where)
                side = side_names.side(View.of(where | dict((own or View()).where)), held.points)
                if len(side.filters) <= SIDE_LENGTH:
                    kept.setdefault(side.filters, Candidate(key, held, side))
        each_side.append(list(kept.values()))
    return each_side


def _owns(asked: CrossoverOptions) -> list[View | None]:
    """The filters of what pairs are of: none of their own, then those of the one side that is chosen, if any."""
    return [None, *(own for own in (asked.a, asked.b) if own)]


def listed(
    groups: Sequence[Sequence[Candidate]], options: CrossoverOptions, priced: HourlyPrices
) -> tuple[tuple[ListedPair, ...], Mapping[Per, tuple[Outcome, ...]], int, int]:
    """The pairs of comparable candidates, the most telling first, what they come to divided otherwise, how many are
    beyond MOST_PAIRS, and how many are left out as they are of unequal counts of chips.

    Pairs are of different accelerators, where any are, undivided of equal counts of them, where any are; with a side
    chosen, of it and others.
    """
    # Of many candidates few differ in what is fixed and where they were measured.
    shared, unlike_fixed = cache(comparison.shared), cache(comparison.unlike_fixed)
    usable = []
    for a, b in _couples(*groups):
        if unlike_fixed(a.key[1], b.key[1], options.along) is None:
            knots = shared(a.held.xs, b.held.xs)
            order = (sum(map(ne, a.traits, b.traits)), -knots, a.side.label, b.side.label)
            usable += [(order, a, b)] if knots >= FEWEST else []
    apart = [row for row in usable if _chip(row[1].key) != _chip(row[2].key)]
    even = [row for row in apart if options.per != "raw" or _count(row[1].key) == _count(row[2].key)]
    kept, pairs = even or apart or usable, []
    for order, a, b in sorted(kept, key=lambda row: row[0])[:MOST_PAIRS]:
        match = Match(a.held, b.held)
        outcome = comparison.compared(match, options, options.per, priced)
        couples = _compared_points(outcome) or [(a.held.points[0], b.held.points[0])]
        sides = side_names.told_apart(a.side, b.side, couples)
        pairs.append((ListedPair(0, *sides, outcome, order[0], (a.key, b.key)), match))
    pairs.sort(key=lambda row: _order(row[0]))
    # Pairs of equal counts come to the same with nothing divided and per chip.
    same = {"raw", "accelerator"} if options.per == "raw" and even else {options.per}
    pers = [per for per in options.pers if per not in same and 0 < len(pairs) <= DIVIDED_OTHERWISE]
    otherwise = {per: tuple(comparison.compared(one, options, per, priced) for _, one in pairs) for per in pers}
    placed = tuple(replace(one, place=place) for place, (one, _) in enumerate(pairs))
    return placed, otherwise, max(0, len(kept) - MOST_PAIRS), len(apart) - len(even) if even else 0


def again(one: ListedPair, groups: Sequence[Mapping[CurveKey, MeasuredSide]]) -> Match:
    """A listed pair among other curves, by `grouped`: of a chosen side, if any, and of the others."""
    return Match(groups[-1].get(one.keys[0], MeasuredSide()), groups[0].get(one.keys[1], MeasuredSide()))


def _chosen_by(
    library: Library, one: CurveKey, mates: Mapping[CurveKey, MeasuredSide], view: View, options: CrossoverOptions
) -> View:
    """The filters that choose a curve and no other of its accelerator: as few facts as do, else its series."""
    left = dict(mates)
    where: dict[str, Any] = {"accelerator": _chip(one)}

    def narrow(key: str, part: int, *, always: bool = False) -> None:
        value = _facts(one, part, options).get(key)
        narrower = {mate: held for mate, held in left.items() if _facts(mate, part, options).get(key) == value}
        if len(narrower) < len(left) or always:
            where[key] = str(value).lower() if isinstance(value, bool) else value
            for mate in left.keys() - narrower.keys():
                del left[mate]

    facts = _facts(one, 0, options)
    narrow("accelerators", 0)
    others = [_facts(mate, 0, options) for mate in left if mate[0] != one[0]]
    alone = [key for key in NAMED if all(other[key] != facts[key] for other in others)]
    for key in alone[:1] or NAMED:
        narrow(key, 0)
    fixed = _facts(one, 1, options)
    for key in ("isl", "osl", *LOADS):
        if key in fixed and not view.values(key):
            # The load a length is followed at belongs to what a pair is, wherever it is stated.
            narrow(key, 1, always=options.along in LENGTHS and key in LOADS and fixed[key] is not None)
    if None in where.values() or any(mate != one and len(held.xs) >= FEWEST for mate, held in left.items()):
        loads = {key: where[key] for key in LOADS if where.get(key) is not None}
        sql = "SELECT DISTINCT series_id FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY 1"
        ids = [point.point_id for point in mates[one].points]
        where = {"series": [series_id for (series_id,) in library.fetch(sql, (ids,))], **loads}
    told = {key: one if isinstance(one, list) else [one] for key, one in where.items()}
    return View.of({key: [written(value) for value in values] for key, values in told.items()})


def _facts(key: CurveKey, part: int, asked: CrossoverOptions) -> dict[str, Any]:
    """What tells a curve apart, or with `part` 1 what is fixed along it, by column."""
    return dict(key[0]) if part == 0 else dict(zip(curves.fixed_columns(asked.along), key[1], strict=True))


def _chip(key: CurveKey) -> str:
    return str(key[0][0][1])


def _count(key: CurveKey) -> Any:
    return dict(key[0]).get("accelerators")


def _couples(own: Sequence[Candidate], *left: Sequence[Candidate]) -> Iterable[tuple[Candidate, Candidate]]:
    """Every two of them, TPUs before others as the side asked about; with a `left` side, of it and the others."""
    if not left:
        ordered = sorted(own, key=lambda one: (not _chip(one.key).startswith("tpu"), one.side.label))
        return combinations(ordered, 2)
    taken = {point for one in left[0] for point in one.held.points}
    return ((one, other) for one in left[0] for other in own if taken.isdisjoint(other.held.points))


def _order(pair: ListedPair) -> tuple[Any, ...]:
    """The most alike pairs first; of those the ones that cross, widest leads on both sides first, then close races."""
    outcome = pair.outcome
    smallest = abs(outcome.smallest.lead_percent) if isinstance(outcome, result.Leads) else 0.0
    leads = [knot.lead_percent for knot in pair.knots] if pair.crossings else [0.0]
    order = 0 if pair.crossings else 1 if pair.knots else 2
    named = (pair.a.label, pair.b.label, pair.a.filters, pair.b.filters)
    return (pair.unlike, order, smallest, -min(max(leads), -min(leads)), *named)


def rows(answer: result.CrossoverResult) -> pd.DataFrame:
    """One row for each knot of a pair, or one for each pair."""
    if isinstance(answer, Pair):
        return pd.DataFrame(_of_knots(answer))
    listed = pd.DataFrame([_of_pair(one, answer.asked) for one in answer.pairs])
    return listed if listed.empty or listed["model"].nunique() > 1 else listed.drop(columns="model")


def compared(rows: pd.DataFrame) -> str:
    """How many sides the rows of an answer compare: those of a chosen pair are places along its axis."""
    sides = {*rows["label_a"], *rows["label_b"]} if "pair" in rows else SIDES
    return f"{counted(len(sides), 'side')} compare"


def value_columns(options: CrossoverOptions) -> tuple[str, str]:
    """What both sides' values are called as columns: "a_output_tokens_per_s_per_chip"."""
    value = f"{options.metric}{PER_COLUMN[options.per]}"
    return f"a_{value}", f"b_{value}"


def _of_knots(found: Pair) -> Iterator[dict[str, Any]]:
    """One row for each knot."""
    outcome, (value_a, value_b) = found.outcome, value_columns(found.asked)
    if not isinstance(outcome, Compared):
        return
    for knot in outcome.found.knots:
        a, b = (outcome.member(side, knot) for side in SIDES)
        at_a, at_b = a.at(knot.x), b.at(knot.x)
        yield {
            found.asked.along: knot.x,
            value_a: knot.y_a,
            value_b: knot.y_b,
            "a_measured": knot.measured_a,
            "b_measured": knot.measured_b,
            "a_over_b": knot.y_a / knot.y_b,
            "leads": knot.leader or "tie",
            "a_lead_percent": knot.lead_percent,
            "a_lead_percent_low": knot.lead_low,
            "a_lead_percent_high": knot.lead_high,
            "tie": knot.tie,
            "settled": knot.settled,
            "a_series": ", ".join(member(a.facts)),
            "b_series": ", ".join(member(b.facts)),
            "a_point_id": at_a and at_a.point.point_id,
            "b_point_id": at_b and at_b.point.point_id,
        }


def _of_pair(pair: result.ListedPair, options: CrossoverOptions) -> dict[str, Any]:
    """The row of a listed pair."""
    outcome, first = pair.outcome, pair.crossings[0] if pair.crossings else None
    leads = [knot.lead_percent for knot in pair.knots]
    both = outcome.found.run_on_both(first) if first and isinstance(outcome, Compared) else (None, None)
    return {
        "pair": pair.place,
        "model": pair.a.points[0].model,
        "label_a": pair.a.label,
        "label_b": pair.b.label,
        "kind": f"{outcome.leader}_leads" if isinstance(outcome, result.Leads) else outcome.kind,
        "verdict": brief(outcome, options, names(pair.a, pair.b)),
        "crossing": first.x if first else None,
        "between": " and ".join(dict.fromkeys(number(knot.x) for knot in both if knot)) if all(both) else None,
        "from": pair.knots[0].x if pair.knots else None,
        "to": pair.knots[-1].x if pair.knots else None,
        "a_lead_percent_low": min(leads, default=None),
        "a_lead_percent_high": max(leads, default=None),
        "knots": len(leads),
        "a": pair.a.filters,
        "b": pair.b.filters,
    }
