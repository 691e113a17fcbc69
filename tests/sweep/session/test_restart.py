"""After a restart: what was cut off goes on by itself, and nothing else does."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.formats.journal import encode
from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from bench.sweep.session.demo_endpoints import FOLDER, is_practice, practise
from bench.sweep.session.restart import MOST_SESSIONS, is_asked, resume_interrupted

pytestmark = pytest.mark.long


def folder(library: Path, url: str, state: str, model: str = "fake-model") -> Folder:
    """A sweep whose process left it in this state."""
    made = Folder.create(
        library,
        Plan.from_fields(
            {
                "endpoint.url": url,
                "endpoint.model": model,
                "workloads.isl": "8",
                "workloads.osl": "4",
                "loads.concurrency": "2",
                "point.requests": "10",
                "point.warmup_requests": "1",
                "seed": "1",
            }
        ),
    )
    made.tell({"id": made.id, "state": state})
    return made


def test_what_was_cut_off_goes_on_and_nothing_else_does(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        cut_off = [folder(tmp_path, url, state) for state in ("running", "queued", "interrupted")]
        others = [folder(tmp_path, url, state) for state in ("cancelled", "failed", "done")]
        damaged = folder(tmp_path, url, "running")
        (damaged.path / "plan.json").write_text("{")
        assert set(resume_interrupted(tmp_path)) == {one.id for one in cut_off}
        until = time.monotonic() + 60
        while time.monotonic() < until and any(one.status["state"] != "done" for one in cut_off):
            time.sleep(0.1)
    assert [one.status["state"] for one in cut_off] == ["done"] * 3
    assert [len(one.read.points) for one in cut_off] == [1, 1, 1]
    assert [one.status["state"] for one in others] == ["cancelled", "failed", "done"]
    assert resume_interrupted(tmp_path) == ()
    assert (tmp_path / "audit.jsonl").read_text().count('"restart"') == 3


def test_a_practice_endpoint_that_the_restart_ended_comes_back_for_its_sweep(tmp_path: Path) -> None:
    record = tmp_path / FOLDER / "chat-gpu.json"
    url = practise(tmp_path, "chat-gpu").url
    assert url is not None
    cut_off = folder(tmp_path, url, "running", model="chat-gpu")
    os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
    until = time.monotonic() + 60
    while is_practice(tmp_path, url) and time.monotonic() < until:
        time.sleep(0.05)
    try:
        assert resume_interrupted(tmp_path) == (cut_off.id,)
        while cut_off.status["state"] != "done" and time.monotonic() < until:
            time.sleep(0.1)
        assert cut_off.status["state"] == "done", cut_off.status
    finally:
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


def test_a_sweep_that_was_cut_off_again_and_again_waits_for_a_person(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        made = folder(tmp_path, url, "running")
        assert resume_interrupted(tmp_path) == (made.id,)
        until = time.monotonic() + 60
        while time.monotonic() < until and made.status["state"] != "done":
            time.sleep(0.1)
    (session,) = made.read.sessions
    made.journal.write_bytes(encode(session) * MOST_SESSIONS)
    made.tell({"id": made.id, "state": "running"})
    assert resume_interrupted(tmp_path) == ()


@pytest.mark.parametrize(
    ("stated", "asked"), [("1", True), ("true", True), ("", False), ("0", False), ("maybe", False)]
)
def test_it_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch, stated: str, asked: bool) -> None:
    monkeypatch.setenv("KNEEPOINT_RESUME", stated)
    assert is_asked() == asked
