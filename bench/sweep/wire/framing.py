"""An HTTP/1.1 answer taken apart: its head, and the body's bytes with the time at which each arrived.

A body is handed on in pieces, each of them from one read of the socket, so that a piece has one arrival. The sizes of
all chunks are followed; a body that breaks the rules of RFC 9112 is wrong and read no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

LONGEST_SIZE_LINE = 1024
"""A chunk's size and its extensions; whoever sends more is not heard out."""
HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")
SIZES = {b"%x" % size: size for size in range(1, 1024)}
"""The sizes chunks of tokens have, as most servers write them."""


class WrongFraming(Exception):
    """The bytes are no HTTP answer; the message says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of an answer says. `length` is None where chunks or the connection's end delimit the body."""

    status: int
    content_type: str
    encoding: str
    chunked: bool
    length: int | None
    keeps_alive: bool
    retry_after: str
    location: str


def head_of(lines: bytes) -> Head:
    """What a head says, from its bytes without the empty line that ends it.

    WrongFraming for what is no head of an HTTP/1 answer, or one whose body's length is ambiguous.
    """
    first, *rest = lines.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or words[0] not in ("HTTP/1.1", "HTTP/1.0") or not (words[1].isdecimal() and len(words[1]) == 3):
        raise WrongFraming("the answer does not begin like HTTP/1.1")
    fields: dict[str, str] = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise WrongFraming("a header of the answer is no header")
        name, value = name.lower(), value.strip()
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    status = int(words[1])
    coding = fields.get("transfer-encoding", "").lower()
    if coding not in ("", "chunked", "identity"):
        raise WrongFraming(f"the answer's transfer-encoding is {coding!r}")
    options = [option.strip() for option in fields.get("connection", "").lower().split(",")]
    return Head(
        status=status,
        content_type=fields.get("content-type", "").split(";")[0].strip().lower(),
        encoding=fields.get("content-encoding", "").lower(),
        chunked=coding == "chunked",
        length=0 if status in (204, 304) else None if coding == "chunked" else _length(fields),
        keeps_alive="close" not in options if words[0] == "HTTP/1.1" else "keep-alive" in options,
        retry_after=fields.get("retry-after", ""),
        location=fields.get("location", ""),
    )


def _length(fields: dict[str, str]) -> int | None:
    stated = {value.strip() for value in fields["content-length"].split(",")} if "content-length" in fields else set()
    if not stated:
        return None
    text = stated.pop()
    if stated or not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise WrongFraming("the answer's content-length is no number of bytes")
    return int(text)


class Chunks:
    """A chunked body read as far as its bytes have come: pieces of text and when each arrived.

    `done` once the last chunk and its trailers have ended; `surplus` bytes came behind that.
    """

    __slots__ = ("_closing", "_left", "_rest", "_trailing", "done", "surplus")

    def __init__(self) -> None:
        self._rest = b""  # a size line, or the end of one, that is not whole yet
        self._left = 0  # bytes of the current chunk still to come
        self._closing = False  # the chunk's bytes are there, its line end is not
        self._trailing = False
        self.done = False
        self.surplus = 0

    def advance(self, reads: Sequence[bytes], stamps: Sequence[int], pieces: list[bytes], when: list[int]) -> None:
        """Add the pieces that these reads hold to `pieces`, and their arrivals to `when`.

        WrongFraming when a chunk's size or end is not where it must be.
        """
        rest = self._rest
        data = rest + b"".join(reads) if rest else b"".join(reads)
        edges = list(accumulate(map(len, reads), initial=len(rest)))[1:]
        at = self._begun(data, edges, stamps, pieces, when)
        size, read, edge = len(data), 0, edges[0]
        find, known = data.find, SIZES.get
        while at < size and not (self._left or self._closing or self._trailing or self.done):
            line = find(b"\r\n", at, at + LONGEST_SIZE_LINE)
            if line < 0:
                if size - at >= LONGEST_SIZE_LINE:
                    raise WrongFraming("a chunk has no size")
                break
            length = known(data[at:line]) or _size(data[at:line])
            start = line + 2
            end = start + length
            if not length:
                self._trailing, at = True, start
                break
            while start >= edge and edge < size:
                read += 1
                edge = edges[read]
            if end <= edge:
                pieces.append(data[start:end])
                when.append(stamps[read])
            else:
                read = _cut(data, start, min(end, size), edges, read, stamps, pieces, when)
                edge = edges[read]
            if end + 2 > size:
                self._left = max(0, end - size)
                self._closing, at = True, min(end, size)
                break
            if data[end : end + 2] != b"\r\n":
                raise WrongFraming("a chunk is not as long as it says")
            at = end + 2
        if self._trailing and not self.done:
            at = self._trailers(data, at)
        if self.done:
            self.surplus += size - at
            at = size
        self._rest = data[at:]

    def _begun(self, data: bytes, edges: list[int], stamps: Sequence[int], pieces: list[bytes], when: list[int]) -> int:
        """Where the next size line begins, once the chunk of the time before has ended; the data's end until then."""
        if not self._closing:
            return 0
        end = self._left
        if end:
            _cut(data, 0, min(end, len(data)), edges, 0, stamps, pieces, when)
            self._left = max(0, end - len(data))
        if end + 2 > len(data):
            if end < len(data) and data[end:] != b"\r":
                raise WrongFraming("a chunk is not as long as it says")
            return min(end, len(data))
        if data[end : end + 2] != b"\r\n":
            raise WrongFraming("a chunk is not as long as it says")
        self._closing = False
        return end + 2

    def _trailers(self, data: bytes, at: int) -> int:
        """Where the trailers end, or where the first one that is not whole begins."""
        while (line := data.find(b"\r\n", at)) >= 0:
            if line == at:
                self.done = True
                return at + 2
            at = line + 2
        if len(data) - at > LONGEST_SIZE_LINE:
            raise WrongFraming("a trailer has no end")
        return at


def _cut(
    data: bytes,
    start: int,
    end: int,
    edges: Sequence[int],
    read: int,
    stamps: Sequence[int],
    pieces: list[bytes],
    when: list[int],
) -> int:
    """The read in which `end` lies; adds data[start:end], one piece for each read it came in."""
    while start < end:
        while edges[read] <= start:
            read += 1
        stop = min(end, edges[read])
        pieces.append(data[start:stop])
        when.append(stamps[read])
        start = stop
    return read


def _size(line: bytes) -> int:
    number = line.partition(b";")[0].rstrip(b" \t")
    if not number or len(number) > 8 or not HEXADECIMAL.issuperset(number):
        raise WrongFraming("a chunk's size is no hexadecimal number")
    return int(number, 16)
