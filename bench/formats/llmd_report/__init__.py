"""Benchmark Reports of llm-d, versions 0.1, 0.2 and 0.2.1, in YAML or JSON (llm-d-benchmark, benchmark_report).

Every statistic carries its unit and is read by it; a unit that the schema has not is refused. A report restates what
a tool measured under names of its own, so what a name means depends on the tool that scenario.load names:

    time_per_output_token             tpot_ms; of GuideLLM ntpot_ms, since its TPOT has the first token's wait inside
    inter_token_latency               itl_ms, gaps between chunks; of GuideLLM and AIPerf tpot_ms
    normalized_time_per_output_token  ntpot_ms
    time_to_first_token, request_latency   ttft_ms, e2el_ms
    input_, output_, total_token_rate, request_rate   rates, their mean
    requests.total                    with failures and incomplete among them; the latter were still under way at the
                                      end, neither ended well nor failed, and are told in the note
    run.time.duration                 of the whole experiment: duration_s only where requests / duration is request_rate

An inference engine's accelerator.count is of one replica (tp x dp_local in the tool's converter) and so counts devices:
the number of chips stays open unless the accelerator is known to have one to a chip. A zero latency stands for none.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from bench.errors import InputError
from bench.formats.llmd_report.own_fields import beside
from bench.formats.llmd_report.stack import UNKNOWN, deployment_of, known
from bench.formats.plausibility import no_more_than_all
from bench.formats.reading import (
    AS_CATALOGUE,
    MOST_WHOLE,
    WELL,
    Fields,
    MetricCollector,
    PointMetrics,
    Reading,
    Recognition,
    SourceFile,
    document,
    finished,
)
from bench.records import Deployment, Load, Point, Workload

NAME = "llmd_report"
TITLE = "llm-d Benchmark Report"
SOURCE = "llm-d-benchmark"
RecordPart = TypeVar("RecordPart", Deployment, Workload, Load)
LATENCIES = ("ttft", "e2el", "tpot", "itl", "ntpot")

VERSIONS = ("0.1", "0.2", "0.2.1")
FACTORS = {"s": 1000.0, "s/token": 1000.0, "ms": 1.0, "ms/token": 1.0}
QUERIES, TOKENS, COUNT = "queries/s", "tokens/s", "count"
"""The one unit that the schema has for a rate of requests, for one of tokens, and for a length."""

LONGEST_DURATION = 40
SAME_WINDOW = 0.01
"""Requests over an experiment's duration are their rate to so much where that duration is the measurement window."""

DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
STATISTICS = {
    "mean": "mean",
    "stddev": "std",
    "min": "min",
    "max": "max",
    "p0p1": "p0_1",
    "p99p9": "p99_9",
    **{f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)},
}
SAME = {
    "time_to_first_token": ("ttft_ms", AS_CATALOGUE),
    "request_latency": ("e2el_ms", AS_CATALOGUE),
    "normalized_time_per_output_token": ("ntpot_ms", AS_CATALOGUE),
}
BY_TOOL = {
    "guidellm": {
        "time_per_output_token": ("ntpot_ms", "GuideLLM's TPOT: (last token - request start) / output tokens"),
        "inter_token_latency": ("tpot_ms", "GuideLLM's ITL: (last token - first token) / (output tokens - 1)"),
    },
    "aiperf": {
        "time_per_output_token": ("tpot_ms", AS_CATALOGUE),
        "inter_token_latency": ("tpot_ms", "AIPerf's ITL: (latency - TTFT) / (output tokens - 1)"),
    },
}
OTHERS = {
    "time_per_output_token": ("tpot_ms", "as the tool that measured it computes TPOT"),
    "inter_token_latency": ("itl_ms", "as the tool that measured it computes ITL"),
}
OVER_SUCCESSES = frozenset(
    "guidellm aiperf inference-perf vllm-benchmark vllm-bench inferencemax sglang-bench genai-bench kneepoint".split()
)
"""Tools whose own latencies are over the requests that ended well; what others do with the failed is not known."""
RATES = {
    "output_token_rate": "output_tokens_per_s",
    "input_token_rate": "input_tokens_per_s",
    "total_token_rate": "total_tokens_per_s",
    "request_rate": "requests_per_s",
    "output_tokens_per_sec": "output_tokens_per_s",
    "input_tokens_per_sec": "input_tokens_per_s",
    "total_tokens_per_sec": "total_tokens_per_s",
    "requests_per_sec": "requests_per_s",
}


def recognises(file: SourceFile) -> Recognition:
    """Whether the file has a report's version and parts."""
    outline, version = file.outline, str(file.outline.first.get("version", ""))
    parts = "results" if version != "0.1" else "metrics"
    wanted = ("run", "results") if version != "0.1" else ("scenario", "metrics")
    if version in VERSIONS and not outline.lacks(*wanted) and outline.kind in ("yaml", "object"):
        return Recognition(3, f"version {version} with {parts}")
    return Recognition(0, f"it lacks a version of {', '.join(VERSIONS)} with run and results")


def read(file: SourceFile) -> Reading:
    """The report as one point; InputError where it has no latency and no throughput of requests."""
    report = Fields(file.name, document.loaded(file))
    facts = said_in(report)
    metrics = facts.metrics
    if not any(key.startswith(LATENCIES) or key.endswith("_per_s") for key in metrics):
        raise InputError(f"{file.name} has neither a latency nor a throughput of requests.")
    point = Point(
        deployment=facts.deployment,
        workload=facts.workload,
        load=facts.load,
        metrics=metrics,
        locator="results" if facts.version != "0.1" else "metrics",
        source=SOURCE,
        harness=facts.harness,
        harness_version=facts.harness_version,
        date=_date(report),
        repeat=facts.repeat,
        note=_note(facts.incomplete),
    )
    return finished(file, [point], metrics.collector, fields=[report])


@dataclass(frozen=True)
class ReportFacts:
    """What a report says of the one point it holds, before anybody judges it."""

    version: str | None
    deployment: Deployment
    workload: Workload
    load: Load
    harness: str | None
    harness_version: str | None
    repeat: int | None
    metrics: PointMetrics
    incomplete: int | None


def said_in(report: Fields) -> ReportFacts:
    """What this report says; InputError where it is of something else, or a value is not what it must be."""
    version = report.text("version")
    scenario = report.fields("scenario")
    measured = _measured(report, version)
    if measured is None:
        raise InputError(f"{report.file} has no request performance; it may be a report of something else.")
    more = beside(scenario)
    stated, tool = _stated_load(scenario, version)
    harness = more.get("harness", tool)
    figures = MetricCollector(NAME, version, window="as the tool has it", token_source=None)
    requests = measured.fields("requests")
    metrics = _metrics(figures.of_point(), report, measured, names_of(harness), version)
    report.passed_over("run", "metadata")
    return ReportFacts(
        version=version,
        deployment=_with(deployment_of(scenario, version), more),
        workload=_with(_workload(stated, requests), more),
        load=_with(_load(stated), more),
        harness=harness,
        harness_version=more.get("harness_version", known(stated, "tool_version")),
        repeat=more.get("repeat"),
        metrics=metrics,
        incomplete=requests.whole("incomplete"),
    )


def names_of(tool: str | None) -> dict[str, tuple[str, str]]:
    """Every latency that a report of this tool has: the schema's name -> the base metric and its definition."""
    named = (tool or "").lower()
    over = f", {WELL}" if named in OVER_SUCCESSES else ""
    known = {**SAME, **BY_TOOL.get(named, OTHERS)}
    return {name: (base, definition + over) for name, (base, definition) in known.items()}


def _with(record: RecordPart, more: Mapping[str, Any]) -> RecordPart:
    """The record with what is stated beside the schema; a load has a kind, whatever is."""
    own = {field.name: more[field.name] for field in fields(record) if field.name in more}
    if own.get("load_kind", "") is None:
        own["load_kind"] = "unknown"
    return replace(record, **own)


def _measured(report: Fields, version: str | None) -> Fields | None:
    """The part with requests, latency and throughput."""
    if version == "0.1":
        return report.fields("metrics")
    results = report.fields("results")
    results.passed_over("session_performance", "observability", "profiling", "component_health")
    performance = results.fields("request_performance")
    performance.passed_over("time_series")
    return performance.fields("aggregate") if "aggregate" in performance else None


def _stated_load(scenario: Fields, version: str | None) -> tuple[Fields, str | None]:
    """What is said of the load, and the tool that made it, lower case."""
    load = scenario.fields("load")
    if version == "0.1":
        tool = load.text("name")
        load.passed_over("type", "args", "metadata")
        return Fields(load.file, {}, "scenario.load"), tool.lower() if tool else None
    load.passed_over("metadata", "native")
    stated = load.fields("standardized")
    tool = known(stated, "tool")
    stated.passed_over("parallelism", "stage", "prefix", "multi_turn")
    return stated, tool.lower() if tool else None


def _metrics(
    metrics: PointMetrics, report: Fields, measured: Fields, named: dict[str, tuple[str, str]], version: str | None
) -> PointMetrics:
    latency = measured.fields("latency")
    for name, (base, definition) in named.items():
        if name in latency:
            _file_statistics(metrics, base, latency.fields(name), definition)
    _file_rates(metrics, measured.fields("throughput"), version)
    requests = measured.fields("requests")
    total, failed, incomplete = (requests.number(key) for key in ("total", "failures", "incomplete"))
    no_more_than_all(requests.file, {"requests.failures": failed}, "requests.total", total)
    ok = total - failed - (incomplete or 0) if total is not None and failed is not None else None
    metrics.file_failures(failed, ok if ok is not None and ok >= 0 else None)
    measured.passed_over("service", "resources", "description", "metadata")
    requests.passed_over("request_size", "multimodal")
    if version == "0.1":
        time = measured.fields("time")
        metrics.file("duration_s", time.number("duration"), unit="s")
        time.passed_over("start", "stop", "metadata")
    else:
        metrics.file("duration_s", _window(report, metrics), unit="s")
    return metrics


def _file_rates(metrics: PointMetrics, rates: Fields, version: str | None) -> None:
    for name, key in RATES.items():
        if name not in rates:
            continue
        unit = QUERIES if key == "requests_per_s" else TOKENS
        rate = rates.number(name) if version == "0.1" else _mean(rates.fields(name), unit)
        metrics.file(key, rate, unit=unit, definition="as the tool that measured it has it")
    rates.passed_over("image_rate", "video_rate", "audio_rate")


def _mean(values: Fields, unit: str) -> float | None:
    """The mean of a statistic for which the schema has this unit alone."""
    mean = values.number("mean")
    if mean is not None and values.text("units") != unit:
        raise values.unfit("units", values.raw("units"), unit)
    values.passed_over("units", "mode", *STATISTICS)
    return mean


def _window(report: Fields, metrics: dict[str, float]) -> float | None:
    """How long was measured, in seconds; None where the experiment took longer than what its rate is over."""
    ok, rate = metrics.get("requests_ok"), metrics.get("requests_per_s")
    said = _time(report).get("duration")
    found = DURATION.fullmatch(said) if isinstance(said, str) and len(said) < LONGEST_DURATION else None
    if found is None or not ok or not rate:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    whole = hours * 3600 + minutes * 60 + seconds
    return whole if abs(whole * rate / ok - 1) <= SAME_WINDOW else None


def _file_statistics(metrics: PointMetrics, base: str, values: Fields, definition: str) -> None:
    unit = values.text("units")
    if unit not in FACTORS:
        raise values.unfit("units", unit, f"one of {', '.join(FACTORS)}")
    metrics.file_statistics(base, values, STATISTICS, unit=unit, factor=FACTORS[unit], definition=definition)
    values.passed_over("mode")


def _workload(stated: Fields, requests: Fields) -> Workload:
    lengths = {}
    for name, key in (("input_seq_len", "isl"), ("output_seq_len", "osl")):
        fields = stated.fields(name)
        value = fields.number("value")
        fixed = fields.text("distribution") == "fixed" and value is not None and 1 <= value <= MOST_WHOLE
        lengths[f"{key}_requested"] = round(value) if fixed and value is not None else None
        fields.passed_over("std_dev", "min", "max")
    source = stated.text("source")
    return Workload(
        isl_requested=lengths["isl_requested"],
        osl_requested=lengths["osl_requested"],
        isl_actual=_mean(requests.fields("input_length"), COUNT),
        osl_actual=_mean(requests.fields("output_length"), COUNT),
        dataset=source if source and source != UNKNOWN else None,
    )


def _load(stated: Fields) -> Load:
    rate, asked = stated.number("rate_qps"), stated.number("concurrency", infinite=True)
    concurrency = stated.count("concurrency") if asked is not None and asked != float("inf") else None
    if concurrency and not rate:
        return Load("closed", concurrency=concurrency)
    return Load("open", request_rate=rate) if rate and not concurrency else Load("unknown")


def _note(incomplete: int | None) -> str | None:
    if not incomplete:
        return None
    return f"{incomplete:,} requests were still under way at the end; they count neither as good nor as failed."


def _time(report: Fields) -> dict[str, object]:
    """What the report says of when and how long it ran; nothing where that is no object."""
    run = report.raw("run")
    time = run.get("time") if isinstance(run, dict) else None
    return time if isinstance(time, dict) else {}


def _date(report: Fields) -> datetime.date | None:
    """The day the run began; None where no time is stated, or none that is one."""
    time = _time(report)
    said = time.get("start") or time.get("end")
    try:
        return datetime.datetime.fromisoformat(said).date() if isinstance(said, str) else None
    except ValueError:
        return None
