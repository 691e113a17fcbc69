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
    played = "vLLM, as llm-d-inference-sim" if _is_llm_d_simulator(site) else None
    for route, read in ROUTES:
        document = site.document(route)
        known = read(document, owner) if document else None
        if known is None or document is None:
            continue
        return replace(
            known,
            name=names.engine_slug(known.name) if known.name else None,
            context_tokens=known.context_tokens or plain.context_tokens,
            simulates=_simulates(document) or plain.simulates or played,
        )
    return replace(plain, simulates=plain.simulates or played)


def _vllm(told: Mapping[str, Any], owner: str) -> ServingEngine | None:
    version = _text(told.get("version"))
    if not version or (owner in OWNERS and owner != "vllm"):
        return None
    return ServingEngine("vllm", version)


def _sglang(info: Mapping[str, Any], owner: str) -> ServingEngine | None:
    version = _text(info.get("version"))
    if not version or "model_path" not in info:
        return None
    return ServingEngine("sglang", version, _whole(info.get("context_length")))


def _llama_cpp(info: Mapping[str, Any], owner: str) -> ServingEngine | None:
    settings = info.get("default_generation_settings")
    if not isinstance(settings, Mapping):
        return None
    return ServingEngine("llama.cpp", _text(info.get("build_info")), _whole(settings.get("n_ctx")))


def _tgi(told: Mapping[str, Any], owner: str) -> ServingEngine | None:
    if "model_id" not in told or "version" not in told:
        return None
    return ServingEngine("tgi", _text(told.get("version")), _whole(told.get("max_total_tokens")))


def _transformers(told: Mapping[str, Any], owner: str) -> ServingEngine | None:
    paths = told.get("paths")
    if not isinstance(paths, Mapping) or not paths.keys() >= TRANSFORMERS_OWN:
        return None
    return ServingEngine("transformers")


TRANSFORMERS_OWN = {"/v1/chat/completions", "/load_model", "/reset"}
"""What `transformers serve` serves; it has no info route, and tells its version nowhere."""

ROUTES = (
    ("/get_server_info", _sglang),
    ("/server_info", _sglang),
    ("/version", _vllm),
    ("/props", _llama_cpp),
    ("/info", _tgi),
    ("/openapi.json", _transformers),
)
"""SGLang before vLLM, whose /version alone could be anyone's."""


def _simulates(info: Mapping[str, Any]) -> str | None:
    """What the endpoint stands for where it says so: ours in a field, mocks by whom they call their owner."""
    if info.get("simulated") is True:
        return _text(info.get("simulates")) or "an endpoint"
    owner = _text(info.get("owned_by"))
    return f"an endpoint, as {owner}" if owner and MOCKS.search(owner) else None


def _is_llm_d_simulator(site: EndpointProbe) -> bool:
    """Whether it is llm-d's simulator, which plays vLLM but for its server and a route of its own."""
    return site.headers.get("server", "").lower() == "fasthttp" and site.document("/admin/config") is not None


def _text(value: object) -> str | None:
    return value[:LONGEST] if isinstance(value, str) and value.strip() and value.isprintable() else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
