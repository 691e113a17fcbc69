"""A request that a part of the server lets through to the app, or answers itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PASSED = 204


def status(
    guard: Callable[[ASGIApp], ASGIApp], path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> int:
    """The status of a request; PASSED when it reached the app behind."""
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": PASSED, "headers": []})

    async def take(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope: Scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "scheme": "http",
        "server": ("127.0.0.1", 8501),
        "headers": [(key.encode(), value.encode()) for key, value in (headers or {}).items()],
    }
    asyncio.run(guard(app)(scope, nothing, take))
    return int(sent[0]["status"])
