"""GuideLLM reports, benchmarks.json (vllm-project/guidellm 0.2 to 0.8): each benchmark of a file is a point.

Three shapes are read: version 2 of the report (0.7 on, `config`), version 1 (0.5 and 0.6, `args`; 0.4 wrote it without
`metadata`), and that of 0.2 and 0.3 (`run_stats`). Every figure is of the successful requests; those of errored and
incomplete ones stand beside them in the file and are left. With n output tokens a request:

    time_to_first_token_ms      ttft_ms    first content or reasoning - request sent, connecting included
    inter_token_latency_ms      tpot_ms    (last token - first token) / (n - 1), each request weighted by n - 1
    time_per_output_token_ms    ntpot_ms   (last token - request sent) / n, weighted by n: the wait is inside
    request_latency (seconds)   e2el_ms    end of the stream, its usage included, - request sent
    requests_per_second        requests_per_s   ends within the measured window / the window
    prompt_, output_ and tokens_per_second      the same requests/s x their mean tokens; not so before 0.8: RATES

The measured window is the run without its warm-up and cool-down; every request that overlaps it is counted whole.

So what GuideLLM calls TPOT is others' normalised TPOT and its ITL is others' TPOT. In 0.2 and 0.3 the label TPOT stood
for (last token - first token) / n, which is neither and is left out. A percentile is the smallest value that so many
per cent of the requests do not exceed, not interpolated. Up to 0.8 a request without a value counts as 0: where a 0
is among the latencies, they are computed anew from the requests, if the file has all of them.

A request still under way at the end is `incomplete`: it neither ended well nor failed, and is told in the note.
A report says nothing about hardware, layout or engine. Formulas: schemas/request_stats.py and benchmark/schemas/
metrics.py at ee7a774 and v0.5.1, benchmark/benchmark.py at v0.3.1.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import names
from bench.errors import InputError
from bench.formats.guidellm.dataset import run_of, workload
from bench.formats.plausibility import no_more_than_all
from bench.formats.reading import (
    WELL,
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    day_of_seconds,
    document,
    finished,
    note_of,
)
from bench.formats.reading.fields import SampleArray
from bench.records import Deployment, Flag, Load, Point

NAME = "guidellm"
TITLE = "GuideLLM report"
SOURCE = "guidellm"

SHAPES = (
    KeyShape(("metadata.guidellm_version", "benchmarks"), ("object",), specificity=4),
    KeyShape(
        ("benchmarks[].config.strategy", "benchmarks[].scheduler_state", "benchmarks[].scheduler_metrics"),
        ("object",),
        specificity=5,
    ),
    KeyShape(
        ("benchmarks[].run_stats", "benchmarks[].request_loader", "benchmarks[].args.strategy"),
        ("object",),
        specificity=5,
    ),
    KeyShape(
        ("benchmarks[].config.strategy", "benchmarks[].config.run_index", "benchmarks[].metrics"),
        ("yaml",),
        specificity=5,
    ),
    KeyShape(
        ("benchmarks[].args.strategy", "benchmarks[].args.max_number", "benchmarks[].metrics"), ("yaml",), specificity=5
    ),
)
"""Reports of 0.5 and later, of 0.4, and of 0.2 and 0.3; then of 0.4 on and of before as YAML, whose keys are sorted, so
that the head of a file does not reach the later ones."""

PERCENTILES = {
    "p001": "p0_1",
    "p01": "p1",
    "p05": "p5",
    "p999": "p99_9",
    **{f"p{n}": f"p{n}" for n in (10, 25, 50, 75, 90, 95, 99)},
}
STATISTICS = {"mean": "mean", "std_dev": "std", "min": "min", "max": "max"}
SPOKEN = f", {WELL}; percentiles are values that occurred, not interpolated"
LATENCIES = (
    ("time_to_first_token_ms", "ttft_ms", 1.0, "as catalogue; the first request of a connection opens it" + SPOKEN),
    (
        "inter_token_latency_ms",
        "tpot_ms",
        1.0,
        "converted: GuideLLM's ITL, (last token - first token) / (output tokens - 1) per request, each weighted by its "
        "output tokens - 1" + SPOKEN,
    ),
    (
        "time_per_output_token_ms",
        "ntpot_ms",
        1.0,
        "converted: GuideLLM's TPOT, (last token - request sent) / output tokens per request, each weighted by its "
        "output tokens" + SPOKEN,
    ),
    ("request_latency", "e2el_ms", 1000.0, "to the end of the stream, its trailing usage included" + SPOKEN),
)
"""Name in the file, metric, factor to ms, and how the definition differs from the catalogue's."""

UNWEIGHTED = ("ttft_ms", "e2el_ms")
"""Of the others, a request that has no value weighs nothing."""

MEASURED = "from the first request's start to the last one's end, warm-up and cool-down cut where the run had them"
RATES = (
    ("requests_per_second", "requests_per_s", ()),
    ("prompt_tokens_per_second", "input_tokens_per_s", ("prompt_token_count",)),
    ("output_tokens_per_second", "output_tokens_per_s", ("output_token_count",)),
    ("tokens_per_second", "total_tokens_per_s", ("prompt_token_count", "output_token_count")),
)
"""Name in the file, metric, and the counts of what it is a rate of.

From 0.4 to 0.7 a rate of tokens is all of them / the time from the first of them to the last: of input from the first
TTFT to the last, which is no time at all where requests start together, and warm-up and cool-down are inside. Those are
computed as later versions do. Formulas: benchmark/schemas/metrics.py of 0.8.0, 0.8.1 and 0.7.0, and
(generative/metrics.py) 0.6.0.
"""
OVER_THE_WINDOW_FROM = (0, 8)
KNOWN_METRICS = tuple(
    (
        "request_totals request_concurrency request_dispatch_delay request_scheduled_latency turn_predecessor_delay "
        "turn_scheduling_delay root_dispatch_delay request_streaming_iterations_count total_token_count "
        "time_to_first_output_token_ms time_to_last_round_trip_ms avg_round_trip_time_ms output_tokens_per_iteration "
        "iter_tokens_per_iteration text image video audio tool_call turns slo_attainment slo_determined_requests "
        "request_goodput output_tokens_wo_first_per_iteration output_tokens_wo_first_per_second cached_token_count"
    ).split()
)
KNOWN_SETTINGS = tuple(
    (
        "backend profile constraints tokenizer data_column_mapper data_preprocessors data_finalizer data_loader seed "
        "outputs metrics target rate backend_kwargs processor processor_args data_args data_samples "
        "data_request_formatter data_collator data_sampler data_num_workers dataloader_kwargs random_seed output_dir "
        "output_formats sample_requests warmup cooldown rampup prefer_response_metrics max_seconds max_requests "
        "max_errors max_error_rate max_global_error_rate over_saturation"
    ).split()
)
KNOWN_BACKEND = tuple(
    (
        "kind type_ target request_format api_key api_routes openai_paths timeout timeout_connect http2 "
        "follow_redirects verify validate_backend stream extras max_tokens server_history tool_call_missing_behavior "
        "multiturn_reasoning backend_type backend_target backend_info"
    ).split()
)
KNOWN_STATISTICS = (
    "median mode variance count total_sum pdf mean_ci percentile_cis cumulative_distribution_function".split()
)
KNOWN_STRATEGY = (
    "worker_count max_concurrency rampup_duration random_seed initial_burst start_time startup_duration "
    "time_scale".split()
)
KNOWN_BENCHMARK = (
    "type_ id_ run_id run_stats extras scheduler_state scheduler_metrics requests request_samples end_time "
    "warmup_duration cooldown_duration request_totals".split()
)
KNOWN_RUN = (
    "id_ run_id run_index constraints sample_size sample_requests warmup cooldown prefer_response_metrics slo "
    "confidence warnings profile requests environment strategy_index max_number max_duration warmup_number "
    "warmup_duration cooldown_number cooldown_duration".split()
)

recognises = by_keys(*SHAPES)
"""Whether the file has the parts of a report, in one of its three shapes."""


def restated(paths: Sequence[Path]) -> dict[Path, Path]:
    """The YAML reports among these files of whose run there is a JSON report too, each with that one."""
    files = [SourceFile(path) for path in paths]
    documents = {run_of(file.outline): file.path for file in files if file.outline.kind == "object"}
    texts = {file.path: run_of(file.outline) for file in files if file.outline.kind == "yaml"}
    return {path: documents[run] for path, run in texts.items() if run is not None and run in documents}


def read(file: SourceFile) -> Reading:
    """Each benchmark of the report as one point; InputError where there is none."""
    report = Fields(file.name, _document(file))
    version = report.fields("metadata").text("guidellm_version")
    figures = MetricCollector(
        NAME, version, window=MEASURED, token_source="server's usage, else one token for each chunk"
    )
    points = [
        _point(figures.of_point(), report, benchmark, place, version)
        for place, benchmark in enumerate(report.each("benchmarks"))
    ]
    if not points:
        raise InputError(f"{file.name} holds no benchmark: the run ended before its first one was done.")
    report.passed_over("conclusions")
    report.fields("metadata").passed_over("version", "python_version", "platform")
    report.fields("config").passed_over("metadata", "benchmarks")
    for settings in (report.fields("args"), report.fields("config").fields("spec")):
        settings.passed_over(*KNOWN_SETTINGS)
    return finished(file, points, figures, fields=[report])


def _document(file: SourceFile) -> Any:
    """The report; of YAML that is too large or no plain YAML, an InputError that names its twin."""
    try:
        return document.loaded(file)
    except InputError as problem:
        if file.outline.kind != "yaml":
            raise
        said = str(problem).removesuffix(".")
        raise InputError(f"{said}, or import the benchmarks.json of the same run (--output kind=json).") from problem


def _point(metrics: PointMetrics, report: Fields, benchmark: Fields, place: int, version: str | None) -> Point:
    old = "run_stats" in benchmark
    said = _file_all(metrics, benchmark, version, old)
    lengths = benchmark.fields("metrics")
    model = _model(report, benchmark)
    _pass_over(benchmark)
    return Point(
        deployment=Deployment(model=names.model_slug(model) if model else None, checkpoint=model),
        workload=dataclasses.replace(
            workload(_data(report, benchmark)),
            isl_actual=_mean(lengths, "prompt_token_count"),
            osl_actual=_mean(lengths, "output_token_count"),
        ),
        load=_load(benchmark.fields("args" if old else "config")),
        metrics=metrics,
        locator=f"benchmarks/{place}",
        source=SOURCE,
        harness=SOURCE,
        harness_version=version,
        date=day_of_seconds(benchmark.number("start_time")),
        note=note_of(said, _ceiling(benchmark)),
        flags=_slow_client(benchmark),
    )


def _load(config: Fields) -> Load:
    """The strategy of one benchmark; a sweep's are synchronous, throughput, then constant or Poisson rates."""
    strategy = config.fields("strategy")
    kind = strategy.text("type_") or strategy.text("kind")
    streams, rate = strategy.whole("streams"), strategy.number("rate")
    strategy.passed_over(*KNOWN_STRATEGY)
    if kind == "synchronous":
        return Load("closed", concurrency=1)
    if kind == "concurrent" and streams is not None and streams >= 1:
        return Load("closed", concurrency=streams)
    if kind == "throughput":
        return Load("saturated")
    if kind in ("constant", "poisson") and rate is not None and rate > 0:
        return Load("open", request_rate=rate, arrivals=kind)
    if kind == "trace":
        return Load("open", arrivals="trace")
    return Load("unknown")


def _file_all(metrics: PointMetrics, benchmark: Fields, version: str | None, old: bool) -> str | None:
    """What there is to say of its requests, once the figures of one benchmark are filed."""
    lost: list[str] = []
    stated = benchmark.fields("metrics")
    stated.passed_over(*KNOWN_METRICS)
    totals = (benchmark if old else stated).fields("request_totals")
    ok, failed, incomplete = (totals.whole(key) for key in ("successful", "errored", "incomplete"))
    no_more_than_all(
        benchmark.file,
        {"successful": ok, "errored": failed, "incomplete": incomplete},
        "request_totals.total",
        totals.whole("total"),
    )
    metrics.file("duration_s", benchmark.number("duration"), unit="s")
    _file_rates(metrics, stated, as_stated=old or _version(version) >= OVER_THE_WINDOW_FROM)
    for name, base, factor, definition in LATENCIES:
        values = _successful(stated, name)
        if base == "ntpot_ms" and old:
            continue
        if values.number("min") == 0 and values.number("max") and base in UNWEIGHTED:
            known = _of_requests(benchmark, name, ok)
            metrics.file_samples(
                base,
                known,
                unit="ms" if factor == 1 else "s",
                factor=factor,
                definition=f"computed anew from the requests that have a value, {WELL}",
            )
            if not known.size:
                lost.append(base)
            continue
        _file(metrics, base, values, factor, definition)
    for name, key in (("prompt_token_count", "input_tokens"), ("output_token_count", "output_tokens")):
        values = _successful(stated, name)
        total = values.number("total_sum") if values.number("count") != 0 else None
        metrics.file(key, None if total is None else round(total))
    metrics.file_failures(failed, ok)
    return note_of(
        f"{incomplete:,} requests were still under way at the end; they count neither as good nor as failed."
        if incomplete
        else None,
        f"{', '.join(lost)} is left out: a request without a value counts as 0 ms in it, and the file does not list "
        "all requests to leave those out."
        if lost
        else None,
    )


def _file_rates(metrics: PointMetrics, stated: Fields, *, as_stated: bool) -> None:
    """File the throughputs, those of tokens as the file has them or as requests/s times mean tokens."""
    for name, key, counted in RATES:
        values = _successful(stated, name)
        if values.number("count") == 0:
            continue
        if as_stated or not counted:
            metrics.file(key, values.number("mean"), definition="of the successful requests")
            continue
        lengths, requests = [_mean(stated, count) for count in counted], metrics.get("requests_per_s")
        if requests is not None and None not in lengths:
            tokens = requests * sum(length or 0.0 for length in lengths)
            metrics.file(key, tokens, definition="computed: the successful requests/s x their mean tokens")


def _version(version: str | None) -> tuple[int, int]:
    """The first two numbers of a version; zeros where a report of 0.4 does not state its own."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _file(metrics: PointMetrics, base: str, values: Fields, factor: float, definition: str) -> None:
    unit = "ms" if factor == 1 else "s"
    percentiles = values.fields("percentiles")
    for source, statistics in ((values, STATISTICS), (percentiles, PERCENTILES)):
        metrics.file_statistics(base, source, statistics, unit=unit, factor=factor, definition=definition)


def _successful(stated: Fields, name: str) -> Fields:
    """A distribution over the successful requests; an empty one where the file lacks it."""
    distribution = stated.fields(name)
    distribution.passed_over("errored", "incomplete", "total")
    values = distribution.fields("successful")
    values.passed_over(*KNOWN_STATISTICS, *STATISTICS, "percentiles")
    return values


def _mean(stated: Fields, name: str) -> float | None:
    values = _successful(stated, name)
    return values.number("mean") if values.number("count") != 0 else None


def _of_requests(benchmark: Fields, name: str, ok: int | None) -> SampleArray:
    """The values of the successful requests that have one; none at all where the file has a sample of them only."""
    requests = benchmark.fields("requests")
    requests.passed_over("errored", "incomplete", "total")
    listed = requests.list("successful")
    if len(listed) != ok:
        return np.array([])
    values: list[Any] = [request.get(name) if isinstance(request, dict) else None for request in listed]
    known = [value for value in values if type(value) in (int, float) and 0 < value < 1e12]
    return np.array(known, dtype=np.float64)


def _model(report: Fields, benchmark: Fields) -> str | None:
    """The model as the server calls it."""
    backend, worker = benchmark.fields("config").fields("backend"), benchmark.fields("worker")
    settings = report.fields("config").fields("spec").fields("backend")
    for stated in (backend, worker, settings):
        stated.passed_over(*KNOWN_BACKEND)
    own, older, asked_for = backend.text("model"), worker.text("backend_model"), settings.text("model")
    return own or older or asked_for or report.fields("args").text("model")


def _data(report: Fields, benchmark: Fields) -> Any:
    """What the benchmark was asked to send, wherever its version states it; of several sources nothing."""
    config = report.fields("config")
    own = benchmark.fields("config").raw("run_index")
    changes = config.list("benchmarks")
    changed = changes[own] if type(own) is int and 0 <= own < len(changes) else None
    stated = (
        (changed.get("data") if isinstance(changed, dict) else None)
        or config.fields("spec").raw("data")
        or report.fields("args").raw("data")
        or benchmark.fields("request_loader").raw("data")
    )
    if isinstance(stated, list):
        return stated[0] if len(stated) == 1 else None
    return stated


def _ceiling(benchmark: Fields) -> str | None:
    """How many requests an open loop had under way at most, where it was limited."""
    strategy = benchmark.fields("args" if "run_stats" in benchmark else "config").fields("strategy")
    limit = strategy.whole("max_concurrency")
    if (strategy.raw("type_") or strategy.raw("kind")) not in ("synchronous", "concurrent") and limit:
        return f"At most {limit:,} requests were under way at once."
    return None


def _slow_client(benchmark: Fields) -> tuple[Flag, ...]:
    """The flag for what GuideLLM itself warns of: it was late in making its requests."""
    for warning in benchmark.list("warnings"):
        if isinstance(warning, dict) and warning.get("code") == "generation_delay_ttft":
            seen = warning.get("message")
            return (
                Flag(
                    "client_limited",
                    f"GuideLLM says: {seen[:300]}"
                    if isinstance(seen, str)
                    else "GuideLLM was late in making requests.",
                    "The client's own delays are among the latencies, and less load was sent than asked.",
                    "Measure again with more worker processes, or with prompts made beforehand.",
                ),
            )
    return ()


def _pass_over(benchmark: Fields) -> None:
    """Pass over the rest of a benchmark, which is known and says how it ran."""
    benchmark.passed_over(*KNOWN_BENCHMARK)
    benchmark.fields("request_loader").passed_over("type_", "data_args", "processor", "processor_args")
    for key in ("args", "config"):
        benchmark.fields(key).passed_over(*KNOWN_RUN)
