"""Whether a series rises: Mann and Kendall's test, Theil and Sen's slope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist, median


def mann_kendall_p(values: Sequence[float]) -> float:
    """The chance that a series without a trend would rise at least as clearly as this one; 1 below four values.

    One-sided, by the normal approximation with its correction for ties and for continuity.

    Source: H. B. Mann, "Nonparametric tests against trend", Econometrica 13 (1945); M. G. Kendall, "Rank Correlation
    Methods" (1975).
    """
    count = len(values)
    if count < 4:
        return 1.0
    score = sum(
        (later > earlier) - (later < earlier)
        for place, earlier in enumerate(values)
        for later in values[place + 1 :]
    )
    ties = sum(many * (many - 1) * (2 * many + 5) for many in Counter(values).values())
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    if variance <= 0:
        return 1.0
    corrected = score - math.copysign(1, score) if score else 0
    return 1 - NormalDist().cdf(corrected / math.sqrt(variance))


def sen_slope(values: Sequence[float]) -> float:
    """How much the series rises from one value to the next: the median over all pairs.

    Source: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968).
    """
    if len(values) < 2:
        raise ValueError("a slope needs two values or more")
    return median(
        (values[later] - values[earlier]) / (later - earlier)
        for earlier in range(len(values))
        for later in range(earlier + 1, len(values))
    )
