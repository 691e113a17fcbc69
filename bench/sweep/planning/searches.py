"""The searches of a plan: which point comes next, or why there is none.

A search is a pure function of the plan and of the points measured so far, whatever their order: resuming a sweep
replays its journal through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Any

from bench.records import Load
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import MOST_TOKENS, Length, PlannedPoint, Shape
from bench.sweep.planning.stop_rules import THROUGHPUT, Finished, judged
from bench.wording import quantity

CONTEXT_SHARE, CONTEXT_TOKENS = 0.02, 4
"""An input may be this much longer than asked for, by share or by tokens, and must still fit."""

LEAST_STEP = 1.25
"""The last input, which fills the context, is only worth a point when it is so much longer than the one before."""


@dataclass(frozen=True)
class Sustained:
    """The highest level before a climb's break, with its throughput (the median of its repeats)."""

    point: PlannedPoint
    output_tokens_per_s: float


@dataclass(frozen=True)
class Stop:
    """Why no point comes next, in a sentence, and the highest level each shape sustained where levels were climbed."""

    reason: str
    sustained: tuple[Sustained, ...] = ()


def next_load(plan: Plan, finished: Sequence[Finished]) -> PlannedPoint | Stop:
    """The point to measure next, or why there is none; the same for the same plan and points, in any order."""
    by_key = {point.key: point for point in finished}
    if plan.search in CLIMBS:
        return _climb(plan, by_key)
    missing = next((point for point in plan.points() if point.key not in by_key), None)
    return missing or Stop(f"Every one of the {len(plan.points()):,} points is measured.")


def possible(plan: Plan) -> tuple[PlannedPoint, ...]:
    """Every point the plan may come to measure; what climbs may end before."""
    if plan.search not in CLIMBS:
        return plan.points()
    return tuple(point for climb in CLIMBS[plan.search](plan) for point in climb)


def doublings(shape: Shape, context_tokens: int | None) -> Iterator[Shape]:
    """The shape with its isl doubled until the context is full; the last one fills it.

    Without a known limit it goes on to the longest length a plan may state.
    """
    if shape.isl is None or shape.osl is None:
        return
    left = (context_tokens or 2 * MOST_TOKENS) - shape.osl.most
    room = min(int(left / (1 + CONTEXT_SHARE)), left - CONTEXT_TOKENS, MOST_TOKENS)
    length = shape.isl.a
    while length <= room:
        yield replace(shape, isl=Length("fixed", length))
        if length * 2 > room and context_tokens and room >= length * LEAST_STEP:
            yield replace(shape, isl=Length("fixed", room))
        length *= 2


def _climb(plan: Plan, finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    ends: list[Stop] = []
    for points in CLIMBS[plan.search](plan):
        end = _climbed(plan, points, finished)
        if isinstance(end, PlannedPoint):
            return end
        ends.append(end)
    return Stop(
        " ".join(dict.fromkeys(end.reason for end in ends)), tuple(level for end in ends for level in end.sustained)
    )


def _climbed(plan: Plan, points: Sequence[PlannedPoint], finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    """Where a climb through these points goes on, or why it is over; each level's repeats are together.

    A level is judged once all its repeats are measured: by their failures together and by the median of each metric.
    What was measured beyond the break does not count.
    """
    levels: list[Finished] = []
    sustained: tuple[Sustained, ...] = ()
    reason = "No level fits into the model's context."
    for start in range(0, len(points), plan.repeats):
        repeated = points[start : start + plan.repeats]
        missing = next((point for point in repeated if point.key not in finished), None)
        if missing is not None:
            return missing
        levels.append(_level([finished[point.key] for point in repeated]))
        verdict = judged(plan.stop, levels)
        if verdict.why:
            return Stop(f"Stopped at {repeated[0].words}: {verdict.why}.", sustained)
        if verdict.sustained:
            sustained = (Sustained(repeated[0], levels[-1].metrics.get(THROUGHPUT, 0.0)),)
        reason = f"Nothing broke up to {repeated[0].words}, the last level."
    return Stop(reason, sustained)


def _level(repeats: Sequence[Finished]) -> Finished:
    keys = dict.fromkeys(key for point in repeats for key in point.metrics)
    return Finished(
        repeats[0].key,
        sum(point.requests_ok for point in repeats),
        sum(point.requests_failed for point in repeats),
        {key: median(point.metrics[key] for point in repeats if key in point.metrics) for key in keys},
    )


def highest(stated: Mapping[str, Any]) -> str:
    """The highest level a climb sustained, as journal and status keep it, in a sentence."""
    return (
        f"The highest level sustained was {stated.get('level')}, "
        f"with {quantity(float(stated.get('output_tokens_per_s', 0)), THROUGHPUT)}."
    )


def _by_load(plan: Plan) -> Iterator[list[PlannedPoint]]:
    """For each shape, the levels of each kind of load, each as often as it is repeated."""
    for shape in plan.shapes:
        for _, loads in groupby(plan.levels(shape), key=lambda load: load.load_kind):
            yield [point for load in loads for point in _repeated(plan, shape, load)]


def _by_length(plan: Plan) -> Iterator[list[PlannedPoint]]:
    """For each shape and load, ever longer inputs, each as often as it is repeated."""
    for shape in plan.shapes:
        longer = tuple(doublings(shape, plan.context_tokens))
        for load in plan.levels(shape):
            yield [point for step in longer for point in _repeated(plan, step, load)]


def _repeated(plan: Plan, shape: Shape, load: Load) -> Iterator[PlannedPoint]:
    return (PlannedPoint(shape, load, repeat) for repeat in range(1, plan.repeats + 1))


CLIMBS: Mapping[str, Callable[[Plan], Iterator[list[PlannedPoint]]]] = {"ramp": _by_load, "context": _by_length}
