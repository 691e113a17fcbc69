"""How long a client may take to send a request: whoever sends none, or a byte now and then, keeps nothing occupied."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD_S = 10.0
"""From a connection, or the first byte of a further request on it, to the end of the request's head."""
BODY_S, BYTES_PER_S = 20.0, 16_384
"""A body may keep the server waiting for so long, and a second longer for so many bytes of it."""
SAID = f"The body came slower than {BYTES_PER_S:,} bytes a second; send it again on a better connection."


class BodyTimeout:
    """Middleware that ends a request whose body comes too slowly, and in silence one whose client has left."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Body(receive)
        answered = False

        async def answer(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self.app(scope, body.receive, answer)
        except ClientDisconnect:
            if body.late and not answered:
                await JSONResponse({"error": SAID}, 408, {"Connection": "close"})(scope, receive, send)


class _Body:
    """The body of one request; `late` once it is waited for no longer."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes, self._waited_s, self._whole = 0, 0.0, False
        self.late = False

    async def receive(self) -> Message:
        if self._whole:  # what follows is that the client leaves, however late
            return await self._receive()
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(BODY_S + self._bytes / BYTES_PER_S - self._waited_s):
                message = await self._receive()
        except TimeoutError:
            self.late = True
            return {"type": "http.disconnect"}
        self._waited_s += clock() - began
        self._bytes += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        return message


def limit_heads() -> None:
    """Close connections made from now on where the head of a request is not there within HEAD_S.

    uvicorn has no such setting, and Streamlit takes the protocol from it before this app is imported: so its own class
    is told. Its limit on idle connections, which ends with the first byte of a further request, stays as it is.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    kind: Any = AutoHTTPProtocol
    made, received = kind.connection_made, kind.data_received

    def connection_made(self: Any, transport: asyncio.Transport) -> None:
        made(self, transport)
        self.head_due = self.loop.call_later(HEAD_S, _close, transport)

    def data_received(self: Any, data: bytes) -> None:
        received(self, data)
        if not _waits_for_a_head(self):
            self.head_due.cancel()
        elif self.head_due.cancelled():
            self.head_due = self.loop.call_later(HEAD_S, _close, self.transport)

    def connection_lost(self: Any, problem: Exception | None, lost: Any = kind.connection_lost) -> None:
        self.head_due.cancel()
        lost(self, problem)

    kind.connection_made, kind.data_received, kind.connection_lost = (connection_made, data_received, connection_lost)


def _waits_for_a_head(protocol: Any) -> bool:
    if protocol.transport.get_protocol() is not protocol:  # a WebSocket by now
        return False
    return protocol.cycle is None or protocol.cycle.response_complete


def _close(transport: asyncio.Transport) -> None:
    if not transport.is_closing():
        transport.close()
