"""What earlier sweeps of the same library found for the same model and shapes: the frontier behind a run's curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.errors import BenchError
from bench.formats.journal import PointLine
from bench.maths import pareto
from bench.runs.levels import THROUGHPUT, shape_words
from bench.runs.run import RunStory
from bench.sweep.folder import Folder

MOST_SWEEPS = 30


@dataclass(frozen=True)
class EarlierBest:
    """The best of so many earlier sweeps for one shape: latency and throughput along their frontier."""

    shape: str
    latencies: tuple[float, ...]
    throughputs: tuple[float, ...]
    sweeps: int


def earlier(folder: Folder, story: RunStory, others: Sequence[Folder]) -> tuple[EarlierBest, ...]:
    """A frontier for each shape of the run that earlier sweeps of its model have measured, as real or as simulated.

    `others` are sweeps of the library, the newest first.
    """
    model = folder.plan.endpoint.model
    shapes = {shape_words(line) for line in story.lines}
    by_shape: dict[str, list[tuple[str, PointLine]]] = {}
    for other in [one for one in others if one.id < folder.id][:MOST_SWEEPS]:
        try:
            if other.plan.endpoint.model != model:
                continue
            points = other.read.points
        except BenchError:
            continue
        for line, session in points:
            if shape_words(line) in shapes and (session.evidence == "simulated") == story.simulated:
                by_shape.setdefault(shape_words(line), []).append((other.id, line))
    made = (_frontier(shape, lines, story) for shape, lines in sorted(by_shape.items()))
    return tuple(one for one in made if one is not None)


def _frontier(shape: str, lines: Sequence[tuple[str, PointLine]], story: RunStory) -> EarlierBest | None:
    key = story.latency.key
    usable = [
        (id, line.metrics[key], line.metrics[THROUGHPUT])
        for id, line in lines
        if key in line.metrics and THROUGHPUT in line.metrics
    ]
    if not usable:
        return None
    x, y = np.array([row[1] for row in usable]), np.array([row[2] for row in usable])
    best = pareto.frontier(x, y, story.latency.better, "higher")
    order = best[np.argsort(x[best])]
    sweeps = len({usable[place][0] for place in order.tolist()})
    return EarlierBest(shape, tuple(x[order].tolist()), tuple(y[order].tolist()), sweeps)
