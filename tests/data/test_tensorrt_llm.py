"""TensorRT-LLM's overview: four tables, their chips and loads."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from data.recipes.tables import read
from tests.data.published import only, rows


def test_tensorrt_llm_017_scales_llama_70b_over_one_two_four_eight_h200() -> None:
    found = {
        row["accelerators"]: row["output_tokens_per_s"]
        for row in rows("tensorrt-llm-0.17")
        if (row["model"], row["accelerator"], row["isl"], row["osl"]) == ("llama-3.1-70b", "h200-sxm", "1000", "1000")
    }
    assert found == {"1": "2823.45", "2": "5164.76", "4": "8911.29", "8": "13181.24"}
    a100 = only("tensorrt-llm-0.17", model="llama-3.1-8b", accelerator="a100-sxm-80gb", isl="128", osl="128")
    assert (a100["precision"], a100["kv_precision"], a100["output_tokens_per_s"]) == ("fp16", "", "6627.27")
    assert {row["load_kind"] for row in rows("tensorrt-llm-0.17")} == {"saturated"}
    assert {row["harness"] for row in rows("tensorrt-llm-0.17") if row["accelerator"] == "gh200-96gb"} == {
        "gptmanagerbenchmark"
    }


def test_tensorrt_llm_keeps_llama_31_and_33_apart_and_counts_pipelines() -> None:
    assert "llama-3.1-70b" not in {row["model"] for row in rows("tensorrt-llm-1.0")}
    row = only("tensorrt-llm-1.0", model="llama-3.3-70b", accelerators="8", isl="128", osl="128")
    assert (row["accelerator"], row["tp"], row["pp"]) == ("rtx-pro-6000", "1", "8")


def test_tensorrt_llm_latest_is_converted_from_per_gpu() -> None:
    # 6,463 tokens/s/GPU x 4, attention data-parallel and experts over four GPUs
    row = only("tensorrt-llm-latest", model="deepseek-r1", accelerator="b200-sxm", isl="1000")
    assert (row["output_tokens_per_s"], row["accelerators"]) == ("25852", "4")
    assert (row["tp"], row["ep"], row["dp_attention"], row["kv_precision"]) == ("4", "4", "true", "fp8")
    assert "engine_version" not in row
    printed = read("tensorrt-llm", "max_throughput_per_gpu_latest.csv")
    for made, stated in zip(rows("tensorrt-llm-latest"), printed, strict=True):
        assert Decimal(made["output_tokens_per_s"]) == Decimal(stated["output_tput_tok_s_derived"])


def test_tensorrt_llm_online_is_open_loop_but_for_requests_sent_at_once() -> None:
    kinds = Counter((row["load_kind"], row["request_rate"]) for row in rows("tensorrt-llm-online-0.14"))
    assert kinds == {("saturated", ""): 12, **{("open", rate): 12 for rate in ("2", "4", "8", "16", "32")}}
    row = only("tensorrt-llm-online-0.14", model="llama-3.1-70b", accelerator="h100-sxm", request_rate="32", osl="16")
    assert (row["ttft_ms_mean"], row["itl_ms_mean"], row["output_tokens_per_s"]) == ("1197", "482", "452")
