"""Streams as others send them: each token counted, and stamped as the log of whoever wrote it says."""

from __future__ import annotations

import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.records import Load
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Exchange, Limits, Target
from tests.endpoint.loading import WORDS, asks, loaded
from tests.endpoint.odd import WHOLE, Failing, Odd, Servers, Wrote, serving

pytestmark = pytest.mark.long

REQUESTS, CONCURRENCY, OSL, ITL_MS = 10, 1, 10, 5.0
CLOSE_MS = 1.5

ODD = {
    "HTTP/1.0": Odd(http="1.0"),
    "closes after each answer": Odd(keep_alive=False),
    "CRLF": Odd(line_end="\r\n"),
    "LF": Odd(line_end="\n"),
    "CR": Odd(line_end="\r"),
    "comments": Odd(comments=True),
    "multi-line data": Odd(data_lines=True),
    "split writes": Odd(splits=3),
    "usage at the end": Odd(usage="end"),
    "usage in every chunk": Odd(usage="every"),
    "reasoning_content": Odd(channel="reasoning_content"),
    "tool_calls": Odd(channel="tool_calls", finish="tool_calls"),
    "no [DONE]": Odd(done=False),
    "TLS": Odd(tls=True),
    "proxy buffering on": Odd(hold_bytes=1024, headers={"server": "nginx/1.27.4"}),
    "proxy buffering on, answer below the buffer": Odd(hold_bytes=WHOLE, headers={"server": "nginx/1.27.4"}),
    "proxy buffering off": Odd(headers={"server": "envoy", "x-envoy-upstream-service-time": "3"}),
    "gzip": Odd(gzip=True, headers={"server": "nginx/1.27.4"}),
    "limiter": Odd(rate_per_s=5, burst=3, turns_away=Failing(429)),
}


def off_ms(exchanges: list[Exchange], log: dict[str, Wrote]) -> tuple[float, float]:
    """How far TTFT and TPOT are from the log's own: the difference that a quarter of the answers do not exceed.

    On a busy machine the half of them waits for a processor, on either side.
    """
    pairs = [(one, log[one.response_id or ""]) for one in exchanges]
    ttft = [((one.first_ns or 0) - one.sent_ns) / 1e6 - wrote.ttft_ms for one, wrote in pairs]
    tpot = [
        (one.stamps_ns[-1] - one.stamps_ns[0]) / 1e6 / (wrote.output_tokens - wrote.tokens[0]) - wrote.tpot_ms
        for one, wrote in pairs
    ]
    return sorted(map(abs, ttft))[len(ttft) // 4], sorted(map(abs, tpot))[len(tpot) // 4]


@pytest.fixture(scope="module")
def servers(certificate: Path) -> Iterator[Servers]:
    quick = {name: replace(odd, itl_ms=ITL_MS) for name, odd in ODD.items()}
    with serving(quick, certificate) as running:
        yield running


@pytest.mark.parametrize("name", sorted(ODD.keys() - {"limiter"}))
def test_a_stream_is_counted_and_stamped_as_its_server_wrote_it(name: str, servers: Servers, certificate: Path) -> None:
    odd = ODD[name]
    context = ssl.create_default_context(cafile=certificate) if odd.tls else None
    target = Target.at(servers.url(name), context=context)
    point, found = loaded(target, asks(REQUESTS, OSL), Load("closed", concurrency=CONCURRENCY), Limits())
    log = [wrote for wrote in servers.log(name) if wrote.received_ns >= point.start_ns]
    by_id = {wrote.id: wrote for wrote in log}
    assert [one.outcome for one in point.exchanges] == ["ok"] * REQUESTS
    assert found.whole["output_tokens"] == sum(wrote.output_tokens for wrote in log) == OSL * REQUESTS
    for one in point.exchanges:
        agrees(one, by_id[one.response_id or ""], odd)
    asked_anew = odd.http == "1.0" or not odd.keep_alive
    assert point.connections == (REQUESTS if asked_anew else CONCURRENCY)


@pytest.mark.timed
@pytest.mark.parametrize("name", sorted(ODD.keys() - {"limiter"}))
def test_ttft_and_tpot_are_those_of_the_servers_log(name: str, servers: Servers, certificate: Path) -> None:
    context = ssl.create_default_context(cafile=certificate) if ODD[name].tls else None
    target = Target.at(servers.url(name), context=context)
    point, _ = loaded(target, asks(REQUESTS, OSL), Load("closed", concurrency=CONCURRENCY), Limits())
    ttft, tpot = off_ms(point.exchanges, {wrote.id: wrote for wrote in servers.log(name)})
    assert ttft < CLOSE_MS
    assert tpot < CLOSE_MS


def agrees(one: Exchange, wrote: Wrote, odd: Odd) -> None:
    """Check that the client's record of an answer holds against its server's."""
    assert one.tokens.tolist() == wrote.tokens == [1] * OSL
    assert (one.input_tokens, one.output_tokens, one.token_source) == (4, OSL, "usage")
    assert (one.finish, wrote.ended) == (odd.finish, "whole")
    assert one.sent_ns < wrote.received_ns
    assert all(mine > theirs for mine, theirs in zip(one.stamps_ns, wrote.chunks_ns, strict=True))
    assert one.first_ns == one.stamps_ns[0]
    assert one.first_content_ns == one.stamps_ns[OSL // 2 if odd.channel == "reasoning_content" else 0]


def test_what_a_limiter_turned_away_is_told_from_what_it_let_in(servers: Servers) -> None:
    target = Target.at(servers.url("limiter"))
    point, found = loaded(target, asks(REQUESTS, OSL), Load("closed", concurrency=2), Limits())
    log = {wrote.id: wrote for wrote in servers.log("limiter")}
    statuses = Counter(wrote.status for wrote in servers.log("limiter"))
    assert statuses.keys() == {200, 429}
    assert Counter(one.outcome for one in point.exchanges) == {"ok": statuses[200], "http_429": statuses[429]}
    assert found.whole["output_tokens"] == OSL * statuses[200]
    for one in point.exchanges:
        if one.outcome == "ok":
            agrees(one, log[one.response_id or ""], ODD["limiter"])


def test_gzip_is_not_asked_for(servers: Servers) -> None:
    point, _ = loaded(Target.at(servers.url("gzip")), asks(2, OSL), Load("closed", concurrency=2), Limits())
    assert [one.outcome for one in point.exchanges] == ["ok", "ok"]
    assert {wrote.headers["accept-encoding"] for wrote in servers.log("gzip")[-2:]} == {"identity"}


def said(servers: Servers, name: str, *more: str) -> bytes:
    """All that an endpoint writes for one request, head and framing included, to someone who reads it as it is."""
    data = body(RequestStyle("odd-model"), WORDS, OSL)
    host, _, port = servers.url(name).rpartition("/")[2].partition(":")
    fields = [f"host: {host}", f"content-length: {len(data)}", *more]
    with socket.create_connection((host, int(port)), timeout=5) as wire:
        head = "\r\n".join(["POST /v1/chat/completions HTTP/1.1", *fields, "", ""])
        wire.sendall(head.encode() + data)
        got = b""
        while not got.endswith(b"\r\n0\r\n\r\n") and (piece := wire.recv(1 << 16)):
            got += piece
    return got


SEEN: dict[str, Callable[[bytes], bool]] = {
    "HTTP/1.0": lambda got: got.startswith(b"HTTP/1.0 200") and b"chunked" not in got,
    "closes after each answer": lambda got: b"connection: close\r\n" in got,
    "CRLF": lambda got: got.count(b"\r\n\r\n\r\n") == OSL + 4,
    "LF": lambda got: got.count(b"\n\n\r\n") == OSL + 4,
    "CR": lambda got: got.count(b"\r\r\r\n") == OSL + 4,
    "comments": lambda got: got.count(b"\n: ") == OSL + 4,
    "multi-line data": lambda got: got.count(b"\ndata: ") > 10 * OSL,
    "usage at the end": lambda got: got.count(b"prompt_tokens") == 1,
    "usage in every chunk": lambda got: got.count(b"prompt_tokens") == OSL + 1,
    "reasoning_content": lambda got: got.count(b'"reasoning_content"') == OSL // 2,
    "tool_calls": lambda got: got.count(b'"arguments"') == OSL,
    "no [DONE]": lambda got: b"[DONE]" not in got and got.endswith(b"0\r\n\r\n"),
    "gzip": lambda got: b"content-encoding: gzip\r\n" in got and b"data:" not in got,
}


@pytest.mark.parametrize("name", SEEN)
def test_an_odd_endpoint_is_as_odd_as_it_is_called(name: str, servers: Servers) -> None:
    got = said(servers, name, *(["accept-encoding: gzip"] if name == "gzip" else []))
    assert SEEN[name](got), got


def test_a_write_holds_what_a_proxy_would_gather(servers: Servers) -> None:
    names = {"split writes": OSL, "proxy buffering off": OSL, "proxy buffering on, answer below the buffer": 1}
    moments = {}
    for name in [*names, "proxy buffering on"]:
        said(servers, name)
        wrote = servers.log(name)[-1]
        moments[name] = len(set(wrote.chunks_ns))
    assert {name: moments[name] for name in names} == names
    assert 1 < moments["proxy buffering on"] < OSL
    assert len(servers.log("split writes")[-1].writes_ns) >= 3 * OSL
