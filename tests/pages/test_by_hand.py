"""A real server, called by hand over HTTP and Streamlit's agent API: who is offered nothing can do nothing."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from bench.dictionary import examples
from bench.library import Library
from bench.sweep.folder import Folder, listed
from tests.benchmarks._server import NOT_WARMED, running
from tests.holdings.made import made, point_of, source_of
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import plan_for

pytestmark = pytest.mark.long

REFUSED = "Only this machine may do that in local mode; set KNEEPOINT_ACCESS to token or oidc."
PROXIED = "This request came through a proxy, and local mode trusts only this machine."
READ_ONLY = "This server is read-only"
SQL = "SELECT 40 + 2 AS forty_two_by_hand"
TYPED = {
    "note.text": "a note",
    "tag.text": "odd",
    "hide.reason": "wrong",
    "purge.reason": "wrong",
    "fact.accelerator": "h200-sxm",
}
FORMS = {
    "note": "Keep the note",
    "tag": "Add the tag",
    "hide": "Hide it",
    "purge": "Delete it for good",
    "fact": "State it",
}


def sent(url: str, document: object, **headers: str) -> tuple[int, Any]:
    content = {"Content-Type": "application/json", **headers}
    return answered(urllib.request.Request(url, json.dumps(document).encode(), content))


def asked(url: str, host: str) -> tuple[int, Any]:
    return answered(urllib.request.Request(url, headers={"Host": host}))


def answered(request: urllib.request.Request) -> tuple[int, Any]:
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


@dataclass(frozen=True)
class Place:
    """A library with two tables, a hidden point and a sweep, and an endpoint that a sweep could be started at."""

    library: Library
    folder: Folder
    played: Played

    @property
    def link(self) -> dict[str, str]:
        shape = {"isl": "8", "osl": "4", "concurrency": "2", "requests": "20"}
        return {"url": self.played.url, "model": "fake-model", **shape}

    def contents(self) -> dict[Path, bytes]:
        """Every ledger, and the names of what else is kept."""
        root = self.library.path
        ledgers = {path: path.read_bytes() for path in root.rglob("*.jsonl")}
        folders = (root / "sources", root / "sweeps")
        return {**ledgers, **{path: b"" for folder in folders for path in folder.iterdir()}}


@dataclass(frozen=True)
class Refused:
    """A server, and how one comes to it that may do nothing there."""

    url: str
    headers: dict[str, str]
    why: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    library = made(tmp_path_factory.mktemp("by_hand"))
    library.retract(point_of(library, 1), "hidden before")
    with playing() as played:
        yield Place(library, Folder.create(library.path, plan_for(played.url)), played)
        assert played.asked == []


@contextmanager
def served(library: Path, address: str = "127.0.0.1", access: str = "local") -> Iterator[str]:
    """The app with its agent API, listening there."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STREAMLIT_SERVER_ENABLE_AGENT_API", "true")
        patched.setenv("STREAMLIT_SERVER_ADDRESS", address)
        patched.setenv("KNEEPOINT_ACCESS", access)
        with running(library, setup=NOT_WARMED) as server:
            yield server.url


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[str]:
    """The server in local mode, which listens on this machine alone."""
    with served(place.library.path) as url:
        yield url


@pytest.fixture(
    scope="module",
    params=[
        "through a proxy",
        pytest.param("on all addresses", marks=pytest.mark.exhaustive),
        pytest.param("read-only", marks=pytest.mark.exhaustive),
    ],
)
def refused(request: pytest.FixtureRequest, place: Place) -> Iterator[Refused]:
    if request.param == "through a proxy":
        yield Refused(request.getfixturevalue("server"), {"X-Forwarded-For": "127.0.0.1"}, PROXIED)
    elif request.param == "on all addresses":
        with served(place.library.path, address="0.0.0.0") as url:
            yield Refused(url, {}, REFUSED)
    else:
        with served(place.library.path, access="off") as url:
            yield Refused(url, {}, READ_ONLY)


@pytest.fixture
def reader(refused: Refused, place: Place) -> Iterator[ByHand]:
    """A session of somebody who is refused; nothing has changed when it is over."""
    before = place.contents()
    yield ByHand(refused.url, **refused.headers)
    assert place.contents() == before


def test_who_may_not_launch_gets_no_button_and_no_sweep_by_hand(refused: Refused, reader: ByHand, place: Place) -> None:
    page = reader.opened("launch", **place.link)
    assert "1 point of *fake-model*" in page
    assert '"start"' not in page
    assert refused.why in page
    for button in ("start", "check", "practice.chat-gpu"):
        assert '"key": "start"' not in reader.pressed(button)
    assert place.folder.id in reader.opened("jobs", job=place.folder.id)
    for button in ("resume", "cancel", "again"):
        reader.pressed(button)
    plan = {"endpoint.url": place.played.url, "profile": "quick", "endpoint.model": "fake-model"}
    for path, content in (("", plan), (f"/{place.folder.id}/cancel", {}), (f"/{place.folder.id}/resume", {})):
        status, told = sent(f"{refused.url}/api/sweeps{path}", content, **refused.headers)
        assert (status, refused.why in told["error"]) == (403, True)
    assert listed(place.library.path) == [place.folder]
    assert place.folder.status["state"] == "interrupted"


def test_who_may_not_correct_is_offered_nothing_and_refused_by_hand(
    refused: Refused, reader: ByHand, place: Place
) -> None:
    source = source_of(place.library, "mine.csv")
    page = reader.opened("data", source_id=source)
    assert refused.why in page
    states = {f"correct.{name}.{source[:16]}": text for name, text in TYPED.items()}
    states[f"correct.purge.typed.{source[:16]}"] = source[:8]
    for form, label in FORMS.items():
        assert label not in page
        reader.ask(widget_state=states, trigger={"key": f"FormSubmitter:correct.{form}.form-{label}"})
    for button in ("correct.untag.0", "correct.unstate.accelerator"):
        reader.pressed(button)
    page = reader.opened("data", point_id=place.library.fetch("SELECT id FROM retractions")[0][0])
    assert refused.why in page
    assert "Bring it back" not in page
    reader.pressed("correct.restore")


def test_who_may_not_add_is_offered_no_place_for_files_and_can_send_none(refused: Refused, reader: ByHand) -> None:
    page = reader.opened("data")
    assert refused.why in page
    assert "file_uploader" not in page
    for button in ("adding.import", "adding.drop.0", "adding.discard"):
        assert '"key": "adding' not in reader.pressed(button)
    connection = http.client.HTTPConnection(urlsplit(refused.url).netloc, timeout=60)
    connection.putrequest("PUT", "/_stcore/upload_file/any-session/a-file")
    connection.putheader("Content-Length", "100")
    connection.putheader("Content-Type", "multipart/form-data; boundary=x")
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_who_may_not_ask_gets_the_examples_and_no_rows(refused: Refused, reader: ByHand) -> None:
    page = reader.opened("sql", query=SQL)
    assert refused.why in page
    assert SQL in page
    assert examples()[3].question in page
    assert '"sql.run"' not in page
    for ask in (
        {"trigger": {"key": "sql.run"}},
        {"trigger": {"key": "sql.run"}, "widget_state": {"sql.text": SQL}},
        {"trigger": {"key": "example.3"}},
        {"page": "sql", "query_params": {"query": [SQL]}, "trigger": {"key": "sql.run"}},
    ):
        answer = json.dumps(reader.ask(**ask))
        assert "rows and" not in answer
        assert "1 row and" not in answer
        assert "save.kneepoint-sql" not in answer


def test_at_this_machine_the_same_calls_are_met(server: str, place: Place) -> None:
    reader = ByHand(server)
    assert '"key": "start"' in reader.opened("launch", **place.link)
    assert '"sql.run"' in reader.opened("sql", query=SQL)
    assert "1 row and 1 column" in reader.pressed("sql.run")
    source = source_of(place.library, "mine.csv")
    assert "Keep the note" in reader.opened("data", source_id=source)
    reader.ask(
        widget_state={f"correct.note.text.{source[:16]}": "a note by hand"},
        trigger={"key": "FormSubmitter:correct.note.form-Keep the note"},
    )
    place.library.refresh()
    assert place.library.fetch("SELECT text, who FROM notes") == [("a note by hand", "a reader (local)")]


def test_under_a_name_that_was_made_to_mean_this_machine_nothing_is_read(server: str) -> None:
    port = server.rpartition(":")[2]
    for host in ("localhost", f"[::1]:{port}", f"LocalHost.:{port}"):
        status, told = asked(f"{server}/api/sweeps", host)
        assert (status, len(told)) == (200, 1), host
    for host in ("evil.example", f"127.0.0.1.evil.example:{port}", "localhost@evil", ""):
        for path in ("/api/sweeps", "/healthz", "/_stcore/metrics", "/pareto"):
            status, told = asked(f"{server}{path}", host)
            assert (status, "does not answer under this name" in told["error"]) == (403, True), (host, path)
