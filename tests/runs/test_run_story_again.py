"""What a retry measures: exactly what is missing, and exactly what failed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bench.formats.journal import PointLine
from bench.runs.remeasure import again
from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import PlannedPoint
from tests.library import sweeps
from tests.sweep.sweeping import plan_for

GRID = plan_for(
    "http://127.0.0.1:9",
    workloads__isl="32,64",
    workloads__osl="8,16",
    loads__concurrency="1,2,4",
    loads__request_rate="0.5,8",
    repeats="2",
    title="A grid",
    slo__ttft_ms="200",
)


def line(point: PlannedPoint, number: int, failed: int) -> PointLine:
    stated = {"key": point.key, "load": point.load, "repeat": point.repeat}
    return sweeps.point(number, **stated, requests_ok=10 - failed, requests_failed=failed)


@given(st.lists(st.sampled_from(["missing", "failed", "well"]), min_size=40, max_size=40))
def test_the_plans_of_a_retry_measure_exactly_what_failed(fates: list[str]) -> None:
    points = GRID.points()
    assert len(points) == 40
    lines = [
        line(point, place + 1, 3 if fate == "failed" else 0)
        for place, (point, fate) in enumerate(zip(points, fates, strict=True))
        if fate != "missing"
    ]
    found = again(GRID, lines)
    assert [point.key for point in found.missing] == [
        point.key for point, fate in zip(points, fates, strict=True) if fate == "missing"
    ]
    failed = {(point.shape, point.load) for point, fate in zip(points, fates, strict=True) if fate == "failed"}
    measured = [(point.shape, point.load) for plan in found.plans for point in plan.points()]
    assert len(measured) == len(set(measured))
    assert set(measured) == failed
    for plan in found.plans:
        assert (plan.endpoint, plan.slo, plan.point, plan.caps) == (GRID.endpoint, GRID.slo, GRID.point, GRID.caps)
        assert plan.seed is None  # prompts the endpoint has not seen
        assert Plan.from_toml(plan.to_toml()) == plan


def test_a_climb_knows_only_its_next_level() -> None:
    plan = plan_for("http://127.0.0.1:9", search="ramp", loads__concurrency="1,2,8", stop__error_rate="0.5")
    first, second, _ = searches.possible(plan)
    found = again(plan, [line(first, 1, 2)])
    assert found.climbs
    assert [point.key for point in found.missing] == [second.key]
    assert [one.number for one in found.failed] == [1]
    (retry,) = found.plans
    assert retry.search == "grid"
    assert retry.stop is None
    assert [point.load.concurrency for point in retry.points()] == [1]


def test_a_climb_that_its_warm_up_broke_goes_on_no_more_than_its_sweep_does() -> None:
    plan = plan_for("http://127.0.0.1:9", search="ramp", loads__concurrency="1,2,8", stop__error_rate="0.1")
    measured = line(searches.possible(plan)[0], 1, 0)
    assert len(again(plan, [measured]).missing) == 1
    assert again(plan, [replace(measured, warmup_failed=10)]).missing == ()
    assert len(again(plan, [replace(measured, warmup_failed=1, warmup_ok=90)]).missing) == 1
