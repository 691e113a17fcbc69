"""Requests are the same however their bytes are cut; what is no request is refused and the endpoint goes on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.endpoint import Settings, running
from tests.endpoint.asking import get

COMPLETION = b'{"prompt": "one two", "max_tokens": 1}'
PLAIN = b"POST /v1/completions?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(COMPLETION) + COMPLETION
CHUNKED = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKED += b"%x\r\n%b\r\n%x;n=1\r\n%b\r\n0\r\n\r\n" % (5, COMPLETION[:5], len(COMPLETION) - 5, COMPLETION[5:])
BARE = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as started:
        yield started


def exchanged(url: str, *parts: bytes) -> bytes:
    """What the endpoint says to these bytes, sent in so many pieces, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=10) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            client.sendall(part)
        return b"".join(iter(lambda: client.recv(65_536), b""))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cuts=st.lists(st.integers(0, len(PLAIN + CHUNKED + BARE)), max_size=12))
def test_requests_do_not_depend_on_how_they_arrive(url: str, cuts: list[int]) -> None:
    whole = PLAIN + CHUNKED + BARE
    received = exchanged(url, *(whole[start:end] for start, end in pairwise([0, *sorted(cuts), len(whole)])))
    assert received.count(b"HTTP/1.1 200 OK") == 3
    assert received.count(b'"text_completion"') == 2
    assert received.endswith(b'{"status":"ok"}')


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: x\r\nbroken\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"a" * 70_000 + b"\r\n\r\n", 400),
    ],
)
def test_what_is_no_request_is_refused(url: str, data: bytes, status: int) -> None:
    assert exchanged(url, data).split()[1] == str(status).encode()
    assert get(url, "/health").status == 200


def test_a_key_that_is_no_text_is_refused_as_a_wrong_one() -> None:
    odd = b"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n"
    with running(Settings(api_key="sesame")) as started:
        assert b" 401 " in exchanged(started, odd)


def test_a_body_beyond_the_limit_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.endpoint.connection.MOST_BODY", 1000)
    large = b"POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2000\r\n\r\n" + b"a" * 2000
    assert b" 413 " in exchanged(url, large + BARE)


def test_whoever_asks_whether_to_send_a_body_is_told_to(url: str) -> None:
    head, _, body = PLAIN.partition(b"\r\n\r\n")
    received = exchanged(url, head + b"\r\nExpect: 100-continue\r\n\r\n", body, BARE)
    assert received.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")
