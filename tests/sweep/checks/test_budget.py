"""What a plan is going to cost, worked out by hand."""

from __future__ import annotations

import pytest

from bench.errors import UsageError
from bench.sweep.checks.budget import (
    Budget,
    TimedRequest,
    budget,
    demand_within_caps,
    measured_requests,
    point_limits,
    warmup,
)
from bench.sweep.planning.plan import Plan
from tests.sweep.plans import ENDPOINT


def plan(point=None, loads=None, **more) -> Plan:
    stated = {
        "endpoint": ENDPOINT,
        "workloads": [{"isl": [100, 300], "osl": 50}],
        "loads": {"concurrency": [1, 10]} if loads is None else loads,
        "point": point or {"requests": 20},
    }
    return Plan.from_mapping(stated | more)


def test_points_that_end_by_requests_are_counted_exactly():
    # Two shapes at 1 and 10: 20 requests each, and 1 or 10 to warm up: 21 + 30 a shape, all of it twice.
    found = budget(plan(repeats=2))
    assert budget(plan(search="ramp", stop={"falling_levels": 2})).may_end_early
    assert found == Budget(8, False, 204, 2 * 51 * (100 + 300), 204 * 50, None, None)
    assert found.tokens == 40_800 + 10_200


def test_with_one_request_timed_the_least_time_is_known():
    # 0.1 + 49 x 0.02 = 1.08 s a request. At 1: 21 of them one by one; at 10: 30 of them in 3 waves; two shapes.
    found = budget(plan(), TimedRequest(0.1, 0.02))
    assert found.minutes == pytest.approx(2 * (21 + 3) * 1.08 / 60)
    assert found.usd is None


def test_accelerators_are_paid_by_the_hour():
    facts = {"accelerators": 8, "usd_per_accelerator_hour": 3.0}
    found = budget(plan({"duration_s": 90, "warmup_s": 10}, facts=facts))
    assert found.minutes == pytest.approx(4 * 100 / 60)
    assert found.usd == pytest.approx(4 * 100 / 3600 * 8 * 3.0)
    assert (found.requests, found.tokens) == (None, None)


def test_what_can_be_sent_in_a_time_is_known_once_a_request_is_timed():
    # 1 s a request, 100 s and 10 s of warm-up: 111 rounds at most, of 1 and of 10.
    found = budget(plan({"duration_s": 100}, workloads=[{"isl": 10, "osl": 1}]), TimedRequest(1.0, 0.5))
    assert found.requests == 111 * 11
    assert found.minutes == pytest.approx(2 * 110 / 60)


def test_an_open_loop_is_known_without_timing():
    found = budget(plan({"duration_s": 60, "warmup_s": 0}, {"request_rate": [0.5, 2]}))
    assert (found.requests, found.minutes) == (2 * (30 + 120), 4.0)
    # The first end that is met holds.
    first = budget(plan({"requests": 60, "duration_s": 10, "warmup_s": 0}, {"request_rate": [2]}))
    assert (first.requests, first.minutes) == (2 * 20, 2 * 10 / 60)
    counted = budget(plan({"requests": 60, "warmup_requests": 0}, {"request_rate": [0.5, 2]}))
    assert (counted.requests, counted.minutes) == (240, 2 * (120 + 30) / 60)


def test_what_is_measured_costs_nothing_more():
    whole = plan()
    done = [point.key for point in whole.points()[:3]]
    assert budget(whole, measured=done).points == 1
    assert budget(whole, measured=done).requests == 30
    assert budget(whole, measured=[point.key for point in whole.points()]).requests == 0


@pytest.mark.parametrize(
    ("point", "loads", "caps", "told"),
    [
        ({"requests": 20}, None, {"requests": 101}, "102 requests and caps.requests is 101"),
        ({"requests": 20}, None, {"tokens": 25_499}, "25,500 tokens and caps.tokens is 25,499"),
        ({"duration_s": 600}, None, {"minutes": 40}, "41 minutes and caps.minutes is 40"),
    ],
)
def test_a_plan_beyond_its_caps_is_told_which(point, loads, caps, told):
    beyond = plan(point, loads, caps=caps)
    with pytest.raises(UsageError, match=told):
        demand_within_caps(beyond, budget(beyond))
    demand_within_caps(plan(point, loads), budget(plan(point, loads)))


def test_the_warm_up_is_one_of_each_under_way_or_a_tenth_of_the_time():
    counted = plan()
    assert [warmup(counted, point) for point in counted.points()[:2]] == [(1, 0), (10, 0)]
    timed = plan({"duration_s": 30})
    assert {warmup(timed, point) for point in timed.points()} == {(0, 3)}
    long = plan({"duration_s": 600})
    assert {warmup(long, point) for point in long.points()} == {(0, 10)}
    none = plan({"duration_s": 30, "warmup_requests": 0})
    assert {warmup(none, point) for point in none.points()} == {(0, 0)}


def test_a_point_without_a_stated_end_takes_30_seconds():
    found = plan({"timeout_s": 9})
    limits = point_limits(found, found.points()[1])
    assert (limits.duration_s, limits.warmup_s, limits.requests, limits.warmup_requests) == (30, 3, None, 0)
    assert budget(found).minutes == pytest.approx(4 * 33 / 60)


def test_the_limits_of_a_point_are_the_plans():
    each = plan({"requests_per_concurrency": 7, "timeout_s": "9s", "stall_s": 3, "drain_s": 0}, caps={"tokens": 999})
    low, high = each.points()[:2]
    assert [measured_requests(each, point) for point in (low, high)] == [7, 70]
    limits = point_limits(each, high)
    assert (limits.requests, limits.warmup_requests, limits.duration_s) == (70, 10, None)
    assert (limits.timeout_s, limits.stall_s, limits.drain_s, limits.tokens) == (9, 3, 0, 999)


def test_a_trace_is_as_long_as_it_is_or_as_the_point(tmp_path):
    (tmp_path / "trace.csv").write_text("at_s,isl,osl\n0,100,1\n50,200,2\n300,400,4\n")
    traced = {"workloads": [{"trace": str(tmp_path / "trace.csv")}], "loads": {}}
    for point in ({"duration_s": 600}, {"timeout_s": 9}, {"requests_per_concurrency": 1}):
        assert budget(plan(point, **traced)) == Budget(1, False, 3, 700, 7, 5.0, None)
    cut = budget(plan({"duration_s": 60, "warmup_s": 0}, **traced))
    assert (cut.requests, cut.input_tokens) == (2, 300)
