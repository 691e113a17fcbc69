"""Clients that send what no browser sends, or nothing: what they get of a real server, and what others still get."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import websockets.asyncio.client as client
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus

from pages.server.websockets import is_readers
from tests.benchmarks._server import NOT_WARMED, Server, running
from tests.benchmarks.sessions import rerun
from tests.polling import until

pytestmark = pytest.mark.long

HALF_OPEN = 60
QUICK_LIMITS = f"{NOT_WARMED}; from pages.server import waiting; waiting.HEAD_S, waiting.BODY_S = 1.0, 2.0"
"""A tenth of what a server has: what happens then is the same, sooner."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile_clients") / "log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[Server]:
    with running(log.parent / "library", log, setup=QUICK_LIMITS) as started:
        yield started


def address(server: Server) -> str:
    return server.url.replace("http", "ws", 1) + "/_stcore/stream"


@contextlib.asynccontextmanager
async def session(server: Server, **headers: str) -> AsyncIterator[client.ClientConnection]:
    opened = client.connect(address(server), subprotocols=["streamlit"], max_size=None, additional_headers=headers)
    async with opened as connection:
        yield connection


def metrics(server: Server, name: str, label: str = "") -> list[float]:
    """The values of one of Streamlit's own metrics."""
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return [float(line.split()[-1]) for line in lines if line.startswith(name) and label in line]


def kept(server: Server) -> int:
    """How many caches hold answers of the server."""
    return sum(value > 0 for value in metrics(server, "cache_memory_bytes{", "st_cache_resource"))


def said(**kinds: object) -> bytes:
    return BackMsg(**kinds).SerializeToString()


def test_what_a_developers_menu_sends_is_ignored(server: Server) -> None:
    async def drilled() -> int:
        async with session(server) as connection:
            await rerun(connection)
            before = kept(server)
            for kind in ("clear_cache", "set_run_on_save", "load_git_info", "debug_shutdown_runtime"):
                for _ in range(20):
                    await connection.send(said(**{kind: True}))
            return before

    before = asyncio.run(drilled())
    until(lambda: sum(metrics(server, "active_sessions")) == 0)  # by then all that was sent has been read
    assert 0 < before <= kept(server)


def test_no_message_installs_anything_and_readers_messages_pass() -> None:
    for payload in ("install_skills", "dismiss_skills_nudge"):
        message = BackMsg()
        getattr(message.backend_operation_request, payload).SetInParent()
        assert not is_readers(message.SerializeToString())
    message = BackMsg()
    message.backend_operation_request.deferred_file.file_id = "a"
    assert is_readers(message.SerializeToString())
    for kind in ("stop_script", "app_heartbeat"):
        assert is_readers(said(**{kind: True}))
    assert not is_readers(b"")
    assert not is_readers(said(clear_cache=True) + said(clear_cache=True))
    # Of several kinds in one message the last counts, here and where Streamlit reads it.
    assert not is_readers(said(stop_script=True) + said(clear_cache=True))


def test_what_is_no_message_is_ignored(server: Server, log: Path) -> None:
    async def drilled() -> None:
        async with session(server, origin=server.url.upper().replace("HTTP", "http")) as connection:
            for sent in ("text", b"", b"\xff\xff\xff", b"\x5a\x05"):
                await connection.send(sent)
            await rerun(connection)

    asyncio.run(drilled())
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", "http://evil.example", "null", ""])
def test_a_page_of_another_site_or_port_opens_no_session(origin: str, server: Server) -> None:
    async def drilled() -> None:
        async with session(server, origin=origin):
            pass

    with pytest.raises(InvalidStatus) as refused:
        asyncio.run(drilled())
    assert refused.value.response.status_code == 403


def test_a_session_opens_under_this_machines_names_alone(server: Server) -> None:
    """Under another name (DNS rebinding) the page's own Origin agrees with its Host: the list of names keeps it out."""
    port = urlsplit(server.url).port

    async def opened(name: str) -> None:
        link, origin = f"ws://{name}:{port}/_stcore/stream", f"http://{name}:{port}"
        async with client.connect(link, origin=origin, subprotocols=["streamlit"], host="127.0.0.1", port=port):
            pass

    for name in ("localhost", "127.0.0.1", "[::1]"):
        asyncio.run(opened(name))
    with pytest.raises(InvalidStatus) as refused:
        asyncio.run(opened("rebound.example"))
    assert refused.value.response.status_code == 403


@pytest.fixture
def connect(server: Server) -> Iterator[Callable[[bytes], socket.socket]]:
    """A connection on which so much was sent; HOST stands for the server's."""
    with contextlib.ExitStack() as stack:

        def connected(sent: bytes) -> socket.socket:
            parts = urlsplit(server.url)
            connection = stack.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=60))
            connection.sendall(sent.replace(b"HOST", parts.netloc.encode()))
            return connection

        yield connected


Connect = Callable[[bytes], socket.socket]


def closed(connection: socket.socket) -> bool:
    """Whether the other end closes it, without a word."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_half_a_request_is_not_waited_for(connect: Connect, log: Path) -> None:
    """Those who send nothing, half a head, half a second head, and bytes one by one, are all shown out."""
    heads = [connect(sent) for sent in (b"", b"GET / HTTP/1.1\r\nHost: HOST\r\nX-A:") for _ in range(HALF_OPEN)]
    second = connect(b"GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n")
    answer = b""
    while not answer.endswith(b"}"):
        answer += second.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 200")
    second.sendall(b"GET /")
    trickling = connect(b"GET / HTTP/1.1\r\n")
    with pytest.raises(ConnectionError):
        until(lambda: trickling.sendall(b"X"))
    assert all(map(closed, (*heads, second)))
    assert "Traceback" not in log.read_text()


def test_half_a_body_is_not_waited_for_and_who_leaves_leaves_no_trace(connect: Connect, log: Path) -> None:
    head = b"POST /api/sweeps HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    for _ in range(5):
        connect(head).close()
    waiting, answer = connect(head), b""
    while part := waiting.recv(1 << 16):
        answer += part
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"bytes a second" in answer
    assert "Traceback" not in log.read_text()
