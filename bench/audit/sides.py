"""The sides of a crossover with the points that belong to them, by the plain reading of the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, names
from bench.audit.answers import Told
from bench.audit.plain import Row, as_asked, keeps, value
from bench.library.standing import LOADS
from bench.questions.crossover.asked import Asked
from bench.questions.crossover.result import Compared, Curve, Listing, NoOverlap, Outcome, Pair
from bench.questions.crossover.result import Side as Named
from bench.view import View

LENGTHS = ("isl", "osl", "context_tokens")
USERS = "users_per_accelerator"

Alike = Mapping[tuple[Any, ...], Sequence[Row]]
"""Points by what is equal along a curve."""


@dataclass(frozen=True)
class Side:
    """One side of a compared pair, its curve, and the (x, y, id) of every point that has to lie on or below it."""

    pair: int
    key: str
    outcome: Outcome
    curve: Curve
    points: tuple[tuple[float, float, str], ...]
    lower: bool


def sides(told: Told) -> Iterator[Side]:
    """Both sides of every pair of a crossover that was compared; none where prices printed with points count."""
    found: Pair | Listing = told.answer.result
    if found.asked.per == "dollar" and told.reading.usd(told.view) is None:
        return
    pairs = [(0, found.a, found.b, found.outcome, ())] if isinstance(found, Pair) else [
        (one.place, one.a, one.b, one.outcome, one.keys) for one in found.pairs
    ]  # fmt: skip
    lower = catalogue.metric(found.asked.metric).direction == "lower"
    alike: dict[View, Alike] = {}
    for place, a, b, outcome, keys in pairs:
        if isinstance(outcome, Compared | NoOverlap):
            for key, named, told_apart in zip(("a", "b"), (a, b), keys or (None, None), strict=True):
                view = _of_side(told, found.asked, key, is_listed=told_apart is not None)
                if view not in alike:
                    alike[view] = _alike(told, view, found.asked)
                points = tuple(_points(told, found.asked, key, named, told_apart, alike[view]))
                yield Side(place, key, outcome, outcome.curves["a" if key == "a" else "b"], points, lower)


def _points(told: Told, asked: Asked, key: str, side: Named, told_apart: Any,
            alike: Alike) -> Iterator[tuple[float, float, str]]:  # fmt: skip
    """The places of all ranked points of a side under the workload that is compared, in the unit asked for."""
    if told_apart is None:
        told_apart = (), _fixed(told.reading.by_id[side.points[0].point_id], asked)
    for row in alike.get(told_apart[1], ()):
        if all(row[name] == stated for name, stated in told_apart[0]):
            x, y, by = _along(row, asked.along), value(row, asked.metric), _divisor(told, row, asked, key)
            if x and y and x > 0 and y > 0 and by:
                yield float(x), y / by, row["point_id"]


def _alike(told: Told, view: View, asked: Asked) -> Alike:
    """The ranked points of a side's View that the answer's View selects too, by what is equal along a curve."""
    whole = told.reading.codes(told.view)
    held: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in told.reading.standing(view):
        if row["point_id"] in whole and keeps(row, told.view.slo):
            held[_fixed(row, asked)].append(row)
    return held


def _of_side(told: Told, asked: Asked, key: str, *, is_listed: bool) -> View:
    """The View narrowed to a chosen side; of a list with one side chosen that is A."""
    own = asked.a if key == "a" else asked.b
    if is_listed:
        own = (asked.a or asked.b) if key == "a" else None
    return told.view.with_where(**dict(own.where)) if own else told.view


def _fixed(row: Row, asked: Asked) -> tuple[Any, ...]:
    """What is equal along one curve: model, kind of load, lengths and data set; along a length the load as well."""
    lengths = [key for key in (*LENGTHS, "dataset") if key != asked.along]
    keys = ("model", "load_kind", *lengths, *(LOADS if asked.along in LENGTHS else ()))
    return tuple(as_asked(row, key) for key in keys)


def _along(row: Row, along: str) -> Any:
    if along != USERS:
        return row[along]
    load = row["concurrency"] if row["concurrency"] is not None else row["batch"]
    return load / row["accelerators"] if load is not None and row["accelerators"] else None


def _divisor(told: Told, row: Row, asked: Asked, key: str) -> float | None:
    """What a point's figure is divided by: chips, USD for an hour of use, or rated power in W."""
    if asked.per == "raw":
        return 1.0
    chips, chip, each = row["accelerators"] or 0, row["accelerator"] or "", 1.0
    if asked.per == "dollar":
        stated = asked.price_a if key == "a" else asked.price_b
        usd = stated if stated is not None else (told.reading.usd(told.view) or {}).get(chip, 0.0)
        each = usd / float(told.view.option("utilisation", "1"))
    elif asked.per == "watt":
        known = names.accelerator(chip)
        each = (known.tdp_w if known else None) or 0.0
    return each * chips or None
