"""The headlines of cost and crossover are short for every model of the shipped library, whatever is asked of it."""

from __future__ import annotations

import pytest

from bench.basis.wording import LONGEST
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
