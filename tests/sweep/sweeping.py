"""Small sweeps against the fake endpoint, in this process and as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan

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
