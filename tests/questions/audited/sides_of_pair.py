"""The sides of a crossover with the points that belong to them, by the plain reading of the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, names
from bench.library.newest_runs import LOADS
from bench.questions.crossover.options import CrossoverOptions
from bench.questions.crossover.result import Compared, NoOverlap, Outcome, Pair, PairList, SideCurve
from bench.questions.crossover.result import Side as Named
from bench.view import View
from tests.questions.audited.answers import AuditedAnswer
from tests.questions.audited.reference_answers import PlainRow, as_asked, keeps, value

LENGTHS = ("isl", "osl", "context_tokens")
USERS = "users_per_accelerator"

Alike = Mapping[tuple[Any, ...], Sequence[PlainRow]]
"""Points by what is equal along a curve."""


@dataclass(frozen=True)
class AuditedSide:
    """One side of a compared pair, its curve, and the (x, y, id) of every point that has to lie on or below it."""

    pair: int
    key: str
    outcome: Outcome
    curve: SideCurve
    points: tuple[tuple[float, float, str], ...]
    lower: bool


def sides(case: AuditedAnswer) -> Iterator[AuditedSide]:
    """Both sides of every pair of a crossover that was compared; none where prices printed with points count."""
    result: Pair | PairList = case.answer.result
    if result.asked.per == "dollar" and case.reading.usd(case.view) is None:
        return
    pairs = (
        [(0, result.a, result.b, result.outcome, ())]
        if isinstance(result, Pair)
        else [(one.place, one.a, one.b, one.outcome, one.keys) for one in result.pairs]
    )
    lower = catalogue.metric(result.asked.metric).direction == "lower"
    alike: dict[View, Alike] = {}
    for place, a, b, outcome, keys in pairs:
        if isinstance(outcome, Compared | NoOverlap):
            for key, named, told_apart in zip(("a", "b"), (a, b), keys or (None, None), strict=True):
                view = _of_side(case, result.asked, key, is_listed=told_apart is not None)
                if view not in alike:
                    alike[view] = _alike(case, view, result.asked)
                points = tuple(_points(case, result.asked, key, named, told_apart, alike[view]))
                yield AuditedSide(place, key, outcome, outcome.curves["a" if key == "a" else "b"], points, lower)


def _points(
    case: AuditedAnswer, options: CrossoverOptions, key: str, side: Named, told_apart: Any, alike: Alike
) -> Iterator[tuple[float, float, str]]:
    """The places of all ranked points of a side under the workload that is compared, in the unit asked for."""
    if told_apart is None:
        told_apart = (), _fixed(case.reading.by_id[side.points[0].point_id], options)
    for row in alike.get(told_apart[1], ()):
        if all(row[name] == stated for name, stated in told_apart[0]):
            x, y, by = (_along(row, options.along), value(row, options.metric), _divisor(case, row, options, key))
            if x and y and x > 0 and y > 0 and by:
                yield float(x), y / by, row["point_id"]


def _alike(case: AuditedAnswer, view: View, options: CrossoverOptions) -> Alike:
    """The ranked points of a side's View that the answer's View selects too, by what is equal along a curve."""
    whole = case.reading.codes(case.view)
    held: dict[tuple[Any, ...], list[PlainRow]] = defaultdict(list)
    for row in case.reading.standing(view):
        if row["point_id"] in whole and keeps(row, case.view.slo):
            held[_fixed(row, options)].append(row)
    return held


def _of_side(case: AuditedAnswer, options: CrossoverOptions, key: str, *, is_listed: bool) -> View:
    """The View narrowed to a chosen side; of a list with one side chosen that is A."""
    own = options.a if key == "a" else options.b
    if is_listed:
        own = (options.a or options.b) if key == "a" else None
    return case.view.with_where(**dict(own.where)) if own else case.view


def _fixed(row: PlainRow, asked: CrossoverOptions) -> tuple[Any, ...]:
    """What is equal along one curve: model, kind of load, lengths and data set; along a length the load as well."""
    lengths = [key for key in (*LENGTHS, "dataset") if key != asked.along]
    keys = ("model", "load_kind", *lengths, *(LOADS if asked.along in LENGTHS else ()))
    return tuple(as_asked(row, key) for key in keys)


def _along(row: PlainRow, along: str) -> Any:
    if along != USERS:
        return row[along]
    load = row["concurrency"] if row["concurrency"] is not None else row["batch"]
    return load / row["accelerators"] if load is not None and row["accelerators"] else None


def _divisor(case: AuditedAnswer, row: PlainRow, options: CrossoverOptions, key: str) -> float | None:
    """What a point's figure is divided by: chips, USD for an hour of use, or rated power in W."""
    if options.per == "raw":
        return 1.0
    chips, chip, each = row["accelerators"] or 0, row["accelerator"] or "", 1.0
    if options.per == "dollar":
        stated = options.price_a if key == "a" else options.price_b
        usd = stated if stated is not None else (case.reading.usd(case.view) or {}).get(chip, 0.0)
        each = usd / float(case.view.option("utilisation", "1"))
    elif options.per == "watt":
        known = names.accelerator(chip)
        each = (known.tdp_w if known else None) or 0.0
    return each * chips or None
