"""Whatever lies beside a tool's results is told for what it is, with the file to import instead."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import formats
from bench.errors import InputError
from bench.formats import not_results
from bench.formats.reading import SourceFile
from bench.library.library import Library
from tests.formats.damage import SAMPLES, main_files
from tests.formats.reading_of import reading

REFUSED = {
    "experiment_metadata.json": "describes an experiment of genai-bench; import its folder",
    "per_request_lifecycle_metrics.json": "has the requests of an inference-perf run",
    "summary_lifecycle_metrics.json": "is the summary, which mixes all stages; import stage_<N>_lifecycle_metrics.json",
    "validation.json": "holds inference-perf's checks of its own report",
    "config.yaml": "is the configuration of an inference-perf run",
    "configs.json": "is a table of InferenceX's dump and holds no figure; import the benchmark_results.json",
    "workflow_runs.json": "is a table of InferenceX's dump and holds no figure; import the benchmark_results.json",
    "vllm_results.json": "repeats the runs of the .jsonl beside it; import that",
    "mock-model_100_64_individual_responses.json": "has the requests of a run of llmperf; import the …_summary.json",
    "summary.csv": "is the summary of a sweep of vLLM; import the run=….json files",
    "summary.json": "repeats the runs of a sweep; import the run=….json files",
    "warmup.json": "is the warm-up of a sweep; import the run=….json files",
    "run=1.failure.json": "tells of a run of a sweep of vLLM that failed and has no figures; run it again",
    "run_config.json": "is the configuration of an AIPerf run",
    "locust_stats_history.csv": "is the course of a run of Locust; import <prefix>_stats.csv",
    "locust_failures.csv": "lists what failed in a run of Locust and holds no result; import <prefix>_stats.csv",
    "locust_exceptions.csv": "lists what failed in a run of Locust and holds no result; import <prefix>_stats.csv",
}
"""The files among the samples that are no results, by their names."""


def keys(names: str) -> dict[str, object]:
    """An object with these keys."""
    return dict.fromkeys(names.split(), 1)


RATIO = "num_prompts,request_rate,max_concurrency,duration,completed,total_input_tokens,output_throughput"
HEADS = {
    "aiperf.csv": (
        "Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std\nLatency (ms),1,1,1,1,1,1,1,1,1,1,1,1,1,0\n",
        "AIPerf's CSV report of a run",
        "profile_export_aiperf.json",
    ),
    "genai_perf.csv": (
        'Metric,avg,min,max,p99,p95,p90,p75,p50,p25\nTime To First Token (ms),"1,146.31",249.48,3,3,3,3,3,3,3\n',
        "CSV report of GenAI-Perf",
        "profile_export_genai_perf.json",
    ),
    "aggregate.csv": (
        "metric,mean,std,min,max,cv,se,ci_low,ci_high,t_critical,unit\nrequest_throughput_avg,6.57,0,6,6,0,0,6,6,,rps\n",
        "AIPerf's CSV of means over trials",
        "profile_export_aiperf_aggregate.json",
    ),
    "sweep.csv": (
        "concurrency,request_latency_mean,request_latency_std,request_latency_cv,request_throughput_mean\n1,2,3,4,5\n",
        "AIPerf's CSV of a sweep",
        "profile_export_aiperf_sweep.json",
    ),
    "collated.json": (
        {"aiperf_version": "0.13.0", "metadata": {"aggregation_type": "detailed", "num_profile_runs": 3}}
        | keys("schema_version description metrics"),
        "pools the requests of AIPerf's trials",
        "profile_export_aiperf_aggregate.json",
    ),
    "search_history.json": (
        {"config": keys("algorithm objective_metric")} | keys("iterations best convergence_reason"),
        "course of AIPerf's search",
        "the folder with the runs",
    ),
    "inputs.json": (
        {"data": [{"session_id": "session_000000", "payloads": [{"messages": []}]}]},
        "holds the prompts of an AIPerf or GenAI-Perf run",
        "profile_export_aiperf.json",
    ),
    "server_metrics_export.json": (
        {"summary": keys("endpoints_configured"), "input_config": {}} | keys("schema_version aiperf_version metrics"),
        "what AIPerf scraped from the server's /metrics",
        "profile_export_aiperf.json",
    ),
    "server_metrics_export.csv": (
        "# AIPerf Server Metrics Export (CSV)\n# aiperf_version: 0.13.0\n#\n"
        "Endpoint,Type,Metric,Unit,avg,min,max,std,p1,p5,p10,p25,p50,p75,p90,p95,p99,model_name,Description\n",
        "what AIPerf scraped from the server's /metrics",
        "profile_export_aiperf.json",
    ),
    "guidellm.csv": (
        "Run Info,Run Info,Benchmark,Timings,Request Counts,Request Latency,Server Throughput\n"
        "Run ID,Profile,Type,Duration,Successful,Successful Sec,Successful Requests/Sec\n,,,,,Mean,Mean\n",
        "GuideLLM's CSV report",
        "benchmarks.json",
    ),
    "qps_output.csv": (f"{RATIO}\n1000,16,,258,1000,215196,453\n", "somebody made of vLLM results", ".json files"),
    "result_vllm.csv": (
        "Successful requests,Benchmark duration (s),Total input tokens,Mean TTFT (ms)\n1,2,3,4\n",
        "somebody made of vLLM results",
        ".json files",
    ),
    "vllm.pytorch.json": (
        [
            {
                "benchmark": keys("name extra_info"),
                "model": keys("name"),
                "metric": keys("name benchmark_values extra_info"),
            }
        ],
        "PyTorch's benchmark database",
        "the .json of the same name without .pytorch",
    ),
    "throughput.json": (
        keys("elapsed_time num_requests total_num_tokens requests_per_second tokens_per_second"),
        "vllm bench throughput or latency",
        "a result of vllm bench serve",
    ),
    "latency.json": (
        keys("avg_latency latencies percentiles"),
        "vllm bench throughput or latency",
        "a result of vllm bench serve",
    ),
    "sglang.csv": (
        "backend,completed,total_output_tokens_retokenized,output_throughput,mean_e2e_latency_ms\nsglang,1,2,3,4\n",
        "somebody made of SGLang results",
        ".jsonl",
    ),
    "bench_one_batch.jsonl": (
        '{"run_name":"a","batch_size":1,"input_len":1024,"output_len":8,"latency":1.0,"output_throughput":7.0,'
        '"overall_throughput":9.0}\n' * 2,
        "SGLang's bench_one_batch",
        "a .jsonl of bench_serving",
    ),
    "llmperf.csv": (
        "model,num_concurrent_requests,results_ttft_s_mean,results_inter_token_latency_s_mean\nm,1,2,3\n",
        "somebody made of llmperf results",
        "…_summary.json",
    ),
    "genai_bench.csv": (
        "scenario,num_concurrency,run_duration,mean_output_throughput_tokens_per_s,num_completed_requests\nD,1,2,3,4\n",
        "somebody made of a genai-bench experiment",
        "its folder",
    ),
    "llama-bench.sql": (
        "CREATE TABLE IF NOT EXISTS llama_bench (\n  build_commit TEXT,\n  n_prompt INTEGER\n);\n",
        "llama-bench's output as SQL",
        "-o json, jsonl or csv",
    ),
    "llama-bench.md": (
        "| model                |       size |     params | backend    | ngl |   test |              t/s |\n",
        "llama-bench's table for people",
        "-o json, jsonl or csv",
    ),
    "agentx.json": (
        {"scenario_type": "agentic-coding", "request_metrics": keys("qps latency")}
        | keys("server_metrics num_requests_total num_requests_successful"),
        "InferenceX's agentic scenario",
        "agg_<name>.json",
    ),
    "locust.json": (
        [
            keys(
                "name method last_request_timestamp start_time num_requests num_none_requests num_failures "
                "total_response_time response_times"
            )
        ],
        "Locust's --json",
        "--csv",
    ),
    "summary_results.json": (
        [keys("ID Submitter Scenario Performance_Result Performance_Units")],
        "MLPerf's summary of its submissions",
        "a table with the columns model and one metric",
    ),
    "benchmark_report.json": (
        {"prefill": {"latency": {"unit": "s"}}, "decode": {"latency": {}}, "per_token": {"latency": {}}},
        "a report of optimum-benchmark",
        "a table with the columns model and one metric",
    ),
    "prism.json": (
        {"source_info": {}, "workload": {}, "metrics": {}},
        "an archive of Prism's",
        "the Benchmark Report of llm-d",
    ),
}
"""A file's beginning, what it is told to be, and what the sentence names to import or do instead."""


def refusal(path: Path) -> str | None:
    """Why a file is refused, without its name; None where it is read."""
    try:
        reading(path)
    except InputError as problem:
        return str(problem).partition(f"{path.name} ")[2]
    return None


def test_every_file_of_a_tool_is_a_result_or_beside_one_or_told_what_it_is() -> None:
    told = set()
    for path in sorted(one for one in SAMPLES.rglob("*") if one.name in REFUSED):
        said = refusal(path)
        assert said is not None
        assert said.startswith(REFUSED[path.name])
        told.add(path.name)
    assert told == REFUSED.keys()
    results = {path for folder in SAMPLES.iterdir() if folder.is_dir() for path in main_files(folder.name)}
    others = {path for path in SAMPLES.rglob("*") if path.is_file() and path not in results}
    rest = {path for path in others if path.name not in told}
    assert all((refusal(path) is None) != (path.name in ("SOURCE.md", ".expected.json")) for path in rest)


@pytest.mark.parametrize("name", HEADS)
def test_the_sentence_says_what_a_file_is_and_names_the_one_to_import(name: str, tmp_path: Path) -> None:
    content, what, instead = HEADS[name]
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    said = refusal(path)
    assert said is not None
    is_this, _, do_this = said.partition(";")
    assert what in is_this
    assert instead in do_this


def test_a_spreadsheet_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "experiment.xlsx"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as book:
        book.writestr("[Content_Types].xml", "<x/>")
    path.write_bytes(packed.getvalue())
    report = Library.open(tmp_path / "library", shipped=False).add([path])
    assert ["is a spreadsheet" in row.reason for row in report.refused] == [True]


@pytest.mark.parametrize("content", [b"x", b"[]", b"a,b\n1,2\n", b'{"tokens": 3072, "dur": 3.6}', b"\xff\xfe\x00"])
def test_a_file_that_is_like_nothing_is_not_told_to_be_near_anything(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no known result format") as problem:
        formats.recognise(SourceFile(path))
    assert "nearest" not in str(problem.value)


def test_a_file_with_half_of_a_format_s_keys_is_told_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text('{"model_id": "m", "num_prompts": 3, "completed": 3}')
    with pytest.raises(InputError, match=r"vLLM bench serve \(3 of 5 keys, it lacks total_input_tokens, output_thr"):
        formats.recognise(SourceFile(path))


@given(st.binary(max_size=200))
def test_any_bytes_are_known_or_not(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    kind = not_results.not_a_result(SourceFile(path))
    assert kind is None or kind.says.endswith(".")
