"""Connections: TLS and its refusals, a request on the wire, hanging up, and an alarm that is on time."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.records import Load
from bench.sweep.generator import load
from bench.sweep.generator.alarm import Alarm
from bench.sweep.generator.load import run_point
from bench.sweep.wire.client import Client, Idle
from bench.sweep.wire.exchange import Limits, PointRun, PreparedRequest, Target
from tests.sweep.hearing import DONE, STREAM_HEAD, chunked, event, usage

ANSWER = event({"content": "one"}) + event({"content": "two"}, "stop") + usage(3, 2) + DONE
MS = 1_000_000

Answering = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


def answered(
    answering: Answering,
    requests: int = 6,
    concurrency: int = 2,
    secure: ssl.SSLContext | None = None,
    target: Callable[[str], Target] = Target.at,
    limits: Limits | None = None,
    body: bytes = b"{}",
) -> tuple[PointRun, list[bytes]]:
    """The point that a server makes which answers its n-th request so, and the requests it got."""
    got: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
                got.append(head + await reader.readexactly(length))
                await answering(len(got) - 1, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            writer.close()

    async def both() -> PointRun:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=secure)
        port = server.sockets[0].getsockname()[1]
        asks = (PreparedRequest(number, body, None, 2) for number in range(requests))
        url = f"{'https' if secure else 'http'}://127.0.0.1:{port}"
        point = await run_point(target(url), asks, Load("closed", concurrency=concurrency), limits or Limits())
        server.close()
        await asyncio.sleep(0.05)
        return point

    return uvloop.run(both()), got


async def well(_: int, writer: asyncio.StreamWriter) -> None:
    writer.write(STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(ANSWER))


def test_a_request_on_the_wire_is_what_http_asks_for() -> None:
    point, got = answered(
        well, requests=1, target=lambda url: Target.at(f"{url}/v1/", headers={"Authorization": "Bearer key-of-mine"})
    )
    head, _, body = got[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    assert first == "POST /v1/chat/completions HTTP/1.1"
    assert fields["host"].startswith("127.0.0.1:")
    assert fields["authorization"] == "Bearer key-of-mine"
    assert (fields["content-length"], body) == ("2", b"{}")
    assert (fields["accept"], fields["accept-encoding"]) == ("text/event-stream", "identity")
    assert point.exchanges[0].outcome == "ok"


def test_a_target_keeps_its_key_to_itself_and_refuses_what_no_header_holds() -> None:
    target = Target.at("http://127.0.0.1:8000", headers={"authorization": "Bearer key-of-mine"})
    assert "key-of-mine" not in repr(target)
    with pytest.raises(UsageError, match="no HTTP header"):
        Target.at("http://127.0.0.1", headers={"x": "a\r\nhost: elsewhere"})
    with pytest.raises(UsageError, match="no endpoint"):
        Target.at("ftp://127.0.0.1")
    assert Target.at("http://h/openai/v1", api="completions").path == "/openai/v1/completions"
    assert (Target.at("https://h").port, Target.at("http://h").port) == (443, 80)


def test_a_server_that_hangs_up_behind_each_answer_is_asked_on_new_connections() -> None:
    async def once(_: int, writer: asyncio.StreamWriter) -> None:
        writer.write(STREAM_HEAD + b"connection: close\r\n\r\n" + ANSWER)
        await writer.drain()
        writer.close()

    point, got = answered(once, requests=10)
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 10}
    assert len(got) == point.connections == 10
    assert len({exchange.connection for exchange in point.exchanges}) == 10
    assert all(exchange.connect_ns for exchange in point.exchanges)


def test_a_request_that_meets_a_silent_close_is_written_once_and_fails() -> None:
    """After three of these no connection is kept any more."""
    known: set[asyncio.StreamWriter] = set()

    async def one_answer(number: int, writer: asyncio.StreamWriter) -> None:
        if writer in known:
            writer.close()
        else:
            known.add(writer)
            await well(number, writer)

    point, got = answered(one_answer, requests=10, concurrency=1)
    assert [exchange.outcome for exchange in point.exchanges] == ["ok", "broken_stream"] * 3 + ["ok"] * 4
    assert (point.resent, point.connections, len(got)) == (0, 7, 10)


def test_a_kept_connection_that_the_endpoint_has_closed_is_passed_over_and_counted_once_a_request() -> None:
    """As an open loop finds it when the next request is due. One that was opened ahead was never kept."""
    idle = Idle(1)
    for used, is_open in ((True, True), (True, False), (True, False), (False, False)):
        idle.append(SimpleNamespace(base=0, open=is_open, used=used))
    found = idle.pop(0)
    assert found is not None
    assert (found.open, idle.gone) == (True, 1)
    idle.append(SimpleNamespace(base=0, open=False, used=False))
    assert (idle.pop(0), idle.pop(0), idle.gone) == (None, None, 1)
    idle.append(SimpleNamespace(base=0, open=False, used=True))
    assert (idle.pop(0), idle.gone) == (None, 2)


def test_an_open_loop_takes_no_used_connection_where_none_is_kept() -> None:
    """Two used ones idle: without the one that was last free, the other is not taken either."""
    client = Client(Target.at("http://127.0.0.1:9"), Limits(), lambda *_: None, lambda *_: None)
    ask = PreparedRequest(0, b"{}", None, 2)
    used, fresh = (SimpleNamespace(base=0, open=True, used=one, close=lambda: None) for one in (True, False))
    client.idle.append(used)
    assert client.suited(None, ask) is used
    for _ in range(3):
        client.heard(SimpleNamespace(reused=True, head=None, outcome="broken_stream"))
    client.idle.append(fresh)
    client.idle.append(used)
    assert client.suited(None, ask) is fresh
    assert client.suited(None, ask) is None


def test_a_connection_that_is_reset_at_once_is_a_request_that_could_not_connect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a busy machine the reset may take longer than the pause before the load, so that is longer here."""
    monkeypatch.setattr(load, "SETTLE_S", 0.3)
    accepted = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal accepted
        accepted += 1
        if accepted == 1:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return
        while await reader.read(1 << 16):
            await well(0, writer)
        writer.close()

    async def both() -> PointRun:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        target = Target.at(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        asks = (PreparedRequest(number, b"{}", None, 2) for number in range(4))
        point = await run_point(target, asks, Load("closed", concurrency=2), Limits())
        server.close()
        await asyncio.sleep(0.05)
        return point

    point = uvloop.run(both())
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 3, "connect": 1}
    assert point.resent == 0


def test_bytes_behind_an_answer_cost_the_connection_only() -> None:
    async def more(_: int, writer: asyncio.StreamWriter) -> None:
        behind = b"HTTP/1.1 200 OK\r\n\r\nmore"
        writer.write(STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(ANSWER) + behind)

    point, _ = answered(more)
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 6}


def test_a_role_long_before_the_first_token_is_no_stall() -> None:
    """Silence counts as a stall between tokens only; a long queue before the first is the endpoint's own time."""

    async def queued(_: int, writer: asyncio.StreamWriter) -> None:
        role = event({"role": "assistant", "content": ""})
        writer.write(STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(role), role))
        await asyncio.sleep(0.3)
        writer.write(chunked(ANSWER))

    point, _ = answered(queued, requests=2, limits=Limits(stall_s=0.1))
    assert [exchange.outcome for exchange in point.exchanges] == ["ok", "ok"]
    assert all((exchange.first_ns or 0) - (exchange.headers_ns or 0) > 250 * MS for exchange in point.exchanges)


def test_tls_is_spoken_and_checked(certificate: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    point, got = answered(well, secure=server, target=lambda url: Target.at(url, ca_file=str(certificate)))
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 6}
    assert len(got) == 6
    assert all(exchange.tokens.tolist() == [1, 1] for exchange in point.exchanges)
    point, got = answered(well, requests=1, secure=server)
    assert [exchange.outcome for exchange in point.exchanges] == ["connect"]
    assert "self-signed" in point.exchanges[0].error
    assert got == []


def test_a_request_larger_than_the_sockets_buffers_arrives_whole() -> None:
    body = json.dumps({"prompt": "word " * 500_000}).encode()
    point, got = answered(well, requests=2, body=body)
    assert [request.partition(b"\r\n\r\n")[2] == body for request in got] == [True, True]
    assert [exchange.outcome for exchange in point.exchanges] == ["ok", "ok"]


@given(st.lists(st.integers(0, 8 * MS), min_size=1, max_size=6))
def test_an_alarm_never_rings_early(delays: list[int]) -> None:
    async def rings() -> list[int]:
        rung: list[int] = []
        done = asyncio.Event()

        def ring() -> None:
            rung.append(time.monotonic_ns() - due[len(rung)])
            if len(rung) == len(due):
                done.set()
            else:
                alarm.set(due[len(rung)])

        start = time.monotonic_ns()
        due = [start + delay for delay in sorted(delays)]
        alarm = Alarm(ring)
        alarm.set(due[0])
        await done.wait()
        alarm.close()
        return rung

    assert min(uvloop.run(rings())) >= 0


def test_a_later_setting_of_an_alarm_replaces_the_earlier_one() -> None:
    async def rings() -> list[int]:
        rung: list[int] = []
        alarm = Alarm(lambda: rung.append(1))
        for after_ms in (20, 60_000):
            alarm.set(time.monotonic_ns() + after_ms * MS)
        await asyncio.sleep(0.1)
        alarm.close()
        return rung

    assert uvloop.run(rings()) == []
