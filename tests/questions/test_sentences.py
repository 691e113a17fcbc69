"""Every sentence of every answer is short and reads as one says it, and a headline says what it is of and on how much.

One pass over the shipped models; what is asked beside the model is what makes sentences long or counts one.
"""

from __future__ import annotations

import re
from itertools import cycle

import pytest

from bench.chart import value_label
from bench.library import Library
from bench.questions import questions
from bench.view import View
from tests.questions.answering import answer_of
from tests.questions.saying import LONGEST, badly_said, headline
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
    for model, more in zip(some([None, *models], 3, 4), cycle(ASKED.get(name, ("",)))):
        for query in {more} if QUICK and model else {"", more}:
            view = View.from_query(f"{query}&model={model}" if model else query)
            assert badly_said(answer_of(shipped, name, view)) == [], (model, query)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("scaling", "model=gpt-oss-120b&model=llama-3.1-405b&model=mixtral-8x7b"),
        ("pareto", "model=llama-3.3-70b&model=llama-3.1-405b&model=mixtral-8x7b"),
        ("pareto", f"model=deepseek-r1&{FIVE}"),
        ("cost", f"model=llama-3.3-70b&model=llama-2-70b&{TWO}"),
        ("crossover", f"model=llama-3.3-70b&model=llama-2-70b&{TWO}"),
    ],
)
def test_a_short_headline_names_a_model_that_it_is_about(shipped: Library, name: str, query: str) -> None:
    view = View.from_query(query)
    answer = answer_of(shipped, name, view)
    assert any(value_label("model", model) in answer.headline for model in view.values("model"))
    assert len(answer.verdict.split()) <= LONGEST


@pytest.mark.parametrize("name", ["pareto", "heatmap", "cost"])
def test_where_few_points_state_the_limits_the_headline_says_how_few(shipped: Library, name: str) -> None:
    """Of 106 points of Llama 3.3 70B two state a TPOT and a TTFT; whoever is best of those is best of two."""
    answer = answer_of(shipped, name, View.from_query(f"model=llama-3.3-70b&{TWO}"))
    _, values = headline(answer)
    assert (values["stating"], values["of"]) == (2, 106)
    assert re.search(r"\b2 of 106\b", answer.headline)
    assert answer.result.tally.used == 2
