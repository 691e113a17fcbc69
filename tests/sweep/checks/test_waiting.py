"""A model that still loads is waited for up to a limit, and all that is waited for keeps within the cap on minutes."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.sweep.checks import waiting
from bench.sweep.checks.preflight import preflight
from bench.sweep.folder import Folder
from bench.sweep.pauses import Pauses
from bench.sweep.planning.plan import Plan
from bench.sweep.session.runner import run
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import RequestApi, Target
from tests.sweep.played import Played, playing, reserved

STATED = {
    "endpoint.model": "fake-model",
    "workloads.isl": "8",
    "workloads.osl": "4",
    "loads.concurrency": "1",
    "point.requests": "4",
    "point.warmup_requests": "1",
    "seed": "7",
}


def swept(place: Path, url: str, seen: Callable[[str], object] = str, **more: str) -> tuple[Folder, str, str]:
    """The sweep of a plan in this process, its state and why; `seen` gets the reasons its status gave meanwhile."""
    plan = Plan.from_fields(
        {**STATED, "endpoint.url": url, **{key.replace("__", "."): text for key, text in more.items()}}
    )
    folder = Folder.create(place, plan)

    def watch(status) -> None:
        if status.get("reason"):
            seen(status["reason"])

    ended = run(folder, watch, pauses=Pauses(model_s=0.02))
    return folder, ended.state, ended.reason


def test_a_model_that_loads_is_waited_for(tmp_path: Path) -> None:
    told: list[str] = []
    with playing(Played(loading=[503, 503, "another-model", "another-model"])) as played:
        folder, state, reason = swept(tmp_path, played.url, told.append, endpoint__wait_s="600")
    assert state == "done", reason
    assert len(folder.read.points) == 1
    waits = [one for one in told if one.startswith("waiting for the model to load, ")]
    assert len(waits) == 4
    assert waits[0].endswith(" s of 10 min")


@pytest.mark.parametrize("status", [500, 502])
def test_a_gateway_whose_engine_does_not_answer_yet_is_waited_for(status: int, tmp_path: Path) -> None:
    told: list[str] = []
    with playing(Played(loading=[status, status])) as played:
        _, state, reason = swept(tmp_path, played.url, told.append, endpoint__wait_s="60")
    assert state == "done", reason
    assert len([one for one in told if one.startswith("waiting for the model to load, ")]) == 2


@pytest.mark.parametrize("status", [500, 503])
def test_an_engine_that_lists_its_model_and_answers_nothing_yet_is_waited_for(status: int, tmp_path: Path) -> None:
    told: list[str] = []
    with running(Settings(ttft_ms=2, itl_ms=1, fail_at={number: str(status) for number in range(3)})) as url:
        _, state, reason = swept(tmp_path, url, told.append, endpoint__wait_s="60")
    assert state == "done", reason
    assert len([one for one in told if one.startswith("waiting for the model to load, ")]) == 3


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_what_a_model_is_tried_with_is_a_request_as_any_other(api: RequestApi) -> None:
    with running(Settings(ttft_ms=1, itl_ms=1)) as url:
        assert waiting.serves(Target.at(url, api=api), "fake-model", time.monotonic() + 60)


def test_an_endpoint_that_does_not_listen_yet_is_waited_for(tmp_path: Path) -> None:
    with ExitStack() as open_until_the_end:
        port = open_until_the_end.enter_context(reserved())

        def listen(reason: str) -> None:
            if "waiting" in reason and not begun:
                begun.append(open_until_the_end.enter_context(playing(port=port)))

        begun: list[Played] = []
        _, state, reason = swept(tmp_path, f"http://127.0.0.1:{port}", listen, endpoint__wait_s="60")
    assert begun
    assert state == "done", reason


def test_without_a_limit_nothing_is_waited_for_and_after_it_the_usual_sentence_comes(tmp_path: Path) -> None:
    told: list[str] = []
    with playing(Played(loading=["another-model"] * 10_000)) as played:
        _, state, at_once = swept(tmp_path / "a", played.url, told.append)
        assert not [one for one in told if "waiting" in one]
        _, _, later = swept(tmp_path / "b", played.url, endpoint__wait_s="0.2")
    assert state == "failed"
    assert later == at_once
    assert "fake-model" in later


def test_a_sweep_that_waits_can_be_cancelled(tmp_path: Path) -> None:
    plan = Plan.from_fields({**STATED, "endpoint.url": "http://127.0.0.1:9", "endpoint.wait_s": "600"})
    folder = Folder.create(tmp_path, plan)

    def watch(status) -> None:
        if "waiting" in (status.get("reason") or ""):
            folder.cancel.touch()

    assert run(folder, watch).state == "cancelled"


@contextmanager
def slow(speaks: bytes = b"", every_s: float = 0.1) -> Iterator[str]:
    """The URL of an endpoint that lists its model and then never ends an answer, or says the same again and again."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = b'{"data": [{"id": "fake-model"}]}' if self.path == "/v1/models" else b"{}"
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

        def do_POST(self) -> None:
            with contextlib.suppress(OSError):
                while not over.wait(every_s):
                    self.wfile.write(speaks)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("speaks", "every_s"),
    [(b"", 0.1), (b"HTTP/1.1 100 Continue\r\n\r\n", 0.05), (b"HTTP/1.1 200 OK\r\nx: y\r\n", 0.9)],
    ids=["silent", "announcing", "half a head"],
)
def test_all_checks_are_over_when_the_cap_on_minutes_is(speaks: bytes, every_s: float, tmp_path: Path) -> None:
    begun = time.monotonic()
    with slow(speaks, every_s) as url:
        _, state, reason = swept(tmp_path, url, caps__minutes="0.02")
    assert time.monotonic() - begun > 1.0
    assert state == "failed"
    assert "caps.minutes" in reason


def test_heads_that_announce_an_answer_without_end_are_none() -> None:
    with slow(b"HTTP/1.1 100 Continue\r\n\r\n" * 4000, 0.001) as url:
        problem = preflight(Target.at(url), RequestStyle("fake-model"), first_s=60).problem
    assert problem is not None
    assert "too_large: the answer is nothing but heads" in problem
    with slow(b"HTTP/1.1 102 Processing\r\n\r\n", 0.05) as url:
        problem = preflight(Target.at(url), RequestStyle("fake-model"), first_s=0.5).problem
    assert problem is not None
    assert "the answer had not ended after 0.5 s" in problem


def test_a_wait_keeps_within_the_cap_on_minutes(tmp_path: Path) -> None:
    _, state, reason = swept(tmp_path, "http://127.0.0.1:9", endpoint__wait_s="600", caps__minutes="0.01")
    assert state == "failed"
    assert reason
