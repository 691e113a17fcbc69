"""Whether a series rises: Mann and Kendall's test, Theil and Sen's slope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist

FEWEST = 4
"""A shorter series never rises clearly."""


def mann_kendall_p(values: Sequence[float]) -> float:
    """The chance that a series without a trend would rise at least as clearly as this one; 1 below four values.

    One-sided, by the normal approximation with its correction for ties and, which SciPy's own p leaves out, for
    continuity.

    Source: H. B. Mann, "Nonparametric tests against trend", Econometrica 13 (1945); M. G. Kendall, "Rank Correlation
    Methods" (1975); rising less falling pairs from `scipy.stats.kendalltau`, whose tau-c is 2 S k / (n^2 (k - 1)) of k
    unlike values.
    """
    count, alike = len(values), Counter(values)
    if count < FEWEST or len(alike) < 2:
        return 1.0
    from scipy import stats

    tau = float(stats.kendalltau(range(count), values, variant="c").statistic)
    score = round(tau * count**2 * (len(alike) - 1) / len(alike) / 2)
    ties = sum(many * (many - 1) * (2 * many + 5) for many in alike.values())
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    corrected = score - math.copysign(1, score) if score else 0
    return 1 - NormalDist().cdf(corrected / math.sqrt(variance))


def sen_slope(values: Sequence[float]) -> float:
    """How much the series rises from one value to the next: the median over all pairs.

    Source: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968), by
    `scipy.stats.theilslopes`.
    """
    if len(values) < 2:
        raise ValueError("a slope needs two values or more")
    from scipy import stats

    return float(stats.theilslopes(values).slope)
