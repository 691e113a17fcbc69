"""The HTTP API: who may change what, in which words it refuses, and that a real server answers as the functions do."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from bench import api, export
from bench.access import Visitor
from bench.endpoint import Settings
from bench.endpoint.serving import running as serving
from bench.errors import NotFound
from bench.export.serving.desk import ExportDesk
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.plan import Plan
from bench.sweep.session import launching
from tests.benchmarks._server import NOT_WARMED, Server, running
from tests.library.files import table
from tests.polling import until

OWN_PORT = 8501
JSON = {"host": f"localhost:{OWN_PORT}", "content-type": "application/json"}
TOKEN = "a-token-of-at-least-16"
TABLES: dict[str, Any] = {
    "endpoint": {"url": "http://127.0.0.1:8000", "model": "fake-model"},
    "workloads": [{"isl": 8, "osl": 4}],
    "loads": {"concurrency": [2]},
    "point": {"requests": 20, "warmup_requests": 2},
    "seed": 3,
}
DOTTED = {
    "endpoint.url": "http://127.0.0.1:8000",
    "endpoint.model": "fake-model",
    "workloads.isl": "8",
    "workloads.osl": 4,
    "loads.concurrency": [2],
    "point.requests": "20",
    "point.warmup_requests": 2,
    "seed": 3,
}


def here(**headers: str) -> Visitor:
    """A program on this machine."""
    stated = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return api.caller("127.0.0.1", "127.0.0.1", stated)


def body(document: object) -> bytes:
    return json.dumps(document).encode()


def everything_refused(library: Path, visitor: Visitor, content: bytes = b"{}") -> set[tuple[int, str]]:
    """The answers to every change, none of which may come about."""
    folder = Folder.create(library, api.plan_in(TABLES, library)) if not listed(library) else listed(library)[0]
    replies = [
        api.start(library, visitor, content, OWN_PORT),
        api.cancel(library, folder.id, visitor, content),
        api.resume(library, folder.id, visitor, content, OWN_PORT),
    ]
    assert listed(library) == [folder]
    assert not folder.cancel.exists()
    assert folder.status["state"] == "interrupted"
    assert not (library / "audit.jsonl").exists()
    return {(status, told["error"]) for status, told in replies}


def test_tables_and_dotted_fields_state_the_same_plan(tmp_path: Path) -> None:
    assert api.plan_in(TABLES, tmp_path) == api.plan_in(DOTTED, tmp_path) == Plan.from_mapping(TABLES)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "endpoint is missing"),
        (b"[" * 100_000, "no JSON document"),
        (b'{"seed": NaN}', "no JSON document"),
        (b"\xff\xfe{}", "no JSON document"),
        (b"[]", "one JSON object"),
        (body({".".join("a" * 50_000): 1}), "is no field of a plan"),
        (body({**DOTTED, "endpoint": {"url": "http://127.0.0.1:1"}}), "state it once"),
        (body({**TABLES, "workloads": [{"prompts": "/etc/passwd", "osl": 4}]}), "command line only"),
        (body({**TABLES, "loads": {}, "workloads": {"trace": "/etc/passwd"}}), "command line only"),
        (body({**DOTTED, "endpoint.ca_file": "/etc/passwd"}), "without ca_file"),
        (body({**DOTTED, "endpoint.tokenizer": "/etc/passwd"}), "without tokenizer"),
        (body({**DOTTED, "endpoint.key_env": "HOME"}), "without key_env"),
        (body({**DOTTED, "vendor": {"authorization": "sk-12345678"}}), "key"),
        (body({**DOTTED, "endpoint.name": "lab"}), "no endpoint named 'lab'"),
        (body({**DOTTED, "title": "\ud800"}), "title"),
    ],
)
def test_what_is_no_plan_is_told_and_starts_nothing(content: bytes, said: str, tmp_path: Path) -> None:
    status, told = api.start(tmp_path, here(), content, OWN_PORT)
    assert (status, said in told["error"]) == (400, True), told
    assert listed(tmp_path) == []


def test_what_is_too_long_or_no_json_is_not_looked_at(tmp_path: Path) -> None:
    long = body({**DOTTED, "title": "x" * api.MOST_BYTES})
    assert {status for status, _ in everything_refused(tmp_path, here(), long)} == {413}
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json"):
        refused = everything_refused(tmp_path, here(content_type=kind), body(DOTTED))
        assert refused == {(415, api.NOT_JSON)}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"origin": f"http://127.0.0.1:{OWN_PORT}"},
        {"origin": f"http://localhost:{OWN_PORT}.evil.example"},
        {"origin": f"http://localhost:{OWN_PORT}@evil.example"},
        {"origin": f"file://localhost:{OWN_PORT}"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(headers: dict[str, str], tmp_path: Path) -> None:
    ((status, told),) = everything_refused(tmp_path, here(**headers))
    assert (status, "another site's page" in told) == (403, True)


def test_the_apps_own_pages_and_programs_may(tmp_path: Path) -> None:
    for headers in (
        {},
        {"origin": f"http://localhost:{OWN_PORT}", "sec_fetch_site": "same-origin"},
        {"origin": f"HTTP://LOCALHOST:{OWN_PORT}"},
        {"origin": "https://lab.example", "host": "lab.example"},
        {"content_type": "Application/JSON; charset=utf-8"},
    ):
        told = api.cancel(tmp_path, "20260101-000000-abcdef", here(**headers), b"")[1]["error"]
        assert "There is no sweep" in told or "Open the page as localhost" in told


@pytest.mark.parametrize(
    "visitor",
    [
        api.caller("127.0.0.1", "10.0.0.9", JSON),
        api.caller(None, "127.0.0.1", JSON),
        here(host="lab.example:8501"),
        here(authorization=f"Bearer {TOKEN}", x_forwarded_host="localhost"),
    ],
)
def test_in_local_mode_only_this_machine_changes_anything(visitor: Visitor, tmp_path: Path) -> None:
    """Which headers and addresses are another's, test_access.py has."""
    assert {status for status, _ in everything_refused(tmp_path, visitor)} == {403}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": TOKEN},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": "Bearer \udcff"},
        {"cookie": f"token={TOKEN}"},
        {"x_token": TOKEN},
        {"referer": f"http://localhost:8501/launch?token={TOKEN}"},
    ],
)
def test_with_a_token_only_its_bearer_changes_anything(
    headers: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    assert {status for status, _ in everything_refused(tmp_path, here(**headers))} == {403}
    known = api.caller("0.0.0.0", "10.0.0.9", {**JSON, "Authorization": f"bearer  {TOKEN}"})
    assert TOKEN not in repr(known)
    assert api.cancel(tmp_path, "20260101-000000-abcdef", known, b"")[0] == 404


@pytest.mark.parametrize("mode", ["off", "oidc", "nonsense"])
def test_other_modes_let_no_program_change_anything(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", mode)
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    assert {status for status, _ in everything_refused(tmp_path, here(authorization=f"Bearer {TOKEN}"))} == {403}
    assert api.sweeps(tmp_path)[0] == 200
    assert api.sweep(tmp_path, listed(tmp_path)[0].id)[0] == 200


@pytest.mark.parametrize("named", ["", ".", "..", "../plan", "x" * 500, "20260101-000000-abcdef", "%2e%2e", "a\x00b"])
def test_what_is_no_sweep_is_not_found(named: str, tmp_path: Path) -> None:
    for status, told in (
        api.sweep(tmp_path, named),
        api.cancel(tmp_path, named, here(), b"{}"),
        api.resume(tmp_path, named, here(), b"{}", OWN_PORT),
    ):
        assert status == 404
        assert told["error"].startswith("There is no sweep")


def test_too_many_starts_are_told_so(tmp_path: Path) -> None:
    for _ in range(launching.MOST_STARTS):
        Folder.create(tmp_path, api.plan_in(TABLES, tmp_path))
    status, told = api.start(tmp_path, here(), body(TABLES), OWN_PORT)
    assert (status, "within a minute" in told["error"]) == (429, True)
    assert api.resume(tmp_path, listed(tmp_path)[0].id, here(), b"", OWN_PORT)[0] == 429


def test_a_plan_stays_as_it_was_started(tmp_path: Path) -> None:
    folder = Folder.create(tmp_path, api.plan_in(TABLES, tmp_path))
    for content in (body({"caps": {}}), body({"endpoint.url": "http://127.0.0.1:1"})):
        assert api.resume(tmp_path, folder.id, here(), content, OWN_PORT)[0] == 400
        assert api.cancel(tmp_path, folder.id, here(), content)[0] == 400
    status, told = api.cancel(tmp_path, folder.id, here(), b"{}")
    assert (status, "interrupted" in told["error"]) == (400, True)


def test_no_error_tells_where_on_this_machine_anything_lies(tmp_path: Path) -> None:
    unreadable = tmp_path / "sweeps" / "20260101-000000-abcdef"
    unreadable.mkdir(parents=True)
    (unreadable / "plan.json").mkdir()
    no_folder = tmp_path / "a file"
    no_folder.write_text("")

    def broken() -> Library:
        raise NotFound(f"There is no library in {tmp_path}/a b: {tmp_path}/library.toml is missing.")

    told = [
        api.health(broken),
        api.start(no_folder, here(), body(TABLES), OWN_PORT),
        api.sweep(tmp_path, unreadable.name),
        api.cancel(tmp_path, unreadable.name, here(), b""),
        api.exported(lambda: ExportDesk(broken()), "markdown", ""),
    ]
    assert [status for status, _ in told] == [503, 503, 200, 400, 404], told
    for _, document in told:
        assert str(tmp_path) not in json.dumps(document)
    assert "library.toml" in told[0][1]["reason"]


@pytest.mark.parametrize(
    ("named", "query", "told"),
    [
        ("../bundle", "", "../bundle"),
        ("published-csv", "modle=qwen3-8b", "did you mean model"),
        ("published-csv", "isl=many", "many"),
        ("published-csv", "&".join(["model=a"] * 5000), "more than a link"),
        ("markdown", "", "5 points are selected, and 4"),
    ],
)
def test_an_export_that_cannot_be_is_told(
    named: str, query: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "FILE_POINTS", 4)
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([table(tmp_path / "a.csv", *({"concurrency": 2**n} for n in range(5)))])
    found, document = api.exported(lambda: ExportDesk(library), named, query)
    assert (found, told in document["error"]) == (400, True), document


def test_a_file_of_a_library_with_a_damaged_ledger_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    monkeypatch.setattr(library, "incomplete", lambda: ["Line 3 is damaged.", "Rows are missing."])
    with io.BytesIO(b"file") as written:
        desk = SimpleNamespace(library=library, written=lambda *_: written)
        _, file = api.exported(lambda: desk, "markdown", "")
    assert file.notice == "Line 3 is damaged. Rows are missing."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api") / "library"


@pytest.fixture(scope="module")
def process(place: Path) -> Iterator[Server]:
    with running(place, setup=NOT_WARMED) as started:
        yield started


@pytest.fixture(scope="module")
def server(process: Server) -> str:
    return process.url


def asked(server: str, method: str, path: str, content: object = None, **headers: str) -> tuple[int, Any]:
    """A call of the real server, as a program makes it."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=60)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if method == "POST":
        sent = {"content-type": "application/json", **sent}
    data = content if isinstance(content, bytes) or content is None else body(content)
    try:
        connection.request(method, path, data, sent)
        answer = connection.getresponse()
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Access-Control-Allow-Origin"] is None
        text = answer.read()
        assert answer.headers["Content-Type"] == "application/json", text
        return answer.status, json.loads(text)
    finally:
        connection.close()


def status_in(server: str, sweep: str, *states: str) -> dict[str, Any]:
    """The status of a sweep, once it is in one of these states."""

    def look() -> dict[str, Any] | None:
        status = asked(server, "GET", f"/api/sweeps/{sweep}")[1]
        return status if status["state"] in states else None

    return until(look)


@pytest.mark.long
def test_a_program_starts_watches_ends_and_resumes_a_sweep(server: str, place: Path) -> None:
    with serving(Settings(ttft_ms=5, itl_ms=30)) as url:
        plan = {**DOTTED, "endpoint.url": url, "loads.concurrency": [1, 2], "point.requests": 25}
        status, started = asked(server, "POST", "/api/sweeps", plan)
        assert status == 201, started
        status_in(server, started["id"], "running")
        status, told = asked(server, "POST", f"/api/sweeps/{started['id']}/cancel", {})
        assert (status, told["state"]) == (200, "cancelled")
        status, told = asked(server, "POST", f"/api/sweeps/{started['id'][-6:]}/resume")
        assert (status, told["id"]) == (200, started["id"])
        told = status_in(server, started["id"], "done", "failed")
    assert told["state"] == "done", told
    assert [point["concurrency"] for point in told["points"]] == [1, 2]
    assert [row["id"] for row in asked(server, "GET", "/api/sweeps")[1]] == [started["id"]]
    lines = [json.loads(line) for line in (place / "audit.jsonl").read_text().splitlines()]
    assert [(line["what"], line["sweep"]) for line in lines] == [
        (what, started["id"]) for what in ("launch", "cancel", "resume")
    ]


REFUSED = (
    ({"content_type": "text/plain"}, 415),
    ({"origin": "http://evil.example"}, 403),
    ({"x_forwarded_for": "127.0.0.1"}, 403),
    ({"host": "evil.example"}, 403),
)


@pytest.mark.long
def test_the_server_refuses_as_the_functions_do(server: str, place: Path) -> None:
    before = listed(place)
    for headers, status in REFUSED:
        found, told = asked(server, "POST", "/api/sweeps", DOTTED, **headers)
        assert (found, set(told)) == (status, {"error"})
    assert asked(server, "POST", "/api/sweeps", b" " * (api.MOST_BYTES + 1))[0] == 413
    status, told = asked(server, "POST", "/api/sweeps", {**DOTTED, "endpoint.url": server})
    assert (status, "this app's own" in told["error"]) == (400, True)
    assert asked(server, "GET", "/api/sweeps/nosuch")[0] == 404
    assert asked(server, "GET", "/api/export/nothing")[0] == 400
    for method, path in (("GET", "/api/nothing"), ("DELETE", "/api/sweeps"), ("POST", "/api/export/bundle")):
        assert asked(server, method, path)[0] == 404
    assert listed(place) == before


def opened(server: str, path: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    """The answer to a link, before it is read."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=60)
    connection.request("GET", path)
    return connection, connection.getresponse()


def writing(server: Server) -> list[psutil.Process]:
    """The processes that write exports for this server, but those that have ended."""
    found = []
    for one in psutil.Process(server.pid).children():
        with suppress(psutil.NoSuchProcess):
            found += [one] if "bench.export.serving.child" in one.cmdline() else []
    return found


@pytest.mark.long
def test_a_link_saves_a_file_and_exports_hold_up_nobody_and_end_when_their_readers_leave(process: Server) -> None:
    link = "/api/export/published-json?model=gemma-4-31b&accelerator=tpu-v6e&x=isl"
    connection, answer = opened(process.url, link)
    assert {row["accelerator"] for row in json.load(answer)} == {"tpu-v6e"}
    assert answer.headers["Content-Disposition"] == 'attachment; filename="kneepoint-published.json"'
    assert answer.headers["Content-Type"] == export.formats()["published-json"].mime
    connection.close()
    readers = [http.client.HTTPConnection(urlsplit(process.url).netloc, timeout=60) for _ in range(2)]
    for reader in readers:
        reader.request("GET", "/api/export/llm-d")
    until(lambda: len(writing(process)) == 2)
    for child in writing(process):
        child.suspend()  # now they never end by themselves
    for _ in range(5):
        other, answer = opened(process.url, "/api/export/llm-d")
        assert (answer.status, answer.headers["Retry-After"]) == (429, str(api.RETRY_AFTER_S))
        other.close()
    assert asked(process.url, "GET", "/healthz")[0] == 200
    for reader in readers:
        reader.close()
    until(lambda: not writing(process))


@pytest.mark.long
def test_a_token_is_in_no_log_and_no_file(tmp_path: Path) -> None:
    library, log = tmp_path / "library", tmp_path / "log"
    library.mkdir()
    token, wrong = "token-Zq81kd-of-the-lab", "token-Yw72jc-of-nobody"
    settings = {"KNEEPOINT_ACCESS": "token", "KNEEPOINT_TOKEN": token, "STREAMLIT_LOGGER_LEVEL": "debug"}
    with serving(Settings()) as url:
        (library / "endpoints.toml").write_text(f'[endpoints.lab]\nbase_url = "{url}"\nmodel = "fake-model"\n')
        plan = {key: value for key, value in DOTTED.items() if not key.startswith("endpoint.")}
        plan["endpoint.name"] = "lab"
        with running(library, log, environment=settings, setup=NOT_WARMED) as process:
            for given, status in ((wrong, 403), (token, 201)):
                found, told = asked(process.url, "POST", "/api/sweeps", plan, authorization=f"Bearer {given}")
                assert found == status, told
            assert status_in(process.url, told["id"], "done", "failed")["state"] == "done"
            assert asked(process.url, "POST", f"/api/sweeps/{told['id']}/resume?token={token}", {})[0] == 403
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"log", "audit.jsonl", "origin.json", "status.json", "journal.jsonl"} <= {path.name for path in files}
    for path in files:
        written = path.read_bytes()
        assert not [word for word in (token, wrong) if word.encode() in written], path
