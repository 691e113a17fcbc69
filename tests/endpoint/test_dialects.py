"""Each engine's way of speaking: what it tells of itself, how it refuses, what it measures."""

from __future__ import annotations

import pytest

from bench.endpoint import PRESETS, Settings, preset, running
from bench.endpoint.counting import count
from bench.endpoint.dialects import METRICS
from bench.endpoint.settings import CHOICES
from tests.endpoint.asking import chat, get, post

QUICK = {"ttft_ms": 1.0, "itl_ms": 0.2}
ROUTES = {
    "vllm": ("/version", "version"),
    "sglang": ("/get_server_info", "version"),
    "llama.cpp": ("/props", "build_info"),
    "tgi": ("/info", "version"),
}
TOKENIZES = {"vllm": "prompt", "llama.cpp": "content", "tgi": "inputs"}
TEXT = "A quick brown fox, they say, jumps over extraordinarily lazy dogs."


@pytest.mark.parametrize("dialect", CHOICES["dialect"])
def test_an_engine_has_its_own_info_route_and_says_it_is_simulated(dialect: str) -> None:
    with running(Settings(dialect=dialect, engine_version="9.8.7")) as url:
        served = get(url, "/v1/models").json["data"][0]
        answers = {name: get(url, path) for name, (path, _key) in ROUTES.items()}
        tokenizes = post(url, {"prompt": TEXT, "content": TEXT, "inputs": TEXT}, "/tokenize").status == 200
        measures = get(url, "/metrics").status == 200
    assert served["id"] == "fake-model"
    assert served["simulated"] is True
    assert [name for name, reply in answers.items() if reply.status == 200] == [dialect] * (dialect in ROUTES)
    assert (tokenizes, measures) == (dialect not in ("openai", "transformers"), dialect in METRICS)
    if dialect in ROUTES:
        told = answers[dialect].json
        assert told[ROUTES[dialect][1]] == "9.8.7"
        assert told["simulated"] is True


@pytest.mark.parametrize(("dialect", "field"), TOKENIZES.items())
def test_tokenize_counts_as_the_answers_do(dialect: str, field: str) -> None:
    with running(Settings(**QUICK, dialect=dialect)) as url:
        told = post(url, {field: TEXT}, "/tokenize").json
        body = {"model": "fake-model", "prompt": TEXT, "max_tokens": 1}
        used = post(url, body, "/v1/completions").json["usage"]["prompt_tokens"]
    tokens = told if dialect == "tgi" else told["tokens"]
    assert len(tokens) == count(TEXT) == used
    if dialect == "tgi":
        assert "".join(token["text"] for token in tokens) == TEXT


@pytest.mark.parametrize(
    ("dialect", "status", "said"),
    [
        ("vllm", 400, "'max_tokens' or 'max_completion_tokens' is too large: 90."),
        ("sglang", 400, "Requested token count exceeds the model's maximum context length of 64 tokens."),
        ("llama.cpp", 400, "exceeds the available context size (64 tokens)"),
        ("tgi", 422, "`inputs` tokens + `max_new_tokens` must be <= 64."),
        ("openai", 400, "This model's maximum context length is 64 tokens."),
    ],
)
def test_each_engine_says_in_its_words_that_the_context_is_full(dialect: str, status: int, said: str) -> None:
    with running(Settings(**QUICK, dialect=dialect, context_tokens=64)) as url:
        reply = post(url, chat(max_tokens=90))
        fits = post(url, chat(max_tokens=50))
    assert reply.status == status
    assert said in reply.body.decode()
    assert fits.status == 200


@pytest.mark.parametrize(("dialect", "status"), [("vllm", 200), ("tgi", 200), ("transformers", 422), ("openai", 400)])
def test_some_engines_refuse_fields_they_do_not_know(dialect: str, status: int) -> None:
    with running(Settings(**QUICK, dialect=dialect)) as url:
        reply = post(url, chat(ignore_eos=True))
        plain = post(url, chat())
    assert reply.status == status
    assert plain.status == 200
    if status != 200:
        assert "ignore_eos" in reply.body.decode()


@pytest.mark.parametrize("dialect", sorted(METRICS))
def test_metrics_count_what_was_served(dialect: str) -> None:
    with running(Settings(**QUICK, dialect=dialect, kv_tokens=1000)) as url:
        post(url, chat(max_tokens=5))
        text = get(url, "/metrics").body.decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    by_figure = {figure: name for name, _kind, figure in METRICS[dialect]}
    label = "" if dialect == "tgi" else '{model_name="fake-model"}'
    expected = {"running": 0, "waiting": 0, "kv_share": 0, "generation_tokens": 5, "finished": 1}
    for figure, value in expected.items():
        if figure in by_figure:
            assert float(values[by_figure[figure] + label]) == value


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_tells_what_it_simulates(name: str) -> None:
    with running(Settings(**preset(name))) as url:
        assert get(url, "/v1/models").json["data"][0]["simulates"] == PRESETS[name]["simulates"]
        assert post(url, chat(max_tokens=2)).status == 200
