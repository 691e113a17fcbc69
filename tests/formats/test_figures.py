"""A few figures of each tool's samples, copied by hand from the raw files in the unit of the raw file.

Nothing writes them anew, unlike .expected.json: a unit or a percentile that a format mistakes would be kept there too.
"""

from __future__ import annotations

import re

import pytest

from tests.formats.damage import SAMPLES
from tests.formats.reading_of import read_points

# "s" marks what the raw file has in seconds. InferenceX has 98.9884 tokens/s for each of 4 GPUs.
RAW = """
aiperf/concurrency-4/profile_export_aiperf.json
    ttft_ms_p99 85.32748039999997, tpot_ms_p50 4.414543925196851, itl_ms_p99 11.5801373, e2el_ms_p50 599.6666945,
    output_tokens_per_s 811.2327589021279
dstack/results.csv
    ttft_ms_p99 839.1076522000276, tpot_ms_p50 10.80831780630186, itl_ms_p99 16.330784599858816,
    output_tokens_per_s 9204.001909951025
genai_bench/levels/D100_128_text-to-text_num_concurrency_4_time_4s.json
    ttft_ms_p99 0.042164382340056365 s, tpot_ms_p50 0.004402064129922074 s, e2el_ms_p50 0.598405375000084 s,
    output_tokens_per_s 766.8213260329022
genai_perf/nested/profile_export_genai_perf.json
    ttft_ms_p99 47.92, tpot_ms_p95 11.9, e2el_ms_max 168.0, output_tokens_per_s 137.5
evalscope/parallel_16_number_32/benchmark_summary.json
    ttft_ms_mean 1.2 s, tpot_ms_mean 0.077 s, e2el_ms_mean 40.547 s, output_tokens_per_s 202.0371
guidellm/concurrency-4/benchmarks.json
    ttft_ms_p99 40.232181549072266, tpot_ms_p99 4.427181454155389, e2el_ms_p99 0.5996990203857422 s,
    output_tokens_per_s 846.757308044374
inference_perf/concurrency-4/stage_0_lifecycle_metrics.json
    ttft_ms_p99 0.04158126513995285 s, tpot_ms_p50 0.004328183532262272 s, itl_ms_p99 0.008779773799938084 s,
    e2el_ms_max 0.17438486899982308 s, output_tokens_per_s 668.5354076745743
inferencex/agg_one_node.json
    ttft_ms_p99 0.823114 s, tpot_ms_mean 0.00961868 s, itl_ms_p50 0.00940686 s, e2el_ms_p50 9.04093 s,
    output_tokens_per_s 395.9536
llama_bench/qwen2.5-7b.json
    prefill_tokens_per_s 7100.002165
llm_optimizer/vllm_results.jsonl
    ttft_ms_p99 1222.5397153301492, tpot_ms_p50 27.28665116875758, itl_ms_p95 64.98022639971161,
    e2el_ms_p99 23288.202798799084, output_tokens_per_s 1095.6118874637414
llmd_report/replicas_0_2.yaml
    ttft_ms_p99 700.0, tpot_ms_p50 28.5, itl_ms_p50 0.0282 s, e2el_ms_p99 5.0 s, output_tokens_per_s 1020.0
llmperf/mock-model_100_64_summary.json
    ttft_ms_p99 0.045257340839993956 s, ntpot_ms_p50 0.004801401605553122 s, e2el_ms_p99 0.3183645069100612 s,
    output_tokens_per_s 81.66625277644957
locust/concurrency-4/locust_stats.csv
    ttft_ms_p90 47.0, ttft_ms_mean 41.65452315000948, itl_ms_mean 4.437366407585355
psap_consolidated/consolidated.csv
    ttft_ms_p99 40.232181549072266, tpot_ms_p99 4.427181454155389, e2el_ms_max 0.5996990203857422 s,
    output_tokens_per_s 846.757308044374
sglang/sglang-oai-chat_1120_levels.jsonl
    ttft_ms_p99 42.28018214011172, tpot_ms_p50 4.4335003661425025, itl_ms_p95 6.04098665012316,
    e2el_ms_p99 618.4393764101515, output_tokens_per_s 848.1990351960202
vllm/concurrency-4.json
    ttft_ms_p99 56.65841868008556, tpot_ms_p90 4.400526422047167, itl_ms_p99 7.133596929825216,
    e2el_ms_p99 603.0549450901526, output_tokens_per_s 857.9894835324438
"""
PART = re.compile(r"^(\w+)/(\S+)\n((?: .*\n)+)", re.MULTILINE)
FIGURE = re.compile(r"(\w+) ([\d.]+)( s)?")


def test_a_figure_of_each_kind_is_the_raw_file_s() -> None:
    parts = PART.findall(RAW)
    assert {name for name, *_ in parts} == {folder.name for folder in SAMPLES.iterdir() if folder.is_dir()}
    for name, file, told in parts:
        held = {key: float(value) * (1000 if in_s else 1) for key, value, in_s in FIGURE.findall(told)}
        assert len(held) == told.count(",") + 1
        first = read_points(SAMPLES / name / file)[0][0]
        assert {key: first.get(key) for key in held} == pytest.approx(held, rel=1e-12), name
