"""llmperf's `token_benchmark_ray.py`: a summary of one run, and beside it what became of each request.

Read: llmperf f1d6bed, `<name>_summary.json` (version "2023-08-31") with `<name>_individual_responses.json`. In seconds.

Formulas, from token_benchmark_ray.py and openai_chat_completions_client.py:
    ttft_s                  first chunk with content - request begun, opening its connection included
    inter_token_latency_s   (last chunk with content - request begun) / chunks of the answer: normalised TPOT; a chunk
                            without content counts too, so it is tokens + 1 where each token has a chunk. Of answers
                            that are fetched after the loop the divisor is the tokens
    end_to_end_latency_s    end of the stream - request begun
    mean_output_throughput  tokens of the answers / time of the whole run, pauses of the client's loop inside
    tpot                    not in the file; (end_to_end_latency_s - ttft_s) / (tokens - 1) of each request beside it
All over the requests without an error. Tokens are counted by one LLaMA tokenizer, whatever the model; a standard
deviation is that of a sample.

Not in the file: engine, accelerator, chips, tp. Metadata that people add (--metadata) is read where it has one meaning.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

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
    day_of_seconds,
    document,
    finished,
    stated,
)
from bench.formats.reading.fields import SampleArray
from bench.records import Deployment, Load, Point, Workload

NAME = "llmperf"
TITLE = "llmperf"

RUN = KeyShape(
    (
        "mean_input_tokens",
        "mean_output_tokens",
        "num_concurrent_requests",
        "results_ttft_s_mean",
        "results_inter_token_latency_s_mean",
        "results_num_completed_requests",
    )
)

PAUSES = (
    "llmperf's loop waits between requests, which its throughput is divided by and its latencies leave out: the "
    "throughput is the client's, not the endpoint's"
)

SUMMARY, REQUESTS = "_summary.json", "_individual_responses.json"
LATENCIES = {
    "ttft_s": ("ttft_ms", "first chunk with content - request begun, opening its connection included"),
    "inter_token_latency_s": (
        "ntpot_ms",
        "converted: labelled inter-token latency, is (last chunk with content - request begun) / chunks of the answer, "
        "one without content included (tokens + 1); of answers fetched after the loop / tokens",
    ),
    "end_to_end_latency_s": ("e2el_ms", "end of the stream - request begun"),
}
STATISTICS = {
    "mean": "mean",
    "min": "min",
    "max": "max",
    "stddev": "std",
    **{f"quantiles_p{percent}": f"p{percent}" for percent in (25, 50, 75, 90, 95, 99)},
}

recognises = by_keys(RUN)
"""Whether it has the keys of a summary."""


def companions(path: Path) -> tuple[Path, ...]:
    """The requests beside a summary."""
    beside = path.with_name(path.name.removesuffix(SUMMARY) + REQUESTS)
    return (beside,) if path.name.endswith(SUMMARY) and beside.is_file() else ()


def read(file: SourceFile) -> Reading:
    """The one point of a run; InputError where a value is not what it must be."""
    summary = Fields(file.name, document.loaded(file))
    version = summary.text("version")
    figures = MetricCollector(
        NAME,
        version,
        window="the whole run, ramp, tail and pauses of the client inside",
        token_source="one LLaMA tokenizer, whatever the model",
    )
    point = _point(summary, figures.of_point(), version, _tpots(file, summary.whole("results_num_completed_requests")))
    return finished(file, [point], figures, fields=[summary], because=PAUSES, whole_run=True)


def _point(summary: Fields, metrics: PointMetrics, version: str | None, tpots: SampleArray | None) -> Point:
    ok, failed = summary.number("results_num_completed_requests"), summary.number("results_number_errors")
    no_more_than_all(
        summary.file,
        {"results_num_completed_requests": ok, "results_number_errors": failed},
        "results_num_requests_started",
        summary.number("results_num_requests_started"),
    )
    concurrency = summary.whole("num_concurrent_requests")
    if concurrency is None or concurrency < 1:
        raise summary.unfit("num_concurrent_requests", concurrency, "a number of requests")
    _file_rates(summary, metrics, ok)
    metrics.file_failures(failed, ok)
    for name, (base, definition) in LATENCIES.items():
        metrics.file_statistics(
            base,
            summary,
            {f"results_{name}_{written}": statistic for written, statistic in STATISTICS.items()},
            unit="s",
            factor=1000,
            definition=f"{definition}, {WELL}",
        )
    if tpots is not None:
        metrics.file_samples(
            "tpot_ms",
            tpots,
            unit="s",
            factor=1000,
            definition=f"(end_to_end_latency_s - ttft_s) / (tokens - 1) of each request beside it, {WELL}",
        )
    checkpoint, said = summary.text("model"), stated(_by_people(summary))
    return Point(
        Deployment(
            **{
                "model": names.model_slug(checkpoint) if checkpoint else None,
                "checkpoint": checkpoint,
                "variant": said.rest,
                **said.deployment,
            }
        ),
        Workload(
            **{
                "isl_requested": summary.count("mean_input_tokens"),
                "osl_requested": summary.count("mean_output_tokens"),
                "isl_actual": summary.number("results_number_input_tokens_mean"),
                "osl_actual": summary.number("results_number_output_tokens_mean"),
                **said.workload,
            }
        ),
        Load("closed", concurrency=concurrency),
        metrics,
        "the summary",
        NAME,
        harness=NAME,
        harness_version=version,
        date=day_of_seconds(summary.number("timestamp")),
    )


def _file_rates(summary: Fields, metrics: PointMetrics, ok: float | None) -> None:
    throughput = summary.number("results_mean_output_throughput_token_per_s")
    a_minute = summary.number("results_num_completed_requests_per_min")
    metrics.file("output_tokens_per_s", throughput)
    if a_minute is not None:
        metrics.file(
            "requests_per_s",
            a_minute / 60,
            unit="requests/min",
            definition="converted: num_completed_requests_per_min / 60",
        )
    if a_minute and ok:
        metrics.file(
            "duration_s",
            ok / a_minute * 60,
            definition="converted: num_completed_requests / num_completed_requests_per_min",
        )


def _tpots(file: SourceFile, completed: int | None) -> SampleArray | None:
    """The TPOT of each request without an error, in seconds; None where the list beside is not of this run."""
    for path in file.companions:
        if path.name.endswith(REQUESTS):
            with contextlib.suppress(InputError):
                beside = SourceFile(path)
                requests = document.records(beside, [])
                well = [request for request in requests if "error_code" not in request]
                if len(well) == completed:
                    return _each_tpot(well)
    return None


def _each_tpot(requests: list[Fields]) -> SampleArray:
    rows = np.array(
        [
            [request.number(key) for key in ("ttft_s", "end_to_end_latency_s", "number_output_tokens")]
            for request in requests
        ],
        dtype=np.float64,
    ).reshape(-1, 3)
    several = rows[rows[:, 2] > 1]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((several[:, 1] - several[:, 0]) / (several[:, 2] - 1))


def _by_people(summary: Fields) -> dict[str, object]:
    """The keys that are not the tool's own: what --metadata added."""
    own = {"version", "name", "model", "timestamp", "num_concurrent_requests"}
    prefixes = ("results_", "mean_", "stddev_", "additional_sampling_params")
    keys = summary.keys()
    added = [key for key in keys if key not in own and not key.startswith(prefixes)]
    summary.passed_over(
        "name",
        "stddev_input_tokens",
        "stddev_output_tokens",
        "results_num_requests_started",
        "results_error_rate",
        "results_error_code_frequency",
        *(
            key
            for key in keys
            if key.startswith(("additional_sampling_params", "results_number_", "results_request_output_throughput_"))
        ),
    )
    return summary.values(added)
