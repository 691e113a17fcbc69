"""Change points on made series with known ones: alarms without a change, recall, and places, beside other libraries.

Own numbers need nothing more; ruptures (PELT with a penalty of 3 log n in variances of the noise, which is told to it)
and Apache Otava (its E-divisive with a t test, at its own p of 0.001 and at ours) are measured on the same series where
they are installed: `pip install ruptures apache-otava`, in an environment of its own. Values are lognormal; the last
rows break our noise model on purpose, with noise that remembers the value before and with heavy tails.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.maths import change_points
from bench.maths.change_points import ALARMS
from tests.benchmarks import Figure, percentile, seconds

Reals = NDArray[np.float64]
Found = Callable[[Reals], Sequence[int]]
ROUNDS = 400
NOISE = 0.02
NEAR = 1
"""A change counts as found within so many values of its place."""


@dataclass(frozen=True)
class Series:
    """A kind of series: what it is called, the level of each value, and how noise is drawn."""

    name: str
    levels: tuple[float, ...]
    noise: str = "independent"
    goal: float | None = None

    @property
    def places(self) -> list[int]:
        """The places of its changes."""
        return [place for place in range(1, len(self.levels)) if self.levels[place] != self.levels[place - 1]]

    def drawn(self, seed: int) -> Reals:
        """One such series."""
        draw = np.random.default_rng(seed)
        own = draw.standard_normal(len(self.levels))
        if self.noise == "remembering":
            for place in range(1, len(own)):
                own[place] = 0.5 * own[place - 1] + math.sqrt(0.75) * own[place]
        if self.noise == "heavy":
            own = draw.standard_t(3, len(self.levels)) / math.sqrt(3)
        return np.asarray(self.levels) * np.exp(NOISE * own)


def steps(*parts: tuple[float, int]) -> tuple[float, ...]:
    """Levels, each so many times."""
    return tuple(level for level, many in parts for _ in range(many))


STEADY = [
    Series("no change, 6 values", steps((1, 6)), goal=ALARMS),
    Series("no change, 10 values", steps((1, 10)), goal=ALARMS),
    Series("no change, 30 values", steps((1, 30)), goal=ALARMS),
    Series("no change, 100 values", steps((1, 100)), goal=ALARMS),
    Series("no change, 30 values, heavy tails", steps((1, 30)), "heavy"),
    Series("no change, 30 values, correlated 0.5", steps((1, 30)), "remembering"),
]
CHANGED = [
    Series("10 % after 8 of 16", steps((1, 8), (1.1, 8)), goal=0.95),
    Series("20 % with the last of 10", steps((1, 9), (1.2, 1)), goal=0.8),
    Series("5 % after 20 of 40", steps((1, 20), (1.05, 20)), goal=0.9),
    Series("-15 % and back, 5 of 17", steps((1, 6), (0.85, 5), (1, 6)), goal=0.95),
    Series("three steps of 10 % in 60", steps((1, 15), (1.1, 15), (1.2, 15), (1.3, 15)), goal=0.95),
]


def measure() -> Iterator[Figure]:
    """Alarms, recall and further changes of each method, and how long ours takes."""
    for name, method in methods().items():
        own = name == "own"
        for series in STEADY:
            raised = [bool(len(method(series.drawn(seed)))) for seed in range(ROUNDS)]
            goal = (
                None if series.goal is None or not own else series.goal + 3 * math.sqrt(ALARMS * (1 - ALARMS) / ROUNDS)
            )
            yield Figure(f"{name}: alarms, {series.name}", float(np.mean(raised)), "of series", goal)
        for series in CHANGED:
            hits, extra = _scored(method, series)
            yield Figure(
                f"{name}: recall, {series.name}", hits, "of changes", series.goal if own else None, at_least=True
            )
            yield Figure(f"{name}: made up, {series.name}", extra, "a series")
    long = CHANGED[-1].drawn(0)
    year = np.tile(long, 6)
    took = [1000 * seconds(lambda: change_points.of(year.tolist())) for _ in range(9)]
    yield Figure("own: a series of 360 values", percentile(took, 50), "ms", 100)


def _scored(method: Found, series: Series) -> tuple[float, float]:
    """The share of changes that is found within NEAR, and how many others are told in a series."""
    hits = others = 0
    for seed in range(ROUNDS):
        told = list(method(series.drawn(seed)))
        matched = [place for place in series.places if any(abs(place - at) <= NEAR for at in told)]
        hits += len(matched)
        others += max(len(told) - len(matched), 0)
    return hits / ROUNDS / len(series.places), others / ROUNDS


def methods() -> dict[str, Found]:
    """Ours, and the others that are installed."""
    found: dict[str, Found] = {"own": lambda values: [one.at for one in change_points.of(values.tolist()).changes]}
    if importlib.util.find_spec("ruptures"):
        found["ruptures PELT"] = _pelt
    if importlib.util.find_spec("otava"):
        found["otava p 0.001"] = lambda values: _otava(values, 0.001)
        found["otava p 0.05"] = lambda values: _otava(values, 0.05)
    return found


def _pelt(values: Reals) -> list[int]:
    import ruptures

    logs = np.log(values)
    algorithm = ruptures.Pelt(model="l2", min_size=1, jump=1).fit(logs)
    places: list[int] = algorithm.predict(pen=3 * math.log(len(logs)) * NOISE**2)[:-1]
    return places


def _otava(values: Reals, p: float) -> list[int]:
    from otava.analysis import compute_change_points

    found, _ = compute_change_points(values.tolist(), max_pvalue=p, min_magnitude=change_points.LEAST)
    return [int(one.index) for one in found]
