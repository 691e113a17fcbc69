"""Red Hat PSAP's consolidated CSV: each row is a benchmark of a GuideLLM report with what served it typed in beside it.

Read: what import_manual_runs_json_v2.py and import_manual_runs_llm_d.py of openshift-psap/performance-dashboard
(7100702) write. Its labels are GuideLLM's, and so are its formulas (guidellm.py):

    ttft_                   ttft_ms    ms
    itl_                    tpot_ms    ms
    tpot_                   ntpot_ms   ms; of GuideLLM before 0.4, or of an unknown version, it is neither and left out
    request_latency_        e2el_ms    s
    measured rps            requests_per_s, of the requests that ended well
    output_tok/sec, total_tok/sec    of all requests, failed and unfinished ones too; 0 stands for none
    intended concurrency    streams, else the most requests under way, which a run at a rate or at full speed has too

Not in the table: duration, chips (TP and DP are of devices), precision but in the checkpoint's name.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any

from bench import names
from bench.formats import guidellm
from bench.formats.guidellm.dataset import workload
from bench.formats.reading import (
    Fields,
    KeyShape,
    Metadata,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    csv_rows,
    day_of_seconds,
    each_row,
    finished,
    stated,
)
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "psap_consolidated"
TITLE = "Red Hat consolidated CSV"

TABLE = KeyShape(
    tuple("accelerator|model|version|intended concurrency|output_tok/sec|ttft_median|itl_median".split("|")), ("csv",)
)
TEXTS = frozenset(
    "run accelerator model version uuid runtime_args image_tag guidellm_version dataset spec_decoding prefix_caching "
    "request_type router_config notes".split()
)
LATENCIES = {
    "time_to_first_token_ms": "ttft",
    "inter_token_latency_ms": "itl",
    "time_per_output_token_ms": "tpot",
    "request_latency": "request_latency",
}
STATISTICS = {word: word for word in ("mean", "min", "max", "p1", "p95", "p99")} | {"median": "p50", "p999": "p99_9"}
RATES = {"output_tok/sec": "output_tokens_per_s", "total_tok/sec": "total_tokens_per_s"}
OF_ALL = "of all requests, failed and unfinished ones too"
OF_TOKENS = "that of the requests per second; before GuideLLM 0.8 warm-up and cool-down are not cut"
COUNTED = {"isl": "prompt", "osl": "output"}
COUNTS = ("TP", "DP", "EP")
PODS = {"prefill_pod_count": "prefill_workers", "decode_pod_count": "decode_workers"}
LEFT_OUT = (
    "run|measured concurrency|prompt_token_count_p99|output_token_count_p99|uuid|image_tag|guidellm_end_time_ms|"
    "prefix_count|request_type".split("|")
)
ENGINE = re.compile(r"(.+?)-v?(\d.*)")
YES = {"yes": True, "no": False}

recognises = by_keys(TABLE)
"""Whether the header has the columns of what served beside those of the figures."""


def read(file: SourceFile) -> Reading:
    """A point for each row; a row whose values cannot be is refused alone.

    Raises:
        InputError: there is no row that could be taken.
    """
    figures = MetricCollector(
        NAME, None, window=guidellm.MEASURED, token_source="server's usage, else one token for each chunk"
    )
    rows = [Fields(file.name, csv_rows.typed(cells, TEXTS), where) for where, cells in csv_rows.rows(file)]
    refused: list[Refusal] = []
    rows, points = each_row(rows, lambda row: _point(row, figures.of_point()), refused)
    return finished(file, points, figures, fields=rows, refusals=refused, checked=True, numbered=True)


def _point(row: Fields, metrics: PointMetrics) -> Point:
    version = (row.text("guidellm_version") or "").removeprefix("v") or None
    _file(row, metrics, version)
    said = _said(row)
    started = row.number("guidellm_start_time_ms")
    row.passed_over(*LEFT_OUT)
    return Point(
        _deployment(row, said),
        _workload(row, said),
        _load(row, metrics),
        metrics,
        row.path,
        NAME,
        harness=guidellm.SOURCE,
        harness_version=version,
        date=None if started is None else day_of_seconds(started / 1000),
        note=row.text("notes"),
    )


def _file(row: Fields, metrics: PointMetrics, version: str | None) -> None:
    metrics.file("requests_per_s", row.number("measured rps") or None, definition="of the successful requests")
    for name, key in RATES.items():
        metrics.file(key, row.number(name) or None, definition=OF_ALL, window=OF_TOKENS)
    for name, base, factor, definition in guidellm.LATENCIES:
        written = {f"{LATENCIES[name]}_{word}": statistic for word, statistic in STATISTICS.items()}
        if base == "ntpot_ms" and (version is None or re.match(r"0\.[0-3]\b", version)):
            row.passed_over(*written)
            continue
        metrics.file_statistics(
            base, row, written, unit="ms" if factor == 1 else "s", factor=factor, definition=definition
        )
    metrics.file_failures(row.number("errored_requests"), row.number("successful_requests"))


def _workload(row: Fields, said: Metadata) -> Workload:
    """The lengths asked for and counted; where the data set has lengths of its own, none were asked for."""
    numbers = {key: row.count(key) for key in ("prefix_tokens", "turns")}
    numbers |= {"prompt_tokens": row.count("prompt toks"), "output_tokens": row.count("output toks")}
    lengths = workload({key: value for key, value in numbers.items() if value})
    counted = {f"{which}_actual": row.number(f"{key}_token_count_mean") for which, key in COUNTED.items()}
    return dataclasses.replace(lengths, **{**counted, **said.workload})


def _load(row: Fields, metrics: Mapping[str, float]) -> Load:
    """Closed where as many requests were made as are to be kept under way; fewer never filled a closed loop."""
    intended = row.count("intended concurrency")
    made = metrics.get("requests_ok", math.inf) + metrics.get("requests_failed", 0)
    return Load("closed", concurrency=intended) if intended and made >= intended else Load()


def _said(row: Fields) -> Metadata:
    """The facts of the columns and of the server's arguments; one that two of them state differently is none."""
    columns: dict[str, Any] = {key: row.count(key) for key in COUNTS}
    columns |= row.values(("accelerator", "dataset", "replicas", "router_config"))
    caching, version = row.text("prefix_caching"), row.text("version") or ""
    columns |= {"speculation": row.text("spec_decoding"), "prefix_caching": YES.get(caching or "", caching)}
    if not ENGINE.fullmatch(version):
        columns["version"] = version
    return stated(_arguments(row.text("runtime_args") or "") | columns)


def _arguments(text: str) -> dict[str, object]:
    """The server's arguments, which stand as `name: value; name: value`; in another form they are one."""
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    if not all(colon for _, colon, _ in parts):
        return {"runtime_args": text}
    return {name.strip(): value.strip() for name, _, value in parts}


def _deployment(row: Fields, said: Metadata) -> Deployment:
    checkpoint, engine = row.text("model"), ENGINE.fullmatch(row.text("version") or "")
    pods = {name: row.count(key) for key, name in PODS.items()}
    facts: dict[str, Any] = {"disaggregated": True if all(pods.values()) else None, "variant": said.rest, **pods}
    if engine:
        facts |= {"engine": names.engine_slug(engine[1]), "engine_version": engine[2]}
    model = names.model_slug(checkpoint) if checkpoint else None
    return Deployment(**{**facts, **said.deployment, "model": model, "checkpoint": checkpoint})
