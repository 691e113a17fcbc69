"""Sweeps against endpoints that fail for a while, for good, or whoever comes too often: failure is a result.

Outages are stretches of requests, by their numbers at the endpoint, so that no outcome depends on a clock.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.formats.journal import PointLine
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.pauses import Pauses
from bench.sweep.session import endings
from bench.sweep.session.endings import enter, given_up
from bench.sweep.session.runner import run
from tests.endpoint.odd import Odd, one
from tests.library import sweeps
from tests.sweep.sweeping import asked_before, command, document, failing, folder_for, plan_for

pytestmark = pytest.mark.long

A_POINT = 8
FOUR_AT_ONCE: dict[str, Any] = {
    "loads__concurrency": "4",
    "point__requests": str(A_POINT - 4),
    "point__warmup_requests": "4",
}
"""A point of 8 requests, four of them its warm-up."""
FOR_GOOD = 10_000


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep is given up once two points are lost, which take longer than that."""
    monkeypatch.setattr(endings, "patience_s", lambda plan: 0.01)


def adds_up(line: PointLine) -> bool:
    """Whether every request that was sent is on the point's account."""
    well, ill = line.requests_ok + line.warmup_ok, line.requests_failed + line.warmup_failed
    return well + ill + line.cancelled == line.requests_sent and sum(line.failures.values()) == ill


def test_an_outage_costs_the_points_in_it_and_resume_measures_those_alone(tmp_path: Path) -> None:
    """All requests of the second and third of five points fail."""
    first = asked_before(**FOUR_AT_ONCE, repeats="5")
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


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("goes_away", "why"), [(False, "HTTP 500"), (True, "Connection refused")])
def test_an_endpoint_that_breaks_for_good_fails_and_says_so(goes_away: bool, why: str, tmp_path: Path) -> None:
    """It answers the first of nine points; the second and the third are lost."""
    first = asked_before(**FOUR_AT_ONCE)
    settings = Settings(ttft_ms=2, itl_ms=1) if goes_away else failing(first + A_POINT, FOR_GOOD)
    with ExitStack() as up:
        folder = folder_for(tmp_path, up.enter_context(running(settings)), **FOUR_AT_ONCE, repeats="9")
        ended = run(folder, lambda _: up.close() if goes_away and folder.read.points else None)
    assert ended.state == "failed"
    assert ended.reason.startswith("No request succeeded for ")
    assert why in ended.reason
    lines = [line for line, _ in folder.read.points]
    assert [line.state for line in lines] == ["measured", "failed", "failed"]
    assert all(adds_up(line) for line in lines)


@pytest.mark.parametrize(
    ("seconds", "lost"), [([30], False), ([30, 29], False), ([30, 31], True), ([99, None, 59], False), ([61], False)]
)
def test_a_sweep_is_given_up_after_two_lost_points_and_a_minute_without_a_good_answer(
    seconds: list[float | None], lost: bool
) -> None:
    """A point that was measured, as that of no seconds here, begins the count anew."""
    lines = [
        sweeps.point(number, seconds=took)
        if took is None
        else sweeps.point(number, seconds=took, state="failed", error="no request succeeded", metrics={})
        for number, took in enumerate(seconds, 1)
    ]
    assert (given_up(plan_for("http://127.0.0.1:9"), lines) is not None) is lost


@pytest.mark.usefixtures("impatient")
def test_a_point_that_is_given_up_is_failed_whatever_it_began_with(tmp_path: Path) -> None:
    """Thirty answers come at two hundred a second, and then none: it does not last for its 120 s."""
    stated = {
        "loads__concurrency": "",
        "loads__request_rate": "200",
        "point__requests": "",
        "point__warmup_requests": "",
        "point__duration_s": "120",
    }
    first = asked_before(**stated)
    with running(failing(first + 30, FOR_GOOD)) as url:
        folder = folder_for(tmp_path, url, **stated)
        assert run(folder, pauses=Pauses(point_s=0.05)).state == "failed"
    ((line, _),) = folder.read.points
    assert (line.state, line.metrics.keys()) == ("failed", {"requests_ok", "requests_failed", "requests_resent"})
    assert (line.error or "").startswith("it was given up after ")
    assert line.requests_sent < 24_000


def test_a_limiter_is_measured_as_one(tmp_path: Path) -> None:
    """Four are admitted of sixteen: the others are refused at once, and rest."""
    with one(Odd(ttft_ms=10, itl_ms=2, admits=4)) as (url, servers):
        stated = {"loads__concurrency": "4,16", "point__requests": "60", "point__warmup_requests": "4"}
        folder = folder_for(tmp_path, url, endpoint__model="odd-model", **stated)
        assert run(folder).state == "done"
        log = servers.log("odd")
    free, limited = (line for line, _ in folder.read.points)
    assert "rate_limited" not in {flag.kind for flag in free.flags}
    assert "rate_limited" in {flag.kind for flag in limited.flags}
    assert limited.refused == sum(row.status == 429 for row in log) > 0
    assert (limited.rested_s or 0) > 0


def arguments(url: str, library: Path, *more: str) -> list[str]:
    """A sweep of one point from the command line."""
    fields = [f"endpoint.url={url}", "workloads.isl=32", "workloads.osl=16", "loads.concurrency=4", *more]
    return ["sweep", "--model", "fake-model", "--library", str(library), "--json", "--with", *fields]


def test_a_strict_sweep_with_a_flag_is_told_by_its_exit_status(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=2, itl_ms=1, stops_early=1.0, dialect="openai")) as url:
        asked = arguments(url, tmp_path, "point.requests=20", "point.warmup_requests=4")
        assert command(*asked, "--strict").returncode == 3
    (folder,) = listed(tmp_path)
    assert command("resume", folder.id, "--library", str(tmp_path)).returncode == 0


def test_an_error_share_that_the_plan_states_ends_a_grid(tmp_path: Path) -> None:
    first = asked_before(workloads__osl="16")
    stated = ["point.requests=20", "point.warmup_requests=4", "repeats=3", "stop.error_rate=0.01"]
    with running(failing(first + 12, first + 15)) as url:
        done = command(*arguments(url, tmp_path / "library", *stated))
    told = document(done.stdout)
    assert (done.returncode, told["state"], len(told["points"])) == (1, "failed", 1)
    assert "stop.error_rate allows 1.0 %" in told["reason"]
    assert told["points"][0]["state"] == "measured"
    assert [folder.id for folder in listed(tmp_path / "library")] == [told["id"]]


def test_a_sweep_without_a_figure_is_no_source_of_the_library(tmp_path: Path) -> None:
    swept = sweeps.Sweep(tmp_path)
    counts = {"requests_ok": 0.0, "requests_failed": 10.0, "requests_resent": 0.0}
    swept.say(sweeps.point(1, state="failed", error="no request succeeded", metrics=counts))
    assert Library.open(tmp_path, shipped=False).fetch("SELECT count(*) FROM points")[0] == (0,)
    assert enter(Folder(swept.folder), tmp_path) == 0
