"""HTTP framing: any cut of the bytes into reads gives the same body, each piece with the arrival of its read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.wire.framing import Chunks, WrongFraming, head_of
from tests.sweep.hearing import chunked, cut

PLACES = st.lists(st.integers(0, 10_000), max_size=40)
SIZES = st.lists(st.integers(1, 300), min_size=1, max_size=8)


def read(reads: list[bytes]) -> tuple[Chunks, list[bytes], list[int]]:
    """Reads taken one by one; read number n arrived at n."""
    chunks, pieces, when = Chunks(), [], []
    for number, data in enumerate(reads):
        chunks.advance([data], [number], pieces, when)
    return chunks, pieces, when


@given(st.binary(max_size=800), SIZES, PLACES, st.sampled_from([b"", b"x-sum: 1\r\n", b"a: b\r\nc: d\r\n"]))
def test_any_cut_gives_the_same_body_and_each_byte_the_arrival_of_its_read(
    body: bytes, sizes: list[int], places: list[int], trailer: bytes
) -> None:
    """Where a byte of the body lies in what is sent is worked out anew, byte by byte."""
    sent = chunked(body, sizes, trailer)
    reads = cut(sent, places)
    arrival = [number for number, data in enumerate(reads) for _ in data]
    where, at, number = [], 0, 0
    while at < len(body):
        size = min(sizes[number % len(sizes)], len(body) - at)
        start = (where[-1] + 3 if where else 0) + len(b"%x\r\n" % size)
        where += range(start, start + size)
        at, number = at + size, number + 1
    chunks, pieces, when = read(reads)
    assert (b"".join(pieces), chunks.done, chunks.surplus) == (body, True, 0)
    stamped = [stamp for piece, stamp in zip(pieces, when, strict=True) for _ in piece]
    assert stamped == [arrival[place] for place in where]
    together, pieces, when = Chunks(), [], []
    together.advance(reads, range(len(reads)), pieces, when)
    assert (b"".join(pieces), together.done) == (body, True)


@given(st.binary(max_size=500), SIZES, PLACES, st.integers(1, 500))
def test_a_body_that_breaks_off_is_never_done(body: bytes, sizes: list[int], places: list[int], missing: int) -> None:
    sent = chunked(body, sizes)
    chunks, pieces, _ = read(cut(sent[: max(0, len(sent) - missing)], places))
    assert not chunks.done
    assert body.startswith(b"".join(pieces))


@given(PLACES)
def test_what_comes_behind_the_end_is_counted(places: list[int]) -> None:
    chunks, pieces, _ = read(cut(chunked(b"hello", [2]) + b"HTTP/1.1 200", places))
    assert (b"".join(pieces), chunks.done, chunks.surplus) == (b"hello", True, 12)


@pytest.mark.parametrize(
    "sent",
    [
        b"zz\r\nhello\r\n0\r\n\r\n",
        b"3\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhellox\r\n0\r\n\r\n",
        b"\r\nhello\r\n",
        b"fffffffff\r\nx",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"5_0\r\nhello",
        b"1" * 2000,
        b"0\r\n" + b"t" * 2000,
    ],
)
@given(places=PLACES)
def test_framing_that_is_wrong_is_refused_however_it_is_cut(sent: bytes, places: list[int]) -> None:
    with pytest.raises(WrongFraming):
        read(cut(sent, places))


def test_chunk_extensions_and_capitals_are_read() -> None:
    chunks, pieces, _ = read([b'A;name="v"\r\n0123456789\r\n00\r\n\r\n'])
    assert (pieces, chunks.done) == ([b"0123456789"], True)


def test_a_head_says_how_its_body_ends() -> None:
    head = head_of(b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked")
    assert (head.status, head.content_type, head.chunked, head.length) == (200, "text/event-stream", True, None)
    assert head.keeps_alive
    head = head_of(b"HTTP/1.1 429 \r\ncontent-length: 12\r\nconnection: Close\r\nretry-after: 3")
    assert (head.status, head.length, head.keeps_alive, head.retry_after) == (429, 12, False, "3")
    assert head_of(b"HTTP/1.0 200 OK").keeps_alive is False
    assert head_of(b"HTTP/1.0 200 OK\r\nconnection: keep-alive").keeps_alive is True
    assert head_of(b"HTTP/1.1 204 No Content").length == 0


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2",
        b"HTTP/2 200",
        b"HTTP/1.1 200 OK\r\nno colon",
        b"HTTP/1.1 200\r\n a: b",
        b"HTTP/1.1 200\r\ncontent-length: 5\r\ncontent-length: 6",
        b"HTTP/1.1 200\r\ncontent-length: 1e3",
        b"HTTP/1.1 200\r\ntransfer-encoding: gzip, chunked",
    ],
)
def test_a_head_that_is_none_or_ambiguous_is_refused(lines: bytes) -> None:
    with pytest.raises(WrongFraming):
        head_of(lines)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_head_or_refused(lines: bytes) -> None:
    try:
        head = head_of(b"HTTP/1.1 200 OK\r\n" + lines)
    except WrongFraming:
        return
    assert head.status == 200
