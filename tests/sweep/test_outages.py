"""Sweeps against endpoints that fail for a while, for good, or whoever comes too often: failure is a result.

Outages are stretches of requests, by their numbers at the endpoint, so that no outcome depends on a clock.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running, truth
from bench.formats.journal import PointLine
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.plan import Plan
from bench.sweep.session.endings import enter
from bench.sweep.session.runner import run
from bench.sweep.session.setup import looked_at
from tests.endpoint.odd import Failing, Odd, one
from tests.sweep.sweeping import asked_before, command, document, folder_for

pytestmark = pytest.mark.long

A_POINT = 8
FOUR_AT_ONCE: dict[str, Any] = {
    "loads__concurrency": "4",
    "point__requests": str(A_POINT - 4),
    "point__warmup_requests": "4",
}
"""A point of 8 requests, four of them its warm-up."""
FOR_GOOD = 10_000
QUICK: dict[str, Any] = {"ttft_ms": 2, "itl_ms": 1}


def failing(first: int, past: int, kind: str = "500") -> Settings:
    """A quick endpoint of which the answers with these numbers fail."""
    return Settings(**QUICK, fail_at=dict.fromkeys(range(first, past), kind))


def adds_up(line: PointLine) -> bool:
    """Whether every request that was sent is on the point's account."""
    well, ill = line.requests_ok + line.warmup_ok, line.requests_failed + line.warmup_failed
    return well + ill + line.cancelled == line.requests_sent and sum(line.failures.values()) == ill


def test_an_outage_costs_the_points_in_it_and_resume_measures_those_alone(tmp_path: Path) -> None:
    """All requests of the second and third of five points fail."""
    first = asked_before(tmp_path, **FOUR_AT_ONCE, repeats="5")
    with running(failing(first + A_POINT, first + 3 * A_POINT)) as url:
        folder = folder_for(tmp_path / "library", url, **FOUR_AT_ONCE, repeats="5")
        ended = run(folder)
        assert ended.state == "failed"
        assert ended.reason.startswith("2 of 5 points failed, point 2 (concurrency 4, isl 32, osl 8): ")
        lines = [line for line, _ in folder.read.points]
        assert [line.state for line in lines] == ["measured", "failed", "failed", "measured", "measured"]
        assert all(adds_up(line) for line in lines)
        for line in lines[1:3]:
            assert (line.error or "").startswith("no request succeeded: 8 http_5xx (HTTP 500")
            assert (line.warmup_failed, line.requests_failed, line.failures) == (4, 4, {"http_5xx": 8})
        # Four places rest once, for up to 0.05 s each; those of the next point begin with their third, of 0.1 to 0.2 s.
        assert (lines[2].rested_s or 0) > 0.39
        before = {line.key: line for line in lines if line.measured}

        assert run(folder).state == "done"
    after = {line.key: line for line, _ in folder.read.points}
    assert len(after) == 5
    assert {key: after[key] for key in before} == before
    assert {line.key for line in folder.read.repeated} == after.keys() - before.keys()
    library = Library.open(tmp_path / "library", shipped=False)
    assert library.fetch("SELECT count(*), count(output_tokens_per_s) FROM points")[0] == (5, 5)


def test_an_endpoint_that_breaks_for_good_fails_and_says_so(tmp_path: Path) -> None:
    first = asked_before(tmp_path, **FOUR_AT_ONCE)
    with running(failing(first + A_POINT, FOR_GOOD)) as url:
        folder = folder_for(tmp_path / "library", url, **FOUR_AT_ONCE, repeats="9", stop__patience_s="1")
        ended = run(folder)
    assert ended.state == "failed"
    assert ended.reason.startswith("No request succeeded for ")
    assert "HTTP 500" in ended.reason
    # Its places rest for longer in each point, so that those of four are out for over a second for sure.
    states = [line.state for line, _ in folder.read.points]
    assert states in [["measured", *["failed"] * lost] for lost in (2, 3, 4)]


def test_a_point_that_is_given_up_is_failed_whatever_it_began_with(tmp_path: Path) -> None:
    """Thirty answers come at fifty a second, and then none: it does not last for its 120 s."""
    stated = {
        "loads__concurrency": "",
        "loads__request_rate": "50",
        "point__requests": "",
        "point__warmup_requests": "",
        "point__duration_s": "120",
        "stop__patience_s": "1",
    }
    first = asked_before(tmp_path, **stated)
    with running(failing(first + 30, FOR_GOOD)) as url:
        folder = folder_for(tmp_path / "library", url, **stated)
        assert run(folder).state == "failed"
    ((line, _),) = folder.read.points
    assert (line.state, line.metrics.keys()) == ("failed", {"requests_ok", "requests_failed"})
    assert (line.error or "").startswith("it was given up after ")
    assert "since no request succeeded any more" in (line.error or "")
    assert line.requests_sent < 6000


def test_of_several_urls_the_one_that_fails_is_named(tmp_path: Path) -> None:
    def plan(*urls: str) -> Plan:
        return Plan.from_fields({**stated, "endpoint.urls": ",".join(urls)})

    stated = {
        "endpoint.model": "fake-model",
        "workloads.isl": "32",
        "workloads.osl": "8",
        "loads.concurrency": "4",
        "point.requests": "40",
        "point.warmup_requests": "4",
    }
    log = tmp_path / "truth.jsonl"
    with running(Settings(**QUICK)) as well, running(Settings(**QUICK, log=log)) as ill:
        assert looked_at(plan(well, ill)).problem is None
    first = len(truth.read(log))
    with running(Settings(**QUICK)) as well, running(failing(first + 10, FOR_GOOD)) as ill:
        folder = Folder.create(tmp_path / "library", plan(well, ill))
        assert run(folder).state == "done"
    ((line, _),) = folder.read.points
    (flag,) = [flag for flag in line.flags if flag.kind == "failures"]
    assert f"of them at {ill.removeprefix('http://')}." in flag.seen
    assert "leave its URL out" in flag.do


@pytest.mark.parametrize(
    "turns_away",
    [
        Failing(429),
        pytest.param(Failing(429, retry_after="1"), marks=pytest.mark.exhaustive),
        pytest.param(Failing(503), marks=pytest.mark.exhaustive),
    ],
    ids=["429", "429 with Retry-After", "503"],
)
def test_a_limiter_is_measured_as_one(tmp_path: Path, turns_away: Failing) -> None:
    """Four are admitted of sixteen: the others are refused at once, and rest."""
    with one(Odd(ttft_ms=10, itl_ms=2, admits=4, turns_away=turns_away)) as (url, servers):
        folder = folder_for(
            tmp_path,
            url,
            endpoint__model="odd-model",
            loads__concurrency="4,16",
            point__requests="60",
            point__warmup_requests="4",
        )
        assert run(folder).state == "done"
        log = servers.log("odd")
    free, limited = (line for line, _ in folder.read.points)
    assert "rate_limited" not in {flag.kind for flag in free.flags}
    flag = next(flag for flag in limited.flags if flag.kind == "rate_limited")
    assert f"{limited.refused:,} of " in flag.seen
    assert "This measures the limiter" in flag.why
    assert limited.refused == sum(row.status == turns_away.status for row in log)
    assert (limited.rested_s or 0) > 0


@pytest.mark.timed
def test_what_a_limiter_admits_is_measured_as_fast_as_without_the_others(tmp_path: Path) -> None:
    with one(Odd(ttft_ms=40, itl_ms=10, admits=4, turns_away=Failing(429))) as (url, servers):
        folder = folder_for(
            tmp_path,
            url,
            endpoint__model="odd-model",
            workloads__osl="16",
            loads__concurrency="4,16",
            point__requests="",
            point__warmup_requests="",
            point__duration_s="4",
            point__warmup_s="0.5",
        )
        assert run(folder).state == "done"
        assert len([row for row in servers.log("odd") if row.status == 429]) < 600
    free, limited = (line.metrics["output_tokens_per_s"] for line, _ in folder.read.points)
    # Four at a time, but for the moments in which a place rests while another might come.
    assert 0.5 < limited / free < 1.5


@pytest.mark.timed
def test_a_wide_closed_loop_asks_an_endpoint_that_is_out_no_more_often(tmp_path: Path) -> None:
    """503s for 12 s at a concurrency of 64, over points of 4 s: each begins as gently as the one before ended."""
    with one(Odd(ttft_ms=20, itl_ms=5, failing=(Failing(503, 3.0, 15.0),))) as (url, servers):
        folder = folder_for(
            tmp_path,
            url,
            endpoint__model="odd-model",
            loads__concurrency="64",
            repeats="4",
            point__requests="",
            point__warmup_requests="",
            point__duration_s="4",
            point__warmup_s="0.2",
        )
        run(folder)
        refused = [row for row in servers.log("odd") if row.status == 503]
    assert 64 <= len(refused) <= 1000


def arguments(url: str, library: Path, *more: str) -> list[str]:
    """A sweep of one point from the command line."""
    fields = [f"endpoint.url={url}", "workloads.isl=32", "workloads.osl=16", "loads.concurrency=4", *more]
    return ["sweep", "--model", "fake-model", "--library", str(library), "--json", "--with", *fields]


def test_a_strict_sweep_with_a_flag_is_told_by_its_exit_status(tmp_path: Path) -> None:
    with running(Settings(**QUICK, stops_early=1.0, dialect="openai")) as url:
        asked = arguments(url, tmp_path, "point.requests=20", "point.warmup_requests=4")
        assert command(*asked).returncode == 0
        assert command(*asked, "--strict").returncode == 3


def test_an_error_share_that_the_plan_states_ends_a_grid(tmp_path: Path) -> None:
    first = asked_before(tmp_path, workloads__osl="16")
    stated = ["point.requests=20", "point.warmup_requests=4", "repeats=3", "stop.error_rate=0.01"]
    with running(failing(first + 12, first + 15)) as url:
        done = command(*arguments(url, tmp_path / "library", *stated))
    told = document(done.stdout)
    assert (done.returncode, told["state"], len(told["points"])) == (1, "failed", 1)
    assert "stop.error_rate allows 1.0 %" in told["reason"]
    assert told["points"][0]["state"] == "measured"
    assert [folder.id for folder in listed(tmp_path / "library")] == [told["id"]]


def test_a_sweep_without_a_figure_is_no_source_of_the_library(tmp_path: Path) -> None:
    first = asked_before(tmp_path)
    library = tmp_path / "library"
    with running(failing(first, FOR_GOOD)) as url:
        folder = folder_for(library, url)
        assert run(folder).state == "failed"
    assert [line.state for line, _ in folder.read.points] == ["failed", "failed"]
    assert all(adds_up(line) for line, _ in folder.read.points)
    assert Library.open(library, shipped=False).fetch("SELECT count(*) FROM points")[0] == (0,)
    assert enter(folder, library) == 0
