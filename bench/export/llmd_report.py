"""Points as llm-d Benchmark Reports 0.2, one for each point (llm-d-benchmark, benchmark_report/schema_v0_2.py).

A report claims that something was measured, and has places for some figures alone: a point that was not measured, or
that has none of those figures, is left out. The schema forbids what it does not name and wants a mean of every
statistic; a part of which it wants more than a point has is left out. The written report is then read as an import
reads it. What of the deployment, the workload and the load does not come back so is stated in a component of kind
generic, which may have fields of its own (bench/formats/llmd_report/own_fields.py); which figures do not, such as
sums of tokens or a latency without its mean, is told in run.description, for people. scenario.load names the tool
that measured; what a latency is called depends on that tool, so it is named by the table that such a report is read
by.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

import bench
from bench import names
from bench.catalogue import METRICS, metric, statistics_of
from bench.export import ExportFormat, LeftOut
from bench.formats import llmd_report
from bench.formats.llmd_report import ReportFacts, names_of, said_in
from bench.formats.llmd_report.own_fields import FACTS, LABEL
from bench.formats.llmd_report.stack import LAYOUT, UNKNOWN
from bench.formats.reading.fields import MOST_WHOLE, Fields
from bench.holdings.listing import selected
from bench.library import Library
from bench.progress import steps
from bench.view import View

UNITS = {"ttft_ms": "ms", "e2el_ms": "ms", "tpot_ms": "ms/token", "itl_ms": "ms/token", "ntpot_ms": "ms/token"}
RATES = {
    "input_token_rate": ("input_tokens_per_s", "tokens/s"),
    "output_token_rate": ("output_tokens_per_s", "tokens/s"),
    "total_token_rate": ("total_tokens_per_s", "tokens/s"),
    "request_rate": ("requests_per_s", "queries/s"),
}
STATISTICS = {statistic: name for name, statistic in llmd_report.STATISTICS.items()}
SOURCES = ("random", "sampled")
"""The datasets that the schema has a word for; it calls any other one unknown."""

NOT_MEASURED = "without a measurement, which a Benchmark Report claims"
NO_PLACE = "with neither a mean latency nor a throughput that a Benchmark Report has a place for"

ReportRow = Mapping[str, Any]


def written(rows: pd.DataFrame) -> bytes:
    """A zip with one report in JSON for each row of `points` that can be one, named by its point id."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in steps(_rows(rows), lambda row: str(row["point_id"])):
            if why_left_out(row) is not None:
                continue
            # its date is 1980, so the same points give the same zip
            named = zipfile.ZipInfo(f"{row['point_id']}.json")
            archive.writestr(named, json.dumps(report(row), indent=1), zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _rows(rows: pd.DataFrame) -> Iterator[ReportRow]:
    for row in rows.astype(object).where(rows.notna(), None).to_dict("records"):
        yield {str(key): value for key, value in row.items()}


def why_left_out(row: ReportRow) -> str | None:
    """What this point is, so that no report is written of it; None where one is."""
    if row.get("evidence") != "measured":
        return NOT_MEASURED
    figures = (*(f"{base}_mean" for base in _names(row)), *(key for key, _ in RATES.values()))
    return None if any(row.get(key) is not None for key in figures) else NO_PLACE


def report(row: ReportRow) -> dict[str, Any]:
    """The report of one point; what it cannot say elsewhere is in the stack's own component and the description."""
    latency = {name: found for base, name in _names(row).items() if (found := _statistics(row, base, UNITS[base]))}
    rates = {name: {"units": unit, "mean": row[key]} for name, (key, unit) in RATES.items() if row.get(key) is not None}
    aggregate = {"requests": _requests(row), "latency": latency, "throughput": rates}
    stack = _stack(row)
    made: dict[str, Any] = {
        "version": "0.2",
        "run": _run(row),
        "scenario": _present({"stack": stack, "load": _load(row)}),
        "results": {"request_performance": {"aggregate": _present(aggregate)}},
    }
    said = said_in(Fields("the report", made))
    if facts := _not_said(row, said):
        made["scenario"]["stack"] = [*stack, _beside(row, facts)]
    if beyond := list(_beyond(row, said.metrics)):
        made["run"]["description"] += f" Beyond this schema: {', '.join(beyond)}."
    return made


def _names(row: ReportRow) -> dict[str, str]:
    """The schema's name of each latency in a report of the tool that measured; without those it has no name for."""
    named = {base: name for name, (base, _) in reversed(names_of(row.get("harness")).items())}
    return {base: named[base] for base in UNITS if base in named}


def _run(row: ReportRow) -> dict[str, Any]:
    said = f"Exported from Kneepoint {bench.__version__}; source {row.get('source')}, {row.get('evidence')}."
    start = f"{row['date'].isoformat()[:10]}T00:00:00Z" if row.get("date") is not None else None
    lasted = f"PT{_digits(row['duration_s'])}S" if row.get("duration_s") is not None else None
    time = _present({"start": start, "duration": lasted})
    return _present({"uid": row["point_id"], "time": time, "description": said})


def _not_said(row: ReportRow, found: ReportFacts) -> dict[str, Any]:
    """The facts that are read from the report otherwise than they are known, null where they are not."""
    parts = (found.deployment, found.workload, found.load, found)
    read = {key: value for part in parts for key, value in vars(part).items()}
    return {key: row.get(key) for key in FACTS if row.get(key) != read[key]}


def _beside(row: ReportRow, facts: Mapping[str, Any]) -> dict[str, Any]:
    about = "What Kneepoint knows of this point and the rest of the report does not say."
    return {
        "metadata": {"label": LABEL, "cfg_id": _cfg_id(row), "description": about},
        "standardized": {"kind": "generic", "tool": LABEL, "tool_version": bench.__version__, **facts},
        "native": {},
    }


def _beyond(row: ReportRow, held: Mapping[str, float]) -> Iterator[str]:
    """The figures that the report does not give back, as `key value`, in the order of the catalogue."""
    known = {key for key, value in row.items() if value is not None}
    for base in METRICS:
        statistics = (
            [f"{base.key}_{one}" for one in statistics_of(base.key, known)] if base.distribution else [base.key]
        )
        for key in statistics:
            found = metric(key)
            follows = found.sql is not None and known.issuperset(found.inputs)
            if key in known and held.get(key) != row[key] and not follows:
                yield f"{key} {_digits(row[key])}"


def _digits(value: float) -> str:
    """The number with all its digits and never with an exponent, which a duration of ISO 8601 has not."""
    text = f"{Decimal(str(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _statistics(row: ReportRow, base: str, unit: str) -> dict[str, Any] | None:
    if row.get(f"{base}_mean") is None:
        return None
    found = {name: row.get(f"{base}_{statistic}") for statistic, name in STATISTICS.items()}
    return {"units": unit, **{name: value for name, value in found.items() if value is not None}}


def _requests(row: ReportRow) -> dict[str, Any] | None:
    if row.get("requests_ok") is None:
        return None
    failed = row.get("requests_failed")
    lengths = {
        name: {"units": "count", "mean": row[key]} if row.get(key) is not None else None
        for name, key in (("input_length", "isl_actual"), ("output_length", "osl_actual"))
    }
    total = round(row["requests_ok"] + (failed or 0))
    return _present({"total": total, "failures": None if failed is None else round(failed), **lengths})


def _stack(row: ReportRow) -> list[dict[str, Any]]:
    """The engines: one, or one that prefills and one that decodes; none where the schema wants more than is known."""
    whole = _devices(row, "accelerators") if not row.get("devices") else int(row["devices"])
    if not row.get("disaggregated"):
        layout = {key: row.get(key) for key in LAYOUT}
        return _engine(row, "replica", whole, None, layout)
    prefill, decode = (_devices(row, f"{role}_accelerators") for role in ("prefill", "decode"))
    if not prefill or not decode or prefill + decode > MOST_WHOLE:
        return []
    first = {"tp": row.get("prefill_tp"), "ep": row.get("prefill_ep")}
    return [
        *_engine(row, "prefill", prefill, row.get("prefill_workers"), first),
        *_engine(row, "decode", decode, row.get("decode_workers"), {key: row.get(key) for key in LAYOUT}),
    ]


def _engine(
    row: ReportRow, role: str, devices: int | None, workers: int | None, layout: Mapping[str, int | None]
) -> list[dict[str, Any]]:
    """The engine of this role with so many devices, divided among its workers where that comes out even."""
    model = row.get("checkpoint") or row.get("model")
    if not (model and row.get("accelerator") and devices and devices <= MOST_WHOLE):
        return []
    replicas = int(workers) if workers and devices % workers == 0 else 1
    parallelism = _present({key: _countable(value) for key, value in layout.items()})
    standardized = {
        "kind": "inference_engine",
        "tool": row.get("engine") or UNKNOWN,
        "tool_version": row.get("engine_version") or UNKNOWN,
        "role": role,
        "replicas": replicas,
        "model": {"name": model},
        "accelerator": {"model": row["accelerator"], "count": devices // replicas, "parallelism": parallelism},
    }
    label = {"label": "engine" if role == "replica" else role, "cfg_id": _cfg_id(row)}
    return [{"metadata": label, "standardized": standardized, "native": {}}]


def _countable(count: float | None) -> int | None:
    """The count; None where it is not known, or more than a report is read with, which a published table may hold."""
    return int(count) if count is not None and count <= MOST_WHOLE else None


def _cfg_id(row: ReportRow) -> str:
    return str(row.get("deployment_id") or UNKNOWN)


def _devices(row: ReportRow, chips: str) -> int | None:
    """How many devices these chips are, which is what the schema counts; None where that is not known."""
    known = names.accelerator(row.get("accelerator") or "")
    per_chip = known.devices_per_chip if known is not None else None
    return int(row[chips] * per_chip) if row.get(chips) and per_chip else None


def _load(row: ReportRow) -> dict[str, Any] | None:
    """The load; None without an input length, which the schema wants."""
    isl = _length(row, "isl")
    if isl is None:
        return None
    source = row["dataset"] if row.get("dataset") in SOURCES else UNKNOWN
    stated = {
        "tool": row.get("harness") or UNKNOWN,
        "tool_version": row.get("harness_version") or UNKNOWN,
        "source": source,
        "input_seq_len": isl,
        "output_seq_len": _length(row, "osl"),
        "concurrency": _countable(row.get("concurrency")),
        "rate_qps": row.get("request_rate"),
    }
    return {"metadata": {}, "standardized": _present(stated), "native": {}}


def _length(row: ReportRow, key: str) -> dict[str, Any] | None:
    asked, counted = row.get(f"{key}_requested"), row.get(f"{key}_actual")
    if asked is not None:
        return {"distribution": "fixed", "value": int(asked)}
    return {"distribution": "other", "value": counted} if counted is not None else None


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None and value != {}}


def _selected(library: Library, view: View) -> bytes:
    condition = selected(view)
    return written(library.query(f"SELECT * FROM points WHERE {condition.sql} ORDER BY point_id", condition.params))


def _left_out(library: Library, view: View) -> tuple[LeftOut, ...]:
    condition = selected(view)
    figures = (*(f"{base}_mean" for base in UNITS), *(key for key, _ in RATES.values()))
    columns = ", ".join(("evidence", "harness", *filter(library.has, figures)))
    rows = library.query(f"SELECT {columns} FROM points WHERE {condition.sql}", condition.params)
    counts = Counter(why for row in _rows(rows) if (why := why_left_out(row)) is not None)
    return tuple(LeftOut(counts[why], why) for why in (NOT_MEASURED, NO_PLACE) if counts[why])


FORMATS = (
    ExportFormat(
        "llm-d",
        "llm-d Benchmark Reports 0.2",
        ".zip",
        "application/zip",
        _selected,
        "A report in JSON for each point that was measured, in one zip. Figures that the reports have no place for, "
        "such as sums of tokens and power, are told in their description and do not come back when they are "
        "imported; nor do prices.",
        left_out=_left_out,
    ),
)
