"""Climbing one level after another until a rule is broken: what was sustained, and what broke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.sweep.planning.shapes import PlannedPoint
from bench.sweep.planning.stop_rules import THROUGHPUT, Finished, judged
from bench.wording import quantity

if TYPE_CHECKING:
    from bench.sweep.planning.plan_parts import StopRules


@dataclass(frozen=True)
class Sustained:
    """The highest level before the break, with its throughput (the median of its repeats)."""

    point: PlannedPoint
    output_tokens_per_s: float


@dataclass(frozen=True)
class ClimbState:
    """Where a climb is: the point to measure next, or None with the reason it is over."""

    next: PlannedPoint | None
    reason: str = ""
    sustained: Sustained | None = None


def climbed(
    points: Sequence[PlannedPoint], finished: Mapping[str, Finished], rules: StopRules | None, repeats: int
) -> ClimbState:
    """How far the climb through these points has come; `points` are in ascending order, each level's repeats together.

    A level is judged once all its repeats are measured: by their failures together and by the median of each metric.
    What was measured beyond the break does not count.
    """
    levels: list[Finished] = []
    sustained: Sustained | None = None
    at = ""
    for start in range(0, len(points), repeats):
        repeated = points[start : start + repeats]
        missing = next((point for point in repeated if point.key not in finished), None)
        if missing is not None:
            return ClimbState(missing, sustained=sustained)
        levels.append(_level([finished[point.key] for point in repeated]))
        at = repeated[0].words
        verdict = judged(rules, levels)
        if verdict.why:
            return ClimbState(None, f"Stopped at {at}: {verdict.why}.", sustained)
        if verdict.sustained:
            sustained = Sustained(repeated[0], levels[-1].metrics.get(THROUGHPUT, 0.0))
    return ClimbState(
        None,
        f"Nothing broke up to {at}, the last level." if at else "No level fits into the model's context.",
        sustained,
    )


def highest(stated: Mapping[str, Any]) -> str:
    """The highest level a climb sustained, as journal and status tell it, in a sentence."""
    return (
        f"The highest level sustained was {stated.get('level')}, "
        f"with {quantity(float(stated.get('output_tokens_per_s', 0)), THROUGHPUT)}."
    )


def _level(repeats: Sequence[Finished]) -> Finished:
    keys = dict.fromkeys(key for point in repeats for key in point.metrics)
    return Finished(
        repeats[0].key,
        sum(point.requests_ok for point in repeats),
        sum(point.requests_failed for point in repeats),
        {key: median(point.metrics[key] for point in repeats if key in point.metrics) for key in keys},
    )
