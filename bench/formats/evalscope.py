"""EvalScope perf: benchmark_summary.json of one level, with its percentiles and arguments beside it.

Read: modelscope/evalscope 0.1x to 1.x, evalscope/perf/utils/benchmark_util.py and perf_constants.py, whose keys carry
their units: until 1.4 all times are in seconds, later ones have TTFT, TPOT and ITL in ms. A folder
parallel_N_number_M holds one level; benchmark_percentile.json is its percentiles, benchmark_args.json what was asked.

    TTFT     first chunk - request sent
    TPOT     (latency - TTFT) / (output tokens - 1); of files that count packages (before 0.17) the mean of the gaps
             between chunks of each request, the first and the last chunk left out
    latency  last chunk - request sent
    throughputs are sums over the time from the first request to the last answer

Not in the summary: model and data set, which benchmark_args.json has; engine, accelerator, chips, requested lengths.
"""

from __future__ import annotations

from pathlib import Path

from bench import names
from bench.formats.reading import (
    WELL,
    Companion,
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    companion,
    companion_rows,
    document,
    finished,
)
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "evalscope"
TITLE = "EvalScope perf"

PERCENTILES, ARGUMENTS = "benchmark_percentile.json", "benchmark_args.json"
OLD = KeyShape(("Number of concurrency", "Succeed requests", "Output token throughput (tok/s)", "Average latency (s)"))
NEW = KeyShape(("Concurrency", "Success Requests", "Output Throughput (tok/s)", "Avg Latency (s)"))
RATES: dict[str, tuple[str, ...]] = {
    "output_tokens_per_s": ("Output token throughput (tok/s)", "Output Throughput (tok/s)"),
    "total_tokens_per_s": ("Total token throughput (tok/s)", "Total Throughput (tok/s)"),
    "requests_per_s": ("Request throughput (req/s)", "Req Throughput (req/s)"),
    "duration_s": ("Time taken for tests (s)", "Test Duration (s)"),
}
MEANS: dict[str, tuple[str, ...]] = {
    "ttft_ms": ("Average time to first token (s)", "TTFT (ms)"),
    "tpot_ms": ("Average time per output token (s)", "TPOT (ms)"),
    "itl_ms": ("Average inter-token latency (s)", "Average package latency (s)", "ITL (ms)"),
    "e2el_ms": ("Average latency (s)", "Avg Latency (s)"),
}
LEFT_OUT = (
    "Total requests",
    "Total Requests",
    "Expected number of requests",
    "Average package per request",
    "Decoded Tok/Iter",
    "Spec. Accept Rate",
)
"""Tokens to a chunk are no acceptance length: a server may send several at once without speculation."""
LATENCIES = {"TTFT": "ttft_ms", "TPOT": "tpot_ms", "ITL": "itl_ms", "Latency": "e2el_ms"}
DEFINITIONS = {
    "ttft_ms": f"first chunk - request sent, {WELL}",
    "tpot_ms": f"(latency - TTFT) / (output tokens - 1), {WELL}",
    "itl_ms": f"gaps between chunks, {WELL}",
    "e2el_ms": f"last chunk - request sent, {WELL}",
}
BY_PACKAGES = f"mean gap between the chunks of each request, its first and its last chunk left out, {WELL}"

recognises = by_keys(OLD, NEW)
"""Whether the file is the summary of a level."""


def companions(path: Path) -> tuple[Path, ...]:
    """The level's percentiles and arguments."""
    return tuple(beside for name in (PERCENTILES, ARGUMENTS) if (beside := path.parent / name).is_file())


def read(file: SourceFile) -> Reading:
    """The level as one point; InputError where a value is not what it must be."""
    refused: list[Refusal] = []
    level, asked = Fields(file.name, document.loaded(file)), companion(file, ARGUMENTS, refused)
    figures = MetricCollector(NAME, None, window="the whole run, ramp and tail inside", token_source="server's usage")
    metrics = figures.of_point()
    definitions = {**DEFINITIONS, "tpot_ms": BY_PACKAGES} if "Average package per request" in level else DEFINITIONS
    _file(level, metrics, definitions)
    for row in companion_rows(file, PERCENTILES, _rows, refused):
        _file_percentile(row, metrics, definitions)
    level.passed_over(*LEFT_OUT)
    checkpoint = asked.text("model")
    point = Point(
        Deployment(model=names.model_slug(checkpoint) if checkpoint else None, checkpoint=checkpoint),
        _workload(level, asked),
        _load(level),
        metrics,
        "the level",
        NAME,
        harness=NAME,
    )
    return finished(file, [point], figures, fields=[level], refusals=refused, whole_run=True)


def _of(level: Fields, *keys: str) -> tuple[str, float] | None:
    """The first of these keys that has a figure, with it; the tool writes -1 for none."""
    found = ((key, level.number(key)) for key in keys)
    return next(((key, value) for key, value in found if value is not None and value != -1), None)


def _file(level: Fields, metrics: PointMetrics, definitions: dict[str, str]) -> None:
    ok, failed = (
        _of(level, f"{a} requests", f"{b} Requests") for a, b in (("Succeed", "Success"), ("Failed", "Failed"))
    )
    metrics.file_failures(failed[1] if failed else None, ok[1] if ok else None)
    for metric, keys in RATES.items():
        if one := _of(level, *keys):
            metrics.file(metric, one[1] or None)  # of a level without one good answer it is no rate of 0
    for base, keys in MEANS.items():
        if one := _of(level, *keys):
            _file_time(metrics, f"{base}_mean", *one, definitions[base])


def _file_time(metrics: PointMetrics, metric: str, key: str, value: float, definition: str) -> None:
    unit = "ms" if key.endswith("(ms)") else "s"
    metrics.file(metric, value, unit=unit, factor=1.0 if unit == "ms" else 1000.0, definition=definition)


def _file_percentile(row: Fields, metrics: PointMetrics, definitions: dict[str, str]) -> None:
    percent = (row.text("Percentiles") or "").removesuffix("%")
    for key in row.keys() if percent.isdigit() and 0 < int(percent) < 100 else ():
        base = LATENCIES.get(key.partition(" (")[0])
        if base and (value := row.number(key)) is not None and value >= 0:
            _file_time(metrics, f"{base}_p{percent}", key, value, definitions[base])


def _rows(file: SourceFile) -> list[tuple[str, dict[str, object]]]:
    listed = document.loaded(file)
    return [(f"entry {n}", one) for n, one in enumerate(listed if isinstance(listed, list) else [], 1)]


def _workload(level: Fields, asked: Companion) -> Workload:
    isl = _of(level, "Average input tokens per request", "Avg Input Tokens")
    osl = _of(level, "Average output tokens per request", "Avg Output Tokens")
    turns = _of(level, "Average input turns per request", "Avg Turns/Request")
    return Workload(
        isl_actual=isl[1] if isl else None,
        osl_actual=osl[1] if osl else None,
        dataset=asked.text("dataset"),
        turns=turns[1] if turns and turns[1] > 0 else None,
    )


def _load(level: Fields) -> Load:
    rate, concurrency = _of(level, "Request Rate (req/s)", "Request rate (req/s)"), _of(level, "Concurrency")
    concurrency = concurrency or _of(level, "Number of concurrency")
    most = int(concurrency[1]) if concurrency and 1 <= concurrency[1] < 2**31 else None
    if rate and rate[1] > 0:
        return Load("open", request_rate=rate[1], arrivals="poisson", concurrency=most)
    return Load("closed", concurrency=most) if most else Load("unknown")
