"""Benchmark Reports of llm-d, versions 0.1, 0.2 and 0.2.1, in YAML or JSON (llm-d-benchmark, benchmark_report).

Every statistic carries its unit, s or ms, and is read by it. A report restates what a tool measured under names of its
own, so what a name means depends on the tool that scenario.load names:

    time_per_output_token             tpot_ms; of GuideLLM ntpot_ms, since its TPOT has the first token's wait inside
    inter_token_latency               itl_ms, gaps between chunks; of GuideLLM and AIPerf tpot_ms
    normalized_time_per_output_token  ntpot_ms
    time_to_first_token, request_latency   ttft_ms, e2el_ms
    input_, output_, total_token_rate, request_rate   rates, their mean
    requests.total                    with failures and incomplete among them

An inference engine's accelerator.count is of one replica (tp x dp_local in the tool's converter) and so counts devices:
the number of chips stays open unless the accelerator is known to have one to a chip. A zero latency stands for none.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import names
from bench.errors import InputError
from bench.formats import Recognition
from bench.formats.foreign import document, soundness
from bench.formats.foreign.fields import MOST_WHOLE, Fields
from bench.formats.foreign.figures import AS_CATALOGUE, Figures, failures_flag, file_failures
from bench.formats.foreign.lengths import judged
from bench.records import Deployment, Load, Point, Workload

if TYPE_CHECKING:
    from bench.formats.reading import Reading, SourceFile

NAME = "llmd_report"
TITLE = "llm-d Benchmark Report"
SOURCE = "llm-d-benchmark"

VERSIONS = ("0.1", "0.2", "0.2.1")
FACTORS = {"s": 1000.0, "s/token": 1000.0, "ms": 1.0, "ms/token": 1.0}
STATISTICS = {"mean": "mean", "stddev": "std", "min": "min", "max": "max", "p0p1": "p0_1", "p99p9": "p99_9",
              **{f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)}}  # fmt: skip
SAME = {
    "time_to_first_token": ("ttft_ms", AS_CATALOGUE),
    "request_latency": ("e2el_ms", AS_CATALOGUE),
    "normalized_time_per_output_token": ("ntpot_ms", AS_CATALOGUE),
}
BY_TOOL = {
    "guidellm": {
        "time_per_output_token": (
            "ntpot_ms",
            "GuideLLM's TPOT: (last token - request start) / output tokens",
        ),
        "inter_token_latency": (
            "tpot_ms",
            "GuideLLM's ITL: (last token - first token) / (output tokens - 1)",
        ),
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
RATES = {
    "output_token_rate": "output_tokens_per_s", "input_token_rate": "input_tokens_per_s",
    "total_token_rate": "total_tokens_per_s", "request_rate": "requests_per_s",
    "output_tokens_per_sec": "output_tokens_per_s", "input_tokens_per_sec": "input_tokens_per_s",
    "total_tokens_per_sec": "total_tokens_per_s", "requests_per_sec": "requests_per_s",
}  # fmt: skip
LAYOUT = ("tp", "pp", "dp", "ep")
UNKNOWN = "unknown"
ENGINE_KNOWN_IN_PART = "kneepoint-engine"
"""The label of the generic component in which Kneepoint's export has an engine of which the schema wants more."""


@dataclass(frozen=True)
class Engine:
    """What a report says of the instances of one engine; `count` is of one of them."""

    role: str | None
    model: str | None
    engine: str | None
    version: str | None
    accelerator: str | None
    count: int | None
    replicas: int
    layout: dict[str, int]
    precision: str | None = None


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
    from bench.formats.reading import Reading, points_table

    report = Fields(file.name, document.loaded(file))
    version = report.text("version")
    scenario = report.fields("scenario")
    measured = _measured(report, version)
    if measured is None:
        raise InputError(f"{file.name} has no request performance; it may be a report of something else.")
    stated, tool = _stated_load(scenario, version)
    tool_version = _known(stated, "tool_version")
    figures = Figures(NAME, version, window="as the tool has it", token_source=None)
    metrics = _metrics(figures, report, measured, BY_TOOL.get(tool or "", OTHERS), version)
    if not any(key.startswith(("ttft", "e2el", "tpot")) or key.endswith("_per_s") for key in metrics):
        raise InputError(f"{file.name} has neither a latency nor a throughput of requests.")
    load = _load(stated)
    soundness.check(file.name, "the report", metrics, concurrency=load.concurrency)
    point = Point(
        deployment=_deployment(list(_engines(scenario, version))),
        workload=_workload(stated, measured.fields("requests")),
        load=load,
        metrics=metrics,
        locator="results" if version != "0.1" else "metrics",
        source=SOURCE,
        evidence="measured",
        origin="imported",
        harness=tool,
        harness_version=tool_version,
        date=_date(report),
        flags=failures_flag(metrics.get("requests_failed"), metrics.get("requests_ok")),
    )
    report.passed_over("run", "metadata")
    return Reading(NAME, points_table(judged([point])), passports=figures.passports(), tool_version=version,
                   not_understood=report.not_understood())  # fmt: skip


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
    tool = _known(stated, "tool")
    stated.passed_over("parallelism", "stage", "prefix", "multi_turn")
    return stated, tool.lower() if tool else None


def _metrics(
    figures: Figures,
    report: Fields,
    measured: Fields,
    by_tool: dict[str, tuple[str, str]],
    version: str | None,
) -> dict[str, float]:
    metrics: dict[str, float] = {}
    latency = measured.fields("latency")
    for name, (base, definition) in {**SAME, **by_tool}.items():
        if name in latency:
            _file_statistics(figures, metrics, base, latency.fields(name), definition)
    rates = measured.fields("throughput")
    for name, key in RATES.items():
        if name not in rates:
            continue
        rate = rates.fields(name).number("mean") if version != "0.1" else rates.number(name)
        if version != "0.1":
            rates.fields(name).passed_over("units", "mode", *STATISTICS)
        figures.file(metrics, key, rate, definition="as the tool that measured it has it")
    rates.passed_over("image_rate", "video_rate", "audio_rate")
    requests = measured.fields("requests")
    total, lost = requests.number("total"), [requests.number(key) for key in ("failures", "incomplete")]
    failed = sum(count for count in lost if count is not None) if lost[0] is not None else None
    ok = total - failed if total is not None and failed is not None and failed <= total else None
    file_failures(figures, metrics, failed, ok)
    measured.passed_over("service", "resources", "description", "metadata")
    requests.passed_over("request_size", "multimodal")
    seconds = None
    if version == "0.1":
        time = measured.fields("time")
        seconds = time.number("duration")
        time.passed_over("start", "stop", "metadata")
    figures.file(metrics, "duration_s", seconds, unit="s")
    return metrics


def _file_statistics(
    figures: Figures, metrics: dict[str, float], base: str, values: Fields, definition: str
) -> None:
    unit = values.text("units")
    if unit not in FACTORS:
        raise values.unfit("units", unit, f"one of {', '.join(FACTORS)}")
    figures.file_statistics(
        metrics, base, values, STATISTICS, unit=unit, factor=FACTORS[unit], definition=definition
    )
    values.passed_over("mode")


def _engines(scenario: Fields, version: str | None) -> Iterator[Engine]:
    if version == "0.1":
        yield from _engines_0_1(scenario)
        return
    for component in scenario.each("stack"):
        component.passed_over("metadata", "native")
        one = component.fields("standardized")
        if one.text("kind") != "inference_engine":
            one.passed_over(*one.keys())
            if component.fields("metadata").text("label") == ENGINE_KNOWN_IN_PART:
                yield _known_in_part(one)
            continue
        accelerator = one.fields("accelerator")
        layout = accelerator.fields("parallelism")
        yield Engine(
            one.text("role"), one.fields("model").text("name"), _known(one, "tool"), _known(one, "tool_version"),
            accelerator.text("model"), accelerator.count("count"), one.count("replicas") or 1,
            {key: value for key in LAYOUT if (value := layout.count(key))},
        )  # fmt: skip
        layout.passed_over("dp_local", "workers")


def _known(one: Fields, key: str) -> str | None:
    """A text that the schema wants; None where the report says that it is not known."""
    said = one.text(key)
    return None if said == UNKNOWN else said


def _known_in_part(one: Fields) -> Engine:
    """The generic component that Kneepoint's own export has where the schema's engine wants more than is known."""
    return Engine(
        None, one.text("model"), _known(one, "tool"), _known(one, "tool_version"), one.text("accelerator"), None, 1,
        {key: value for key in LAYOUT if (value := one.count(key))},
    )  # fmt: skip


def _engines_0_1(scenario: Fields) -> Iterator[Engine]:
    host, model = scenario.fields("host"), scenario.fields("model")
    name, precision = model.text("name"), model.text("quantization")
    model.passed_over("adapters", "metadata")
    host.passed_over("metadata")
    engines = list(scenario.fields("platform").each("engine"))
    hosts = list(host.each("accelerator"))
    roles = host.list("type")
    scenario.passed_over("description", "metadata")
    for engine in engines:
        engine.passed_over("args", "metadata")
    for place in range(max(len(hosts), min(len(engines), 1))):
        accelerator = hosts[place] if hosts else Fields(scenario.file, {}, "scenario.host.accelerator")
        serving = engines[place] if place < len(engines) else None
        layout = accelerator.fields("parallelism")
        role = roles[place] if place < len(roles) and isinstance(roles[place], str) else None
        yield Engine(
            role, name, serving.text("name") if serving else None, serving.text("version") if serving else None,
            accelerator.text("model"), accelerator.count("count"), 1,
            {key: value for key in LAYOUT if (value := layout.count(key))}, precision,
        )  # fmt: skip
        accelerator.passed_over("memory", "metadata")


def _deployment(engines: list[Engine]) -> Deployment:
    """What serves: one kind of engine, or those that prefill and those that decode."""
    if not engines:
        return Deployment()
    first = engines[0]
    chips = {names.accelerator_slug(one.accelerator) if one.accelerator else None for one in engines}
    chip = chips.pop() if len(chips) == 1 else None
    counts = [one.count * one.replicas if one.count is not None else None for one in engines]
    devices = sum(count for count in counts if count is not None) if None not in counts else None
    if devices is not None and devices > MOST_WHOLE:
        raise InputError(
            f"scenario states {devices:.3g} accelerators; expected a number of them that exists."
        )
    prefill = _role(engines, counts, "prefill")
    decode = _role(engines, counts, "decode")
    apart = prefill is not None and decode is not None
    layouts = {tuple(sorted(one.layout.items())) for one in engines}
    layout = first.layout if len(layouts) == 1 and not apart else {}
    countable = names.one_device_a_chip(chip)
    return Deployment(
        model=names.model_slug(first.model) if first.model else None,
        checkpoint=first.model,
        precision=first.precision.lower() if first.precision else None,
        engine=names.engine_slug(first.engine) if first.engine else None,
        engine_version=first.version,
        accelerator=chip,
        accelerators=devices if countable else None,
        devices=devices,
        disaggregated=apart or None,
        prefill_accelerators=prefill if apart and countable else None,
        decode_accelerators=decode if apart and countable else None,
        variant=f"{first.replicas} replicas" if len(engines) == 1 and first.replicas > 1 else None,
        tp=layout.get("tp"),
        pp=layout.get("pp"),
        dp=layout.get("dp"),
        ep=layout.get("ep"),
    )


def _role(engines: list[Engine], counts: list[int | None], role: str) -> int | None:
    """How many devices have this role; None where none has, or where a count is missing."""
    mine = [count for one, count in zip(engines, counts, strict=True) if one.role == role]
    known = [count for count in mine if count is not None]
    return sum(known) if mine and len(known) == len(mine) else None


def _workload(stated: Fields, requests: Fields) -> Workload:
    lengths = {}
    for name, key in (("input_seq_len", "isl"), ("output_seq_len", "osl")):
        asked = stated.fields(name)
        value = asked.number("value")
        fixed = asked.text("distribution") == "fixed" and value is not None and 1 <= value <= MOST_WHOLE
        lengths[f"{key}_requested"] = round(value) if fixed and value is not None else None
        asked.passed_over("std_dev", "min", "max")
    counted = {
        key: requests.fields(name) for name, key in (("input_length", "isl"), ("output_length", "osl"))
    }
    for one in counted.values():
        one.passed_over("units", "mode", *STATISTICS)
    source = stated.text("source")
    return Workload(
        isl_requested=lengths["isl_requested"],
        osl_requested=lengths["osl_requested"],
        isl_actual=counted["isl"].number("mean"),
        osl_actual=counted["osl"].number("mean"),
        dataset=source if source and source != UNKNOWN else None,
    )


def _load(stated: Fields) -> Load:
    rate, asked = stated.number("rate_qps"), stated.number("concurrency", infinite=True)
    concurrency = stated.count("concurrency") if asked is not None and asked != float("inf") else None
    if concurrency and not rate:
        return Load("closed", concurrency=concurrency)
    return Load("open", request_rate=rate) if rate and not concurrency else Load("unknown")


def _date(report: Fields) -> datetime.date | None:
    """The day the run began; None where no time is stated, or none that is one."""
    run = report.raw("run")
    time = run.get("time") if isinstance(run, dict) else None
    said = time.get("start") or time.get("end") if isinstance(time, dict) else None
    try:
        return datetime.datetime.fromisoformat(said).date() if isinstance(said, str) else None
    except ValueError:
        return None
