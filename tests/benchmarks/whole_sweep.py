"""A sweep as a shell starts it: its start and end, and failures among good answers."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.endpoint import truth
from bench.endpoint.truth import Truth
from tests.benchmarks import Figure, percentile
from tests.benchmarks._process import ROOT
from tests.benchmarks._yardstick import on_core, serving

STARTS, ROUNDS = 9, 3
PERCENTS = (50, 90, 99)
MIXED = (
    "refused reset 429 500 503 redirect html error_body error_event cut malformed stall slow_headers huge_headers "
    "endless_line endless_stream gzip"
).split()
FAILING = 0.1
SERVER_LATE_MS = 2.0
"""Where the endpoint itself sends later than this at p99 the machine was busy with something else: measured again."""
TRIES = 2


@dataclass(frozen=True)
class Swept:
    """A sweep of one point, what the endpoint says of its requests, and when it was all over."""

    point: dict[str, Any]
    truths: list[Truth]
    end_s: float

    @property
    def server_late_ms(self) -> float:
        """How late the endpoint sent, at p99."""
        late = [(sent - due) / 1e6 for row in self.truths for due, sent in zip(row.due_ns, row.sent_ns, strict=False)]
        return percentile(late, 99)


def measure() -> Iterator[Figure]:
    """Sweep and endpoint on a core each; medians."""
    yield Figure("start of the process to its first request", statistics.median(starts()), "s", 0.5)
    steady = [swept(["--ttft-ms", "100", "--itl-ms", "5"], 32, 640, 40) for _ in range(ROUNDS)]
    yield Figure("last response to the finished journal", statistics.median(one.end_s for one in steady), "s", 0.5)
    yield from failing(steady)


def starts() -> list[float]:
    """Seconds from the start of a process to its first bytes at the endpoint."""
    found = []
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.TemporaryDirectory() as library:
        command = sweeping(f"http://127.0.0.1:{listener.getsockname()[1]}", library, 1, 1, 1)
        for _ in range(STARTS):
            begun = time.monotonic()
            with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                asking, _ = listener.accept()
                asking.recv(1)
                found.append(time.monotonic() - begun)
                asking.close()
                process.kill()
    return found


def failing(clean: Sequence[Swept]) -> Iterator[Figure]:
    """A tenth of the requests fail, each in one of seventeen ways; the good ones are as fast as without those."""
    share = f"{FAILING / len(MIXED):.6f}"
    told = ",".join(f"{kind}={share}" for kind in MIXED)
    mixed = [
        swept(["--ttft-ms", "100", "--itl-ms", "5", "--fail", told, "--slow-headers-s", "60"], 32, 640, 40)
        for _ in range(ROUNDS)
    ]
    count = statistics.median(one.point["requests_failed"] for one in mixed)
    yield Figure("failures in a sweep of 640 requests", count, "requests")
    for key in ("ttft_ms", "tpot_ms", "e2el_ms"):
        for percent in PERCENTS:
            name = f"{key}_p{percent}"
            usual = statistics.median(one.point[name] for one in clean)
            off = abs(statistics.median(one.point[name] for one in mixed) / usual - 1)
            yield Figure(f"with a tenth failing, {key[:-3]} p{percent} of the good off by", off * 100, "%", 2)


def swept(options: Sequence[str], concurrency: int, requests: int, osl: int) -> Swept:
    """A sweep of one point; again where the endpoint was late for want of its core."""
    for _ in range(TRIES):
        one = _swept(options, concurrency, requests, osl)
        if one.server_late_ms <= SERVER_LATE_MS:
            break
    return one


def _swept(options: Sequence[str], concurrency: int, requests: int, osl: int) -> Swept:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "truth.jsonl"
        with serving([*options, "--log", str(log)]) as url:
            command = sweeping(url, folder, concurrency, requests, osl)
            done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, preexec_fn=on_core(0))
        told = json.loads(done.stdout)
        truths = truth.read(log)
        (place,) = (path.parent for path in (Path(folder) / "sweeps").glob("*/journal.jsonl"))
        written = (place / "journal.jsonl").stat().st_mtime - (time.time() - time.monotonic())
    last = max(row.end_ns or 0 for row in truths) / 1e9
    return Swept(told["points"][0], truths, written - last)


def sweeping(url: str, library: str, concurrency: int, requests: int, osl: int) -> list[str]:
    """The command of such a sweep."""
    asked = f"--url {url} --model fake-model --isl 64 --osl {osl} --concurrency {concurrency} --requests {requests}"
    limits = ["--with", "point.stall_s=1", "point.timeout_s=4"]
    return [sys.executable, "-m", "bench", "sweep", *asked.split(), "--library", library, *limits, "--json"]
