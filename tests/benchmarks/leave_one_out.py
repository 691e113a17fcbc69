"""How wrong interpolation is: each inner point of each shipped curve left out and predicted, by several methods.

The tables of docs/sizing.md are what this prints, in percent: the median, the 90th percentile and the mean of
|predicted / measured - 1|, by metric, source and how far the loads around lie apart. Predicted here with SciPy, point
by point, and held against what the basis says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from bench.basis import interpolated, load_curves
from bench.basis.interpolated import FEWEST, RATE, SLACK
from bench.basis.load_curves import LoadCurves
from bench.library import Library
from bench.maths.load_curve import POWERS, Grows
from tests.benchmarks import Figure, seconds

Reals = NDArray[np.float64]
Line = Callable[[Reals], Reals]
Row = dict[str, Any]
Rows = Sequence[Row]

METRICS = (RATE, "tpot_ms_p50", "tpot_ms_p99", "ttft_ms_p50", "ttft_ms_p99", "e2el_ms_p50")
LATENCIES = ("tpot_ms_p50", "ttft_ms_p99")
GAPS = ((0.0, 2.0), (2.0, 4.0), (4.0, 16.0), (16.0, np.inf), (0.0, np.inf))
OTHER_POWERS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1)
OURS = "as answered"
GOALS = {0.5: 10.0, 0.9: 25.0}
"""In percent, for throughput at a given interactivity over InferenceX."""


@dataclass(frozen=True)
class Method:
    """A line through points: over the load to a power, or on logarithms where there is none; straight or PCHIP."""

    power: float | None
    cubic: bool

    def line(self, loads: Reals, values: Reals, grows: Grows) -> Line:
        """The line, as a function of loads."""
        if self.power is None:
            own = _through(np.log(loads), np.log(values), self.cubic)
            return lambda load: np.exp(own(np.log(load)))
        power = self.power
        if grows != "rate":
            own = _through(loads**power, values, self.cubic)
            return lambda load: own(load**power)
        own = _through(loads**power, loads / values, self.cubic)
        return lambda load: load / own(load**power)


def methods(grows: Grows) -> dict[str, Method]:
    """The methods that are compared."""
    return {
        OURS: Method(POWERS[grows], cubic=True),
        "straight over it": Method(POWERS[grows], cubic=False),
        "PCHIP over load": Method(1.0, cubic=True),
        "straight over load": Method(1.0, cubic=False),
        "PCHIP on logs": Method(None, cubic=True),
        "straight on logs": Method(None, cubic=False),
    }


def measure() -> Iterator[Figure]:
    """Prints the tables; yields what has a goal."""
    library = Library.open(Path(tempfile.gettempdir()) / "does-not-exist")
    library.fetch("SELECT count(*) FROM points")
    yield Figure(
        "all errors of the shipped library, first time", seconds(lambda: interpolated.errors(library)), "s", 0.3
    )
    curves = load_curves.of(library)
    furthest = 0.0
    for metric in METRICS:
        tried = methods(load_curves.grows(metric))
        rows = list(along_load(curves, metric, tried))
        show(f"{metric} at a load", rows, tried)
        furthest = max(furthest, off(interpolated.predictions(curves, metric).errors, rows))
    for latency in LATENCIES:
        tried = methods(load_curves.grows(latency))
        rows = list(at_latency(curves, latency, tried))
        show(f"{RATE} at {latency}", rows, tried)
        furthest = max(furthest, off(interpolated.predictions(curves, RATE, latency).errors, rows))
        if latency == LATENCIES[0]:
            own = [abs(row[OURS]) for row in rows if row["source"] == "inferencex"]
            for share, goal in GOALS.items():
                what = f"throughput at given interactivity over InferenceX, {len(own)} points, {share:.0%}"
                yield Figure(what, 100 * float(np.quantile(own, share)), "%", goal)
    powers = {f"^{power}": Method(power, cubic=True) for power in OTHER_POWERS}
    for metric in METRICS:
        show(f"{metric} by power of the load", list(along_load(curves, metric, powers)), powers, ("inferencex", None))
    by_power = list(at_latency(curves, LATENCIES[0], powers))
    show(f"{RATE} at {LATENCIES[0]} by power of the load", by_power, powers, ("inferencex", None))
    show("output_tokens_per_s across layouts", list(across_layouts(library)), ACROSS, (None,))
    yield Figure("largest difference between SciPy's predictions and the basis's", furthest, "", 1e-5)


def along_load(curves: LoadCurves, metric: str, tried: Mapping[str, Method]) -> Iterator[Row]:
    """Each inner point: its source, its gap, and by each method how far off it is predicted at its load."""
    grows = load_curves.grows(metric)
    for source, loads, (values,) in each_curve(curves, metric):
        for inner in range(1, len(loads) - 1):
            rest = np.arange(len(loads)) != inner
            row = {"source": source, "gap": loads[inner + 1] / loads[inner - 1]}
            for name, method in tried.items():
                predicted = method.line(loads[rest], values[rest], grows)(loads[inner])
                row[name] = _kept(predicted, values, inner) / values[inner] - 1
            yield row


def at_latency(curves: LoadCurves, latency: str, tried: Mapping[str, Method]) -> Iterator[Row]:
    """The same of throughput at the load that has the point's latency on the curve without it."""
    grows = load_curves.grows(latency)
    for source, loads, (rates, latencies) in each_curve(curves, RATE, latency):
        for inner in range(1, len(loads) - 1):
            low, own, high = latencies[inner - 1 : inner + 2]
            if not low < own < high:
                continue
            rest = np.arange(len(loads)) != inner
            row = {"source": source, "gap": loads[inner + 1] / loads[inner - 1]}
            for name, method in tried.items():
                waits = method.line(loads[rest], latencies[rest], grows)
                load = brentq(lambda x, waits=waits, own=own: float(waits(x)) - own, loads[inner - 1], loads[inner + 1])
                rate = Method(POWERS["rate"], True) if name == OURS else method
                predicted = rate.line(loads[rest], rates[rest], "rate")(np.float64(load))
                row[name] = _kept(predicted, rates, inner) / rates[inner] - 1
            yield row


def each_curve(curves: LoadCurves, *metrics: str) -> Iterator[tuple[str, Reals, list[Reals]]]:
    """The source, loads and values of each curve, of its points that state all of these."""
    columns = [curves.metrics[metric] for metric in metrics]
    stated = np.logical_and.reduce([column > 0 for column in columns])
    for curve in dict.fromkeys(curves.points.curves.tolist()):
        own = np.flatnonzero((curves.points.curves == curve) & stated)
        if len(own):
            yield curves.sources[own[0]], curves.points.loads[own], [column[own] for column in columns]


ACROSS: dict[str, Callable[[Reals, Reals, float], float]] = {
    "throughput straight on logs": lambda x, y, at: float(np.exp(np.interp(np.log(at), np.log(x), np.log(y)))),
    "throughput PCHIP on logs": lambda x, y, at: float(np.exp(_through(np.log(x), np.log(y), True)(np.log(at)))),
    "throughput straight": lambda x, y, at: float(np.interp(at, x, y)),
    "cost straight": lambda x, y, at: float(1 / np.interp(at, x, 1 / y)),
}
"""What is drawn through throughput per chip over interactivity; cost is its inverse, times a price."""


def across_layouts(library: Library) -> Iterator[Row]:
    """Of InferenceX, throughput per chip predicted from the frontier over all layouts without the point.

    A frontier is of one accelerator, engine and speculation on one day. The gap is the ratio of the interactivities.
    """
    same = "model, precision, isl, osl, accelerator, engine, speculation, disaggregated, date"
    for (points,) in library.fetch(
        "SELECT list([1000 / tpot_ms_p50, output_tokens_per_s_per_accelerator]) FROM points"
        " WHERE source = 'inferencex' AND evidence = 'measured' AND tpot_ms_p50 > 0"
        f" AND output_tokens_per_s_per_accelerator > 0 GROUP BY {same}"
    ):
        every = np.unique(np.array(points), axis=0)
        for own in frontier(every)[1:-1]:
            x, y = frontier(every[(every != own).any(axis=1)]).T
            if not x[0] < own[0] < x[-1]:
                continue
            after = int(np.searchsorted(x, own[0]))
            row = {"source": "inferencex", "gap": x[after] / x[after - 1]}
            yield row | {name: predicted(x, y, own[0]) / own[1] - 1 for name, predicted in ACROSS.items()}


def frontier(points: Reals) -> Reals:
    """The points that no other beats at both, by ascending x."""
    falling = points[np.lexsort((-points[:, 1], -points[:, 0]))]
    best = np.concatenate([[-np.inf], np.maximum.accumulate(falling[:, 1])[:-1]])
    return falling[falling[:, 1] > best][::-1]


def show(what: str, rows: Rows, tried: Mapping[str, object], sources: Sequence[str | None] = ()) -> None:
    """Prints the median and 90th percentile of each method, by source and gap, where there are points enough.

    Of all sources, None, what two of them print counts once.
    """
    once = {tuple(value for key, value in row.items() if key != "source"): row for row in rows}
    for source in sources or (*sorted({row["source"] for row in rows}), None):
        for low, high in GAPS:
            among = rows if source else list(once.values())
            own = [row for row in among if source in (row["source"], None) and low < row["gap"] / SLACK <= high]
            if len(own) >= FEWEST:
                apart = "any gap" if not low and np.isinf(high) else f"gap {low:g} to {high:g}"
                told = (f"{name} {_percent(own, name)}" for name in tried)
                print(f"  {what}  {source or 'all'}  {apart}  {len(own)} points: {', '.join(told)}")


def off(basis: Reals, rows: Rows) -> float:
    """The largest difference between the basis's errors and those found here, in whatever order."""
    return float(np.abs(np.sort(basis) - np.sort([row[OURS] for row in rows])).max())


def _percent(rows: Rows, name: str) -> str:
    wrong = 100 * np.abs([row[name] for row in rows])
    median, p90 = np.quantile(wrong, (0.5, 0.9))
    return f"{median:.1f}/{p90:.0f}/{wrong.mean():.1f}"


def _through(x: Reals, y: Reals, cubic: bool) -> Line:
    return PchipInterpolator(x, y) if cubic and len(x) > 2 else lambda at: np.interp(at, x, y)


def _kept(predicted: Reals, values: Reals, inner: int) -> float:
    """What was predicted, no further out than the neighbours' values."""
    ends = values[inner - 1], values[inner + 1]
    return float(np.clip(predicted, min(ends), max(ends)))
