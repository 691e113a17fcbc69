"""Every page tells the same story of the same filters and limits, or says that it needs another."""

from __future__ import annotations

import pytest

from bench.basis import story
from bench.basis.story import FILLED, KEYS
from bench.library import Library
from bench.questions import question
from bench.selection import written
from bench.view import View
from tests.questions.audited.reference_answers import PlainRow, PlainRows, read, value
from tests.questions.saying import kinds, statements
from tests.thorough import some

USD, RATE = "usd_per_million_output_tokens", "output_tokens_per_s"
TURNS = 10
"""So many tests share the stories."""
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


@pytest.fixture(scope="module")
def reading(shipped: Library) -> PlainRows:
    return read(shipped)


@pytest.mark.parametrize("turn", some(range(TURNS), 4, TURNS))
def test_the_cheapest_point_of_pareto_is_the_one_that_cost_calls_cheapest(
    shipped: Library, reading: PlainRows, turn: int
) -> None:
    """Of every model, precision and workload, with nothing else chosen, on the axis that Pareto opens on.

    Where it states nothing along that axis, a finding names it with its cost. That it is the cheapest is worked out
    from the points in plain Python, too.
    """
    found = {
        View.of({key: [written(row[key])] for key in KEYS if row[key] is not None})
        for row in reading.rows
        if row["model"] is not None
    }
    stories = sorted(found, key=View.query)
    assert len(stories) > 500
    compared = 0
    for view in some(stories[turn::TURNS], 1, 2):
        cost = question("cost").answer(shipped, view)
        usd, ranked = reading.usd(cost.view) or {}, reading.ranked(cost.view)
        priced = [row for row in ranked if row["accelerator"] in usd and row["accelerators"] and value(row, RATE)]
        assert bool(priced) == bool(cost.result.deployments), view.query()
        if not priced:
            continue
        lead = reading.by_id[cost.result.lead.facts.point_id]
        dearer = [_usd(row, usd) for row in priced if row["load_kind"] == lead["load_kind"]]
        assert cost.result.lead.usd_per_million == pytest.approx(min(dearer), rel=1e-9), view.query()
        pareto = question("pareto").answer(shipped, view.with_options(y=USD))
        if [pareto.view.values(key) for key in KEYS] != [cost.view.values(key) for key in KEYS]:
            assert kinds(pareto, "coverage").count("other_story") == 1, view.query()
            continue
        drawn = pareto.rows.loc[pareto.rows["enters"].astype(bool), USD]
        undrawn = {one.point_ids: one.values["usd_per_million"] for one in statements(pareto, "cheapest_undrawn")}
        is_drawn = value(lead, pareto.view.option("x")) is not None
        assert [*undrawn] == ([] if is_drawn else [(lead["point_id"],)]), view.query()
        lowest = min([*drawn, *undrawn.values()])
        assert lowest == pytest.approx(cost.result.lead.usd_per_million, rel=1e-9), view.query()
        compared += 1
    assert compared or turn


@pytest.mark.parametrize("again", [False, True], ids=["as it opens", "by its own link"])
def test_a_page_whose_story_states_no_precision_says_that_others_tell_another(shipped: Library, again: bool) -> None:
    """Nothing narrows to points that state none, so the View stays as it was asked: of 16 points 14 are in FP4."""
    view = View.of({"model": ["llama-3.3-70b"], "isl": ["1000"], "osl": ["1000"]}, {"y": USD})
    pareto, cost = (question(name).answer(shipped, view) for name in ("pareto", "cost"))
    shown = question("pareto").answer(shipped, pareto.view) if again else pareto
    assert (shown.view.values("precision"), cost.view.values("precision")) == ((), ("fp4",))
    assert kinds(shown, "coverage").count("other_story") == 1
    assert kinds(cost, "coverage").count("other_story") == 0


def _usd(row: PlainRow, usd: dict[str, float]) -> float:
    """What a million output tokens of a point cost, at these prices of a chip and hour."""
    return usd[row["accelerator"]] * row["accelerators"] / ((value(row, RATE) or 0) * 3600) * 1e6
