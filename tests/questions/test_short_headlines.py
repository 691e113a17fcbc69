"""The headlines of cost and crossover are short for every model of the shipped library, whatever is asked of it."""

from __future__ import annotations

import re

import pytest

from bench.basis.wording import LONGEST
from bench.chart import value_label
from bench.library import Library
from bench.questions import question
from bench.view import View

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
    return [model for (model,) in shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL")]


@pytest.mark.parametrize(("name", "asked"), [(name, one) for name, every in ASKED.items() for one in every])
def test_no_headline_has_more_than_25_words(
    shipped: Library, models: list[str], name: str, asked: str
) -> None:
    assert len(models) > 30
    told = {
        model: question(name).answer(shipped, View.from_query(f"model={model}&{asked}")).headline
        for model in models
    }
    assert [one for one in told.values() if len(one.split()) > LONGEST] == []


@pytest.mark.parametrize(("name", "asked", "model"), [
    ("scaling", "model=gpt-oss-120b&model=llama-3.1-405b&model=mixtral-8x7b", "Mixtral 8x7B"),
    ("pareto", "model=llama-3.3-70b&model=llama-3.1-405b&model=mixtral-8x7b", "Llama 3.3 70B"),
    ("pareto", f"model=deepseek-r1&{FIVE}", "DeepSeek-R1"),
])  # fmt: skip
def test_a_short_headline_names_the_model_that_it_is_about(
    shipped: Library, name: str, asked: str, model: str
) -> None:
    headline = question(name).answer(shipped, View.from_query(asked)).headline
    assert model in headline
    assert len(headline.split()) <= LONGEST


@pytest.mark.parametrize("slo", ["", "slo=tpot_ms_p50<=50", "slo=tpot_ms_p50<=50&slo=ttft_ms_p50<=2000"])
@pytest.mark.parametrize("name", ["cost", "crossover"])
def test_a_headline_on_one_of_several_models_names_it_and_one_on_one_as_long_as_there_is_room(
    shipped: Library, models: list[str], name: str, slo: str
) -> None:
    """Where few points can tell what keeps the limits, a headline on the one model chosen begins with that instead."""
    for model in models:
        headline = question(name).answer(shipped, View.from_query(f"model={model}&{slo}")).headline
        told = re.sub(r"\(.*?\)", "", value_label("model", model))
        assert told in headline or headline.startswith("Only ") or " points can be judged" in headline, (
            headline
        )
    several = question(name).answer(shipped, View.from_query(f"model=llama-3.3-70b&model=llama-2-70b&{slo}"))
    assert "Llama 3.3 70B" in several.headline
    assert len(several.headline.split()) <= LONGEST
