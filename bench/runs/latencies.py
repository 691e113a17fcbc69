"""How the latencies of a point are distributed: every value, and a curve through exactly its percentiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bench.sweep.generator.samples import Samples
from bench.sweep.measured.window import MILLION, PERCENTILES, each_request, gaps_are_itl

if TYPE_CHECKING:
    from bench.sweep.generator.samples import Mask

Values = npt.NDArray[np.float64]

KEYS = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms")
MOST_VERTICES = 400
TAIL = (99.0, 100.0, 21)
"""The last percent is drawn from so many vertices more: it is where the outliers are."""


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


def distributions(samples: Samples, timed: Mask) -> Mapping[str, Distribution]:
    """The latencies of these requests by key, in the order of KEYS; one that no request has is not among them."""
    found = each_request(samples, timed)
    if gaps_are_itl(samples, timed):
        found |= {"itl_ms": samples.gaps_ns(timed) / MILLION}
    known = {key: found[key][~np.isnan(found[key])] for key in KEYS if key in found}
    return {key: Distribution(key, np.sort(values)) for key, values in known.items() if len(values)}
