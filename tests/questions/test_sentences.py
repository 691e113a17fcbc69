"""Every sentence of every answer is short and reads as one says it, and a headline says what it is of and on how much.

One pass over the shipped models; what is asked beside the model is what makes sentences long or counts one.
"""

from __future__ import annotations

from itertools import cycle

import pytest

from bench.library import Library
from bench.questions import question, questions
from bench.view import View
from tests.questions.saying import badly_said
from tests.thorough import QUICK, some

TWO = "slo=ttft_ms_p50<=2000&slo=tpot_ms_p50<=50"
THREE = f"{TWO}&slo=output_tokens_per_s>=100"
FIVE = f"{TWO}&slo=itl_ms_p99<=100&slo=e2el_ms_p50<=10000&slo=interactivity_tokens_per_s_per_user_p50>=20"
BY_TRADE_OFF = ("slo=tpot_ms_p50<=50", TWO, THREE)
ASKED = {
    "pareto": BY_TRADE_OFF,
    "heatmap": BY_TRADE_OFF,
    "scaling": BY_TRADE_OFF,
    "cost": (TWO, FIVE, "group=deployment&utilisation=0.4"),
    "crossover": (TWO,),
    "history": ("metric=tpot_ms_p50",),
    "capacity": (
        "use=chat&requests=1&peak=1",
        "use=batch&unit=tokens&tokens=1000",
        "use=traffic&users=1&spare=1&chips=1",
    ),
}


@pytest.fixture(scope="module")
def models(shipped: Library) -> list[str]:
    rows = shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    assert len(rows) > 30
    return [model for (model,) in rows]


@pytest.mark.parametrize("name", list(questions()))
def test_every_sentence_on_every_model_is_short_and_plain(shipped: Library, models: list[str], name: str) -> None:
    for model, more in zip(some([None, *models], 2, 4), cycle(ASKED.get(name, ("",)))):
        for query in {more} if QUICK and model else {"", more}:
            view = View.from_query(f"{query}&model={model}" if model else query)
            assert badly_said(question(name).answer(shipped, view)) == [], (model, query)
