"""What of a sweep is worth measuring again: points that are missing, and points whose requests failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.formats.journal import PointLine
from bench.records import Load
from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.searches import CLIMBS, Stop
from bench.sweep.planning.shapes import PlannedPoint, Shape
from bench.sweep.planning.stop_rules import Finished

ANEW = ("search", "stop", "seed", "repeats", "workloads", "loads")
"""What a plan that measures some points of another again states for itself, or leaves open."""


@dataclass(frozen=True)
class Retry:
    """What a retry would measure.

    `missing` are points a resume of the sweep goes on with; where levels are climbed only the next one is known, and
    `climbs` says so. `failed` are measured points some of whose requests failed: a journal never measures a point
    twice, so that `plans` measure them in sweeps of their own, with prompts the endpoint has not seen.
    """

    missing: tuple[PlannedPoint, ...]
    climbs: bool
    failed: tuple[PointLine, ...]
    plans: tuple[Plan, ...]


def again(plan: Plan, lines: Sequence[PointLine]) -> Retry:
    """What is missing from the plan's points and what failed among those measured."""
    lines = [line for line in lines if line.measured]
    failed = tuple(line for line in lines if line.requests_failed)
    keys = {line.key for line in failed}
    points = [point for point in searches.possible(plan) if point.key in keys]
    return Retry(_missing(plan, lines), plan.search in CLIMBS, failed, _plans(plan, points))


def plan_of(plan: Plan, line: PointLine) -> Plan | None:
    """A plan that measures this point of another once more and nothing else; None where that has no such point."""
    made = _plans(plan, [point for point in searches.possible(plan) if point.key == line.key][:1])
    return made[0] if made else None


def _missing(plan: Plan, lines: Sequence[PointLine]) -> tuple[PlannedPoint, ...]:
    finished = [Finished.of(line) for line in lines]
    chosen = searches.next_load(plan, finished)
    if isinstance(chosen, Stop):
        return ()
    if plan.search in CLIMBS:
        return (chosen,)
    done = {one.key for one in finished}
    return tuple(point for point in plan.points() if point.key not in done)


def _plans(plan: Plan, points: Sequence[PlannedPoint]) -> tuple[Plan, ...]:
    """Grids that measure exactly these points, once each: shapes that want the same levels share one."""
    levels: dict[Shape, dict[Load, None]] = {}
    for point in points:
        levels.setdefault(point.shape, {})[point.load] = None
    grids: dict[tuple[Load, ...], list[Shape]] = {}
    for shape, loads in levels.items():
        grids.setdefault(tuple(loads), []).append(shape)
    return tuple(_grid(plan, shapes, loads) for loads, shapes in grids.items())


def _grid(plan: Plan, shapes: Sequence[Shape], loads: Sequence[Load]) -> Plan:
    kept = {key: value for key, value in plan.document().items() if key not in ANEW}
    own = plan.loads.model_dump(mode="json")
    own["concurrency"] = [load.concurrency for load in loads if load.load_kind == "closed"]
    own["request_rate"] = [load.request_rate for load in loads if load.request_rate is not None]
    return Plan.from_mapping({**kept, "workloads": [_workload(shape) for shape in shapes], "loads": own})


def _workload(shape: Shape) -> dict[str, Any]:
    stated = {
        "isl": shape.isl.written if shape.isl else None,
        "osl": shape.osl.written if shape.osl else None,
        "shared_prefix_share": shape.shared_prefix_share or None,
        "prompts": shape.prompts,
        "trace": shape.trace,
    }
    return {key: value for key, value in stated.items() if value is not None}
