"""Each failure is seen by a client as what it is called, and a good request beside it does not notice."""

from __future__ import annotations

import json
import re
import socket
import zlib
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from statistics import median

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import Settings, failures, running, truth
from tests.endpoint.asking import PATIENCE, Reply, chat, many, post, posted, run

pytestmark = pytest.mark.long

QUICK = {"ttft_ms": 1.0, "itl_ms": 0.2}
MEBIBYTE = 1 << 20


def failing(kind: str, log: Path | None = None, **more: object) -> Settings:
    return Settings(**QUICK, fail_at={0: kind}, log=log, **more)


def first_bytes(url: str, most: int, body: object = None) -> tuple[Reply, bytes]:
    """Status and headers, and `most` bytes of a body that need not end, as they come over the wire."""

    async def once() -> tuple[Reply, bytes]:
        async with (
            aiohttp.ClientSession(timeout=PATIENCE, auto_decompress=False) as session,
            session.post(url + "/v1/chat/completions", json=body or chat()) as response,
        ):
            received = b""
            while len(received) < most and (data := await response.content.readany()):
                received += data
            return Reply(response.status, dict(response.headers), b""), received

    return run(once())


def outcome(log: Path) -> truth.Truth:
    found = [entry for entry in truth.read(log) if entry.failure]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("kind", ["refused", "reset"])
def test_a_connection_is_reset_before_any_answer(kind: str, tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing(kind, log)) as url:
        with pytest.raises((aiohttp.ClientOSError, aiohttp.ServerDisconnectedError)):
            post(url, chat())
        assert post(url, chat()).status == 200
    assert (outcome(log).failure, outcome(log).status) == (kind, None)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_status_comes_with_the_engines_error(status: int) -> None:
    with running(failing(str(status), retry_after_s=7)) as url:
        reply = post(url, chat())
        assert post(url, chat()).status == 200
    assert reply.status == status
    assert reply.json["error"]["code"] == status
    assert reply.headers.get("Retry-After") == ("7" if status == 429 else None)


def test_a_redirect_leads_to_an_answer_that_an_obedient_client_would_count() -> None:
    with running(failing("redirect")) as url:
        reply = post(url, chat())
        followed = post(url, chat(), reply.headers["Location"])
    assert (reply.status, reply.body) == (307, b"")
    assert followed.status == 200


def test_html_and_an_error_come_with_200() -> None:
    with running(Settings(**QUICK, fail_at={0: "html", 1: "error_body"})) as url:
        page, error = post(url, chat()), post(url, chat())
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert page.body.startswith(b"<!doctype html>")
    assert (error.status, error.headers["Content-Type"]) == (200, "application/json")
    assert "error" in error.json


def test_a_cut_stream_ends_half_way_without_its_last_chunk(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing("cut", log)) as url, pytest.raises(aiohttp.ClientPayloadError):
        post(url, chat())
    assert (outcome(log).ended, outcome(log).output_tokens, outcome(log).output_asked) == ("failed", 4, 8)


def test_a_cut_document_is_shorter_than_promised() -> None:
    with running(failing("cut")) as url, pytest.raises(aiohttp.ClientPayloadError):
        post(url, chat(stream=False))


def test_a_malformed_chunk_is_no_json_and_the_stream_goes_on() -> None:
    with running(failing("malformed")) as url:
        data = post(url, chat()).data
    broken = []
    for place, text in enumerate(data[:-1]):
        try:
            json.loads(text)
        except json.JSONDecodeError:
            broken.append(place)
    assert broken == [5]  # after the role and four tokens
    assert len(data) == 1 + 8 + 1 + 1


def test_a_malformed_document_is_no_json() -> None:
    with running(failing("malformed")) as url, pytest.raises(json.JSONDecodeError):
        _ = post(url, chat(stream=False)).json


@pytest.mark.parametrize("stream", [True, False])
def test_an_error_may_come_instead_of_the_rest(stream: bool) -> None:
    with running(failing("error_event")) as url:
        reply = post(url, chat(stream=stream))
    assert reply.status == 200
    if stream:
        assert "error" in json.loads(reply.data[-2])
        assert len(reply.data) == 1 + 4 + 1 + 1
    else:
        assert "error" in reply.json


@pytest.mark.parametrize("batch", [{}, {"step_ms": 1.0}])
def test_a_stall_is_silence_half_way_and_then_the_rest(batch: dict[str, float], tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing("stall", log, stall_s=0.3, **batch)) as url:
        reply = post(url, chat())
    assert sum(bool(delta["content"]) for delta in reply.deltas) == 8
    sent = outcome(log).chunks_sent_ns()
    gaps = [later - earlier for earlier, later in pairwise(sent)]
    assert gaps.index(max(gaps)) == 3
    assert max(gaps) >= 0.29e9


def test_slow_headers_take_their_time_and_the_answer_is_good(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing("slow_headers", log, slow_headers_s=0.3)) as url:
        reply = post(url, chat())
        document = post(url, chat(stream=False))
    assert reply.data[-1] == "[DONE]"
    assert document.json["usage"]["completion_tokens"] == 8
    slow = outcome(log)
    assert slow.sent_ns[0] - slow.received_ns >= 0.29e9


def test_what_is_still_failing_at_the_end_is_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    body = json.dumps(chat()).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body
    with ExitStack() as clients:
        with running(Settings(fail_at={0: "endless_line", 1: "slow_headers"}, log=log)) as url:
            for _ in range(2):
                address = ("127.0.0.1", int(url.rpartition(":")[2]))
                client = clients.enter_context(socket.create_connection(address, timeout=10))
                client.sendall(request)
                assert client.recv(1) == b"H"
        ended = {entry.failure: entry.ended for entry in truth.read(log)}
    assert ended == {"endless_line": "failed", "slow_headers": "open"}


def test_a_slow_document_is_a_good_one() -> None:
    with running(failing("slow_headers", slow_headers_s=0.1)) as url:
        assert post(url, chat(stream=False)).json["usage"]["completion_tokens"] == 8


def test_headers_without_end_are_more_than_a_client_takes(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing("huge_headers", log)) as url, pytest.raises((aiohttp.ClientError, ValueError)):
        post(url, chat())
    assert outcome(log).failure == "huge_headers"


def test_a_line_without_end_has_no_line_break() -> None:
    with running(failing("endless_line")) as url:
        reply, received = first_bytes(url, 3 * MEBIBYTE)
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert len(received) >= 3 * MEBIBYTE
    assert b"\n" not in received


def test_a_stream_without_end_gives_more_tokens_than_asked() -> None:
    with running(failing("endless_stream")) as url:
        _reply, received = first_bytes(url, MEBIBYTE)
    texts = re.findall(rb'"content": "( more)"', received)
    assert len(texts) > 1000
    assert b"[DONE]" not in received


def test_the_compressed_body_unpacks_to_a_thousand_times_its_size() -> None:
    with running(failing("gzip")) as url:
        reply, received = first_bytes(url, 20_000)
    assert reply.headers["Content-Encoding"] == "gzip"
    unpacked = zlib.decompressobj(31).decompress(received[:20_000])
    assert len(unpacked) > 500 * 20_000
    assert not unpacked.strip()


def test_shares_are_kept_and_the_log_names_every_failure(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    settings = Settings(ttft_ms=1, itl_ms=0, fail={"500": 0.2, "429": 0.1}, log=log)
    with running(settings) as url:
        statuses = [reply.status for reply in many(url, [chat(max_tokens=1)] * 200)]
    # 200 draws: 40 +- 5.7 and 20 +- 4.2 expected
    assert 20 <= statuses.count(500) <= 60
    assert 6 <= statuses.count(429) <= 40
    logged = truth.read(log)
    assert len(logged) == 200
    assert sum(entry.failure == "500" for entry in logged) == statuses.count(500)
    assert {entry.number for entry in logged} == set(range(200))


@pytest.mark.timed
def test_good_requests_keep_their_times_beside_floods(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    settings = Settings(ttft_ms=20, itl_ms=5, fail_at={0: "endless_line", 1: "gzip"}, log=log)

    async def beside(url: str) -> list[Reply]:
        async with aiohttp.ClientSession(timeout=PATIENCE, auto_decompress=False) as session:
            floods = [await session.post(url + "/v1/chat/completions", json=chat()) for _ in range(2)]
            good = [await posted(session, url, chat()) for _ in range(3)]
            for flood in floods:
                flood.close()
            return good

    with running(settings) as server:
        good = run(beside(server))
    assert all(reply.data[-1] == "[DONE]" for reply in good)
    well = [entry for entry in truth.read(log) if entry.failure is None]
    late_ns = [sent - due for entry in well for sent, due in zip(entry.sent_ns, entry.due_ns, strict=True)]
    assert median(late_ns) < 20e6


@given(st.integers(0, 10_000), st.integers(0, 500), st.floats(0, 0.5), st.floats(0, 0.5))
def test_the_same_seed_fails_the_same_requests(seed: int, number: int, one: float, other: float) -> None:
    fail = {"500": one, "stall": other}
    first = failures.chosen(fail, {}, seed, number)
    assert first == failures.chosen(fail, {}, seed, number)
    assert first in ("500", "stall", None)
    assert failures.chosen(fail, {number: "cut"}, seed, number) == "cut"
