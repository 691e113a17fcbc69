"""AIPerf's records, one request a line: what they come to, read in one pass and without keeping the lines.

Only the profiling phase counts, as in AIPerf's own figures, and latencies are over its successful requests. From the
first of those to the last content of any of them is AIPerf's benchmark_duration; rates are over the whole phase, which
is here from the first request's start to the last one's end (AIPerf's own began some ms before).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.errors import InputError
from bench.formats.foreign import document
from bench.formats.foreign.aiperf_blocks import (
    LASTED,
    LATENCIES,
    LEFT_OUT,
    LEFT_OUT_BEGINNINGS,
    OF_SUCCESSES,
    PHASE,
    to_ms,
)
from bench.formats.foreign.figures import Figures, file_failures

if TYPE_CHECKING:
    from bench.formats.reading import SourceFile

LENGTHS = ("input_sequence_length", "output_sequence_length")
POOLED = "inter_chunk_latency"
"""The one metric that has a list for each request."""

METADATA = {
    "session_num", "x_request_id", "x_correlation_id", "conversation_id", "turn_index", "credit_issued_ns",
    "request_start_ns", "request_ack_ns", "request_end_ns", "worker_id", "record_processor_id", "benchmark_phase",
    "phase_index", "profiling_index", "phase_name", "phase_kind", "was_cancelled", "cancellation_time_ns",
    "context_overflow_skip", "agent_depth", "root_correlation_id", "parent_correlation_id",
}  # fmt: skip
RECORD = {"metadata", "metrics", "error", "trace_data"}
MOST_NS = 2**62


@dataclass
class Span:
    """From when to when, in ns since 1970; None before anything was added."""

    first: int | None = None
    last: int | None = None

    def add(self, start: int, end: int) -> None:
        """Nothing; the span reaches over this one too."""
        self.first = start if self.first is None or start < self.first else self.first
        self.last = end if self.last is None or end > self.last else self.last

    @property
    def seconds(self) -> float | None:
        """How long it is."""
        return (self.last - self.first) / 1e9 if self.first is not None and self.last is not None else None


@dataclass
class Records:
    """The requests of a profiling phase: how they ended, their values by tag, and when they ran.

    `phase_ns` is of all requests and `good_ns` of the successful ones. `units` is the one unit of each tag, `seen`
    every tag so far and `unknown` the keys that nothing is known of.
    """

    ok: int = 0
    failed: int = 0
    phase_ns: Span = field(default_factory=lambda: Span())
    good_ns: Span = field(default_factory=lambda: Span())
    values: dict[str, array[float]] = field(
        default_factory=lambda: {tag: array("d") for tag in (*LATENCIES, *LENGTHS)}
    )
    units: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=lambda: {*LATENCIES, *LENGTHS, *LEFT_OUT})

    def mean(self, tag: str) -> float | None:
        """The mean of a tag's values."""
        known = self._known(tag)
        return float(known.mean()) if known.size else None

    def total(self, tag: str) -> float | None:
        """The sum of a tag's values."""
        known = self._known(tag)
        return float(known.sum()) if known.size else None

    def file_latencies(self, figures: Figures, metrics: dict[str, float], file: str) -> None:
        """Nothing; mean, extremes and percentiles of each latency, as far as `metrics` lacks them."""
        for tag, (base, definition) in LATENCIES.items():
            samples = np.frombuffer(self.values[tag], dtype=np.float64)
            if samples.size:
                unit = self.units[tag]
                figures.file_samples(
                    metrics, base, samples, unit=unit, factor=to_ms(unit, f"{tag} in {file}"),
                    definition=f"{definition}; computed from the requests",
                )  # fmt: skip

    def _known(self, tag: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        samples = np.frombuffer(self.values[tag], dtype=np.float64)
        return samples[np.isfinite(samples)]


def read_records(file: SourceFile) -> Records:
    """The records of a file.

    Raises:
        InputError: a line is no record, or a value is no number, or in another unit than those before it.
    """
    found = Records()
    for number, record in document.lines(file):
        where = f"line {number:,} of {file.name}"
        if not isinstance(record, dict):
            raise InputError(
                f"{where.capitalize()} is no object; expected a request with metadata and metrics."
            )
        metadata, metrics = _object(record, "metadata", where), _object(record, "metrics", where)
        if metadata.get("benchmark_phase", "profiling") != "profiling":
            continue
        start, end = _moment(metadata, "request_start_ns", where), _moment(metadata, "request_end_ns", where)
        if start is not None and end is not None and end >= start:
            found.phase_ns.add(start, end)
        if record.get("error") is not None:
            found.failed += 1
        elif "request_latency" in metrics:
            found.ok += 1
            _add(found, metrics, where)
            _add_span(found, start, where)
        if not (record.keys() <= RECORD and metadata.keys() <= METADATA and metrics.keys() <= found.seen):
            _look_at_keys(found, record, metadata, metrics)
    return found


def file_records(figures: Figures, records: Records, file: str) -> dict[str, float]:
    """The figures of a phase that only its requests are known of."""
    metrics: dict[str, float] = {}
    figures.file(metrics, "duration_s", records.good_ns.seconds or None, unit="ns", definition=LASTED)
    phase = records.phase_ns.seconds
    tokens_in, tokens_out = (records.total(tag) for tag in LENGTHS)
    both = tokens_in + tokens_out if tokens_in is not None and tokens_out is not None else None
    for key, total in (("requests_per_s", float(records.ok)), ("input_tokens_per_s", tokens_in),
                       ("output_tokens_per_s", tokens_out), ("total_tokens_per_s", both)):  # fmt: skip
        if phase and total:
            figures.file(metrics, key, total / phase, denominator=PHASE,
                         definition=f"computed from the requests: {OF_SUCCESSES}")  # fmt: skip
    figures.file(metrics, "input_tokens", tokens_in, definition="sum over the successful requests")
    figures.file(metrics, "output_tokens", tokens_out, definition="sum over the successful requests")
    records.file_latencies(figures, metrics, file)
    file_failures(figures, metrics, float(records.failed), float(records.ok))
    return metrics


def _object(record: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{key} in {where} is no object; the file was changed or damaged.")
    return value


def _add(found: Records, metrics: Mapping[str, Any], where: str) -> None:
    """Nothing; the values of one request are among the others."""
    for tag, values in found.values.items():
        block = metrics.get(tag)
        if block is None:
            continue
        if type(block) is not dict:
            raise InputError(f"metrics.{tag} in {where} is no object; expected one with value and unit.")
        value, unit = block.get("value"), block.get("unit")
        if type(unit) is not str or found.units.setdefault(tag, unit) != unit:
            before = f"{found.units[tag]!r}, as in the lines before" if tag in found.units else "a text"
            raise InputError(f"metrics.{tag}.unit in {where} is {ascii(unit)[:40]}; expected {before}.")
        try:
            if type(value) is float or type(value) is int:
                values.append(value)
            elif type(value) is list and tag == POOLED:
                values.extend(value)
            elif value is not None:
                raise TypeError
        except (TypeError, OverflowError):
            shown = "a list" if isinstance(value, list) else ascii(value)[:40]
            expected = "a list of numbers" if tag == POOLED else "a number"
            raise InputError(f"metrics.{tag}.value in {where} is {shown}; expected {expected}.") from None


def _moment(metadata: Mapping[str, Any], key: str, where: str) -> int | None:
    value = metadata.get(key)
    if value is not None and (type(value) is not int or not 0 <= value < MOST_NS):
        raise InputError(f"metadata.{key} in {where} is {ascii(value)[:40]}; expected ns since 1970.")
    return value


def _add_span(found: Records, start: int | None, where: str) -> None:
    latencies = found.values["request_latency"]
    if start is None or not latencies or not math.isfinite(latencies[-1]):
        return
    lasted = latencies[-1] * to_ms(found.units["request_latency"], f"request_latency in {where}") * 1e6
    if not 0 <= lasted < MOST_NS:
        raise InputError(
            f"metrics.request_latency.value in {where} is {latencies[-1]:g}; no request takes so long."
        )
    found.good_ns.add(start, start + round(lasted))


def _look_at_keys(
    found: Records, record: Mapping[str, Any], metadata: Mapping[str, Any], metrics: Mapping[str, Any]
) -> None:
    """Nothing; the keys that nothing is known of are kept, and each tag is looked at once."""
    strange = [*(key for key in record if key not in RECORD)]
    strange += [f"metadata.{key}" for key in metadata if key not in METADATA]
    strange += [
        f"metrics.{key}"
        for key in metrics
        if key not in found.seen and not key.startswith(LEFT_OUT_BEGINNINGS)
    ]
    found.seen.update(metrics)
    found.unknown.update(dict.fromkeys(strange))
