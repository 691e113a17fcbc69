"""Every answer against that of an earlier revision, KNEEPOINT_BEFORE=REVISION, in turns on the shipped library."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import ROOT, process

REVISION = "KNEEPOINT_BEFORE"
ROUNDS = 15
QUERIES = ("", "?model=deepseek-r1", "?model=llama-3.1-70b", "?source=rvllm-tpu-v6e-vs-h100")


def measure() -> Iterator[Figure]:
    """Two processes, one with each revision's code and library, answer each question in turns; nothing without one."""
    revision = os.environ.get(REVISION, "")
    if not revision:
        return
    with tree(revision) as before, process("_earlier", before) as old, process("_earlier", ROOT) as new:
        known = old.ask("names")["names"]
        both = [name for name in new.ask("names")["names"] if name in known]
        for name in (f"{name}{query}" for name in both for query in QUERIES):
            old.ask(name), new.ask(name)
            pairs = [(new.ask(name)["seconds"], old.ask(name)["seconds"]) for _ in range(ROUNDS)]
            mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
            yield Figure(f"{name}: its answer, median of {ROUNDS}", mine * 1000, "ms")
            yield Figure(f"{name}: over that of {revision[:12]}", mine / other, "x", 1)


@contextlib.contextmanager
def tree(revision: str) -> Iterator[Path]:
    """A folder with the files of a revision, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", "--format=tar", revision], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)
