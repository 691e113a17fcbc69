"""TensorRT-LLM's performance overview: throughput under maximum load in three releases, and online serving in 0.14.

The H100 and H200 of these pages are the SXM parts of DGX systems, the A100 is SXM4 80 GB, the GH200 the 480 GB one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bench import names
from data.recipes.tables import Card, Row, Table, number, passports, read

REPOSITORY = "https://github.com/NVIDIA/TensorRT-LLM"
OVERVIEW = f"{REPOSITORY}/blob/{{commit}}/docs/source/{{folder}}/perf-overview.md"
V017 = OVERVIEW.format(commit="258c7540c03517def55d9a5aadfa9288af474e1b", folder="performance")
V100 = OVERVIEW.format(commit="00f37686aa854010d68bcbd0f4ab000221541ca6", folder="performance")
LATEST = OVERVIEW.format(commit="03e27c7d5ff0c6e89f8328838c0a8e64f1b34f9d", folder="developer-guide")
ACCELERATORS = {"A100": "a100-sxm-80gb", "GH200": "gh200-96gb"}
"""The names the tables shorten, as the page spells them out: A100 SXM4 80GB and GH200 480GB, the part with 96 GB."""
LATEST_VARIANT = "perf-overview at 03e27c7d, release not stated"

CHECKPOINTS = {
    ("1.0", "Llama-3.3-70B", "FP4"): "nvidia/Llama-3.3-70B-Instruct-FP4",
    ("1.0", "Llama-3.1-405B", "FP4"): "nvidia/Llama-3.1-405B-Instruct-FP4",
    ("1.0", "Qwen3-235B-A22B", "FP4"): "nvidia/Qwen3-235B-A22B-FP4",
    ("1.0", "Qwen3-30B-A3B", "FP4"): "nvidia/Qwen3-30B-A3B-FP4",
    ("1.0", "Llama-3.1-8B", "FP8"): "nvidia/Llama-3.1-8B-Instruct-FP8",
    ("1.0", "Llama-3.3-70B", "FP8"): "nvidia/Llama-3.3-70B-Instruct-FP8",
    ("1.0", "Llama-3.1-405B", "FP8"): "nvidia/Llama-3.1-405B-Instruct-FP8",
    ("1.0", "Llama-4-Maverick", "FP8"): "nvidia/Llama-4-Maverick-17B-128E-Instruct-FP8",
    ("1.0", "Qwen3-235B-A22B", "FP8"): "nvidia/Qwen3-235B-A22B-FP8",
    ("latest", "DeepSeek-R1-0528", "FP4"): "nvidia/DeepSeek-R1-0528-NVFP4-v2",
    ("latest", "Qwen3-235B-A22B", "FP4"): "nvidia/Qwen3-235B-A22B-FP4",
    ("latest", "Qwen3-30B-A3B", "FP4"): "nvidia/Qwen3-30B-A3B-FP4",
    ("latest", "Llama-3.3-70B", "FP4"): "nvidia/Llama-3.3-70B-Instruct-FP4",
    ("latest", "Llama-4-Maverick", "FP4"): "nvidia/Llama-4-Maverick-17B-128E-Instruct-NVFP4",
    ("latest", "DeepSeek-R1-0528", "FP8"): "deepseek-ai/DeepSeek-R1-0528",
    ("latest", "Qwen3-235B-A22B", "FP8"): "nvidia/Qwen3-235B-A22B-FP8",
    ("latest", "Llama-3.3-70B", "FP8"): "nvidia/Llama-3.3-70B-Instruct-FP8",
    ("latest", "Llama-4-Maverick", "FP8"): "nvidia/Llama-4-Maverick-17B-128E-Instruct-FP8",
}
"""The checkpoints the overview lists for a release and precision; the others are not stated."""


def tables() -> tuple[Table, ...]:
    """Four tables: 373 points of 0.17, 328 of 1.0, 130 of the latest overview, 72 of online serving."""
    return (
        Table("tensorrt-llm-0.17", CARD_017, _rows("max_throughput_v0.17.csv", _point_017)),
        Table("tensorrt-llm-1.0", CARD_100, _rows("max_throughput_v1.0.csv", _point_100)),
        Table("tensorrt-llm-latest", CARD_LATEST, _rows("max_throughput_per_gpu_latest.csv", _point_latest)),
        Table("tensorrt-llm-online-0.14", CARD_ONLINE, _rows("online_serving_v0.14_bf16.csv", _point_online)),
    )


def _rows(file: str, point: Callable[[dict[str, str]], Row]) -> list[Row]:
    return [point(row) for row in read("tensorrt-llm", file)]


def _common(row: dict[str, str], release: str) -> Row:
    return {
        "model": names.model_slug(row["model"]),
        "checkpoint": CHECKPOINTS.get((release, row["model"], row["precision"])),
        "precision": row["precision"].lower(),
        "engine": "tensorrt-llm",
        "accelerator": ACCELERATORS.get(row["gpu"]) or names.accelerator_slug(row["gpu"]),
        "evidence": "measured",
        "origin": "published",
    }


def _saturated(row: dict[str, str]) -> Row:
    return {"isl": int(row["isl"]), "osl": int(row["osl"]), "dataset": "random", "load_kind": "saturated"}


def _point_017(row: dict[str, str]) -> Row:
    grace = row["gpu"] == "GH200"
    return {
        **_common(row, "0.17"),
        **_saturated(row),
        "kv_precision": "fp8" if row["precision"] == "FP8" else None,
        "engine_version": "0.17",
        "accelerators": int(row["tp"]) * int(row["pp"]),
        "tp": int(row["tp"]),
        "pp": int(row["pp"]),
        "harness": "gptmanagerbenchmark" if grace else "trtllm-bench",
        "source_url": V017,
        "note": "The page prints GH200 480GB." if grace else None,
        "output_tokens_per_s": number(row["output_tput_tok_s"]),
    }


def _point_100(row: dict[str, str]) -> Row:
    return {
        **_common(row, "1.0"),
        **_saturated(row),
        "engine_version": "1.0",
        "accelerators": int(row["tp"]) * int(row["pp"]),
        "tp": int(row["tp"]),
        "pp": int(row["pp"]),
        "harness": "trtllm-bench",
        "source_url": V100,
        "output_tokens_per_s": number(row["output_tput_tok_s"]),
    }


def _point_latest(row: dict[str, str]) -> Row:
    chips = int(row["gpu_count"])
    per_gpu = number(row["output_tput_per_gpu"])
    return {
        **_common(row, "latest"),
        **_saturated(row),
        **_layout(row["parallelism"], chips),
        "kv_precision": _latest_kv(row),
        "accelerators": chips,
        "variant": LATEST_VARIANT,
        "harness": "trtllm-bench",
        "source_url": LATEST,
        "output_tokens_per_s": None if per_gpu is None else per_gpu * chips,
    }


def _layout(parallelism: str, chips: int) -> Row:
    """DEP4: attention data-parallel and experts parallel over four GPUs, started with --tp 4 --ep 4."""
    degrees = {axis: int(degree) for axis, degree in re.findall(r"(DEP|TP|PP)(\d+)", parallelism)}
    if "DEP" in degrees:
        layout: Row = {"tp": degrees["DEP"], "ep": degrees["DEP"], "dp_attention": True}
    else:
        layout = {"tp": degrees["TP"]}
    pipeline = degrees.get("PP", 1)
    if layout["tp"] * pipeline != chips:
        raise ValueError(f"{parallelism} does not make {chips} GPUs.")
    return {**layout, "pp": pipeline}


def _latest_kv(row: dict[str, str]) -> str | None:
    """The KV cache's precision where the page's settings state it."""
    blackwell = row["gpu"] in ("B200", "GB200", "RTXPRO6000")
    stated = row["model"].startswith("DeepSeek") or (row["model"].startswith("GPT-OSS") and blackwell)
    return "fp8" if stated else None


def _point_online(row: dict[str, str]) -> Row:
    at_once = row["offered_qps"] == "INF"
    return {
        **_common(row, "0.14"),
        "engine_version": "0.14",
        "accelerators": int(row["tp"]),
        "tp": int(row["tp"]),
        "isl": int(row["isl_mean"]),
        "osl": int(row["osl_mean"]),
        "load_kind": "saturated" if at_once else "open",
        "request_rate": None if at_once else number(row["offered_qps"]),
        "harness": "tensorrtllm-backend",
        "source_url": V017,
        "note": "QPS INF: the 500 requests are sent at once." if at_once else None,
        "output_tokens_per_s": number(row["output_tput_tok_s"]),
        "total_tokens_per_s": number(row["total_tput_tok_s"]),
        "requests_per_s": number(row["req_tput_rps"]),
        "ttft_ms_mean": number(row["mean_ttft_ms"]),
        "itl_ms_mean": number(row["mean_itl_ms"]),
    }


def _card(title: str, url: str, metrics: dict[str, dict[str, str]]) -> Card:
    return Card(
        slug="tensorrt-llm",
        title=title,
        licence="Apache-2.0",
        licence_url=f"{REPOSITORY}/blob/main/LICENSE",
        url=url,
        attribution="NVIDIA TensorRT-LLM performance overview; the vendor's own figures.",
        metrics=metrics,
    )


WHOLE = {
    "definition": "as catalogue",
    "unit_in_file": "tokens/s",
    "denominator": "whole deployment",
    "window": "whole run, requests sent as fast as possible",
}
CARD_017 = _card("TensorRT-LLM 0.17: throughput under maximum load", V017, {"output_tokens_per_s": WHOLE})
CARD_100 = _card("TensorRT-LLM 1.0: throughput under maximum load", V100, {"output_tokens_per_s": WHOLE})
CARD_LATEST = _card(
    "TensorRT-LLM, latest overview: throughput under maximum load",
    LATEST,
    {
        "output_tokens_per_s": {
            **WHOLE,
            "definition": "converted: output tokens/s per GPU x all GPUs",
            "unit_in_file": "tokens/s/GPU",
            "denominator": "all GPUs",
        }
    },
)
CARD_ONLINE = _card(
    "TensorRT-LLM 0.14: online serving through the Triton backend, BF16",
    V017,
    {
        **passports(
            ["output_tokens_per_s", "total_tokens_per_s"],
            definition="as catalogue",
            unit_in_file="tokens/s",
            denominator="whole deployment",
            window="500 requests",
        ),
        "requests_per_s": {
            "definition": "as catalogue, printed without decimals",
            "unit_in_file": "requests/s",
            "window": "500 requests",
        },
        "ttft_ms_mean": {"definition": "as catalogue", "unit_in_file": "ms"},
        "itl_ms_mean": {"definition": "inter-token latency; the page gives no formula", "unit_in_file": "ms"},
    },
)
