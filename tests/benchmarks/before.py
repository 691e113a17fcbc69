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
from tests.benchmarks._process import ROOT, Process, process
from tests.questions.golden import VIEWS

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
            for number in range(1 + ROUNDS):
                new.ask("forget"), old.ask("forget")
                pairs.append(round_of((new, old), [f"{name}?{query}" for query in asked], number))
            mine, other = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
            yield Figure(f"{name}: an answer, mean of {len(asked)} selections", mine / len(asked) * 1000, "ms")
            yield Figure(f"{name}: over that of {revision[:12]}, median of {ROUNDS} rounds", mine / other, "x", 1)


def round_of(sides: tuple[Process, Process], asked: list[str], number: int) -> tuple[float, float]:
    """The seconds of both sides for all that is asked, one after the other; who begins changes."""
    waits: dict[Process, float] = dict.fromkeys(sides, 0.0)
    for place, question in enumerate(asked, number):
        for side in sides if place % 2 else sides[::-1]:
            waits[side] += side.ask(question)["seconds"]
    return waits[sides[0]], waits[sides[1]]


@contextlib.contextmanager
def tree(revision: str) -> Iterator[Path]:
    """A folder with the files of a revision, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", "--format=tar", revision], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)
