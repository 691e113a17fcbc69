"""inference-perf reports, stage_<N>_lifecycle_metrics.json (kubernetes-sigs/inference-perf 0.7).

Every time in the file is in seconds, though the tool's documents say ms; the library has ms. Over the successes of a
stage, with n output tokens a request:

    time_to_first_token              ttft_ms    first chunk with content - request sent (reasoning is ignored)
    time_per_output_token            tpot_ms    (last token - first token) / (n - 1), for each request
    normalized_time_per_output_token ntpot_ms   request latency / n: the wait for the first token is inside
    inter_token_latency              itl_ms     gaps between chunks, pooled: percentiles describe packets, not decoding
    request_latency                  e2el_ms    end - start
    throughput.*_per_sec             tokens of the successes / the stage's benchmark_time_seconds

Interactivity follows from tpot_ms in the library; from ntpot_ms it would be off by a factor of 4.25 in a public file.
A stage is a result. The summary mixes all stages and the Prometheus variant describes other requests than the load's,
so neither is one. Model, lengths and the kind of load stand in config.yaml, beside the stages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bench import names
from bench.errors import InputError
from bench.formats.plausibility import no_more_than_all
from bench.formats.reading import (
    MOST_WHOLE,
    WELL,
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    companion,
    document,
    finished,
)
from bench.records import Deployment, Flag, Load, Point, Refusal, Workload

NAME = "inference_perf"
TITLE = "inference-perf report"
SOURCE = "inference-perf"

REPORT = KeyShape(("load_summary", "successes", "failures"), ("object",), specificity=4)

STATISTICS = {
    "mean": "mean",
    "median": "p50",
    "std_dev": "std",
    "min": "min",
    "max": "max",
    "p0.1": "p0_1",
    "p99.9": "p99_9",
    **{f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 75, 90, 95, 99)},
}
LATENCIES = {
    "time_to_first_token": ("ttft_ms", f"as catalogue, but reasoning is not looked at, {WELL}"),
    "time_per_output_token": ("tpot_ms", f"(last token - first token) / (output tokens - 1) per request, {WELL}"),
    "normalized_time_per_output_token": ("ntpot_ms", f"as catalogue, {WELL}"),
    "inter_token_latency": ("itl_ms", f"gaps between chunks, pooled {WELL}"),
    "request_latency": ("e2el_ms", f"as catalogue, {WELL}"),
}
RATES = {
    "output_tokens_per_sec": "output_tokens_per_s",
    "input_tokens_per_sec": "input_tokens_per_s",
    "total_tokens_per_sec": "total_tokens_per_s",
    "requests_per_sec": "requests_per_s",
}
ARRIVALS = {"constant": "constant", "poisson": "poisson"}
LATE_SHARE = 0.05
"""Beyond this share of the mean TTFT the client's own schedule was late enough to be told, as in our own sweeps."""
STAGE = re.compile(r"stage_(\d{1,6})_lifecycle_metrics\.json")
BESIDE = (
    "summary_lifecycle_metrics.json",
    "per_request_lifecycle_metrics.json",
    "validation.json",
    "summary_prometheus_metrics.json",
    "summary_session_lifecycle_metrics.json",
)

recognises = by_keys(REPORT)
"""Whether the file has a lifecycle report's parts; the Prometheus variant is known by its own, and no result."""


def companions(path: Path) -> tuple[Path, ...]:
    """config.yaml, the stage's own other files, and with the first stage what is about all of them."""
    found = STAGE.fullmatch(path.name)
    if found is None:
        return tuple(_there(path.parent / "config.yaml"))
    number = int(found[1])
    own = [f"stage_{number}_prometheus_metrics.json", f"inference-perf.partial.stage_{number}.yaml", "config.yaml"]
    stages = [int(match[1]) for one in path.parent.iterdir() if (match := STAGE.fullmatch(one.name))]
    shared = BESIDE if number == min(stages, default=number) else ()
    return tuple(there for name in (*own, *shared) for there in _there(path.parent / name))


def _there(path: Path) -> list[Path]:
    return [path] if path.is_file() else []


def read(file: SourceFile) -> Reading:
    """The stage as one point; InputError for a summary, for Prometheus figures and for a stage without a request."""
    stage = Fields(file.name, document.loaded(file))
    load_summary, successes, failures = (stage.fields(key) for key in ("load_summary", "successes", "failures"))
    ok, failed = successes.number("count"), failures.number("count")
    if not ok and not failed and "count" in successes:
        raise InputError(f"{file.name} has no request, so there is nothing to compare.")
    if "latency" not in successes and "count" not in successes:
        raise InputError(
            f"{file.name} holds what Prometheus saw, which are other requests than the load's; import "
            "stage_<N>_lifecycle_metrics.json."
        )
    if "send_duration" not in load_summary and "requested_rate" not in load_summary:
        raise InputError(
            f"{file.name} is the summary, which mixes all stages; import stage_<N>_lifecycle_metrics.json."
        )
    no_more_than_all(
        file.name, {"successes.count": ok, "failures.count": failed}, "load_summary.count", load_summary.number("count")
    )
    refused: list[Refusal] = []
    config = companion(file, "config.yaml", refused)
    figures = MetricCollector(
        NAME, None, window="the whole stage, ramp and tail included", token_source=_counted(config)
    )
    metrics = _metrics(figures.of_point(), stage, successes, failures)
    point = Point(
        _deployment(config),
        _workload(successes, config),
        _load(load_summary, config),
        metrics,
        "stage",
        SOURCE,
        harness=SOURCE,
        flags=_late(load_summary, metrics),
    )
    stage.passed_over("version")
    return finished(file, [point], figures, fields=[stage], refusals=refused)


def _metrics(metrics: PointMetrics, stage: Fields, successes: Fields, failures: Fields) -> PointMetrics:
    metrics.file("duration_s", stage.number("benchmark_time_seconds"), unit="s")
    rates = successes.fields("throughput")
    for name, key in RATES.items():
        metrics.file(key, rates.number(name), definition="of the successes / the stage's duration")
    rates.passed_over("images_per_sec", "videos_per_sec", "audios_per_sec")
    latency = successes.fields("latency")
    for name, (base, definition) in LATENCIES.items():
        if name not in latency:
            latency.passed_over(name)
            continue
        metrics.file_statistics(base, latency.fields(name), STATISTICS, unit="s", factor=1000, definition=definition)
    for name, key in (("prompt_tokens", "input_tokens"), ("output_tokens", "output_tokens")):
        if name in successes:
            metrics.file(key, _total(successes, name))
    metrics.file_failures(failures.number("count"), successes.number("count"))
    failures.passed_over("request_latency", "prompt_tokens", "prompt_len", "by_label")
    successes.passed_over(
        "request_size_bytes",
        "image",
        "video",
        "audio",
        "token_count_mismatches",
        "client_fallback_requests",
        "goodput_metrics",
        "prompt_len",
        "output_len",
        "prompt_tokens",
        "output_tokens",
    )
    return metrics


def _total(successes: Fields, name: str) -> float | None:
    lengths = Fields(successes.file, successes.raw(name), successes.place(name))
    return lengths.number("total")


def _mean(successes: Fields, *keys: str) -> float | None:
    """The mean of the first of these distributions that is there; older versions call them by other names."""
    for key in keys:
        if key in successes:
            return Fields(successes.file, successes.raw(key), successes.place(key)).number("mean")
    return None


def _counted(config: Fields) -> str | None:
    lifecycle = config.fields("report").fields("request_lifecycle")
    by_server = lifecycle.truth("use_server_output_tokens")
    return None if by_server is None else "server's usage" if by_server else "the tool's tokenizer"


def _deployment(config: Fields) -> Deployment:
    server = config.fields("server")
    model, engine = server.text("model_name"), server.text("type")
    return Deployment(
        model=names.model_slug(model) if model else None,
        checkpoint=model,
        engine=names.engine_slug(engine) if engine else None,
    )


def _workload(successes: Fields, config: Fields) -> Workload:
    data = config.fields("data")
    return Workload(
        isl_requested=_constant(data.fields("input_distribution")),
        osl_requested=_constant(data.fields("output_distribution")),
        isl_actual=_mean(successes, "prompt_tokens", "prompt_len"),
        osl_actual=_mean(successes, "output_tokens", "output_len"),
        dataset=data.text("type"),
    )


def _constant(distribution: Fields) -> int | None:
    """The length every request was to have; None where lengths were drawn, or not stated."""
    least, most, mean = (distribution.number(key) for key in ("min", "max", "mean"))
    fixed = distribution.number("std_dev") == 0 or (least is not None and least == most)
    return round(mean) if mean is not None and fixed and 1 <= mean <= MOST_WHOLE else None


def _load(summary: Fields, config: Fields) -> Load:
    kind = config.fields("load").text("type")
    concurrency, rate = summary.count("concurrency"), summary.number("requested_rate")
    summary.passed_over("count", "achieved_rate", "send_duration", "schedule_delay")
    if kind == "concurrent" or (kind is None and concurrency):
        return Load("closed", concurrency=concurrency) if concurrency else Load("unknown")
    if rate and not concurrency:
        return Load("open", request_rate=rate, arrivals=ARRIVALS.get(kind or ""))
    return Load("unknown")


def _late(summary: Fields, metrics: Mapping[str, float]) -> tuple[Flag, ...]:
    """The flag that an open load was sent behind its schedule; in a closed loop the schedule says nothing."""
    if "schedule_delay" not in summary or "concurrency" in summary:
        return ()
    delay = Fields(summary.file, summary.raw("schedule_delay"), summary.place("schedule_delay")).number("mean")
    ttft = metrics.get("ttft_ms_mean")
    if delay is None or ttft is None or delay * 1000 <= LATE_SHARE * ttft:
        return ()
    return (
        Flag(
            "client_limited",
            f"Requests were sent {delay * 1000:,.0f} ms behind their schedule on average.",
            "Latencies count from the time of sending, so the wait before it is missing from them.",
            "Measure again with more workers, or with a lower rate.",
        ),
    )
