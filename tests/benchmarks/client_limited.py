"""Whether the load generator knows when it is late: no quiet point is flagged, held ones say how far they are off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.endpoint import Settings, running, truth
from tests.benchmarks import Figure
from tests.benchmarks._process import ROOT

QUIET, HELD = 200, 50
CONCURRENCIES = (1, 2, 4, 8, 16)
PERIOD_S, RUNS = 0.1, 0.2
"""A held process is stopped and let go ten times a second, and runs for this share of the time."""
TOKENS = 32
ANYWAY_MS = 1.0
"""What a stamp may be off by on a quiet machine: the server logs before it writes, the client stamps after it read."""
ENDPOINT = Settings(ttft_ms=60, itl_ms=8, model="mock-model")


def measure() -> Iterator[Figure]:
    """The truth is when the client sent and the server's log says it answered, but for what both take anyway."""
    with tempfile.TemporaryDirectory() as folder:
        quiet = [point(Path(folder) / f"q{n}", CONCURRENCIES[n % 5], held=False) for n in range(QUIET)]
        held = [point(Path(folder) / f"h{n}", CONCURRENCIES[n % 5], held=True) for n in range(HELD)]
    yield Figure(
        f"points of {QUIET} flagged as client_limited on a quiet machine",
        sum(bool(one["flag"]) for one in quiet),
        "",
        0,
    )
    yield Figure(
        f"points of {HELD} flagged while held to {RUNS:.0%} of a core",
        sum(bool(one["flag"]) for one in held),
        "",
        HELD,
        at_least=True,
    )
    yield Figure(
        "of these, points all of whose percentiles are off by no more than is stated",
        sum(one["covered"] for one in held),
        "",
        45,
        at_least=True,
    )
    ratios = [by / error for one in held for error, by in one["errors"] if error > 2]
    yield Figure("what is stated over the true error, median", float(np.median(ratios)), "x")


def point(log: Path, concurrency: int, held: bool) -> dict[str, Any]:
    """One point, with whether what it states of itself covers how far it is off."""
    requests = 24 * max(1, concurrency // 2)
    settings = Settings(**{**vars(ENDPOINT), "log": log, "port": 0})
    with running(settings) as url:
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks._watched_client",
            url,
            str(concurrency),
            str(requests),
            str(TOKENS),
        ]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            if held:
                _hold(child)
            said = json.loads(child.communicate(timeout=120)[0])
    assert not said["failed"]
    true = {row.id: row for row in truth.read(log)}
    chunks = [true[name].chunks_sent_ns() for name in said["ids"]]
    sent = said["sent_ns"]
    exact = {
        "ttft_ms": [(came[0] - begun) / 1e6 for begun, came in zip(sent, chunks, strict=True)],
        "tpot_ms": [(came[-1] - came[0]) / 1e6 / (TOKENS - 1) for came in chunks],
        "e2el_ms": [(came[-1] - begun) / 1e6 for begun, came in zip(sent, chunks, strict=True)],
    }
    errors = [(abs(value - float(np.percentile(exact[key], percent))), by) for key, percent, value, by in said["moved"]]
    return {"flag": said["flag"], "errors": errors, "covered": all(error <= by + ANYWAY_MS for error, by in errors)}


def _hold(child: subprocess.Popen[str]) -> None:
    """Stop and let go the process until it has ended."""
    while child.poll() is None:
        os.kill(child.pid, signal.SIGSTOP)
        time.sleep(PERIOD_S * (1 - RUNS))
        os.kill(child.pid, signal.SIGCONT)
        time.sleep(PERIOD_S * RUNS)
        if child.stdout is not None and _has_spoken(child):
            return


def _has_spoken(child: subprocess.Popen[str]) -> bool:
    import select

    return bool(select.select([child.stdout], [], [], 0)[0])
