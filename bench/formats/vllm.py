"""vLLM's `vllm bench serve`, the runs of `vllm bench sweep serve`, and scripts that write the same keys.

Read: vLLM 0.6 (benchmarks/benchmark_serving.py) to 0.32, with and without --save-detailed, one result to a file or
several appended; and InferenceX's token position experiment, whose latencies are in seconds: keys without `_ms`.

Formulas, from vllm/benchmarks/serve.py and lib/endpoint_request_func.py of vLLM 0.32:
    ttft    first chunk with choices - request handed to the HTTP session; a role-only or empty chunk counts
    tpot    (e2el - ttft) / (output tokens - 1) of each request with more than one token
    itl     chunk with choices - the one before it, pooled; the gap from a role-only first chunk is one of them
    e2el    last chunk with choices - request handed to the HTTP session
    output_throughput = output tokens / duration; total_token_throughput with the prompts; request_throughput
    duration          from before the first request to after the last answer, ramp and tail inside
All over the requests that ended well. The wait for --max-concurrency is outside every latency.

In the name of InferenceX's files, and nowhere else, are tp and the requested lengths (tp8_isl1024_osl128_conc4); they
are taken where the concurrency there is the one in the file.

Not in the file: engine, accelerator, chips, tp, requested ISL and OSL. What people add (--metadata, between
num_prompts and request_rate; a sweep's overrides, after run_number) is read where it has one meaning.
"""

from __future__ import annotations

import datetime
import re

from bench import names
from bench.errors import InputError
from bench.formats.plausibility import no_more_than_all
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
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "vllm"
TITLE = "vLLM bench serve"
HARNESS = "vllm-bench"

RESULT = KeyShape(("model_id", "num_prompts", "completed", "total_input_tokens", "output_throughput"))

TOOLS_OWN = frozenset(
    "date endpoint_type backend label model_id tokenizer_id best_of num_prompts request_rate burstiness "
    "max_concurrency ramp_up_strategy ramp_up_start_rps ramp_up_end_rps duration completed failed "
    "good_completed total_input_tokens total_output_tokens request_throughput request_goodput "
    "request_goodput: input_throughput output_throughput total_token_throughput input_lens output_lens "
    "ttfts itls latencies start_times queue_times generated_texts errors max_output_tokens_per_s "
    "max_concurrent_requests rtfx rps_change_events run_number _benchmark_name".split()
)
LEFT_OUT = re.compile(
    r"(probe|diffusion|spec_decode)_.*|(mean|median|std|p[\d.]+)_(client_queue_time|e2el_including_client_queue)_ms"
)
LATENCIES = {
    "ttft": (
        "ttft_ms",
        f"first chunk with choices, even a role-only or empty one, - request handed to the HTTP session, {WELL}",
    ),
    "tpot": ("tpot_ms", f"as catalogue, with this tool's TTFT, {WELL} with more than one token"),
    "itl": ("itl_ms", f"gaps between chunks with choices, the one after a role-only first chunk included, {WELL}"),
    "e2el": ("e2el_ms", f"last chunk with choices - request handed to the HTTP session, {WELL}"),
}
SECONDS_TTFT = "first chunk with choices - request begun, opening its connection included, " + WELL
SECONDS_NAME = re.compile(r".*tp(\d{1,4})_isl(\d{1,8})_osl(\d{1,8})_conc(\d{1,8})\b.*")
ENGINE_DIALECTS = {"tensorrt-llm", "tgi", "lmdeploy", "llama.cpp"}
"""Backends that only their own engine answers to; `vllm`, `openai` and the like are any engine's."""

recognises = by_keys(RESULT)
"""Whether the first result has the keys that every version writes."""


def read(file: SourceFile) -> Reading:
    """One point for each result in the file.

    Raises:
        InputError: it is a sweep's summary or warm-up, or a value is not what it must be.
    """
    figures = passports_of(NAME)
    refused: list[Refusal] = []
    results = document.records(file, refused)
    listed = file.outline.kind == "list"
    points = [point(result, figures.of_point(), listed=listed) for result in results]
    return finished(file, points, figures, fields=results, refusals=refused, whole_run=True, numbered=True)


def passports_of(format_name: str) -> MetricCollector:
    """The collector of figures and passports for a format whose results are in these keys."""
    return MetricCollector(
        format_name,
        None,
        window="the whole run, ramp and tail inside",
        token_source="the server's usage, else the client's tokenizer",
    )


def point(result: Fields, metrics: PointMetrics, *, listed: bool = False) -> Point:
    """The point that one result in these keys is; `listed`: it stood in a list, as a sweep's summaries do."""
    run = _run_number(result, listed=listed)
    load = _load(result)
    ok, failed = result.number("completed"), _failed(result)
    _file_rates(result, metrics)
    metrics.file_failures(failed, ok)
    in_seconds = "median_ttft" in result and "median_ttft_ms" not in result
    latencies = {**LATENCIES, "ttft": ("ttft_ms", SECONDS_TTFT)} if in_seconds else LATENCIES
    said = stated(_by_people(result) | (_in_name(result, load) if in_seconds else {}))
    bench_serving.file_latencies(result, metrics, latencies)
    bench_serving.file_requests(result, metrics, latencies)
    return Point(
        _deployment(result, said),
        _workload(result, said),
        load,
        metrics,
        result.where,
        HARNESS,
        harness=HARNESS,
        date=_date(result),
        repeat=None if run is None else run + 1,
    )


def _run_number(result: Fields, *, listed: bool) -> int | None:
    """Which run of a sweep's combination this is, from 0; None for a result that is of no sweep."""
    run = result.whole("run_number")
    if run is not None and run < 0:
        raise InputError(f"{result.file} is the warm-up of a sweep; import the run=….json files beside it.")
    if run is not None and listed:
        raise InputError(f"{result.file} repeats the runs of a sweep; import the run=….json files beside it instead.")
    return run


def _load(result: Fields) -> Load:
    burstiness, ramp = result.number("burstiness"), result.text("ramp_up_strategy")
    first, last = result.number("ramp_up_start_rps"), result.number("ramp_up_end_rps")
    if ramp:
        return Load("open", arrivals=f"{ramp} ramp from {first or 0:g} to {last or 0:g} requests/s")
    poisson = burstiness is None or burstiness == 1
    return bench_serving.load_of(result, "poisson" if poisson else f"gamma, burstiness {burstiness:g}")


def _file_rates(result: Fields, metrics: PointMetrics) -> None:
    duration = result.number("duration")
    prompts, answers = result.number("total_input_tokens"), result.number("total_output_tokens")
    output, total = result.number("output_throughput"), result.number("total_token_throughput")
    taken_in = result.number("input_throughput")
    if taken_in is None and prompts is not None and duration:
        taken_in = prompts / duration
    if total is None and taken_in is not None and output is not None:
        total = taken_in + output
    metrics.file("duration_s", duration)
    metrics.file("input_tokens", prompts, definition=WELL)
    metrics.file("output_tokens", answers, definition=WELL)
    metrics.file("output_tokens_per_s", output)
    metrics.file("input_tokens_per_s", taken_in, definition="total_input_tokens / duration")
    metrics.file("total_tokens_per_s", total, definition="(input + output tokens) / duration")
    metrics.file("requests_per_s", result.number("request_throughput"))
    goodput = result.number("request_goodput")
    if goodput is None:
        goodput = result.number("request_goodput:")  # so spelled until mid-2025
    metrics.file("goodput_requests_per_s", goodput, definition="as catalogue; the file leaves the objectives out")
    metrics.file(
        "peak_output_tokens_per_s",
        result.number("max_output_tokens_per_s"),
        definition="chunks in the busiest second, each taken for one token",
    )
    metrics.file("acceptance_length_tokens", result.number("spec_decode_acceptance_length"))


def _failed(result: Fields) -> float | None:
    """How many requests failed; older versions only tell how many were asked for and ended well."""
    failed, asked, ok = result.number("failed"), result.number("num_prompts"), result.number("completed")
    no_more_than_all(result.file, {"completed": ok, "failed": failed}, "num_prompts", asked)
    if failed is None and asked is not None and ok is not None and asked >= ok:
        return asked - ok
    return failed


def _by_people(result: Fields) -> dict[str, object]:
    """The keys that are not the tool's own where it puts a run's metadata and a sweep's overrides."""
    keys = result.keys()
    own = [bool(key in TOOLS_OWN or LEFT_OUT.fullmatch(key) or bench_serving.STATISTIC.fullmatch(key)) for key in keys]
    result.passed_over(*(key for key in keys if key in TOOLS_OWN or LEFT_OUT.fullmatch(key)))
    begin = keys.index("num_prompts") if "num_prompts" in keys else len(keys)
    end = keys.index("request_rate") if "request_rate" in keys else begin
    overrides = keys.index("run_number") if "run_number" in keys else len(keys)
    told = [key for place, key in enumerate(keys) if not own[place] and (begin < place < end or place > overrides)]
    return result.values(told)


def _in_name(result: Fields, load: Load) -> dict[str, object]:
    found = SECONDS_NAME.fullmatch(result.file)
    if found is None or int(found[4]) != load.concurrency:
        return {}
    return {"tp": found[1], "isl": found[2], "osl": found[3]}


def _deployment(result: Fields, said: Metadata) -> Deployment:
    checkpoint, backend = result.text("model_id"), result.text("backend")
    engine = names.engine_slug(backend) if backend in ENGINE_DIALECTS else None
    label = result.text("label")
    variant = ", ".join(part for part in (label if label != backend else None, said.rest) if part)
    facts = {"engine": engine, **said.deployment}
    return Deployment(
        model=names.model_slug(checkpoint) if checkpoint else None,
        checkpoint=checkpoint,
        variant=variant or None,
        **facts,
    )


def _workload(result: Fields, said: Metadata) -> Workload:
    ok = result.number("completed")
    prompts, answers = result.number("total_input_tokens"), result.number("total_output_tokens")
    return Workload(
        isl_actual=prompts / ok if ok and prompts is not None else None,
        osl_actual=answers / ok if ok and answers is not None else None,
        **said.workload,
    )


def _date(result: Fields) -> datetime.date | None:
    """The day a run was saved, written 20261120-103734 by the client's clock."""
    text = result.text("date")
    if text is None:
        return None
    try:
        return datetime.datetime.strptime(text[:8], "%Y%m%d").date()
    except ValueError:
        raise result.unfit("date", text, "a date such as 20261120-103734") from None
