"""Load over real sockets: how much is under way, when it is sent, how each failure is counted, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest
import uvloop

from bench.endpoint import Settings, running
from bench.endpoint.truth import Truth, read
from bench.errors import UsageError
from bench.records import Load
from bench.sweep.arrivals import times
from bench.sweep.generator.load import run_point
from bench.sweep.wire.exchange import Exchange, Limits, PointRun, PreparedRequest, Target
from tests.endpoint.asking import get
from tests.sweep.hearing import DONE, STREAM_HEAD, chunked, event, usage
from tests.sweep.played import reserved

pytestmark = pytest.mark.long

MS = 1_000_000
OSL = 8
BARE = Limits()
KINDS = ("closed", "open")


def asks(most: int | None = None, times: Iterator[int] | None = None, osl: int = OSL) -> Iterator[PreparedRequest]:
    """Requests for so many tokens, at these times in an open loop."""
    for number in count() if most is None else range(most):
        body = {
            "model": "fake-model",
            "messages": [{"role": "user", "content": f"number {number}"}],
            "max_tokens": osl,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        yield PreparedRequest(number, json.dumps(body).encode(), None, osl, None if times is None else next(times))


def closed(concurrency: int) -> Load:
    return Load("closed", concurrency=concurrency)


def run(url: str, requests: Iterator[PreparedRequest], load: Load, limits: Limits, **more: Any) -> PointRun:
    return uvloop.run(run_point(Target.at(url), requests, load, limits, **more))


def most_at_once(truths: list[Truth]) -> int:
    """The most requests the endpoint had at once."""
    changes = sorted([(truth.received_ns, 1) for truth in truths] + [(truth.end_ns or 0, -1) for truth in truths])
    at_once = most = 0
    for _, change in changes:
        at_once += change
        most = max(most, at_once)
    return most


def test_a_closed_loop_keeps_its_concurrency_and_matches_the_servers_log(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(Settings(ttft_ms=30, itl_ms=5, log=log)) as url:
        point = run(url, asks(40), closed(8), Limits())
    truths = {truth.id: truth for truth in read(log)}
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 40}
    assert point.in_flight == most_at_once(list(truths.values())) == 8
    assert point.connections == 8
    for exchange in point.exchanges:
        truth = truths[exchange.response_id or ""]
        sent = truth.chunks_sent_ns()
        assert exchange.tokens.tolist() == [1] * OSL
        assert (exchange.input_tokens, exchange.output_tokens) == (truth.input_tokens, OSL)
        assert all(mine > theirs for mine, theirs in zip(exchange.stamps_ns, sent, strict=True))
        assert exchange.sent_ns < truth.received_ns
        times = [exchange.sent_ns, exchange.headers_ns, *exchange.stamps_ns, exchange.end_ns]
        assert times == sorted(times)  # type: ignore[type-var]
        assert (exchange.first_ns or 0) - exchange.sent_ns >= 30 * MS
    set_up = [exchange for exchange in point.exchanges if exchange.connect_ns]
    assert len(set_up) == len({exchange.connection for exchange in set_up}) == 8


def test_an_open_loop_sends_on_schedule_however_slow_the_answers() -> None:
    """No answer comes before the last request is sent, and none of the requests waits for one."""
    kept: list[Exchange] = []

    async def all_under_way(url: str) -> None:
        requests, load = asks(60, times("constant", 100, 0)), Load("open", request_rate=100)
        task = asyncio.create_task(run_point(Target.at(url), requests, load, Limits(), on_exchange=kept.append))
        while (
            'running{model_name="fake-model"} 60' not in (await asyncio.to_thread(get, url, "/metrics")).body.decode()
        ):
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with running(Settings(ttft_ms=600_000)) as url:
        uvloop.run(all_under_way(url))
    exchanges = sorted(kept, key=lambda exchange: exchange.number)
    first_ns = exchanges[0].intended_ns or 0
    assert [exchange.intended_ns for exchange in exchanges] == [first_ns + at * 10 * MS for at in range(60)]
    assert all(exchange.sent_ns >= (exchange.intended_ns or 0) for exchange in exchanges)


def test_a_point_ends_by_requests_time_and_tokens() -> None:
    with running(Settings(ttft_ms=2, itl_ms=1)) as url:
        assert len(run(url, asks(), closed(4), Limits(requests=20, warmup_requests=3)).exchanges) == 23
        assert len(run(url, asks(), closed(4), Limits(tokens=10 * OSL + 1)).exchanges) == 10
        point = run(url, asks(), closed(4), Limits(duration_s=0.1))
        assert point.end_ns - point.start_ns >= 100 * MS
        assert {exchange.outcome for exchange in point.exchanges} == {"ok"}
        enough: list[Exchange] = []
        run(url, asks(), closed(2), Limits(), on_exchange=enough.append, enough=lambda _: len(enough) > 5)
        assert len(enough) > 5


def test_what_outlasts_the_drain_is_cancelled() -> None:
    with running(Settings(ttft_ms=5, itl_ms=10_000)) as url:
        point = run(url, asks(osl=100), closed(3), Limits(duration_s=0.2, drain_s=0.1))
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"cancelled": 3}


def test_a_cancelled_point_keeps_what_was_under_way() -> None:
    kept: list[Exchange] = []

    async def cancelled(url: str) -> None:
        begun = asyncio.Event()

        def look(is_answered: bool) -> bool:
            if is_answered:
                begun.set()
            return False

        task = asyncio.create_task(
            run_point(Target.at(url), asks(osl=100_000), closed(4), Limits(), on_exchange=kept.append, enough=look)
        )
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with running(Settings(ttft_ms=10, itl_ms=1)) as url:
        uvloop.run(cancelled(url))
    assert Counter(exchange.outcome for exchange in kept) == {"cancelled": 4}
    assert any(len(exchange.stamps_ns) > 1 for exchange in kept)


HARD = {
    **dict.fromkeys(("reset", "cut", "error_event"), "broken_stream"),
    **dict.fromkeys(("500", "503"), "http_5xx"),
    **dict.fromkeys(("html", "gzip"), "not_a_stream"),
    "429": "http_429",
    "redirect": "redirected",
    "error_body": "error_body",
    "malformed": "malformed",
    "stall": "stalled",
    "slow_headers": "timeout",
    **dict.fromkeys(("endless_line", "endless_stream"), "too_large"),
}


@pytest.mark.parametrize("load", [closed(16), Load("open", request_rate=400)], ids=["closed", "open"])
def test_98_failures_of_all_kinds_are_98_requests_that_failed_each_once_and_with_its_time(load: Load) -> None:
    """Six or seven of each kind among 400 requests, none sent again. Stalls and slow headers take their limits."""
    kinds = [kind for kind, _ in zip(cycle(HARD), range(98), strict=False)]
    settings = Settings(
        ttft_ms=2,
        itl_ms=1,
        fail_at={4 * place + 1: kind for place, kind in enumerate(kinds)},
        stall_s=600,
        slow_headers_s=600,
        retry_after_s=0,
    )
    sent = None if load.load_kind == "closed" else times("constant", 400, 0)
    with running(settings) as url:
        point = run(url, asks(400, sent), load, Limits(stall_s=0.5, timeout_s=2.0))
    assert len({exchange.number for exchange in point.exchanges}) == len(point.exchanges) == 400
    failed = [exchange for exchange in point.exchanges if exchange.outcome != "ok"]
    assert Counter(exchange.outcome for exchange in failed) == Counter(HARD[kind] for kind in kinds)
    assert all(exchange.end_ns > exchange.sent_ns and exchange.error for exchange in failed)


def test_long_streams_stay_out_of_memory_once_they_are_read() -> None:
    """Their text is gone when an exchange is handed on: 12 bytes a token stay, and what an array keeps in reserve."""
    with running(Settings(ttft_ms=0, itl_ms=0)) as url:
        point = run(url, asks(4, osl=5_000), closed(4), Limits())
    for exchange in point.exchanges:
        assert (exchange.outcome, sum(exchange.tokens)) == ("ok", 5_000)
        assert exchange.stamps_ns.__sizeof__() + exchange.tokens.__sizeof__() < 5_000 * 15


@pytest.mark.parametrize("frozen", [False, True])
def test_the_garbage_collector_rests_during_the_load_alone(frozen: bool) -> None:
    seen: list[tuple[bool, bool]] = []

    def heard(_: Exchange) -> None:
        seen.append((gc.isenabled(), gc.get_freeze_count() > 0))

    gc.unfreeze()
    try:
        if frozen:
            gc.freeze()
        with running(Settings(ttft_ms=1, itl_ms=0)) as url:
            run(url, asks(2), closed(1), Limits(), on_exchange=heard)
        assert seen == [(False, True), (False, True)]
        assert gc.isenabled()
        assert (gc.get_freeze_count() > 0) is frozen
    finally:
        gc.freeze()


def test_a_fault_of_the_caller_ends_the_point() -> None:
    def full(_: Exchange) -> None:
        raise OSError(28, "No space left on device")

    def broken() -> Iterator[PreparedRequest]:
        yield from asks(3)
        raise UsageError("the prompts have ended")

    with running(Settings(ttft_ms=1, itl_ms=0)) as url:
        with pytest.raises(OSError, match="No space left"):
            run(url, asks(50), closed(2), Limits(), on_exchange=full)
        with pytest.raises(UsageError, match="prompts have ended"):
            run(url, broken(), closed(2), Limits())
        with pytest.raises(UsageError, match="no time"):
            run(url, asks(3), Load("open", request_rate=5), Limits())
        with pytest.raises(UsageError, match="concurrency"):
            run(url, asks(3), Load("closed"), Limits())


def test_the_loop_reports_how_late_it_was() -> None:
    """A caller that holds the loop for 30 ms is seen in the samples of every 10 ms."""
    with running(Settings(ttft_ms=5, itl_ms=5)) as url:
        point = run(url, asks(20), closed(2), Limits(), on_exchange=lambda _: time.sleep(0.03))
    assert len(point.lag_ns) > 20
    assert sorted(point.lag_ns)[-1] > 15 * MS
    assert min(point.lag_ns) >= 0


def test_the_start_can_be_set_so_that_processes_start_together() -> None:
    with running(Settings(ttft_ms=1, itl_ms=0)) as url:
        start = time.monotonic_ns() + 300 * MS
        point = run(url, asks(4), closed(2), Limits(), start_ns=start)
    assert point.start_ns == start
    assert min(exchange.sent_ns for exchange in point.exchanges) >= start


Answering = Callable[[socket.socket, int], None]


def answered_by(
    answering: Answering, load: Load, count: int, every_ns: int = 0, limits: Limits = BARE, dead: int | None = None
) -> PointRun:
    """The point of so many requests that a server makes which answers each in one step: the client sees all or nothing.

    A request's body is its number; in an open loop they come `every_ns`. With a `dead` port, where nobody listens, each
    fourth goes there.
    """

    async def one(connection: socket.socket) -> None:
        with connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            while connection.fileno() >= 0 and (head := await loop.sock_recv(connection, 65_536)):
                answering(connection, int(head.rpartition(b"\r\n\r\n")[2]))

    async def serve(server: socket.socket) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                connection, _ = await asyncio.get_running_loop().sock_accept(server)
                tasks.create_task(one(connection))

    async def both(server: socket.socket) -> PointRun:
        serving = asyncio.create_task(serve(server))
        own = server.getsockname()[1]
        first, *others = (Target.at(f"http://127.0.0.1:{port}") for port in ([own] * 3 + [dead] if dead else [own]))
        asks = (
            PreparedRequest(number, str(number).encode(), None, 2, every_ns * number if every_ns else None)
            for number in range(count)
        )
        point = await run_point(replace(first, others=tuple(others)), asks, load, limits)
        serving.cancel()
        return point

    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        server.setblocking(False)
        return uvloop.run(both(server))


CHUNKED = STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n"
WHOLE = CHUNKED + chunked(event({"content": "one"}) + event({"content": "two"}, "stop") + usage(3, 2) + DONE)
A_CHUNK = CHUNKED + chunked(event({"content": "one"}))[:-5]
CUT = {
    "closed before any header": (b"", False, "broken_stream"),
    "reset before any header": (b"", True, "broken_stream"),
    "closed within the headers": (STREAM_HEAD[:20], False, "broken_stream"),
    "reset within the headers": (STREAM_HEAD[:20], True, "broken_stream"),
    "closed within the stream": (A_CHUNK, False, "broken_stream"),
    "reset within the stream": (A_CHUNK, True, "broken_stream"),
    "closed within a body of known length": (STREAM_HEAD + b"content-length: 999\r\n\r\n{", False, "broken_stream"),
    "an answer that ends half-way": (A_CHUNK + b"0\r\n\r\n", False, "broken_stream"),
    "a chunk of no length": (CHUNKED + b"none\r\n", False, "malformed"),
    "502": (b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", False, "http_5xx"),
}
"""What is sent before the connection goes, whether it goes by a reset, and what that is."""


@pytest.mark.parametrize(("load", "every_ns"), [(closed(8), 0), (Load("open", request_rate=1000), MS)], ids=KINDS)
def test_98_connections_that_go_are_98_requests_that_failed_each_once_and_with_its_time(
    load: Load, every_ns: int
) -> None:
    """Of 196 requests a quarter goes where nobody listens, and another is cut off in each way a connection can go."""
    ways, got = cycle(CUT), list[int]()
    went: dict[int, tuple[str, int, int]] = {}

    def answering(connection: socket.socket, number: int) -> None:
        received = time.monotonic_ns()
        got.append(number)
        if number % 4 != 1:
            connection.send(WHOLE)
            return
        way = next(ways)
        said, is_reset, _ = CUT[way]
        connection.send(said)
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        went[number] = (way, received, time.monotonic_ns())
        connection.close()

    with reserved() as dead:
        point = answered_by(answering, load, 196, every_ns, dead=dead)
    assert sorted(got) == [number for number in range(196) if number % 4 != 3]
    seen = {exchange.number: exchange for exchange in point.exchanges}
    assert len(seen) == len(point.exchanges) == 196
    outcomes = {number: exchange.outcome for number, exchange in seen.items() if exchange.outcome != "ok"}
    refused = dict.fromkeys(range(3, 196, 4), "connect")
    assert outcomes == {number: CUT[way][2] for number, (way, *_) in went.items()} | refused
    assert (len(went), len(refused)) == (49, 49)
    assert all(seen[number].error for number in outcomes)
    assert all(seen[number].sent_ns < at and seen[number].end_ns > gone for number, (_, at, gone) in went.items())
    assert all(seen[number].end_ns > seen[number].sent_ns >= (seen[number].intended_ns or 0) for number in refused)


@pytest.mark.parametrize("every_ns", [0, MS], ids=KINDS)
def test_a_connection_that_hangs_is_a_failure_that_took_as_long_as_it_was_waited_for(every_ns: int) -> None:
    """Half of that at least is asked for: a timer may be early by as much as the loop was late before it."""
    load = Load("open", request_rate=1000) if every_ns else closed(3)
    asked = (PreparedRequest(number, b"{}", None, 2, every_ns * number if every_ns else None) for number in range(3))
    with ExitStack() as opened:
        full = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):  # what fills the queue of those that nobody has accepted
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        point = run(f"http://127.0.0.1:{full.getsockname()[1]}", asked, load, Limits(connect_s=0.1))
    assert [exchange.outcome for exchange in point.exchanges] == ["connect"] * 3
    assert all(exchange.end_ns - exchange.sent_ns > 50 * MS for exchange in point.exchanges)


def test_a_request_whose_kept_connection_was_closed_before_it_goes_once_on_another_and_is_counted() -> None:
    """The endpoint keeps each connection for one answer and does not say so: its end is there with the answer's."""
    got: list[int] = []

    def answering(connection: socket.socket, number: int) -> None:
        got.append(number)
        connection.send(WHOLE)
        connection.close()

    point = answered_by(answering, closed(1), 6)
    assert Counter(exchange.outcome for exchange in point.exchanges) == {"ok": 6}
    assert got == list(range(6))
    assert (point.resent, len({exchange.connection for exchange in point.exchanges})) == (5, 6)
