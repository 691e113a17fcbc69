"""What the load generator is measured against: the project's own endpoint, which logs when it really sent, and plain
aiohttp readers. Server and client have a core each."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.endpoint import truth
from tests.benchmarks import percentile
from tests.benchmarks._process import ROOT

CORES = sorted(os.sched_getaffinity(0))
MODEL = "mock-model"
AS_READ = ("--ttft-ms", "0", "--itl-ms", "0", "--chunks-per-write", "16")
PR_SET_PDEATHSIG = 1
CLIENTS = {
    "own": ("_load_client",),
    "feed": ("_plain_reader", "--by", "feed"),
    "lines": ("_plain_reader", "--by", "lines"),
}


@dataclass(frozen=True)
class Case:
    """A load: so many requests at a concurrency, to a server that is paced or sends as fast as it is read."""

    concurrency: int
    requests: int
    paced: bool


@dataclass
class Result:
    """One client under one case, held against the server's log. Errors are the client's figure less the server's."""

    tokens_per_s: float
    throughput_off_percent: float
    cpu_s_per_million: float
    server_itl_ms_p99: float
    lag_us: list[float] = field(default_factory=list)
    ttft_error_ms: list[float] = field(default_factory=list)
    itl_p50_error_ms: float = 0.0
    said: dict[str, Any] = field(default_factory=dict)


def result(client: str, case: Case) -> Result:
    """What a client made of the case: `own`, or aiohttp as `feed` or `lines`.

    A paced case is repeated when the server was late.
    """
    for _ in range(4):
        with tempfile.TemporaryDirectory() as folder:
            measured = _once(client, case, Path(folder))
        if not case.paced or measured.server_itl_ms_p99 <= 12:
            break
    return measured


def _once(client: str, case: Case, folder: Path) -> Result:
    log, out = folder / "log", folder / "out"
    pace = ("--ttft-ms", "200", "--itl-ms", "10") if case.paced else AS_READ
    with serving(["--model", MODEL, "--log", str(log), *pace]) as url:
        said, spent = _run(_command(client, case, url, out))
    sent = {row.id: (row.received_ns, row.chunks_sent_ns()) for row in truth.read(log)}
    records = json.loads(out.read_text())
    if len(records) != case.requests or said.get("failed"):
        raise AssertionError(f"{client} completed {len(records)} of {case.requests} requests: {said.get('failed')}")
    return _compared(records, sent, spent, said)


def _compared(records: list[Any], sent: dict[str, tuple[int, list[int]]], spent: Spent, said: dict[str, Any]) -> Result:
    lag, errors, mine, theirs = [], [], [], []
    for begin, stamps, name in records:
        received, truths = sent[name]
        if len(stamps) != len(truths):
            raise AssertionError(f"{name}: {len(stamps)} of {len(truths)} tokens were seen")
        lag += [(seen - true) / 1e3 for seen, true in zip(stamps, truths, strict=True)]
        errors.append(((stamps[0] - begin) - (truths[0] - received)) / 1e6)
        mine += [later - earlier for earlier, later in pairwise(stamps)]
        theirs += [later - earlier for earlier, later in pairwise(truths)]
    tokens = sum(len(stamps) for _, stamps, _ in records)
    first, last = min(begin for begin, _, _ in records), max(stamps[-1] for _, stamps, _ in records)
    true_first = min(received for received, _ in sent.values())
    true_last = max(truths[-1] for _, truths in sent.values())
    rate, true_rate = tokens / (last - first) * 1e9, tokens / (true_last - true_first) * 1e9
    return Result(
        tokens_per_s=rate,
        throughput_off_percent=abs(rate / true_rate - 1) * 100,
        cpu_s_per_million=(spent.at(last + 20_000_000) - spent.at(first)) / 1e9 / tokens * 1e6,
        server_itl_ms_p99=percentile(theirs, 99) / 1e6,
        lag_us=lag,
        ttft_error_ms=errors,
        itl_p50_error_ms=abs(percentile(mine, 50) - percentile(theirs, 50)) / 1e6,
        said=said,
    )


class Spent:
    """The CPU time of a process over time, read from outside fifty times a second."""

    def __init__(self, process: int) -> None:
        self.samples: list[tuple[int, int]] = []
        self.file = f"/proc/{process}/schedstat"

    def watch(self, ended: threading.Event) -> None:
        while not ended.wait(0.02):
            with contextlib.suppress(OSError):
                spent = int(Path(self.file).read_text().split()[0])
                self.samples.append((time.monotonic_ns(), spent))

    def at(self, moment: int) -> float:
        """The CPU nanoseconds until then, between two samples in proportion."""
        for (early, before), (late, after) in pairwise(self.samples):
            if early <= moment <= late:
                return before + (after - before) * (moment - early) / (late - early)
        return float(self.samples[0 if moment < self.samples[0][0] else -1][1])


def _run(command: Sequence[str]) -> tuple[dict[str, Any], Spent]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, preexec_fn=on_core(0)) as child:
        spent, ended = Spent(child.pid), threading.Event()
        watcher = threading.Thread(target=spent.watch, args=(ended,))
        watcher.start()
        text = child.communicate(timeout=300)[0]
        ended.set()
        watcher.join()
    if child.returncode:
        raise AssertionError(f"{command} ended with {child.returncode}")
    return (json.loads(text) if text.strip() else {}), spent


def on_core(place: int) -> Callable[[], None]:
    """What a child does first: it keeps to one core, and ends when this process does."""
    core, system = CORES[place % len(CORES)], ctypes.CDLL(None)

    def begin() -> None:
        os.sched_setaffinity(0, {core})
        system.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

    return begin


def _command(client: str, case: Case, url: str, out: Path) -> list[str]:
    load = ["--url", url, "--model", MODEL, "--concurrency", str(case.concurrency), "--requests", str(case.requests)]
    module, *more = CLIENTS[client]
    return [sys.executable, "-m", f"tests.benchmarks.{module}", *more, *load, "--out", str(out)]


@contextlib.contextmanager
def serving(options: Sequence[str]) -> Iterator[str]:
    """The URL of the project's own endpoint in a process on the last core; its log is whole after the block."""
    command = [sys.executable, "-m", "bench", "endpoint", "--port", "0", "--json", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, preexec_fn=on_core(-1)) as server:
        assert server.stdout is not None
        try:
            yield _url(server.stdout)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def _url(said: Any) -> str:
    """The URL in the JSON document that the endpoint begins with, one line or many."""
    text = ""
    guard = threading.Timer(30, said.close)
    guard.start()
    try:
        while True:
            text += said.readline()
            with contextlib.suppress(ValueError):
                return str(json.loads(text)["url"])
    finally:
        guard.cancel()
