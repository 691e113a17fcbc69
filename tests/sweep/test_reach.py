"""What a sweep from a page can reach: no spelling, name, redirect or second look-up leads anywhere else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import api
from bench.access import Visitor
from bench.errors import AccessDenied, BenchError
from bench.sweep.folder import Folder, listed
from bench.sweep.measured.request_file import from_parquet
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session import launching
from bench.sweep.session.origin import SweepOrigin, keep
from bench.sweep.session.runner import SessionEnd, run
from tests.sweep.played import Played, playing

pytestmark = pytest.mark.long

OWN_PORT = 8501
HEADERS = {"host": f"localhost:{OWN_PORT}", "content-type": "application/json"}
HERE = api.caller("127.0.0.1", "127.0.0.1", HEADERS)
FIELDS = {
    "endpoint.model": "fake-model",
    "workloads.isl": "32",
    "workloads.osl": "4",
    "loads.concurrency": "1,2",
    "point.requests": "10",
    "point.warmup_requests": "1",
}


@pytest.fixture
def trap() -> Iterator[Played]:
    """What must never be asked."""
    with playing() as played:
        yield played
        assert played.asked == []


def sentence(text: str) -> str:
    """The text, which is one sentence on one line."""
    assert text.endswith(".")
    assert "\n" not in text
    assert "Traceback" not in text
    assert ". " not in text.replace("e.g. ", "")
    return text


HOSTS = """
gpu.example 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.2 0.0.0.0 10.0.0.7 localhost. localhost.gpu.example
[::] [::ffff:127.0.0.1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [64:ff9b::7f00:1] [::1%25lo] [fe80::1] [::ffff:a9fe:a9fe]
169.254.169.254 2852039166 metadata.google.internal reader:hunter2@127.0.0.1 ⓛocalhost 127。0。0。1
"""


URLS = (
    *(f"http://{host}:{{port}}" for host in HOSTS.split()),
    "http://127.0.0.1:{port}@gpu.example",
    "http://127.0.0.1:{port}/v1?key=hunter2",
    "http://127.0.0.1:{port}#@gpu.example",
    "http://127.0.0.1:{port}\\@gpu.example",
    "http://127.0.0.1:{port}\r\nx: y",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}",
    "//127.0.0.1:{port}",
    "http://127.0.0.1:0",
    "http://127.0.0.1:99999",
    "http://127.0.0.1:22",
    "http://localhost:1023",
    f"http://127.0.0.1:{OWN_PORT}",
    f"http://localhost:{OWN_PORT}/v1",
)


def test_a_url_from_a_page_reaches_nothing_but_this_machines_own_services(trap: Played, tmp_path: Path) -> None:
    for url in URLS:
        stated = {"endpoint.url": url.replace("{port}", str(trap.port)), **FIELDS}
        status, told = api.start(tmp_path, HERE, json.dumps(stated).encode(), OWN_PORT)
        assert status == 400, url
        assert "hunter2" not in sentence(told["error"])
    assert listed(tmp_path) == []


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """gpu.example is at these addresses, one after another at each look-up, the last for good; the look-ups."""
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def found(host, port, *rest, **more):
        if host != "gpu.example":
            return real(host, port, *rest, **more)
        looked_up.append(host)
        address = addresses[min(len(looked_up), len(addresses)) - 1]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return looked_up


def named(library: Path, url: str, **more: str) -> Plan:
    """A plan of an endpoint that endpoints.toml states."""
    (library / "endpoints.toml").write_text(f'[endpoints.lab]\nbase_url = "{url}"\nmodel = "fake-model"\n')
    stated = {**FIELDS, **more, "endpoint.name": "lab"}
    return Plan.from_fields(stated, files=False, endpoints=Endpoints(library))


def swept(library: Path, plan: Plan, *, from_page: bool = True) -> tuple[Folder, SessionEnd]:
    """The sweep in this process, as somebody at a page or at the shell started it."""
    folder = Folder.create(library, plan)
    keep(folder, SweepOrigin.now("a reader", from_page=from_page))
    return folder, run(folder)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1", "this machine itself"),
        ("::ffff:127.0.0.1", "this machine itself"),
        ("169.254.169.254", "link-local or metadata"),
        ("fd00:ec2::254", "link-local or metadata"),
    ],
)
def test_a_name_that_means_this_machine_or_a_clouds_own_is_not_asked(
    address: str, said: str, trap: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, address)
    plan = named(tmp_path, f"http://gpu.example:{trap.port}")
    folder, ended = swept(tmp_path, plan)
    assert ended.state == "failed"
    assert said in sentence(ended.reason)
    assert folder.read.points == ()
    checked = launching.check(tmp_path, plan, HERE, own_port=OWN_PORT)
    assert checked.problem == ended.reason


def test_a_person_at_the_shell_may_name_their_machine_as_they_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, "127.0.0.1")
    with playing() as played:
        folder, ended = swept(tmp_path, named(tmp_path, f"http://gpu.example:{played.port}"), from_page=False)
    assert ended.state == "done", ended
    assert len(folder.read.points) == 2


def test_a_name_that_comes_to_mean_another_address_takes_no_load_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first point's load comes from this process, the second's from two of its workers."""
    looked_up = resolving(monkeypatch, "127.0.0.1", "127.0.0.2")
    with playing() as played, playing(host="127.0.0.2", port=played.port) as other:
        plan = named(tmp_path, f"http://gpu.example:{played.port}", workers="2")
        folder, ended = swept(tmp_path, plan, from_page=False)
        assert other.asked == []
    assert ended.state == "done", ended
    assert [(line.workers, line.requests_ok) for line, _ in folder.read.points] == [(1, 10), (2, 10)]
    assert len(looked_up) == 1


def test_a_redirect_in_the_middle_of_a_sweep_is_a_failed_request_and_not_followed(trap: Played, tmp_path: Path) -> None:
    one_level = {"loads.concurrency": "1"}
    with playing() as played:
        swept(tmp_path, named(tmp_path, played.url, **one_level))
    turning = Played(good=played.answered - 5, leads_to=trap.url)
    with playing(turning):
        folder, ended = swept(tmp_path, named(tmp_path, turning.url, **one_level))
    assert ended.state == "done", ended
    ((line, _),) = folder.read.points
    assert line.failures == {"redirected": 5}
    assert line.requests_ok == 5
    errors = [text for text in from_parquet(folder.path / str(line.samples)).error if text]
    assert errors == [f"HTTP 302 to {trap.url}"] * 5


def test_the_checks_of_a_page_ask_nobody_who_may_not_be_asked(trap: Played, tmp_path: Path) -> None:
    plan = Plan.from_fields({"endpoint.url": f"http://2130706433:{trap.port}", **FIELDS})
    for ask in (launching.check, launching.models):
        with pytest.raises(BenchError, match=r"endpoints\.toml"):
            ask(tmp_path, plan, HERE, own_port=OWN_PORT)
        with pytest.raises(AccessDenied):
            ask(tmp_path, Plan.from_fields({"endpoint.url": trap.url, **FIELDS}), Visitor(), own_port=OWN_PORT)
