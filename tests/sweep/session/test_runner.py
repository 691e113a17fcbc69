"""Whole sweeps over loopback: what is measured is kept, and whatever ends a sweep loses at most the point under way."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bench import flags
from bench.endpoint import Settings, running
from bench.formats.journal import encode
from bench.library import Library
from bench.sweep.folder import Folder, NotWritten, Writer, listed, not_written
from bench.sweep.pauses import Pauses
from bench.sweep.session.runner import SessionEnd, run
from bench.sweep.session.setup import looked_at
from tests.library import sweeps
from tests.polling import until
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import (
    ROOT,
    asked_before,
    failing,
    folder_for,
    no_file_beyond,
    numbers_of_samples,
    plan_for,
    started,
)

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
    rows = pq.read_table(folder.requests / "1.parquet").to_pylist()
    assert sorted(row["number"] for row in rows) == list(range(7))
    for row in rows:
        assert row["outcome"] == "ok"
        assert (row["asked_isl"], row["input_tokens"], row["asked_osl"], row["output_tokens"]) == (32, 32, 8, 8)
        assert len(row["chunks_ns"]) == sum(row["chunk_tokens"]) == 8
        assert 0 <= row["sent_ns"] < row["first_ns"] == row["chunks_ns"][0] <= row["chunks_ns"][-1] <= row["end_ns"]
        assert row["intended_ns"] is None
        assert row["response_id"]


def test_requests_that_were_moved_to_another_connection_stand_on_the_point_whose_flag_warns(tmp_path: Path) -> None:
    """The endpoint hangs up behind each answer and does not say so; of seven requests the first met none that was."""
    with playing(Played(hangs_up=True)) as played:
        folder = folder_for(tmp_path, played.url, loads__concurrency="1")
        assert run(folder).state == "done"
    ((line, _),) = folder.read.points
    assert (line.requests_ok, line.warmup_ok, line.requests_failed) == (6, 1, 0)
    assert line.metrics["requests_resent"] == 6
    assert [flags.weight(flag.kind) for flag in line.flags if flag.kind == "resent"] == ["warns"]
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT requests_resent FROM points") == [(6.0,)]


def test_what_came_together_in_a_request_that_was_alone_is_told_with_the_point(tmp_path: Path) -> None:
    """The endpoint sends each answer in one write, before the load as in it."""
    with playing() as played:
        folder = folder_for(tmp_path, played.url, loads__concurrency="1")
        assert run(folder).state == "done"
    ((line, _),) = folder.read.points
    (flag,) = (flag for flag in line.flags if flag.kind == "bursts")
    assert "and 100 % in a request that was alone" in flag.seen


def test_a_disk_or_terminal_that_takes_long_does_not_hold_the_load_up(tmp_path: Path) -> None:
    """The first look at the point takes until all of its load has been answered."""
    answered: list[bool] = []

    def slow(status: Mapping[str, Any]) -> None:
        if status.get("current") and not answered:
            until(lambda: played.answered == before + 101)
            answered.append(True)

    with playing() as played:
        looked_at(plan_for(played.url, loads__concurrency="1"))
        before = 2 * played.answered
        folder = folder_for(tmp_path, played.url, loads__concurrency="1", point__requests="100")
        assert run(folder, slow, pauses=Pauses(point_s=0.005)).state == "done"
    assert answered == [True]


def test_an_open_loop_keeps_the_schedule_it_was_seeded_with(tmp_path: Path) -> None:
    schedules = []
    with running(FAST) as url:
        for _ in range(2):
            folder = folder_for(tmp_path, url, loads__concurrency="", loads__request_rate="200", point__requests="20")
            run(folder)
            table = pq.read_table(folder.requests / "1.parquet").sort_by("number")
            schedules.append(table.column("intended_ns").to_pylist())
            assert folder.read.points[0][0].load.request_rate == 200
    assert schedules[0] == schedules[1]
    assert len(schedules[0]) == 21


def test_what_is_cancelled_goes_on_where_it_was(tmp_path: Path) -> None:
    """It is cancelled during its checks, then behind its first point."""
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, loads__concurrency="1,2,3")
        for state, points in (("checking", 0), ("running", 1)):

            def cancel(status: Mapping[str, Any], state: str = state, points: int = points) -> None:
                if (status["state"], len(keys(folder))) == (state, points):
                    folder.cancel.touch()

            assert run(folder, cancel).state == "cancelled"
            assert folder.status["state"] == "cancelled"
            assert len(keys(folder)) == points
        first = folder.read.points[0][0]
        assert set(numbers_of_samples(folder)) == {"1.parquet"}
        assert run(folder).state == "done"
    assert keys(folder) == [point.key for point in folder.plan.points()]
    assert folder.read.points[0][0] == first
    assert len(folder.read.sessions) == 3


def test_a_sweep_whose_points_are_all_measured_asks_its_endpoint_nothing(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:9", loads__concurrency="1,2,3")
    lines = [sweeps.point(number, key=one.key, load=one.load) for number, one in enumerate(folder.plan.points(), 1)]
    journal = b"".join(map(encode, (sweeps.session(folder.id), *lines)))
    folder.journal.write_bytes(journal)
    assert run(folder) == SessionEnd("done", "Every one of the 3 points is measured.")
    assert folder.journal.read_bytes() == journal


def test_a_full_disk_ends_it_with_a_sentence_and_a_whole_journal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The requests of the second point do not fit."""
    with running(Settings(ttft_ms=1, itl_ms=0)) as url:
        folder = folder_for(tmp_path, url, workloads__osl="8,400", loads__concurrency="2", point__requests="60")
        with no_file_beyond(60_000):
            ended = run(folder)
        assert ended.state == folder.status["state"] == "failed"
        assert "cannot be written (file too large)" in ended.reason
        gc.collect()
        assert caplog.messages == []  # no failed task was left alone
        assert len(keys(folder)) == 1
        assert run(folder).state == "done"
    assert len(keys(folder)) == 2


def test_a_sweep_whose_plan_does_not_fit_on_the_disk_is_not_there_to_be_resumed(tmp_path: Path) -> None:
    with no_file_beyond(10), pytest.raises(NotWritten, match=r"nothing was measured.*start it again"):
        folder_for(tmp_path, "http://127.0.0.1:9")
    assert listed(tmp_path) == []


def test_only_a_sweep_with_a_journal_is_said_to_be_there_to_be_resumed(tmp_path: Path) -> None:
    """A new sweep without one is discarded by the command that started it."""
    folder = folder_for(tmp_path, "http://127.0.0.1:9")
    status = {"state": "checking", "reason": "x" * 100}
    with no_file_beyond(10), pytest.raises(NotWritten, match=r"nothing was measured.*start it again"):
        folder.tell(status)
    Writer(folder).close()
    with no_file_beyond(10), pytest.raises(NotWritten, match=r"is kept.*resume"):
        folder.tell(status)
    assert "resume" in str(not_written(folder.requests / "1.part", OSError(28, "No space left on device")))


def test_a_sweep_never_waits_for_duckdb_or_pandas(tmp_path: Path) -> None:
    """What is not imported before its load costs no time and no memory beside it, in the foreground as elsewhere.

    The command writes a line into the audit as the load begins, and enters the points into the library at the end. The
    checks before the load ask the endpoint through aiohttp, which is there from then on.
    """
    script = (
        "import sys; from bench.cli import main, sweeping; "
        "HEAVY = {'duckdb', 'pandas', 'pyarrow', 'numpy', 'streamlit', 'plotly', 'aiohttp'}; "
        "seen = []; look = sweeping.SweepProgress.show; "
        "sweeping.SweepProgress.show = lambda self, status: ("
        "look(self, status), seen.append((status['points_done'], sorted(HEAVY & set(sys.modules))))); "
        "main(sys.argv[1:]); print(seen[0], seen[-1])"
    )
    words = "--model fake-model --isl 8 --osl 4 --concurrency 1 --requests 4 --library"
    with running(FAST) as url:
        asked = [sys.executable, "-c", script, "sweep", "--url", url, *words.split(), str(tmp_path)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "(0, []) (1, ['aiohttp', 'numpy', 'pyarrow'])", done.stderr
    assert '"what": "launch"' in (tmp_path / "audit.jsonl").read_text()


BY_RATE = {"loads__concurrency": "", "loads__arrivals": "constant", "point__requests": "", "point__warmup_requests": ""}


def test_a_point_in_whose_time_no_request_comes_is_told_as_that(tmp_path: Path) -> None:
    stated = {"loads__request_rate": "0.001", "loads__arrivals": "poisson"}
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, **BY_RATE | stated, point__duration_s="0.2", point__warmup_s="0.05")
        ended = run(folder)
    assert ended.state == "failed"
    assert ended.reason.startswith("No request came within the 0.250 s of 0.001 requests/s")
    assert not folder.read.points


def test_points_whose_requests_were_all_warm_up_have_failed_and_end_no_sweep(tmp_path: Path) -> None:
    stated = {"loads__request_rate": "4,5,6", "point__duration_s": "0.05", "point__warmup_s": "0.1"}
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, **BY_RATE, **stated)
        ended = run(folder)
    assert ended.state == "failed"
    assert "no request was sent after the warm-up" in ended.reason
    assert len(folder.read.points) == 3
    for line, _ in folder.read.points:
        assert (line.state, line.requests_sent, line.warmup_ok, line.requests_failed) == ("failed", 1, 1, 0)
        assert "not_steady" in {flag.kind for flag in line.flags}


def test_caps_hold_while_it_runs(tmp_path: Path) -> None:
    """How long a file's prompts are only the requests tell, so the cap on tokens is met on the way."""
    file = tmp_path / "prompts.jsonl"
    rows = ({"prompt": f"{'much ' * 99}{number}", "osl": 10} for number in range(50))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    stated = {"workloads__isl": "", "workloads__osl": "", "workloads__prompts": str(file), "caps__tokens": "4000"}
    with running(FAST) as url:
        folder = folder_for(tmp_path, url, **stated, point__requests="20", loads__concurrency="1,2,3")
        ended = run(folder)
    assert ended.state == "stopped"
    assert "caps.tokens of 4,000" in ended.reason
    lines = [line for line, _ in folder.read.points]
    assert 1 <= len(lines) < 3
    assert 20 <= sum(line.requests_sent for line in lines) <= 40
    assert [flag.kind for flag in lines[-1].flags][-1] == "capped"
    assert lines[0].workload.dataset == "prompts"


def test_sigterm_keeps_what_is_measured(tmp_path: Path) -> None:
    stated = {"loads__concurrency": "1,2", "point__requests": "10", "workers": "2"}
    number = asked_before(**stated) + 11
    with running(failing(number, number + 1, "stall")) as url:
        folder = folder_for(tmp_path, url, **stated)
        process = started(folder)
        until(lambda: len(keys(folder)) == 1 and folder.status.get("current"))
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 1
        assert process.stderr is not None
        process.stderr.close()
    assert len(keys(folder)) == 1
    assert folder.status["state"] == "interrupted"
    assert [end.state for end in folder.read.ends] == ["interrupted"]
