"""Gemma 4 on a TPU v6e-4 and on one H100, rvLLM and vLLM: decode sweeps, context, TTFT, perplexity (rvLLM's page).

Two vLLM columns carry the same label. Column A was measured with 50-token completions, column B with the server's
defaults, as the commits of the page say; they are two variants and two workloads.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from bench.names import model_slug
from data.recipes.articles import tpu_v6e_vs_h100_words as words
from data.recipes.articles.filing import (
    CEILING,
    COMPONENT,
    DERIVED,
    NO_NUMBER,
    SPECIFICATION,
    Cell,
    Figure,
    Filing,
    Judged,
    LeftOut,
    Paid,
    value,
)

CARD = words.CARD
FOUR_CHIPS = Decimal("5.20")
APRIL, JUNE = "2026-04-19", "2026-06-10"
CONTEXTS = {"512": 512, "2048": 2048, "32K": 32_768, "64K": 65_536, "128K": 131_072}
SPLIT_CACHE = {65_536: "JAX, split cache, 10 groups of 6", 131_072: "JAX, split cache, blockwise global attention"}
SINGLE_SCAN = "JAX, single scan"
PEAK_BATCH = {"gemma-4-e4b": 1024, "gemma-4-26b-a4b": 768, "gemma-4-31b": 768}
METRICS = {
    "decode_throughput": "output_tokens_per_s",
    "decode_throughput_total": "output_tokens_per_s",
    "peak_throughput": "output_tokens_per_s",
    "decode_latency": "decode_step_ms_mean",
    "ttft_cached": "ttft_cached_ms",
    "ttft_first_run_incl_compile": "ttft_cold_ms",
}
# One user, one H100, rvLLM: what each printed figure is.
ONE_USER = {
    "63.0": {"variant": "CUDA graph, single-user decode, June 2026", "max_model_len": 2048, "date": JUNE},
    "44.9": {"variant": "CUDA graph, full generation, before June 2026"},
    "83.9": {"variant": "speculation on real text, context above 1,200 tokens", "speculation": "ngram", "date": JUNE},
    "14": {"variant": "production context, before the June 2026 kernels"},
    "61.4": {"variant": "production context, June 2026 kernels", "date": JUNE},
    "40.0": {"variant": "perplexity path, FP8-Dynamic, CUTLASS channelscale epilogue", "date": APRIL},
    "37.9": {"date": APRIL},
    "11": {"variant": "eager, no CUDA graph, April 2026", "max_model_len": 2048, "date": APRIL},
    "~91": {"variant": "eager, no CUDA graph, April 2026", "max_model_len": 2048, "date": APRIL},
}
APRIL_SWEEP = {"variant": "CUDA graph, forward only, April 2026", "max_model_len": 2048, "date": APRIL}
JUNE_SWEEP = {"variant": "CUDA graph, default routes, June 2026", "max_model_len": 2048, "date": JUNE}
FP16_PATHS = {
    "BF16 split QKV per-tensor FP8, F16 KV": ("fp8", "perplexity path, BF16 split QKV, per-tensor FP8"),
    "F16 weights (no FP8), F16 KV": ("fp16", "perplexity path, F16 weights"),
}


def file(cell: Cell) -> Filing:
    """What becomes of one figure of this page."""
    metric, section = cell["metric"], cell["section"]
    if metric in ("price_per_hour", "cost_per_hour"):
        return Paid("tpu-v6e", 4) if value(cell) == FOUR_CHIPS else Paid("h100-sxm", 1)
    if metric in ("perplexity", "perplexity_hf_reference"):
        return _perplexity(cell)
    if section.startswith(("Small Model", "No Python")):
        return _speculative(cell)
    if section.startswith("XProf"):
        return _profiled(cell)
    if metric == "prefill_time_1200_tokens":
        return _long_prompt()
    if metric == "decode_latency" and cell["engine"] == "vLLM":
        return LeftOut(DERIVED)  # batch / throughput of a server: no step of a decode loop
    if metric not in METRICS:
        return LeftOut(_reason(cell))
    if cell["accelerator"].startswith("TPU"):
        return _tpu(cell)
    return _vllm(cell) if cell["engine"] == "vLLM" else _rvllm(cell)


def _reason(cell: Cell) -> str:
    metric = cell["metric"]
    if metric.startswith(("attention_kernel", "dispatch_gap", "parity", "gemm")):
        return COMPONENT
    derived = ("speedup", "peak_tok_s", "tok_s_per", "scaling_vs", "winner", "crossover")
    return DERIVED if metric.startswith(derived) else SPECIFICATION


def _tpu(cell: Cell) -> Figure:
    model = model_slug(cell["model"])
    context = CONTEXTS.get(cell["context"], 2048)
    point: dict[str, Any] = {
        "model": model,
        "checkpoint": cell["model"],
        "precision": "int8",
        "kv_precision": "int8" if context in SPLIT_CACHE else "bf16",
        "engine": "rvllm",
        "accelerator": "tpu-v6e",
        "accelerators": 4,
        "devices": 4,
        "tp": 4,
        "variant": SPLIT_CACHE.get(context, SINGLE_SCAN),
        "context_tokens": context,
        "max_model_len": context,
        "load_kind": "batch",
        "batch": int(cell["batch_or_concurrency"] or PEAK_BATCH[model]),
        "harness": words.JAX_LOOP,
        "date": APRIL,
        "source_url": words.URL,
    }
    flags = (words.DECODE_ONLY, words.NOT_MONOTONIC) if context > 2048 else (words.DECODE_ONLY,)
    if cell["section"].startswith("EAGLE"):
        point |= {"speculation": "eagle3", "context_tokens": None, "max_model_len": None}
        return Figure(point, METRICS[cell["metric"]], words.EAGLE, flags)
    return Figure(point, METRICS[cell["metric"]], None, flags)


def _profiled(cell: Cell) -> Filing:
    if "Total step" not in cell["note"]:
        return LeftOut(CEILING if cell["evidence"] == "estimated" else COMPONENT)
    step = _tpu({**cell, "metric": "decode_latency", "context": "512"})
    return Figure({**step.point, "harness": "xprof"}, "decode_step_ms_mean", words.PROFILED, step.flags)


def _h100(cell: Cell, **more: object) -> dict[str, Any]:
    return {
        "model": "gemma-4-31b",
        "checkpoint": "RedHatAI/gemma-4-31B-it-FP8-Dynamic",
        "precision": "fp8",
        "accelerator": "h100-sxm",
        "accelerators": 1,
        "devices": 1,
        "tp": 1,
        "load_kind": "batch",
        "batch": int(cell["batch_or_concurrency"] or 1),
        "source_url": words.URL,
        **more,
    }


def _vllm(cell: Cell) -> Figure:
    column_a = cell["section"] in ("Full batch sweep", "rvLLM vs vLLM on H100") or cell["value"] == "69"
    point = _h100(cell, engine="vllm", engine_version="0.19", max_model_len=2048, date=APRIL)
    if column_a:
        point |= {"variant": "column A, 50-token completions", "osl": 50, "harness": words.CLIENT}
    else:
        point |= {"variant": "column B, server defaults", "harness": words.UNKNOWN_CLIENT}
    return Figure(point, METRICS[cell["metric"]], None, (words.SERVER_FIGURE,))


def _rvllm(cell: Cell) -> Figure:
    metric, batch = METRICS[cell["metric"]], cell["batch_or_concurrency"]
    point = _h100(cell, engine="rvllm", kv_precision="fp16", harness=words.CUDA_LOOP)
    if metric == "ttft_cached_ms":
        point |= {"variant": "batch prefill, April 2026", "load_kind": "unknown", "batch": None, "date": APRIL}
        return Figure(point, metric, words.SHORT_PROMPT)
    sweep = _sweep(cell)
    if sweep is not None:
        flags = (words.DECODE_ONLY, words.ITERATIONS) if int(batch) >= 64 else (words.DECODE_ONLY,)
        return Figure({**point, **sweep}, metric, _route(cell), flags)
    point |= ONE_USER[cell["value"]]
    if cell["precision"] in FP16_PATHS:
        point["precision"], point["variant"] = FP16_PATHS[cell["precision"]]
    return Figure(point, metric, None, (words.DECODE_ONLY,))


def _sweep(cell: Cell) -> dict[str, Any] | None:
    """The batch sweep a figure of rvLLM on the H100 belongs to; None for the paths that have no sweep."""
    if cell["section"].startswith("Fresh batch spread") or cell["value"] in ("64.4", "15.5"):
        return JUNE_SWEEP
    if cell["value"] in ("53", "18.7") or int(cell["batch_or_concurrency"]) > 1:
        return APRIL_SWEEP
    return None


def _route(cell: Cell) -> str | None:
    route, _, _ = cell["note"].partition(";")
    return f"GEMM by {route.removeprefix('route ')}" if route.startswith("route ") else None


def _long_prompt() -> Figure:
    cell = {"batch_or_concurrency": "1"}
    point = _h100(cell, engine="rvllm", kv_precision="fp16", isl=1200, date=JUNE)
    point |= {"variant": "per-token prefill beyond 1,024 prompt tokens"}
    return Figure(point, "ttft_ms_mean", words.LONG_PROMPT, (words.STATISTIC,), times=1000)


def _speculative(cell: Cell) -> Filing:
    """Estimates for a 4B model on one GPU: two single numbers, the rest ranges, ceilings and memory."""
    if cell["metric"] == "decode_throughput":
        point = {
            "model": "gemma-4-e4b",
            "precision": "int4" if cell["precision"].startswith("int4") else None,
            "engine": "rvllm",
            "accelerator": "b200-sxm" if cell["accelerator"] == "B200" else "h100-sxm",
            "accelerators": 1,
            "load_kind": "batch",
            "batch": int(cell["batch_or_concurrency"]),
            "source_url": words.URL,
        }
        return Figure(point, "output_tokens_per_s", "at least; back-of-envelope, not benchmarked")
    if cell["metric"] in ("decode_practical", "peak_batch_gain"):
        return LeftOut(NO_NUMBER)
    if cell["metric"] in ("vram_overhead", "kv_cache_per_sequence"):
        return LeftOut(COMPONENT)
    if cell["metric"] == "hbm_bandwidth":
        return LeftOut(SPECIFICATION)
    return LeftOut(CEILING if cell["metric"] in ("weight_read_time", "decode_ceiling") else DERIVED)


def _perplexity(cell: Cell) -> Judged:
    reference = cell["engine"] == "HF transformers"
    model = model_slug(cell["model"])
    score: dict[str, Any] = {
        "model": model,
        "benchmark": "perplexity",
        "metric": "perplexity",
        "direction": "lower",
        "dataset": "John 1:1-14, 86 tokens, with BOS",
        "source_url": words.URL,
        "date": APRIL,
    }
    if reference:
        return Judged({**score, "engine": "hf-transformers", "precision": "bf16"}, "reference")
    score |= {"engine": "rvllm", "checkpoint": cell["model"]}
    if cell["accelerator"].startswith("TPU"):
        return _tpu_perplexity(cell, score)
    precision, variant = FP16_PATHS.get(cell["precision"], ("fp8", ONE_USER["40.0"]["variant"]))
    score |= {"precision": precision, "kv_precision": "fp16", "variant": variant}
    score |= {"accelerator": "h100-sxm", "accelerators": 1, "tp": 1}
    return Judged(score, words.DOUBTED if cell["value"] == "14.75" else None)


def _tpu_perplexity(cell: Cell, score: dict[str, Any]) -> Judged:
    score |= {"accelerator": "tpu-v6e", "accelerators": 4, "tp": 4}
    if cell["value"] in words.EARLIER_PATHS:
        kv_precision, variant = words.EARLIER_PATHS[cell["value"]]
        return Judged({**score, "kv_precision": kv_precision, "variant": variant}, words.LOWER_IS_ODD)
    return Judged({**score, "precision": "int8", "kv_precision": "bf16", "variant": SINGLE_SCAN})
