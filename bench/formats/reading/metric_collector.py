"""A tool's figures on their way into the vocabulary: filed by formula, in the one unit, each metric with a passport."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from bench.catalogue import metric
from bench.formats.reading import request_samples
from bench.formats.reading.fields import Fields, SampleArray
from bench.formats.reading.point_table import passports_table
from bench.records import Flag, Passport

AS_CATALOGUE = "as catalogue"
WELL = "over the requests that ended well"
"""What every tool's latencies are over, in the words that every passport has for it."""

OF_SUCCESSES = "Latencies are over the requests that ended well: one that turns requests away looks faster than it is."

PERCENTS = (50, 90, 95, 99)


class MetricCollector:
    """The passports of one source, collected while its points are filed."""

    def __init__(
        self, format: str, tool_version: str | None, *, window: str | None = None, token_source: str | None = None
    ) -> None:
        self.format, self.tool_version = format, tool_version
        self.window, self.token_source = window, token_source
        self.by_metric: dict[str, Passport] = {}

    def of_point(self) -> PointMetrics:
        """The figures of one more point, none yet."""
        return PointMetrics(self)

    def passports(self) -> pa.Table | None:
        """The passports as columns; None where no figure was filed."""
        return passports_table(list(self.by_metric.values())) if self.by_metric else None


class PointMetrics(dict[str, float]):
    """The figures of one point by catalogue key, each filed with a passport."""

    def __init__(self, collector: MetricCollector) -> None:
        super().__init__()
        self.collector = collector
        self._zeros: dict[str, None] = {}

    def file(
        self,
        key: str,
        value: float | None,
        *,
        unit: str | None = None,
        factor: float = 1.0,
        definition: str = AS_CATALOGUE,
        denominator: str | None = None,
        window: str | None = None,
    ) -> None:
        """File the value times `factor` as this metric, with a passport. None is left out.

        `unit` is the one in the file. `definition` is "as catalogue", or how it was converted; `window` what this
        metric is over, where that is not the source's. A latency of 0 is no measurement but a tool's way to say that
        there was none, so it is left out too, which `zeros_left_out` tells.
        """
        if value is None or not math.isfinite(value):
            return
        if value == 0 and metric(key).unit == "ms":
            self._zeros[key] = None
            return
        self[key] = float(value) * factor
        source = self.collector
        if key not in source.by_metric:
            source.by_metric[key] = Passport(
                key,
                source.format,
                source.tool_version,
                definition,
                unit or metric(key).unit or None,
                denominator,
                window or source.window,
                source.token_source,
            )

    def file_statistics(
        self, base: str, stated: Fields, statistics: Mapping[str, str], *, unit: str, factor: float, definition: str
    ) -> None:
        """File the statistics of one latency that are not known yet: the file's word -> the catalogue's."""
        for written, statistic in statistics.items():
            key = f"{base}_{statistic}"
            if key not in self:
                self.file(key, stated.number(written), unit=unit, factor=factor, definition=definition)

    def file_samples(self, base: str, samples: SampleArray, *, unit: str, factor: float, definition: str) -> None:
        """File mean, standard deviation, smallest, largest and percentiles that the file itself lacks.

        Percentiles are exact, by linear interpolation; NaN stands for a request without a value.
        """
        request_samples.keep(self, base, samples, factor)
        finite = np.isfinite(samples)
        known = np.sort(samples if finite.all() else samples[finite])
        if not known.size:
            return
        statistics = {"mean": float(known.mean()), "min": float(known[0]), "max": float(known[-1])}
        for percent in PERCENTS:
            place = (known.size - 1) * percent / 100
            below = known[int(place)]
            above = known[min(int(place) + 1, known.size - 1)]
            statistics[f"p{percent}"] = float(below + (above - below) * (place - int(place)))
        if known.size > 1:
            known -= statistics["mean"]
            statistics["std"] = math.sqrt(float(known @ known) / known.size)
        for statistic, value in statistics.items():
            if f"{base}_{statistic}" not in self:
                self.file(f"{base}_{statistic}", value, unit=unit, factor=factor, definition=definition)

    def file_failures(self, failed: float | None, ok: float | None) -> None:
        """File the requests that ended well, those that failed, and their share, as far as they are known."""
        self.file("requests_ok", ok, unit="requests")
        self.file("requests_failed", failed, unit="requests")
        if failed is not None and ok is not None and failed + ok > 0:
            self.file("failed_share", failed / (failed + ok), definition="failed / (completed + failed)")

    def zeros_left_out(self) -> str | None:
        """The sentence on the latencies that are 0 in the file, for the point's note; None where none is.

        A spread of 0 is none of them: it is that of one request, or of equal ones.
        """
        keys = [key for key in self._zeros if key not in self and not key.endswith("_std")]
        return f"0 ms in the file is no measurement and was left out: {', '.join(keys)}." if keys else None


def note_of(*sentences: str | None) -> str | None:
    """The note of a point: what there is to say, in one text; None where there is nothing."""
    return " ".join(sentence for sentence in sentences if sentence) or None


def failures_flag(failed: float | None, ok: float | None, why: str = OF_SUCCESSES) -> tuple[Flag, ...]:
    """The flag that requests failed, and what that does to latencies; none where nothing failed or it is not known."""
    if not failed or ok is None:
        return ()
    return (
        Flag(
            "failures",
            f"{failed:,.0f} of {failed + ok:,.0f} requests failed ({failed / (failed + ok):.0%}).",
            why,
            "Look at the errors in the tool's own output; lower the load, or raise the endpoint's limits.",
        ),
    )
