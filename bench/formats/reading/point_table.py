"""What a result format hands to the library: typed Arrow columns in the one vocabulary, no ids, no library facts.

A large format streams record batches; a small one builds Points and calls points_table().
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from bench.records import Passport, Point, Refusal

TEXT, WHOLE, REAL, TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()

DEPLOYMENT_COLUMNS: Mapping[str, pa.DataType] = {
    "model": TEXT,
    "checkpoint": TEXT,
    "precision": TEXT,
    "kv_precision": TEXT,
    "engine": TEXT,
    "engine_version": TEXT,
    "accelerator": TEXT,
    "accelerators": WHOLE,
    "devices": WHOLE,
    "nodes": WHOLE,
    "tp": WHOLE,
    "pp": WHOLE,
    "dp": WHOLE,
    "ep": WHOLE,
    "dp_attention": TRUTH,
    "disaggregated": TRUTH,
    "prefill_accelerators": WHOLE,
    "decode_accelerators": WHOLE,
    "prefill_tp": WHOLE,
    "prefill_ep": WHOLE,
    "prefill_dp_attention": TRUTH,
    "prefill_workers": WHOLE,
    "decode_workers": WHOLE,
    "speculation": TEXT,
    "prefix_caching": TRUTH,
    "variant": TEXT,
}
WORKLOAD_COLUMNS: Mapping[str, pa.DataType] = {
    "isl_requested": WHOLE,
    "isl_actual": REAL,
    "osl_requested": WHOLE,
    "osl_actual": REAL,
    "context_tokens": WHOLE,
    "max_model_len": WHOLE,
    "dataset": TEXT,
    "shared_prefix_share": REAL,
    "turns": REAL,
}
LOAD_COLUMNS: Mapping[str, pa.DataType] = {
    "load_kind": TEXT,
    "concurrency": WHOLE,
    "request_rate": REAL,
    "arrivals": TEXT,
    "batch": WHOLE,
    "scenario": TEXT,
}
PROVENANCE_COLUMNS: Mapping[str, pa.DataType] = {
    "source": TEXT,
    "locator": TEXT,
    "harness": TEXT,
    "harness_version": TEXT,
    "evidence": TEXT,
    "origin": TEXT,
    "date": pa.date32(),
    "repeat": WHOLE,
    "source_url": TEXT,
    "note": TEXT,
    "restated_in": pa.list_(TEXT),
    "flags": TEXT,
}
POINT_COLUMNS: Mapping[str, pa.DataType] = {
    **DEPLOYMENT_COLUMNS,
    **WORKLOAD_COLUMNS,
    **LOAD_COLUMNS,
    **PROVENANCE_COLUMNS,
}
SCORE_COLUMNS: Mapping[str, pa.DataType] = {
    **DEPLOYMENT_COLUMNS,
    **LOAD_COLUMNS,
    "benchmark": TEXT,
    "category": TEXT,
    "metric": TEXT,
    "value": REAL,
    "unit": TEXT,
    "direction": TEXT,
    "n": WHOLE,
    "standard_error": REAL,
    "judge": TEXT,
    "self_judged": TRUTH,
    "dataset": TEXT,
    "repeat": WHOLE,
    **{
        key: PROVENANCE_COLUMNS[key]
        for key in "source locator harness evidence origin date source_url note restated_in".split()
    },
}
PASSPORT_COLUMNS: Mapping[str, pa.DataType] = dict.fromkeys(
    "metric format tool_version definition unit_in_file denominator window token_source".split(), TEXT
)

ABOUT = ("title", "licence", "licence_url", "url", "retrieved", "attribution")
"""What a source may say about itself as a whole."""


@dataclass(frozen=True)
class Reading:
    """What one source file says.

    points: a table, or record batches to be pulled once; any subset of POINT_COLUMNS in these types, and one
        float64 column per metric, named by its catalogue key. NULL means absent. `locator` is required and is
        unique in the source (`row 17`, `results/3`); `isl`, `osl` and every id are the library's.
    scores, passports: likewise in SCORE_COLUMNS (locator unique among the scores) and PASSPORT_COLUMNS.
    refusals: rows not loaded; a streaming format may add to this list until its last batch was pulled.
    about: what is known about the source as a whole, by the keys of ABOUT; a key not known is left out.
    usd_per_accelerator_hour: what an hour of one of its accelerators cost; a price of the library.
    not_understood: the keys of the file that were not read, each once, dotted from its root.
    Raises InputError, from read() or while batches are pulled, when the file as a whole cannot be read.
    """

    format: str
    points: pa.Table | Iterable[pa.RecordBatch]
    scores: pa.Table | None = None
    passports: pa.Table | None = None
    refusals: list[Refusal] = field(default_factory=list)
    tool_version: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    usd_per_accelerator_hour: float | None = None
    not_understood: tuple[str, ...] = ()

    def batches(self) -> Iterable[pa.RecordBatch]:
        """The points as record batches, whichever way they came; for one pass."""
        return self.points.to_batches() if isinstance(self.points, pa.Table) else self.points


def points_table(points: Sequence[Point]) -> pa.Table:
    """The points as canonical columns: those that at least one point fills, and `locator`."""
    return _table([_flat(point) for point in points], POINT_COLUMNS)


def passports_table(passports: Sequence[Passport]) -> pa.Table:
    """The passports as canonical columns."""
    return _table([_flat(passport) for passport in passports], PASSPORT_COLUMNS)


def _flat(record: Any) -> dict[str, Any]:
    """A record's fields with nested records and the metrics laid out beside them."""
    flat: dict[str, Any] = {}
    for column in dataclasses.fields(record):
        value = getattr(record, column.name)
        if dataclasses.is_dataclass(value):
            flat.update(_flat(value))
        elif column.name == "metrics":
            flat.update(value)
        elif column.name == "flags":
            flat["flags"] = json.dumps([dataclasses.asdict(flag) for flag in value]) if value else None
        elif isinstance(value, tuple):
            flat[column.name] = list(value) or None
        else:
            flat[column.name] = value
    return flat


def _table(rows: Sequence[Mapping[str, Any]], types: Mapping[str, pa.DataType]) -> pa.Table:
    present = {key for row in rows for key, value in row.items() if value is not None}
    keys = [key for key in types if key in present] + sorted(present - types.keys())
    columns = [pa.array([row.get(key) for row in rows], type=types.get(key, REAL)) for key in keys]
    return pa.table(columns, names=keys)
