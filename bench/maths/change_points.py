"""Where the level of a series of measurements changed, and where nothing says that it did.

The noise model: each value is its level times noise that is lognormal, independent and of one variance all along the
series; between two change points the level stays. Nothing is said of series that drift or whose noise depends on the
value before.

Method: the partition with the least squares about its levels, for each number of changes, by dynamic programming over
all partitions (I. E. Auger and C. E. Lawrence, "Algorithms for the optimal identification of segment neighborhoods",
Bulletin of Mathematical Biology 51, 1989); then from no change upwards one or two more at a time, as long as an F test
of the larger partition against the smaller is significant (J. Bai and P. Perron, "Estimating and testing linear models
with multiple structural changes", Econometrica 66, 1998). Two at a time find a rise that a fall undoes, which one alone
does not. The partition is chosen for the statistic, so its p is multiplied by how many tests that choice amounts to:
LOOKS, from simulated series without a change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.maths.load_curve import Reals
from bench.maths.statistics import student_t_95

ALARMS = 0.05
"""At most so many series without a change are told to have one."""

LEAST = 0.03
"""A smaller change is not told, however sure it is."""

FEWEST = 4
"""Of fewer values nothing can be said; two changes at a time need TWO_AT_LEAST."""

TWO_AT_LEAST = 6

MOST_CHANGES = 12
"""So many are looked for, the clearest first."""

ROUNDING = 5e-4
"""Values are printed with some three digits: their noise is taken to be at least this share of them."""

LOOKS: dict[int, tuple[float, float]] = {
    4: (3.3, math.inf),
    5: (4.5, math.inf),
    6: (5.4, 10.2),
    8: (7.0, 17),
    10: (8.8, 28),
    12: (10.6, 39),
    15: (13.4, 55),
    20: (16.6, 81),
    30: (19.0, 128),
    45: (24.5, 208),
    70: (29.0, 340),
    110: (45.0, 490),
    180: (54.0, 830),
}
"""By how many values a series has: how many independent F tests the best single change, and the best pair of changes,
amount to. From 20,000 to 100,000 normal series of each length, at 0.25 to 2.5 % false alarms, the largest of them:
`tests/benchmarks/change_points.py` counts the alarms again. Between lengths and beyond in proportion on logarithms."""


@dataclass(frozen=True)
class ChangePoint:
    """A change of level: the place of the first value after it, the level after over the one before, and how sure.

    `low` and `high` are the 95 % interval of the ratio, of the place that was found; `p` is the chance of one so clear
    in a series without it, among all the places it might have been found at.
    """

    at: int
    ratio: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Levels:
    """The levels of a series: its values above 0, the change points between them, and the noise about them.

    `noise` is the standard deviation of a value about its level, as a share of it; None where every value is a level of
    its own. `is_tested` says that there were enough values to find a change in.
    """

    values: tuple[float, ...]
    changes: tuple[ChangePoint, ...]
    noise: float | None
    is_tested: bool

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The first place and the one after the last of each level."""
        places = [0, *(one.at for one in self.changes), len(self.values)]
        return tuple(pairwise(places)) if self.values else ()

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The geometric mean of the values of each level."""
        return tuple(float(np.exp(np.mean(np.log(self.values[start:end])))) for start, end in self.bounds)


def of(values: Sequence[float], *, alarms: float = ALARMS, least: float = LEAST) -> Levels:
    """The levels of a series in the order of time; ValueError where a value is not above 0 and finite.

    Of series without a change at most the share `alarms` has one found; of several series that are told together, give
    each its share of that. A change by less than the share `least`, of the level before or after, is not told.
    """
    if not all(math.isfinite(value) and value > 0 for value in values):
        raise ValueError(f"{list(values)[:5]} has a value that is not above 0 and finite: leave it out")
    if not 0 < alarms < 1 or not least >= 0:
        raise ValueError(f"alarms {alarms} must be between 0 and 1, and the least change {least} not below 0")
    whole = tuple(float(value) for value in values)
    if len(whole) < FEWEST:
        return Levels(whole, (), None, is_tested=False)
    logs = np.log(whole)
    found = _tested(logs, alarms)
    while True:
        told = _levels(whole, logs, found)
        small = [one for one in told.changes if min(abs(one.ratio - 1), abs(1 / one.ratio - 1)) < least]
        if not small:
            return told
        found.pop(min(small, key=lambda one: abs(math.log(one.ratio))).at)


def looks(count: int) -> tuple[float, float]:
    """How many independent tests the best single change and the best pair of a series amount to, as in LOOKS."""
    known = np.array(sorted(LOOKS), dtype=float)
    return _along(count, known, 0), math.inf if count < TWO_AT_LEAST else _along(count, known[known >= TWO_AT_LEAST], 1)


def _along(count: int, known: Reals, place: int) -> float:
    after = min(max(int(np.searchsorted(known, count)), 1), len(known) - 1)
    (x0, x1), (y0, y1) = known[after - 1 : after + 1], (LOOKS[int(known[one])][place] for one in (after - 1, after))
    return float(y0 * (count / x0) ** (math.log(y1 / y0) / math.log(x1 / x0)))


def _tested(logs: Reals, alarms: float) -> dict[int, float]:
    """The places of the changes that are significant, each with its p."""
    count = len(logs)
    squares, starts = _partitions(logs, min(MOST_CHANGES, count - 3))
    one, two = looks(count)
    found: dict[int, float] = {}
    many = 0
    while many + 1 < len(squares):
        steps = [(_p(squares, many, more, count) * tests, more) for more, tests in ((1, one), (2, two))]
        p, more = min(steps)
        if 2 * p > alarms:
            break
        many += more
        before, found = found, {}
        for place in starts[many]:
            found[place] = before.get(place, min(2 * p, 1.0))
    return found


def _p(squares: Sequence[float], many: int, more: int, count: int) -> float:
    """The p of so many more changes by an F test, as if their places had been given; 1 where that cannot be tested."""
    from scipy import special

    df = count - many - more - 1
    if many + more >= len(squares) or df < 1 or (more == 2 and count < TWO_AT_LEAST):
        return 1.0
    rest = max(squares[many + more], df * ROUNDING**2)
    ratio = max(squares[many] - squares[many + more], 0.0) / more / (rest / df)
    return float(special.fdtrc(more, df, ratio))


def _partitions(logs: Reals, most: int) -> tuple[list[float], list[list[int]]]:
    """For 0 to `most` changes the least sum of squares about the levels, and where those changes are."""
    count = len(logs)
    centred = logs - logs.mean()
    sums, squares = (np.concatenate([[0.0], np.cumsum(one)]) for one in (centred, centred**2))
    places = np.arange(count + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = places[None, :] - places[:, None]
        cost = squares[None, :] - squares[:, None] - (sums[None, :] - sums[:, None]) ** 2 / widths
    cost = np.where(widths > 0, np.maximum(cost, 0.0), math.inf)
    best = cost[0]
    came: list[NDArray[np.intp]] = []
    totals: list[float] = [float(best[count])]
    starts: list[list[int]] = [[]]
    for many in range(1, most + 1):
        ways = best[:, None] + cost
        from_ = np.argmin(ways, axis=0)
        best = ways[from_, places]
        came.append(from_)
        totals.append(float(best[count]))
        end, own = count, []
        for step in reversed(range(many)):
            end = int(came[step][end])
            own.append(end)
        starts.append(own[::-1])
    return totals, starts


def _levels(values: tuple[float, ...], logs: Reals, found: dict[int, float]) -> Levels:
    """The levels between these places, with the ratio and its interval at each."""
    places = [0, *sorted(found), len(values)]
    parts = [logs[start:end] for start, end in pairwise(places)]
    df = len(values) - len(parts)
    noise = math.sqrt(sum(float(((part - part.mean()) ** 2).sum()) for part in parts) / df) if df else None
    bare = Levels(values, (), noise, is_tested=True)
    changes = []
    for place, before, after in zip(sorted(found), parts, parts[1:], strict=False):
        middle = float(after.mean() - before.mean())
        wide = max(noise or 0.0, ROUNDING) * math.sqrt(1 / len(before) + 1 / len(after)) * student_t_95(max(df, 1))
        ratio, low, high = (math.exp(one) for one in (middle, middle - wide, middle + wide))
        changes.append(ChangePoint(place, ratio, low, high, found[place]))
    return replace(bare, changes=tuple(changes))
