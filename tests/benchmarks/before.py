"""Every answer against that of an earlier revision, KNEEPOINT_BEFORE=REVISION, in turns on the shipped library."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.view import View
from tests.benchmarks import Figure
from tests.benchmarks._process import ROOT, process
from tests.questions.recorded import VIEWS

REVISION = "KNEEPOINT_BEFORE"
ROUNDS = 7


def measure() -> Iterator[Figure]:
    """Two processes, one with each revision's code and library, answer every question; nothing without a revision.

    In a round each question is asked of thirty selections, one after the other, as the app asks it: whatever the
    library remembers within one state of it counts, what it remembers of the round before does not.
    """
    revision = os.environ.get(REVISION, "")
    if not revision:
        return
    asked = [View.of(where).query() for where in VIEWS.values()]
    with tree(revision) as before, process("_earlier", before) as old, process("_earlier", ROOT) as new:
        known = old.ask("names")["names"]
        for name in (name for name in new.ask("names")["names"] if name in known):
            pairs = []
            for _ in range(1 + ROUNDS):
                new.ask("forget"), old.ask("forget")
                waits = [[side.ask(f"{name}?{query}")["seconds"] for side in (new, old)] for query in asked]
                pairs.append([sum(side) for side in zip(*waits, strict=True)])
            mine, other = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
            yield Figure(
                f"{name}: an answer, mean of {len(asked)} selections", mine / len(asked) * 1000, "ms"
            )
            yield Figure(
                f"{name}: over that of {revision[:12]}, median of {ROUNDS} rounds", mine / other, "x", 1
            )


@contextlib.contextmanager
def tree(revision: str) -> Iterator[Path]:
    """A folder with the files of a revision, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", "--format=tar", revision], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)
