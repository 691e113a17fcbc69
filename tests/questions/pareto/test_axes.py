"""What stands on the axes: a story that has both metrics, else others that are named, and every metric on offer."""

from __future__ import annotations

import pytest

from bench import catalogue
from bench.questions import pareto
from bench.questions.pareto import axes as choosing
from bench.view import View
from tests.questions.pareto.results import COST, Y
from tests.questions.saying import headline, kinds


@pytest.mark.parametrize("model", ["mixtral-8x7b", "mixtral-8x22b", "llama-2-70b"])
def test_a_model_without_any_latency_is_told_so(shipped, model):
    answer = pareto.answer(shipped, View.of({"model": [model]}))
    assert headline(answer)[0] == "no_frontier"
    assert (answer.result.mixed["model"], answer.result.instead) == ((model,), None)
    assert answer.rows.empty


def test_where_the_usual_story_has_no_latency_the_nearest_that_has_is_told(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["llama-3.1-70b"]}))
    assert "other_story" in kinds(answer, "coverage")
    assert len(answer.result.overall) > 1


def test_where_another_metric_was_published_it_is_named(shipped):
    view = View.of({"model": ["flan-ul2"]}, {"x": "ttft_ms_mean"})
    answer = pareto.answer(shipped, view)
    assert headline(answer)[0] == "no_frontier"
    assert (answer.result.x, answer.result.y) == ("ttft_ms_mean", Y)
    x, y = answer.result.instead
    assert not pareto.answer(shipped, view.with_options(x=x.key, y=y.key)).rows.empty


def test_axes_are_labelled_in_words() -> None:
    labels = {option.key: option.label for option in pareto.OPTIONS}
    assert (labels["x"], labels["y"]) == ("Horizontal axis", "Vertical axis")


@pytest.mark.parametrize("options", [{}, {"x": "decode_step_ms_mean"}])
def test_a_default_with_too_few_points_makes_room_for_one_with_a_frontier(shipped, options):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}, options))
    assert answer.view.option("x") == "decode_step_ms_mean"
    assert answer.view.values("precision") == ("fp8",)
    assert (answer.result.tally.used, len(answer.result.overall)) == (19, 9)
    assert answer.headline.endswith("(flagged: decode only and doubtful method).")


def test_every_metric_of_these_kinds_that_is_held_can_stand_on_an_axis(shipped):
    offered = pareto.choices(shipped, View())
    held = [key for key in list(catalogue.keys()) if shipped.has(key) and catalogue.metric(key).direction != "neutral"]
    for axis, of in (("x", choosing.ACROSS), ("y", choosing.UP)):
        keys = {key for key, _ in offered[axis]}
        assert {catalogue.metric(key).kind for key in keys} <= set(of)
        assert {key for key in held if catalogue.metric(key).kind in of} <= keys
    assert COST in {key for key, _ in offered["y"]}
