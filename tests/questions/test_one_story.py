"""Every page tells the same story of the same filters and limits, or says that it needs another."""

from __future__ import annotations

import pytest

from bench.basis import story
from bench.basis.story import FILLED, KEYS
from bench.library import Library
from bench.questions import question
from bench.view import View
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


def test_the_cheapest_point_of_pareto_is_the_one_that_cost_calls_cheapest(shipped: Library) -> None:
    """Of every model, precision and workload, with nothing else chosen."""
    stories = shipped.fetch(
        "SELECT DISTINCT model, precision, isl, osl FROM points"
        " WHERE model IS NOT NULL AND precision IS NOT NULL AND isl IS NOT NULL AND osl IS NOT NULL"
        " AND interactivity_tokens_per_s_per_user_p50 IS NOT NULL"
        " AND accelerator IN (SELECT accelerator FROM prices WHERE terms = 'on_demand') ORDER BY ALL"
    )
    compared = 0
    for row in some(stories, 8):
        where = {key: [value] for key, value in zip(("model", "precision", "isl", "osl"), row, strict=True)}
        cost = question("cost").answer(shipped, View.of(where)).result
        rows = question("pareto").answer(shipped, View.of(where, {"y": USD})).rows
        costs = rows[USD].dropna() if USD in rows else []
        if len(costs) and cost.deployments:
            assert min(costs) == pytest.approx(cost.lead.usd_per_million, rel=1e-9), where
            compared += 1
    assert compared > 2
