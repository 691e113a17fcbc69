"""What a comparison found: how much larger each metric of B is than A's, by pair and over all, and how well that is
known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from bench import catalogue
from bench.basis.document import HIDDEN
from bench.basis.evidence import PointTally
from bench.basis.points import PointFacts
from bench.catalogue import Metric

CompareVerdict = Literal["faster", "slower", "same", "unknown"]
IntervalBasis = Literal["repeats", "requests", "library", "pairs", "none"]
"""Where an interval comes from: repeats of the pair, the requests of its two runs, how repeats scatter elsewhere in the
library, how the pairs differ among each other (over all of them alone), or nowhere."""


@dataclass(frozen=True)
class ComparedSide:
    """One side: its filters as its option writes them, its name, its points, how many have a partner, their facts."""

    filters: str
    label: str
    points: int
    matched: int
    facts: tuple[PointFacts, ...] = field(default=(), metadata={HIDDEN: True})


@dataclass(frozen=True)
class MetricRatio:
    """A metric of B over A's: the geometric mean over so many pairs, with its 95 % interval where that is known.

    `verdict` is in terms of speed, so a lower latency is faster. `repeats` are how many more runs of each side would
    likely decide, 0 where it is decided, None where nobody can tell. `counts` are the pairs' own verdicts. `apart` says
    that the two sides define the metric unlike.
    """

    metric: str
    pairs: int
    ratio: float
    low: float | None
    high: float | None
    verdict: CompareVerdict
    basis: IntervalBasis
    repeats: int | None
    counts: dict[CompareVerdict, int]
    apart: bool = False

    @property
    def row(self) -> Metric:
        """The metric as the catalogue has it."""
        return catalogue.metric(self.metric)


@dataclass(frozen=True)
class FactDifference:
    """A fact that the matched points of the two sides do not share, with each side's values in words."""

    fact: str
    a: str
    b: str


@dataclass(frozen=True)
class Comparison:
    """B against A. `metrics` begin with the one that the headline is about; empty where no two points are matched.

    `pairs` has a row for each matched pair and metric; `scatter` is how many groups of repeats of the library tell how
    far runs scatter, 0 where that was not asked or there are none. `matched_on` are the facts that a pair shares.
    """

    a: ComparedSide | None
    b: ComparedSide | None
    metrics: tuple[MetricRatio, ...]
    margin: float
    tally: PointTally
    differences: tuple[FactDifference, ...]
    matched_on: tuple[str, ...]
    scatter: int
    show: str
    pairs: pd.DataFrame = field(metadata={HIDDEN: True}, repr=False, compare=False)
    curves: pd.DataFrame = field(metadata={HIDDEN: True}, repr=False, compare=False)
    single: bool = False

    @property
    def main(self) -> MetricRatio | None:
        """The metric that the headline is about."""
        return self.metrics[0] if self.metrics else None
