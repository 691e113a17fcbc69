"""Locust's files: the figures are those in the text of its rows, and a time that is of no whole answer is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from tests.formats.damage import SAMPLES
from tests.formats.reading_of import passports, read_points, reading

CONCURRENCY_4 = SAMPLES / "locust" / "concurrency-4" / "locust_stats.csv"
FAILURES_16 = SAMPLES / "locust" / "failures-concurrency-16" / "locust_stats.csv"
HEADER = (
    "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,"
    "Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,75%,80%,90%,95%,98%,99%,99.9%,99.99%,100%"
)
HISTORY = "Timestamp,User Count,Type,Name,Requests/s\n"
# 120 requests in 60 s, 1,474.5 ms on average, which Locust keeps as 1,500 and the longest of 1,552 as 1,600.
WHOLE = (
    "POST,/v1/completions,120,0,1500,1474.5,147.2,1552,812.5,2.0,0.0,"
    "1500,1500,1500,1500,1500,1600,1600,1600,1600,1600,1600"
)


def written(folder: Path, *rows: str, users: str | None = None) -> Path:
    """Statistics with these rows, and beside them a course whose rows have these users a second."""
    path = folder / "run_stats.csv"
    path.write_text("\n".join((HEADER, *rows)) + "\n")
    if users is not None:
        seconds = (f"{1795170800 + n},{count},,Aggregated,1.0\n" for n, count in enumerate(users.split()))
        (folder / "run_stats_history.csv").write_text(HISTORY + "".join(seconds))
    return path


def the_point(path: Path) -> dict[str, Any]:
    (point,), refused = read_points(path)
    assert refused == []
    return point


def kinds(point: dict[str, Any]) -> list[str]:
    return [flag["kind"] for flag in json.loads(point.get("flags", "[]"))]


def test_times_that_end_with_the_headers_are_no_e2el() -> None:
    point = the_point(CONCURRENCY_4)
    assert not {key for key in point if key.startswith("e2el")}
    assert "2.642 ms on average where the first token took 41.65 ms" in point["note"]


def test_every_latency_s_passport_says_that_it_is_over_all_requests(tmp_path: Path) -> None:
    for path in (CONCURRENCY_4, FAILURES_16, written(tmp_path, WHOLE)):
        times = {key: row for key, row in passports(path).items() if key.split("_")[1] == "ms"}
        assert times
        assert all("over all requests" in row["definition"] for row in times.values())
        assert all("rounded" in row["definition"] for key, row in times.items() if "_ms_p" in key)


def test_whole_answers_have_an_e2el_whose_rounding_contradicts_nothing(tmp_path: Path) -> None:
    point = the_point(written(tmp_path, WHOLE, users="0 1 3 3 3 3 3 3 3 3"))
    assert (point["load_kind"], point["concurrency"]) == ("closed", 3)
    assert (point["e2el_ms_mean"], point["e2el_ms_min"], point["e2el_ms_max"]) == (1474.5, 147.2, 1552)
    # 1,600 at the p95 is above the largest, which is exact
    assert (point["e2el_ms_p50"], point["e2el_ms_p95"], point["e2el_ms_p99_9"]) == (1500, 1552, 1552)
    assert (point["requests_per_s"], point["duration_s"]) == (2, 60)
    assert "flags" not in point
    assert "note" not in point


@pytest.mark.parametrize(
    ("users", "load"),
    [
        (None, ("unknown", None)),
        ("0 3 3 3 0", ("closed", 3)),
        ("1 2 3 3 3 3 3 3 3 3", ("closed", 3)),  # 8 of 10 s
        ("1 2 2 3 3 3 3 3 3 3", ("unknown", None)),
        ("10 10 10 20 20 20", ("unknown", None)),
        ("", ("unknown", None)),
    ],
)
def test_users_are_the_concurrency_where_they_stay_the_same(
    users: str | None, load: tuple[str, int | None], tmp_path: Path
) -> None:
    point = the_point(written(tmp_path, WHOLE, users=users))
    assert (point["load_kind"], point.get("concurrency")) == load


def test_users_who_wait_between_requests_are_told(tmp_path: Path) -> None:
    """2 requests a second x 1.47 s are 2.9 in flight."""
    (flag,) = json.loads(the_point(written(tmp_path, WHOLE, users="0 20 20 20 20 20"))["flags"])
    assert flag["kind"] == "littles-law"
    assert "wait_time" in flag["why"]


@pytest.mark.parametrize(("users", "known"), [("0 3 3 3 3 3", True), ("0 20 20 20 20 20", False), (None, False)])
def test_times_of_answers_without_a_size_count_where_they_fill_the_users_time(
    users: str | None, known: bool, tmp_path: Path
) -> None:
    point = the_point(written(tmp_path, WHOLE.replace(",812.5,", ",0.0,"), users=users))
    assert ("e2el_ms_mean" in point) is known
    assert ("the answers have no size" in point.get("note", "")) is not known


def test_a_time_below_the_ttft_is_of_a_request_without_an_answer(tmp_path: Path) -> None:
    failing = (
        "POST,/v1/completions,100,20,1000,800.5,3.1,1400,500,2.0,0.4,"
        "1000,1000,1100,1100,1200,1300,1300,1400,1400,1400,1400"
    )
    ttft = "SSE,ttft,80,0,90,91.5,60.25,180,0,1.6,0,90,95,100,110,120,150,170,180,180,180,180"
    point = the_point(written(tmp_path, failing, ttft))
    assert "e2el_ms_min" not in point
    assert (point["e2el_ms_mean"], point["e2el_ms_p50"], point["ttft_ms_min"]) == (800.5, 1000, 60.25)
    assert "below the TTFT" in point["note"]


def test_several_kinds_of_requests_are_several_points_at_an_unknown_load(tmp_path: Path) -> None:
    """Users are shared between them; an event may be of either."""
    other = WHOLE.replace("/v1/completions", "long prompts")
    ttft = "SSE,ttft,240,0,90,91.5,60.25,180,0,4.0,0,90,95,100,110,120,150,170,180,180,180,180"
    path = written(tmp_path, WHOLE, other, ttft, users="0 6 6 6 6 6")
    points, _ = read_points(path)
    assert [point["dataset"] for point in points] == ["/v1/completions", "long prompts"]
    assert {point["load_kind"] for point in points} == {"unknown"}
    assert not {key for point in points for key in point if key.startswith("ttft")}
    assert reading(path).not_understood == ("SSE ttft",)


@pytest.mark.parametrize("event", ["SSE,itl", "SSE,tpot", "GET,/health"])
def test_an_event_of_an_unknown_formula_is_told_and_not_filed(event: str, tmp_path: Path) -> None:
    """One a request: it may be a gap, TPOT or NTPOT."""
    row = f"{event},120,0,12,12.5,11,14,0,2.0,0,12,12,12,12,13,13,14,14,14,14,14"
    path = written(tmp_path, WHOLE, row)
    assert {key for key in the_point(path) if "_ms_" in key} == {
        key for key in the_point(written(tmp_path, WHOLE)) if "_ms_" in key
    }
    assert reading(written(tmp_path, WHOLE, row)).not_understood == (event.replace(",", " "),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("GET,/health,1,0,2,2,2,2,0,1,0,2,2,2,2,2,2,2,2,2,2,2", "no request in a row of Type POST"),
        (WHOLE.replace(",120,0,", ",0,0,"), "no request in a row of Type POST"),
        (WHOLE.replace(",120,0,", ",120,121,"), "121 requests where Request Count is 120"),
        (WHOLE.replace("1474.5", "1.4745"), "e2el_ms"),  # seconds
    ],
)
def test_a_row_that_cannot_be_is_refused(row: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        reading(written(tmp_path, row))
    assert reason in str(problem.value)


def test_a_broken_file_beside_costs_what_it_would_have_told(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE, users="0 3 3")
    history = tmp_path / "run_stats_history.csv"
    history.write_text(HISTORY + "1,2\n")
    (point,), (refusal,) = read_points(path)
    assert point["load_kind"] == "unknown"
    assert "run_stats_history.csv" in refusal.reason
