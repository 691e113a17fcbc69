"""The single requests of a file's points, kept while it is read again for them; an import keeps none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from bench.formats.reading.fields import SampleArray
from bench.formats.reading.source_file import SourceFile
from bench.records import Point

LatencySamples = Mapping[str, SampleArray]
"""The values of a point's requests in ms by the catalogue's key without its statistic, in the file's order."""

_BY_METRICS: ContextVar[dict[int, dict[str, SampleArray]] | None] = ContextVar("requests by metrics", default=None)
_BY_LOCATOR: ContextVar[dict[str, LatencySamples] | None] = ContextVar("requests by locator", default=None)


def of_points(read: Callable[[SourceFile], Any], file: SourceFile) -> Mapping[str, LatencySamples]:
    """The requests of each point of a file by its locator, as its reader files them; points without any are left out.

    Raises:
        InputError: the file cannot be read.
    """
    found: dict[str, LatencySamples] = {}
    by_metrics, by_locator = _BY_METRICS.set({}), _BY_LOCATOR.set(found)
    try:
        read(file)
    finally:
        _BY_METRICS.reset(by_metrics)
        _BY_LOCATOR.reset(by_locator)
    return found


def keep(metrics: object, base: str, samples: SampleArray, factor: float) -> None:
    """Keep what is filed of a point's requests, where somebody asked for it."""
    if (kept := _BY_METRICS.get()) is not None:
        kept.setdefault(id(metrics), {})[base] = samples * factor


def name(points: Iterable[Point]) -> None:
    """Tell whose requests were kept."""
    kept, named = _BY_METRICS.get(), _BY_LOCATOR.get()
    if kept is not None and named is not None:
        named.update({one.locator: kept[id(one.metrics)] for one in points if id(one.metrics) in kept})
