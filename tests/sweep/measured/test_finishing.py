"""A point's line once its load is over: whether it has a figure, and at which base URL its failures were."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from bench.formats.journal import PointLine
from bench.sweep.checks.budget import measured_requests
from bench.sweep.wire.exchange import Limits, RequestOutcome
from tests.sweep.made import exchange
from tests.sweep.sweeping import line_of_load, plan_for

BASES = ("10.0.0.1:8000", "10.0.0.2:8000", "10.0.0.3:8000")
MANY = 60


def finished(
    place: Path,
    failed: Collection[int],
    bases: tuple[str, ...] = BASES,
    outcome: RequestOutcome = "http_5xx",
    many: int = MANY,
    **fields: object,
) -> PointLine:
    """The line of a point of so many requests, one after another over these base URLs, of which these failed."""
    sent = range(0, 100 * many, 100)
    made = [
        exchange(number, at, end=at + 90, outcome=outcome)
        if number in failed
        else exchange(number, at, [at + 50, at + 90])
        for number, at in enumerate(sent)
    ]
    plan = plan_for("http://127.0.0.1:9", **{"loads__concurrency": "1", **fields})
    limits = Limits(requests=measured_requests(plan, plan.points()[0]))
    return line_of_load(place, plan, limits, made, bases)


def test_a_point_of_which_more_failed_than_ended_well_is_failed_and_has_no_figure(tmp_path: Path) -> None:
    line = finished(tmp_path, range(10, 45))
    assert (line.state, line.metrics.keys()) == ("failed", {"requests_ok", "requests_failed", "requests_resent"})
    assert "35 of 60 requests failed" in (line.error or "")


@pytest.mark.parametrize(
    ("failed", "many", "state"), [(30, 60, "measured"), (30, 61, "measured"), (31, 61, "failed"), (31, 60, "failed")]
)
def test_half_of_the_requests_may_fail_and_not_one_more(failed: int, many: int, state: str, tmp_path: Path) -> None:
    line = finished(tmp_path, range(10, 10 + failed), many=many)
    assert (line.state, line.requests_failed, line.requests_ok) == (state, failed, many - failed)
    assert ("output_tokens_per_s" in line.metrics) is (state == "measured")


@pytest.mark.parametrize(
    ("failed", "asked", "ends", "state"),
    [
        (3, 2.0, {}, "measured"),
        (3, 2.01, {}, "failed"),
        (2, 2.01, {}, "measured"),
        (0, 9.0, {}, "measured"),
        (3, 2.01, {"point__requests": "61"}, "failed"),
        (3, 2.01, {"point__requests": "60"}, "measured"),
        (3, 2.01, {"point__requests_per_concurrency": "61"}, "failed"),
        (3, 2.01, {"point__requests_per_concurrency": "60"}, "measured"),
    ],
    ids=[
        "half of the time is left",
        "less is",
        "under 5 % failed",
        "none failed",
        "one more request was to come",
        "every request came",
        "one more for each in flight was to come",
        "every one for each in flight came",
    ],
)
def test_failures_that_leave_less_than_half_of_the_time_that_ended_a_point_leave_no_figure(
    failed: int, asked: float, ends: dict[str, str], state: str, tmp_path: Path
) -> None:
    """Of 60 requests 3 are 5 %. `asked` is the time that was asked for, in windows of the load that was."""
    ill = range(10, 10 + failed)
    (window,) = {finished(tmp_path, ill).window_s}
    line = finished(tmp_path, ill, **{"point__requests": "", "point__duration_s": f"{asked * window:.6f}", **ends})
    assert (line.state, line.window_s, line.requests_failed) == (state, window, failed)
    assert ("output_tokens_per_s" in line.metrics) is (state == "measured")


def test_what_the_endpoint_asked_not_to_be_sent_does_not_count_among_these(tmp_path: Path) -> None:
    assert finished(tmp_path, range(10, 45), outcome="http_429").state == "measured"


def test_a_level_that_ends_a_ramp_by_its_own_rule_is_its_answer_and_has_no_figure(tmp_path: Path) -> None:
    line = finished(tmp_path, range(10, 45), loads__concurrency="1,2", search="ramp", stop__error_rate="0.1")
    assert (line.state, line.error) == ("measured", None)
    assert line.metrics.keys() == {"requests_ok", "requests_failed", "requests_resent"}


def where(line: PointLine) -> str:
    (flag,) = (flag for flag in line.flags if flag.kind == "failures")
    return flag.seen


def test_the_base_url_that_nearly_all_failures_were_at_is_named(tmp_path: Path) -> None:
    line = finished(tmp_path, {1, 4, 7, 10, 13, 16, 19, 22, 3})
    assert line.requests_failed == 9
    assert "8 of them at 10.0.0.2:8000" in where(line)


@pytest.mark.parametrize("failed", [range(9), {1, 4, 7, 3, 6}])
def test_failures_at_several_base_urls_name_none(tmp_path: Path, failed: Collection[int]) -> None:
    assert "of them at" not in where(finished(tmp_path, failed))


def test_a_single_base_url_needs_no_name(tmp_path: Path) -> None:
    assert "of them at" not in where(finished(tmp_path, {1, 4, 7}, BASES[:1]))
