"""Requests are the same however their bytes are cut; what is no request is refused with a sentence."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint.http1 import BadRequest, Requests

PLAIN = b"POST /v1/completions?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2;n=1\r\nde\r\n0\r\n\r\n"
)
BARE = b"GET /health HTTP/1.1\r\n\r\n"


@given(st.lists(st.integers(0, len(PLAIN + CHUNKED + BARE)), max_size=12))
def test_requests_do_not_depend_on_how_they_arrive(cuts: list[int]) -> None:
    whole = PLAIN + CHUNKED + BARE
    places = [0, *sorted(cuts), len(whole)]
    requests, found = Requests(), []
    for start, end in pairwise(places):
        requests.feed(whole[start:end])
        while request := requests.next():
            found.append((request.method, request.path, request.body, request.keep_alive))
    assert found == [
        ("POST", "/v1/completions", b"hello", True),
        ("POST", "/b", b"abcde", False),
        ("GET", "/health", b"", True),
    ]


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "TLS"),
        (b"hello\r\n\r\n", 400, "no HTTP request"),
        (b"GET / HTTP/1.0\r\n\r\n", 505, "HTTP/1.1"),
        (b"GET / HTTP/1.1\r\nbroken\r\n\r\n", 400, "colon"),
        (b"POST / HTTP/1.1\r\ncontent-length: -5\r\n\r\n", 400, "no number"),
        (b"POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n", 413, "64 MiB"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", 400, "chunked"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400, "no number"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n", 413, "64 MiB"),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000, 413, "64 KiB"),
    ],
)
def test_what_is_no_request_is_refused(data: bytes, status: int, said: str) -> None:
    requests = Requests()
    requests.feed(data)
    with pytest.raises(BadRequest, match=said) as refused:
        requests.next()
    assert refused.value.status == status
