"""Files of tools that hold no result to import, each with what it is and what to import instead.

They lie beside results or are another print of them, so people drop them. Known by content, as results are, and looked
for only where no format knows a file. Keys and headers are those of files that the tools wrote, and where none was at
hand, of the code that writes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bench.formats.foreign.outline import Kind
from bench.formats.foreign.recognition import Shape
from bench.formats.reading import SourceFile

OBJECT: tuple[Kind, ...] = ("object",)
LINES: tuple[Kind, ...] = ("lines", "object")
LIST: tuple[Kind, ...] = ("list",)
CSV: tuple[Kind, ...] = ("csv",)
YAML: tuple[Kind, ...] = ("yaml", "object")

AIPERF_RUN = "import profile_export_aiperf.json beside it"
INFERENCE_PERF_STAGES = "import its folder, or stage_<N>_lifecycle_metrics.json beside it"
AS_A_TABLE = "write its figures as a table with the columns model and one metric"
VLLM_RESULT = "num_prompts completed total_input_tokens output_throughput"


@dataclass(frozen=True)
class TurnedAway:
    """A kind of file without a result: the shapes it has, or how its text begins, and what a refusal says of it.

    said: what follows the file's name, and says what to import instead.
    beside: the formats whose results it comes with; where one of those is imported there is nothing to say of it.
    """

    said: str
    beside: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    begins: re.Pattern[bytes] | None = field(default=None, compare=False)

    def is_this(self, file: SourceFile) -> bool:
        """Whether the file is of this kind."""
        if self.begins is not None and self.begins.match(file.head.removeprefix(b"\xef\xbb\xbf")):
            return True
        return any(shape.fits(file.outline) for shape in self.shapes)


def _of(said: str, *shapes: tuple[str, tuple[Kind, ...]], beside: str = "") -> TurnedAway:
    """A kind of file by the keys of its shapes, which stand between bars or, where none has a blank, between blanks."""
    return TurnedAway(
        said, tuple(beside.split()), tuple(Shape(_parted(keys), kinds) for keys, kinds in shapes)
    )


def _parted(keys: str) -> tuple[str, ...]:
    return tuple(keys.split("|" if "|" in keys else None))


AIPERF = (
    _of(
        f"holds what AIPerf scraped from the server's /metrics and no latency of a request; {AIPERF_RUN}.",
        ("aiperf_version summary.endpoints_configured metrics", OBJECT),
        ("endpoint_url timestamp_ns metrics", LINES),
        ("Endpoint Type Metric Unit model_name", CSV),
        ("Endpoint Type Metric Unit Description", CSV),
        beside="aiperf genai_perf",
    ),
    _of(
        f"is AIPerf's CSV report of a run, rounded for people; {AIPERF_RUN}.",
        ("Metric avg min max p50 std", CSV),
        beside="aiperf genai_perf",
    ),
    _of(
        "is the CSV report of GenAI-Perf, or of an AIPerf run, rounded for people; import "
        "profile_export_genai_perf.json or profile_export_aiperf.json beside it.",
        ("Metric avg min max p99 p50", CSV),
        beside="aiperf genai_perf",
    ),
    _of(
        "is AIPerf's CSV of means over trials; import profile_export_aiperf_aggregate.json beside it, or the runs.",
        ("metric mean std cv se ci_low ci_high unit", CSV),
        beside="aiperf genai_perf",
    ),
    _of(
        "is AIPerf's CSV of a sweep; import profile_export_aiperf_sweep.json beside it, or the folder with the runs.",
        ("request_latency_avg_mean request_latency_avg_cv", CSV),
        ("request_latency_mean request_latency_cv request_throughput_mean", CSV),
        ("request_throughput_avg_mean request_throughput_avg_cv", CSV),
        beside="aiperf genai_perf",
    ),
    _of(
        "pools the requests of AIPerf's trials without their units; import profile_export_aiperf_aggregate.json beside "
        "it, or the runs.",
        ("aiperf_version description metadata.aggregation_type metrics", OBJECT),
        beside="aiperf genai_perf",
    ),
    _of(
        "is the course of AIPerf's search and has one figure of each run; import the folder with the runs.",
        ("config.objective_metric iterations best convergence_reason", OBJECT),
        beside="aiperf genai_perf",
    ),
    _of(
        "holds the prompts of an AIPerf or GenAI-Perf run and no result; import profile_export_aiperf.json or "
        "profile_export_genai_perf.json beside it.",
        ("data[].session_id data[].payloads", OBJECT),
        ("data[].payload", OBJECT),
        beside="aiperf genai_perf",
    ),
    _of(
        f"is the configuration of an AIPerf run and holds no result; {AIPERF_RUN}.",
        ("benchmark_id cfg.models cfg.endpoint cfg.phases", OBJECT),
        beside="aiperf genai_perf",
    ),
)
GUIDELLM = (
    _of(
        "is GuideLLM's CSV report; import the benchmarks.json of the same run (--output kind=json).",
        ("Run Info|Benchmark|Request Counts|Request Latency", CSV),
        ("Type|Run Id|Id|Name|Start Time|End Time|Duration|Successful Requests", CSV),
        beside="guidellm",
    ),
)
VLLM = (
    _of(
        "is the summary of a sweep of vLLM; import the run=….json files in the folders beside it.",
        (f"run_number model_id {VLLM_RESULT}", CSV),
        beside="vllm",
    ),
    _of(
        "tells of a run of a sweep of vLLM that failed and has no figures; run it again.",
        ("run_number error_type error serve_overrides bench_overrides", OBJECT),
    ),
    _of(
        "is a table that somebody made of vLLM results, and says too little on how each was run; import the .json "
        "files that vllm bench serve --save-result wrote.",
        (VLLM_RESULT, CSV),
        ("Successful requests|Benchmark duration (s)|Total input tokens|Mean TTFT (ms)", CSV),
    ),
    _of(
        "repeats a vLLM result for PyTorch's benchmark database; import the .json of the same name without .pytorch.",
        (
            "benchmark.name benchmark.extra_info model.name metric.name metric.benchmark_values",
            (*LIST, *LINES),
        ),
        beside="vllm",
    ),
    _of(
        "is of vllm bench throughput or latency, which measure the engine without a server; import a result of "
        "vllm bench serve.",
        ("elapsed_time num_requests total_num_tokens requests_per_second tokens_per_second", (*OBJECT, *CSV)),
        ("avg_latency latencies percentiles", OBJECT),
    ),
)
SGLANG = (
    _of(
        "is a table that somebody made of SGLang results; import the .jsonl that bench_serving wrote (--output-file).",
        ("completed total_output_tokens_retokenized output_throughput mean_e2e_latency_ms", CSV),
    ),
    _of(
        "is of SGLang's bench_one_batch, which measures one batch without a server; import a .jsonl of bench_serving.",
        ("run_name batch_size input_len output_len prefill_latency overall_throughput", (*LINES, *LIST)),
        ("run_name batch_size input_len output_len latency overall_throughput", (*LINES, *LIST)),
    ),
)
LLMPERF = (
    _of(
        "has the requests of a run of llmperf; import the …_summary.json beside it.",
        ("ttft_s inter_token_latency_s end_to_end_latency_s number_output_tokens", (*LIST, *LINES, *CSV)),
        beside="llmperf",
    ),
    _of(
        "is a table that somebody made of llmperf results; import the …_summary.json files.",
        ("num_concurrent_requests results_ttft_s_mean results_inter_token_latency_s_mean", CSV),
    ),
)
GENAI_BENCH = (
    _of(
        "describes an experiment of genai-bench; import its folder, with the files of its levels.",
        ("cmd benchmark_version metrics_time_unit iteration_type", OBJECT),
        beside="genai_bench",
    ),
    _of(
        "is a table that somebody made of a genai-bench experiment; import its folder, with the .json of each level.",
        ("mean_output_throughput_tokens_per_s run_duration num_completed_requests", CSV),
        ("scenario num_concurrency mean_output_throughput_tokens_per_s", CSV),
    ),
    TurnedAway(
        "is a spreadsheet, which is not read; of genai-bench import the experiment's folder with the .json files that "
        "the sheet was made from, else save it as CSV with the columns model and one metric.",
        begins=re.compile(rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|docProps/|xl/|_rels/)", re.DOTALL),
    ),
)
INFERENCE_PERF = (
    _of(
        f"has the requests of an inference-perf run, those of all stages together; {INFERENCE_PERF_STAGES}.",
        ("start_time end_time request response info error", LIST),
        ("start_time end_time request info error", LIST),
        beside="inference_perf",
    ),
    _of(
        f"is the configuration of an inference-perf run and holds no result; {INFERENCE_PERF_STAGES}.",
        ("api load server data", YAML),
        beside="inference_perf",
    ),
    _of(
        f"holds inference-perf's checks of its own report and no result; {INFERENCE_PERF_STAGES}.",
        ("global.warnings global.errors reports", OBJECT),
        beside="inference_perf",
    ),
)
LLM_OPTIMIZER = (
    _of(
        "repeats the runs of the .jsonl beside it; import that.",
        ("metadata best_configurations test_results", OBJECT),
        beside="llm_optimizer",
    ),
)
LLAMA_BENCH = (
    TurnedAway(
        "is llama-bench's output as SQL, which is not read; run it with -o json, jsonl or csv and import that.",
        begins=re.compile(rb"\s*(?:CREATE TABLE IF NOT EXISTS|INSERT INTO) (?:llama_bench|test) \("),
    ),
    TurnedAway(
        "is llama-bench's table for people, rounded and without the settings of its tests; run it with -o json, jsonl "
        "or csv and import that.",
        begins=re.compile(rb"\s*\| *model +\| +size \| +params \|"),
    ),
)
INFERENCEX = (
    _of(
        "is a result of InferenceX's agentic scenario, whose sessions have no one length, and is not read; import "
        "agg_<name>.json files of its fixed lengths.",
        ("scenario_type request_metrics", (*OBJECT, *LIST)),
    ),
    _of(
        "is a table of InferenceX's dump and holds no figure; import the benchmark_results.json beside it.",
        ("id hardware framework model decode_tp", LIST),
        ("id github_run_id run_attempt", LIST),
        beside="inferencex",
    ),
)
LOCUST = (
    _of(
        f"is of Locust, which times requests and counts no tokens; {AS_A_TABLE}.",
        ("Type|Name|Request Count|Failure Count|Median Response Time", CSV),
        ("Timestamp|User Count|Type|Name|Requests/s|Failures/s", CSV),
        ("name method num_requests num_failures response_times total_response_time", (*LIST, *OBJECT)),
    ),
    _of(
        "lists what failed in a run of Locust and holds no result; import a result of a tool that counts tokens.",
        ("Method|Name|Error|Occurrences", CSV),
        ("Count|Message|Traceback|Nodes", CSV),
    ),
)
OTHERS = (
    _of(
        "is Red Hat's table of GuideLLM runs; import the benchmarks.json files that its rows were made from.",
        ("accelerator|model|intended concurrency|measured concurrency|output_tok/sec", CSV),
    ),
    _of(
        f"is MLPerf's summary of its submissions, which is not read; {AS_A_TABLE}.",
        ("Submitter Scenario Performance_Result Performance_Units", (*LIST, *LINES)),
    ),
    _of(
        f"is a report of optimum-benchmark, which runs a model without a server, and is not read; {AS_A_TABLE}.",
        ("prefill.latency decode.latency per_token.latency", OBJECT),
    ),
    _of(
        "is an archive of Prism's; import the Benchmark Report of llm-d that it was made from.",
        ("source_info workload metrics", (*OBJECT, *LIST)),
    ),
)
KNOWN = (
    *AIPERF, *GUIDELLM, *VLLM, *SGLANG, *LLMPERF, *GENAI_BENCH, *INFERENCE_PERF, *LLM_OPTIMIZER, *LLAMA_BENCH,
    *INFERENCEX, *LOCUST, *OTHERS,
)  # fmt: skip
"""The first that a file is decides."""


def turned_away(file: SourceFile) -> TurnedAway | None:
    """The kind of file without a result that this is; None where nobody knows it."""
    return next((kind for kind in KNOWN if kind.is_this(file)), None)
