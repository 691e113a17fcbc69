"""How a point went from its first second to its last: tokens as they came, requests under way, the engine beside it."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pandas as pd

from bench.sweep.generator.samples import IntColumn
from bench.sweep.measured.request_file import KeptRequests
from bench.sweep.measured.telemetry import NAMES, EngineReading
from bench.sweep.measured.window import Window, arrivals

BINS = 120
"""About so many bins over the whole point."""
NARROWEST_NS = 50_000_000
BILLION = 1e9


def over_time(kept: KeptRequests, window: Window | None) -> pd.DataFrame:
    """One row for each stretch of the point, of equal length: `output_tokens` that came in it and their rate.

    `in_flight` is the mean number of requests under way, `started` how many were sent. The window is a whole number of
    stretches, told by `in_window`, so that its tokens are those of the journal. A stretch is (`from_s`, `to_s`]; the
    first may begin before the point and the last end after it, where nothing happened.
    """
    seen = kept.samples
    end = max(int(seen.end_ns.max(initial=0)), window.end_ns if window else 0, 1)
    edges = _edges(end, window)
    when, tokens = arrivals(seen)
    came = np.bincount(_stretch(edges, when), weights=tokens, minlength=len(edges) - 1)
    seconds = np.diff(edges) / BILLION
    started = np.bincount(_stretch(edges, seen.sent_ns), minlength=len(edges) - 1)
    under_way = np.diff(_spent(seen.sent_ns, edges) - _spent(seen.end_ns, edges)) / BILLION
    inside = (edges[:-1] >= window.start_ns) & (edges[1:] <= window.end_ns) if window else False
    return pd.DataFrame(
        {
            "from_s": edges[:-1] / BILLION,
            "to_s": edges[1:] / BILLION,
            "output_tokens": came.astype(np.int64),
            "output_tokens_per_s": came / seconds,
            "in_flight": under_way / seconds,
            "started": started,
            "in_window": inside,
        }
    )


def engine(readings: tuple[EngineReading, ...]) -> pd.DataFrame:
    """What the engine said of itself, a row for each reading at `at_s`; a column for each figure it tells."""
    rows = pd.DataFrame([asdict(one) for one in readings], columns=["at_ns", *NAMES])
    rows.insert(0, "at_s", rows.pop("at_ns").astype(float) / BILLION)
    return rows.dropna(axis="columns", how="all")


def _edges(end: int, window: Window | None) -> IntColumn:
    """The ends of the stretches: those of the window are two of them, and all are as far apart as rounding lets."""
    wanted = max(end / BINS, NARROWEST_NS)
    if window is None or window.end_ns <= window.start_ns:
        return _rounded(np.arange(0, np.ceil(end / wanted) + 1) * wanted)
    length = window.end_ns - window.start_ns
    inside = max(1, round(length / wanted))
    before = int(np.ceil(window.start_ns * inside / length))
    after = int(np.ceil(max(0, end - window.end_ns) * inside / length))
    return _rounded(window.start_ns + np.arange(-before, inside + after + 1) * (length / inside))


def _rounded(edges: npt.NDArray[np.floating]) -> IntColumn:
    found: IntColumn = np.round(edges).astype(np.int64)
    return found


def _stretch(edges: IntColumn, when: IntColumn) -> IntColumn:
    """The stretch each moment lies in; one at the very beginning is in the first."""
    found: IntColumn = np.clip(np.searchsorted(edges, when, side="left") - 1, 0, len(edges) - 2)
    return found


def _spent(since: IntColumn, until: IntColumn) -> npt.NDArray[np.float64]:
    """The time from each of `since` to each of `until`, where that is later, summed over `since`; in ns."""
    moments = np.sort(since).astype(float)
    sums = np.concatenate(([0.0], np.cumsum(moments)))
    before = np.searchsorted(moments, until, side="right")
    found: npt.NDArray[np.float64] = before * until.astype(float) - sums[before]
    return found
