"""A real server, called by hand over HTTP and Streamlit's agent API: who gets no button gets no sweep."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.sweep.folder import Folder, listed
from tests.benchmarks._server import running
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import plan_for
from tests.thorough import some

pytestmark = pytest.mark.long

REFUSED = "Only this machine may do that in local mode; set KNEEPOINT_ACCESS to token or oidc."
PROXIED = "This request came through a proxy, and local mode trusts only this machine."


@contextmanager
def served(library: Path, address: str) -> Iterator[str]:
    """The app with its agent API, listening there."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STREAMLIT_SERVER_ENABLE_AGENT_API", "true")
        patched.setenv("STREAMLIT_SERVER_ADDRESS", address)
        with running(library) as server:
            yield server.url


def sent(url: str, document: object, **headers: str) -> tuple[int, Any]:
    request = urllib.request.Request(
        url, json.dumps(document).encode(), {"Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


class ByHand:
    """One session of the agent API."""

    def __init__(self, server: str, **headers: str) -> None:
        self._url, self._headers = f"{server}/_stcore/agent/interact", headers
        self._session = self.ask()["session_id"]

    def ask(self, **more: object) -> dict[str, Any]:
        named = {"session_id": self._session} if hasattr(self, "_session") else {}
        status, told = sent(self._url, {**named, **more}, **self._headers)
        return told if status == 200 else {"refused": json.dumps(told)}

    def opened(self, page: str, **query: str) -> str:
        """All that is on the page, without the escapes of Markdown."""
        told = self.ask(page=page, query_params={key: [value] for key, value in query.items()})
        return json.dumps(told).replace("\\", "")

    def pressed(self, button: str) -> str:
        return json.dumps(self.ask(trigger={"key": button}))


@pytest.fixture
def played() -> Iterator[Played]:
    """An endpoint that a sweep could be started at, and is not."""
    with playing() as found:
        yield found
        assert found.asked == []


def link(played: Played) -> dict[str, str]:
    return {"url": played.url, "model": "fake-model", "isl": "8", "osl": "4", "concurrency": "2", "requests": "20"}


@pytest.mark.parametrize(
    ("address", "headers", "why"),
    some([("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, PROXIED), ("0.0.0.0", {}, REFUSED)], 1),
)
def test_who_may_not_launch_gets_no_button_and_no_sweep_by_hand(
    address: str, headers: dict[str, str], why: str, played: Played, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    folder = Folder.create(library, plan_for(played.url))
    with served(library, address) as server:
        reader = ByHand(server, **headers)
        page = reader.opened("launch", **link(played))
        assert "1 point of *fake-model*" in page
        assert '"start"' not in page
        assert why in page
        for button in ("start", "check", "practice.chat-gpu"):
            assert '"key": "start"' not in reader.pressed(button)
        job = reader.opened("jobs", job=folder.id)
        assert folder.id in job
        for button in ("resume", "cancel", "again"):
            reader.pressed(button)
        plan = {"endpoint.url": played.url, "profile": "quick", "endpoint.model": "fake-model"}
        for path, content in (("", plan), (f"/{folder.id}/cancel", {}), (f"/{folder.id}/resume", {})):
            assert sent(f"{server}/api/sweeps{path}", content, **headers) == (403, {"error": why})
    assert listed(library) == [folder]
    assert folder.status["state"] == "interrupted"
    assert not (library / "practice").exists()
    assert not (library / "audit.jsonl").exists()


def test_at_this_machine_there_is_a_button(played: Played, tmp_path: Path) -> None:
    with served(tmp_path / "library", "127.0.0.1") as server:
        page = ByHand(server).opened("launch", **link(played))
    assert '"key": "start"' in page


def test_under_a_name_that_was_made_to_mean_this_machine_nothing_is_read(tmp_path: Path) -> None:
    Folder.create(tmp_path / "library", plan_for("http://127.0.0.1:9"))
    with served(tmp_path / "library", "127.0.0.1") as server:
        port = server.rpartition(":")[2]
        for host in ("localhost", f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"LocalHost.:{port}"):
            status, told = asked(f"{server}/api/sweeps", host)
            assert (status, len(told)) == (200, 1), host
        for host in ("evil.example", f"127.0.0.1.evil.example:{port}", "[::1].evil.example", "localhost@evil", ""):
            for path in ("/api/sweeps", "/healthz", "/_stcore/metrics", "/pareto"):
                status, told = asked(f"{server}{path}", host)
                assert (status, "does not answer under this name" in told["error"]) == (403, True), (host, path)


def asked(url: str, host: str) -> tuple[int, Any]:
    request = urllib.request.Request(url, headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)
