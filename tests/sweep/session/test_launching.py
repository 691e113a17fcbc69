"""Who may start what: this machine's reader on this machine's endpoints, and everything is written down."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from bench.access import Visitor
from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.errors import AccessDenied, BenchError, UsageError
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session import launching
from bench.sweep.session.origin import FILE, SweepOrigin, keep, origin_of
from tests.sweep.played import Played, playing

pytestmark = pytest.mark.long

HERE = Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="localhost:8501")
SHELL = Visitor.at_the_shell()
OWN_PORT = 8501


def plan(url: str = "http://127.0.0.1:8000", **more: object) -> Plan:
    return Plan.from_fields(
        {
            "endpoint.url": url,
            "endpoint.model": "fake-model",
            "workloads.isl": "8",
            "workloads.osl": "4",
            "loads.concurrency": "2",
            "point.requests": "20",
            "point.warmup_requests": "2",
            **more,
        }
    )


def audit(library: Path) -> list[dict[str, str]]:
    path = library / "audit.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_reader_at_this_machine_starts_a_sweep_that_goes_on_by_itself(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        folder = launching.launch(tmp_path, plan(url), HERE, own_port=OWN_PORT)
        until = time.monotonic() + 30
        while (folder.status["state"] != "done" or folder.held()) and time.monotonic() < until:
            time.sleep(0.05)
    assert folder.status["state"] == "done", folder.status
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


@pytest.mark.parametrize(
    "visitor",
    [
        Visitor(),
        Visitor(server_address="127.0.0.1", client_address="10.0.0.9", host="localhost:8501"),
        Visitor(server_address="0.0.0.0", client_address="127.0.0.1", host="localhost:8501"),
        Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="kneepoint.example"),
        Visitor("127.0.0.1", "127.0.0.1", "localhost:8501", {"X-Forwarded-For": "10.0.0.9"}),
    ],
)
def test_nobody_else_starts_ends_or_resumes_one(tmp_path: Path, visitor: Visitor) -> None:
    folder = Folder.create(tmp_path, plan())
    for attempt in (
        lambda: launching.launch(tmp_path, plan(), visitor),
        lambda: launching.cancel(tmp_path, folder.id, visitor),
        lambda: launching.resume(tmp_path, folder.id, visitor),
    ):
        with pytest.raises(AccessDenied):
            attempt()
    assert listed(tmp_path) == [folder]
    assert audit(tmp_path) == []


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"url": "http://gpu.example:8000"}, "endpoints.toml"),
        ({"url": "http://2130706433:8000"}, "endpoints.toml"),
        ({"url": f"http://127.0.0.1:{OWN_PORT}"}, "this app's own"),
        ({"endpoint.key_env": "HOME"}, "without a key"),
    ],
)
def test_a_page_measures_only_this_machines_own(tmp_path: Path, stated: dict[str, str], said: str) -> None:
    asked = plan(**stated)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=said):
        launching.launch(tmp_path, asked, HERE, own_port=OWN_PORT)
    launching.demand_endpoint(tmp_path, asked, SHELL, OWN_PORT)
    assert listed(tmp_path) == []


def test_with_a_token_no_url_is_taken_from_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", "a-token-of-16-characters")
    known = Visitor(client_address="10.0.0.9", token="a-token-of-16-characters")
    with pytest.raises(UsageError, match="pick one, or state yours there"):
        launching.launch(tmp_path, plan(), known)
    with pytest.raises(AccessDenied):
        launching.launch(tmp_path, plan(), Visitor(token="another-token-of-16"))


def test_starts_are_limited(tmp_path: Path) -> None:
    for _ in range(launching.MOST_STARTS):
        Folder.create(tmp_path, plan())
    with pytest.raises(UsageError, match="within a minute"):
        launching.launch(tmp_path, plan(), HERE)
    assert len(listed(tmp_path)) == launching.MOST_STARTS


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


def test_a_start_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "sweeps").write_text("no folder")
    with pytest.raises(BenchError, match="sweeps"):
        launching.launch(tmp_path, plan(), HERE)


def test_an_endpoint_of_the_file_may_be_measured_as_it_stands_there_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "endpoints.toml").write_text('[endpoints.lab]\nbase_url = "http://gpu.example:8000"\nkey_env = "KEY"\n')
    fields = {
        "endpoint.name": "lab",
        "endpoint.model": "m",
        "workloads.isl": "8",
        "workloads.osl": "4",
        "loads.concurrency": "2",
        "point.requests": "20",
    }
    named = Plan.from_fields(fields, files=False, endpoints=Endpoints(tmp_path))
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


def test_a_sweep_that_is_run_again_keeps_within_what_its_endpoints_caps_are_now(tmp_path: Path) -> None:
    stated = '[endpoints.lab]\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\n'
    (tmp_path / "endpoints.toml").write_text(stated)
    fields = {
        "endpoint.name": "lab",
        "workloads.isl": "8",
        "workloads.osl": "4",
        "loads.concurrency": "2, 64",
        "point.requests": "20",
    }
    before = Plan.from_fields(fields, files=False, endpoints=Endpoints(tmp_path))
    (tmp_path / "endpoints.toml").write_text(f"{stated}[endpoints.lab.caps]\nrequests = 300\n")
    folder = launching.launch(tmp_path, before, HERE, own_port=OWN_PORT)
    assert folder.plan.caps.requests == 300
    assert folder.plan.loads == before.loads
    (tmp_path / "endpoints.toml").write_text(f"{stated}[endpoints.lab.caps]\nconcurrency = 16\n")
    with pytest.raises(UsageError, match=r"loads.concurrency is 64 and caps.concurrency 16"):
        launching.launch(tmp_path, before, HERE, own_port=OWN_PORT)


def test_who_goes_on_from_a_page_is_held_to_its_rules_wherever_the_sweep_was_started(tmp_path: Path) -> None:
    with playing() as played:
        (tmp_path / "endpoints.toml").write_text(
            f'[endpoints.lab]\nbase_url = "http://127.1:{played.port}"\nmodel = "fake-model"\n'
        )
        fields = {
            "endpoint.name": "lab",
            "workloads.isl": "8",
            "workloads.osl": "4",
            "loads.concurrency": "2",
            "point.requests": "20",
        }
        folder = Folder.create(tmp_path, Plan.from_fields(fields, endpoints=Endpoints(tmp_path)))
        launching.resume(tmp_path, folder.id, HERE, own_port=OWN_PORT)
        until = time.monotonic() + 30
        while folder.held() and time.monotonic() < until:
            time.sleep(0.05)
        assert folder.status["state"] == "failed"
        assert "this machine itself" in folder.status["reason"]
        assert played.asked == []


def test_sweeps_of_a_clock_that_ran_ahead_do_not_count(tmp_path: Path) -> None:
    for number in range(launching.MOST_STARTS):
        made = Folder.create(tmp_path, plan())
        made.path.rename(made.path.with_name(f"21000101-000000-{number:06x}"))
    launching._demand_room(tmp_path)


def test_models_are_asked_for_once_by_who_may_and_only_where_a_page_may_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = {"data": [{"id": "a"}, {"id": "b"}, {"object": "no model"}]}
    with playing(Played(told={"/v1/models": (200, two)})) as played:
        found = launching.models(tmp_path, plan(played.url), HERE, own_port=OWN_PORT)
        assert found.serves == ("a", "b")
        assert played.asked == ["GET /v1/models"]
        monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
        with pytest.raises(AccessDenied):
            launching.models(tmp_path, plan(played.url), HERE, own_port=OWN_PORT)
        monkeypatch.delenv("KNEEPOINT_ACCESS")
        for url in ("http://gpu.example:8000", "http://10.0.0.7:8000", f"http://127.0.0.1:{OWN_PORT}"):
            with pytest.raises(UsageError):
                launching.models(tmp_path, plan(url), HERE, own_port=OWN_PORT)
        with pytest.raises(UsageError, match="without a key"):
            launching.models(tmp_path, plan(played.url, **{"endpoint.key_env": "HOME"}), HERE)
        assert played.asked == ["GET /v1/models"]


def test_an_endpoint_that_lists_no_models_says_so(tmp_path: Path) -> None:
    with playing(Played(told={"/v1/models": (404, {})})) as played:
        found = launching.models(tmp_path, plan(played.url), HERE, own_port=OWN_PORT)
    assert (found.serves, found.problem) == ((), None)
    assert "does not list its models (HTTP 404)" in found.checks[-1].said
    gone = launching.models(tmp_path, plan(played.url), HERE, own_port=OWN_PORT)
    assert "Nothing listens at" in str(gone.problem)
    with playing(Played(good=0, leads_to="http://169.254.169.254/")) as away:
        found = launching.models(tmp_path, plan(away.url), HERE, own_port=OWN_PORT)
    assert "which is not followed" in str(found.problem)
