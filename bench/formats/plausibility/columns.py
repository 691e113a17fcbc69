"""The flags of points that come as columns: the rules of `lengths.doubts`, for tables of a million rows.

Arithmetic on whole columns finds the few rows that a rule may speak of; these alone are judged one by one.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench.catalogue import is_metric
from bench.formats.plausibility.latency_parts import FASTEST_TPOT_MS
from bench.formats.plausibility.lengths import LENGTH_SHARE, doubts
from bench.formats.plausibility.rates import SAME_WINDOW, SUMS
from bench.formats.plausibility.soundness import LITTLE_TOLERANCE, OF_ALL_AT_ONCE
from bench.records import Flag, Load, Workload

LENGTHS = ("isl_requested", "isl_actual", "osl_requested", "osl_actual")
LOAD = ("load_kind", "concurrency")

FloatColumn = npt.NDArray[np.float64]


def with_doubts(columns: Mapping[str, pa.Array], rows: int) -> pa.Array | None:
    """The column of flags as JSON with those that the figures earn besides; None where no row has any.

    A kind of flag that a row states itself is not added again. `columns` are in the vocabulary, of `rows` rows each.
    """
    if rows == 0:
        return columns.get("flags")
    flags = columns["flags"].to_pylist() if "flags" in columns else [None] * rows
    for row in np.flatnonzero(_suspects(columns, rows)):
        place = int(row)
        stated = json.loads(flags[place] or "[]")
        kinds = {flag["kind"] for flag in stated}
        found = [dataclasses.asdict(flag) for flag in _doubts(columns, place) if flag.kind not in kinds]
        if found:
            flags[place] = json.dumps([*stated, *found])
    return pa.array(flags, pa.string()) if any(flags) else None


def _doubts(columns: Mapping[str, pa.Array], row: int) -> tuple[Flag, ...]:
    cells = {key: column[row].as_py() for key, column in columns.items() if is_metric(key) or key in (*LENGTHS, *LOAD)}
    metrics = {key: cell for key, cell in cells.items() if is_metric(key) and cell is not None}
    workload = Workload(**{key: cells[key] for key in LENGTHS if key in cells})
    return doubts(metrics, workload, Load(cells.get("load_kind") or "unknown", concurrency=cells.get("concurrency")))


def _suspects(columns: Mapping[str, pa.Array], rows: int) -> npt.NDArray[np.bool_]:
    """The rows that a rule may speak of: all of which one does, and some more."""

    def first(*keys: str) -> FloatColumn:
        """The first of these columns that has a value in a row, NaN where none has."""
        found = np.full(rows, np.nan)
        for key in reversed(keys):
            if key in columns:
                values = columns[key].cast(pa.float64()).to_numpy(zero_copy_only=False)
                found = np.where(np.isnan(values), found, values)
        return found

    output, total, taken_in = (first(f"{which}_tokens_per_s") for which in ("output", "total", "input"))
    requests, duration = first("requests_per_s"), first("duration_s")
    isl, osl = first("isl_requested"), first("osl_actual", "osl_requested")
    latency = first("e2el_ms_mean", "e2el_ms_p50") / 1000
    with np.errstate(all="ignore"):
        in_flight = np.where(np.isnan(output / osl), requests, output / osl) * latency / first("concurrency")
        suspects = _apart(in_flight, LITTLE_TOLERANCE) | (latency / duration < OF_ALL_AT_ONCE)
        suspects |= first("tpot_ms_mean", "tpot_ms_p50") < FASTEST_TPOT_MS
        for which in ("isl", "osl"):
            suspects |= np.abs(first(f"{which}_actual") / first(f"{which}_requested") - 1) > LENGTH_SHARE
        suspects |= _apart(requests * osl / output, SAME_WINDOW) | _apart((taken_in + output) / total, SAME_WINDOW)
        suspects |= (np.fmax(output, taken_in) > total) | (output * (isl + osl) / osl > total * SAME_WINDOW)
        for rate, counted in SUMS.items():
            suspects |= _apart(first(counted) / duration / first(rate), SAME_WINDOW)
    return suspects


def _apart(ratio: FloatColumn, tolerance: float) -> npt.NDArray[np.bool_]:
    """Where a ratio is further from 1 than this factor; not where it is NaN."""
    apart: npt.NDArray[np.bool_] = (ratio > tolerance) | (ratio < 1 / tolerance)
    return apart
