"""A sweep that ten tabs watch measures what it does unwatched: pairs of sweeps, tabs over raw WebSockets."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import websockets.asyncio.client as websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from bench.sweep.session import jobs
from tests.benchmarks import Figure
from tests.benchmarks._server import Server, running
from tests.benchmarks._yardstick import serving

TABS, PAIRS = 10, 5
PACE = ("--ttft-ms", "100", "--itl-ms", "10")
PLAN = {
    "endpoint.model": "fake-model",
    "workloads.isl": "64",
    "workloads.osl": "64",
    "loads.concurrency": "4, 8, 16",
    "point.duration_s": "6",
    "point.warmup_s": "1",
}
FRAGMENT_DRAWN = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
METRICS = {"output_tokens_per_s": "throughput", "ttft_ms_p50": "TTFT p50"}


def measure() -> Iterator[Figure]:
    """How far ten tabs move a paced sweep's throughput and TTFT; the pairs are taken in turns, as is who goes first."""
    pairs: list[tuple[dict[str, float], dict[str, float]]] = []
    spent: list[float] = []
    with tempfile.TemporaryDirectory() as place, running(Path(place)) as server, serving(PACE) as endpoint:
        swept(Path(place), endpoint, server, 1, [])
        for turn in range(PAIRS):
            alone_first = turn % 2 == 0
            first = swept(Path(place), endpoint, server, 0 if alone_first else TABS, spent)
            second = swept(Path(place), endpoint, server, TABS if alone_first else 0, spent)
            pairs.append((first, second) if alone_first else (second, first))
    for metric, name in METRICS.items():
        moved = [watched[metric] / alone[metric] - 1 for alone, watched in pairs]
        yield Figure(f"{name}, ten tabs against none", abs(statistics.median(moved)) * 100, "%", 2)
        yield Figure(f"{name}, the pair that differs most", max(map(abs, moved)) * 100, "%")
    yield Figure("processor time of the server for each second that ten tabs watch", statistics.median(spent), "s")


def swept(library: Path, endpoint: str, server: Server, tabs: int, spent: list[float]) -> dict[str, float]:
    """The metrics of the last point of a sweep that so many tabs watched, with charts of the points before it.

    How busy they kept the server is added to `spent`.
    """
    folder = Folder.create(library, Plan.from_fields({"endpoint.url": endpoint, **PLAN}))
    jobs.start(folder)
    process, begun = psutil.Process(server.pid), time.monotonic()
    before = sum(process.cpu_times()[:2])
    with watching(server.url, folder.id, tabs) as seen:
        while folder.held():
            time.sleep(0.1)
    if tabs > 1:
        spent.append((sum(process.cpu_times()[:2]) - before) / (time.monotonic() - begun))
    assert len(seen) == tabs, "Every tab is drawn again by itself while the sweep runs."
    last = folder.read.points[-1][0]
    return {metric: float(last.metrics[metric]) for metric in METRICS}


@contextlib.contextmanager
def watching(url: str, sweep: str, tabs: int) -> Iterator[set[int]]:
    """Tabs on the sweep's page until the block ends; gives the numbers of those that were drawn again meanwhile."""
    seen: set[int] = set()
    over = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(opened(url, sweep, tabs, seen, over)))
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


async def opened(url: str, sweep: str, tabs: int, seen: set[int], over: threading.Event) -> None:
    """Keep so many tabs open until it is over."""
    open_tabs = [asyncio.create_task(tab(url, sweep, number, seen)) for number in range(tabs)]
    while not over.is_set():
        await asyncio.sleep(0.1)
    for one in open_tabs:
        one.cancel()
    for ended in await asyncio.gather(*open_tabs, return_exceptions=True):
        if not isinstance(ended, asyncio.CancelledError):
            raise RuntimeError("A tab was closed before the sweep had ended.") from ended


async def tab(url: str, sweep: str, number: int, seen: set[int]) -> None:
    """Do what a browser's tab does: ask for the page, then for its fragment as often as that says."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with (
        websockets.connect(address, subprotocols=["streamlit"], max_size=None, origin=url) as connection,
        asyncio.TaskGroup() as asking,
    ):
        await connection.send(asked(sweep).SerializeToString())
        script = ""
        async for content in connection:
            told = ForwardMsg()
            told.ParseFromString(content)
            kind = told.WhichOneof("type")
            if kind == "new_session":
                script = told.new_session.page_script_hash
            elif kind == "script_finished" and told.script_finished == FRAGMENT_DRAWN:
                seen.add(number)
            elif kind == "auto_rerun":
                asking.create_task(
                    repeating(connection, sweep, script, told.auto_rerun.fragment_id, told.auto_rerun.interval)
                )


async def repeating(
    connection: websockets.ClientConnection, sweep: str, script: str, fragment: str, interval_s: float
) -> None:
    """Ask for a fragment of the page again and again."""
    while True:
        await asyncio.sleep(interval_s)
        message = asked(sweep)
        message.rerun_script.page_script_hash = script
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = True
        await connection.send(message.SerializeToString())


def asked(sweep: str) -> BackMsg:
    """The request for a sweep's page."""
    message = BackMsg()
    message.rerun_script.page_name = "jobs"
    message.rerun_script.query_string = f"job={sweep}"
    return message
