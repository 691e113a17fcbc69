"""Three endpoints to practise on. Their figures are made up to be plausible; what is measured on them is simulated."""

from __future__ import annotations

from typing import Any

from bench.errors import UnknownName

PRESETS: dict[str, dict[str, Any]] = {
    "chat-gpu": {
        "simulates": "a chat model on one GPU: quick steps, a small batch",
        "dialect": "vllm",
        "step_ms": 11.0,
        "step_us_per_request": 120.0,
        "prefill_us_per_token": 55.0,
        "max_running": 64,
        "kv_tokens": 160_000,
        "context_tokens": 32_768,
    },
    "batch-tpu": {
        "simulates": "a throughput model on a slice of TPUs: slow steps that hardly grow, a big batch",
        "dialect": "vllm",
        "step_ms": 24.0,
        "step_us_per_request": 22.0,
        "prefill_us_per_token": 12.0,
        "max_running": 512,
        "kv_tokens": 2_000_000,
        "context_tokens": 131_072,
    },
    "saturating": {
        "simulates": "an engine past its knee: beyond 32 running requests its throughput falls",
        "dialect": "sglang",
        "step_ms": 8.0,
        "step_us_per_request": 60.0,
        "step_us_per_request_squared": 7.8125,  # throughput peaks where base = squared term: sqrt(8000 / 7.8125) = 32
        "prefill_us_per_token": 20.0,
        "max_running": 256,
        "max_waiting": 256,
        "kv_tokens": 400_000,
        "context_tokens": 16_384,
    },
}


def preset(name: str) -> dict[str, Any]:
    """The settings of a preset; UnknownName when there is none of that name."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return dict(PRESETS[name])
