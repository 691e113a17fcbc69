"""Open loops with long answers: what is reported is the schedule, from when the first answers have ended on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.formats.journal import PointLine
from bench.sweep.checks.budget import TimedRequest, point_limits, too_short
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import looked_at
from tests.sweep.made import exchange
from tests.sweep.sweeping import line_of_load, plan_for

RATE, EVERY_MS = 10.0, 100
ISL = 32


def open_loop(osl: int, **fields: Any) -> dict[str, Any]:
    """The fields of a plan of one point, ten requests a second for so many tokens."""
    return {
        "workloads__osl": str(osl),
        "loads__concurrency": "",
        "loads__request_rate": str(RATE),
        "loads__arrivals": "constant",
        "point__requests": "",
        "point__warmup_requests": "",
        **fields,
    }


def planned(osl: int, **fields: Any) -> Plan:
    return plan_for("http://127.0.0.1:9", **open_loop(osl, **fields))


def line_for(place: Path, plan: Plan, osl: int, ttft_ms: int, itl_ms: int) -> PointLine:
    """The line of the plan's point, whose requests are sent and answered to the millisecond."""
    (point,) = plan.points()
    limits = point_limits(plan, point, TimedRequest(ttft_ms / 1000, itl_ms / 1000))
    assert limits.duration_s is not None
    made = []
    for number, sent in enumerate(range(0, round((limits.warmup_s + limits.duration_s) * 1000), EVERY_MS)):
        stamps = [sent + ttft_ms + itl_ms * token for token in range(osl)]
        made.append(exchange(number, sent, stamps, intended=sent, isl=ISL))
    return line_of_load(place, plan, limits, made)


@pytest.mark.parametrize(
    ("osl", "ttft_ms", "itl_ms", "stated", "begins_s"),
    [
        (256, 155, 19, {"point__duration_s": "10"}, 1.2 * 5),
        (1024, 793, 9, {"point__duration_s": "12"}, 1.2 * 10),
        (128, 160, 20, {"point__duration_s": "8", "point__warmup_s": "0.5"}, 2.7),
    ],
    ids=["5 s", "10 s", "a stated warm-up that is too short is made up for"],
)
def test_rate_and_throughput_are_those_of_the_schedule(
    tmp_path: Path, osl: int, ttft_ms: int, itl_ms: int, stated: dict[str, str], begins_s: float
) -> None:
    """Until the first answers have ended, ten a second come in and fewer tokens go out."""
    line = line_for(tmp_path, planned(osl, **stated), osl, ttft_ms, itl_ms)
    assert line.metrics["requests_per_s"] == pytest.approx(RATE)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * osl)
    # The warm-up lasts a fifth longer than the one answer that was timed, or where it is stated as long as that.
    assert line.window_start_s == pytest.approx(begins_s)
    assert line.why_not_steady is None
    assert not {"not_steady", "over_saturated", "failures"} & {flag.kind for flag in line.flags}


def test_a_point_that_is_shorter_than_its_answers_is_told_beforehand_and_not_called_steady(tmp_path: Path) -> None:
    plan = planned(256, point__duration_s="3")
    told = too_short(plan, TimedRequest(0.155, 0.019)) or ""
    assert told.startswith("A point of 3 s is over before its first answers, which take 5.0 s")
    assert "point.duration_s 10 or more" in told
    line = line_for(tmp_path, plan, 256, 155, 19)
    assert "not_steady" in {flag.kind for flag in line.flags}
    # The rate is the schedule's all the same: the window begins when the first answers have ended.
    assert line.metrics["requests_per_s"] == pytest.approx(RATE)
    # Twenty requests at ten a second are sent in 2 s, and an answer takes 2.64.
    told = too_short(planned(128, point__requests="20"), TimedRequest(0.1, 0.02)) or ""
    assert told.startswith("A point of 2 s is over before its first answers, which take 2.6 s")


@pytest.mark.long
def test_the_checks_before_a_sweep_say_that_a_point_is_too_short() -> None:
    with running(Settings(ttft_ms=60, itl_ms=1)) as url:
        found = looked_at(plan_for(url, **open_loop(8, point__duration_s="0.05")))
    assert found.problem is None
    assert [check.passed for check in found.checks if check.name == "duration"] == [None]
