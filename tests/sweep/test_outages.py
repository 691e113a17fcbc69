"""Sweeps against endpoints that fail for a while, for good, or whoever comes too often: failure is a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running, truth
from bench.formats.journal import PointLine
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.session.endings import enter
from bench.sweep.session.runner import run
from bench.sweep.session.setup import looked_at
from tests.endpoint.odd import Failing, Odd, Wrote, serving
from tests.sweep.sweeping import bench, document, folder_for, plan_for

pytestmark = pytest.mark.long

OUTAGE_S = (11.0, 31.0)
QUICK = {"ttft_ms": 20, "itl_ms": 5}


def arguments(url: str, library: Path, **fields: Any) -> list[str]:
    stated = {"endpoint.url": url, "workloads.isl": 32, "workloads.osl": 16, "loads.concurrency": 4, **fields}
    options = [f"{key}={value}" for key, value in stated.items()]
    return ["sweep", "--model", "odd-model", "--library", str(library), "--json", "--with", *options]


def the_folder(library: Path) -> Folder:
    (folder,) = listed(library)
    return folder


def adds_up(line: PointLine) -> bool:
    """Whether every request that was sent is on the point's account."""
    well, ill = line.requests_ok + line.warmup_ok, line.requests_failed + line.warmup_failed
    return well + ill + line.cancelled == line.requests_sent and sum(line.failures.values()) == ill


def in_time(log: list[Wrote], span: tuple[float, float]) -> list[Wrote]:
    first = min(one.received_ns for one in log)
    return [one for one in log if span[0] <= (one.received_ns - first) / 1e9 < span[1]]


def test_an_outage_costs_the_points_in_it_and_resume_measures_those_alone(tmp_path: Path) -> None:
    """500s for 20 s, while five points of 8 s are measured at a concurrency of 16."""
    odd = Odd(**QUICK, failing=(Failing(500, *OUTAGE_S),))
    with serving({"odd": odd}) as servers:
        asked = arguments(
            servers.url("odd"),
            tmp_path,
            **{"loads.concurrency": 16, "repeats": 5, "point.duration_s": 8, "point.warmup_s": 0.5},
        )
        done = bench(*asked, timeout=120)
        told = document(done.stdout)
        assert (done.returncode, told["state"]) == (1, "failed")
        states = [point["state"] for point in told["points"]]
        assert states[0] == states[-1] == "measured"
        assert told["points_failed"] == states.count("failed") in (1, 2, 3)
        whole = max(point["output_tokens_per_s"] for point in told["points"] if point["state"] == "measured")
        for point in told["points"]:
            kinds = {flag["kind"] for flag in point["flags"]}
            if point["state"] == "measured" and point["output_tokens_per_s"] < 0.9 * whole:
                assert "outage" in kinds
        for point in told["points"]:
            if point["state"] == "failed":
                assert point["error"].startswith(("no request succeeded: ", "after the warm-up no request succeeded"))
                assert "http_5xx (HTTP 500" in point["error"]
                assert point["failures"]["http_5xx"] == point["requests_failed"] + point["warmup_failed"]
            else:
                assert point["output_tokens_per_s"] > 0
        assert "failed, point" in told["reason"]
        log = servers.log("odd")
        assert len([one for one in in_time(log, OUTAGE_S) if one.status == 500]) <= 1000
        folder = the_folder(tmp_path)
        assert all(adds_up(line) for line, _ in folder.read.points)
        before = {line.key: line for line, _ in folder.read.measured}

        resumed = bench("resume", folder.id, "--library", str(tmp_path), "--json", timeout=120)
    assert (resumed.returncode, document(resumed.stdout)["state"]) == (0, "done")
    after = {line.key: line for line, _ in folder.read.points}
    assert len(after) == 5
    assert {key: after[key] for key in before} == before
    assert {line.key for line in folder.read.repeated} == after.keys() - before.keys()
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT count(*), count(output_tokens_per_s) FROM points")[0] == (5, 5)


def test_an_endpoint_that_breaks_for_good_fails_and_says_so(tmp_path: Path) -> None:
    odd = Odd(**QUICK, failing=(Failing(500, from_s=3.0),))
    with serving({"odd": odd}) as servers:
        fields = {"repeats": 5, "point.duration_s": 3, "point.warmup_s": 0.5, "stop.patience_s": 5}
        done = bench(*arguments(servers.url("odd"), tmp_path, **fields), timeout=60)
    told = document(done.stdout)
    assert (done.returncode, told["state"]) == (1, "failed")
    assert told["reason"].startswith("No request succeeded for ")
    assert "HTTP 500" in told["reason"]
    assert told["points_failed"] == 2
    assert all(point["state"] == "measured" or point["error"] for point in told["points"])


def test_a_wide_closed_loop_asks_an_endpoint_that_is_out_no_more_often(tmp_path: Path) -> None:
    """503s for 12 s at a concurrency of 64, over points of 4 s: each begins as gently as the one before ended."""
    odd = Odd(**QUICK, failing=(Failing(503, 3.0, 15.0),))
    with serving({"odd": odd}) as servers:
        fields = {"loads.concurrency": 64, "repeats": 4, "point.duration_s": 4, "point.warmup_s": 0.2}
        bench(*arguments(servers.url("odd"), tmp_path, **fields), timeout=90)
        refused = [row for row in servers.log("odd") if row.status == 503]
    assert 64 <= len(refused) <= 1000


def test_a_point_that_is_given_up_is_failed_whatever_it_began_with(tmp_path: Path) -> None:
    odd = Odd(**QUICK, failing=(Failing(500, from_s=4.0),))
    with serving({"odd": odd}) as servers:
        fields = {"loads.concurrency": "", "loads.request_rate": 20, "point.duration_s": 20, "stop.patience_s": 3}
        done = bench(*arguments(servers.url("odd"), tmp_path, **fields), timeout=60)
    (point,) = document(done.stdout)["points"]
    assert (done.returncode, point["state"]) == (1, "failed")
    assert point["error"].startswith("it was given up after ")
    assert "since no request succeeded any more" in point["error"]
    assert "ttft_ms_p50" not in point


def test_of_several_urls_the_one_that_fails_is_named(tmp_path: Path) -> None:
    odds = {"well": Odd(**QUICK), "ill": Odd(**QUICK, failing=(Failing(500, from_s=2.5),))}
    with serving(odds) as servers:
        urls = [servers.url(name) for name in odds]
        asked = arguments(urls[0], tmp_path, **{"point.duration_s": 4, "point.warmup_s": 0.2})
        asked = [*(one for one in asked if not one.startswith("endpoint.url=")), f"endpoint.urls={','.join(urls)}"]
        done = bench(*asked, timeout=60)
    (point,) = document(done.stdout)["points"]
    (flag,) = [flag for flag in point["flags"] if flag["kind"] == "failures"]
    assert f"of them at {urls[1].removeprefix('http://')}." in flag["seen"]
    assert "leave its URL out" in flag["do"]


@pytest.mark.parametrize(
    "turns_away",
    [Failing(429), Failing(429, retry_after="1"), Failing(503)],
    ids=["429", "429 with Retry-After", "503"],
)
def test_a_limiter_is_measured_as_one(tmp_path: Path, turns_away: Failing) -> None:
    """Four are admitted of sixteen: the others are refused at once, and rest."""
    odd = Odd(ttft_ms=40, itl_ms=10, admits=4, turns_away=turns_away)
    with serving({"odd": odd}) as servers:
        fields = {"loads.concurrency": "4,16", "point.duration_s": 4, "point.warmup_s": 0.5}
        done = bench(*arguments(servers.url("odd"), tmp_path, **fields), timeout=60)
        log = servers.log("odd")
    told = document(done.stdout)
    assert done.returncode == 0
    free, limited = told["points"]
    assert "rate_limited" not in {flag["kind"] for flag in free["flags"]}
    flag = next(flag for flag in limited["flags"] if flag["kind"] == "rate_limited")
    assert f"{limited['refused']:,} of " in flag["seen"]
    assert "This measures the limiter" in flag["why"]
    assert limited["refused"] == sum(one.status == turns_away.status for one in log) < 600
    assert limited["rested_s"] > 0
    # What was admitted is four at a time, but for the moments in which a place rests while another might come.
    assert 0.5 < limited["output_tokens_per_s"] / free["output_tokens_per_s"] < 1.5


def test_a_strict_sweep_with_a_flag_is_told_by_its_exit_status(tmp_path: Path) -> None:
    odd = Odd(**QUICK, length=8, finish="stop")
    with serving({"odd": odd}) as servers:
        asked = arguments(servers.url("odd"), tmp_path, **{"point.requests": 20, "point.warmup_requests": 4})
        assert bench(*asked, timeout=60).returncode == 0
        assert bench(*asked, "--strict", timeout=60).returncode == 3


def test_an_error_share_that_the_plan_states_ends_a_grid(tmp_path: Path) -> None:
    odd = Odd(**QUICK, failing=(Failing(500, from_s=2.0, until_s=3.5),))
    with serving({"odd": odd}) as servers:
        fields = {"repeats": 3, "point.duration_s": 4, "point.warmup_s": 0.5, "stop.error_rate": 0.01}
        done = bench(*arguments(servers.url("odd"), tmp_path, **fields), timeout=60)
    told = document(done.stdout)
    assert (done.returncode, told["state"], len(told["points"])) == (1, "failed", 1)
    assert "stop.error_rate allows 1.0 %" in told["reason"]
    assert told["points"][0]["state"] == "measured"


def test_a_sweep_without_a_figure_is_no_source_of_the_library(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(Settings(ttft_ms=1, itl_ms=0, log=log)) as url:
        looked_at(plan_for(url))
    before = len(truth.read(log))
    with running(Settings(ttft_ms=1, itl_ms=0, fail_at={before + n: "500" for n in range(2000)})) as url:
        folder = folder_for(tmp_path, url, stop__patience_s="1")
        assert run(folder).state == "failed"
    assert [line.state for line, _ in folder.read.points] == ["failed", "failed"]
    assert all(adds_up(line) for line, _ in folder.read.points)
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT count(*) FROM points")[0] == (0,)
    assert enter(folder, tmp_path) == 0
