"""How far the load generator's own lateness can have moved a point's percentiles.

What arrives while the event loop is busy, or while the process does not run, is stamped once it gets to it. A hundred
times a second the loop notes how late it is, for every moment since the last look, so these samples are how late a
stamp is whenever it falls. Nothing is assumed of how lateness and latency hang together. With X measured, T true and
0 <= X - T = L, for every l: P(T <= t) <= P(X <= t + l) + P(L > l), hence T's quantile q is at least X's quantile
q - P(L > l), less l; the best l of some is taken. A TPOT has a stamp at both ends, either late, shared by its tokens.

Source: the bound on the quantiles of a sum of dependent terms, G. D. Makarov, "Estimates for the distribution function
of a sum of two random variables when the marginal distributions are fixed", Theory of Probability 26 (1982).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.sweep.generator.samples import ABSENT
from bench.sweep.measured.window import MILLION, each_request, latencies_told

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bench.sweep.generator.samples import Mask, Samples

    Values = npt.NDArray[np.float64]

PERCENTS = (50, 90, 99)
LEVELS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 1.0)
"""Quantiles of the lateness that are tried as l."""
KEYS = ("ttft_ms", "tpot_ms", "e2el_ms")


@dataclass(frozen=True)
class Moved:
    """A percentile, in ms, and the most that it may read off by, either way for TPOT and too high for the others."""

    key: str
    percent: int
    value: float
    by: float

    @property
    def share(self) -> float:
        """The most it may be off by, of its own value."""
        return self.by / self.value if self.value > 0 else 0.0


def moved(samples: Samples, timed: Mask, lag_ms: Values) -> tuple[Moved, ...]:
    """How far each percentile of KEYS may be off; nothing where no lateness was sampled.

    In an open loop a request that was sent late has waited for the load generator, which is known exactly.
    """
    import numpy as np

    if not len(lag_ms) or not timed.any():
        return ()
    known = np.sort(lag_ms)
    tried = [_at(known, level) for level in LEVELS]
    late = [(most, 1 - float(np.searchsorted(known, most, "right")) / len(known)) for most in tried]
    intended = samples.intended_ns[timed]
    sent_late = np.where(intended == ABSENT, 0, samples.sent_ns[timed] - intended) / MILLION
    later = np.maximum((samples.shown - samples.at_first)[timed], 1)
    found = []
    values = latencies_told(each_request(samples, timed))
    for key in KEYS:
        if key not in values:
            continue
        has = ~np.isnan(values[key])
        ordered = np.sort(values[key][has])
        spread = float(np.median(later[has])) if key == "tpot_ms" else None
        waited = np.sort(values[key][has] - sent_late[has]) if spread is None else ordered
        for percent in PERCENTS:
            value, own = (_at(series, percent / 100) for series in (ordered, waited))
            by = value - own + _bound(waited, percent / 100, late, spread)
            found.append(Moved(key, percent, value, by))
    return tuple(found)


def _bound(ordered: Values, q: float, late: Iterable[tuple[float, float]], spread: float | None) -> float:
    """The most a quantile may be off by, from quantiles of the lateness with the chance that it is beyond."""
    value = _at(ordered, q)
    best = float("inf")
    for most, beyond in late:
        if spread is None:
            off = value - _at(ordered, q - beyond) + most if beyond < q else float("inf")
        else:  # both ends may be late, so the chance counts twice, and each token bears its part
            lower = value - _at(ordered, q - 2 * beyond) if 2 * beyond < q else float("inf")
            upper = _at(ordered, q + 2 * beyond) - value if q + 2 * beyond < 1 else float("inf")
            off = max(lower, upper if beyond else 0.0) + most / spread
        best = min(best, off)
    return best


def _at(ordered: Values, q: float) -> float:
    """A quantile of sorted values, linear between neighbours."""
    place = max(0.0, q) * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (place - below))
