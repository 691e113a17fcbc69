"""Whole sweeps over loopback: what is measured is kept, and whatever ends a sweep loses at most the point under way."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.errors import UsageError
from bench.formats.journal import encode
from bench.sweep.folder import Folder
from bench.sweep.pauses import Pauses
from bench.sweep.session import jobs
from bench.sweep.session.runner import SessionEnd, run
from bench.sweep.session.setup import looked_at
from tests.library import sweeps
from tests.sweep.played import playing
from tests.sweep.sweeping import asked_before, command, document, folder_for, numbers_of_samples, plan_for, started

pytestmark = pytest.mark.long

FAST = Settings(ttft_ms=2, itl_ms=0.5)


def keys(folder: Folder) -> list[str]:
    return [line.key for line, _ in folder.read.points]


def test_a_sweep_measures_every_point_and_keeps_every_request(tmp_path: Path) -> None:
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, facts__accelerator="h100", workloads__isl="32,64")
        ended = run(folder)
    assert ended == SessionEnd("done", "Every one of the 4 points is measured.")
    assert keys(folder) == [point.key for point in folder.plan.points()]
    for line, session in folder.read.points:
        assert line.requests_ok == 6
        assert (line.workload.isl_actual, line.workload.osl_actual) == (line.workload.isl_requested, 8.0)
        assert session.deployment.accelerator == "h100-sxm"
        assert session.evidence == "simulated"
    assert numbers_of_samples(folder) == {f"{number}.parquet": 7 for number in range(1, 5)}
    assert folder.status["state"] == "done"
    assert not folder.held()


def test_the_samples_say_what_each_request_did(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    with running(FAST) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="2")
        run(folder)
    rows = pq.read_table(folder.requests / "1.parquet").to_pylist()
    assert sorted(row["number"] for row in rows) == list(range(7))
    for row in rows:
        assert row["outcome"] == "ok"
        assert (row["asked_isl"], row["input_tokens"], row["asked_osl"], row["output_tokens"]) == (32, 32, 8, 8)
        assert len(row["chunks_ns"]) == sum(row["chunk_tokens"]) == 8
        assert 0 <= row["sent_ns"] < row["first_ns"] == row["chunks_ns"][0] <= row["chunks_ns"][-1] <= row["end_ns"]
        assert row["intended_ns"] is None
        assert row["response_id"]


def test_a_disk_or_terminal_that_takes_long_does_not_hold_the_load_up(tmp_path: Path) -> None:
    """The first look at the point takes until all of its load has been answered."""
    answered: list[bool] = []

    def slow(status: Mapping[str, Any]) -> None:
        if status.get("current") and not answered:
            until(lambda: played.answered == before + 301)
            answered.append(True)

    with playing() as played:
        looked_at(plan_for(played.url, loads__concurrency="1"))
        before = 2 * played.answered
        folder = folder_for(tmp_path, played.url, loads__concurrency="1", point__requests="300")
        assert run(folder, slow, pauses=Pauses(point_s=0.01)).state == "done"
    assert answered == [True]


@pytest.mark.timed
def test_a_disk_or_terminal_that_takes_a_second_makes_no_request_late(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=20, itl_ms=2)) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1", point__requests="60")
        run(folder, lambda _: time.sleep(1))
    ((line, _),) = folder.read.points
    assert "clock_trouble" not in {flag.kind for flag in line.flags}
    assert line.client["lag_ms_max"] < 500


def test_an_open_loop_keeps_the_schedule_it_was_seeded_with(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    schedules = []
    with running(FAST) as url:
        for _ in range(2):
            folder = folder_for(tmp_path, url, loads__concurrency="", loads__request_rate="50", point__requests="20")
            run(folder)
            table = pq.read_table(folder.requests / "1.parquet").sort_by("number")
            schedules.append(table.column("intended_ns").to_pylist())
            assert folder.read.points[0][0].load.request_rate == 50
    assert schedules[0] == schedules[1]
    assert len(schedules[0]) == 21


def test_the_same_sweep_cannot_run_twice_at_once(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:9")
    with folder.taken():
        with pytest.raises(UsageError, match="running already"):
            run(folder)
        second = command("resume", folder.id, "--library", str(tmp_path))
    assert second.returncode == 2
    assert "running already" in second.stderr


def test_what_is_cancelled_goes_on_where_it_was(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1,2,3", point__requests="30")
        seen: list[str] = []

        def cancel_at_the_second(status: object) -> None:
            if len(keys(folder)) == 1:
                folder.cancel.touch()

        assert run(folder, cancel_at_the_second).state == "cancelled"
        assert folder.status["state"] == "cancelled"
        assert len(keys(folder)) == 1
        first = folder.read.points[0][0]
        assert set(numbers_of_samples(folder)) == {"1.parquet"}
        assert run(folder, lambda status: seen.append(status["state"])).state == "done"
    assert "running" in seen
    assert keys(folder) == [point.key for point in folder.plan.points()]
    assert folder.read.points[0][0] == first
    assert len(folder.read.sessions) == 2


def test_a_sweep_whose_points_are_all_measured_asks_its_endpoint_nothing(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:9", loads__concurrency="1,2,3")
    lines = [sweeps.point(number, key=one.key, load=one.load) for number, one in enumerate(folder.plan.points(), 1)]
    folder.journal.write_bytes(b"".join(map(encode, (sweeps.session(folder.id), *lines))))
    assert run(folder) == SessionEnd("done", "Every one of the 3 points is measured.")


def test_what_is_cancelled_the_moment_it_begins_is_cancelled(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []

    def press() -> None:
        while not folder.held():
            pass
        told.append(jobs.cancel(folder))

    with running(standing_still(asked_before(tmp_path))) as url:
        folder = folder_for(tmp_path, url)
        pressing = threading.Thread(target=press, daemon=True)
        pressing.start()
        assert run(folder).state == "cancelled"
        pressing.join()
    assert told[0]["state"] == "cancelled"


def test_a_finished_sweep_stays_as_it_is(tmp_path: Path) -> None:
    with running(FAST) as url:
        folder = folder_for(tmp_path, url)
        run(folder)
    before = folder.journal.read_bytes()
    assert run(folder).state == "done"  # nobody listens any more, and nobody is asked
    assert folder.journal.read_bytes() == before


@pytest.mark.parametrize(
    ("kills", "within_s"), [(2, 0.0), pytest.param(6, 0.8, marks=pytest.mark.exhaustive)], ids=["two", "random moments"]
)
def test_kills_lose_nothing_that_was_measured(kills: int, within_s: float, tmp_path: Path) -> None:
    """Each comes once its session has measured a point, or so long after the session began."""
    draw = random.Random(11)
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, workloads__isl="16,24,32,40", loads__concurrency="1,2", point__requests="30")
        known: dict[str, object] = {}
        for attempt in range(kills):
            process = started(folder)
            until(lambda attempt=attempt: len(folder.read.sessions) > attempt)
            if within_s:
                time.sleep(draw.uniform(0.0, within_s))
            else:
                until(lambda known=known: len(folder.read.points) > len(known))
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
            lines = {line.key: line for line, _ in folder.read.points}
            assert known.items() <= lines.items()
            known = dict(lines)
        assert run(folder).state == "done"
    assert sorted(keys(folder)) == sorted(point.key for point in folder.plan.points())
    assert known.items() <= {line.key: line for line, _ in folder.read.points}.items()
    held = numbers_of_samples(folder)
    assert held == {f"{line.number}.parquet": line.requests_sent for line, _ in folder.read.points}


def test_a_full_disk_ends_it_with_a_sentence_and_a_whole_journal(tmp_path: Path) -> None:
    """No file may grow beyond 60,000 bytes: the requests of the second point do not fit."""
    with running(Settings(ttft_ms=1, itl_ms=0, tokens_per_chunk=1)) as url:
        folder = folder_for(tmp_path, url, workloads__osl="8,400", loads__concurrency="2", point__requests="60")
        limited = (
            "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); "
            "sys.argv = ['bench.sweep', sys.argv[1]]; runpy.run_module('bench.sweep', run_name='__main__')"
        )
        done = subprocess.run(
            [sys.executable, "-c", limited, str(folder.path)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 1
        assert "cannot be written (file too large)" in done.stderr
        assert "Traceback" not in done.stderr
        assert len(keys(folder)) == 1
        assert folder.status["state"] == "failed"
        assert run(folder).state == "done"
    assert len(keys(folder)) == 2


def test_a_disk_that_fills_up_under_a_point_ends_it_with_a_sentence_alone(tmp_path: Path) -> None:
    """Nothing can be written from the first look at the running point on, which ends before the second look."""
    script = (
        "import gc, pathlib, resource, sys; from bench.sweep.folder import Folder; "
        "from bench.sweep.session.runner import run; "
        "full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)); "
        "ended = run(Folder(pathlib.Path(sys.argv[1])), lambda status: full() if status.get('current') else None); "
        "print(ended.state, ended.reason); gc.collect()"
    )
    with running(Settings(ttft_ms=20, itl_ms=5)) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="2", point__requests="26")
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder.path)], capture_output=True, text=True, timeout=60
        )
    assert done.stdout.startswith("failed ")
    assert "cannot be written (file too large)" in done.stdout
    assert done.stderr == ""


def test_a_sweep_never_waits_for_duckdb_or_pandas(tmp_path: Path) -> None:
    """Nor for pyarrow and numpy before its load has ended: what is not imported costs no time and no memory."""
    script = (
        "import pathlib, sys; from bench.sweep.folder import Folder; from bench.sweep.session.runner import run; "
        "seen = []; HEAVY = {'duckdb', 'pandas', 'pyarrow', 'numpy'}; "
        "look = lambda status: seen.append((status['points_done'], sorted(HEAVY & set(sys.modules)))); "
        "print(run(Folder(pathlib.Path(sys.argv[1])), look).state, seen[0], seen[-1])"
    )
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1")
        done = subprocess.run(
            [sys.executable, "-c", script, str(folder.path)], capture_output=True, text=True, timeout=60
        )
    assert done.stdout == "done (0, []) (1, ['numpy', 'pyarrow'])\n", done.stderr


def test_neither_does_the_command_that_runs_it_in_the_foreground(tmp_path: Path) -> None:
    """It writes a line into the audit as the load begins, and enters the points into the library once it has ended."""
    script = (
        "import sys; from bench.cli import main, sweeping; "
        "HEAVY = {'duckdb', 'pandas', 'pyarrow', 'numpy'}; seen = []; look = sweeping.SweepProgress.show; "
        "sweeping.SweepProgress.show = lambda self, status: ("
        "look(self, status), seen.append((status['points_done'], sorted(HEAVY & set(sys.modules))))); "
        "main(sys.argv[1:]); print(seen[0], len(seen) > 1)"
    )
    library = tmp_path / "library"
    with running(FAST) as url:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                script,
                "sweep",
                "--url",
                url,
                "--model",
                "fake-model",
                "--isl",
                "8",
                "--osl",
                "4",
                "--concurrency",
                "1",
                "--requests",
                "4",
                "--library",
                str(library),
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.stdout.splitlines()[-1] == "(0, []) True", done.stderr
    assert '"what": "launch"' in (library / "audit.jsonl").read_text()


def test_an_endpoint_that_goes_away_ends_the_sweep_with_a_sentence(tmp_path: Path) -> None:
    gone = threading.Event()
    with running(FAST) as url:
        folder = folder_for(
            tmp_path,
            url,
            loads__concurrency="1,2,3,4",
            point__requests="2000",
            point__drain_s="1",
            stop__patience_s="1",
        )

        def watch(status: object) -> None:
            if isinstance(status, dict) and status["state"] == "running":
                gone.set()

        worker = threading.Thread(target=lambda: results.append(run(folder, watch, pauses=Pauses(point_s=0.05))))
        results: list[SessionEnd] = []
        worker.start()
        assert gone.wait(60)
    worker.join()
    assert results[0].state == "failed"
    assert re.match(r"No request succeeded for \d+ s, over 2 points: ", results[0].reason)
    assert "Connection refused" in results[0].reason
    failed = [line for line, _ in folder.read.points if not line.measured]
    assert len(failed) == 2
    assert all(sum(line.failures.values()) < 60 for line in failed)


def test_a_point_that_only_fails_is_told_as_failed_and_measured_again(tmp_path: Path) -> None:
    """The endpoint answers the checks, and refuses every request of the first point."""
    before = asked_before(tmp_path)
    assert before > 0
    with running(Settings(ttft_ms=1, itl_ms=0, fail_at={before + n: "500" for n in range(7)})) as url:
        folder = folder_for(tmp_path, url)
        ended = run(folder)
        assert ended.state == "failed"
        assert ended.reason.startswith(
            "1 of 2 points failed, point 1 (concurrency 1, isl 32, osl 8): no request succeeded: 7 http_5xx (HTTP 500"
        )
        first = folder.read.points[0][0]
        assert (first.state, first.requests_sent, first.warmup_failed, first.requests_failed) == ("failed", 7, 1, 6)
        assert first.failures == {"http_5xx": 7}
        assert [line.number for line, _ in folder.read.measured] == [2]
        assert run(folder).state == "done"  # it was ill, and has recovered
    assert [(line.number, line.key) for line, _ in folder.read.points] == [
        (2, folder.read.points[0][0].key),
        (3, first.key),
    ]
    assert folder.read.repeated == (first,)


def test_failures_are_data(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=2, itl_ms=0.5, fail={"500": 0.1, "cut": 0.1}, seed=3)) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="4", point__requests="150")
        assert run(folder).state == "done"
    line = folder.read.points[0][0]
    assert line.requests_ok + line.requests_failed == 150
    assert set(line.failures) == {"http_5xx", "broken_stream"}
    assert "failures" in {flag.kind for flag in line.flags}


def test_a_point_in_whose_time_no_request_comes_is_told_as_that(tmp_path: Path) -> None:
    with running(FAST) as url:
        folder = folder_for(
            tmp_path,
            url,
            loads__concurrency="",
            loads__request_rate="0.001",
            point__requests="",
            point__duration_s="0.2",
            point__warmup_requests="",
            point__warmup_s="0.05",
        )
        ended = run(folder)
    assert ended.state == "failed"
    assert ended.reason.startswith("No request came within the 0.250 s of 0.001 requests/s (32 in / 8 out): ")
    assert not folder.read.points


def test_points_whose_requests_were_all_warm_up_have_failed_and_end_no_sweep(tmp_path: Path) -> None:
    with running(FAST) as url:
        folder = folder_for(
            tmp_path,
            url,
            loads__concurrency="",
            loads__request_rate="4,5,6",
            loads__arrivals="constant",
            point__requests="",
            point__duration_s="0.05",
            point__warmup_requests="",
            point__warmup_s="0.1",
        )
        ended = run(folder)
    assert ended.state == "failed"
    assert "no request succeeded in the time that is measured: no request was sent after the warm-up" in ended.reason
    assert len(folder.read.points) == 3
    for line, _ in folder.read.points:
        assert (line.state, line.requests_sent, line.warmup_ok, line.requests_failed) == ("failed", 1, 1, 0)
        assert "not_steady" in {flag.kind for flag in line.flags}


def test_caps_hold_while_it_runs(tmp_path: Path) -> None:
    """How long a file's prompts are only the requests tell, so the cap on tokens is met on the way."""
    file = tmp_path / "prompts.jsonl"
    file.write_text(
        "".join(json.dumps({"prompt": f"{'much ' * 99}{number}", "osl": 10}) + "\n" for number in range(50))
    )
    with running(FAST) as url:
        folder = folder_for(
            tmp_path,
            url,
            workloads__isl="",
            workloads__osl="",
            workloads__prompts=str(file),
            point__requests="20",
            loads__concurrency="1,2,3",
            caps__tokens="4000",
        )
        ended = run(folder)
    assert ended.state == "stopped"
    assert "caps.tokens of 4,000 is used up" in ended.reason
    lines = [line for line, _ in folder.read.points]
    assert 1 <= len(lines) < 3
    assert 20 <= sum(line.requests_sent for line in lines) <= 40
    assert [flag.kind for flag in lines[-1].flags][-1] == "capped"
    assert lines[0].workload.dataset == "prompts"


def test_a_ramp_stops_where_its_rule_is_broken(tmp_path: Path) -> None:
    """A fifth of the requests of the third level fail."""
    stated = {
        "search": "ramp",
        "loads__concurrency": "1,2,8,16",
        "point__requests": "20",
        "stop__error_rate": "0.1",
        "stop__falling_levels": "4",
    }
    third = asked_before(tmp_path, **stated) + 2 * 21
    with running(Settings(ttft_ms=2, itl_ms=0.5, fail_at={third + n: "500" for n in range(5, 21, 4)})) as url:
        folder = folder_for(tmp_path, url, **stated)
        ended = run(folder)
    assert ended.state == "done"
    assert ended.reason.startswith("Stopped at concurrency 8")
    assert len(keys(folder)) == 3
    assert folder.status["sustained"][0]["level"].startswith("concurrency 2")


def test_a_dead_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        done = command(
            "sweep",
            "--url",
            url,
            "--model",
            "m",
            "--isl",
            "16",
            "--osl",
            "4",
            "--concurrency",
            "1",
            "--requests",
            "2",
            "--library",
            str(tmp_path),
            "--json",
        )
    assert done.returncode == 1
    told = document(done.stdout)
    assert (told["state"], told["points"]) == ("failed", [])
    assert "connection refused" in told["reason"]
    assert told["reason"] in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_is_sent_and_never_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY_OF_TEST", "sk-very-secret-1234")
    with running(Settings(ttft_ms=1, itl_ms=0, api_key="sk-very-secret-1234")) as url:
        folder = folder_for(tmp_path, url, endpoint__key_env="SECRET_KEY_OF_TEST", loads__concurrency="1", workers="2")
        assert run(folder).state == "done"
        monkeypatch.delenv("SECRET_KEY_OF_TEST")
        other = folder_for(tmp_path, url, endpoint__key_env="SECRET_KEY_OF_TEST")
        assert run(other) == SessionEnd(
            "failed", "The environment variable SECRET_KEY_OF_TEST is not set, so there is no key."
        )
    held = b"".join(path.read_bytes() for path in folder.path.rglob("*") if path.is_file())
    assert b"sk-very-secret" not in held
    assert len(keys(folder)) == 1


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def standing_still(number: int) -> Settings:
    """An endpoint whose answer of this number never ends, so that the sweep goes no further."""
    return Settings(ttft_ms=2, itl_ms=0.5, fail_at={number: "stall"}, stall_s=600)


def test_sigterm_keeps_what_is_measured(tmp_path: Path) -> None:
    stated = {"loads__concurrency": "1,2", "point__requests": "10", "workers": "2"}
    with running(standing_still(asked_before(tmp_path, **stated) + 11)) as url:
        folder = folder_for(tmp_path, url, **stated)
        process = started(folder)
        until(lambda: len(keys(folder)) == 1 and folder.status.get("current"))
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 1
        assert process.stderr is not None
        process.stderr.close()
    assert len(keys(folder)) == 1
    assert folder.status["state"] == "interrupted"
    ends = [json.loads(line) for line in folder.journal.read_text().splitlines() if '"line":"end"' in line]
    assert [end["state"] for end in ends] == ["interrupted"]
