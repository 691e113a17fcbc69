"""Under which names the server answers."""

from __future__ import annotations

import asyncio

import pytest
import streamlit as st
from starlette.types import Message, Receive, Scope, Send

from pages.server.shell import KnownHosts

LISTED = ["bench.example", "*.lab.example", "::1"]


def status(path: str, host: str | None) -> int:
    """The status of a request; 204 when it reached the app behind."""
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def take(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    headers = [] if host is None else [(b"host", host.encode())]
    scope: Scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    asyncio.run(KnownHosts(app)(scope, nothing, take))
    return int(sent[0]["status"])


def allow(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stated = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: names if name == "server.allowedHosts" else stated(name))


@pytest.mark.parametrize("path", ["/healthz", "/api/sweeps", "/_stcore/metrics", "/pareto", "/"])
def test_listed_names_and_this_machines_own_are_answered(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(LISTED, monkeypatch)
    for host in ("bench.example", "BENCH.example.:443", "a.lab.example", "[::1]:8501", "127.0.0.1:8501"):
        assert status(path, host) == 204, host
    for host in ("evil.example", "lab.example", "bench.example.evil", "", None, "a@bench.example"):
        assert status(path, host) == 403, host


def test_where_any_name_is_allowed_none_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in ([], ["*"]):
        allow(names, monkeypatch)
        assert [status("/healthz", host) for host in ("any.example", None)] == [204, 204]
