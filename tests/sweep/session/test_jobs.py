"""Sweeps from the command line: in the foreground, detached, cancelled, gone on with, and then in the library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.cli import main
from bench.endpoint import Settings, running, truth
from bench.library import Library
from bench.questions import question
from bench.sweep.folder import UNDER_WAY, Folder, listed
from bench.sweep.session import jobs
from bench.view import View
from tests.sweep.sweeping import ROOT, bench, document, folder_for

pytestmark = pytest.mark.long

ADHOC = ("--model", "fake-model", "--isl", "32", "--osl", "8", "--concurrency", "1,2,4", "--warmup", "2")


def test_one_command_measures_into_the_library_and_every_question_answers(tmp_path: Path) -> None:
    where = ("--library", str(tmp_path))
    with running(Settings(ttft_ms=3, itl_ms=1)) as url:
        bare = url.removeprefix("http://")
        done = bench(
            "sweep",
            "--url",
            bare,
            *ADHOC,
            "--requests",
            "12",
            "--set",
            "accelerator=h100",
            "accelerators=2",
            *where,
            "--json",
        )
    assert done.returncode == 0, done.stderr
    told = document(done.stdout)
    assert list(told)[:2] == ["id", "state"]
    assert (told["state"], told["in_library"]) == ("done", 3)
    assert [point["concurrency"] for point in told["points"]] == [1, 2, 4]
    for point in told["points"]:
        assert (point["isl"], point["osl"], point["requests_ok"], point["requests_failed"]) == (32, 8, 12, 0)
        assert point["failures"] == {}
        assert 3 <= point["ttft_ms_p50"] < 100
        assert point["output_tokens_per_s"] > 0
    assert told["reason"] in done.stderr
    assert f"{bare} is understood as {url}." in done.stderr
    library = Library.open(tmp_path, shipped=False)
    for name in ("pareto", "heatmap"):
        assert len(question(name).answer(library, View.of({"evidence": ["simulated"]})).rows) == 3
    assert library.fetch(
        "SELECT DISTINCT origin, evidence, harness, accelerator,"
        " output_tokens_per_s / 2 = output_tokens_per_s_per_accelerator FROM points"
    ) == [("own", "simulated", "kneepoint", "h100-sxm", True)]
    library.close()
    assert [row["state"] for row in document(bench("sweeps", *where, "--json").stdout)] == ["done"]


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def standing_still(folder: Folder) -> Iterator[None]:
    """The sweep's process goes no further until the block ends, however long a command takes to start."""
    os.kill(folder.status["pid"], signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(folder.status["pid"], signal.SIGCONT)


def test_a_detached_sweep_is_watched_cancelled_and_gone_on_with_from_anywhere(tmp_path: Path) -> None:
    where = ("--library", str(tmp_path))
    with running(Settings(ttft_ms=40, itl_ms=1)) as url:
        begun = bench("sweep", "--url", url, *ADHOC, "--requests", "40", *where, "--detach", "--json")
        assert begun.returncode == 0, begun.stderr
        (folder,) = listed(tmp_path)
        assert document(begun.stdout)["id"] == folder.id
        until(lambda: folder.read.points)
        with ThreadPoolExecutor() as aside:
            with standing_still(folder):
                cancelling = aside.submit(bench, "cancel", folder.id[-6:], *where, "--json")
                until(lambda: folder.cancel.exists() or cancelling.done())
            cancelled = cancelling.result()
        assert cancelled.returncode == 0, cancelled.stderr
        assert document(cancelled.stdout)["state"] == "cancelled"
        assert 1 <= len(document(cancelled.stdout)["points"]) < 3
        again = bench("cancel", folder.id, *where)
        assert again.returncode == 2
        assert "is not running; it is cancelled" in again.stderr
        assert bench("resume", folder.id, "--detach", *where).returncode == 0
        watched = bench("watch", folder.id, *where, "--json")
        assert watched.returncode == 0, watched.stderr
        assert [point["concurrency"] for point in document(watched.stdout)["points"]] == [1, 2, 4]
    resumed = bench("resume", folder.id, *where, "--json")  # nothing is missing: only the library may still lack it
    assert resumed.returncode == 0, resumed.stderr
    assert document(resumed.stdout)["in_library"] == 3
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT count(*), count(DISTINCT source_id) FROM points") == [(3, 1)]
    library.close()


def test_one_that_goes_on_says_so_as_soon_as_it_was_started(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=40, itl_ms=1)) as url:
        folder = folder_for(tmp_path, url, point__requests="100")
        folder.tell({"id": folder.id, "state": "cancelled", "points_done": 0})
        jobs.start(folder)
        assert folder.status["state"] in UNDER_WAY
        assert jobs.cancel(folder)["state"] == "cancelled"


def test_an_id_that_is_no_sweep_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder_for(tmp_path, "http://127.0.0.1:9")
    for id in ("../../etc", "20200101-000000-000000", "zzzz", ""):
        assert main(["status", id, "--library", str(tmp_path)]) == 1, id
        assert capsys.readouterr().err.startswith("There is no sweep")


def test_a_plan_beyond_its_caps_starts_nothing(tmp_path: Path) -> None:
    done = bench(
        "sweep",
        "--url",
        "http://127.0.0.1:9",
        *ADHOC,
        "--requests",
        "500",
        "--with",
        "caps.requests=100",
        "--library",
        str(tmp_path),
    )
    assert done.returncode == 2
    assert done.stderr == "The plan takes 1,506 requests and caps.requests is 100: ask for less, or raise the cap.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "prompts.jsonl cannot be read: No such file or directory."),
        ('{"prompt": "Say one"}\n', 'line 1, has no osl; write "osl": 128 into it, or state workloads.osl.'),
        ('{"prompt": "Say one", "osl": 8}\nnothing\n', "line 2, is not valid JSON: "),
    ],
)
def test_a_file_of_prompts_that_is_none_is_told_before_anything_is_asked(
    tmp_path: Path, content: str | None, said: str
) -> None:
    file, log = tmp_path / "prompts.jsonl", tmp_path / "truth.jsonl"
    if content is not None:
        file.write_text(content)
    with running(Settings(ttft_ms=1, itl_ms=0, log=log)) as url:
        done = bench(
            "sweep",
            "--url",
            url,
            "--model",
            "fake-model",
            "--prompts",
            str(file),
            "--concurrency",
            "1",
            "--requests",
            "2",
            "--library",
            str(tmp_path / "library"),
        )
    assert done.returncode == 1
    assert said in done.stderr
    assert truth.read(log) == []
    assert listed(tmp_path / "library") == []


def test_a_ramp_says_what_it_sustained(tmp_path: Path) -> None:
    with running(Settings(step_ms=4, step_us_per_request=0, max_running=2)) as url:
        done = bench(
            "sweep",
            "--url",
            url,
            *ADHOC,
            "--requests",
            "16",
            "--library",
            str(tmp_path),
            "--with",
            "search=ramp",
            "stop.limits.ttft_ms_p50=14",
        )
    assert done.returncode == 0, done.stderr
    sustained, reason = done.stderr.splitlines()[-2:]
    assert sustained.startswith("The highest level sustained was concurrency 2 (32 in / 8 out), with ")
    assert reason.startswith("Stopped at concurrency 4 (32 in / 8 out): ")


def test_a_sweep_that_waits_for_its_turn_says_for_whom(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=3, itl_ms=1)) as url:
        first = folder_for(tmp_path, url, point__requests="", point__duration_s="60", loads__concurrency="1")
        jobs.start(first)
        command = [
            sys.executable,
            "-m",
            "bench",
            "sweep",
            "--url",
            url,
            *ADHOC,
            "--requests",
            "4",
            "--library",
            str(tmp_path),
        ]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as second:
            assert second.stderr is not None
            waits = next(line for line in second.stderr if "waits" in line)
            jobs.cancel(first)
            rest = second.stderr.read()
    assert waits.startswith("  It waits for 1 sweep at 127.0.0.1:")
    assert first.id in waits
    assert second.returncode == 0
    assert "Every one of the 3 points is measured." in rest
