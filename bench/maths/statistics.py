"""What repeats say about a value: its mean on logarithms, how well that is known, and Student's t for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

CONFIDENCE = 0.95


@dataclass(frozen=True)
class LogMean:
    """The geometric mean of repeats, and the variance of its logarithm with its degrees of freedom.

    `variance` is None for a single value: how far repeats scatter is then not known, and `df` is 0.
    """

    mean: float
    variance: float | None
    df: int


def log_mean(values: Sequence[float], standing: float | None = None) -> LogMean:
    """The geometric mean of repeats of one measurement, each above 0; a single value is its own mean.

    With `standing`, the repeat in the middle, of an even number the lower, that stands for them instead: its expected
    square distance from the true value is what the variance says then.
    """
    if not values:
        raise ValueError("no values to take a mean of: give at least one")
    if not all(math.isfinite(value) and value > 0 for value in values):
        raise ValueError(f"{list(values)} has a value that is not above 0 and finite: leave it out")
    if len(values) == 1:
        return LogMean(values[0], None, 0)
    count = len(values)
    # Relative to one of them, so that repeats that agree have no spread at all.
    smallest = min(values)
    logs = [math.log(value) - math.log(smallest) for value in values]
    middle = math.fsum(logs) / count
    spread = math.fsum((one - middle) ** 2 for one in logs) / (count - 1)
    if standing is not None:
        return LogMean(standing, spread * _of_the_middle(count), count - 1)
    return LogMean(smallest * math.exp(middle), spread / count, count - 1)


def _of_the_middle(count: int) -> float:
    """The expected square distance of the middle of so many normal values from their mean, in variances of one.

    The lower of the two in the middle of an even number is as good as the middle of one less. 2 % off at most.

    Source: the variance of a median, pi / 2n for many (H. Cramer, Mathematical Methods of Statistics, 1946, 28.5), in
    the form that is 1 for a single value.
    """
    odd = count if count % 2 else count - 1
    return math.pi / 2 / (odd + math.pi / 2 - 1)


def half_width(parts: Iterable[tuple[float, float]]) -> float:
    """Half the 95 % interval of a sum of independent means: parts are (variance of the mean, degrees of freedom).

    The degrees of freedom of the sum are Welch and Satterthwaite's, (sum v)^2 / sum(v^2 / df), so the means need not
    scatter alike. 0 when none of them scatters.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
    involved", Biometrika 34 (1947); F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    known = [(variance, df) for variance, df in parts if variance > 0]
    total = math.fsum(variance for variance, _ in known)
    if not total:
        return 0.0
    # As shares of the total, since the square of a small variance may be too small for a number.
    df = 1 / math.fsum((variance / total) ** 2 / df for variance, df in known)
    return student_t_95(max(df, 1.0)) * math.sqrt(total)


def ratio_interval(
    over: float, under: float, variances: tuple[float, float], covariance: float, df: float
) -> tuple[float, float | None]:
    """The 95 % interval of over / under, both estimates with these variances, as far as it lies above 0.

    Without an upper end (None) where `under` cannot be told from 0, so that the ratio may be as large as one likes.
    What would be two intervals is told as the one around both.

    Source: E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16
    (1954): the ratios r with (over - r under)^2 <= t^2 (var over - 2 r cov + r^2 var under).
    """
    wide = student_t_95(df) ** 2
    square = under**2 - wide * variances[1]
    half = over * under - wide * covariance
    rest = over**2 - wide * variances[0]
    inside = half**2 - square * rest
    if square == 0 or inside < 0:
        low = rest / (2 * half) if square == 0 and half > 0 else 0.0
        return max(low, 0.0), None
    ends = sorted((half + sign * math.sqrt(inside)) / square for sign in (-1, 1))
    if square > 0:
        return max(ends[0], 0.0), max(ends[1], 0.0)
    return (ends[1] if ends[0] <= 0 < ends[1] else 0.0), None


@lru_cache(maxsize=4096)
def student_t_95(df: float) -> float:
    """How many standard errors either side of a mean its 95 % interval reaches, at df >= 1 degrees of freedom.

    The t with P(|T| > t) = 0.05: 12.706 at 1, 2.776 at 4, 1.960 for very many; df need not be whole.

    Source: SciPy's inverse of Student's distribution (`scipy.special.stdtrit`).
    """
    if not df >= 1:
        raise ValueError(f"Student's t at {df} degrees of freedom: give at least 1, which is two repeats")
    from scipy import special

    return float(special.stdtrit(df, (1 + CONFIDENCE) / 2))
