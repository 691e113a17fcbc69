"""The laws fitted to a line: which of them are told, which peak is a prediction, and the curves that are drawn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from bench.maths.scaling import Law

TRUSTED_ERROR = 0.10
"""A law that misses the measured throughputs by more than this, as a root mean square, is not told as a finding."""

CURVE_POINTS = 25
FARTHEST = 4.0
"""A curve goes on to its predicted peak where that is at most so many times the largest measured count."""

Curve = list[tuple[float, float]]


def told(law: Law | None) -> bool:
    """Whether a fitted law misses the measured throughputs by little enough to be told."""
    return law is not None and law.error <= TRUSTED_ERROR


def predicts(law: Law | None) -> bool:
    """Whether a law's peak beyond the measured counts is worth telling as its prediction: it fits, and could fail to.

    Without a degree of freedom a law passes through every count, whether it holds or not.
    """
    if law is None or law.peak is None or not told(law) or law.degrees_of_freedom < 1:
        return False
    return law.peak.count > law.largest


def numbers(law: Law | None) -> dict[str, Any] | None:
    """A law as plain values: parameters, error, peak, its `curve` over the measured counts and `beyond` them.

    Both are lists of (count, throughput), empty where nothing is to be drawn: of a law that is not told, and beyond
    the measured counts of one whose peak may as well be none.
    """
    if law is None:
        return None
    peak = law.peak
    return {
        "unit_throughput": law.unit_throughput,
        "contention": law.contention,
        "coherency": law.coherency,
        "error": law.error,
        "degrees_of_freedom": law.degrees_of_freedom,
        "told": told(law),
        "curve": _curve(law, law.smallest, law.largest) if told(law) else [],
        "beyond": _curve(law, law.largest, peak.count) if peak and _is_reached(law) else [],
        "peak": None
        if peak is None
        else {
            **asdict(peak),
            "told": told(law) and peak.measured and peak.observed,
            "predicted": predicts(law),
        },
    }


def _is_reached(law: Law) -> bool:
    peak = law.peak
    return bool(peak and predicts(law) and peak.high is not None and peak.count <= FARTHEST * law.largest)


def _curve(law: Law, low: float, high: float) -> Curve:
    counts = np.geomspace(low, high, CURVE_POINTS).tolist()
    found = ((count, law.throughput_at(count)) for count in counts)
    return [(count, value) for count, value in found if value is not None]
