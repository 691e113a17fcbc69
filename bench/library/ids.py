"""Ids that are the same wherever and whenever a file is imported: of points, deployments, workloads and series.

Deployment, workload and series ids are 64-bit fingerprints of their stated values. A column that is not stated adds
nothing, so a column the vocabulary gains later changes no id. They are computed column by column: a million points
take about a second.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bench.records import DEPLOYMENT_FIELDS

Fingerprints = NDArray[np.uint64]

WORKLOAD_IDENTITY = ("isl", "osl", "context_tokens", "max_model_len", "dataset", "shared_prefix_share", "turns")
SERIES_IDENTITY = ("source", "harness", "load_kind", "arrivals", "scenario", "evidence")
"""What points of one series share beside deployment, workload and run: all but the load's own number and the repeat."""

HEX = np.frombuffer("".join(f"{octet:02x}" for octet in range(256)).encode(), dtype=np.uint16)
"""The two hex digits of every octet, as one number of two bytes."""


def point_ids(source_id: str, locators: Sequence[str]) -> pa.Array:
    """The first 16 hex digits of sha256(source id, locator) for each locator."""
    start = source_id.encode() + b"\0"
    digests = b"".join([hashlib.sha256(start + text.encode()).digest() for text in locators])
    return hex_digits(np.frombuffer(digests, dtype=">u8").reshape(-1, 4)[:, 0])


def deployments(points: pa.Table) -> Fingerprints:
    """The number of each row's deployment; hex_digits() makes its id."""
    return fingerprints(points, DEPLOYMENT_FIELDS)


def workloads(points: pa.Table) -> Fingerprints:
    """The number of each row's workload; `isl` and `osl` stand for requested and actual lengths.

    Where nothing was requested and a data set is named, the data set is what was asked: the means of what it gave
    differ from run to run and make no workload of their own.
    """
    return fingerprints(_without_counted_lengths(points), WORKLOAD_IDENTITY)


def series_keys(points: pa.Table, deployment: Fingerprints, workload: Fingerprints) -> NDArray[np.int64]:
    """What each row's series has in common but its run."""
    rest = fingerprints(points, SERIES_IDENTITY)
    return mixed(mixed(mixed(deployment) + workload) + rest).view(np.int64)


def fingerprints(points: pa.Table, columns: Iterable[str]) -> Fingerprints:
    """A 64-bit number for each row that depends on the stated values of these columns alone."""
    total = np.zeros(points.num_rows, dtype=np.uint64)
    for name in columns:
        column = points.column(name).combine_chunks()
        if column.null_count == len(column):
            continue
        hashed = mixed(_values(column) + np.uint64(_hashed("column " + name)))
        if column.null_count:
            hashed = np.where(column.is_valid().to_numpy(zero_copy_only=False), hashed, np.uint64(0))
        total += hashed
    return mixed(total)


def mixed(values: Fingerprints) -> Fingerprints:
    """The numbers scattered over 64 bits (the finaliser of SplitMix64, Steele et al., OOPSLA 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hex_digits(values: Fingerprints) -> pa.Array:
    """Each number as 16 hex digits."""
    digits = HEX.take(np.ascontiguousarray(values, dtype=">u8").view(np.uint8))
    offsets = np.arange(len(values) + 1, dtype=np.int32) * np.int32(16)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(offsets), pa.py_buffer(digits))


def _without_counted_lengths(points: pa.Table) -> pa.Table:
    """The points with `isl` and `osl` absent where they are only counted, from a named data set."""
    named = pc.is_valid(points.column("dataset"))
    for axis in ("isl", "osl"):
        counted = pc.and_(pc.is_null(points.column(f"{axis}_requested")), named)
        lengths = pc.if_else(counted, pa.scalar(None, points.schema.field(axis).type), points.column(axis))
        points = points.set_column(points.schema.get_field_index(axis), axis, lengths)
    return points


def _values(column: pa.Array) -> Fingerprints:
    """A number for each value; what stands at a NULL does not matter."""
    kind = column.type
    if pa.types.is_string(kind):
        words = column.dictionary_encode()
        hashes = np.array([_hashed(text) for text in words.dictionary.to_pylist()], dtype=np.uint64)
        codes = pc.fill_null(words.indices, 0).to_numpy(zero_copy_only=False)
        taken: Fingerprints = hashes[codes]
        return taken
    if pa.types.is_floating(kind):
        figures = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 is 0.0
        return np.ascontiguousarray(figures).view(np.uint64)
    whole: Any = column.cast(pa.int32()) if pa.types.is_date32(kind) else column
    whole = pc.fill_null(whole.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(whole).view(np.uint64)


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
