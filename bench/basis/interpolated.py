"""How wrong interpolation between measured loads has been: each inner point of each curve predicted without itself.

An error is asked for by how far apart the loads around the wanted one lie, first of the source that the points are from
and, where that has too few, of all that is loaded. Nothing is asked of a load that was measured itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from bench import catalogue
from bench.basis import load_curves
from bench.basis.load_curves import LoadCurves
from bench.library import Library
from bench.maths import leave_one_out
from bench.maths.leave_one_out import Predictions
from bench.maths.load_curve import Reals
from bench.wording import number, share

RATE = "output_tokens_per_s"
"""What is predicted at a given latency; per request or chip it is the same curve, times what is equal all along it."""

GAPS = (1.0, 2.0, 4.0, 16.0, math.inf)
"""Between these ratios of the neighbours' loads points are counted together."""

SLACK = 1.01
"""Loads are whole numbers: 4,301 is twice 2,150."""

FEWEST = 20
"""Of fewer points nothing is said: of 20, two or three lie beyond the 90th percentile."""


@dataclass(frozen=True)
class PredictionError:
    """How far points that were left out lay from what their neighbours predicted, as shares of what was measured: the
    median, the 90th percentile and the mean, which a few that are far off pull up.

    `gap` is the largest ratio of the neighbours' loads, all above the one before it in GAPS; None where there is no
    largest. `at` is the latency at which throughput was predicted, None where it was at a load; `source` whose points
    these are, None for all that is loaded.
    """

    metric: str
    gap: float | None
    points: int
    median: float
    p90: float
    mean: float
    at: str | None = None
    source: str | None = None


Asked = tuple[str, str | None]
"""A metric, and the latency at which it is predicted."""

KNOWN: WeakKeyDictionary[LoadCurves, dict[Asked, tuple[PredictionError, ...]]] = WeakKeyDictionary()
"""What has been worked out of the curves of each library that is open."""


def errors(library: Library) -> tuple[PredictionError, ...]:
    """All errors of FEWEST points or more: at a load and at a given latency, of each source and of all."""
    metrics = load_curves.of(library).metrics
    latencies = [key for key in metrics if load_curves.grows(key) != "rate"]
    asked: list[Asked] = [(key, None) for key in metrics] + [(RATE, key) for key in latencies]
    return tuple(error for one in asked for error in _errors(library, one))


def of(
    library: Library, metric: str, gap: float, *, at: str | None = None, source: str | None = None
) -> PredictionError | None:
    """How wrong points were whose neighbours lay as far apart, by the ratio of their loads; None where too few were.

    Where there are too few, it is of those whose neighbours lay further apart, which of one source errs on the safe
    side, and where the source has too few of these too, of all sources. Throughput may be asked for `at` a given
    latency or interactivity. UnknownName for what is not interpolated.
    """
    load_curves.grows(metric)
    known = _errors(library, (metric, None if at is None else _latency(at)))
    for own in dict.fromkeys((source, None)):
        for error in known:
            if error.source == own and (error.gap is None or gap <= error.gap * SLACK):
                return error
    return None


def words(error: PredictionError | None) -> str:
    """It as a part of a sentence: "points like this one were predicted within 6 %, nine of ten within 18 %, 9 % off on
    average"."""
    if error is None:
        return f"fewer than {FEWEST} points like this one could be predicted from others"
    return (
        f"points like this one were predicted within {share(error.median)}, nine of ten within {share(error.p90)},"
        f" {share(error.mean)} off on average"
    )


def rests_on(error: PredictionError) -> str:
    """What it rests on: "394 points of ibm-llm-pilot between loads 2 to 4 times apart, each left out in turn"."""
    above = number(GAPS[GAPS.index(error.gap or math.inf) - 1])
    apart = f"over {above}" if error.gap is None else f"{above} to {number(error.gap)}"
    whose = "all sources" if error.source is None else error.source
    return f"{error.points:,} points of {whose} between loads {apart} times apart, each left out in turn"


def predictions(curves: LoadCurves, metric: str, at: str | None = None) -> Predictions:
    """Every point that can be left out, predicted from the rest of its curve."""
    if at is None:
        return leave_one_out.along_load(curves.points, curves.metrics[metric], load_curves.grows(metric))
    values, latencies = curves.metrics[metric], curves.metrics[at]
    return leave_one_out.at_latency(curves.points, values, latencies, load_curves.grows(at))


def _latency(key: str) -> str:
    """The latency that a limit is on; of interactivity the TPOT that it follows from."""
    row = catalogue.metric(key)
    latency = f"tpot_ms_{row.statistic}" if row.kind == "per_user" else key
    load_curves.grows(latency)
    return latency


def _errors(library: Library, pair: Asked) -> tuple[PredictionError, ...]:
    """The errors of each source and then of all, by ascending gap; worked out once for each state of the library."""
    curves = load_curves.of(library)
    known = KNOWN.setdefault(curves, {})
    if pair not in known:
        known[pair] = tuple(_worked_out(curves, *pair))
    return known[pair]


def _worked_out(curves: LoadCurves, metric: str, at: str | None) -> Iterator[PredictionError]:
    if metric not in curves.metrics or (at is not None and at not in curves.metrics):
        return
    left_out = predictions(curves, metric, at)
    sources, values = curves.sources[left_out.places], curves.metrics[metric][left_out.places]
    gaps, wrong = left_out.gaps, np.abs(left_out.errors)
    for source in sorted(set(sources)):
        own = sources == source
        yield from _by_gap((metric, at), source, gaps[own], wrong[own])
    once = np.unique(np.column_stack([gaps, values, wrong]), axis=0)  # what two sources print is measured once
    yield from _by_gap((metric, at), None, once[:, 0], once[:, 2])


def _by_gap(asked: Asked, source: str | None, gaps: Reals, wrong: Reals) -> Iterator[PredictionError]:
    """The error of each range of gaps that has enough points."""
    metric, at = asked
    ratios = gaps / SLACK
    for above, gap in pairwise(GAPS):
        own = wrong[(ratios > above) & (ratios <= gap)]
        if len(own) >= FEWEST:
            median, p90 = np.quantile(own, (0.5, 0.9)).tolist()
            wide = None if math.isinf(gap) else gap
            yield PredictionError(metric, wide, len(own), median, p90, float(own.mean()), at, source)
