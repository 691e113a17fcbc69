"""Sweeps from the command line: in the foreground, detached, cancelled, gone on with, and then in the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.endpoint import Settings, running
from bench.library import Library
from bench.questions import question
from bench.sweep.folder import listed
from bench.view import View
from tests.polling import until
from tests.sweep.sweeping import asked_before, command, document, failing

pytestmark = pytest.mark.long

LEVELS = ("--model", "fake-model", "--isl", "32", "--osl", "8", "--concurrency")
ADHOC = (*LEVELS, "1,2,4", "--warmup", "2", "--requests")


def test_one_command_measures_into_the_library_and_every_question_answers(tmp_path: Path) -> None:
    where = ("--library", str(tmp_path))
    facts = ("--set", "accelerator=h100", "accelerators=2")
    with running(Settings(ttft_ms=3, itl_ms=1)) as url:
        bare = url.removeprefix("http://")
        done = command("sweep", "--url", bare, *ADHOC, "12", *facts, *where, "--json")
    assert done.returncode == 0, done.stderr
    told = document(done.stdout)
    assert list(told)[:2] == ["id", "state"]
    assert (told["state"], told["in_library"]) == ("done", 3)
    assert [point["concurrency"] for point in told["points"]] == [1, 2, 4]
    for point in told["points"]:
        assert (point["isl"], point["osl"], point["requests_ok"], point["requests_failed"]) == (32, 8, 12, 0)
        assert point["failures"] == {}
        assert point["ttft_ms_p50"] >= 3
        assert point["output_tokens_per_s"] > 0
    assert told["reason"] in done.stderr
    assert url in done.stderr  # how the address was understood
    library = Library.open(tmp_path, shipped=False)
    answer = question("pareto").answer(library, View.of({"evidence": ["simulated"]}))
    assert len(answer.rows) == 3
    assert library.fetch(
        "SELECT DISTINCT origin, evidence, harness, accelerator,"
        " output_tokens_per_s / 2 = output_tokens_per_s_per_accelerator FROM points"
    ) == [("own", "simulated", "kneepoint", "h100-sxm", True)]
    library.close()
    assert [row["state"] for row in document(command("sweeps", *where, "--json").stdout)] == ["done"]


STANDING: dict[str, Any] = {"loads__concurrency": "1,2,4", "point__requests": "5", "point__warmup_requests": "2"}
A_POINT = 7


def test_a_detached_sweep_is_watched_cancelled_and_gone_on_with_from_anywhere(tmp_path: Path) -> None:
    where = ("--library", str(tmp_path))
    second = asked_before(**STANDING) + A_POINT
    with running(failing(second, second + 1, "stall")) as url:
        begun = command("sweep", "--url", url, *ADHOC, "5", *where, "--detach", "--json")
        assert begun.returncode == 0, begun.stderr
        (folder,) = listed(tmp_path)
        assert document(begun.stdout)["id"] == folder.id
        until(lambda: folder.read.points)
        cancelled = command("cancel", folder.id[-6:], *where, "--json")
        assert cancelled.returncode == 0, cancelled.stderr
        assert document(cancelled.stdout)["state"] == "cancelled"
        assert len(document(cancelled.stdout)["points"]) == 1
        again = command("cancel", folder.id, *where)
        assert again.returncode == 2
        assert "is not running; it is cancelled" in again.stderr
        assert command("resume", folder.id, "--detach", *where).returncode == 0
        assert folder.status["state"] != "cancelled"  # it says so as soon as it was started
        watched = command("watch", folder.id, *where, "--json")
        assert watched.returncode == 0, watched.stderr
        assert [point["concurrency"] for point in document(watched.stdout)["points"]] == [1, 2, 4]
    resumed = command("resume", folder.id, *where, "--json")  # nothing is missing: only the library may still lack it
    assert resumed.returncode == 0, resumed.stderr
    assert document(resumed.stdout)["in_library"] == 3
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT count(*), count(DISTINCT source_id) FROM points") == [(3, 1)]
    library.close()


def test_a_file_of_prompts_that_is_none_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    """Nothing listens there, which is not what is told."""
    file, library = tmp_path / "prompts.jsonl", tmp_path / "library"
    file.write_text('{"prompt": "Say one", "osl": 8}\nnothing\n')
    asked = ("--url", "http://127.0.0.1:9", "--model", "fake-model", "--prompts", str(file), "--concurrency", "1")
    done = command("sweep", *asked, "--requests", "2", "--library", str(library))
    assert done.returncode == 1
    assert "prompts.jsonl, line 2," in done.stderr
    assert listed(library) == []


def test_a_ramp_stops_where_its_rule_is_broken_and_says_what_it_sustained(tmp_path: Path) -> None:
    """Four of the seven requests of the third level fail."""
    third = asked_before(**STANDING) + 2 * A_POINT
    rules = ("--with", "search=ramp", "stop.error_rate=0.1", "stop.falling_levels=3")
    with running(failing(third + 2, third + 6)) as url:
        done = command("sweep", "--url", url, *ADHOC, "5", "--library", str(tmp_path), *rules)
    assert done.returncode == 0, done.stderr
    sustained, reason = done.stderr.splitlines()[-2:]
    assert reason.startswith("Stopped at concurrency 4 (32 in / 8 out): ")
    (folder,) = listed(tmp_path)
    # Which of the two has more tokens/s is the machine's business.
    level = folder.status["sustained"][0]["level"]
    assert level in ("concurrency 1 (32 in / 8 out)", "concurrency 2 (32 in / 8 out)")
    assert sustained.startswith(f"The highest level sustained was {level}, with ")
    assert len(folder.read.points) == 3
