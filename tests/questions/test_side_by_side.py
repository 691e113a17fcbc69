"""Models side by side: told apart on every page, none lost without a word, no chip of one ahead of another model's."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, cycle, product

import pytest

from bench.basis import points, side_by_side
from bench.chart import DARK, LIGHT, value_label
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question, questions
from bench.view import View
from tests.questions.audited import answers, one_model, reference_answers
from tests.questions.pareto.results import at, library_of
from tests.questions.saying import kinds, said, statement, tells
from tests.thorough import QUICK, some

MODELS = (
    "deepseek-r1",
    "flan-t5-xl",
    "flan-ul2",
    "llama-3.1-70b",
    "llama-3.1-8b",
    "llama-3.3-70b",
    "qwen3.5-397b-a17b",
)
PAIRS = some([*combinations(MODELS, 2)], 2, 3)
EACH = list(zip(questions(), cycle(PAIRS))) if QUICK else list(product(questions(), PAIRS))
"""The questions with the pairs they are asked about: in `make test` one each, the next question another."""
RANKS = (
    "leads",
    "best_within",
    "who_leads",
    "leads_on",
    "peak",
    "lowest",
    "peaks",
    "panels",
    "cheapest",
    "even",
    "ranking",
    "per_chip",
    "stream",
    "reached",
)
"""The kinds of sentence that call something the best."""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A small model on a slow chip beats a large one on a fast chip; in BF16 the large one alone was measured."""
    rows = [
        at(900, 100, "l40s", model="llama-3.1-8b", concurrency=8),
        at(1200, 50, "l40s", model="llama-3.1-8b", concurrency=16),
        at(300, 80, "b200", concurrency=8),
        at(500, 40, "h100-sxm", concurrency=16),
    ]
    rows += [
        at(200 + load, 1000 / (20 + load), chip, precision="bf16", concurrency=load)
        for chip in ("b200", "h100-sxm")
        for load in (1, 2, 4, 8, 16)
    ]
    return library_of(tmp_path_factory.mktemp("two"), rows)


BOTH = View.of({"model": ["llama-3.1-8b", "llama-3.1-70b"]})


@pytest.mark.parametrize(("name", "pair"), EACH)
def test_no_leader_pools_two_models_and_none_is_lost_without_a_word(
    name: str, pair: tuple[str, str], shipped: Library
) -> None:
    try:
        answer = question(name).answer(shipped, View.of({"model": pair}))
    except BenchError:
        return
    told = answers.AuditedAnswer(name, answer, reference_answers.read(shipped, View(answer.view.where)))
    assert [one.text for one in one_model.of_answer(told)] == []
    labels = [value_label("model", one) for one in pair]
    left = " ".join(one.text for one in answer.statements if one.kind == "model_left_out")
    for one in answer.statements:
        if one.role == "headline" or one.kind in RANKS:
            models = {facts.model for facts in points.named(shipped, one.point_ids).values()} - {None}
            known = [label for label in labels if label in one.text or label in left]
            assert len(models) < 2 or known == labels, (one.kind, one.text)
    if name != "overview" and not answer.rows.empty:
        drawn = set(answer.rows["model"]) if "model" in answer.rows else set()
        text = " ".join(one.text for one in answer.statements)
        for model, label in zip(pair, labels, strict=True):
            assert model in drawn or label in text, (model, answer.headline)
    complete = question(name).complete(shipped, answer.view)
    assert complete == answer.view
    offered = question(name).choices(shipped, complete)
    for key in ("group", "panel"):
        if complete.option(key):
            assert complete.option(key) in [value for value, _ in offered[key]]
    for theme in (LIGHT, DARK):
        assert answer.rows.empty or question(name).figure(answer.result, theme).data


def test_a_frontier_of_both_models_would_be_found(two: Library) -> None:
    answer = question("pareto").answer(two, BOTH)
    pooled = replace(answer, result=replace(answer.result, group=None))
    told = (answers.AuditedAnswer("pareto", one, reference_answers.read(two)) for one in (answer, pooled))
    sound, found = ([one.text for one in one_model.of_answer(one)] for one in told)
    assert (sound, len(found)) == ([], 1)
    assert "measured pools 2 models" in found[0]


def test_the_story_is_one_that_both_models_have_and_who_is_ahead_is_named_with_its_model(two: Library) -> None:
    alone = question("pareto").complete(two, View.of({"model": ["llama-3.1-70b"]}))
    assert alone.values("precision") == ("bf16",)
    assert {question(name).complete(two, BOTH).values("precision") for name in ("pareto", "heatmap", "cost")} == {
        ("fp8",)
    }
    assert question("crossover").answer(two, BOTH).verdict.startswith("Llama 3.1 70B: ")
    pareto = question("pareto").answer(two, BOTH)
    assert [group.label for group in pareto.result.groups] == ["Llama 3.1 8B", "Llama 3.1 70B"]
    assert (said(pareto, "leads")["leader"], said(pareto, "leads")["who"]) == ("Llama 3.1 8B", "Llama 3.1 8B on L40S")


def test_what_would_pool_models_gives_way_and_says_so(two: Library) -> None:
    for name, key, asked in (
        ("pareto", "group", "accelerator"),
        ("pareto", "group", "none"),
        ("heatmap", "panel", "none"),
        ("heatmap", "panel", "accelerator"),
    ):
        answer = question(name).answer(two, BOTH.with_options(**{key: asked}))
        assert answer.view.option(key) == "model"
        assert kinds(answer, "caveat").count("gave_way") == 1


def test_a_model_without_the_story_is_named_first_and_the_other_is_compared_by_chip(two: Library) -> None:
    answer = question("pareto").answer(two, BOTH.with_where(precision=["bf16"]))
    assert kinds(answer, "coverage", "caveat")[0] == "model_left_out"
    assert said(answer, "model_left_out") == {"models": 1}
    assert "Llama 3.1 8B" in statement(answer, "model_left_out").text
    assert [group.label for group in answer.result.groups] == ["B200 SXM", "H100 SXM"]


def test_heatmap_has_a_panel_and_a_peak_for_each_model(two: Library) -> None:
    answer = question("heatmap").answer(two, BOTH)
    assert answer.view.option("panel") == "model"
    tells(answer, {"peaks": {"value": 1200, "x": answer.result.peak.x, "y": answer.result.peak.y}})
    bests = [max(cells, key=lambda cell: cell.value) for cells in answer.result.panels.values()]
    assert {(one.panel, one.best.accelerator, one.value) for one in bests} == {
        ("llama-3.1-8b", "l40s", 1200),
        ("llama-3.1-70b", "h100-sxm", 500),
    }
    assert set(statement(answer, "peaks").point_ids) == {one.best.point_id for one in bests}


def test_side_by_side_are_models_that_a_reader_chose(two: Library) -> None:
    assert side_by_side.models(two, BOTH) == ("llama-3.1-70b", "llama-3.1-8b")
    assert side_by_side.models(two, View()) == ()
    assert side_by_side.models(two, View.of({"model": ["llama-3.1-8b", "nobody-knows"]})) == ()
