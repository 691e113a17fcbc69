"""Every page tells the same story of the same filters and limits, or says that it needs another."""

from __future__ import annotations

import pytest

from bench.basis import story
from bench.basis.story import FILLED, KEYS
from bench.library import Library
from bench.questions import question
from bench.view import View
from tests.questions.saying import kinds
from tests.thorough import some

USD = "usd_per_million_output_tokens"
NAMES = ("pareto", "scaling", "heatmap", "crossover", "cost")


@pytest.mark.parametrize("slo", some([(), ("ttft_ms_p50<=2000", "tpot_ms_p50<=50")], 1), ids=len)
def test_of_every_model_and_none(shipped: Library, slo: tuple[str, ...]) -> None:
    rows = shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    models = [[], *([model] for (model,) in rows)]
    assert len(models) > 30
    unlike = []
    for own in some(models, 3, 5):
        asked = View.of({"model": own}, slo=slo)
        every = story.of(shipped, asked).pins
        for name in NAMES:
            view = question(name).complete(shipped, asked)
            filled = view.option(FILLED).split()
            told = {key: view.values(key)[0] for key in KEYS if key in filled}
            if any(every.get(key) != value for key, value in told.items()):
                said = {one.kind for one in question(name).answer(shipped, view).statements}
                unlike += [] if "other_story" in said else [(own, name, told, every)]
    assert unlike == []


@pytest.mark.parametrize("again", [False, True], ids=["as it opens", "by its own link"])
def test_a_page_whose_story_states_no_precision_says_that_others_tell_another(shipped: Library, again: bool) -> None:
    """Nothing narrows to points that state none, so the View stays as it was asked: of 16 points 14 are in FP4."""
    view = View.of({"model": ["llama-3.3-70b"], "isl": ["1000"], "osl": ["1000"]}, {"y": USD})
    pareto, cost = (question(name).answer(shipped, view) for name in ("pareto", "cost"))
    shown = question("pareto").answer(shipped, pareto.view) if again else pareto
    assert (shown.view.values("precision"), cost.view.values("precision")) == ((), ("fp4",))
    assert kinds(shown, "coverage").count("other_story") == 1
    assert kinds(cost, "coverage").count("other_story") == 0
