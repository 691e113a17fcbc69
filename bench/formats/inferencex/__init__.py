"""InferenceX results: agg_<name>.json, arrays of them (agg_bmk.json) and the database dump's benchmark_results.json.

As utils/process_result.py of SemiAnalysisAI/InferenceX writes them (843c625) and packages/db of InferenceX-app dumps
them (77ca49a, its configs.json and workflow_runs.json beside it). Times are seconds, throughputs are per GPU:

    <statistic>_ttft, _tpot, _itl, _e2el   its client is vLLM's: tpot = (e2el - ttft) / (n - 1), itl = gaps of chunks;
                                           a new connection for each request is inside ttft
    <statistic>_intvty                     1 / tpot of the same statistic, so it follows from tpot_ms in the library;
                                           std_intvty, 1 / the deviation, means nothing
    tput_per_gpu                           total tokens/s over all GPUs
    output_tput_per_gpu                    output tokens/s over the GPUs that decode (all, where none does so alone)
    input_tput_per_gpu                     input tokens/s over the GPUs that prefill; it does not add up with the others

The divisor of one node is tp x pp x pcp (expert and data parallelism reuse the same GPUs); the deployment's throughput
is the figure times its divisor. That divisor counts devices: it is the number of chips only where the accelerator is
known to have one device to a chip. Power is taken where power_valid is 1.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path

from bench import names
from bench.errors import InputError
from bench.formats.inferencex.layout import Layout, layout_of
from bench.formats.plausibility.soundness import NOT_THE_OTHERS
from bench.formats.reading import (
    AS_CATALOGUE,
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    document,
    each_row,
    finished,
    left_out,
)
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "inferencex"
TITLE = "InferenceX result"
SOURCE = "inferencex"

CONFIGS, RUNS = "configs.json", "workflow_runs.json"
STATISTICS = {
    "mean": "mean",
    "median": "p50",
    "std": "std",
    "p75": "p75",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p99_9",
}
LATENCIES = {
    "ttft": ("ttft_ms", "as catalogue, but connection set-up is inside and an empty first chunk counts"),
    "tpot": ("tpot_ms", "as catalogue"),
    "itl": ("itl_ms", "as catalogue"),
    "e2el": ("e2el_ms", "as catalogue, to the usage chunk behind the last token"),
}
POWER = {
    "avg_power_w": ("power_w_per_accelerator", AS_CATALOGUE),
    "joules_per_output_token": ("joules_per_output_token", "as catalogue; where some GPUs only decode, of those"),
    "joules_per_total_token": ("joules_per_total_token", AS_CATALOGUE),
}
LEFT_OUT = (
    "recipe_fingerprint", "router", "kv_p2p_transfer", "dcp_size", "prefill_dcp_size", "decode_dcp_size",
    "joules_per_input_token", "avg_temp_c", "peak_temp_c", "avg_util_pct", "avg_mem_used_mb",
    "power_metric_schema_version", "power_invalid_reasons", "prefill_gpu_energy_j", "decode_gpu_energy_j",
    "prefill_avg_power_w", "decode_avg_power_w", "prefill_joules_per_input_token", "decode_joules_per_output_token",
    "id", "server_log_id", "prefill_hw", "decode_hw",
    *(f"{statistic}_intvty" for statistic in STATISTICS),
)  # fmt: skip
ROLES_TOLERANCE = 0.02
"""Output and input over their GPUs are the total over all of them; dumps of late 2025 have rows up to 3.2 times off."""
SHAPES = (
    KeyShape(("hw", "tput_per_gpu", "conc", "framework"), ("object", "list")),
    KeyShape(("workflow_run_id", "config_id", "benchmark_type", "metrics"), ("list",)),
)
"""Results of configurations, and the dump's rows."""

TAG = re.compile(r":v?([\w.-]+)$")

recognises = by_keys(*SHAPES)
"""Whether the file's first object is a result of one configuration, or a row of the dump."""


def companions(path: Path) -> tuple[Path, ...]:
    """Of a dump, its configurations and runs beside it."""
    if path.name != "benchmark_results.json":
        return ()
    return tuple(beside for name in (CONFIGS, RUNS) if (beside := path.parent / name).is_file())


def read(file: SourceFile) -> Reading:
    """A point for each result; a row that ended in an error, or whose figures cannot be, is refused alone."""
    refused: list[Refusal] = []
    configs, runs = _table(file, CONFIGS), _runs(file, refused)
    figures = MetricCollector(NAME, None, window="the whole run, ramp and tail included", token_source="server's usage")
    rows, points = each_row(
        document.records(file, refused), lambda row: _point(figures.of_point(), row, configs, runs), refused
    )
    numbers = {row.raw("config_id") for row in rows}
    used = [config for number, config in configs.items() if number in numbers]
    return finished(
        file, points, figures, fields=[*rows, *used], refusals=refused, because=NOT_THE_OTHERS, checked=True
    )


def _table(file: SourceFile, name: str) -> Mapping[int, Fields]:
    """The rows of a table beside a dump by their id; nothing where it is not there."""
    path = next((one for one in file.companions if one.name == name), None)
    if path is None:
        return {}
    rows = document.records(SourceFile(path), [])
    return {key: row for row in rows if (key := row.whole("id")) is not None}


def _runs(file: SourceFile, refused: list[Refusal]) -> Mapping[int, Fields]:
    """The runs of a dump, which only say where the log of a row is; nothing where their table is broken."""
    try:
        return _table(file, RUNS)
    except InputError as problem:
        left_out(refused, RUNS, problem)
        return {}


def _parts(row: Fields, configs: Mapping[int, Fields]) -> tuple[Fields, Fields]:
    """What states the configuration and what holds the figures: the row itself, or a dump's two tables."""
    number = row.whole("config_id")
    if number is None:
        return row, row
    if error := row.text("error"):
        raise InputError(f"{row.where} was refused: its run failed ({error}).")
    if "isl" not in row:
        raise InputError(f"{row.where} was refused: it has no isl, so it is no single-turn result.")
    if number not in configs:
        raise InputError(f"{row.file} names configuration {number}, which is not in {CONFIGS} beside it; add it.")
    row.passed_over("benchmark_type", "id", "server_log_id")
    return configs[number], row.fields("metrics")


def _point(metrics: PointMetrics, row: Fields, configs: Mapping[int, Fields], runs: Mapping[int, Fields]) -> Point:
    stated, measured = _parts(row, configs)
    layout = layout_of(stated, _chip(stated.text("hw") or stated.text("hardware")))
    if disagreement := _disagreement(measured, layout):
        raise InputError(f"{row.where} was refused: {disagreement}.")
    _file(metrics, measured, layout)
    concurrency, isl, osl = row.count("conc"), row.count("isl"), row.count("osl")
    run = runs.get(row.whole("workflow_run_id") or 0)
    link = run.raw("html_url") if run else None
    for part in (row, stated, measured):
        part.passed_over(*LEFT_OUT)
    return Point(
        _deployment(row, stated, layout),
        Workload(isl_requested=isl, osl_requested=osl, dataset="random"),
        Load("closed", concurrency=concurrency) if concurrency else Load("unknown"),
        metrics,
        row.where,
        SOURCE,
        harness=SOURCE,
        date=_date(row),
        source_url=link if isinstance(link, str) and link.startswith("https://") and len(link) < 300 else None,
    )


def _disagreement(measured: Fields, layout: Layout) -> str | None:
    """Why the counts of GPUs by role are not those that the figures were divided by; None where they may be."""
    total, output, taken_in = (measured.number(f"{key}tput_per_gpu") for key in ("", "output_", "input_"))
    if not total or output is None or taken_in is None or not (layout.all and layout.decode and layout.prefill):
        return None
    ratio = (output * layout.decode + taken_in * layout.prefill) / (total * layout.all)
    if abs(ratio - 1) <= ROLES_TOLERANCE:
        return None
    return (
        f"output x {layout.decode} + input x {layout.prefill} GPUs is {ratio:.2f} times total x {layout.all}, so these "
        "are not the GPUs that its figures were divided by"
    )


def _chip(hardware: str | None) -> str | None:
    """The accelerator of a runner: h200-nb is an h200 at somebody's place."""
    if hardware is None:
        return None
    parts = re.split(r"[-_]", hardware)
    tries = ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]
    slugs = [names.accelerator_slug(text) for text in tries if text]
    return next((slug for slug in slugs if names.accelerator(slug) is not None), slugs[0] if slugs else None)


def _deployment(row: Fields, stated: Fields, layout: Layout) -> Deployment:
    prefix = stated.text("infmax_model_prefix")
    model = stated.text("model") or prefix
    slug = names.model_slug(model) if model else None
    if slug is not None and names.model(slug) is None and prefix:
        slug = names.model_slug(prefix)
    framework = stated.text("framework")
    image = row.text("image")
    tag = TAG.search(image) if image else None
    return Deployment(
        model=slug,
        checkpoint=model if prefix else None,
        precision=stated.text("precision"),
        engine=names.engine_slug(framework) if framework else None,
        engine_version=tag[1] if tag else None,
        speculation=stated.text("spec_decoding") or stated.text("spec_method"),
        **layout.deployment,
    )


def _file(metrics: PointMetrics, measured: Fields, layout: Layout) -> None:
    divisors = {
        "tput_per_gpu": ("total_tokens_per_s", layout.all, "all GPUs"),
        "output_tput_per_gpu": (
            "output_tokens_per_s",
            layout.decode,
            "the GPUs that decode (all, where none does so alone)",
        ),
        "input_tput_per_gpu": (
            "input_tokens_per_s",
            layout.prefill,
            "the GPUs that prefill (all, where none does so alone)",
        ),
    }
    for name, (key, count, which) in divisors.items():
        value = measured.number(name)
        if value is not None and count:
            metrics.file(
                key,
                value,
                unit="tokens/s/GPU",
                factor=count,
                denominator=which,
                definition="converted: the figure per GPU times the GPUs it was divided by",
            )
    for name, (base, definition) in LATENCIES.items():
        statistics = {f"{written}_{name}": statistic for written, statistic in STATISTICS.items()}
        metrics.file_statistics(base, measured, statistics, unit="s", factor=1000, definition=definition)
    valid = measured.number("power_valid")
    for name, (key, definition) in POWER.items():
        value = measured.number(name)
        if valid == 1:
            metrics.file(key, value, definition=definition)


def _date(row: Fields) -> datetime.date | None:
    said = row.text("date")
    if said is None:
        return None
    try:
        return datetime.date.fromisoformat(said[:10])
    except ValueError:
        raise row.unfit("date", said, "a date such as 2026-11-20") from None
