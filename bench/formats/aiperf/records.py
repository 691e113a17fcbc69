"""AIPerf's records, one request a line: what they come to, read in one pass and without keeping the lines.

Only the profiling phase counts, as in AIPerf's own figures, and latencies are over its successful requests. From the
first of those to the last content of any of them is AIPerf's benchmark_duration; rates are over the whole phase, which
is here from the first request's start to the last one's end (AIPerf's own began some ms before).
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.errors import InputError
from bench.formats.aiperf.blocks import LASTED, LATENCIES, LEFT_OUT, LEFT_OUT_BEGINNINGS, OF_SUCCESSES, PHASE, to_ms
from bench.formats.reading import PointMetrics, document
from bench.formats.reading.fields import SampleArray
from bench.records import Refusal

if TYPE_CHECKING:
    from bench.formats.reading import SourceFile

PROFILING = "profiling"
LENGTHS = ("input_sequence_length", "output_sequence_length")
POOLED = "inter_chunk_latency"
"""The one metric that has a list for each request."""
SINGLE = (*(tag for tag in LATENCIES if tag != POOLED), *LENGTHS)
LOOKED_AT = 200
"""So many lines are looked at for unknown keys, and of the others those that have another number of keys."""

METADATA = {
    "session_num", "x_request_id", "x_correlation_id", "conversation_id", "turn_index", "credit_issued_ns",
    "request_start_ns", "request_ack_ns", "request_end_ns", "worker_id", "record_processor_id", "benchmark_phase",
    "phase_index", "profiling_index", "phase_name", "phase_kind", "was_cancelled", "cancellation_time_ns",
    "context_overflow_skip", "agent_depth", "root_correlation_id", "parent_correlation_id",
}  # fmt: skip
RECORD = {"metadata", "metrics", "error", "trace_data"}
MOST_NS = 2**62
NO_UNIT = object()


@dataclass
class Records:
    """The requests of a profiling phase: how they ended, their values by tag, and when they ran.

    `units` is the one unit of each tag. Times are in ns since 1970; `good_starts` is -1 where a request states none,
    and has a place for every value of request_latency. `seen` holds every tag so far, `counts` how many a request
    had, `unknown` the keys that nothing is known of, `refusals` the last line where it is cut off.
    """

    failed: int = 0
    values: dict[str, array[float]] = field(default_factory=lambda: {tag: array("d") for tag in (*SINGLE, POOLED)})
    units: dict[str, str] = field(default_factory=dict)
    starts: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    good_starts: array[int] = field(default_factory=lambda: array("q"))
    seen: set[str] = field(default_factory=lambda: {*SINGLE, POOLED, *LEFT_OUT})
    counts: set[int] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.appends = tuple((tag, self.values[tag].append) for tag in SINGLE)

    @property
    def ok(self) -> int:
        """How many requests ended well."""
        return len(self.good_starts)

    @property
    def began(self) -> float | None:
        """When the phase began, in seconds since 1970."""
        return min(self.starts) / 1e9 if self.starts else None

    @property
    def phase_s(self) -> float | None:
        """From the first request's start to the last one's end, the failed ones included."""
        return (max(self.ends) - min(self.starts)) / 1e9 if self.starts and self.ends else None

    @property
    def duration_s(self) -> float | None:
        """From the first successful request's start to the last content of any of them."""
        starts = np.frombuffer(self.good_starts, dtype=np.int64)
        latencies = self.of("request_latency")
        known = (starts >= 0) & np.isfinite(latencies)
        if not known.any():
            return None
        lasted = latencies[known] * to_ms(self.units["request_latency"], "request_latency") * 1e6
        return float((starts[known] + np.rint(lasted).astype(np.int64)).max() - starts[known].min()) / 1e9

    def of(self, tag: str) -> SampleArray:
        """A tag's values, one for each successful request that has one, or the pooled ones."""
        return np.frombuffer(self.values[tag], dtype=np.float64)

    def mean(self, tag: str) -> float | None:
        """The mean of a tag's values."""
        known = self.of(tag)[np.isfinite(self.of(tag))]
        return float(known.mean()) if known.size else None

    def total(self, tag: str) -> float | None:
        """The sum of a tag's values."""
        known = self.of(tag)[np.isfinite(self.of(tag))]
        return float(known.sum()) if known.size else None

    def file_latencies(self, metrics: PointMetrics, file: str) -> None:
        """File mean, extremes and percentiles of each latency, as far as `metrics` lacks them."""
        for tag, (base, definition) in LATENCIES.items():
            if self.values[tag]:
                unit = self.units[tag]
                metrics.file_samples(
                    base,
                    self.of(tag),
                    unit=unit,
                    factor=to_ms(unit, f"{tag} in {file}"),
                    definition=f"{definition}; computed from the requests",
                )


def read_records(file: SourceFile) -> Records:
    """The records of a file; what it costs beside parsing the lines is small, since there may be a million of them.

    Raises:
        InputError: a line is no record, or a value is no number, or in another unit than those before it.
    """
    records = Records()
    began, ended, good_began, counts = (
        records.starts.append,
        records.ends.append,
        records.good_starts.append,
        records.counts,
    )
    for number, record in document.lines(file, records.refusals):
        try:
            metadata, metrics = record["metadata"], record.get("metrics") or {}
            if metadata.get("benchmark_phase", PROFILING) != PROFILING:
                continue
            start, end = metadata.get("request_start_ns"), metadata.get("request_end_ns")
            if start is not None and end is not None:
                began(start)
                ended(end)
            if record.get("error") is not None:
                records.failed += 1
            elif metrics.get("request_latency") is not None:
                _add(records, metrics)
                good_began(-1 if start is None else start)
            if len(metrics) not in counts or number <= LOOKED_AT:
                _look_at_keys(records, record, metadata, metrics)
        except (KeyError, TypeError, AttributeError, OverflowError, struct.error):
            raise _unfit(records, record, f"line {number:,} of {file.name}") from None
    _check_times(records, file.name)
    return records


def file_records(metrics: PointMetrics, records: Records, file: str) -> PointMetrics:
    """The figures of a phase that only its requests are known of."""
    metrics.file("duration_s", records.duration_s or None, unit="ns", definition=LASTED)
    phase = records.phase_s
    tokens_in, tokens_out = (records.total(tag) for tag in LENGTHS)
    both = tokens_in + tokens_out if tokens_in is not None and tokens_out is not None else None
    for key, total in (
        ("requests_per_s", float(records.ok)),
        ("input_tokens_per_s", tokens_in),
        ("output_tokens_per_s", tokens_out),
        ("total_tokens_per_s", both),
    ):
        if phase and total:
            metrics.file(
                key, total / phase, denominator=PHASE, definition=f"computed from the requests: {OF_SUCCESSES}"
            )
    metrics.file("input_tokens", tokens_in, definition="sum over the successful requests")
    metrics.file("output_tokens", tokens_out, definition="sum over the successful requests")
    records.file_latencies(metrics, file)
    metrics.file_failures(float(records.failed), float(records.ok))
    return metrics


def _add(records: Records, metrics: Mapping[str, Any]) -> None:
    """Add the values of one good request to the others. What does not fit is an error of Python's."""
    units = records.units
    for tag, append in records.appends:
        block = metrics.get(tag)
        if block is not None:
            value = block["value"]
            if block["unit"] != units.get(tag, NO_UNIT):
                _take_unit(units, tag, block["unit"])
            if value is True or value is False:
                raise TypeError
            append(value)
    block = metrics.get(POOLED)
    if block is not None:
        value = block["value"]
        if block["unit"] != units.get(POOLED, NO_UNIT):
            _take_unit(units, POOLED, block["unit"])
        if type(value) is not list:
            raise TypeError
        records.values[POOLED].frombytes(_packing(len(value))(*value))


def _take_unit(units: dict[str, str], tag: str, unit: object) -> None:
    if tag in units or type(unit) is not str:
        raise TypeError
    units[tag] = unit


@lru_cache(maxsize=4096)
def _packing(count: int) -> Callable[..., bytes]:
    """What makes so many numbers bytes of an array, twice as fast as the array itself does."""
    return struct.Struct(f"{count}d").pack


def _unfit(records: Records, record: Any, where: str) -> InputError:
    """What is wrong with a record that could not be read."""
    if not isinstance(record, dict) or not isinstance(record.get("metadata"), dict):
        return InputError(f"{where[0].upper()}{where[1:]} is no record; expected an object with metadata and metrics.")
    metadata, metrics = record["metadata"], record.get("metrics")
    for key in ("request_start_ns", "request_end_ns"):
        value = metadata.get(key)
        if value is not None and (type(value) is not int or abs(value) > MOST_NS):
            return InputError(f"metadata.{key} in {where} is {_shown(value)}; expected ns since 1970.")
    if not isinstance(metrics, dict):
        return InputError(f"metrics in {where} is {_shown(metrics)}; expected an object.")
    for tag in (*SINGLE, POOLED):
        block = metrics.get(tag)
        if block is None:
            continue
        if not isinstance(block, dict):
            return InputError(f"metrics.{tag} in {where} is {_shown(block)}; expected an object.")
        value, unit = block.get("value"), block.get("unit")
        if type(unit) is not str or records.units.get(tag, unit) != unit:
            before = f"{records.units[tag]!r}, as in the lines before" if tag in records.units else "a text"
            return InputError(f"metrics.{tag}.unit in {where} is {_shown(unit)}; expected {before}.")
        if tag == POOLED or type(value) not in (int, float):
            expected = "a list of numbers" if tag == POOLED else "a number"
            return InputError(f"metrics.{tag}.value in {where} is {_shown(value)}; expected {expected}.")
    return InputError(f"{where[0].upper()}{where[1:]} holds a number beyond any measurement.")


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return ascii(value)[:40] if not isinstance(value, int) or abs(value) < MOST_NS else "a very large number"


def _check_times(records: Records, file: str) -> None:
    """Raise InputError where a moment was before 1970, or a request took longer than can be."""
    if records.starts and (min(records.starts) < 0 or min(records.ends) < min(records.starts)):
        raise InputError(f"{file} has requests that ended before they began; the file was changed or damaged.")
    latencies = records.of("request_latency")
    known = np.abs(latencies[np.isfinite(latencies)])
    if known.size:
        factor = to_ms(records.units["request_latency"], f"request_latency in {file}") * 1e6
        if known.max() * factor >= MOST_NS:
            raise InputError(f"{file} has a request_latency beyond any measurement.")


def _look_at_keys(
    records: Records, record: Mapping[str, Any], metadata: Mapping[str, Any], metrics: Mapping[str, Any]
) -> None:
    """Keep the keys that nothing is known of, and look at each tag once."""
    strange = [*(key for key in record if key not in RECORD)]
    strange += [f"metadata.{key}" for key in metadata if key not in METADATA]
    strange += [
        f"metrics.{key}" for key in metrics if key not in records.seen and not key.startswith(LEFT_OUT_BEGINNINGS)
    ]
    records.seen.update(metrics)
    records.counts.add(len(metrics))
    records.unknown.update(dict.fromkeys(strange))
