"""What the fake endpoint is told to be: one frozen record, from which the command line makes its options."""

from __future__ import annotations

import ipaddress
import math
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from bench.endpoint import failures
from bench.errors import UnknownName, UsageError
from bench.names import DATA

CHOICES = {
    "dialect": ("vllm", "sglang", "llama.cpp", "tgi", "transformers", "openai"),
    "jitter": ("none", "normal", "lognormal"),
    "role_chunk": ("with_first", "at_once", "none"),
    "reasoning_field": ("reasoning_content", "reasoning"),
    "finish": ("with_last", "own"),
    "usage": ("asked", "always", "never"),
    "usage_chunk": ("own", "with_finish"),
}
"""The options that take one of a few words."""

PRESETS: dict[str, dict[str, Any]] = tomllib.loads((DATA / "endpoint_presets.toml").read_text(encoding="utf-8"))
"""Endpoints to practise on; what is measured on them is simulated."""

AT_LEAST_ONE = ("max_running", "kv_tokens", "context_tokens", "default_output", "tokens_per_chunk", "chunks_per_write")
SHARES = ("stops_early",)
MOST_CHUNKS_PER_WRITE = 256


def _field(text: str, default: Any = MISSING, **more: Any) -> Any:
    """A field with its help."""
    return field(default=default, metadata={"help": text}, **more)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the endpoint answers: its timing, its batching, what its chunks look like, and what goes wrong.

    Times per request (`ttft_ms`, `itl_ms`, `jitter`) hold when `step_ms` is None; with `step_ms` the requests share
    steps instead. A capacity of None has no limit.
    """

    host: str = _field("the address to listen on; any but a loopback address lets other machines in", "127.0.0.1")
    port: int = _field("the port; 0 takes a free one", 8000)
    model: str = _field("the one model that is served", "fake-model")
    dialect: str = _field("the server whose routes, errors and metrics to imitate", "vllm")
    engine_version: str = _field("the version that the info routes report (default: the dialect's)", "")
    simulates: str = _field("what this stands for, in the info routes", "an endpoint with set latencies")
    seed: int = _field("the seed of jitter, early stops and failures", 1)

    ttft_ms: float = _field("time from the request to its first chunk", 50.0)
    itl_ms: float = _field("time from one chunk to the next; 0 is as fast as the client reads", 10.0)
    prefill_us_per_token: float = _field("time added for each input token", 0.0)
    jitter: str = _field("how waiting times, or steps, vary around their mean", "none")
    jitter_share: float = _field("the standard deviation, as a share of the mean", 0.1)

    step_ms: float | None = _field("time of one batch step, in which every running request gets one chunk", None)
    step_us_per_request: float = _field("time each running request adds to a step", 0.0)
    step_us_per_request_squared: float = _field("time per running request squared: past a knee, throughput falls", 0.0)
    max_running: int | None = _field("requests that run at once; the others wait", None)
    max_waiting: int | None = _field("requests that may wait; the next ones get 429", None)
    kv_tokens: int | None = _field("tokens the KV cache holds; a request waits until its own fit", None)

    prefix_caching: bool = _field("prefill only once what prompts have in common at their start", False)

    context_tokens: int = _field("input and output tokens a request may have together", 131_072)
    default_output: int = _field("output tokens of a request that does not say how many", 128)
    stops_early: float = _field("share of requests that end before max_tokens, unless they send ignore_eos", 0.0)
    reasoning_tokens: int = _field("the first N output tokens come as reasoning content", 0)
    reasoning_field: str = _field("the name of the reasoning content", "reasoning_content")
    tokens_per_chunk: int = _field("output tokens in a chunk", 1)
    chunks_per_write: int = _field("chunks that are sent together", 1)
    role_chunk: str = _field(
        "a first chunk with a role and no token: with the first token, at once, or none", "with_first"
    )
    finish: str = _field("whether the finish reason comes with the last token or in a chunk of its own", "with_last")
    usage: str = _field("when the stream carries token counts: asked (stream_options), always or never", "asked")
    usage_chunk: str = _field("whether token counts have a chunk of their own", "own")
    done: bool = _field("end the stream with `data: [DONE]`", True)
    stream: bool = _field("stream when asked; otherwise every answer is one JSON document", True)
    headers_at_once: bool = _field("send the headers before the first chunk is there", True)
    api_key: str | None = _field("the key that requests must bring; None asks for none", None, repr=False)
    idle_exit_s: float | None = _field("exit after so many seconds without a connection", None)
    log: Path | None = _field("write to this file when each token was really sent", None)  # noqa: RUF009

    fail: Mapping[str, float] = _field("kinds of failure and their share of requests", default_factory=dict)
    fail_at: Mapping[int, str] = _field("requests, counted from 0, and how they fail", default_factory=dict)
    retry_after_s: int = _field("the Retry-After of 429", 1)
    stall_s: float = _field("how long a stalled stream is silent", 60.0)
    slow_headers_s: float = _field("how long slow headers take", 5.0)

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UnknownName(_spelled(name), str(getattr(self, name)), allowed)
        for row in fields(self):
            _check(row.name, getattr(self, row.name))
        for kind in (*self.fail, *self.fail_at.values()):
            if kind not in failures.KINDS:
                raise UnknownName("failure", kind, failures.KINDS)
        for kind, share in self.fail.items():
            _demand(0 <= share <= 1, f"fail {kind}={share}", "a share from 0 to 1")
        _demand(sum(self.fail.values()) <= 1 + 1e-9, "fail", "shares that add up to at most 1")

    @property
    def batched(self) -> bool:
        """Whether requests share the steps of a batch."""
        return self.step_ms is not None

    @property
    def limit_tokens(self) -> int:
        """Input and output tokens a request may have together: the context's, and no more than the KV cache holds."""
        return self.context_tokens if self.kv_tokens is None else min(self.context_tokens, self.kv_tokens)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the endpoint."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def options() -> list[tuple[Field[Any], type]]:
    """Every setting with the type of its values; a Mapping's is Mapping, an optional one's the type it may have."""
    hints = get_type_hints(Settings)
    return [(row, _type(hints[row.name])) for row in fields(Settings)]


def _type(hint: Any) -> type:
    inner: Any = next((part for part in get_args(hint) if part is not type(None)), hint)
    chosen: type = get_origin(hint) if get_origin(hint) is Mapping else inner
    return chosen


def _check(name: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    _demand(math.isfinite(value) and value >= 0, f"{_spelled(name)} {value}", "0 or more")
    if name in AT_LEAST_ONE:
        _demand(value >= 1, f"{_spelled(name)} {value}", "1 or more")
    if name in SHARES:
        _demand(value <= 1, f"{_spelled(name)} {value}", "a share from 0 to 1")
    if name == "port":
        _demand(value <= 65535, f"port {value}", "0 to 65535")
    if name == "chunks_per_write":
        _demand(value <= MOST_CHUNKS_PER_WRITE, f"chunks-per-write {value}", f"at most {MOST_CHUNKS_PER_WRITE}")


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _demand(holds: bool, given: str, allowed: str) -> None:
    if not holds:
        raise UsageError(f"The endpoint cannot have {given}; it takes {allowed}.")


def preset(name: str) -> dict[str, Any]:
    """The settings of a preset; UnknownName when there is none of that name."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return dict(PRESETS[name])
