"""Small sweeps against the fake endpoint, in this process and as processes of their own."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.cli import main
from bench.endpoint import Settings, running, truth
from bench.formats.journal import PointLine
from bench.sweep.folder import Folder
from bench.sweep.generator.samples import gathered
from bench.sweep.generator.spool import Spool
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.finishing import FinishedLoad, line_of
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import looked_at
from bench.sweep.wire.exchange import Exchange, Limits, PointRun

ROOT = Path(__file__).resolve().parents[2]


def plan_for(url: str, **fields: Any) -> Plan:
    """A quick plan: two concurrencies of one shape, a few requests each. `point__requests` states point.requests."""
    stated = {
        "endpoint.url": url,
        "endpoint.model": "fake-model",
        "workloads.isl": "32",
        "workloads.osl": "8",
        "loads.concurrency": "1,2",
        "point.requests": "6",
        "point.warmup_requests": "1",
        "seed": "7",
        **{key.replace("__", "."): value for key, value in fields.items()},
    }
    return Plan.from_fields(stated)


def folder_for(library: Path, url: str, **fields: Any) -> Folder:
    """A sweep's folder with such a plan in it."""
    return Folder.create(library, plan_for(url, **fields))


def line_of_load(
    place: Path, plan: Plan, limits: Limits, exchanges: Iterable[Exchange], bases: Sequence[str] = ()
) -> PointLine:
    """The line of the first point of a plan whose load has made these exchanges."""
    spool, end_ns = Spool(place / "1.part"), 0
    for one in exchanges:
        spool.add(one, one.input_tokens, len(one.stamps_ns))
        end_ns = max(end_ns, one.end_ns)
    spool.close()
    run = PointRun(start_ns=0, end_ns=end_ns, lag_ns=array("q", [0] * (end_ns // 10**7)), cpu_s=0.1)
    drift = ClockDrift(0, 0, 0)
    ran = FinishedLoad(plan.points()[0], limits, gathered([place / "1.part"]), [run], drift, (), "", bases=bases)
    return line_of(ran, plan, 1, "requests/1.parquet")


def bench(*arguments: str, timeout: float = 60, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command of the command line, run to its end."""
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, **more)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the command line, run to its end in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(arguments))
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@cache
def asked_before(**fields: Any) -> int:
    """How many answers the checks before a sweep of this plan ask for: the load's first is the one of this number."""
    with TemporaryDirectory() as place:
        log = Path(place) / "checks.jsonl"
        with running(Settings(ttft_ms=1, itl_ms=0, log=log)) as url:
            assert looked_at(plan_for(url, **fields)).problem is None
        return len(truth.read(log))


def failing(first: int, past: int, kind: str = "500") -> Settings:
    """A quick endpoint of which the answers with these numbers fail; one that stalls never ends."""
    return Settings(ttft_ms=2, itl_ms=1, fail_at=dict.fromkeys(range(first, past), kind), stall_s=600)


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """A disk that is full once a file has so many bytes, for all that this process writes in the block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def started(folder: Folder) -> subprocess.Popen[bytes]:
    """The sweep of a folder as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "bench.sweep", str(folder.path)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def numbers_of_samples(folder: Folder) -> dict[str, int]:
    """How many requests each file of samples holds."""
    import pyarrow.parquet as pq

    return {path.name: pq.read_metadata(path).num_rows for path in folder.requests.iterdir()}


def document(text: str) -> Any:
    """The one JSON document on stdout."""
    return json.loads(text)
