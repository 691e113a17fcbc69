"""genai-bench runs (sgl-project/genai-bench 0.0.5): one file for each level, experiment_metadata.json beside them.

Times are in the unit that the run asked for (`_time_unit` in the file, `metrics_time_unit` in the metadata), s or ms;
where neither says which, the file is refused. Over the requests that ended well, with n output tokens a request:

    ttft         ttft_ms   first chunk with content - request begun: each opens a connection, which is inside
    tpot         tpot_ms   (end - first chunk) / (n - 1); left out by the tool where the output took under 1 ms
    e2e_latency  e2el_ms   end - request begun; end is when the trailing chunk with the usage has come
    mean_output_throughput_tokens_per_s, and of input and total: sums over those requests / run_duration

Warm-up and cool-down ratios leave requests out of the sums but not their time out of run_duration, so such a
throughput is too low and carries a flag. Accelerator and number are what the person who ran it typed in; the number is
one of chips where the accelerator is known to have one device to a chip, and is left out where nobody can tell.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench import names
from bench.errors import InputError
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
    companion,
    document,
    finished,
)
from bench.records import Deployment, Flag, Load, Point, Refusal, Workload

NAME = "genai_bench"
TITLE = "genai-bench run"
SOURCE = "genai-bench"
METADATA = "experiment_metadata.json"

RUN = KeyShape(
    ("aggregated_metrics.stats", "aggregated_metrics.run_duration", "aggregated_metrics.scenario"), specificity=5
)

FACTORS = {"s": 1000.0, "ms": 1.0}
STATISTICS = {
    "mean": "mean",
    "stddev": "std",
    "min": "min",
    "max": "max",
    **{f"p{n}": f"p{n}" for n in (25, 50, 75, 90, 95, 99)},
}
LATENCIES = {
    "ttft": ("ttft_ms", f"first chunk with content - request begun, opening its connection included, {WELL}"),
    "tpot": (
        "tpot_ms",
        "(end - first chunk) / (output tokens - 1), the wait for the trailing usage chunk inside; requests whose "
        f"output took under 1 ms are left out, {WELL}",
    ),
    "e2e_latency": (
        "e2el_ms",
        "end - request begun, opening its connection and the wait for the trailing usage chunk included, " + WELL,
    ),
}
RATES = {
    "mean_output_throughput_tokens_per_s": "output_tokens_per_s",
    "mean_input_throughput_tokens_per_s": "input_tokens_per_s",
    "mean_total_tokens_throughput_tokens_per_s": "total_tokens_per_s",
    "requests_per_second": "requests_per_s",
}
KNOWN_STATS = (
    "output_latency output_inference_speed num_reasoning_tokens total_tokens input_throughput output_throughput "
    "audio_throughput".split()
)
FIXED = re.compile(r"D\((\d{1,9}),\s*(\d{1,9})\)")

recognises = by_keys(RUN)
"""Whether the file is a level's run."""


def companions(path: Path) -> tuple[Path, ...]:
    """The experiment's metadata beside the run."""
    beside = path.parent / METADATA
    return (beside,) if beside.is_file() and path.name != METADATA else ()


def read(file: SourceFile) -> Reading:
    """The level as one point; InputError where no unit of time is stated."""
    run = Fields(file.name, document.loaded(file))
    stated, refused = run.fields("aggregated_metrics"), list[Refusal]()
    metadata = companion(file, METADATA, refused)
    factor = _factor(run, metadata, refused)
    version = metadata.text("benchmark_version")
    figures = MetricCollector(
        NAME, version, window="the whole run, ramp and tail included", token_source="server's usage"
    )
    point = Point(
        _deployment(metadata),
        _workload(stated, metadata),
        _load(stated),
        _metrics(figures.of_point(), stated, factor),
        "aggregated_metrics",
        SOURCE,
        harness=SOURCE,
        harness_version=version,
        flags=_cut_window(metadata),
    )
    run.passed_over("individual_request_metrics")
    return finished(file, [point], figures, fields=[run], refusals=refused)


def _factor(run: Fields, metadata: Fields, refused: list[Refusal]) -> float:
    """Milliseconds in the file's unit of time."""
    unit = run.text("_time_unit") or metadata.text("metrics_time_unit")
    if unit is None and refused:
        raise InputError(
            f"{run.file} does not say whether its times are in s or ms, and {METADATA} beside it cannot be read; "
            "mend that one."
        )
    if unit is None:
        raise InputError(
            f"{run.file} does not say whether its times are in s or ms; import it with {METADATA} beside it."
        )
    if unit not in FACTORS:
        raise InputError(f"The unit of time of {run.file} is {unit!r}; expected s or ms.")
    return FACTORS[unit]


def _metrics(metrics: PointMetrics, stated: Fields, factor: float) -> PointMetrics:
    unit = "s" if factor > 1 else "ms"
    metrics.file("duration_s", stated.number("run_duration"), unit="s")
    for name, key in RATES.items():
        metrics.file(key, stated.number(name), definition="sum over the successes / run_duration")
    stats = stated.fields("stats")
    for name, (base, definition) in LATENCIES.items():
        values = stats.fields(name)
        metrics.file_statistics(base, values, STATISTICS, unit=unit, factor=factor, definition=definition)
        values.passed_over("sum")
    metrics.file("input_tokens", stats.fields("num_input_tokens").number("sum"))
    metrics.file("output_tokens", stats.fields("num_output_tokens").number("sum"))
    failed, ok = stated.number("num_error_requests"), stated.number("num_completed_requests")
    no_more_than_all(
        stated.file,
        {"num_completed_requests": ok, "num_error_requests": failed},
        "num_requests",
        stated.number("num_requests"),
    )
    metrics.file_failures(failed, ok)
    for name in ("num_input_tokens", "num_output_tokens"):
        stats.fields(name).passed_over(*STATISTICS, "sum")
    stats.passed_over(*KNOWN_STATS)
    stated.passed_over("error_codes_frequency", "error_rate")
    return metrics


def _deployment(metadata: Fields) -> Deployment:
    model = metadata.text("model") or metadata.text("api_model_name")
    engine, chip = metadata.text("server_engine"), metadata.text("server_gpu_type")
    slug = names.accelerator_slug(chip) if chip else None
    count = _count(metadata)
    # A name that is not known may be of a chip with two devices, and a machine's may have been counted by machines.
    chips = names.one_device_a_chip(slug) and not names.is_machine(chip or "")
    return Deployment(
        model=names.model_slug(model) if model else None,
        checkpoint=model,
        engine=names.engine_slug(engine) if engine else None,
        engine_version=metadata.text("server_version"),
        accelerator=slug,
        accelerators=count if chips else None,
    )


def _count(metadata: Fields) -> int | None:
    """The number of accelerators, which the command line passes on as a text."""
    said = metadata.raw("server_gpu_count")
    if isinstance(said, str) and said.strip().isascii() and said.strip().isdecimal() and len(said) < 9:
        return int(said) or None
    return metadata.count("server_gpu_count")


def _workload(stated: Fields, metadata: Fields) -> Workload:
    fixed = FIXED.fullmatch(stated.text("scenario") or "")
    stats = stated.fields("stats")
    return Workload(
        isl_requested=int(fixed[1]) or None if fixed else None,
        osl_requested=int(fixed[2]) or None if fixed else None,
        isl_actual=stats.fields("num_input_tokens").number("mean"),
        osl_actual=stats.fields("num_output_tokens").number("mean"),
        dataset=metadata.text("task"),
    )


def _load(stated: Fields) -> Load:
    kind = stated.text("iteration_type")
    concurrency, batch = stated.count("num_concurrency"), stated.count("batch_size")
    if kind == "batch_size" and batch:
        return Load("batch", batch=batch)
    return Load("closed", concurrency=concurrency) if concurrency else Load("unknown")


def _cut_window(metadata: Fields) -> tuple[Flag, ...]:
    ratios = [metadata.number(key) or 0 for key in ("warmup_ratio", "cooldown_ratio")]
    if not any(ratios):
        return ()
    return (
        Flag(
            "throughput_low",
            f"{sum(ratios):.0%} of the requests were left out as warm-up or cool-down, their time was not.",
            "The throughput is divided by the time of the whole run, so it is lower than what was served.",
            "Compare latencies only, or measure again without the ratios.",
        ),
    )
