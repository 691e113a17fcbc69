"""How well one run knows its own figures: a block bootstrap over its requests in time order.

Requests that are served together are alike, so they tell less than as many independent ones. Drawing whole stretches
of neighbours keeps what they have in common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.maths.load_curve import Reals

FEWEST = 30
"""Of fewer requests nothing is told."""

FEWEST_BEYOND = 8
"""A percentile needs requests beyond it at so many moments: of fewer, drawing them again says too little."""

WIDER = 3
"""Blocks are so many times as long as estimates their variance best: an interval covers what it should only with
longer ones (Y. Sun, P. C. B. Phillips and S. Jin, "Optimal bandwidth selection in heteroskedasticity-autocorrelation
robust testing", Econometrica 76, 2008). Three was found by trial on served batches; tests/maths has the trial."""

FEWEST_BLOCKS = 3

DRAWS = 400
AT_A_TIME = 2_000_000
"""So many numbers are held at once while drawing."""


@dataclass(frozen=True)
class LogEstimate:
    """A figure of one run: its logarithm, and the variance of that with its degrees of freedom.

    The variance is of the run's own requests alone: how much another run would differ is not in it.
    """

    log: float
    variance: float
    df: float
    block: int

    @property
    def value(self) -> float:
        """The figure itself."""
        return math.exp(self.log)


def mean(values: Reals, least: int = 1) -> LogEstimate | None:
    """The mean of one value for each request, in time order; None of too few, or where it is not above 0.

    `least` is the shortest block, such as the requests that are served together. The variance is what endless draws
    of circular blocks would have, which needs no drawing for a mean.

    Source: H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics
    17 (1989); circular blocks by D. N. Politis and J. P. Romano in LePage and Billard, "Exploring the Limits of
    Bootstrap" (1992); the block length by `block_length`, the degrees of freedom by `_degrees`.
    """
    middle = float(values.mean()) if len(values) >= FEWEST else 0.0
    if not (math.isfinite(middle) and middle > 0):
        return None
    return _of_influence(middle, values / middle - 1, least)


def rate(amounts: Reals, seconds: Reals, least: int = 1) -> LogEstimate | None:
    """The sum of amounts over the sum of seconds, such as tokens/s of requests in the order in which they ended.

    `seconds` are from the end before to each one's own. None of too few, or where either sum is not above 0.

    Source: as for `mean`, of the ratio's influence, amount / mean amount - seconds / mean seconds (A. C. Davison and
    D. V. Hinkley, "Bootstrap Methods and their Application", 1997, 2.7.2).
    """
    if len(amounts) < FEWEST:
        return None
    over, under = float(amounts.mean()), float(seconds.mean())
    if not (math.isfinite(over) and math.isfinite(under) and over > 0 and under > 0):
        return None
    return _of_influence(over / under, amounts / over - seconds / under, least)


def percentile(values: Reals, percent: float, least: int = 1, seed: int = 1) -> LogEstimate | None:
    """A percentile, linear between neighbours, of one value for each request, in time order.

    None where requests lie beyond it at fewer than FEWEST_BEYOND moments; those closer than what neighbours share are
    one. The block length is that of the requests that lie above the percentile.

    Source: as for `mean`, drawn DRAWS times; that blocks serve percentiles too, S. N. Lahiri, "Resampling Methods for
    Dependent Data" (2003), 4.
    """
    many = len(values)
    if many < FEWEST:
        return None
    found = float(np.percentile(values, percent))
    if not (math.isfinite(found) and found > 0):
        return None
    above = values > found
    if _moments(above if percent >= 50 else ~above) < FEWEST_BEYOND:
        return None
    block = _block(above.astype(float), least)
    drawn = _drawn_percentiles(values, percent, block, seed)
    logs = np.log(drawn[drawn > 0])
    return LogEstimate(math.log(found), float(logs.var()) * many / (many - block), _degrees(many, block), block)


def block_length(values: Reals) -> int:
    """How many neighbours in time are drawn together, so that what they have in common is kept; 1 where nothing is.

    Source: D. N. Politis and H. White, "Automatic block-length selection for the dependent bootstrap", Econometric
    Reviews 23 (2004), with the correction of A. Patton, D. N. Politis and H. White, Econometric Reviews 28 (2009);
    for circular blocks.
    """
    many = len(values)
    around = values - values.mean()
    spread = float(around @ around) / many
    if many < 4 or spread <= 1e-18 * float(values @ values) / many:
        return 1
    settled = max(5, math.ceil(math.log10(many)))
    furthest = min(math.ceil(math.sqrt(many)) + settled, many - 1)
    shared = np.array([around[: many - lag] @ around[lag:] / many for lag in range(furthest + 1)])
    reach = _reach(shared[1:] / spread, settled, 2 * math.sqrt(math.log10(many) / many))
    lags = np.arange(1, min(2 * reach, furthest) + 1)
    weights = np.clip(2 * (1 - lags / (2 * reach)), 0, 1)
    slope = 2 * float((weights * lags) @ shared[lags])
    level = spread + 2 * float(weights @ shared[lags])
    if level <= 0:
        return 1
    wanted = (2 * slope**2 / (4 / 3 * level**2)) ** (1 / 3) * many ** (1 / 3)
    longest = min(3 * math.sqrt(many), many / FEWEST_BLOCKS)
    return max(1, math.ceil(min(float(wanted), longest)))


def _block(values: Reals, least: int) -> int:
    """The length of the blocks that are drawn: well beyond what neighbours share, and several of them in the run."""
    alike = block_length(values)
    return min(max(least, WIDER * alike if alike > 1 else 1), len(values) // FEWEST_BLOCKS)


def _reach(correlations: Reals, settled: int, bound: float) -> int:
    """The last lag before the first `settled` ones in a row that are no correlation; at least 1."""
    small = np.abs(correlations) < bound
    for lag in range(len(small) - settled + 1):
        if small[lag : lag + settled].all():
            return max(1, lag)
    large = np.flatnonzero(~small)
    return int(large[-1]) + 1 if len(large) else 1


def _moments(beyond: NDArray[np.bool_]) -> float:
    """At how many moments requests lie beyond a percentile: by the stretches they lie in, or as what neighbours share
    leaves of them, whichever is more.

    Source: the runs by which extremes are told apart, R. L. Smith and I. Weissman, "Estimating the extremal index",
    Journal of the Royal Statistical Society B 56 (1994).
    """
    places, alike = np.flatnonzero(beyond), block_length(beyond.astype(float))
    return max(int((np.diff(places) > alike).sum()) + bool(len(places)), len(places) / alike)


def _of_influence(value: float, influence: Reals, least: int) -> LogEstimate:
    """The estimate of a figure whose relative error is the mean of this influence, which sums to 0."""
    many = len(influence)
    block = _block(influence, least)
    sums = np.concatenate(([0.0], np.cumsum(np.concatenate((influence, influence[: block - 1])))))
    means = (sums[block:] - sums[:-block]) / block
    variance = float(means @ means) / many * block / (many - block)
    return LogEstimate(math.log(value), variance, _degrees(many, block), block)


def _degrees(many: int, block: int) -> float:
    """The degrees of freedom of the variance of blocks: those of as many as lie side by side in the run.

    Blocks that overlap have up to half as many again where there are many (M. S. Meketon and B. Schmeiser,
    "Overlapping batch means: something for nothing?", Winter Simulation Conference, 1984); of a few long ones that is
    too much: intervals then hold too little.
    """
    return max(1.0, many / block - 1)


def _drawn_percentiles(values: Reals, percent: float, block: int, seed: int) -> Reals:
    """The percentile of each draw of circular blocks, as many requests as there are."""
    many = len(values)
    blocks = math.ceil(many / block)
    draw = np.random.default_rng(seed)
    found = []
    step = max(1, AT_A_TIME // many)
    for first in range(0, DRAWS, step):
        starts = draw.integers(0, many, (min(step, DRAWS - first), blocks))
        places = (starts[:, :, None] + np.arange(block)).reshape(len(starts), -1)[:, :many] % many
        found.append(np.percentile(values[places], percent, axis=1))
    return np.concatenate(found)
