"""Two sides against each other: whether they can be compared, who leads where, and that under every normalisation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bench import flags
from bench.basis import evidence
from bench.basis.evidence import Ranking
from bench.basis.points import PointFacts
from bench.library import Library
from bench.maths import crossover
from bench.questions.crossover import curves, result
from bench.questions.crossover import options as asking
from bench.questions.crossover.curves import FixedWorkload, HourlyPrices, MeasuredPlace
from bench.questions.crossover.options import LENGTHS, LOADS, USERS, CrossoverOptions, Per
from bench.questions.crossover.result import (
    BreakEvenPrice,
    Compared,
    NormalisedVerdict,
    NotKnown,
    Outcome,
    SideCurve,
    SideKey,
)
from bench.selection import clause
from bench.view import View

MOST_COUNTS = 4
"""The verdict at equal chips is told for at most so many counts that both sides were measured on."""

Lacking = result.NotComparable | result.NoPoints
Fixed = tuple[tuple[Any, ...], tuple[Any, ...]]
"""What is equal along the curve of each side."""


@dataclass(frozen=True)
class MeasuredSide:
    """What was measured of a side, `hollow` what a flag keeps out of every ranking, and its curves so far."""

    rows: Sequence[MeasuredPlace] = ()
    hollow: Sequence[MeasuredPlace] = ()
    known: dict[Per, SideCurve | NotKnown] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def xs(self) -> frozenset[float]:
        """Where it was measured."""
        return frozenset(row.x for row in self.rows)

    @cached_property
    def points(self) -> tuple[PointFacts, ...]:
        """The facts of every point on the curve, in the order of its rows."""
        return tuple(row.point for row in self.rows)

    def curve(self, side: SideKey, options: CrossoverOptions, per: Per, priced: HourlyPrices) -> SideCurve | NotKnown:
        """Its curve as this side; kept but for one in dollars, whose price may be another the next time."""
        known = self.known.get(per)
        if known is None:
            line = curves.divided(self.rows, curves.divisor(per, side, priced), options.row.better)
            known = line or curves.lacking(per, self.rows)
            if per != "dollar":
                self.known[per] = known
        return known


@dataclass(frozen=True)
class Match:
    """The one workload of both sides that is compared, by what is fixed along it on each; or why there is none."""

    a: MeasuredSide = MeasuredSide()
    b: MeasuredSide = MeasuredSide()
    fixed: Fixed | None = None
    lacking: Lacking | None = None


def matched(library: Library, ranking: Ranking, options: CrossoverOptions) -> Match:
    """Both sides with what was measured of the workloads that share the most of the axis, or why none can be."""
    ranked = [asking.of_side(library, ranking, own) for own in (options.a, options.b)]
    a, b = curves.workloads(library, clause(ranking.view), ranked, options)
    found = _fitting(a, b, options.along)
    if isinstance(found, tuple):
        return read(library, ranking, options, (found[0][0], found[1][0]))
    return Match(lacking=found or _nothing(library, ranking, options, "b" if a else "a"))


def read(library: Library, ranking: Ranking, options: CrossoverOptions, fixed: Fixed) -> Match:
    """Both sides with what was measured of these workloads."""
    each = []
    for own, values in zip((options.a, options.b), fixed, strict=True):
        hollow = clause(own or View()).also(flags.has_sql(flags.EXCLUDING))
        for condition in (asking.of_side(library, ranking, own), hollow):
            each.append(curves.narrowed(condition, options.along, values))
    rows = curves.measured(library, clause(ranking.view), each, options)
    return Match(MeasuredSide(rows[0], rows[1]), MeasuredSide(rows[2], rows[3]), fixed)


def compared(match: Match, options: CrossoverOptions, per: Per, priced: HourlyPrices) -> Outcome:
    """Who leads where when both are divided by `per`."""
    if match.lacking:
        return match.lacking
    if not (match.a.rows and match.b.rows):
        return result.NoPoints("not_ranked", "b" if match.a.rows else "a")
    a, b = match.a.curve("a", options, per, priced), match.b.curve("b", options, per, priced)
    if isinstance(a, NotKnown):
        return a
    if isinstance(b, NotKnown):
        return b
    crossing = crossover.compared(a.envelope, b.envelope)
    lines: dict[SideKey, SideCurve] = {"a": a, "b": b}
    if crossing.smallest and crossing.largest:
        leader: SideKey = "a" if crossing.verdict == "a_leads" else "b"
        return result.Leads(lines, crossing, "leads", leader, crossing.smallest, crossing.largest)
    if crossing.verdict in ("crosses", "passes", "tie"):
        return Compared(lines, crossing, crossing.verdict)
    return result.NoOverlap(lines, crossing.range_a, crossing.range_b)


def under_every(match: Match, options: CrossoverOptions, priced: HourlyPrices) -> tuple[NormalisedVerdict, ...]:
    """The verdict at the same load, at the same load on the same count, and at the same load per chip, each divided
    by nothing, chips, dollars and watts; a latency is divided by nothing."""
    verdicts = []
    for along, chips in _held_equal(match, options):
        narrowed = _per_chip(match, options.along, along)
        if chips:  # along a load per chip that is the load itself but for a factor
            both = (match.a, match.b)
            a, b = (MeasuredSide([row for row in one.rows if row.point.accelerators == chips]) for one in both)
            narrowed = replace(match, a=a, b=b)
        verdicts += [
            NormalisedVerdict(along, chips, per, compared(narrowed, options, per, priced)) for per in options.pers
        ]
    return tuple(verdicts)


def break_even(match: Match, options: CrossoverOptions, priced: HourlyPrices) -> dict[SideKey, BreakEvenPrice]:
    """For each side the price of one of its chips at which both give the same per dollar, at the settled knot where it
    may cost the most; nothing without the one price of the other side.
    """
    outcome = compared(match, options, "accelerator", priced)
    if not (isinstance(outcome, Compared) and options.is_divisible):
        return {}
    by_side: dict[SideKey, BreakEvenPrice] = {}
    settled = [knot for knot in outcome.found.knots if knot.settled]
    for side in result.SIDES if settled else ():
        price = priced.of_all(result.OTHER[side], (match.b if side == "a" else match.a).points)
        if price:
            knot = (max if side == "a" else min)(settled, key=lambda one: one.y_a / one.y_b)
            over, under = (knot.y_b, knot.y_a) if side == "a" else (knot.y_a, knot.y_b)
            usd, chips = price.usd / over * under, outcome.member(side, knot).facts.accelerators
            by_side[side] = BreakEvenPrice(side, knot.x, usd, chips, len(outcome.found.knots) - len(settled))
    return by_side


def shared(a: Iterable[float], b: Iterable[float]) -> int:
    """How many knots two curves have where both were measured; 0 when the ranges do not overlap."""
    xs_a, xs_b = set(a), set(b)
    low, high = max(min(xs_a), min(xs_b)), min(max(xs_a), max(xs_b))
    return len([x for x in xs_a | xs_b if low <= x <= high])


def unlike_fixed(a: tuple[Any, ...], b: tuple[Any, ...], along: str) -> result.NotComparable | None:
    """Why two curves cannot be compared, None when they can: other models, stated lengths or loads."""
    for key, one, other in zip(curves.fixed_columns(along), a, b, strict=True):
        apart = key == "model" or (key == "load_kind" and along not in LENGTHS)
        stated = key in (*LENGTHS, *LOADS) and None not in (one, other)
        if one != other and (apart or stated):
            return result.NotComparable(key, (one,), (other,))
    return None


def _fitting(
    a: Sequence[FixedWorkload], b: Sequence[FixedWorkload], along: str
) -> tuple[FixedWorkload, FixedWorkload] | result.NotComparable | None:
    """Of what each side holds the two that can be compared and share the most of the axis, or why none can."""
    models = {fixed[0] for fixed, _ in a} & {fixed[0] for fixed, _ in b}
    couples = [(one, two) for one in a for two in b if not models or one[0][0] == two[0][0]]

    def rank(couple: tuple[FixedWorkload, FixedWorkload]) -> tuple[Any, ...]:
        (one, xs), (two, others) = couple
        return (shared(xs, others), len(xs) + len(others), sorted((repr(one), repr(two))))

    fits = [couple for couple in couples if unlike_fixed(couple[0][0], couple[1][0], along) is None]
    if fits or not couples:
        return max(fits, key=rank, default=None)
    one, two = max(couples, key=lambda couple: rank(couple)[1:])
    return unlike_fixed(one[0], two[0], along)


def _nothing(library: Library, ranking: Ranking, options: CrossoverOptions, lacking: SideKey) -> Lacking:
    """Why one of two sides holds no curve: no points, no common model, other kinds of load, or not the metric."""
    reasons = []
    for key, own in zip(result.SIDES, (options.a, options.b), strict=True):
        ranked = evidence.ranked(library, asking.narrowed(ranking, own))
        points, models, kinds = library.fetch(
            "SELECT count(*), list_sort(list(DISTINCT model)), list_sort(list(DISTINCT load_kind)) FROM points"
            f" WHERE {ranked.sql}",
            ranked.params,
        )[0]
        if not points:
            return result.NoPoints("not_ranked", key)
        reasons.append({"model": tuple(models), "load_kind": tuple(kinds)})
    for column in ("model", "load_kind") if options.along in LOADS else ("model",):
        if not set(reasons[0][column]) & set(reasons[1][column]):
            return result.NotComparable(column, reasons[0][column], reasons[1][column])
    return result.NoPoints("axis", lacking)


def _held_equal(match: Match, options: CrossoverOptions) -> list[tuple[str, int | None]]:
    """What can be held equal between the sides: (axis, count of chips or None for the best layout)."""
    if match.lacking:
        return [(options.along, None)]
    a, b = ({one.accelerators for one in held.points if one.accelerators} for held in (match.a, match.b))
    common = sorted(a & b)[:MOST_COUNTS] if len(a | b) > 1 else []
    load = "concurrency" if options.along == USERS else options.along
    equal: list[tuple[str, int | None]] = [(load, None), *((load, chips) for chips in common)]
    if options.along == USERS:
        return [(USERS, None), *equal]
    return [*equal, (USERS, None)] if load in ("batch", "concurrency") else equal


def _per_chip(match: Match, now: str, wanted: str) -> Match:
    """The same points along the load per chip instead of the load, or the other way round."""
    if now == wanted:
        return match

    def moved(row: MeasuredPlace) -> MeasuredPlace | None:
        chips = row.point.accelerators
        return replace(row, x=row.x / chips if wanted == USERS else row.x * chips) if chips else None

    rows = [[one for row in side.rows if (one := moved(row))] for side in (match.a, match.b)]
    if not all(rows):
        return replace(match, lacking=result.NoPoints("chips", "b" if rows[0] else "a"))
    return replace(match, a=MeasuredSide(rows[0]), b=MeasuredSide(rows[1]))
