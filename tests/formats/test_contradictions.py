"""A result of each tool with a figure that its other figures contradict is refused, and one that is strange is told."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from tests.formats.damage import SAMPLES
from tests.formats.reading_of import read_points

VLLM = SAMPLES / "vllm" / "concurrency-4.json"
SGLANG = SAMPLES / "sglang" / "rust-concurrency-4.jsonl"
AIPERF = SAMPLES / "aiperf" / "concurrency-4" / "profile_export_aiperf.json"
GUIDELLM = SAMPLES / "guidellm" / "concurrency-4" / "benchmarks.json"
GENAI = SAMPLES / "genai_bench" / "levels" / "D100_128_text-to-text_num_concurrency_4_time_4s.json"
STAGE = SAMPLES / "inference_perf" / "concurrency-4" / "stage_0_lifecycle_metrics.json"
LLMPERF = SAMPLES / "llmperf" / "mock-model_100_64_summary.json"

Change = Callable[[dict[str, Any]], Any]


def changed(path: Path, folder: Path, change: Change) -> Path:
    """The first result of a file after a change, without its lists of requests; metadata lies beside it as before."""
    text = path.read_text()
    value = json.loads(text.splitlines()[0] if path.suffix == ".jsonl" else text)
    if path in (VLLM, SGLANG):
        value = {key: part for key, part in value.items() if not isinstance(part, list)}
    before = copy.deepcopy(value)
    change(value)
    assert value != before
    beside = path.parent / "experiment_metadata.json"
    if path == GENAI:
        (folder / beside.name).write_text(beside.read_text())
    (folder / path.name).write_text(json.dumps(value))
    return folder / path.name


def times(part: dict[str, Any], factor: float, *words: str) -> None:
    """Every number of an object whose key has one of these words, however deep, times the factor."""
    for key, value in part.items():
        if isinstance(value, dict):
            times(value, factor, *(("",) if any(word in key for word in words) else words))
        elif type(value) in (int, float) and any(word in key for word in words):
            part[key] = value * factor


def open_loop(run: dict[str, Any]) -> None:
    run.update(request_rate=5.0, max_concurrency=None)


def of_guidellm(name: str, factor: float) -> Change:
    return lambda report: times(report["benchmarks"][0]["metrics"], factor, name)


def of_stage(name: str, factor: float) -> Change:
    return lambda stage: times(stage["successes"]["latency"], factor, name)


def in_genai(change: Change) -> Change:
    return lambda run: change(run["aggregated_metrics"])


REFUSED: list[tuple[Path, Change, str]] = [
    # All latencies in seconds under keys of ms, in every kind of load.
    (VLLM, lambda run: (times(run, 1e-3, "_ms"), open_loop(run)), "0.1 ms"),
    (VLLM, lambda run: (times(run, 1e-3, "_ms"), run.update(max_concurrency=None)), "unit is not ms"),
    (VLLM, lambda run: (times(run, 1e-3, "_ms"), run.update(failed=1, num_prompts=25)), "unit is not ms"),
    (VLLM, lambda run: (times(run, 1e3, "_ms"), run.update(max_concurrency=None)), "unit is not ms"),
    (GUIDELLM, of_guidellm("request_latency", 1000), "e2el_ms_mean is 595595"),
    (GENAI, lambda run: run.update(_time_unit="ms"), "unit is not ms"),
    (LLMPERF, lambda run: times(run, 1000, "results_ttft_s", "results_end_to_end_latency_s"), "unit is not ms"),
    # A throughput that is not its own file's.
    (VLLM, lambda run: run.update(output_throughput=857989.0), "3,072 output tokens in 3.58046 s"),
    (VLLM, lambda run: run.update(total_token_throughput=10.0), "total_tokens_per_s is 10"),
    (VLLM, lambda run: run.update(duration=0), "duration_s is 0"),
    (SGLANG, lambda run: run.update(request_throughput=6627.0), "requests_per_s is 6627"),
    (AIPERF, lambda run: run["output_token_throughput"].update(avg=1e6), "output_tokens_per_s is 1e\\+06"),
    (GUIDELLM, of_guidellm("output_tokens_per_second", 1000), "output_tokens_per_s is 846757"),
    (STAGE, lambda stage: stage["successes"]["throughput"].update(output_tokens_per_sec=1e6), "768 output tokens in"),
    (GENAI, in_genai(lambda run: run.update(mean_output_throughput_tokens_per_s=766821.0)), "come to 766.8"),
    (LLMPERF, lambda run: times(run, 1000, "results_mean_output_throughput"), "of 63.08 tokens come to 81.67"),
    # ITL and normalised TPOT in another unit than the rest.
    (VLLM, lambda run: times(run, 1e-3, "_itl_ms"), "itl_ms_mean is 0.00434879"),
    (STAGE, of_stage("inter_token_latency", 1000), "itl_ms_max is .* above e2el_ms_max"),
    (AIPERF, lambda run: run["inter_chunk_latency"].update(unit="s"), "itl_ms_max is .* above e2el_ms_max"),
    (STAGE, of_stage("normalized_time", 1000), "ntpot_ms_max is .* above e2el_ms_max"),
    # Statistics of no list of requests.
    (AIPERF, lambda run: run["time_to_first_token"].update(avg=0.6), "cannot be above ttft_ms_mean"),
    (GENAI, in_genai(lambda run: run["stats"]["ttft"].update(mean=0.2)), "ttft_ms_mean is 200"),
    (SGLANG, lambda run: run.update(mean_e2e_latency_ms=0.79), "cannot be above e2el_ms_mean"),
    (VLLM, lambda run: run.update(median_ttft_ms=36.0, p50_ttft_ms=5.0), "5 ms, but the same statistic is 36 ms"),
    # More requests than there were.
    (VLLM, lambda run: run.update(completed=240), "where num_prompts is 24"),
    (VLLM, lambda run: run.update(failed=1000), "where num_prompts is 24"),
    (GENAI, in_genai(lambda run: run.update(num_error_requests=300)), "num_error_requests of 300"),
    (STAGE, lambda stage: stage["failures"].update(count=300), "failures.count of 300"),
    (LLMPERF, lambda run: run.update(results_number_errors=300), "results_number_errors of 300"),
    (
        GUIDELLM,
        lambda report: report["benchmarks"][0]["metrics"]["request_totals"].update(errored=300),
        "errored of 300 and incomplete of 0",
    ),
]


@pytest.mark.parametrize(("path", "change", "said"), REFUSED)
def test_what_contradicts_itself_is_refused(path: Path, change: Change, said: str, tmp_path: Path) -> None:
    assert read_points(path)[0]
    with pytest.raises(InputError, match=said):
        read_points(changed(path, tmp_path, change))


def flags_of(path: Path) -> set[str]:
    (point,), _ = read_points(path)
    return {flag["kind"] for flag in json.loads(point.get("flags", "[]"))}


@pytest.mark.parametrize(
    ("path", "change", "kind"),
    [
        # 4 requests were under way, by the file's own count too.
        (SGLANG, lambda run: run.update(max_concurrency=64), "littles-law"),
        # A tenth of 811 tokens/s: the window may have been ten times as long.
        (AIPERF, lambda run: run["output_token_throughput"].update(avg=81.1), "rates_differ"),
        # 39 ms, 4.4 ms and 596 ms over a hundred: a mock server might be so fast.
        (VLLM, lambda run: (times(run, 0.01, "_ms"), open_loop(run)), "too_fast"),
    ],
)
def test_what_is_only_strange_is_told(path: Path, change: Change, kind: str, tmp_path: Path) -> None:
    assert kind not in flags_of(path)
    assert kind in flags_of(changed(path, tmp_path, change))


def test_a_report_of_llm_d_with_more_failures_than_requests_is_refused(tmp_path: Path) -> None:
    text = (SAMPLES / "llmd_report" / "guidellm_0_2.yaml").read_text()
    path = tmp_path / "report.yaml"
    path.write_text(text.replace("total: 240, failures: 0", "total: 240, failures: 300"))
    with pytest.raises(InputError, match=r"requests.failures of 300 requests where requests.total is 240"):
        read_points(path)


def test_a_stage_all_of_whose_requests_failed_is_a_point(tmp_path: Path) -> None:
    nothing = {"count": 0, "latency": None, "throughput": None, "prompt_len": None, "output_len": None}

    def all_failed(stage: dict[str, Any]) -> None:
        stage["successes"] = nothing
        stage["failures"]["count"] = 24

    path = changed(STAGE, tmp_path, all_failed)
    (point,), _ = read_points(path)
    assert {key: point[key] for key in ("requests_ok", "requests_failed", "failed_share")} == {
        "requests_ok": 0,
        "requests_failed": 24,
        "failed_share": 1,
    }
    assert "e2el_ms_mean" not in point
    assert "failures" in flags_of(path)
