"""Is one figure larger than another? Ratios with their intervals, verdicts, and how many more repeats would decide.

Everything is on logarithms, where a ratio is a difference, and for many pairs at once: an array has a place for each.
What is not known is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.maths.leave_one_out import Places
from bench.maths.load_curve import Reals
from bench.maths.statistics import CONFIDENCE

RatioVerdict = Literal["higher", "lower", "same", "unknown"]

LEVEL = 1 - CONFIDENCE
POWER = 0.8
"""So likely the repeats that are asked for decide, if the ratio is what it seems."""

MOST_REPEATS = 50
"""More repeats of each side than this are not counted: they decide nothing that anybody would wait for."""

LEAST_SCATTER = 0.001
"""Runs are not held to agree better than so, as a share: figures are rounded, and machines are never that alike."""


@dataclass(frozen=True)
class RunLogs:
    """The repeats of one side of each pair: how many, their mean logarithm, and the variance of a single one.

    The variance is NaN where there are fewer than two.
    """

    count: Reals
    log: Reals
    variance: Reals


@dataclass(frozen=True)
class LogRatios:
    """The logarithm of each pair's ratio, the variance of that and its degrees of freedom; NaN where not known.

    `of_a_run` is the variance of a single run's logarithm, `runs` how many each pair has on its poorer side.
    """

    log: Reals
    variance: Reals
    df: Reals
    of_a_run: Reals
    runs: Reals

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.log)

    @property
    def half_width(self) -> Reals:
        """Half the 95 % interval of the logarithm."""
        return _t(self.df, (1 + CONFIDENCE) / 2) * np.sqrt(self.variance)

    @property
    def interval(self) -> tuple[Reals, Reals]:
        """The 95 % interval of the ratio itself."""
        return np.exp(self.log - self.half_width), np.exp(self.log + self.half_width)

    @property
    def p_different(self) -> Reals:
        """The chance to see a ratio at least this far from 1 if it were 1: Student's t, two-sided."""
        from scipy import special

        found: Reals = 2 * special.stdtr(self.df, -np.abs(self.log) / np.sqrt(self.variance))
        return found

    def p_beyond(self, margin: float) -> Reals:
        """The chance to see a ratio this near to 1 if it were `margin` away, as a share, on the likelier side.

        Source: the two one-sided tests of D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
        """
        from scipy import special

        room = math.log1p(margin) - np.abs(self.log)
        found: Reals = special.stdtr(self.df, -room / np.sqrt(self.variance))
        return found


def runs_of(values: Reals, pairs: Places, many: int) -> RunLogs:
    """The repeats of each of so many pairs: values above 0, and the pair that each is of."""
    count = np.bincount(pairs, minlength=many).astype(float)
    logs = np.log(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.bincount(pairs, logs, many) / count
        square = np.bincount(pairs, (logs - middle[pairs]) ** 2, many)
        return RunLogs(count, middle, np.where(count > 1, square / (count - 1), np.nan))


def of_repeats(candidate: RunLogs, baseline: RunLogs) -> LogRatios:
    """Candidate over baseline, by how their repeats scatter: by both sides' alike, or by the side that has repeats.

    One side's repeats stand for the other's too, as both are relative. NaN where neither has two runs.

    Source: the pooled t of "Student", "The probable error of a mean", Biometrika 6 (1908), in R. A. Fisher's form.
    """
    counts, parts = (candidate.count, baseline.count), (candidate.variance, baseline.variance)
    degrees = [np.where(np.isfinite(part), count - 1, 0.0) for count, part in zip(counts, parts, strict=True)]
    df = degrees[0] + degrees[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = [np.where(own > 0, own * part, 0.0) for own, part in zip(degrees, parts, strict=True)]
        of_a_run = np.maximum((sums[0] + sums[1]) / df, LEAST_SCATTER**2)
        variance = of_a_run * (1 / counts[0] + 1 / counts[1])
    known = df > 0
    return LogRatios(
        candidate.log - baseline.log,
        np.where(known, variance, np.nan),
        np.where(known, df, np.nan),
        np.where(known, of_a_run, np.nan),
        np.minimum(*counts),
    )


def of_parts(logs: Reals, parts: Sequence[tuple[Reals, Reals]], runs: Reals) -> LogRatios:
    """Ratios whose variance is the sum of these independent parts, each (variance, degrees of freedom).

    Such as the requests of either run and how runs scatter elsewhere. NaN where a part is. The degrees of freedom are
    Welch and Satterthwaite's, as in `bench.maths.statistics.half_width`.
    """
    total = np.sum([variance for variance, _ in parts], axis=0)
    total = np.maximum(total, 2 * LEAST_SCATTER**2 / runs)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = 1 / np.sum([(variance / total) ** 2 / own for variance, own in parts], axis=0)
    return LogRatios(logs, total, np.maximum(df, 1.0), total * runs / 2, runs)


def overall(ratios: LogRatios, *, together: bool = False) -> LogRatios:
    """The geometric mean of the pairs whose variance is known, as the one of a new list; NaN where none is.

    The pairs are independent, or `together`: what moved one may have moved all, as a run's own pace does, so that many
    pairs know no more than one. It is of these pairs alone, so how much they differ is not in its interval.
    """
    known = np.isfinite(ratios.variance)
    many = int(known.sum())
    if not many:
        return LogRatios(*(np.full(1, np.nan) for _ in range(5)))
    log, runs = np.array([ratios.log[known].mean()]), np.array([ratios.runs[known].min()])
    variances, degrees = ratios.variance[known] / many**2, ratios.df[known]
    if together:
        return of_parts(log, [(np.array([np.sqrt(variances).sum() ** 2]), np.array([degrees.min()]))], runs)
    total = variances.sum()
    df = 1 / np.sum((variances / total) ** 2 / degrees)
    return of_parts(log, [(np.array([total]), np.array([df]))], runs)


def adjusted(p: Reals) -> Reals:
    """The p of many tests such that of those at or below a level no larger share is expected to be false.

    Where nothing differs at all, the chance of even one false verdict is at most that level. NaN stays NaN, and counts
    as no test.

    Source: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
    Society B 57 (1995).
    """
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    stepped = p[order] * len(order) / np.arange(1, len(order) + 1)
    found = np.full(len(p), np.nan)
    found[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return found


def verdicts(ratios: LogRatios, margin: float) -> list[RatioVerdict]:
    """What each pair's ratio is: the same within this margin, as a share, else higher or lower than 1, else unknown.

    All pairs are tested together, `adjusted`; the same is what has its 95 % interval within the margin.
    """
    same = adjusted(ratios.p_beyond(margin)) <= LEVEL / 2
    different = adjusted(ratios.p_different) <= LEVEL
    up = ratios.log > 0
    words: tuple[RatioVerdict, ...] = ("same", "higher", "lower", "unknown")
    return [words[place] for place in np.select([same, different & up, different], [0, 1, 2], 3)]


def repeats_to_decide(ratios: LogRatios, margin: float) -> Reals:
    """How many more runs of each side would likely decide, if the ratio is what it seems; 0 where it is decided.

    Either that it differs or that it is the same, whichever takes fewer, at a chance of POWER. NaN where the scatter
    is not known, or where it takes more than MOST_REPEATS.
    """
    counts = np.arange(2, MOST_REPEATS + 1, dtype=float)
    reach = (_t(2 * counts - 2, (1 + CONFIDENCE) / 2) + _t(2 * counts - 2, POWER)) * np.sqrt(2 / counts)
    scatter, away = np.sqrt(ratios.of_a_run), np.abs(ratios.log)
    wide = np.maximum(away, math.log1p(margin) - away)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The reach falls with the count, so the first count that suffices is found by halving.
        enough = len(counts) - np.searchsorted(reach[::-1], wide / scatter, side="right")
    most = len(counts) - 1
    needed = np.where(enough <= most, counts[np.minimum(enough, most)], np.nan)
    more = np.maximum(needed - ratios.runs, 1.0)
    decided = np.array([one != "unknown" for one in verdicts(ratios, margin)])
    return np.where(decided, 0.0, np.where(np.isfinite(ratios.of_a_run), more, np.nan))


def _t(df: Reals, share: float) -> Reals:
    from scipy import special

    found: Reals = special.stdtrit(df, share)
    return found
