"""Where the time of each request went: from the moment it was meant to be sent to the end of its answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.sweep.generator.samples import IntColumn, Mask
from bench.sweep.generator.spool import ABSENT, OK, OUTCOMES
from bench.sweep.measured.request_file import KeptRequests
from bench.wording import counted

MOST_DRAWN = 120
"""So many requests still have a bar each that the eye can follow."""
FAILED_SHARE = 3
"""Failures are drawn first, but take no more than one bar in so many."""
MILLION = 1e6

PHASES = {
    "queued_ms": "Waiting to be sent",
    "connect_ms": "Connecting",
    "first_ms": "To the first token",
    "streaming_ms": "Streaming",
    "rest_ms": "To the end",
    "unbroken_ms": "No first token",
}
"""The phases in their order; together they are the whole time of a request. A phase a request has not is 0.

`unbroken_ms` is the time from sending to the end where no first token was seen: of an answer in one piece, and of most
that failed."""


@dataclass(frozen=True)
class Waterfall:
    """The requests that are drawn, in the order of their starts, and which ones these are in a sentence."""

    rows: pd.DataFrame
    said: str


def phases(kept: KeptRequests, chosen: Mask) -> pd.DataFrame:
    """One row for each chosen request: its number, `start_s` and `end_s`, the phases in ms, and how it ended.

    Connecting is a phase of its own where it happened after the request was due; connections are opened ahead.
    """
    seen = kept.samples
    start, sent, end, first = (column[chosen] for column in (seen.start_ns, seen.sent_ns, seen.end_ns, seen.first_ns))
    last = seen.last_ns[chosen]
    connect = _connecting(kept, chosen)
    answered = first != ABSENT
    is_open = (seen.intended_ns != ABSENT).any()
    columns = {
        "number": kept.number[chosen],
        "start_s": start / 1e9,
        "end_s": end / 1e9,
        "queued_ms": np.maximum(sent - connect - start, 0) / MILLION,
        "connect_ms": np.minimum(connect, sent - start) / MILLION if is_open else np.zeros(len(sent)),
        "first_ms": np.where(answered, first - sent, 0) / MILLION,
        "streaming_ms": np.where(answered, last - first, 0) / MILLION,
        "rest_ms": np.where(answered, end - last, 0) / MILLION,
        "unbroken_ms": np.where(answered, 0, end - sent) / MILLION,
        "input_tokens": _known(seen.input_tokens[chosen]),
        "output_tokens": _known(seen.output_tokens[chosen]),
        "outcome": [OUTCOMES[place] for place in seen.outcome[chosen].tolist()],
        "error": pd.Series([kept.error[place] for place in np.flatnonzero(chosen).tolist()], dtype=object),
    }
    return pd.DataFrame(columns)


def waterfall(kept: KeptRequests, most: int = MOST_DRAWN) -> Waterfall:
    """The requests to draw: all of them, or as many spread evenly over the point, failures among them first."""
    order = np.argsort(kept.samples.start_ns, kind="stable")
    failed = order[kept.samples.outcome[order] != OK]
    if len(order) <= most:
        return Waterfall(_drawn(kept, order), f"All {counted(len(order), 'request')} of the point are drawn.")
    bad = _evenly(failed, most // FAILED_SHARE)
    well = _evenly(order[kept.samples.outcome[order] == OK], most - len(bad))
    said = f"{len(bad) + len(well):,} of {counted(len(order), 'request')} are drawn, spread evenly over the point"
    if len(failed):
        said += f", {len(bad):,} of the {len(failed):,} that failed or were cut off among them"
    return Waterfall(_drawn(kept, np.concatenate((bad, well))), f"{said}.")


def _drawn(kept: KeptRequests, places: IntColumn) -> pd.DataFrame:
    chosen = np.zeros(len(kept), dtype=bool)
    chosen[places] = True
    return phases(kept, chosen).sort_values(["start_s", "number"], kind="stable", ignore_index=True)


def _evenly(places: IntColumn, most: int) -> IntColumn:
    """So many of them at most, the first and the last included."""
    if len(places) <= most:
        return places
    return places[np.unique(np.linspace(0, len(places) - 1, most).round().astype(np.int64))]


def _connecting(kept: KeptRequests, chosen: Mask) -> IntColumn:
    """How long each request waited for its connection, in ns; 0 where that was opened before it was due."""
    seen = kept.samples
    took = np.where(kept.connect_ns == ABSENT, 0, kept.connect_ns)[chosen]
    delay = (seen.sent_ns - seen.start_ns)[chosen]
    held: IntColumn = np.where(took <= delay, took, 0)
    return held


def _known(column: IntColumn) -> pd.Series[int]:
    return pd.Series(column).mask(column == ABSENT).astype("Int64")
