"""Open loops with long answers: what is reported is the schedule, from when the first answers have ended on."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.formats.journal import PointLine
from bench.sweep.checks.budget import TimedRequest, point_limits, too_short
from bench.sweep.generator.spool import Spool, gathered
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.finishing import FinishedLoad, line_of
from bench.sweep.planning.plan import Plan
from bench.sweep.session.runner import run
from bench.sweep.session.setup import looked_at
from bench.sweep.wire.exchange import PointRun
from tests.sweep.made import MS, exchange
from tests.sweep.sweeping import folder_for, plan_for

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
    spool, lasts_ms = Spool(place / "1.part"), round((limits.warmup_s + limits.duration_s) * 1000)
    for number, sent in enumerate(range(0, lasts_ms, EVERY_MS)):
        stamps = [sent + ttft_ms + itl_ms * token for token in range(osl)]
        spool.add(exchange(number, sent, stamps, intended=sent, isl=ISL), ISL, osl)
    spool.close()
    over_ms = lasts_ms + ttft_ms + itl_ms * osl
    run = PointRun(start_ns=0, end_ns=over_ms * MS, lag_ns=array("q", [0] * (over_ms // 10)), cpu_s=0.1)
    ran = FinishedLoad(point, limits, gathered([place / "1.part"]), [run], ClockDrift(0, 0, 0), (), "")
    return line_of(ran, plan, 1, "requests/1.parquet")


@pytest.mark.parametrize(
    ("osl", "ttft_ms", "itl_ms", "seconds", "answer_s"), [(256, 155, 19, 10, 5), (1024, 793, 9, 12, 10)]
)
def test_rate_and_throughput_are_those_of_the_schedule(
    tmp_path: Path, osl: int, ttft_ms: int, itl_ms: int, seconds: int, answer_s: float
) -> None:
    """Until the first answers have ended, ten a second come in and fewer tokens go out."""
    line = line_for(tmp_path, planned(osl, point__duration_s=str(seconds)), osl, ttft_ms, itl_ms)
    assert line.metrics["requests_per_s"] == pytest.approx(RATE)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * osl)
    # The warm-up lasts a fifth longer than the one answer that was timed.
    assert line.window_start_s == pytest.approx(1.2 * answer_s)
    assert line.why_not_steady is None
    assert not {"not_steady", "over_saturated", "failures"} & {flag.kind for flag in line.flags}


def test_a_point_that_is_shorter_than_its_answers_is_told_beforehand_and_not_called_steady(tmp_path: Path) -> None:
    plan = planned(256, point__duration_s="3")
    told = too_short(plan, TimedRequest(0.155, 0.019)) or ""
    assert told.startswith("A point of 3 s is over before its first answers, which take 5.0 s, have ended")
    assert "Give point.duration_s 10 or more." in told
    line = line_for(tmp_path, plan, 256, 155, 19)
    assert "not_steady" in {flag.kind for flag in line.flags}
    # The rate is the schedule's all the same: the window begins when the first answers have ended.
    assert line.metrics["requests_per_s"] == pytest.approx(RATE)


def test_a_stated_warm_up_that_is_too_short_is_made_up_for(tmp_path: Path) -> None:
    plan = planned(128, point__duration_s="8", point__warmup_s="0.5")
    line = line_for(tmp_path, plan, 128, 160, 20)
    assert line.window_start_s == pytest.approx(2.7)
    assert line.metrics["requests_per_s"] == pytest.approx(RATE)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * 128)
    assert "not_steady" not in {flag.kind for flag in line.flags}


def test_a_point_of_few_requests_that_is_shorter_than_its_answers_is_told_as_well() -> None:
    """Twenty requests at ten a second are sent in 2 s, and an answer takes 2.64."""
    told = too_short(planned(128, point__requests="20"), TimedRequest(0.1, 0.02)) or ""
    assert told.startswith("A point of 2 s is over before its first answers, which take 2.6 s")


def test_the_checks_before_a_sweep_say_that_a_point_is_too_short() -> None:
    with running(Settings(ttft_ms=60, itl_ms=1)) as url:
        found = looked_at(plan_for(url, **open_loop(8, point__duration_s="0.05")))
    assert found.problem is None
    (said,) = [check.said for check in found.checks if check.name == "duration"]
    assert said.startswith("A point of 0.05 s is over before its first answers, which take 0.")


@pytest.mark.timed
def test_a_live_open_loop_has_the_rate_and_throughput_of_its_schedule(tmp_path: Path) -> None:
    """Answers take 5.2 s."""
    with running(Settings(ttft_ms=100, itl_ms=20)) as url:
        folder = folder_for(tmp_path, url, **open_loop(256, point__duration_s="10"))
        assert run(folder).state == "done"
    line = folder.read.points[0][0]
    assert line.metrics["requests_per_s"] == pytest.approx(RATE, rel=0.01)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * 256, rel=0.01)
    assert (line.window_start_s or 0) > 0.1 + 0.02 * 255
    assert not {"not_steady", "over_saturated", "failures"} & {flag.kind for flag in line.flags}
