"""Open loops with long answers, against an endpoint that keeps its schedule: what is reported is what was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.sweep.folder import Folder
from bench.sweep.session.runner import run
from tests.sweep.sweeping import folder_for

pytestmark = pytest.mark.long

RATE = 10.0
EXACT = Settings(ttft_ms=100, itl_ms=20)
FASTER = Settings(ttft_ms=100, itl_ms=10)


def measured(library: Path, osl: int, endpoint: Settings = EXACT, **fields: Any) -> Folder:
    with running(endpoint) as url:
        folder = folder_for(
            library,
            url,
            workloads__osl=str(osl),
            loads__concurrency="",
            loads__request_rate=str(RATE),
            loads__arrivals="constant",
            point__requests="",
            point__warmup_requests="",
            **fields,
        )
        assert run(folder).state == "done"
    return folder


@pytest.mark.parametrize(("osl", "endpoint", "seconds"), [(256, EXACT, 10), (1024, FASTER, 12)])
def test_rate_and_throughput_are_those_of_the_schedule(
    tmp_path: Path, osl: int, endpoint: Settings, seconds: int
) -> None:
    """Answers take 5.2 s and 10.3 s: until the first have ended, ten a second come in and fewer tokens go out."""
    line = measured(tmp_path, osl, endpoint, point__duration_s=str(seconds)).read.points[0][0]
    assert line.metrics["requests_per_s"] == pytest.approx(RATE, rel=0.01)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * osl, rel=0.01)
    assert line.window_start_s is not None
    assert line.window_start_s > 0.1 + endpoint.itl_ms / 1000 * (osl - 1)
    assert not {"not_steady", "over_saturated", "failures"} & {flag.kind for flag in line.flags}


def test_a_point_that_is_shorter_than_its_answers_is_told_beforehand_and_not_called_steady(tmp_path: Path) -> None:
    folder = measured(tmp_path, 256, point__duration_s="3")
    line = folder.read.points[0][0]
    (said,) = [check["said"] for check in folder.status["checks"] if check["name"] == "duration"]
    assert said.startswith("A point of 3 s is over before its first answers, which take 5.2 s, have ended")
    assert "Give point.duration_s 11 or more." in said
    assert "not_steady" in {flag.kind for flag in line.flags}
    # The rate is the schedule's all the same: the window begins when the first answers have ended.
    assert line.metrics["requests_per_s"] == pytest.approx(RATE, rel=0.04)


def test_a_stated_warm_up_that_is_too_short_is_made_up_for(tmp_path: Path) -> None:
    line = measured(tmp_path, 128, point__duration_s="8", point__warmup_s="0.5").read.points[0][0]
    assert line.metrics["requests_per_s"] == pytest.approx(RATE, rel=0.02)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(RATE * 128, rel=0.02)
    assert "not_steady" not in {flag.kind for flag in line.flags}


def test_a_point_of_few_requests_that_is_shorter_than_its_answers_is_told_as_well(tmp_path: Path) -> None:
    """Twenty requests at ten a second are sent in 2 s, and an answer takes 2.6."""
    with running(EXACT) as url:
        folder = folder_for(
            tmp_path,
            url,
            workloads__osl="128",
            loads__concurrency="",
            loads__request_rate=str(RATE),
            loads__arrivals="constant",
            point__requests="20",
            point__warmup_requests="",
        )
        run(folder)
    (said,) = [check["said"] for check in folder.status["checks"] if check["name"] == "duration"]
    assert said.startswith("A point of 2 s is over before its first answers, which take 2.6 s")
