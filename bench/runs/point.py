"""One point of a sweep down to the single request: the window, latencies, the course of it, failures with examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from bench.errors import NotFound
from bench.formats.journal import PointLine
from bench.runs import over_time as course
from bench.runs.phases import Waterfall, waterfall
from bench.sweep.folder import Folder
from bench.sweep.generator.samples import Mask, Samples
from bench.sweep.generator.spool import OK, OUTCOMES
from bench.sweep.measured.request_file import KeptRequests, from_parquet
from bench.sweep.measured.window import BILLION, MILLION, PERCENTILES, Window, each_request, gaps_are_itl, started_well

Values = npt.NDArray[np.float64]

KEYS = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms")
MOST_VERTICES = 400
TAIL = (99.0, 100.0, 21)
"""The last percent is drawn from so many vertices more: it is where the outliers are."""

EXAMPLES = 3


@dataclass(frozen=True)
class Distribution:
    """A latency in ms, all values of it in ascending order; never empty."""

    key: str
    values: Values

    def at(self, percent: float) -> float:
        """The percentile, linear between neighbours, as the journal's metrics are."""
        return float(np.percentile(self.values, percent, method="linear"))

    @property
    def statistics(self) -> dict[str, float]:
        """The count, the mean, the percentiles of the catalogue, the least and the most."""
        named = {f"p{percent}": self.at(percent) for percent in PERCENTILES}
        ends = {"min": float(self.values[0]), "max": float(self.values[-1])}
        return {"count": len(self.values), "mean": float(self.values.mean()), **named, **ends}

    def curve(self, most: int = MOST_VERTICES) -> tuple[Values, Values]:
        """Vertices of the cumulative distribution: values in ms, and the percent of all at or below each.

        Every vertex lies on the exact curve, and each percentile of the catalogue is one; only the straight lines
        between them are an approximation, where there are more values than `most`.
        """
        if len(self.values) <= most:
            drawn = np.linspace(0, 100, max(2, len(self.values)))
        else:
            drawn = np.concatenate((np.linspace(0, 100, most), np.linspace(*TAIL)))
        percents = np.unique(np.concatenate((drawn, np.array(PERCENTILES, dtype=float))))
        return np.percentile(self.values, percents, method="linear"), percents


@dataclass(frozen=True)
class FailedRequest:
    """A request that failed: its number, when it ended in seconds since the point's start, and why."""

    number: int
    at_s: float
    error: str


@dataclass(frozen=True)
class Failure:
    """A kind of failure: how many requests ended so, the warm-up's included, and the first ones.

    `examples` differ in what they say, as far as there are different ones.
    """

    kind: str
    requests: int
    examples: tuple[FailedRequest, ...]


@dataclass(frozen=True)
class PointStory:
    """A point and its requests. `window` is None where the journal does not say where it lies.

    `latencies` are then over all requests that ended well, as the journal's figures of the whole run are.
    """

    line: PointLine
    window: Window | None
    requests: int
    latencies: Mapping[str, Distribution]
    over_time: pd.DataFrame
    engine: pd.DataFrame
    waterfall: Waterfall
    failures: tuple[Failure, ...]


def point_story(folder: Folder, number: int) -> PointStory:
    """What the n-th point of a sweep tells.

    NotFound when the sweep has no such point; InputError when its samples, or the journal, cannot be read.
    """
    line = next((line for line, _ in folder.read.points if line.number == number), None)
    if line is None:
        raise NotFound(
            f"The sweep {folder.id} has no point {number} yet; `python -m bench run {folder.id}` lists them."
        )
    return story_of_line(line, from_parquet(folder.requests / f"{line.number}.parquet"))


def story_of_line(line: PointLine, kept: KeptRequests) -> PointStory:
    """What a point's line and its requests tell together."""
    window = window_of(line)
    seen = kept.samples
    timed = started_well(seen, window) if window is not None else seen.outcome == OK
    return PointStory(
        line=line,
        window=window,
        requests=len(kept),
        latencies=distributions(seen, timed),
        over_time=course.over_time(kept, window),
        engine=course.engine(kept.readings),
        waterfall=waterfall(kept),
        failures=_failures(kept),
    )


def window_of(line: PointLine) -> Window | None:
    """Where the window lies, in nanoseconds since the point's start."""
    if line.window_start_s is None or line.window_s is None:
        return None
    start = round(line.window_start_s * BILLION)
    return Window(start, start + round(line.window_s * BILLION), line.why_not_steady or "")


def _failures(kept: KeptRequests) -> tuple[Failure, ...]:
    """The kinds of failure, the commonest first."""
    outcome = kept.samples.outcome
    failures = []
    for kind in set(outcome.tolist()) - {OK, OUTCOMES.index("cancelled")}:
        places = np.flatnonzero(outcome == kind)
        in_order = places[np.argsort(kept.samples.end_ns[places], kind="stable")].tolist()
        name = OUTCOMES[kind]
        failures.append(Failure(name, len(places), _examples(kept, in_order)))
    return tuple(sorted(failures, key=lambda one: (-one.requests, one.kind)))


def _examples(kept: KeptRequests, places: list[int]) -> tuple[FailedRequest, ...]:
    first_of: dict[str, int] = {}
    for place in places:
        first_of.setdefault(kept.error[place] or "", place)
        if len(first_of) == EXAMPLES:
            break
    return tuple(
        FailedRequest(int(kept.number[place]), float(kept.samples.end_ns[place]) / 1e9, said)
        for said, place in first_of.items()
    )


def distributions(samples: Samples, timed: Mask) -> Mapping[str, Distribution]:
    """The latencies of these requests by key, in the order of KEYS; one that no request has is not among them."""
    found = each_request(samples, timed)
    if gaps_are_itl(samples, timed):
        found |= {"itl_ms": samples.gaps_ns(timed) / MILLION}
    known = {key: found[key][~np.isnan(found[key])] for key in KEYS if key in found}
    return {key: Distribution(key, np.sort(values)) for key, values in known.items() if len(values)}
