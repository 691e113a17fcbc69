"""The server steps back; the sweeps and practice endpoints that it starts do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.sweep.session.priority import BACK
from tests.sweep.sweeping import ROOT

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="Only on Linux has a thread a niceness of its own."),
]

OWN = os.getpriority(os.PRIO_PROCESS, 0)
CHILD = """
import json, os, subprocess, sys
def child(*_):
    return int(subprocess.check_output([sys.executable, "-S", "-c", "import os; print(os.nice(0))"]))
"""
CHILDREN = """
import threading
from bench.sweep.session.priority import at_the_front, step_back
step_back()
step_back()
found = [child(), at_the_front(child)]
other = threading.Thread(target=lambda: found.extend([child(), at_the_front(child)]))
other.start()
other.join()
try:
    at_the_front(lambda: 1 / 0)
except ZeroDivisionError:
    print(json.dumps(found))
"""
SERVER = """
import asyncio
from pathlib import Path
import app
from bench.access import Visitor
from bench.sweep.planning.plan import Plan
from bench.sweep.session import demo_endpoints, jobs, launching
jobs.start = lambda folder: found.append(child())
demo_endpoints._started = lambda library, name: found.append(child())
app.load = app.warm = app.waiting.limit_heads = lambda: None
library, found, shell = Path(sys.argv[1]), [], Visitor.at_the_shell()
stated = {"endpoint.url": "http://127.0.0.1:9", "endpoint.model": "m", "profile": "quick"}

async def serve():
    async with app.lifespan(None):
        folder = launching.launch(library, Plan.from_fields(stated), shell)
        launching.resume(library, folder.id, shell)
        demo_endpoints.practise(library, "chat-gpu")
        folder.tell({"id": folder.id, "state": "interrupted"})
        launching.resume_interrupted(library)
        print(json.dumps([child(), *found]))

asyncio.run(serve())
"""


def told(script: str, *words: str) -> list[int]:
    command = [sys.executable, "-c", CHILD + script, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    niceness: list[int] = json.loads(done.stdout)
    return niceness


def test_what_is_started_at_the_front_is_as_nice_as_the_process_was_at_first() -> None:
    assert told(CHILDREN) == [OWN + BACK, OWN, OWN + BACK, OWN]


def test_the_server_is_nicer_than_the_sweeps_and_practice_endpoints_it_starts(tmp_path: Path) -> None:
    assert told(SERVER, str(tmp_path)) == [OWN + BACK, OWN, OWN, OWN, OWN]
