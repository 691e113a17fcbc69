"""The single requests of a point, from its own source: a sweep's files, or an imported file that lists them.

What they come to is held against the point's own figure first: requests that do not give it are of no use to say how
well it is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench import catalogue, formats
from bench.errors import BenchError
from bench.formats import journal
from bench.formats.reading import request_samples
from bench.formats.reading.source_file import SourceFile
from bench.library import Library
from bench.library.store import read_manifest
from bench.maths import bootstrap
from bench.maths.bootstrap import LogEstimate
from bench.maths.load_curve import Reals

MOST_BYTES = 32 * 2**20
"""A larger file is not read again for its requests: a page would wait for it."""

SAME, SAME_RATE = 0.01, 0.05
"""What requests come to is the point's own figure within this share; a rate less closely, as it counts tokens by their
arrival and not by whole requests."""

MILLION, BILLION = 1e6, 1e9
RATES = {"output_tokens_per_s": "output_tokens", "requests_per_s": "requests"}


@dataclass(frozen=True)
class SampledPoint:
    """A point's requests that ended well: latencies in ms by key without statistic, in time order, NaN for none.

    `tokens` and `seconds` are of the requests as they ended: what each brought, and the time since the end before it;
    empty where the source tells no times.
    """

    latencies: Mapping[str, Reals]
    tokens: Reals = field(default_factory=lambda: np.empty(0))
    seconds: Reals = field(default_factory=lambda: np.empty(0))


def estimates(library: Library, points: Sequence[tuple[str, str, int, float]], metric: str) -> dict[str, LogEstimate]:
    """How well the requests of each point know its figure: of (point id, source id, requests at once, the figure).

    A point whose source keeps no requests, or others than its figure is over, is left out.
    """
    sources = {source for _, source, _, _ in points}
    if not sources:
        return {}
    locators: dict[str, str] = dict(
        library.fetch(
            "SELECT point_id, locator FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
            ([id for id, *_ in points],),
        )
    )
    found: dict[str, LogEstimate] = {}
    for id, source, together, value in points:
        sampled = of_point(library, source, locators.get(id, ""))
        told = estimate(sampled, metric, together) if sampled else None
        if told is not None and abs(told.value / value - 1) <= (SAME_RATE if metric in RATES else SAME):
            found[id] = told
    return found


def estimate(sampled: SampledPoint, metric: str, together: int = 1) -> LogEstimate | None:
    """How well a point's requests know a metric; None for one that they do not tell, or too few requests."""
    if metric in RATES:
        amounts = sampled.tokens if metric == "output_tokens_per_s" else np.ones(len(sampled.seconds))
        return bootstrap.rate(amounts, sampled.seconds, together)
    row = catalogue.metric(metric)
    values = sampled.latencies.get(row.base)
    if values is None or row.statistic is None:
        return None
    values = values[np.isfinite(values)]
    if row.statistic == "mean":
        return bootstrap.mean(values, together)
    if catalogue.PERCENTILE.fullmatch(row.statistic):
        percent = float(row.statistic[1:].replace("_", "."))
        return bootstrap.percentile(values, percent, together) if len(values) else None
    return None


def of_point(library: Library, source: str, locator: str) -> SampledPoint | None:
    """The requests of the point with this locator in a source; None where it keeps none, or they cannot be read."""
    place = library.folder_of(source)
    try:
        stamp = place.stat().st_mtime_ns
        if journal.SWEEP_ID.fullmatch(source):
            return _of_sweep(place, locator, stamp)
        return _of_file(place, stamp).get(locator)
    except (BenchError, OSError):
        return None


@lru_cache(maxsize=32)
def _of_file(place: Path, _: int) -> Mapping[str, SampledPoint]:
    """The requests of an imported file's points by their locators."""
    manifest = read_manifest(place)
    main = place / manifest.main
    companions = tuple(place / name for name in manifest.companions)
    module = next((one for one in formats.modules() if manifest.format == one.NAME), None)
    if module is None or sum(one.stat().st_size for one in (main, *companions)) > MOST_BYTES:
        return {}
    kept = request_samples.of_points(module.read, SourceFile(main, companions))
    return {locator: SampledPoint(latencies) for locator, latencies in kept.items()}


@lru_cache(maxsize=256)
def _of_sweep(place: Path, locator: str, _: int) -> SampledPoint | None:
    """The requests of a sweep's point, within its window."""
    lines = journal.decode(place / journal.FILE).measured
    line = next((line for line, _ in lines if locator == f"point {line.number}"), None)
    file = place / "requests" / f"{line.number}.parquet" if line else None
    if line is None or file is None or not file.is_file() or file.stat().st_size > MOST_BYTES:
        return None
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(file).combine_chunks()
        return _sampled(table, line)
    except (pa.ArrowException, KeyError, ValueError):
        return None


def _sampled(table: pa.Table, line: journal.PointLine) -> SampledPoint:
    """The latencies as a sweep's own figures have them (`bench.sweep.measured.window`), in the order of the starts."""

    def column(name: str) -> Reals:
        return np.asarray(table.column(name).to_numpy(), dtype=np.float64)

    sent, intended, first, end = (column(f"{one}_ns") for one in ("sent", "intended", "first", "end"))
    start = np.where(np.isnan(intended), sent, intended)
    ok = np.array([one == "ok" for one in table.column("outcome").to_pylist()])
    stamps, tokens = (table.column(one).to_pylist() for one in ("chunks_ns", "chunk_tokens"))
    last = np.array([own[-1] if own else stop for own, stop in zip(stamps, end, strict=True)], dtype=float)
    later = np.array(
        [
            sum(many for at, many in zip(own, counts, strict=True) if at > begun)
            for own, counts, begun in zip(stamps, tokens, first, strict=True)
        ],
        dtype=float,
    )
    from_ns = (line.window_start_s or 0.0) * BILLION
    until_ns = from_ns + line.window_s * BILLION if line.window_s else float(end.max(initial=0))
    timed = ok & (start >= from_ns) & (start <= until_ns)
    order = np.flatnonzero(timed)[np.argsort(start[timed], kind="stable")]
    with np.errstate(invalid="ignore", divide="ignore"):
        latencies = {
            "ttft_ms": (first - start) / MILLION,
            "tpot_ms": np.where(later > 0, (last - first) / later, np.nan) / MILLION,
            "e2el_ms": (last - start) / MILLION,
        }
    ended = np.flatnonzero(ok & (end > from_ns) & (end <= until_ns))
    ended = ended[np.argsort(end[ended], kind="stable")]
    brought = column("output_tokens")[ended]
    whole = bool(len(ended)) and bool(np.isfinite(brought).all())
    return SampledPoint(
        {key: values[order] for key, values in latencies.items()},
        brought if whole else np.empty(0),
        np.diff(end[ended], prepend=from_ns) / BILLION if whole else np.empty(0),
    )
