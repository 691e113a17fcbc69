"""What tells one engine from another: its routes, the shape of its errors, its metrics. All say they are simulated."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from bench.endpoint import counting
from bench.endpoint.settings import Settings

VERSIONS = {"vllm": "0.11.0", "sglang": "0.5.4", "llama.cpp": "b6900", "tgi": "3.3.6", "transformers": "5.0.0"}
"""What an info route tells when no version is set."""

STANDARD = frozenset(
    "model messages prompt max_tokens max_completion_tokens stream stream_options temperature top_p n stop seed user "
    "logprobs top_logprobs presence_penalty frequency_penalty logit_bias response_format tools tool_choice "
    "parallel_tool_calls metadata store suffix echo best_of reasoning_effort service_tier".split()
)
"""The fields of OpenAI's own interface."""

TOKENIZED = {"vllm": "prompt", "sglang": "prompt", "llama.cpp": "content", "tgi": "inputs"}
"""What POST /tokenize calls the text, by dialect; those that are not here have no such route."""

TYPES = {
    400: "BadRequestError",
    401: "Unauthorized",
    404: "NotFoundError",
    422: "UnprocessableEntityError",
    429: "TooManyRequestsError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
}


@dataclass(frozen=True)
class EngineFigures:
    """What an engine counts; prefix queries and hits in tokens. Nothing is ever preempted here."""

    running: int
    waiting: int
    kv_share: float
    prompt_tokens: int
    generation_tokens: int
    finished: int
    prefix_queries: int = 0
    prefix_hits: int = 0
    preemptions: int = 0


METRICS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "vllm": (
        ("vllm:num_requests_running", "gauge", "running"),
        ("vllm:num_requests_waiting", "gauge", "waiting"),
        ("vllm:kv_cache_usage_perc", "gauge", "kv_share"),
        ("vllm:prompt_tokens_total", "counter", "prompt_tokens"),
        ("vllm:generation_tokens_total", "counter", "generation_tokens"),
        ("vllm:request_success_total", "counter", "finished"),
        ("vllm:prefix_cache_queries_total", "counter", "prefix_queries"),
        ("vllm:prefix_cache_hits_total", "counter", "prefix_hits"),
        ("vllm:num_preemptions_total", "counter", "preemptions"),
    ),
    "sglang": (
        ("sglang:num_running_reqs", "gauge", "running"),
        ("sglang:num_queue_reqs", "gauge", "waiting"),
        ("sglang:token_usage", "gauge", "kv_share"),
        ("sglang:prompt_tokens_total", "counter", "prompt_tokens"),
        ("sglang:generation_tokens_total", "counter", "generation_tokens"),
        ("sglang:num_requests_total", "counter", "finished"),
    ),
    "llama.cpp": (
        ("llamacpp:requests_processing", "gauge", "running"),
        ("llamacpp:requests_deferred", "gauge", "waiting"),
        ("llamacpp:prompt_tokens_total", "counter", "prompt_tokens"),
        ("llamacpp:tokens_predicted_total", "counter", "generation_tokens"),
    ),
    "tgi": (
        ("tgi_batch_current_size", "gauge", "running"),
        ("tgi_queue_size", "gauge", "waiting"),
        ("tgi_request_success", "counter", "finished"),
    ),
}
"""Name, type and figure of each line of an engine's /metrics."""


def version(settings: Settings) -> str:
    """The engine version the info routes tell."""
    return settings.engine_version or VERSIONS.get(settings.dialect, "1")


def error(dialect: str, status: int, sentence: str) -> bytes:
    """An error's body as the engine writes it."""
    kind = TYPES.get(status, "APIError")
    shapes: dict[str, Mapping[str, Any]] = {
        "vllm": {"error": {"message": sentence, "type": kind, "param": None, "code": status}},
        "sglang": {"object": "error", "message": sentence, "type": kind, "param": None, "code": status},
        "llama.cpp": {"error": {"code": status, "message": sentence, "type": "invalid_request_error"}},
        "tgi": {"error": sentence, "error_type": "overloaded" if status == 429 else "validation"},
        "transformers": {"detail": sentence},
    }
    plain = {"error": {"message": sentence, "type": "invalid_request_error", "param": None, "code": None}}
    return json.dumps(shapes.get(dialect, plain)).encode()


def too_long(dialect: str, prompt: int, output: int, limit: int) -> tuple[int, str]:
    """Status and sentence for a request beyond the context limit."""
    total = prompt + output
    if dialect == "tgi":
        return 422, (
            f"Input validation error: `inputs` tokens + `max_new_tokens` must be <= {limit}. "
            f"Given: {prompt} `inputs` tokens and {output} `max_new_tokens`"
        )
    if dialect == "sglang":
        return 400, (
            f"Requested token count exceeds the model's maximum context length of {limit} tokens. You requested a "
            f"total of {total} tokens: {prompt} tokens from the input messages and {output} tokens for the completion."
        )
    if dialect == "llama.cpp":
        return (400, f"request ({total} tokens) exceeds the available context size ({limit} tokens), try increasing it")
    if dialect == "vllm" and prompt < limit:
        return 400, (
            f"'max_tokens' or 'max_completion_tokens' is too large: {output}. This model's maximum context length is "
            f"{limit} tokens and your request has {prompt} input tokens ({output} > {limit} - {prompt})."
        )
    return 400, (
        f"This model's maximum context length is {limit} tokens. However, you requested {total} tokens ({prompt} in "
        f"the messages, {output} in the completion). Please reduce the length of the messages or completion."
    )


def unknown_fields(dialect: str, given: Mapping[str, Any]) -> tuple[int, str] | None:
    """Status and sentence for fields this engine refuses; None when it takes or ignores them all."""
    extra = sorted(set(given) - STANDARD)
    if not extra:
        return None
    if dialect == "transformers":
        return 422, f"Unexpected keys in the request: {set(extra)}"
    if dialect == "openai":
        return 400, f"Unrecognized request argument supplied: {extra[0]}"
    return None


def heeds(dialect: str, name: str) -> bool:
    """Whether an engine acts on a field beyond OpenAI's interface."""
    return dialect in ("vllm", "sglang") or (name == "ignore_eos" and dialect == "llama.cpp")


def info(settings: Settings, path: str, figures: EngineFigures) -> dict[str, Any] | None:
    """What GET on an info route gives, as JSON; None where this engine has no such route."""
    if path == "/v1/models":
        return {"object": "list", "data": [_model(settings)]}
    told = _routes(settings, figures).get((settings.dialect, path))
    return told and {**told, "simulated": True, "simulates": settings.simulates}


def _model(settings: Settings) -> dict[str, Any]:
    return {
        "id": settings.model,
        "object": "model",
        "created": 1_700_000_000,
        "owned_by": settings.dialect,
        "root": settings.model,
        "parent": None,
        "max_model_len": settings.limit_tokens,
        "simulated": True,
        "simulates": settings.simulates,
    }


def _routes(settings: Settings, figures: EngineFigures) -> dict[tuple[str, str], dict[str, Any]]:
    named, model, limit = version(settings), settings.model, settings.limit_tokens
    slots = settings.max_running or 1024
    server = {"model_path": model, "version": named, "context_length": limit, "max_running_requests": slots}
    return {
        ("vllm", "/version"): {"version": named},
        ("sglang", "/get_server_info"): {**server, "tp_size": 1, "dp_size": 1},
        ("sglang", "/server_info"): {**server, "tp_size": 1, "dp_size": 1},
        ("sglang", "/get_model_info"): {"model_path": model, "tokenizer_path": model, "is_generation": True},
        ("llama.cpp", "/props"): {
            "default_generation_settings": {"n_ctx": limit, "id": 0, "is_processing": figures.running > 0},
            "total_slots": slots,
            "model_path": model,
            "build_info": named,
        },
        ("tgi", "/info"): {
            "model_id": model,
            "version": named,
            "max_concurrent_requests": slots,
            "max_input_tokens": limit - 1,
            "max_total_tokens": limit,
            "docker_label": None,
        },
        ("transformers", "/openapi.json"): {
            "openapi": "3.1.0",
            "paths": {path: {} for path in ("/v1/chat/completions", "/v1/models", "/load_model", "/reset")},
        },
    }


def tokenized(settings: Settings, body: Mapping[str, Any]) -> object | None:
    """What POST /tokenize gives; None where this engine has no such route."""
    dialect, messages = settings.dialect, body.get("messages")
    if dialect == "vllm" and isinstance(messages, list):
        number = counting.chat_tokens(messages)
        return {"count": number, "max_model_len": settings.limit_tokens, "tokens": [0] * number}
    tokens = counting.tokens_of(str(body.get(TOKENIZED.get(dialect, ""), "")))
    ids = [zlib.crc32(token.encode()) % 32_000 for token in tokens]
    if dialect in ("vllm", "sglang"):
        return {"count": len(ids), "max_model_len": settings.limit_tokens, "tokens": ids}
    if dialect == "llama.cpp":
        return {"tokens": ids}
    if dialect == "tgi":
        ends = list(accumulate(map(len, tokens)))
        return [
            {"id": id, "text": token, "start": end - len(token), "stop": end}
            for id, token, end in zip(ids, tokens, ends, strict=True)
        ]
    return None


def metrics(settings: Settings, figures: EngineFigures) -> str | None:
    """/metrics in Prometheus' text format; None where this engine has none."""
    rows = METRICS.get(settings.dialect)
    if rows is None:
        return None
    label = "" if settings.dialect == "tgi" else f'{{model_name="{settings.model}"}}'
    lines = ["# simulated by kneepoint-endpoint"]
    for name, kind, figure in rows:
        lines += [f"# HELP {name} {figure}", f"# TYPE {name} {kind}", f"{name}{label} {getattr(figures, figure)}"]
    return "\n".join(lines) + "\n"
