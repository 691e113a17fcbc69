"""SGLang's `bench_serving`, Python client and Rust client: one JSON line for each run, appended to what is there.

Read: SGLang 0.4 to 0.5.23, with and without --output-details.

Formulas, from sglang/bench_serving.py of SGLang 0.5.23:
    ttft    first chunk with content - request begun; the Python client opens a connection for every request inside it
    tpot    (e2el - ttft) / (output tokens - 1) of each request with more than one token
    itl     chunk with content - the one before it, pooled; SGLang's own API spreads it over the tokens of a chunk;
            with speculative decoding divided by accept_length
    e2el    last chunk with content - request begun
    output_throughput = output tokens / duration, where output tokens are those the server counted or was asked for
    duration          from before the first request to after the last answer, ramp and tail inside, and the control
                      calls to the server that follow it
All over the requests that ended well. accept_length is what the server says of its speculative decoding.

Not in the file: date, accelerator, chips; failures without --output-details; model and engine unless server_info is
there, which only SGLang's own API gives. random_input_len is what every prompt was asked to have only where
random_range_ratio is 1: lengths are drawn between that share of it and all of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench import names
from bench.formats.reading import (
    WELL,
    Fields,
    KeyShape,
    Metadata,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    bench_serving,
    by_keys,
    document,
    finished,
    stated,
)
from bench.records import Deployment, Flag, Load, Point, Refusal, Workload

NAME = "sglang"
TITLE = "SGLang bench_serving"
HARNESS = "sglang-bench"

RUN = KeyShape(
    (
        "completed",
        "total_output_tokens",
        "total_output_tokens_retokenized",
        "output_throughput",
        "mean_e2e_latency_ms",
        "random_range_ratio",
    ),
    ("object", "lines", "list"),
)
SERVER_FACTS = "tp_size pp_size dp_size ep_size nnodes quantization kv_cache_dtype enable_dp_attention".split()
LATENCIES = {
    "ttft": ("ttft_ms", f"first chunk with content - request begun, opening its connection included, {WELL}"),
    "tpot": ("tpot_ms", f"as catalogue, with this tool's TTFT, {WELL} with more than one token"),
    "itl": (
        "itl_ms",
        "gaps between chunks with content, over SGLang's own API spread over a chunk's tokens, with speculative "
        f"decoding divided by accept_length, {WELL}",
    ),
    "e2e_latency": ("e2el_ms", f"last chunk with content - request begun, {WELL}"),
}
RUST_TTFT = f"first chunk with content - request handed to a pool of open connections, {WELL}"
ENGINE_DIALECTS = {"sglang": "sglang", "sglang-native": "sglang", "trt": "tensorrt-llm"}
"""Backends that only their own engine answers to; `sglang-oai`, `vllm` and `lmdeploy` speak OpenAI's API."""
COUNTS_DIFFER = 0.05

recognises = by_keys(RUN)
"""Whether the first line has the keys that every version writes."""


def read(file: SourceFile) -> Reading:
    """One point for each run in the file.

    Raises:
        InputError: a value is not what it must be.
    """
    figures = passports_of(NAME)
    refused: list[Refusal] = []
    runs = document.records(file, refused)
    points = [point(run, figures.of_point(), Metadata()) for run in runs]
    return finished(file, points, figures, fields=runs, refusals=refused, whole_run=True, numbered=True)


def passports_of(format_name: str) -> MetricCollector:
    """The passports of a source whose runs are in this tool's keys."""
    return MetricCollector(
        format_name,
        None,
        window="the whole run, ramp, tail and the control calls after it inside",
        token_source="prompts by the client's tokenizer, answers as the server counted them or was asked for them",
    )


def point(run: Fields, metrics: PointMetrics, said: Metadata, harness: str = HARNESS) -> Point:
    """The point of one run; `said` is what else is known about its server and its workload."""
    ok, failed = run.number("completed"), _failed(run)
    _file_rates(run, metrics)
    metrics.file_failures(failed, ok)
    latencies = {**LATENCIES, "ttft": ("ttft_ms", RUST_TTFT)} if "protocol" in run else LATENCIES
    bench_serving.file_latencies(run, metrics, latencies)
    # The lists' own word for E2EL is vLLM's.
    bench_serving.file_requests(run, metrics, {**latencies, "e2el": latencies["e2e_latency"]})
    run.passed_over(
        "concurrency", "max_concurrent_requests", "protocol", "total_input_text_tokens", "total_input_vision_tokens"
    )
    return Point(
        _deployment(run, said),
        _workload(run, said),
        _load(run),
        metrics,
        run.where,
        harness,
        harness=harness,
        flags=_counts_flag(run),
    )


def _load(run: Fields) -> Load:
    if run.raw("request_rate") == "trace":
        return Load("open", arrivals="trace")
    return bench_serving.load_of(run, "poisson")


def _failed(run: Fields) -> int | None:
    """How many requests ended in an error; None without the list of errors."""
    return sum(bool(error) for error in run.list("errors")) if "errors" in run else None


def _file_rates(run: Fields, metrics: PointMetrics) -> None:
    metrics.file("duration_s", run.number("duration"))
    metrics.file("input_tokens", run.number("total_input_tokens"), definition=WELL)
    metrics.file("output_tokens", run.number("total_output_tokens"), definition=WELL)
    metrics.file("requests_per_s", run.number("request_throughput"))
    metrics.file("output_tokens_per_s", run.number("output_throughput"))
    metrics.file("input_tokens_per_s", run.number("input_throughput"))
    taken_in, output, total = (run.number(f"{one}_throughput") for one in ("input", "output", "total"))
    if total is None and taken_in is not None and output is not None:
        total = taken_in + output
    metrics.file("total_tokens_per_s", total, definition="input_throughput + output_throughput")
    metrics.file(
        "peak_output_tokens_per_s",
        run.number("max_output_tokens_per_s"),
        definition="chunks in the busiest second, each taken for one token",
    )
    metrics.file(
        "acceptance_length_tokens",
        run.number("accept_length"),
        definition="as the server says it of all its requests so far",
    )


def _counts_flag(run: Fields) -> tuple[Flag, ...]:
    """The flag that the text of the answers has another number of tokens than was counted."""
    counted, again = run.number("total_output_tokens"), run.number("total_output_tokens_retokenized")
    if not counted or again is None or abs(again - counted) <= COUNTS_DIFFER * counted:
        return ()
    return (
        Flag(
            "token count",
            f"{counted:,.0f} output tokens were counted; the text has {again:,.0f} by the client's tokenizer.",
            "Throughput and TPOT divide by the first number, which may be what was asked for and not what came.",
            "Compare with a run whose tokenizer is the model's own and whose server counts its tokens.",
        ),
    )


def _deployment(run: Fields, said: Metadata) -> Deployment:
    server = run.fields("server_info")
    checkpoint, version = server.text("model_path"), server.text("version")
    facts: dict[str, object] = {key: server.raw(key) for key in SERVER_FACTS if key in server}
    if server.raw("disable_radix_cache") in (True, False):
        facts["prefix_caching"] = not server.raw("disable_radix_cache")
    server.passed_over(*server.keys())  # hundreds of settings
    served = stated(facts | ({"engine": "sglang", "engine_version": version} if version else {}))
    engine = ENGINE_DIALECTS.get(run.text("backend") or "")
    together: Mapping[str, object] = {
        "model": names.model_slug(checkpoint) if checkpoint else None,
        "checkpoint": checkpoint,
        **({"engine": engine} if engine else {}),
        **served.deployment,
        **said.deployment,
    }
    variant = ", ".join(part for part in (run.text("tag"), served.rest, said.rest) if part)
    return Deployment(**together, variant=variant or None)  # type: ignore[arg-type]


def _workload(run: Fields, said: Metadata) -> Workload:
    ok, dataset = run.number("completed"), run.text("dataset_name")
    prompts, answers = run.number("total_input_tokens"), run.number("total_output_tokens")
    isl, osl, ratio = (run.count("random_input_len"), run.count("random_output_len"), run.number("random_range_ratio"))
    shared_gpt = run.count("sharegpt_output_len")
    exact = (dataset or "").startswith("random") and ratio == 1
    lengths = {
        "isl_requested": isl if exact else None,
        "osl_requested": osl if exact else shared_gpt if dataset == "sharegpt" else None,
        "dataset": dataset,
    }
    return Workload(
        isl_actual=prompts / ok if ok and prompts is not None else None,
        osl_actual=answers / ok if ok and answers is not None else None,
        **{**lengths, **said.workload},
    )
