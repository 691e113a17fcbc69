"""AIPerf results (ai-dynamo/aiperf 0.1 to 0.13): runs, their requests alone, and sums over trials and sweeps.

    profile_export_aiperf.json             a run; its metric blocks and their formulas: aiperf/blocks.py
    profile_export.jsonl                   the run's requests; beside the run they fill in what it lacks, alone they
                                           are the result, computed from the profiling phase
    profile_export_aiperf_aggregate.json   means over the trials of one cell of a sweep
    profile_export_aiperf_sweep.json       the cells of a sweep, each with means over its trials

A run is the measurement. The sums are results only where their runs are not among the files, and a sweep only where its
cells' sums are not either; so a folder taken in whole counts each measurement once. A percentile in a sum over
several trials is a mean of percentiles, and its passport says so.

The window is the profiling phase, from its first request to the last content, ramp and tail included; warm-up is a
phase of its own. Opening a connection is outside TTFT and E2EL. What the telemetry calls the accelerators is taken;
how many of them serve the model is not stated. Schema: docs/reference/json-export-schema.md at 1554b478.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import names
from bench.errors import InputError
from bench.formats.aiperf import config as configured
from bench.formats.aiperf.blocks import LATENCIES, Blocks, file_blocks
from bench.formats.aiperf.records import Records, file_records, read_records
from bench.formats.reading import (
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    companion,
    day_of_seconds,
    day_of_text,
    document,
    finished,
    note_of,
)
from bench.formats.reading.json_text import parsed
from bench.formats.reading.outline import MISSING, Outline
from bench.records import Deployment, Load, Point, Workload

NAME = "aiperf"
TITLE = "AIPerf result"
SOURCE = "aiperf"

WINDOW = "the profiling phase, ramp and tail included"
CONFIG = "run_config.json"
NEEDED = ("avg", "p50", "p90", "p95", "p99")
MOST_LISTS = 20
"""So many lists of requests beside a run are looked at for its own."""

KEYS = {
    "requests": ("metadata.benchmark_phase", "metadata.request_start_ns", "metrics"),
    "trials": ("metadata.aggregation_type", "metadata.num_profile_runs", "metadata.confidence_level", "metrics"),
    "sweep": ("aggregation_type", "num_profile_runs", "per_combination_metrics", "metadata.sweep_parameters"),
    "run": ("aiperf_version", "input_config", "was_cancelled"),
    "old run": ("request_latency.unit", "input_config.endpoint", "was_cancelled"),
}
SHAPES = {name: KeyShape(keys, ("object", "lines"), specificity=len(keys) + 1) for name, keys in KEYS.items()}
RANK = {"requests": 0, "run": 0, "old run": 0, "trials": 1, "sweep": 2}
"""Of two that tell of the same requests the lower one is the measurement."""

KNOWN = (
    "schema_version input_config benchmark_id error_summary warmup_metrics end_time aggregation_type num_profile_runs "
    "num_successful_runs failed_runs best_configurations pareto_optimal runtime_submission_invalid_reasons".split()
)
KNOWN_OF_SUMS = (
    "confidence_level run_labels single_run cooldown_seconds variation_label sweep_mode aggregation_type "
    "num_profile_runs failed_runs sweep_parameters num_combinations".split()
)
KNOWN_OF_RUNS = (
    "benchmark_id sweep_id random_seed run_label variation_label variation_index variation_values cli_command".split()
)
"""What says nothing that is kept: at the root, of a sum's metadata, and of a run."""

FOLDERS_OF_SUMS = ("aggregate", "sweep_aggregate")

recognises = by_keys(*SHAPES.values())
"""Whether the file is a run, its requests, or a sum over trials or a sweep."""


def companions(path: Path) -> tuple[Path, ...]:
    """The requests of a run beside it, and its phases' own results; beside requests alone, how they were run."""
    shape = _shape(SourceFile(path))
    if shape == "requests":
        beside = path.with_name(CONFIG)
        return (beside,) if beside.is_file() else ()
    if shape not in ("run", "old run"):
        return ()
    phases = sorted(path.parent.glob("phases/*/profile_export_aiperf.json"))
    return (*_own_requests(path), *phases)


def restated(paths: Sequence[Path]) -> dict[Path, Path]:
    """The sums among these files whose runs, or whose cells' sums, are among them too, each with one of those."""
    files = {path: SourceFile(path) for path in paths}
    rank = {path: RANK[shape] for path, file in files.items() if (shape := _shape(file)) is not None}
    twins: dict[Path, Path] = {}
    for path in (path for path in rank if rank[path]):
        base = path.parent
        while base.name in FOLDERS_OF_SUMS or base.parent.name in FOLDERS_OF_SUMS:
            base = base.parent
        for other in sorted(rank, key=lambda other: (rank[other], other)):
            if rank[other] < rank[path] and other.is_relative_to(base) and _may_sum_up(files[path], files[other]):
                twins[path] = other
                break
    return twins


def _may_sum_up(sums: SourceFile, run: SourceFile) -> bool:
    """Whether the mean latency of a run lies among those of the trials; so too where one of them is not known."""
    least, most = (_at(sums, f"metrics.request_latency_avg.{end}") for end in ("min", "max"))
    mean = _at(run, "request_latency.avg")
    return least is None or most is None or mean is None or least <= mean <= most


def _at(file: SourceFile, key: str) -> float | None:
    """A number of a file's first object, wherever it stands; None where there is none."""
    value = file.outline.at(key)
    if value is MISSING and file.further is not None:
        with contextlib.suppress(InputError):
            value = file.further.outline.at(key)
    return value if isinstance(value, int | float) else None


def read(file: SourceFile) -> Reading:
    """One point of a run, of requests alone or of a cell's trials; of a sweep one for each cell."""
    if _shape(file) == "requests":
        return _read_requests(file)
    root = Fields(file.name, document.loaded(file))
    version = root.text("aiperf_version")
    config = root.fields("input_config")
    figures = MetricCollector(NAME, version, window=WINDOW, token_source=configured.token_source(config))
    if "per_combination_metrics" in root:
        points = list(_cells(figures, root))
    elif "aggregation_type" in root.fields("metadata"):
        points = [_trials(figures.of_point(), root)]
    else:
        points = [_run(figures.of_point(), root, file)]
    if not points:
        raise InputError(f"{file.name} is of a sweep none of whose runs succeeded, so it holds no result.")
    root.passed_over(*KNOWN)
    root.fields("metadata").passed_over(*KNOWN_OF_SUMS)
    return finished(file, points, figures, fields=[root], ignore=("input_config.",))


def _shape(file: SourceFile) -> str | None:
    return _seen(file)[0]


def _seen(file: SourceFile) -> tuple[str | None, Outline]:
    """The shape of a file and the outline that has it: that of its beginning, else of its first value to the end."""
    shape = _fitting(file.outline)
    if shape is None and file.further is not None:
        try:
            return _fitting(file.further.outline), file.further.outline
        except InputError:
            pass
    return shape, file.outline


def _fitting(outline: Outline) -> str | None:
    return next((name for name, shape in SHAPES.items() if shape.fits(outline)), None)


def _run(metrics: PointMetrics, root: Fields, file: SourceFile) -> Point:
    config, info = root.fields("input_config"), root.fields("run_info")
    blocks = Blocks(root)
    failed = 0.0 if root.raw("error_summary") == [] else None
    file_blocks(metrics, blocks, failed=failed)
    notes = [_filled_in(metrics, blocks, file)]
    cancelled, complete = root.truth("was_cancelled"), root.truth("is_complete")
    if cancelled or complete is False:
        notes.append("The run was cancelled before its end.")
    trial = info.whole("trial")
    info.passed_over(*KNOWN_OF_RUNS)
    return _point(
        root.file,
        metrics,
        configured.deployment_of(config, root.fields("telemetry_data")),
        _with_counted(configured.workload_of(config), blocks),
        configured.load_of(config),
        "run",
        date=day_of_text(root.text("start_time")),
        repeat=trial + 1 if trial is not None and trial >= 0 else None,
        note=note_of(*notes),
    )


def _trials(metrics: PointMetrics, root: Fields) -> Point:
    stated = root.fields("metadata")
    trials = max(1, stated.whole("num_successful_runs") or stated.whole("num_profile_runs") or 1)
    values, model = stated.fields("variation_values"), stated.text("model")
    blocks = Blocks(root.fields("metrics"), trials, flat=True)
    file_blocks(metrics, blocks)
    varied = configured.values_of(values)
    return _point(
        root.file,
        metrics,
        Deployment(model=names.model_slug(model) if model else None, checkpoint=model),
        _with_counted(configured.lengths_of_values(varied), blocks),
        configured.load_of_values(varied),
        "metrics",
        note=_of_trials(trials),
    )


def _cells(figures: MetricCollector, root: Fields) -> Iterator[Point]:
    """Each cell of a sweep. Its runs are said to be as many for every cell, those that failed left out."""
    stated = root.fields("metadata")
    trials = max(1, stated.whole("num_trials_per_value") or 1)
    for place, cell in enumerate(root.each("per_combination_metrics")):
        values = cell.fields("parameters")
        blocks = Blocks(cell.fields("metrics"), trials)
        if not blocks.holder.keys():
            continue
        varied = configured.values_of(values)
        yield _point(
            root.file,
            file_blocks(figures.of_point(), blocks),
            Deployment(),
            _with_counted(configured.lengths_of_values(varied), blocks),
            configured.load_of_values(varied),
            f"per_combination_metrics/{place}",
            note=_of_trials(trials),
        )


def _of_trials(trials: int) -> str | None:
    return f"Means over {trials:,} trials." if trials > 1 else None


def _read_requests(file: SourceFile) -> Reading:
    """The point that requests alone come to; what was asked is known where the run's configuration lies beside."""
    records = read_records(file)
    config = companion(file, CONFIG, records.refusals).fields("cfg")
    if not records.ok and not records.failed:
        raise InputError(f"{file.name} holds no request of the profiling phase; warm-up is no result.")
    figures = MetricCollector(NAME, None, window=WINDOW, token_source=configured.token_source(config))
    workload = dataclasses.replace(
        configured.workload_of(config),
        isl_actual=records.mean("input_sequence_length"),
        osl_actual=records.mean("output_sequence_length"),
    )
    point = _point(
        file.name,
        file_records(figures.of_point(), records, file.name),
        configured.deployment_of(config),
        workload,
        configured.load_of(config),
        "requests",
        date=day_of_seconds(records.began),
    )
    return finished(file, [point], figures, unread=records.unknown, refusals=records.refusals)


def _point(
    file: str, metrics: PointMetrics, deployment: Deployment, workload: Workload, load: Load, locator: str, **own: Any
) -> Point:
    if not metrics:
        raise InputError(f"{file} holds no figure in {locator}; import the run's own file.")
    version = metrics.collector.tool_version
    return Point(deployment, workload, load, metrics, locator, SOURCE, harness=SOURCE, harness_version=version, **own)


def _with_counted(workload: Workload, blocks: Blocks) -> Workload:
    return dataclasses.replace(
        workload, isl_actual=blocks.number("input_sequence_length"), osl_actual=blocks.number("output_sequence_length")
    )


def _filled_in(metrics: PointMetrics, blocks: Blocks, file: SourceFile) -> str | None:
    """What there is to say after the percentiles that a run lacks were computed from the requests beside it."""
    lacks = any(blocks.number(tag, statistic) is None for tag in LATENCIES for statistic in NEEDED)
    beside = next((path for path in file.companions if path.suffix == ".jsonl"), None)
    if not lacks or beside is None:
        return None
    try:
        records: Records = read_records(SourceFile(beside))
    except InputError as problem:
        return f"{beside.name} beside it was not used: {problem}"[:500]
    if records.ok != metrics.get("requests_ok", records.ok):
        return f"{beside.name} beside it was not used: it holds {records.ok:,} good requests, the run has others."
    records.file_latencies(metrics, beside.name)
    return None


def _own_requests(path: Path) -> tuple[Path, ...]:
    """The list of a run's requests among the lists beside it: one whose first good request may be of this run."""
    lists = sorted(path.parent.glob("*.jsonl"))[:MOST_LISTS]
    _, run = _seen(SourceFile(path))
    least, most = run.at("request_latency.min"), run.at("request_latency.max")
    for beside in lists:
        file = SourceFile(beside)
        if beside.is_file() and _shape(file) == "requests":
            known = _first_latency(file)
            bounded = all(isinstance(bound, int | float) for bound in (least, most))
            if known is None or not bounded or least <= known <= most:
                return (beside,)
    return ()


def _first_latency(file: SourceFile) -> Any:
    """The latency of the first good request of a list, as far as its beginning tells."""
    for line in file.head.split(b"\n")[:-1]:
        try:
            record = parsed(line, file.name)
            if record["metadata"]["benchmark_phase"] == "profiling":
                latency = record["metrics"]["request_latency"]["value"]
                return latency if isinstance(latency, int | float) else None
        except (InputError, KeyError, TypeError):
            continue
    return None
