"""Every headline of Pareto, Heatmap and Scaling fits a glance, and says on how few points it rests, for every model."""

from __future__ import annotations

from types import ModuleType

import pytest

from bench import flags
from bench.basis import evidence
from bench.basis.wording import LONGEST
from bench.library import Library
from bench.questions import heatmap, pareto, scaling
from bench.view import View
from tests.questions.saying import headline
from tests.thorough import some

QUESTIONS = (pareto, heatmap, scaling)
TTFT, TPOT = "ttft_ms_p50<=2000", "tpot_ms_p50<=50"
LIMITS: tuple[tuple[str, ...], ...] = ((TPOT,), (TTFT,), (TTFT, TPOT), (TTFT, TPOT, "output_tokens_per_s>=100"))

NAMED = (((TPOT,), "median TPOT"), ((TTFT,), "median TTFT"), ((TTFT, TPOT), "median TPOT and median TTFT"))


def models(library: Library) -> list[str]:
    """The models of all points, and none for a page that nobody has chosen anything on."""
    rows = library.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    return [name for (name,) in rows]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.TITLE)
def test_no_headline_of_any_model_has_more_words_than_a_glance_takes(shipped: Library, question: ModuleType) -> None:
    long = {}
    for place, model in enumerate(some([None, *models(shipped)], 4, 8)):
        for slo in ((), LIMITS[place % len(LIMITS)]):
            headline = question.answer(shipped, View.of({"model": [model]} if model else {}, slo=slo)).headline
            if len(headline.split()) > LONGEST:
                long[model, slo] = headline
    assert not long


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.TITLE)
@pytest.mark.parametrize(("slo", "named"), NAMED)
def test_where_most_points_do_not_state_a_limit_the_headline_says_so_itself(
    shipped: Library, question: ModuleType, slo: tuple[str, ...], named: str
) -> None:
    """Of 106 points of Llama 3.3 70B two state a TPOT and a TTFT; whoever is best of those is best of two."""
    view = View.of({"model": ["llama-3.3-70b"]}, slo=slo)
    told = evidence.deciding(shipped, evidence.read(view))
    assert (told.points, told.of) == (2, 106)
    answer = question.answer(shipped, view)
    kind, values = headline(answer)
    assert f" {named}" in answer.headline
    assert (values.get("stating"), values.get("of")) == (2, 106) or (question, kind) == (scaling, "nothing")


def test_llama_33_on_pareto_is_the_best_of_two(shipped: Library) -> None:
    answer = pareto.answer(shipped, View.of({"model": ["llama-3.3-70b"]}, slo=[TPOT]))
    kind, values = headline(answer)
    assert (kind, values["stating"], values["of"]) == ("best_within", 2, 106)
    assert (round(values["y"]), values["x"]) == (443, pytest.approx(28.5, abs=0.05))
    assert answer.result.best.point.accelerator == "tpu-v6e"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.TITLE)
def test_a_flag_of_a_point_that_a_headline_names_stands_in_it(shipped: Library, question: ModuleType) -> None:
    columns = "point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))"
    for model in ("gemma-4-31b", "gemma-4-e4b", "mt0-xxl", "gpt-neox-20b"):
        answer = question.answer(shipped, View.of({"model": [model]}))
        (first,) = [one for one in answer.statements if one.role == "headline"]
        rows = shipped.fetch(f"SELECT flags FROM points WHERE {columns}", (list(first.point_ids),))
        for word in flags.printed(kind for (stated,) in rows for kind in flags.kinds_of(stated)):
            assert word in first.text
