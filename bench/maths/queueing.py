"""What users who come at random would wait, from what an instance was measured to do with so many requests in flight.

Requests come as a Poisson process; of n equal instances each gets its share at random, which is a Poisson process of
rate / n again. Balancing by load does better, so that this is the cautious promise. With k in flight an instance serves
as it was measured at concurrency k: k / E2EL(k) completions a second, all in flight progressing alike. Between measured
concurrencies the curves are those of `bench.maths.load_curve`. Supposed beyond what was measured, on the cautious side:

- below the smallest measured concurrency a request takes as long as at it;
- above the largest one the rate stays: who comes then waits in a queue, first come, first served;
- a time that was measured shorter among more requests is no better than among fewer: the running maximum counts.

Means are those of the birth-death process with these rates (Kleinrock, Queueing Systems I, 1975, chapter 3) with
Little's law (1961): exact for any lengths of requests while all in flight are served, as processor sharing does not
care for them (Kelly, Reversibility and Stochastic Networks, 1979, section 3.3), and for exponential lengths where some
wait too; equal requests then wait less. Percentiles come from a simulation. docs/sizing.md has how far both were from
measurements.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.maths.load_curve import Grows, LoadCurve, Reals

MEAN = "e2el_ms_mean"
"""What a curve cannot be without: it says how many requests an instance completes."""

GROWS: dict[str, Grows] = {"e2el_ms": "step", "tpot_ms": "step", "ttft_ms": "queue"}
"""The metrics that are promised, in ms, and how each goes with the load."""

KEY = re.compile(rf"({'|'.join(GROWS)})_(mean|p(5\d|[6-9]\d)(?:_(\d+))?)")
"""A metric with its mean or with a percentile from the median up, as the catalogue spells them."""

PERCENTILES = (50, 90, 95, 99)
"""Those that are simulated."""

ROUNDS, TRIED = 3, 32
"""A largest rate is looked for so often, each time among so many rates: to 1 / 33^3 of the capacity."""

REPLICATIONS = 10
"""Simulations that are independent of each other: what they differ by is the interval."""

MOST_FOLLOWING = 20_000
"""So many arrivals at most keep up the load of a run behind those that are recorded."""

T_ALL = 4.9737
"""Student's t with REPLICATIONS - 1 degrees of freedom for an interval that 1 - 0.01 / 13 of them are in: by
Bonferroni's inequality the 13 estimates of a promise are then all in theirs at once in 99 of 100 simulations."""

MEASURED_OFF: Mapping[str, tuple[float, float]] = {
    "e2el_ms_mean": (0.06, -0.1),
    "e2el_ms_p50": (0.05, -0.1),
    "e2el_ms_p90": (0.04, -0.1),
    "e2el_ms_p95": (0.04, -0.14),
    "e2el_ms_p99": (0.09, -0.16),
    "ttft_ms_p50": (0.2, -0.66),
    "ttft_ms_p90": (0.19, -0.75),
    "ttft_ms_p95": (0.42, -0.65),
    "ttft_ms_p99": (0.53, -0.54),
    "tpot_ms_p50": (0.05, -0.09),
    "tpot_ms_p90": (0.05, -0.07),
    "tpot_ms_p95": (0.04, -0.04),
    "tpot_ms_p99": (0.05, -0.04),
}
"""How far promises have been from an open loop on Kneepoint's own fake endpoint, by metric: the median of
|promised / measured - 1| and the least of promised / measured - 1, over three rates and three seeds, as shares
(`python -m tests.benchmarks open_loop`)."""

SHORTEST = 0.02
"""No request is shorter than this share of the median."""

FARTHEST = 3.0
"""Normal scores are cut here: beyond one request in 740 no benchmark's percentile says anything."""

NORMAL = NormalDist()
SCORES = np.linspace(-FARTHEST, FARTHEST, 601)
SHARES = np.array([NORMAL.cdf(score) for score in SCORES])
QUANTILES = np.array([NORMAL.inv_cdf((place + 0.5) / 1000) for place in range(1000)])


@dataclass(frozen=True, eq=False)
class ServiceCurve:
    """What one instance was measured to do in a closed loop, by its concurrency, of which it serves at most `most`.

    `concurrency` is that of the points it is of, ascending; `curves` has those metrics that are stated at both ends,
    by their keys: "e2el_ms_mean" always, "ttft_ms_p99" where it was measured. Make one with `ServiceCurve.of`.
    """

    concurrency: tuple[float, ...]
    curves: Mapping[str, LoadCurve]
    most: int

    @classmethod
    def of(cls, concurrency: Sequence[float | None], metrics: Mapping[str, Sequence[float | None]]) -> ServiceCurve:
        """The curve through points in any order: ServiceCurve.of([1, 8], {"e2el_ms_mean": [900.0, 1200.0]}).

        `metrics` are in ms, by the catalogue's keys of e2el_ms, ttft_ms and tpot_ms with mean, p50 or a percentile
        above it, one value for each concurrency. Points without a mean E2EL are left out; a metric that the first or
        the last one does not state is not used. Percentiles, where there are any, are what requests at one
        concurrency differ by. ValueError without a point at a concurrency of 1 or more, for another key, and where
        one concurrency has two different values.
        """
        unknown = [key for key in metrics if not KEY.fullmatch(key)]
        if unknown or MEAN not in metrics:
            raise ValueError(f"a service curve takes {MEAN} and percentiles of {', '.join(GROWS)}, not {unknown}")
        every = {key: _line(concurrency, values, key) for key, values in metrics.items()}
        mean = every[MEAN]
        if mean is None or mean.loads[-1] < 1:
            raise ValueError(f"a service curve needs a point with {MEAN} above 0 at a concurrency of 1 or more")
        ends = mean.loads[0], mean.loads[-1]
        curves = {
            key: one for key, one in every.items() if one and one.loads[0] <= ends[0] and one.loads[-1] >= ends[1]
        }
        return cls(mean.loads, curves, int(mean.loads[-1]))

    def upto(self, most: int) -> ServiceCurve:
        """The same instance where it lets at most so many requests run at once, 1 or more, and the others wait."""
        return replace(self, most=max(1, min(most, self.most)))

    def along(self, key: str) -> Reals:
        """A metric with 1 to `most` requests in service, in ms, never falling; KeyError where it is not known."""
        if key not in self._along:
            self._along[key] = np.maximum.accumulate(self.curves[key].along(self._loads))
        return self._along[key]

    @cached_property
    def rates(self) -> Reals:
        """The requests that are completed in a second with 1 to `most` of them in service."""
        return np.arange(1, self.most + 1) * 1000 / self.along(MEAN)

    @property
    def capacity(self) -> float:
        """The requests a second with `most` in service: at this rate of arrivals and above the queue never ends."""
        return float(self.rates[-1])

    @property
    def best(self) -> int:
        """How many in service complete the most: where rates fall beyond, `upto` it serves more."""
        return int(np.argmax(self.rates)) + 1

    def knows(self, metric: str) -> bool:
        """Whether a metric, such as "ttft_ms", can be promised by percentile: its mean or median is known."""
        return f"{metric}_mean" in self.curves or f"{metric}_p50" in self.curves

    @cached_property
    def _along(self) -> dict[str, Reals]:
        return {}

    @cached_property
    def _loads(self) -> Reals:
        every = np.arange(1, self.most + 1, dtype=float)
        return np.asarray(np.clip(every, self.concurrency[0], self.concurrency[-1]))

    @cached_property
    def _odds(self) -> Reals:
        """The logarithms of the odds that 0 to `most` requests are there at 1 arrival a second."""
        return -np.concatenate([[0.0], np.cumsum(np.log(self.rates))])


@dataclass(frozen=True)
class LongRun:
    """One instance in the long run at a rate of arrivals: means, in ms, and what its requests meet, as shares of them.

    `utilisation` is the rate over the capacity; `in_flight` the mean number of requests in it, those that wait too;
    `waits` the share of requests that find all places taken; `unmeasured` the share that run among fewer than were
    ever measured. TTFT and TPOT are None where their mean is not known.
    """

    rate: float
    utilisation: float
    in_flight: float
    e2el_ms: float
    ttft_ms: float | None
    tpot_ms: float | None
    waits: float
    unmeasured: float


class Estimate(NamedTuple):
    """A simulated value in ms, and the interval in which a simulation without end would have it: all those of one
    promise at once in 99 of 100 simulations."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Promise:
    """What requests would wait at a rate of arrivals on one instance, simulated.

    `estimates` has "e2el_ms_mean" and, of each metric that the curve knows, p50, p90, p95 and p99 by the catalogue's
    keys; `utilisation` is the rate over the capacity, `requests` how many were simulated.
    """

    rate: float
    utilisation: float
    seed: int
    requests: int
    estimates: Mapping[str, Estimate]


def stationary(curve: ServiceCurve, rate: float) -> LongRun | None:
    """The long run at so many requests a second on one instance, above 0; None where the queue would grow for ever."""
    if not 0 < rate < curve.capacity:
        return None
    served, waits = _met(curve, np.array([rate]))
    share, waiting = served[0], float(waits[0])
    means = {key: _mean(curve, f"{key}_mean", share, waiting, rate) for key in GROWS}
    e2el = means["e2el_ms"]
    assert e2el is not None
    below = float(share[np.arange(1, curve.most + 1) < curve.concurrency[0]].sum())
    ttft, tpot = means["ttft_ms"], means["tpot_ms"]
    return LongRun(rate, rate / curve.capacity, rate * e2el / 1000, e2el, ttft, tpot, waiting, below)


def largest_rate(curve: ServiceCurve, within: Mapping[str, float]) -> float | None:
    """The largest rate of arrivals on one instance, in requests a second below its capacity, that keeps all limits.

    `within` has limits in ms by the catalogue's keys ("ttft_ms_p99": 500.0, "e2el_ms_mean": 4000.0). A percentile
    counts as kept where so large a share of requests meets a concurrency, and behind it a queue, at which it is: a
    formula, so `simulated` has the last word. It never rises where limits get tighter. None where no rate keeps them,
    KeyError for a limit on what the curve does not know: ask `curve.knows`, of a mean whether it is in `curve.curves`.
    """
    limits = [_limit(curve, key, limit) for key, limit in within.items()]
    low, high = 0.0, curve.capacity
    for _ in range(ROUNDS):
        rates = low + (high - low) * np.arange(1, TRIED + 1) / (TRIED + 1)
        met = _met(curve, rates)
        kept = np.logical_and.reduce([np.full(TRIED, True), *(limit.kept(rates, *met) for limit in limits)])
        many = TRIED if kept.all() else int(np.argmin(kept))
        low, high = low if many == 0 else float(rates[many - 1]), high if many == TRIED else float(rates[many])
    return low or None


def simulated(
    curve: ServiceCurve, rate: float, seed: int = 1, *, work: ArrayLike | None = None, requests: int = 5_000
) -> Promise | None:
    """Percentiles at so many requests a second on one instance, with intervals; None where the queue never ends.

    `work` are lengths of requests relative to each other, all above 0, such as the output lengths of a trace, drawn
    at random; without it requests differ as the percentiles of E2EL at one concurrency do, and where none is known
    not at all. The same seed draws the same arrivals and lengths at every rate and for every curve. At least
    `requests` are simulated in ten independent runs: by default in about 15 ms, longer close to the capacity, where
    thousands wait.
    """
    state = stationary(curve, rate)
    if state is None:
        return None
    tables = _Tables.of(curve)
    works = _works(curve, state, work)
    recorded = math.ceil(requests / REPLICATIONS)
    following = min(math.ceil(4 * state.in_flight * works[-1]) + 64, MOST_FOLLOWING)
    drawn = _Drawn.of(seed, recorded + following, curve, rate)
    runs = [_run(tables, works, drawn, place, recorded, rate) for place in range(REPLICATIONS)]
    estimates = {}
    for metric in runs[0]:
        own = np.array([run[metric] for run in runs])
        if metric == "e2el_ms":
            estimates[MEAN] = _estimate(float(own.mean()), own.mean(axis=1))
        found = zip(np.percentile(own, PERCENTILES), np.percentile(own, PERCENTILES, axis=1), strict=True)
        for percentile, (value, values) in zip(PERCENTILES, found, strict=True):
            estimates[f"{metric}_p{percentile}"] = _estimate(float(value), values)
    return Promise(rate, state.utilisation, seed, recorded * REPLICATIONS, estimates)


def _line(concurrency: Sequence[float | None], values: Sequence[float | None], key: str) -> LoadCurve | None:
    """The curve of one metric; None where no point states it."""
    if not any((load or 0) > 0 and (value or 0) > 0 for load, value in zip(concurrency, values, strict=True)):
        return None
    return LoadCurve.of(concurrency, values, GROWS[key.rpartition("_ms_")[0] + "_ms"])


def _met(curve: ServiceCurve, rates: Reals) -> tuple[Reals, Reals]:
    """What arrivals meet at each rate below the capacity: the shares that become the 1st to last of those in service,
    (rates, most), and the shares that find all places taken.

    Arrivals see what is there on average (Wolff 1982), and in a birth-death process the odds of k + 1 to k requests
    are the rate of arrivals over that of completions of k + 1; beyond `most` they stay the same.
    """
    logs = np.log(rates)[:, None] * np.arange(curve.most + 1) + curve._odds
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights[:, -1] /= 1 - rates / curve.capacity
    weights /= weights.sum(axis=1, keepdims=True)
    return weights[:, :-1], weights[:, -1]


def _mean(curve: ServiceCurve, key: str, served: Reals, waits: float, rate: float) -> float | None:
    """The mean of a metric over all arrivals; a wait in the queue lasts 1 / (capacity - rate) on average."""
    if key not in curve.curves:
        return None
    values = curve.along(key)
    wait = 0.0 if key.startswith("tpot") else 1000 / (curve.capacity - rate)
    return float(served @ values + waits * (values[-1] + wait))


@dataclass(frozen=True)
class _Spread:
    """How requests at one concurrency differ: medians (most,), and above them log ratios (most, n) at n normal scores.

    The first score is 0; below the median the same ratios are divided by. Between scores logarithms are straight.
    """

    medians: Reals
    scores: Reals
    ratios: Reals

    @classmethod
    def of(cls, curve: ServiceCurve, metric: str) -> _Spread:
        """What the curve's percentiles say; without any, or with the mean or median alone, requests are all alike."""
        known = sorted((percentile, key) for key in curve.curves if (percentile := _percentile(metric, key)))
        middle = f"{metric}_p50" if f"{metric}_p50" in curve.curves else f"{metric}_mean"
        medians = curve.along(middle)
        above = [(NORMAL.inv_cdf(share), np.log(curve.along(key) / medians)) for share, key in known if share > 0.5]
        scores = np.array([0.0, *(score for score, _ in above)])
        ratios = np.column_stack([np.zeros(curve.most), *(ratio for _, ratio in above)])
        return cls(medians, scores, np.maximum.accumulate(ratios, axis=1))

    def ratio(self, place: NDArray[np.intp] | int, scores: Reals) -> Reals:
        """The factors on the median of requests at these places of the curve, by their normal scores."""
        if len(self.scores) == 1:
            return np.ones(len(scores))
        size = np.minimum(np.abs(scores), FARTHEST)
        knot = np.clip(np.searchsorted(self.scores, size, side="right") - 1, 0, len(self.scores) - 2)
        low, high = self.ratios[place, knot], self.ratios[place, knot + 1]
        along = (size - self.scores[knot]) / (self.scores[knot + 1] - self.scores[knot])
        return np.asarray(np.exp(np.sign(scores) * (low + (high - low) * along)))

    def shares(self, limit: float) -> Reals:
        """The share of requests within a limit, at each concurrency."""
        if len(self.scores) == 1:
            return (self.medians <= limit).astype(float)
        every = np.arange(len(self.medians))
        far = np.log(limit / self.medians)
        size, sign = np.abs(far), np.where(far >= 0, 1.0, -1.0)
        knot = np.clip((self.ratios <= size[:, None]).sum(axis=1) - 1, 0, len(self.scores) - 2)
        low, high = self.ratios[every, knot], self.ratios[every, knot + 1]
        rise = (self.scores[knot + 1] - self.scores[knot]) / np.maximum(high - low, 1e-12)
        found = sign * np.minimum(self.scores[knot] + (size - low) * rise, FARTHEST)
        return np.asarray(np.where(np.abs(found) < FARTHEST, np.interp(found, SCORES, SHARES), found > 0))


def _percentile(metric: str, key: str) -> float | None:
    """The share of a key's percentile, 0.99 of p99; None for a mean and for another metric."""
    found = KEY.fullmatch(key)
    if found is None or found[1] != metric or found[3] is None:
        return None
    return float(f"{found[3]}.{found[4] or 0}") / 100


@dataclass(frozen=True)
class _Limit:
    """A limit on one metric, with what is the same at every rate."""

    curve: ServiceCurve
    key: str
    limit: float
    share: float | None
    """The share of requests that has to be within the limit; None where the mean has."""
    within: Reals
    """At each concurrency the share that is within, of a mean the metric itself."""
    queued: Reals
    """Of those that waited first some that stand for all, by what is left of the limit for the wait, in s."""

    def kept(self, rates: Reals, served: Reals, waits: Reals) -> NDArray[np.bool_]:
        """Whether it is kept at each rate, by what arrivals meet there."""
        gap = self.curve.capacity - rates
        waited = 0.0 if self.key.startswith("tpot") else 1000 / gap
        if self.share is None:
            return np.asarray(served @ self.within + waits * (self.within[-1] + waited) <= self.limit)
        late = np.full(len(rates), self.within[-1])
        if len(self.queued):
            late = np.minimum(late, -np.expm1(-gap[:, None] * self.queued).mean(axis=1))
        return np.asarray(served @ self.within + waits * late >= self.share)


def _limit(curve: ServiceCurve, key: str, limit: float) -> _Limit:
    metric = key.rpartition("_ms_")[0] + "_ms"
    share = _percentile(metric, key)
    if share is None:
        return _Limit(curve, key, limit, None, curve.along(key), np.array([]))
    spread = _Spread.of(curve, metric)
    if metric == "tpot_ms":
        return _Limit(curve, key, limit, share, spread.shares(limit), np.array([]))
    last = spread.medians[-1] * spread.ratio(curve.most - 1, QUANTILES[12::25])
    return _Limit(curve, key, limit, share, spread.shares(limit), np.maximum(limit - last, 0) / 1000)


@dataclass(frozen=True)
class _Tables:
    """What a simulation looks up with so many requests in service, the first place being none."""

    most: int
    slow: list[float]
    """The ms that a mean request takes."""
    fast: list[float]
    """The tokens a ms that a request gets; 0 where TPOT is not known."""
    spreads: Mapping[str, _Spread]

    @classmethod
    def of(cls, curve: ServiceCurve) -> _Tables:
        spreads = {metric: _Spread.of(curve, metric) for metric in ("ttft_ms", "tpot_ms") if curve.knows(metric)}
        fast = 1 / spreads["tpot_ms"].medians if "tpot_ms" in spreads else np.zeros(curve.most)
        return cls(curve.most, [math.inf, *curve.along(MEAN).tolist()], [0.0, *fast.tolist()], spreads)


def _works(curve: ServiceCurve, state: LongRun, work: ArrayLike | None) -> Reals:
    """Lengths of requests that stand for all, ascending, 1 on average."""
    if work is not None:
        own = np.sort(np.asarray(work, dtype=float))
        if not len(own) or own[0] <= 0 or not math.isfinite(own[-1]):
            raise ValueError("lengths of requests are above 0 and finite: leave out those that are not")
        return np.asarray(own / own.mean())
    spread = _Spread.of(curve, "e2el_ms")
    if len(spread.scores) == 1:
        return np.ones(1)
    usual = min(max(round(state.in_flight), 1), curve.most) - 1
    median = spread.medians[usual] / curve.along(MEAN)[usual]
    upper = median * spread.ratio(usual, QUANTILES[QUANTILES > 0])
    # Nobody states what lies below the median: evenly down to where the mean is the one that was measured.
    lowest = min(max(2 * (2 - float(upper.mean())) - median, SHORTEST * median), median)
    own = np.concatenate([np.linspace(lowest, median, len(upper)), upper])
    return np.asarray(own / own.mean())


@dataclass(frozen=True)
class _Drawn:
    """What is drawn for all runs, a column each; the first rows are the same however many there are."""

    gaps: Reals
    lengths: Reals
    scores: Mapping[str, Reals]
    present: NDArray[np.int64]
    """How many requests there are as each run begins, as the long run has it."""
    ages: Reals

    @classmethod
    def of(cls, seed: int, many: int, curve: ServiceCurve, rate: float) -> _Drawn:
        gaps, lengths, ttft, tpot, present, ages = (
            np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(6)
        )
        served, _ = _met(curve, np.array([rate]))
        begun = present.random(REPLICATIONS)
        counts = np.searchsorted(np.cumsum(served[0]), begun)
        beyond = np.maximum(1 - begun, 1e-12) / max(1 - float(served.sum()), 1e-12)
        queued = np.floor(np.log(np.minimum(beyond, 1)) / np.log(rate / curve.capacity))
        counts = np.where(counts < curve.most, counts, curve.most + queued).astype(np.int64)
        size = (many, REPLICATIONS)
        scores = {"ttft_ms": ttft.standard_normal(size), "tpot_ms": tpot.standard_normal(size)}
        aged = ages.random((2, int(counts.max()) + 1, REPLICATIONS))
        return cls(gaps.exponential(size=size), lengths.random(size), scores, counts, aged)


def _run(tables: _Tables, works: Reals, drawn: _Drawn, place: int, recorded: int, rate: float) -> dict[str, Reals]:
    """The metrics of the recorded requests of one run, which begins as the long run has it.

    Of processor sharing that is known: requests in service are met with a probability in proportion to their length,
    at a moment that is uniform over it (Kelly 1979).
    """
    arrivals = np.cumsum(drawn.gaps[:, place]) * (1000 / rate)
    present = int(drawn.present[place])
    lengths = works[(drawn.lengths[:, place] * len(works)).astype(np.intp)]
    first, second = drawn.ages[:, :present, place]
    met = works[np.minimum(np.searchsorted(np.cumsum(works) / works.sum(), first), len(works) - 1)]
    fresh = works[(first * len(works)).astype(np.intp)]
    own = np.where(np.arange(present) < tables.most, met * second, fresh)
    began, ended, clock, among = _lived(tables, arrivals.tolist(), lengths.tolist(), own.tolist(), recorded)
    waits = began - arrivals[:recorded]
    stays = ended - began
    metrics = {"e2el_ms": waits + stays}
    at, scores = among - 1, {metric: one[:recorded, place] for metric, one in drawn.scores.items()}
    if ttft := tables.spreads.get("ttft_ms"):
        metrics["ttft_ms"] = waits + ttft.medians[at] * ttft.ratio(at, scores["ttft_ms"])
    if tpot := tables.spreads.get("tpot_ms"):
        metrics["tpot_ms"] = stays / clock * tpot.ratio(at, scores["tpot_ms"])
    return metrics


def _lived(
    tables: _Tables, arrivals: list[float], lengths: list[float], present: list[float], recorded: int
) -> tuple[Reals, Reals, Reals, NDArray[np.intp]]:
    """Of each of the first arrivals when it was let in and when it was done, in ms, the tokens that one who was there
    all along got in between, and how many were in service as it was let in.

    All in service progress alike, so each leaves at a progress that is known as it is let in: a heap of these is all
    there is to keep. Arrivals beyond the recorded ones keep the load up until the last of these is done.
    """
    slow, fast, most = tables.slow, tables.fast, tables.most
    many = len(arrivals)
    lengths = lengths + present
    began, ended, clock = ([0.0] * len(lengths) for _ in range(3))
    among = [0] * len(lengths)
    inside = [(lengths[who], who) for who in range(many, many + min(len(present), most))]
    heapify(inside)
    queue = deque(range(many + len(inside), len(lengths)))
    count, left, now, progress, tokens = len(inside), recorded, 0.0, 0.0, 0.0
    for arrival in range(many + 1):
        at = arrivals[arrival] if arrival < many else math.inf
        while inside:
            goal, who = inside[0]
            due = now + (goal - progress) * slow[count]
            if due > at:
                break
            tokens += (due - now) * fast[count]
            now, progress = due, goal
            heappop(inside)
            ended[who] = due
            clock[who] = tokens - clock[who]
            left -= who < recorded
            if queue:
                who = queue.popleft()
                began[who], clock[who], among[who] = due, tokens, count
                heappush(inside, (goal + lengths[who], who))
            else:
                count -= 1
        if not left or arrival == many:
            break
        progress += (at - now) / slow[count]
        tokens += (at - now) * fast[count]
        now = at
        if count < most:
            count += 1
            began[arrival], clock[arrival], among[arrival] = at, tokens, count
            heappush(inside, (progress + lengths[arrival], arrival))
        else:
            queue.append(arrival)
    kept = slice(recorded)
    return np.array(began[kept]), np.array(ended[kept]), np.array(clock[kept]), np.array(among[kept], dtype=np.intp)


def _estimate(value: float, own: Reals) -> Estimate:
    """A value of all runs, above 0, and its interval by sectioning: what the runs' own values differ from it by.

    Asmussen and Glynn, Stochastic Simulation, 2007, section III.5; on logarithms, as waits spread far upwards.
    """
    half = T_ALL * math.sqrt(float((np.log(own / value) ** 2).sum()) / (len(own) * (len(own) - 1)))
    return Estimate(value, value * math.exp(-half), value * math.exp(half))
