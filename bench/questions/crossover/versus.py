"""Two sides against each other: whether they can be compared, who leads where, and that under every normalisation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from bench import flags
from bench.basis import evidence
from bench.basis.evidence import Ranking
from bench.basis.points import Facts
from bench.library import Library
from bench.maths import crossover
from bench.questions.crossover import asked as asking
from bench.questions.crossover import curves, result
from bench.questions.crossover.asked import LENGTHS, LOADS, USERS, Asked, Per
from bench.questions.crossover.curves import Measured, Priced, Workload
from bench.questions.crossover.result import BreakEven, Compared, Curve, NotKnown, Outcome, SideKey, Verdict
from bench.selection import clause
from bench.view import View

MOST_COUNTS = 4
"""The verdict at equal chips is told for at most so many counts that both sides were measured on."""

Lacking = result.NotComparable | result.NoPoints
Fixed = tuple[tuple[Any, ...], tuple[Any, ...]]
"""What is equal along the curve of each side."""


@dataclass(frozen=True)
class Held:
    """What was measured of a side, `hollow` what a flag keeps out of every ranking, and its curves so far."""

    rows: Sequence[Measured] = ()
    hollow: Sequence[Measured] = ()
    known: dict[Per, Curve | NotKnown] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def xs(self) -> frozenset[float]:
        """Where it was measured."""
        return frozenset(row.x for row in self.rows)

    @cached_property
    def points(self) -> tuple[Facts, ...]:
        """Its points."""
        return tuple(row.point for row in self.rows)

    def curve(self, side: SideKey, asked: Asked, per: Per, priced: Priced) -> Curve | NotKnown:
        """Its curve as this side; kept but for one in dollars, whose price may be another the next time."""
        found = self.known.get(per)
        if found is None:
            line = curves.divided(self.rows, curves.divisor(per, side, priced), asked.better)
            found = line or curves.lacking(per, self.rows)
            if per != "dollar":
                self.known[per] = found
        return found


@dataclass(frozen=True)
class Match:
    """The one workload of both sides that is compared, by what is fixed along it on each; or why there is none."""

    a: Held = Held()
    b: Held = Held()
    fixed: Fixed | None = None
    lacking: Lacking | None = None


def matched(library: Library, ranking: Ranking, asked: Asked) -> Match:
    """Both sides with what was measured of the workloads that share the most of the axis, or why none can be."""
    ranked = [asking.of_side(library, ranking, own) for own in (asked.a, asked.b)]
    a, b = curves.workloads(library, clause(ranking.view), ranked, asked)
    found = _fitting(a, b, asked.along)
    if isinstance(found, tuple):
        return read(library, ranking, asked, (found[0][0], found[1][0]))
    return Match(lacking=found or _nothing(library, ranking, asked, "b" if a else "a"))


def read(library: Library, ranking: Ranking, asked: Asked, fixed: Fixed) -> Match:
    """Both sides with what was measured of these workloads."""
    each = []
    for own, values in zip((asked.a, asked.b), fixed, strict=True):
        hollow = clause(own or View()).also(flags.has_sql(flags.EXCLUDING))
        for condition in (asking.of_side(library, ranking, own), hollow):
            each.append(curves.narrowed(condition, asked.along, values))
    rows = curves.measured(library, clause(ranking.view), each, asked)
    return Match(Held(rows[0], rows[1]), Held(rows[2], rows[3]), fixed)


def compared(match: Match, asked: Asked, per: Per, priced: Priced) -> Outcome:
    """Who leads where when both are divided by `per`."""
    if match.lacking:
        return match.lacking
    if not (match.a.rows and match.b.rows):
        return result.NoPoints("not_ranked", "b" if match.a.rows else "a")
    a, b = match.a.curve("a", asked, per, priced), match.b.curve("b", asked, per, priced)
    if isinstance(a, NotKnown):
        return a
    if isinstance(b, NotKnown):
        return b
    found = crossover.compared(a.envelope, b.envelope)
    told: dict[SideKey, Curve] = {"a": a, "b": b}
    if found.smallest and found.largest:
        leader: SideKey = "a" if found.verdict == "a_leads" else "b"
        return result.Leads(told, found, "leads", leader, found.smallest, found.largest)
    if found.verdict in ("crosses", "passes", "tie"):
        return Compared(told, found, found.verdict)
    return result.NoOverlap(told, found.range_a, found.range_b)


def under_every(match: Match, asked: Asked, priced: Priced) -> tuple[Verdict, ...]:
    """The verdict at the same load, at the same load on the same count, and at the same load per chip, each divided
    by nothing, chips, dollars and watts; a latency is divided by nothing."""
    told = []
    for along, chips in _held_equal(match, asked):
        narrowed = _per_chip(match, asked.along, along)
        if chips:  # along a load per chip that is the load itself but for a factor
            both = (match.a, match.b)
            a, b = (Held([row for row in one.rows if row.point.accelerators == chips]) for one in both)
            narrowed = replace(match, a=a, b=b)
        told += [Verdict(along, chips, per, compared(narrowed, asked, per, priced)) for per in asked.pers]
    return tuple(told)


def break_even(match: Match, asked: Asked, priced: Priced) -> dict[SideKey, BreakEven]:
    """For each side the price of one of its chips at which both give the same per dollar, at the settled knot where it
    may cost the most; nothing without the one price of the other side.
    """
    outcome = compared(match, asked, "accelerator", priced)
    if not (isinstance(outcome, Compared) and asked.is_divisible):
        return {}
    told: dict[SideKey, BreakEven] = {}
    settled = [knot for knot in outcome.found.knots if knot.settled]
    for side in result.SIDES if settled else ():
        price = priced.of_all(result.OTHER[side], (match.b if side == "a" else match.a).points)
        if price:
            knot = (max if side == "a" else min)(settled, key=lambda one: one.y_a / one.y_b)
            over, under = (knot.y_b, knot.y_a) if side == "a" else (knot.y_a, knot.y_b)
            usd = crossover.break_even_price(over, under, 1, 1, price.usd)
            chips = outcome.member(side, knot).facts.accelerators
            told[side] = BreakEven(side, knot.x, usd, chips, len(outcome.found.knots) - len(settled))
    return told


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
    a: Sequence[Workload], b: Sequence[Workload], along: str
) -> tuple[Workload, Workload] | result.NotComparable | None:
    """Of what each side holds the two that can be compared and share the most of the axis, or why none can."""
    models = {fixed[0] for fixed, _ in a} & {fixed[0] for fixed, _ in b}
    couples = [(one, two) for one in a for two in b if not models or one[0][0] == two[0][0]]

    def rank(couple: tuple[Workload, Workload]) -> tuple[Any, ...]:
        (one, xs), (two, others) = couple
        return (shared(xs, others), len(xs) + len(others), sorted((repr(one), repr(two))))

    fits = [couple for couple in couples if unlike_fixed(couple[0][0], couple[1][0], along) is None]
    if fits or not couples:
        return max(fits, key=rank, default=None)
    one, two = max(couples, key=lambda couple: rank(couple)[1:])
    return unlike_fixed(one[0], two[0], along)


def _nothing(library: Library, ranking: Ranking, asked: Asked, lacking: SideKey) -> Lacking:
    """Why one of two sides holds no curve: no points, no common model, other kinds of load, or not the metric."""
    told = []
    for key, own in zip(result.SIDES, (asked.a, asked.b), strict=True):
        narrowed = asking.narrowed(ranking, own)
        selected, ranked = clause(narrowed.view), evidence.ranked(library, narrowed)
        many, points, models, kinds = library.fetch(
            f"SELECT (SELECT count(*) FROM points WHERE {selected.sql}), count(*), list_sort(list(DISTINCT model)),"
            f" list_sort(list(DISTINCT load_kind)) FROM points WHERE {ranked.sql}",
            (*selected.params, *ranked.params),
        )[0]
        if not points:
            return result.NoPoints("not_ranked" if many else "nothing", key)
        told.append({"model": tuple(models), "load_kind": tuple(kinds)})
    for column in ("model", "load_kind") if asked.along in LOADS else ("model",):
        if not set(told[0][column]) & set(told[1][column]):
            return result.NotComparable(column, told[0][column], told[1][column])
    return result.NoPoints("axis", lacking)


def _held_equal(match: Match, asked: Asked) -> list[tuple[str, int | None]]:
    """What can be held equal between the sides: (axis, count of chips or None for the best layout)."""
    if match.lacking:
        return [(asked.along, None)]
    a, b = ({one.accelerators for one in held.points if one.accelerators} for held in (match.a, match.b))
    common = sorted(a & b)[:MOST_COUNTS] if len(a | b) > 1 else []
    load = "concurrency" if asked.along == USERS else asked.along
    equal: list[tuple[str, int | None]] = [(load, None), *((load, chips) for chips in common)]
    if asked.along == USERS:
        return [(USERS, None), *equal]
    return [*equal, (USERS, None)] if load in ("batch", "concurrency") else equal


def _per_chip(match: Match, now: str, wanted: str) -> Match:
    """The same points along the load per chip instead of the load, or the other way round."""
    if now == wanted:
        return match

    def moved(row: Measured) -> Measured | None:
        chips = row.point.accelerators
        return replace(row, x=row.x / chips if wanted == USERS else row.x * chips) if chips else None

    rows = [[one for row in side.rows if (one := moved(row))] for side in (match.a, match.b)]
    if not all(rows):
        return replace(match, lacking=result.NoPoints("chips", "b" if rows[0] else "a"))
    return replace(match, a=Held(rows[0]), b=Held(rows[1]))
