"""What may be started from where, and everything is written down; what a restart cut off goes on by itself.

Who may, test_api.py holds against the API.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from bench.access import Visitor
from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.errors import UsageError
from bench.formats.journal import encode
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session import jobs, launching
from bench.sweep.session.demo_endpoints import FOLDER, is_practice, practise
from bench.sweep.session.launching import MOST_SESSIONS, is_asked, resume_interrupted
from bench.sweep.session.origin import FILE, SweepOrigin, keep, origin_of
from bench.sweep.session.runner import run
from tests.library import sweeps
from tests.polling import until
from tests.sweep.played import playing
from tests.sweep.sweeping import folder_for

pytestmark = pytest.mark.long

HERE = Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="localhost:8501")
OWN_PORT = 8501
DEAD = "http://127.0.0.1:9"


FIELDS = {"workloads.isl": "8", "workloads.osl": "4", "loads.concurrency": "2", "point.requests": "20"}
OF_A_FILE = {**FIELDS, "endpoint.name": "lab", "endpoint.model": "fake-model"}


def plan(url: str = "http://127.0.0.1:8000", **more: object) -> Plan:
    return Plan.from_fields({"endpoint.url": url, "endpoint.model": "fake-model", **FIELDS, **more})


def audit(library: Path) -> list[dict[str, str]]:
    path = library / "audit.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_reader_at_this_machine_starts_a_sweep_that_goes_on_by_itself(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        folder = launching.launch(tmp_path, plan(url), HERE, own_port=OWN_PORT)
        until(lambda: folder.status["state"] == "done" and not folder.held())
    assert len(folder.read.points) == 1
    (line,) = audit(tmp_path)
    assert (line["what"], line["sweep"], line["who"]) == ("launch", folder.id, "a reader (local)")
    assert line["endpoint"] == url.removeprefix("http://")
    found = origin_of(folder)
    assert found is not None
    assert found.from_page
    with pytest.raises(UsageError, match="not running"):
        launching.cancel(tmp_path, folder.id, HERE)
    assert [line["what"] for line in audit(tmp_path)] == ["launch"]


def test_with_a_token_no_url_is_taken_from_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", "a-token-of-16-characters")
    known = Visitor(client_address="10.0.0.9", token="a-token-of-16-characters")
    with pytest.raises(UsageError, match="pick one, or state yours there"):
        launching.launch(tmp_path, plan(), known)


def test_starts_are_limited_but_for_sweeps_of_a_clock_that_ran_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "start", lambda folder: None)
    made = [Folder.create(tmp_path, plan()) for _ in range(launching.MOST_STARTS)]
    with pytest.raises(UsageError, match="within a minute"):
        launching.launch(tmp_path, plan(), HERE)
    assert len(listed(tmp_path)) == launching.MOST_STARTS
    for number, one in enumerate(made):
        one.path.rename(one.path.with_name(f"21000101-000000-{number:06x}"))
    launching.launch(tmp_path, plan(), HERE)


def test_what_does_not_say_where_it_came_from_is_held_to_the_stricter_rules(tmp_path: Path) -> None:
    folder = Folder.create(tmp_path, plan())
    assert origin_of(folder) is None
    keep(folder, SweepOrigin.now("Ada", from_page=False))
    assert origin_of(folder) == SweepOrigin("Ada", origin_of(folder).at, False)  # type: ignore[union-attr]
    for damaged in ("", "{", "[]", '{"by": "Ada"}'):
        (folder.path / FILE).write_text(damaged)
        found = origin_of(folder)
        assert found is not None
        assert found.from_page


def test_an_endpoint_of_the_file_may_be_measured_as_it_stands_there_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "endpoints.toml").write_text('[endpoints.lab]\nbase_url = "http://gpu.example:8000"\nkey_env = "KEY"\n')
    named = Plan.from_fields(OF_A_FILE, files=False, endpoints=Endpoints(tmp_path))
    launching.demand_endpoint(tmp_path, named, HERE, OWN_PORT)
    for changed in (
        {"url": "http://other.example"},
        {"key_env": "OTHER_KEY"},
        {"ca_file": "/x.pem"},
        {"tokenizer": "/etc/passwd"},
        {"name": "other"},
    ):
        other = Plan.from_mapping({**named.document(), "endpoint": {**named.document()["endpoint"], **changed}})
        with pytest.raises(UsageError, match=r"endpoints\.toml"):
            launching.demand_endpoint(tmp_path, other, HERE, OWN_PORT)


def test_a_sweep_that_is_run_again_keeps_within_what_its_endpoints_caps_are_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = '[endpoints.lab]\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\n'
    (tmp_path / "endpoints.toml").write_text(stated)
    monkeypatch.setattr(jobs, "start", lambda folder: None)
    fields = OF_A_FILE | {"loads.concurrency": "2, 64"}
    before = Plan.from_fields(fields, files=False, endpoints=Endpoints(tmp_path))
    (tmp_path / "endpoints.toml").write_text(f"{stated}[endpoints.lab.caps]\nrequests = 300\n")
    folder = launching.launch(tmp_path, before, HERE, own_port=OWN_PORT)
    assert folder.plan.caps.requests == 300
    assert folder.plan.loads == before.loads
    (tmp_path / "endpoints.toml").write_text(f"{stated}[endpoints.lab.caps]\nconcurrency = 16\n")
    with pytest.raises(UsageError, match=r"loads.concurrency is 64 and caps.concurrency 16"):
        launching.launch(tmp_path, before, HERE, own_port=OWN_PORT)


def test_who_goes_on_from_a_page_is_held_to_its_rules_wherever_the_sweep_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "start", run)
    with playing() as played:
        (tmp_path / "endpoints.toml").write_text(f'[endpoints.lab]\nbase_url = "http://127.1:{played.port}"\n')
        folder = Folder.create(tmp_path, Plan.from_fields(OF_A_FILE, endpoints=Endpoints(tmp_path)))
        launching.resume(tmp_path, folder.id, HERE, own_port=OWN_PORT)
        assert folder.status["state"] == "failed"
        assert "this machine itself" in folder.status["reason"]
        assert played.asked == []


def left(library: Path, url: str, state: str, model: str = "fake-model") -> Folder:
    """A sweep whose process left it in this state."""
    made = folder_for(library, url, endpoint__model=model, workloads__isl="8", loads__concurrency="2")
    made.tell({"id": made.id, "state": state})
    return made


def test_what_was_cut_off_goes_on_and_nothing_else_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Folder] = []
    monkeypatch.setattr(jobs, "start", begun.append)
    those = [left(tmp_path, DEAD, state) for state in ("running", "queued", "interrupted")]
    for state in ("cancelled", "failed", "done"):
        left(tmp_path, DEAD, state)
    damaged = left(tmp_path, DEAD, "running")
    (damaged.path / "plan.json").write_text("{")
    assert set(resume_interrupted(tmp_path)) == {one.id for one in those}
    assert {one.id for one in begun} == {one.id for one in those}
    assert (tmp_path / "audit.jsonl").read_text().count('"restart"') == 3


def test_a_practice_endpoint_that_the_restart_ended_comes_back_for_its_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "start", run)
    record = tmp_path / FOLDER / "chat-gpu.json"
    url = practise(tmp_path, "chat-gpu").url
    assert url is not None
    sweep = left(tmp_path, url, "running", model="chat-gpu")
    os.kill(json.loads(record.read_text())["pid"], signal.SIGKILL)
    until(lambda: not is_practice(tmp_path, url))
    try:
        assert resume_interrupted(tmp_path) == (sweep.id,)
        assert sweep.status["state"] == "done"
    finally:
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


def test_a_sweep_that_was_cut_off_again_and_again_waits_for_a_person(tmp_path: Path) -> None:
    made = left(tmp_path, DEAD, "running")
    made.journal.write_bytes(encode(sweeps.session(made.id)) * MOST_SESSIONS)
    assert resume_interrupted(tmp_path) == ()


@pytest.mark.parametrize(
    ("stated", "asked"), [("1", True), ("true", True), ("", False), ("0", False), ("maybe", False)]
)
def test_it_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch, stated: str, asked: bool) -> None:
    monkeypatch.setenv("KNEEPOINT_RESUME", stated)
    assert is_asked() == asked
