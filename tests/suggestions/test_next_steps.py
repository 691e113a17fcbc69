"""Where a page has no answer, what it offers leads to one, for the models of the shipped library."""

from __future__ import annotations

import pytest

from bench.basis import story
from bench.errors import BenchError
from bench.library import Library
from bench.questions import Answer, question
from bench.suggestions import Step
from bench.suggestions.next_steps import MOST, leading, next_steps
from bench.view import View
from tests.thorough import some

KEPT_BY_NOTHING = "ttft_ms_p99<=0.001"


def asked(shipped: Library, name: str, view: View) -> Answer[object] | None:
    """A question's answer as its page asks for it; None where it cannot be asked."""
    try:
        return question(name).answer(shipped, question(name).complete(shipped, view).made_whole())
    except BenchError:
        return None


def bare(view: View) -> View:
    return view.with_options(**{story.FILLED: None}).made_whole()


def lead_on(shipped: Library, name: str, view: View) -> tuple[Step, ...]:
    """The steps of a page, each of which was taken; none only where the page has an answer."""
    found = asked(shipped, name, view)
    if found is None:
        return ()
    steps = next_steps(shipped, name, found)
    assert len(steps) <= MOST
    assert bool(steps) != found.is_told, (name, view.query(), found.headline)
    for step in steps:
        led = asked(shipped, step.page, step.view)
        assert led is not None, step
        assert led.is_told, (step, led.headline)
        assert (step.page, bare(led.view)) != (name, bare(found.view)), step
    assert len({step.label for step in steps}) == len(steps)
    return steps


@pytest.mark.exhaustive
@pytest.mark.parametrize("slo", [(), (KEPT_BY_NOTHING,)], ids=["without limits", "a limit that nothing keeps"])
@pytest.mark.parametrize("name", leading())
def test_every_step_leads_to_an_answer_for_every_model(shipped: Library, name: str, slo: tuple[str, ...]) -> None:
    models = [one for (one,) in shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL")]
    for model in some(models, 2, 4):
        lead_on(shipped, name, View.of({"model": [model]}, slo=slo))


LABELS = [
    ("crossover", View.of({"model": ["llama-3.3-70b"]}), "Show FP4"),
    ("cost", View.of({"accelerator": ["mi325x"]}), "Take prices of any terms"),
    ("memory", View.of({"model": ["flan-t5-xl"]}), "Suppose BF16 weights"),
    ("scaling", View.of({"model": ["deepseek-r1"]}, {"metric": "output_tokens_per_s"}), "Let older runs in"),
    ("scaling", View.of({"model": ["deepseek-r1"]}, {"metric": "requests_per_s"}), "Show MLPerf tokens per second"),
    ("scaling", View.of({"engine": ["dynamo-trt"]}), "Compare disaggregated deployments"),
    ("scaling", View.of({"model": ["mistral-7b"]}), "Heatmap"),
    ("cost", View.of({"model": ["qwen3.5-397b-a17b"]}), "Price input and output tokens"),
    ("cost", View.of({"model": ["qwen3-32b"]}), "Heatmap"),
    ("cost", View.of({"model": ["glm-4.7"]}), "Heatmap"),
    ("cost", View.of({"model": ["random-llama-0.9m"]}), "Heatmap"),
]


@pytest.mark.parametrize(("name", "view", "label"), some(LABELS, 2))
def test_a_step_says_what_it_does_and_leads_to_an_answer(shipped: Library, name: str, view: View, label: str) -> None:
    assert label in [step.label for step in lead_on(shipped, name, view)]


def test_of_several_limits_the_one_in_the_way_is_lifted(shipped: Library) -> None:
    view = View.of({"model": ["flan-t5-xl"]}, slo=[KEPT_BY_NOTHING, "ttft_ms_p50<=100000"])
    first, *_ = lead_on(shipped, "pareto", view)
    assert (first.page, first.view.slo) == ("pareto", ("ttft_ms_p50<=100000",))
    assert "p99 TTFT" in first.label


def test_a_filter_in_the_way_is_lifted_and_the_others_stay(shipped: Library) -> None:
    view = View.of({"model": ["llama-3.3-70b"], "accelerator": ["tpu-v6e"], "precision": ["fp8"]})
    steps = lead_on(shipped, "crossover", view)
    assert all(step.view.values("model") == ("llama-3.3-70b",) for step in steps)


def test_where_there_is_an_answer_nothing_is_offered(shipped: Library) -> None:
    found = asked(shipped, "pareto", View())
    assert found is not None
    assert found.is_told
    assert not next_steps(shipped, "pareto", found)
