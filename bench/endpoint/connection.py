"""One client's connection: aiohttp reads its requests; answers go straight to the socket, so that a stamp is the moment
of sending, and so that they can break in any way that is asked for."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from bench.endpoint import http1

MOST_BODY = 64 << 20
MOST_LINE = 65_536
ACCESS_LOG = logging.getLogger(f"{__name__}.access")
"""Not listened to: aiohttp then takes no times for it."""
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER of no seconds: closing resets the connection."""


@dataclass(slots=True)
class Request:
    """A request that has been read whole."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class ClientConnection(web.RequestHandler):
    """A connection of which one request at a time is served, in order; `on_loss` is called when the client leaves."""

    def __init__(
        self,
        requests: web.Server,
        running: asyncio.AbstractEventLoop,
        number: int,
        refuse: Callable[[ClientConnection], None] | None = None,
    ) -> None:
        """`refuse` is called as soon as the connection is there, in place of reading its requests."""
        super().__init__(
            requests,
            loop=running,
            access_log=ACCESS_LOG,
            max_line_size=MOST_LINE,
            max_field_size=MOST_LINE,
            lingering_time=0.0,
            auto_decompress=False,
        )
        self._running, self._refuse = running, refuse
        self._answered: asyncio.Future[bool] | None = None
        self.number = number
        self.on_loss: Callable[[], None] | None = None

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent any more."""
        return self.transport is None or self.transport.is_closing()

    @property
    def backlog(self) -> int:
        """How many bytes the kernel has not taken yet."""
        return 0 if self.transport is None else self.transport.get_write_buffer_size()

    def send(self, data: bytes) -> None:
        """Give bytes to the kernel now; what it does not take follows when it can."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def answered(self) -> Awaitable[bool]:
        """Wait for the end of the answer that begins now; gives whether the connection is kept."""
        self._answered = self._running.create_future()
        return self._answered

    def served(self, keep_alive: bool) -> None:
        """Go on to the next request, or close when all is sent: the answer is complete."""
        self.on_loss = None
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(keep_alive)

    def close_when_sent(self) -> None:
        """Close as soon as all bytes are with the kernel."""
        self.served(False)

    def reset(self) -> None:
        """Close now; the client sees a connection reset by its peer."""
        if self.transport is not None:
            own: socket.socket = self.transport.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            self.transport.abort()

    def lose(self) -> None:
        """Close now, and tell whoever is answering that nobody is there any more."""
        if self.transport is not None:
            self.transport.abort()
        lost, self.on_loss = self.on_loss, None
        if lost:
            lost()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Read requests, or refuse them all."""
        super().connection_made(transport)
        if self._refuse:
            self._refuse(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Tell whoever is answering that nobody is there any more."""
        super().connection_lost(exc)
        self.lose()

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """The answer to what is no request, which is nothing to log."""
        if status != 400:
            return super().handle_error(request, status, exc, message)
        answer = web.Response(status=status, text=f"{message}\n", headers={"Server": http1.SERVER})
        answer.force_close()
        return answer


class Sent(web.StreamResponse):
    """An answer whose bytes were sent without aiohttp."""

    def __init__(self, keep_alive: bool) -> None:
        super().__init__()
        self._keeps = keep_alive

    @property
    def keep_alive(self) -> bool:
        """Whether the connection serves another request."""
        return self._keeps

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send nothing."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Send nothing."""


def requests_to(serve: Callable[[ClientConnection, Request], None], running: asyncio.AbstractEventLoop) -> web.Server:
    """What reads the requests of all connections and has each served by `serve`, which says when it is answered."""

    async def handle(read: web.BaseRequest) -> web.StreamResponse:
        connection = read.protocol
        assert isinstance(connection, ClientConnection)
        if read.headers.get("expect", "").lower() == "100-continue":
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        request = Request(read.method, read.path, read.headers, await read.read(), read.keep_alive)
        answered = connection.answered()
        serve(connection, request)
        return Sent(await answered)

    def request_of(
        message: RawRequestMessage,
        payload: StreamReader,
        connection: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: asyncio.Task[None],
    ) -> web.BaseRequest:
        return web.BaseRequest(message, payload, connection, writer, task, running, client_max_size=MOST_BODY)

    return web.Server(handle, request_factory=request_of, handler_cancellation=True, loop=running)
