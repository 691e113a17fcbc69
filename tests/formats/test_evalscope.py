"""EvalScope's levels: seconds and ms by key, two definitions of TPOT, percentiles and arguments beside a level."""

from __future__ import annotations

import json
from pathlib import Path

from tests.formats.reading_of import one_point, passports

SAMPLES = Path(__file__).parents[1] / "samples" / "evalscope"
NEW = {
    "Concurrency": 8,
    "Success Requests": 80,
    "Failed Requests": 0,
    "Test Duration (s)": 40.0,
    "Output Throughput (tok/s)": 512.0,
    "Total Throughput (tok/s)": -1,
    "Req Throughput (req/s)": 2.0,
    "Avg Latency (s)": 4.0,
    "TTFT (ms)": 175.0,
    "TPOT (ms)": 15.0,
    "Avg Output Tokens": 256.0,
}


def test_tpot_is_what_the_version_takes_for_it(tmp_path: Path) -> None:
    path = tmp_path / "benchmark_summary.json"
    path.write_text(json.dumps(NEW))
    found = one_point(path)
    assert (found["ttft_ms_mean"], found["tpot_ms_mean"], found["e2el_ms_mean"]) == (175.0, 15.0, 4000.0)
    assert "total_tokens_per_s" not in found  # -1 is none
    assert "(output tokens - 1)" in passports(path)["tpot_ms_mean"]["definition"]
    old = passports(SAMPLES / "parallel_1_number_10" / "benchmark_summary.json")
    assert "last chunk left out" in old["tpot_ms_mean"]["definition"]


def test_a_level_without_a_good_answer_has_no_throughput(tmp_path: Path) -> None:
    path = tmp_path / "benchmark_summary.json"
    none = dict.fromkeys(("Output Throughput (tok/s)", "Req Throughput (req/s)", "Success Requests"), 0)
    path.write_text(json.dumps({**NEW, **none, "Failed Requests": 80, "Avg Latency (s)": -1, "TTFT (ms)": -1}))
    found = one_point(path)
    assert (found["requests_ok"], found["requests_failed"]) == (0, 80)
    assert not found.keys() & {"output_tokens_per_s", "requests_per_s", "ttft_ms_mean", "e2el_ms_mean"}


def test_percentiles_and_arguments_lie_beside(tmp_path: Path) -> None:
    path = tmp_path / "benchmark_summary.json"
    path.write_text(json.dumps({**NEW, "Request Rate (req/s)": 2.0}))
    rows = [{"Percentiles": "50%", "TTFT (ms)": 170.0, "Latency (s)": 3.9}, {"Percentiles": "99%", "TTFT (ms)": 400.0}]
    (tmp_path / "benchmark_percentile.json").write_text(json.dumps(rows))
    (tmp_path / "benchmark_args.json").write_text(json.dumps({"model": "Qwen/Qwen3-8B", "dataset": "openqa"}))
    found = one_point(path)
    assert (found["ttft_ms_p50"], found["ttft_ms_p99"], found["e2el_ms_p50"]) == (170.0, 400.0, 3900.0)
    assert (found["model"], found["dataset"]) == ("qwen3-8b", "openqa")
    assert (found["load_kind"], found["request_rate"]) == ("open", 2.0)
