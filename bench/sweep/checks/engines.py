"""Which engine serves, in which version and with which context limit, as its info routes tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench import names
from bench.sweep.checks.endpoint_probe import EndpointProbe

OWNERS = ("vllm", "sglang", "llamacpp", "tgi")
"""What `owned_by` in /v1/models is where the engine writes its own name there."""
MOCKS = re.compile(r"(?<![a-z])(?:(?:ai)?mock|simulat\w*|inference-sim|fake|dummy)(?![a-z])", re.IGNORECASE)
"""A word of `owned_by` where an endpoint is a mock, such as guidellm-mock, aiperf-mock or aimock."""
LONGEST = 100


@dataclass(frozen=True)
class ServingEngine:
    """What the endpoint tells of itself; None where it tells nothing.

    `name` is canonical. `simulates` is what a simulated endpoint stands for: what is measured there is no measurement
    of an engine.
    """

    name: str | None = None
    version: str | None = None
    context_tokens: int | None = None
    simulates: str | None = None


def engine(site: EndpointProbe, model: Mapping[str, Any] | None = None) -> ServingEngine:
    """The engine behind a site; `model` is its entry in /v1/models, where there is one."""
    listed = model or {}
    owner = str(listed.get("owned_by", "")).lower().replace(".", "")
    plain = ServingEngine(context_tokens=_whole(listed.get("max_model_len")), simulates=_simulates(listed))
    # llm-d's simulator plays vLLM but for its server and a route of its own.
    is_played = site.headers.get("server", "").lower() == "fasthttp" and site.document("/admin/config") is not None
    played = "vLLM, as llm-d-inference-sim" if is_played else None
    for route in ROUTES:
        document = site.document(route)
        known = _engine_in(route, document, owner) if document else None
        if known is None or document is None:
            continue
        return replace(
            known,
            name=names.engine_slug(known.name) if known.name else None,
            context_tokens=known.context_tokens or plain.context_tokens,
            simulates=_simulates(document) or plain.simulates or played,
        )
    return replace(plain, simulates=plain.simulates or played)


def _engine_in(route: str, told: Mapping[str, Any], owner: str) -> ServingEngine | None:
    """The engine that answers this info route so; None where it is none that is known."""
    version, settings, paths = _text(told.get("version")), told.get("default_generation_settings"), told.get("paths")
    if route in ("/get_server_info", "/server_info") and version and "model_path" in told:
        return ServingEngine("sglang", version, _whole(told.get("context_length")))
    if route == "/version" and version and (owner == "vllm" or owner not in OWNERS):
        return ServingEngine("vllm", version)
    if route == "/props" and isinstance(settings, Mapping):
        return ServingEngine("llama.cpp", _text(told.get("build_info")), _whole(settings.get("n_ctx")))
    if route == "/info" and "model_id" in told and "version" in told:
        return ServingEngine("tgi", version, _whole(told.get("max_total_tokens")))
    if route == "/openapi.json" and isinstance(paths, Mapping) and paths.keys() >= TRANSFORMERS_OWN:
        return ServingEngine("transformers")
    return None


TRANSFORMERS_OWN = {"/v1/chat/completions", "/load_model", "/reset"}
"""What `transformers serve` serves; it has no info route, and tells its version nowhere."""

ROUTES = ("/get_server_info", "/server_info", "/version", "/props", "/info", "/openapi.json")
"""SGLang before vLLM, whose /version alone could be anyone's."""


def _simulates(info: Mapping[str, Any]) -> str | None:
    """What the endpoint stands for where it says so: ours in a field, mocks by whom they call their owner."""
    if info.get("simulated") is True:
        return _text(info.get("simulates")) or "an endpoint"
    owner = _text(info.get("owned_by"))
    return f"an endpoint, as {owner}" if owner and MOCKS.search(owner) else None


def _text(value: object) -> str | None:
    return value[:LONGEST] if isinstance(value, str) and value.strip() and value.isprintable() else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
