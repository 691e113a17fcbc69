"""After a restart: what was cut off goes on by itself, and nothing else does."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from bench.formats.journal import encode
from bench.sweep.folder import Folder
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import FOLDER, is_practice, practise
from bench.sweep.session.restart import MOST_SESSIONS, is_asked, resume_interrupted
from bench.sweep.session.runner import run
from tests.library import sweeps
from tests.polling import until
from tests.sweep.sweeping import folder_for

pytestmark = pytest.mark.long

DEAD = "http://127.0.0.1:9"


def folder(library: Path, url: str, state: str, model: str = "fake-model") -> Folder:
    """A sweep whose process left it in this state."""
    made = folder_for(library, url, endpoint__model=model, workloads__isl="8", loads__concurrency="2")
    made.tell({"id": made.id, "state": state})
    return made


def test_what_was_cut_off_goes_on_and_nothing_else_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Folder] = []
    monkeypatch.setattr(jobs, "start", begun.append)
    cut_off = [folder(tmp_path, DEAD, state) for state in ("running", "queued", "interrupted")]
    for state in ("cancelled", "failed", "done"):
        folder(tmp_path, DEAD, state)
    damaged = folder(tmp_path, DEAD, "running")
    (damaged.path / "plan.json").write_text("{")
    assert set(resume_interrupted(tmp_path)) == {one.id for one in cut_off}
    assert {one.id for one in begun} == {one.id for one in cut_off}
    assert (tmp_path / "audit.jsonl").read_text().count('"restart"') == 3


def test_a_practice_endpoint_that_the_restart_ended_comes_back_for_its_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "start", run)
    record = tmp_path / FOLDER / "chat-gpu.json"
    url = practise(tmp_path, "chat-gpu").url
    assert url is not None
    cut_off = folder(tmp_path, url, "running", model="chat-gpu")
    os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
    until(lambda: not is_practice(tmp_path, url))
    try:
        assert resume_interrupted(tmp_path) == (cut_off.id,)
        assert cut_off.status["state"] == "done"
    finally:
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


def test_a_sweep_that_was_cut_off_again_and_again_waits_for_a_person(tmp_path: Path) -> None:
    made = folder(tmp_path, DEAD, "running")
    made.journal.write_bytes(encode(sweeps.session(made.id)) * MOST_SESSIONS)
    assert resume_interrupted(tmp_path) == ()


@pytest.mark.parametrize(
    ("stated", "asked"), [("1", True), ("true", True), ("", False), ("0", False), ("maybe", False)]
)
def test_it_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch, stated: str, asked: bool) -> None:
    monkeypatch.setenv("KNEEPOINT_RESUME", stated)
    assert is_asked() == asked
