"""Points as llm-d Benchmark Reports 0.2, one for each point (llm-d-benchmark, benchmark_report/schema_v0_2.py).

The schema forbids what it does not name and wants a mean of every statistic. So what a point has beyond it (sums of
tokens, a precision, a latency without its mean, a static batch) is told in run.description, which nobody takes figures
from, and what the schema wants and a point lacks is left out with all of the part that wants it. scenario.load names
the tool that measured; what a latency is called depends on that tool, so it is named by the table that such a report is
read by.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

import bench
from bench import names
from bench.catalogue import base_metrics, metric, statistics_of
from bench.export import Format
from bench.formats.foreign.llmd_stack import ENGINE_KNOWN_IN_PART, UNKNOWN
from bench.formats.llmd_report import BY_TOOL, OTHERS, SAME
from bench.holdings.listing import selected
from bench.library import Library
from bench.view import View

UNITS = {
    "ttft_ms": "ms",
    "e2el_ms": "ms",
    "tpot_ms": "ms/token",
    "itl_ms": "ms/token",
    "ntpot_ms": "ms/token",
}
RATES = {
    "input_token_rate": ("input_tokens_per_s", "tokens/s"),
    "output_token_rate": ("output_tokens_per_s", "tokens/s"),
    "total_token_rate": ("total_tokens_per_s", "tokens/s"),
    "request_rate": ("requests_per_s", "queries/s"),
}
STATISTICS = {"mean": "mean", "std": "stddev", "min": "min", "max": "max", "p0_1": "p0p1", "p99_9": "p99p9",
              **{f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)}}  # fmt: skip
LAYOUT = ("tp", "pp", "dp", "ep")
SOURCES = ("random", "sampled")
"""The datasets that the schema has a word for; it calls any other one unknown."""

OWN_LOADS = ("closed", "open", "unknown")
"""The kinds of load that a concurrency or a rate alone, or neither, is read as."""

PLACELESS = (
    "precision", "kv_precision", "nodes", "dp_attention", "disaggregated", "prefill_accelerators",
    "decode_accelerators", "prefill_tp", "prefill_ep", "prefill_dp_attention", "prefill_workers", "decode_workers",
    "speculation", "prefix_caching", "variant", "context_tokens", "max_model_len", "shared_prefix_share", "turns",
    "arrivals", "batch", "scenario", "repeat",
)  # fmt: skip
"""What the schema has no place for, whatever else is known of the point."""

Row = Mapping[str, Any]


def written(rows: pd.DataFrame) -> bytes:
    """A zip with one report in JSON for each row of `points`, named by its point id."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows.astype(object).where(rows.notna(), None).to_dict("records"):
            named = zipfile.ZipInfo(
                f"{row['point_id']}.json"
            )  # its date is 1980, so the same points give the same zip
            archive.writestr(
                named,
                json.dumps(report({str(key): value for key, value in row.items()}), indent=1),
                zipfile.ZIP_DEFLATED,
            )
    return target.getvalue()


def report(row: Row) -> dict[str, Any]:
    """The report of one point."""
    latency = {
        name: found for base, name in _names(row).items() if (found := _statistics(row, base, UNITS[base]))
    }
    rates = {
        name: {"units": unit, "mean": row[key]}
        for name, (key, unit) in RATES.items()
        if row.get(key) is not None
    }
    aggregate = {"requests": _requests(row), "latency": latency, "throughput": rates}
    return {
        "version": "0.2",
        "run": _run(row),
        "scenario": _present({"stack": _stack(row), "load": _load(row)}),
        "results": {"request_performance": {"aggregate": _present(aggregate)}},
    }


def _names(row: Row) -> dict[str, str]:
    """The schema's name of each latency in a report of the tool that measured; without those it has no name for."""
    told = {**SAME, **BY_TOOL.get((row.get("harness") or "").lower(), OTHERS)}
    named = {base: name for name, (base, _) in reversed(told.items())}
    return {base: named[base] for base in UNITS if base in named}


def _run(row: Row) -> dict[str, Any]:
    said = [
        f"Exported from Kneepoint {bench.__version__}; source {row.get('source')}, {row.get('evidence')}."
    ]
    said += [f"{row['harness']} measured it."] if row.get("harness") and _length(row, "isl") is None else []
    if beyond := list(_beyond(row)):
        said.append(f"Beyond this schema: {', '.join(beyond)}.")
    start = f"{row['date'].isoformat()[:10]}T00:00:00Z" if row.get("date") is not None else None
    lasted = f"PT{_digits(row['duration_s'])}S" if row.get("duration_s") is not None else None
    return _present(
        {
            "uid": row["point_id"],
            "time": _present({"start": start, "duration": lasted}),
            "description": " ".join(said),
        }
    )


def _beyond(row: Row) -> Iterator[str]:
    """What the report has no place for, as `key value`, in the order of the catalogue and of a point's fields."""
    known = {key for key, value in row.items() if value is not None}
    held = set(_held(row))
    for base in base_metrics():
        statistics = (
            [f"{base.key}_{one}" for one in statistics_of(base.key, known)]
            if base.distribution
            else [base.key]
        )
        for key in statistics:
            found = metric(key)
            follows = found.sql is not None and known.issuperset(found.inputs)
            if key in known and key not in held and not follows:
                yield f"{key} {_digits(row[key])}"
    for key in (*PLACELESS, *_without_their_place(row)):
        if key in known:
            yield f"{key} {row[key]}"


def _held(row: Row) -> Iterator[str]:
    """The metrics that the report has a place for."""
    yield from ("duration_s", *(key for key, _ in RATES.values()))
    if row.get("requests_failed") is not None:
        yield from ("requests_ok", "requests_failed")
    for base in _names(row):
        if row.get(f"{base}_mean") is not None:
            yield from (f"{base}_{statistic}" for statistic in STATISTICS)


def _without_their_place(row: Row) -> Iterator[str]:
    """The facts that have a place, but not with what else is known of this point."""
    if row.get("dataset") not in SOURCES or _load(row) is None:
        yield "dataset"
    if row.get("load_kind") not in OWN_LOADS:
        yield "load_kind"
    if _load(row) is None:
        yield from ("concurrency", "request_rate", "osl_requested")
    if _requests(row) is None:
        yield from ("isl_actual", "osl_actual")
    if _model(row) != row.get("checkpoint"):
        yield "checkpoint"
    if not _engine_is_known(row):
        yield from ("accelerators", "devices")
    elif not names.one_device_a_chip(row.get("accelerator")):
        yield "accelerators"


def _digits(value: float) -> str:
    """The number with all its digits and never with an exponent, which a duration of ISO 8601 has not."""
    text = f"{Decimal(str(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _statistics(row: Row, base: str, unit: str) -> dict[str, Any] | None:
    if row.get(f"{base}_mean") is None:
        return None
    found = {name: row.get(f"{base}_{statistic}") for statistic, name in STATISTICS.items()}
    return {"units": unit, **{name: value for name, value in found.items() if value is not None}}


def _requests(row: Row) -> dict[str, Any] | None:
    if row.get("requests_ok") is None:
        return None
    failed = row.get("requests_failed")
    lengths = {
        name: {"units": "count", "mean": row[key]} if row.get(key) is not None else None
        for name, key in (("input_length", "isl_actual"), ("output_length", "osl_actual"))
    }
    total = round(row["requests_ok"] + (failed or 0))
    return _present({"total": total, "failures": None if failed is None else round(failed), **lengths})


def _stack(row: Row) -> list[dict[str, Any]]:
    """The inference engine, as the schema knows it where model, accelerator and their number are known."""
    engine = {"tool": row.get("engine") or UNKNOWN, "tool_version": row.get("engine_version") or UNKNOWN}
    label = {"label": "engine", "cfg_id": str(row.get("deployment_id") or UNKNOWN)}
    name, count = _model(row), _count(row)
    if count is None or not _engine_is_known(row):
        known = _present({"model": name, **{key: row.get(key) for key in ("accelerator", *LAYOUT)}})
        in_part = {**label, "label": ENGINE_KNOWN_IN_PART}
        return [{"metadata": in_part, "standardized": {"kind": "generic", **engine, **known}, "native": {}}]
    layout = {key: int(row[key]) for key in LAYOUT if row.get(key) is not None}
    standardized = {
        "kind": "inference_engine", **engine, "role": "replica", "replicas": 1, "model": {"name": name},
        "accelerator": {"model": row["accelerator"], "count": int(count), "parallelism": layout},
    }  # fmt: skip
    return [{"metadata": label, "standardized": standardized, "native": {}}]


def _engine_is_known(row: Row) -> bool:
    """Whether the schema's engine can be filled, which is one of prefill or of decode where they are apart."""
    return bool(_model(row) and row.get("accelerator") and _count(row)) and not row.get("disaggregated")


def _model(row: Row) -> str | None:
    """The name of the model: its checkpoint where that is read as this model, else what the library calls it."""
    checkpoint, model = row.get("checkpoint"), row.get("model")
    return checkpoint if checkpoint and model in (None, names.model_slug(checkpoint)) else model


def _count(row: Row) -> float | None:
    """How many devices there are, which is what the schema counts; None where that is not known."""
    known = names.accelerator(row.get("accelerator") or "")
    per_chip = known.devices_per_chip if known is not None else None
    chips: float | None = row.get("accelerators")
    return row.get("devices") or (chips * per_chip if chips and per_chip else None)


def _load(row: Row) -> dict[str, Any] | None:
    """The load; None without an input length, which the schema wants."""
    isl = _length(row, "isl")
    if isl is None:
        return None
    source = row["dataset"] if row.get("dataset") in SOURCES else UNKNOWN
    stated = {
        "tool": row.get("harness") or UNKNOWN, "tool_version": row.get("harness_version") or UNKNOWN,
        "source": source, "input_seq_len": isl, "output_seq_len": _length(row, "osl"),
        "concurrency": row.get("concurrency"), "rate_qps": row.get("request_rate"),
    }  # fmt: skip
    return {"metadata": {}, "standardized": _present(stated), "native": {}}


def _length(row: Row, key: str) -> dict[str, Any] | None:
    asked, counted = row.get(f"{key}_requested"), row.get(f"{key}_actual")
    if asked is not None:
        return {"distribution": "fixed", "value": int(asked)}
    return {"distribution": "other", "value": counted} if counted is not None else None


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != {}}


def _selected(library: Library, view: View) -> bytes:
    condition = selected(view)
    return written(
        library.query(f"SELECT * FROM points WHERE {condition.sql} ORDER BY point_id", condition.params)
    )


FORMATS = (
    Format("llm-d", "llm-d Benchmark Reports 0.2", ".zip", "application/zip", _selected,
           "A report in JSON for each point, in one zip. What the reports have no place for, such as sums of tokens, "
           "precision and prices, is told in their description and does not come back when they are imported."),
)  # fmt: skip
