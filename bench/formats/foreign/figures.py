"""A tool's figures on their way into the vocabulary: filed by formula, in the one unit, each metric with a passport."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from bench.catalogue import metric
from bench.formats.foreign.fields import Fields, Samples
from bench.formats.reading import passports_table
from bench.records import Flag, Passport

AS_CATALOGUE = "as catalogue"
WELL = "over the requests that ended well"
"""What every tool's latencies are over, in the words that every passport has for it."""

PERCENTS = (50, 90, 95, 99)


class Figures:
    """The passports of one source, collected while its points are filed."""

    def __init__(
        self,
        format: str,
        tool_version: str | None,
        *,
        window: str | None = None,
        token_source: str | None = None,
    ) -> None:
        self._format, self._tool_version = format, tool_version
        self._window, self._token_source = window, token_source
        self._passports: dict[str, Passport] = {}
        self._zeros: dict[str, None] = {}

    def file(
        self,
        metrics: dict[str, float],
        key: str,
        value: float | None,
        *,
        unit: str | None = None,
        factor: float = 1.0,
        definition: str = AS_CATALOGUE,
        denominator: str | None = None,
        window: str | None = None,
    ) -> None:
        """Nothing; the value times `factor` is this metric of the point, with a passport. None is left out.

        `unit` is the one in the file. `definition` is "as catalogue", or how it was converted; `window` what this
        metric is over, where that is not the source's. A latency of 0 is no measurement but a tool's way to say that
        there was none, so it is left out too, which `zeros_left_out` tells.
        """
        if value is None or not math.isfinite(value):
            return
        if value == 0 and metric(key).unit == "ms":
            self._zeros[key] = None
            return
        metrics[key] = float(value) * factor
        if key not in self._passports:
            self._passports[key] = Passport(
                key, self._format, self._tool_version, definition, unit or metric(key).unit or None, denominator,
                window or self._window, self._token_source,
            )  # fmt: skip

    def file_statistics(
        self,
        metrics: dict[str, float],
        base: str,
        stated: Fields,
        statistics: Mapping[str, str],
        *,
        unit: str,
        factor: float,
        definition: str,
    ) -> None:
        """Nothing; the statistics of one latency that are not known yet: the file's word -> the catalogue's."""
        for written, statistic in statistics.items():
            key = f"{base}_{statistic}"
            if key not in metrics:
                self.file(
                    metrics, key, stated.number(written), unit=unit, factor=factor, definition=definition
                )

    def file_samples(
        self,
        metrics: dict[str, float],
        base: str,
        samples: Samples,
        *,
        unit: str,
        factor: float,
        definition: str,
    ) -> None:
        """Nothing; mean, standard deviation, smallest, largest and percentiles that the file itself lacks.

        Percentiles are exact, by linear interpolation; NaN stands for a request without a value.
        """
        finite = np.isfinite(samples)
        known = np.sort(samples if finite.all() else samples[finite])
        if not known.size:
            return
        found = {"mean": float(known.mean()), "min": float(known[0]), "max": float(known[-1])}
        for percent in PERCENTS:
            place = (known.size - 1) * percent / 100
            below = known[int(place)]
            above = known[min(int(place) + 1, known.size - 1)]
            found[f"p{percent}"] = float(below + (above - below) * (place - int(place)))
        if known.size > 1:
            known -= found["mean"]
            found["std"] = math.sqrt(float(known @ known) / known.size)
        for statistic, value in found.items():
            if f"{base}_{statistic}" not in metrics:
                self.file(
                    metrics, f"{base}_{statistic}", value, unit=unit, factor=factor, definition=definition
                )

    def zeros_left_out(self, metrics: Mapping[str, float]) -> str | None:
        """The sentence on the latencies of this point that are 0 in the file, for its note; None where none is.

        A spread of 0 is none of them: it is that of one request, or of equal ones. Asked once for each point, when all
        its figures are filed: the next one begins anew.
        """
        keys = [key for key in self._zeros if key not in metrics and not key.endswith("_std")]
        self._zeros.clear()
        return f"0 ms in the file is no measurement and was left out: {', '.join(keys)}." if keys else None

    @property
    def different(self) -> int:
        """How many metrics the points of the source have so far, each statistic one of its own."""
        return len(self._passports)

    def passports(self) -> pa.Table | None:
        """The passports as columns; None where no figure was filed."""
        return passports_table(list(self._passports.values())) if self._passports else None


def note_of(*sentences: str | None) -> str | None:
    """The note of a point: what there is to say, in one text; None where there is nothing."""
    return " ".join(sentence for sentence in sentences if sentence) or None


def failures_flag(failed: float | None, ok: float | None) -> tuple[Flag, ...]:
    """The flag that latencies are over successes only; none where nothing failed or it is not known."""
    if not failed or ok is None:
        return ()
    return (
        Flag(
            "failures",
            f"{failed:,.0f} of {failed + ok:,.0f} requests failed ({failed / (failed + ok):.0%}).",
            "Latencies are over the requests that ended well: one that turns requests away looks faster than it is.",
            "Look at the errors in the tool's own output; lower the load, or raise the endpoint's limits.",
        ),
    )


def file_failures(
    figures: Figures, metrics: dict[str, float], failed: float | None, ok: float | None
) -> None:
    """Nothing; the requests that ended well, those that failed, and their share, as far as they are known."""
    figures.file(metrics, "requests_ok", ok, unit="requests")
    figures.file(metrics, "requests_failed", failed, unit="requests")
    if failed is not None and ok is not None and failed + ok > 0:
        figures.file(
            metrics, "failed_share", failed / (failed + ok), definition="failed / (completed + failed)"
        )
