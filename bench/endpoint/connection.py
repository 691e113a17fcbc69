"""One client's connection: requests in, bytes out, straight to the socket so that a stamp is the moment of sending."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable

from bench.endpoint import http1

RECEIVED_AT_ONCE = 262_144
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER of no seconds: close() resets the connection."""


class ClientConnection:
    """A socket with the bytes that did not fit into it yet; one request at a time is served, in order."""

    __slots__ = (
        "_left",
        "_loop",
        "_requests",
        "_serve",
        "_socket",
        "backlog",
        "closed",
        "closing",
        "number",
        "on_loss",
        "serving",
    )

    def __init__(
        self,
        running: asyncio.AbstractEventLoop,
        accepted: socket.socket,
        number: int,
        serve: Callable[[ClientConnection, http1.Request], None],
        left: Callable[[ClientConnection], None],
    ) -> None:
        self._loop, self._socket, self._serve, self._left = running, accepted, serve, left
        self._requests = http1.Requests()
        self.number = number
        self.backlog = bytearray()
        self.serving = self.closing = self.closed = False
        self.on_loss: Callable[[], None] | None = None
        running.add_reader(accepted, self._readable)

    def send(self, data: bytes) -> None:
        """Give bytes to the kernel now; what it does not take follows when it can."""
        if self.closed:
            return
        if self.backlog:
            self.backlog += data
            return
        try:
            taken = self._socket.send(data)
        except (BlockingIOError, InterruptedError):
            taken = 0
        except OSError:
            self.lose()
            return
        if taken < len(data):
            self.backlog += memoryview(data)[taken:]
            self._loop.add_writer(self._socket, self._writable)

    def served(self, keep_alive: bool) -> None:
        """Go on to the next request, or close: the answer is complete."""
        self.serving, self.on_loss = False, None
        if keep_alive:
            self._loop.call_soon(self._advance)
        else:
            self.close_when_sent()

    def close_when_sent(self) -> None:
        """Close as soon as all bytes are with the kernel."""
        self.closing = True
        if not self.backlog:
            self.close()

    def close(self, reset: bool = False) -> None:
        """Close now; with `reset` the client sees a connection reset by its peer."""
        if self.closed:
            return
        self.closed = True
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self._socket.close()
        self.backlog.clear()
        self._left(self)

    def lose(self) -> None:
        """Close, and tell whoever is answering on it that nobody is there any more."""
        self.close()
        if self.on_loss:
            lost, self.on_loss = self.on_loss, None
            lost()

    def _readable(self) -> None:
        try:
            data = self._socket.recv(RECEIVED_AT_ONCE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.lose()
            return
        self._requests.feed(data)
        self._advance()

    def _advance(self) -> None:
        if self.serving or self.closed or self.closing:
            return
        try:
            request = self._requests.next()
        except http1.BadRequest as problem:
            self.send(
                http1.answer(
                    problem.status,
                    f"{problem}\n".encode(),
                    kind="text/plain; charset=utf-8",
                    headers={"connection": "close"},
                )
            )
            self.close_when_sent()
            return
        if request:
            self.serving = True
            self._serve(self, request)
        elif self._requests.wants_to_continue:
            self._requests.wants_to_continue = False
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _writable(self) -> None:
        try:
            taken = self._socket.send(self.backlog)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.lose()
            return
        del self.backlog[:taken]
        if not self.backlog:
            self._loop.remove_writer(self._socket)
            if self.closing:
                self.close()
