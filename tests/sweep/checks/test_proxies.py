"""Whoever answers in an engine's place is named, with its version where it tells one, and so are mocks."""

from __future__ import annotations

import pytest

from bench.sweep.checks import proxies
from bench.sweep.checks.endpoint_checks import Preflight, glance
from bench.sweep.checks.preflight import preflight
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import Target
from tests.sweep.played import Played, playing

MANNER = RequestStyle("fake-model")


def glanced(role: Played) -> Preflight:
    with playing(role) as played:
        return glance(Target.at(played.url), MANNER)


def said(found: Preflight, name: str) -> list[tuple[bool | None, str]]:
    return [(check.passed, check.said) for check in found.checks if check.name == name]


@pytest.mark.parametrize(
    ("headers", "title"),
    [
        ({"x-litellm-model-id": "a"}, "LiteLLM"),
        ({"server": "nginx/1.27.3"}, "nginx 1.27.3"),
        ({"server": "istio-envoy", "x-envoy-upstream-service-time": "3"}, "Envoy"),
        ({"x-kong-upstream-latency": "1", "via": "1.1 kong/3.9.0-enterprise-edition"}, "Kong 3.9.0-enterprise-edition"),
        ({"server": "cloudflare", "cf-ray": "8f-FRA"}, "Cloudflare"),
        ({"via": "1.1 Caddy"}, "Caddy"),
        ({"via": "HTTP/2 haproxy"}, "HAProxy"),
        ({"via": "1.1 google"}, "Google's load balancer"),
        ({"server": "nginx", "x-litellm-version": "1.106.0"}, "LiteLLM 1.106.0, nginx"),
        ({"server": "uvicorn"}, None),
    ],
)
def test_a_proxy_is_known_by_its_headers(headers: dict[str, str], title: str | None) -> None:
    found = glanced(Played(more=headers))
    assert found.proxy == title
    assert found.problem is None
    told = said(found, "proxy-between")
    assert len(told) == (title is not None)
    assert all(passed is None for passed, _ in told)


def test_litellm_is_known_by_its_own_route_and_states_the_context() -> None:
    row = {"model_name": "fake-model", "model_info": {"max_input_tokens": 8192, "max_tokens": 999}}
    other = {"model_name": "another", "model_info": {"max_input_tokens": 1}}
    told = {
        "/health/readiness": (200, {"status": "connected", "litellm_version": "1.106.0"}),
        "/v1/model/info": (200, {"data": [other, row]}),
    }
    found = glanced(Played(told=told))
    assert found.proxy == "LiteLLM 1.106.0"
    assert found.engine.context_tokens == 8192


def test_what_else_names_models_and_windows_is_not_asked_where_nothing_says_litellm() -> None:
    role = Played()
    glanced(role)
    assert "GET /model/info" not in role.asked


@pytest.mark.parametrize("status", [500, 401])
def test_litellm_without_a_key_is_told_that_none_was_sent(status: int) -> None:
    refusal = {"error": {"message": "Authentication Error, No api key passed in.", "code": str(status)}}
    told = dict.fromkeys(("/v1/models", "/v1/chat/completions", "/model/info"), (status, refusal))
    with playing(Played(told=told, more={"x-litellm-version": "1.106.0"})) as played:
        problem = preflight(Target.at(played.url), MANNER).problem or ""
        keyed = preflight(Target.at(played.url, headers={"Authorization": "Bearer sk-12345678"}), MANNER).problem or ""
    assert "no key was sent" in problem
    assert keyed
    assert "no key was sent" not in keyed


@pytest.mark.parametrize(
    ("owners", "simulated"),
    [
        ("guidellm-mock aimock llm-d-inference-sim vllm-simulator mock vllm_mock_1 Simulated".split(), True),
        (["vllm", "openai", "simon", "Hammock Labs", "mockingbird", "Fakenham"], False),
    ],
)
def test_a_mock_is_known_by_what_it_calls_its_owner(owners: list[str], simulated: bool) -> None:
    with playing() as played:
        for owner in owners:
            played.owned_by = owner
            found = glance(Target.at(played.url), MANNER)
            assert found.engine.simulates == (f"an endpoint, as {owner}" if simulated else None)
            assert bool(said(found, "simulated")) == simulated


def test_llm_ds_simulator_is_known_though_it_plays_vllm() -> None:
    told = {"/version": (200, {"version": "0.11.0"}), "/admin/config": (200, {"mode": "random"})}
    played = Played(owned_by="vllm", told=told, more={"server": "fasthttp"})
    assert glanced(played).engine.simulates == "vLLM, as llm-d-inference-sim"
    assert glanced(Played(owned_by="vllm", told=told)).engine.simulates is None


def test_a_version_that_is_none_is_not_repeated() -> None:
    assert proxies.proxies_in({"x-litellm-version": "<script>"}) == {"LiteLLM": ""}
    assert proxies.proxies_in({"server": "nginxish"}) == {}
