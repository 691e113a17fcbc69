"""HTTP/1.1 as far as the endpoint needs it: requests taken from bytes, answers made into bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MOST_HEAD = 65_536
MOST_BODY = 64 << 20
SERVER = "kneepoint-endpoint (simulated)"
REASONS = {
    200: "OK",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}
COMMON_START = f"HTTP/1.1 200 OK\r\nserver: {SERVER}\r\n".encode()
"""The bytes every good answer begins with."""


class BadRequest(Exception):
    """Bytes that are no HTTP request; `status` is the answer's."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(slots=True)
class Request:
    """A request that has been read whole; header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class Requests:
    """The requests that arrive on one connection."""

    __slots__ = ("_buffer", "_head", "_size", "wants_to_continue")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: Request | None = None
        self._size: int | None = 0
        self.wants_to_continue = False

    def feed(self, data: bytes) -> None:
        """Take bytes that arrived."""
        self._buffer += data

    def next(self) -> Request | None:
        """The next whole request, None while it has not all arrived; BadRequest for what is none."""
        if self._head is None and not self._take_head():
            return None
        body = self._take_chunks() if self._size is None else self._take(self._size)
        if body is None or self._head is None:
            return None
        request, self._head = self._head, None
        request.body = body
        return request

    def _take_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or end > MOST_HEAD:
            if len(self._buffer) > MOST_HEAD:
                raise BadRequest(413, "The request's headers are longer than 64 KiB.")
            if self._buffer[:1] == b"\x16":
                raise BadRequest(400, "This is a TLS handshake; this endpoint speaks plain http.")
            return False
        lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        method, _, rest = lines[0].partition(" ")
        target, _, version = rest.rpartition(" ")
        if not target.startswith("/") or not version.startswith("HTTP/"):
            raise BadRequest(400, "This is no HTTP request.")
        if version != "HTTP/1.1":
            raise BadRequest(505, "This endpoint speaks HTTP/1.1.")
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise BadRequest(400, "A header line has no colon.")
            headers[name.strip().lower()] = value.strip()
        self._size = self._body_size(headers)
        self.wants_to_continue = headers.get("expect", "").lower() == "100-continue"
        keep_alive = headers.get("connection", "").lower() != "close"
        self._head = Request(method, target.partition("?")[0], headers, b"", keep_alive)
        return True

    @staticmethod
    def _body_size(headers: Mapping[str, str]) -> int | None:
        """The body's length; None when it comes in chunks."""
        if "transfer-encoding" in headers:
            if headers["transfer-encoding"].lower() != "chunked":
                raise BadRequest(400, "The only transfer-encoding known here is chunked.")
            return None
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise BadRequest(400, "The content-length is no number.")
        if int(length[:12]) > MOST_BODY:
            raise BadRequest(413, "The request's body is longer than 64 MiB.")
        return int(length)

    def _take(self, size: int) -> bytes | None:
        if len(self._buffer) < size:
            return None
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _take_chunks(self) -> bytes | None:
        parts: list[bytes] = []
        place = 0
        while (end := self._buffer.find(b"\r\n", place)) >= 0:
            try:
                size = int(bytes(self._buffer[place:end]).partition(b";")[0], 16)
            except ValueError:
                raise BadRequest(400, "A chunk's size is no number.") from None
            start = end + 2
            if not 0 <= size <= MOST_BODY or start > 2 * MOST_BODY:
                raise BadRequest(413, "The request's body is longer than 64 MiB.")
            if len(self._buffer) < start + size + 2:
                return None
            place = start + size + 2
            if not size:
                del self._buffer[:place]
                return b"".join(parts)
            parts.append(bytes(self._buffer[start : start + size]))
        return None


def start(status: int, headers: Mapping[str, str]) -> bytes:
    """The bytes before a body: status line and headers."""
    lines = [f"HTTP/1.1 {status} {REASONS[status]}", f"server: {SERVER}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(status: int, body: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None) -> bytes:
    """A whole answer."""
    known = {"content-type": kind, "content-length": str(len(body)), **(headers or {})}
    return start(status, known) + body
