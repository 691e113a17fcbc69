"""Small sweeps against the fake endpoint, in this process and as processes of their own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from bench.cli import main
from bench.endpoint import Settings, running, truth
from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import looked_at

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


def asked_before(place: Path, **fields: Any) -> int:
    """How many answers the checks before a sweep of this plan ask for: the load's first is the one of this number."""
    log = place / "checks.jsonl"
    with running(Settings(ttft_ms=1, itl_ms=0, log=log)) as url:
        assert looked_at(plan_for(url, **fields)).problem is None
    return len(truth.read(log))


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
