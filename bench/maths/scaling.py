"""What more accelerators buy: efficiency, scaling laws, frontiers at equal x, one wide instance or replicas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.maths import cost, statistics

FEWEST_FOR_A_LAW = 4
"""The Universal Scalability Law has three parameters: through three counts it would pass whatever they are."""

ROUNDING = 1e-9
"""A parameter that lowers the relative error by less than this is rounding, and is left at its bound."""

TRUSTED_ERROR = 0.03
"""A law that misses the measured throughputs by more than this, as a root mean square, does not fit."""

FEWEST_FREE = 2
"""With fewer degrees of freedom a law passes near every count, whether it holds or not."""

MOST_CONDITION = 1e12
"""Beyond it the inverse of the normal equations has no digit to rely on (16 in a float)."""

_AMDAHL = ((0,), (1,), (0, 1))
_USL = (*_AMDAHL, (0, 2), (1, 2), (0, 1, 2))
"""Which of p = (1 - σ) / λ, b = σ / λ and c = κ / λ may differ from 0 in n / T = p + b n + c n (n - 1).

Fewest first, so that among equally good fits the plainest is found.
"""


@dataclass(frozen=True)
class Peak:
    """The count with the highest throughput by a fitted law; a whole number only by chance.

    `measured` says whether it lies between the smallest and the largest measured count; otherwise it is extrapolated
    and must be shown so. Below the smallest, throughput falls from the first measured count on. `observed` says whether
    the highest measured throughput is next to it and a larger count has less: otherwise no fall was seen, only fitted.
    `low` and `high` are the 95 % interval of `count`; `high` is None where the measured counts are too few or scatter
    too much to say that there is a peak at all.
    """

    count: float
    throughput: float
    measured: bool
    observed: bool
    low: float
    high: float | None


@dataclass(frozen=True)
class Law:
    """A scaling law fitted to measured throughputs: T(n) = λ n / (1 + σ (n - 1) + κ n (n - 1)).

    `unit_throughput` is λ, one accelerator's throughput by the law (Amdahl's T1), in the unit of the throughputs;
    `contention` is σ, Amdahl's serial fraction; `coherency` is κ, always 0 in Amdahl's law. `error` is the root of
    the mean squared relative error, measured / fitted - 1, over the measured `counts`, of which `best_count` had the
    highest throughput. With few `degrees_of_freedom` (counts less parameters) a small error is no evidence that the
    law holds. `peak_interval` is the 95 % interval of the peak's count as in `Peak`, whether or not there is a peak.
    """

    unit_throughput: float
    contention: float
    coherency: float
    counts: tuple[float, ...]
    best_count: float
    degrees_of_freedom: int
    error: float
    peak_interval: tuple[float, float | None]

    @property
    def smallest(self) -> float:
        """The smallest measured count; below it the law extrapolates."""
        return self.counts[0]

    @property
    def largest(self) -> float:
        """The largest measured count; beyond it the law extrapolates."""
        return self.counts[-1]

    @property
    def fits(self) -> bool:
        """Whether it may be said to hold over the measured counts: it is near them all, and could have missed them."""
        return self.degrees_of_freedom >= FEWEST_FREE and self.error <= TRUSTED_ERROR

    @property
    def predicted(self) -> Peak | None:
        """The peak it predicts beyond the measured counts: only of a law that fits, and with a bounded interval."""
        peak = self.peak
        bounded = peak is not None and peak.high is not None and peak.count > self.largest
        return peak if bounded and self.fits else None

    @property
    def peak(self) -> Peak | None:
        """Where the law's throughput stops growing: n* = sqrt((1 - σ) / κ).

        None where it has no peak: κ is 0, or the law breaks down (grows without limit) before it.

        Source: Gunther, Guerrilla Capacity Planning, Springer 2007, equation 4.33.
        """
        if self.coherency <= 0:
            return None
        count = math.sqrt((1 - self.contention) / self.coherency)
        throughput = self.throughput_at(count)
        if throughput is None:
            return None
        before = max((one for one in self.counts if one <= count), default=count)
        after = min((one for one in self.counts if one >= count), default=count)
        return Peak(
            count,
            throughput,
            measured=self.smallest <= count <= self.largest,
            observed=self.best_count in (before, after) and self.best_count < self.largest,
            low=self.peak_interval[0],
            high=self.peak_interval[1],
        )

    def throughput_at(self, count: float) -> float | None:
        """The law's throughput with that many accelerators; outside smallest to largest it is extrapolated.

        None where the law says nothing: a σ below 0 would make throughput infinite from some count on.
        """
        cost = 1 + self.contention * (count - 1) + self.coherency * count * (count - 1)
        return self.unit_throughput * count / cost if cost > 0 else None


@dataclass(frozen=True)
class Instance:
    """One serving instance as measured: its accelerators, its throughput, and its latencies where known (None)."""

    accelerators: int
    throughput: float
    tpot_ms: float | None = None
    ttft_ms: float | None = None


@dataclass(frozen=True)
class ReplicaComparison:
    """One wide instance against as many accelerators in replicas of the smallest one. The replicas are projected.

    Throughputs in tokens per second; `ratio` is replicas / wide. Latencies saved are the replica's less the wide
    instance's, in ms, below 0 where the wide one is slower, None where one is unknown. `usd_per_million` is what a
    million tokens cost on the wide instance, `replicas_usd_per_million` on the replicas; None without a price.
    """

    accelerators: int
    replicas: int
    throughput: float
    replicas_throughput: float
    ratio: float
    throughput_per_accelerator: float
    replicas_throughput_per_accelerator: float
    tpot_saved_ms: float | None
    ttft_saved_ms: float | None
    usd_per_million: float | None
    replicas_usd_per_million: float | None


def efficiencies(counts: Sequence[float], throughputs: Sequence[float]) -> list[float]:
    """How much of linear growth each count reaches: (T_n / T_base) / (n / n_base), 1 at the base, the smallest count.

    Above 1 is legitimate (weights that leave no room for a cache on one accelerator do on two) and is not clipped.
    """
    smallest, reference = min(zip(counts, throughputs, strict=True))
    return [(own / reference) / (count / smallest) for count, own in zip(counts, throughputs, strict=True)]


def amdahl(counts: Sequence[float], throughputs: Sequence[float]) -> Law | None:
    """Amdahl's law through measured throughputs, T(n) = T1 / (s + (1 - s) / n), s from 0 to 1; None below 4 counts.

    Fitted as `usl` is; data that grow faster than linearly end at s = 0.

    Source: Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities",
    AFIPS Spring Joint Computer Conference 1967.
    """
    return _fitted(counts, throughputs, _AMDAHL, least=0.0)


def usl(counts: Sequence[float], throughputs: Sequence[float]) -> Law | None:
    """The Universal Scalability Law through measured throughputs; None below 4 counts or where it cannot hold.

    Fitted by least squares on the relative error measured / fitted - 1, with κ >= 0 and σ <= 1. n / T is linear in
    the parameters over λ, so there is one best fit and no starting guess (`scipy.optimize.lsq_linear` with bounds).
    σ may fall below 0, which Gunther's book rules
    out, because real sweeps grow super-linearly where one accelerator's memory is the limit. None also when the best
    fit turns negative or infinite within the measured counts.

    Source: Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6; λ as third parameter and σ < 0:
    Gunther, Puglia, Tomasette, "Hadoop Superlinear Scalability", Communications of the ACM 58(4), 2015.
    """
    return _fitted(counts, throughputs, _USL, least=-np.inf)


def against_replicas(
    wide: Instance, small: Instance, usd_per_accelerator_hour: float | None = None
) -> ReplicaComparison | None:
    """What a wide instance gives up in throughput and price against replicas of a small one, and the latency it gains.

    None when the small instance's accelerators do not divide the wide one's. Replicas share nothing, so theirs adds up.
    A million tokens cost what `cost.usd_per_million` says, both always busy.
    """
    many, rest = divmod(wide.accelerators, small.accelerators)
    if rest:
        return None
    projected = many * small.throughput
    per_wide, per_small = wide.throughput / wide.accelerators, small.throughput / small.accelerators
    return ReplicaComparison(
        accelerators=wide.accelerators,
        replicas=many,
        throughput=wide.throughput,
        replicas_throughput=projected,
        ratio=projected / wide.throughput,
        throughput_per_accelerator=per_wide,
        replicas_throughput_per_accelerator=per_small,
        tpot_saved_ms=_less(small.tpot_ms, wide.tpot_ms),
        ttft_saved_ms=_less(small.ttft_ms, wide.ttft_ms),
        usd_per_million=cost.usd_per_million(usd_per_accelerator_hour, per_wide),
        replicas_usd_per_million=cost.usd_per_million(usd_per_accelerator_hour, per_small),
    )


def _fitted(
    counts: Sequence[float], throughputs: Sequence[float], forms: Sequence[tuple[int, ...]], least: float
) -> Law | None:
    """The plainest of these forms within ROUNDING of the least error, with b no smaller than `least`."""
    if len(counts) < FEWEST_FOR_A_LAW:
        return None
    from scipy import optimize

    n, measured = (
        np.array(values, dtype=float) for values in zip(*sorted(zip(counts, throughputs, strict=True)), strict=True)
    )
    unit = float(measured.max())
    # measured / fitted = (T / n) (p + b n + c n (n - 1)); in units of the largest T, it stays near 1.
    design = np.column_stack([np.ones_like(n), n, n * (n - 1)]) * (measured / unit / n)[:, None]
    scale, lowest = np.linalg.norm(design, axis=0), np.array([0.0, least, 0.0])
    fits = []
    for form in map(list, forms):
        fit = optimize.lsq_linear((design / scale)[:, form], np.ones_like(n), (lowest[form], np.inf), method="bvls")
        coefficients = np.zeros(3)
        coefficients[form] = fit.x / scale[form]
        fits.append((float(np.sqrt(np.mean((design @ coefficients - 1) ** 2))), coefficients))
    limit = min(error for error, _ in fits) + ROUNDING
    error, (serial, contended, incoherent) = next(one for one in fits if one[0] <= limit)
    one = float(serial + contended)
    if one <= 0 or not _holds(serial, contended, incoherent, n):
        return None
    return Law(
        unit_throughput=unit / one,
        contention=float(contended) / one,
        coherency=float(incoherent) / one,
        counts=tuple(n.tolist()),
        best_count=float(n[measured.argmax()]),
        degrees_of_freedom=len(n) - len(forms[-1]),
        error=error,
        peak_interval=_peak_interval(design / scale, scale),
    )


def _peak_interval(design: NDArray[np.float64], scale: NDArray[np.float64]) -> tuple[float, float | None]:
    """The 95 % interval of the Universal Scalability Law's peak by these relative throughputs, without bounds.

    The peak's square (1 - σ) / κ is a ratio of two coefficients, p and c, of one linear fit, so its interval is
    Fieller's. Where κ cannot be told from 0, it has no upper end; where the points do not tell the coefficients apart
    at all, as when one of them outweighs the others beyond a float's digits, it says nothing.
    """
    if np.linalg.cond(design) ** 2 > MOST_CONDITION:
        return 0.0, None
    solution, (squares,), *_ = np.linalg.lstsq(design, np.ones(len(design)))
    df = len(design) - design.shape[1]
    spread = squares / df * np.linalg.inv(design.T @ design) / np.outer(scale, scale)
    over, _, under = solution / scale
    low, high = statistics.ratio_interval(
        float(over), float(under), (float(spread[0, 0]), float(spread[2, 2])), float(spread[0, 2]), df
    )
    return math.sqrt(low), None if high is None else math.sqrt(high)


def _holds(serial: float, contended: float, incoherent: float, n: NDArray[np.float64]) -> bool:
    """Whether n / T stays above 0 all the way from the smallest to the largest count, at its lowest point too."""
    places = [n[0], n[-1]]
    if incoherent > 0:
        places.append(np.clip((incoherent - contended) / (2 * incoherent), n[0], n[-1]))
    return all(serial + contended * place + incoherent * place * (place - 1) > 0 for place in places)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
