"""The searches of a plan: which point comes next, or why there is none.

A search is a pure function of the plan and of the points measured so far, whatever their order: resuming a sweep
replays its journal through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bench.records import Load
from bench.sweep.planning import ramp
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.ramp import Sustained
from bench.sweep.planning.shapes import MOST_TOKENS, Length, PlannedPoint, Shape
from bench.sweep.planning.stop_rules import Finished

CONTEXT_SHARE, CONTEXT_TOKENS = 0.02, 4
"""An input may be this much longer than asked for, by share or by tokens, and must still fit."""

LEAST_STEP = 1.25
"""The last input, which fills the context, is only worth a point when it is so much longer than the one before."""


@dataclass(frozen=True)
class Stop:
    """Why no point comes next, in a sentence, and the highest level each shape sustained where levels were climbed."""

    reason: str
    sustained: tuple[Sustained, ...] = ()


def next_load(plan: Plan, finished: Sequence[Finished]) -> PlannedPoint | Stop:
    """The point to measure next, or why there is none; the same for the same plan and points, in any order."""
    return SEARCHES[plan.search](plan, {point.key: point for point in finished})


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


def _grid(plan: Plan, finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    missing = next((point for point in plan.points() if point.key not in finished), None)
    return missing or Stop(f"Every one of the {len(plan.points()):,} points is measured.")


def _climb(plan: Plan, finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    walks = []
    for points in CLIMBS[plan.search](plan):
        walk = ramp.climbed(points, finished, plan.stop, plan.repeats)
        if walk.next is not None:
            return walk.next
        walks.append(walk)
    return Stop(
        " ".join(dict.fromkeys(walk.reason for walk in walks)),
        tuple(walk.sustained for walk in walks if walk.sustained is not None),
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

SEARCHES: Mapping[str, Callable[[Plan, Mapping[str, Finished]], PlannedPoint | Stop]] = {
    "grid": _grid,
    **dict.fromkeys(CLIMBS, _climb),
}
