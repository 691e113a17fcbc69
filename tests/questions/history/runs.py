"""Made histories: runs of one deployment, each some throughputs by concurrency on a day."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bench.library import Library
from tests.questions.heatmap.results import Row, library_of, point

FIRST = datetime.date(2026, 1, 5)
LEVELS = {4: 400.0, 16: 1200.0, 64: 3000.0}


def run(day: int, rates: Mapping[int, float], **facts: object) -> list[Row]:
    """One run so many days after the first, at an address of its own; TPOT follows from the throughput."""
    date = (FIRST + datetime.timedelta(days=day)).isoformat()
    of = {"date": date, "source_url": f"https://example.org/{date}", "harness": "a", **facts}
    return [
        point(1024, 1024, rate, concurrency=load, tpot_ms_p50=1000 * load / rate, **of) for load, rate in rates.items()
    ]


def runs(speeds: Sequence[float], *, noise: float = 0.01, seed: int = 1, every: int = 10, **facts: object) -> list[Row]:
    """Runs ten days apart of these speeds, with noise of their own at each load."""
    drawn = np.random.default_rng(seed).standard_normal((len(speeds), len(LEVELS)))
    return [
        row
        for place, speed in enumerate(speeds)
        for row in run(
            every * place,
            {
                load: level * speed * math.exp(noise * drawn[place, at])
                for at, (load, level) in enumerate(LEVELS.items())
            },
            **facts,
        )
    ]


def held(folder: Path, rows: Iterable[Row]) -> Library:
    return library_of(folder, list(rows))
