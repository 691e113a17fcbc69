"""Thirty readers at once: memory of the server and how long everybody waits, over raw WebSockets."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator

import psutil
import websockets.asyncio.client as websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.benchmarks import Figure, percentile
from tests.benchmarks._server import running

SESSIONS = 30
BURSTS = 5
PAGE = "pareto"


def measure() -> Iterator[Figure]:
    """Memory with thirty sessions, and thirty simultaneous reruns, five times, against thirty times one."""
    with running() as server:
        one, everybody, megabytes = asyncio.run(crowd(server.url, server.pid))
    yield Figure("one warm rerun of a session", one, "s")
    yield Figure("memory of the server with 30 sessions", megabytes, "MB", 350)
    yield Figure(
        "30 simultaneous reruns, p95, over 30 x one warm rerun", percentile(everybody, 95) / (SESSIONS * one), "x", 1.5
    )


async def crowd(url: str, pid: int) -> tuple[float, list[float], float]:
    """Seconds of one warm rerun, seconds of each of five times thirty at once, megabytes of the server."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    connections = [
        await websockets.connect(address, subprotocols=["streamlit"], max_size=None, origin=url)
        for _ in range(SESSIONS)
    ]
    for connection in connections:
        await rerun(connection)
    one = statistics.median([await rerun(connections[0]) for _ in range(15)])
    everybody = []
    for _ in range(BURSTS):
        everybody += await asyncio.gather(*(rerun(connection) for connection in connections))
    megabytes = psutil.Process(pid).memory_info().rss / 1e6
    for connection in connections:
        await connection.close()
    return one, everybody, megabytes


async def rerun(connection: websockets.ClientConnection) -> float:
    """Seconds from asking for a rerun to its last message."""
    start = time.perf_counter()
    message = BackMsg()
    message.rerun_script.page_name = PAGE
    await connection.send(message.SerializeToString())
    while True:
        answer = ForwardMsg()
        answer.ParseFromString(await connection.recv())
        if answer.WhichOneof("type") == "script_finished":
            return time.perf_counter() - start
