"""A plan's points as its search asks for them, on results made by hand."""

from __future__ import annotations

from bench.sweep.planning.plan import Plan
from bench.sweep.planning.searches import Stop, next_load
from bench.sweep.planning.stop_rules import Finished
from tests.sweep.plans import ENDPOINT


def of(name: str, **stated: object) -> Plan:
    return Plan.from_mapping({"profile": name, "endpoint": ENDPOINT, **stated})


def measured(point, throughput: float | None = 100.0, failed: int = 0, ok: int = 100, **metrics: float) -> Finished:
    own = {} if throughput is None else {"output_tokens_per_s": throughput}
    return Finished(point.key, ok, failed, own | metrics)


def run(plan: Plan, result, start=()) -> tuple[list, Stop]:
    """Every point asked for after `start`, and the end; `result` measures one point."""
    finished, asked = list(start), []
    for _ in range(10_001):
        following = next_load(plan, finished)
        if isinstance(following, Stop):
            return asked, following
        asked.append(following)
        finished.append(result(following))
    raise AssertionError("it never stops")
