"""The headlines of cost and crossover are short for every model of the shipped library, whatever is asked of it."""

from __future__ import annotations

import re
from functools import cache

import pytest

from bench.basis.wording import LONGEST
from bench.chart import value_label
from bench.library import Library
from bench.questions import question
from bench.view import View
from tests.thorough import some

FIVE = (
    "slo=ttft_ms_p50<=2000&slo=tpot_ms_p50<=50&slo=itl_ms_p99<=100&slo=e2el_ms_p50<=10000"
    "&slo=interactivity_tokens_per_s_per_user_p50>=20"
)
ASKED = {
    "cost": ("", "slo=tpot_ms_p50<=50&slo=ttft_ms_p50<=2000", FIVE, "group=deployment&utilisation=0.4"),
    "crossover": ("", "per=dollar"),
}


@pytest.fixture(scope="module")
def models(shipped: Library) -> list[str]:
    rows = shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    assert len(rows) > 30
    return some([model for (model,) in rows], 4, 8)


@cache
def headline_of(library: Library, name: str, query: str) -> str:
    return str(question(name).answer(library, View.from_query(query)).headline)


@pytest.mark.parametrize(("name", "asked"), [(name, one) for name, every in ASKED.items() for one in every])
def test_no_headline_has_more_than_25_words(shipped: Library, models: list[str], name: str, asked: str) -> None:
    told = [headline_of(shipped, name, f"model={model}&{asked}") for model in models]
    assert [one for one in told if len(one.split()) > LONGEST] == []


@pytest.mark.parametrize(
    ("name", "asked", "model"),
    [
        ("scaling", "model=gpt-oss-120b&model=llama-3.1-405b&model=mixtral-8x7b", "Mixtral 8x7B"),
        ("pareto", "model=llama-3.3-70b&model=llama-3.1-405b&model=mixtral-8x7b", "Llama 3.3 70B"),
        ("pareto", f"model=deepseek-r1&{FIVE}", "DeepSeek-R1"),
    ],
)
def test_a_short_headline_names_the_model_that_it_is_about(shipped: Library, name: str, asked: str, model: str) -> None:
    headline = question(name).answer(shipped, View.from_query(asked)).headline
    assert model in headline
    assert len(headline.split()) <= LONGEST


TWO = "slo=ttft_ms_p50<=2000&slo=tpot_ms_p50<=50"
THREE = f"{TWO}&slo=output_tokens_per_s>=100"


@pytest.mark.parametrize(
    ("name", "asked", "told"),
    [
        ("heatmap", f"model=qwen3.5-397b-a17b&{TWO}", "61 of 73 points"),
        ("crossover", f"model=llama-3.1-70b&{TWO}", "No point of"),
        ("crossover", f"model=llama-3.1-8b&{THREE}", "states what the limits are on"),
        ("cost", f"model=llama-3.3-70b&{THREE}", "2 of 106 points"),
        ("roofline", f"model=glm-4.7&{THREE}", "are beyond the limits."),
    ],
)
def test_a_headline_within_several_limits_gives_up_their_names_first(
    shipped: Library, name: str, asked: str, told: str
) -> None:
    headline = question(name).answer(shipped, View.from_query(asked)).headline
    assert told in headline
    assert len(headline.split()) <= LONGEST


@pytest.mark.parametrize("slo", ["", "slo=tpot_ms_p50<=50", "slo=tpot_ms_p50<=50&slo=ttft_ms_p50<=2000"])
@pytest.mark.parametrize("name", ["cost", "crossover"])
def test_a_headline_on_one_of_several_models_names_it_and_one_on_one_as_long_as_there_is_room(
    shipped: Library, models: list[str], name: str, slo: str
) -> None:
    """Where few points can tell what keeps the limits, a headline on the one model chosen begins with that instead."""
    for model in models:
        headline = headline_of(shipped, name, f"model={model}&{slo}")
        told = re.sub(r"\(.*?\)", "", value_label("model", model))
        assert told in headline or headline.startswith("Only ") or " points can be judged" in headline, headline
    several = question(name).answer(shipped, View.from_query(f"model=llama-3.3-70b&model=llama-2-70b&{slo}"))
    assert "Llama 3.3 70B" in several.headline
    assert len(several.headline.split()) <= LONGEST
