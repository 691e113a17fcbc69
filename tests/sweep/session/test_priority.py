"""The server steps back; the sweeps and practice endpoints that it starts do not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from bench.sweep.folder import Folder
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import FOLDER, practise
from bench.sweep.session.priority import BACK, at_the_front
from tests.benchmarks._server import ROOT, running

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="Only on Linux has a thread a niceness of its own."),
]

OWN = os.getpriority(os.PRIO_PROCESS, 0)
CHILDREN = """
import os, subprocess, sys, threading
from bench.sweep.session.priority import at_the_front, step_back
child = lambda: int(subprocess.check_output([sys.executable, "-c", "import os; print(os.nice(0))"]))
step_back()
step_back()
found = [child(), at_the_front(child)]
other = threading.Thread(target=lambda: found.extend([child(), at_the_front(child)]))
other.start()
other.join()
try:
    at_the_front(lambda: 1 / 0)
except ZeroDivisionError:
    print(found)
"""


def test_what_is_started_at_the_front_is_as_nice_as_the_process_was_at_first() -> None:
    told = subprocess.run([sys.executable, "-c", CHILDREN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == [OWN + BACK, OWN, OWN + BACK, OWN]


def test_a_process_that_never_stepped_back_calls_by_itself() -> None:
    assert at_the_front(lambda: os.getpriority(os.PRIO_PROCESS, 0)) == OWN


def test_the_server_is_nicer_than_the_sweeps_it_starts(tmp_path: Path) -> None:
    url = practise(tmp_path, "chat-gpu").url
    plan = {
        "endpoint.url": url,
        "endpoint.model": "chat-gpu",
        "workloads.isl": 8,
        "workloads.osl": 4,
        "loads.concurrency": 1,
        "point.duration_s": 60,
    }
    try:
        with running(tmp_path) as server:
            request = urllib.request.Request(
                f"{server.url}/api/sweeps", json.dumps(plan).encode(), {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                folder = Folder.of(tmp_path, json.load(answer)["id"])
            until = time.monotonic() + 60
            while "pid" not in folder.status and time.monotonic() < until:  # it writes that as it starts
                time.sleep(0.05)
            sweep = psutil.Process(folder.status["pid"])
            niceness = [one.nice() for one in (sweep, *sweep.children(recursive=True))]
            of_server = os.getpriority(os.PRIO_PROCESS, server.pid)
            jobs.cancel(folder)
    finally:
        for record in (tmp_path / FOLDER).glob("*.json"):
            os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)
    assert set(niceness) == {OWN}
    assert of_server == OWN + BACK
