"""A limit that nobody keeps leaves sentences and an empty chart, whatever metric is on whatever axis."""

from __future__ import annotations

from functools import cache

import plotly.graph_objects as go
import pytest

from bench import catalogue
from bench.chart import LIGHT
from bench.library import Library
from bench.questions import answered, question, questions
from bench.view import View
from tests.thorough import some

NOBODY_KEEPS = ("ttft_ms_p50<=0.000001",)
STORY = {"model": ["deepseek-r1"], "precision": ["fp8"]}


@cache
def axes(library: Library) -> list[tuple[str, str, str]]:
    """Every question with each of its options that is a metric, and every metric that it may be."""
    return [
        (name, option, str(value))
        for name in questions()
        for option, values in question(name).choices(library, question(name).complete(library, View.of(STORY))).items()
        for value, _ in values
        if catalogue.is_metric(str(value))
    ]


def test_every_kind_of_axis_is_tried(shipped: Library) -> None:
    tried = {(name, option) for name, option, _ in axes(shipped)}
    assert {
        ("pareto", "x"),
        ("pareto", "y"),
        ("heatmap", "metric"),
        ("crossover", "metric"),
        ("cost", "latency"),
    } <= tried


@pytest.mark.parametrize("turn", range(6))
def test_each_question_says_that_nothing_keeps_a_limit(shipped: Library, turn: int) -> None:
    for name, option, metric in some(axes(shipped)[turn::6], 4, 8):
        answer = answered(name, shipped, View.of(STORY, {option: metric}, slo=NOBODY_KEEPS))
        assert answer.headline.endswith("."), (name, option, metric)
        assert isinstance(question(name).figure(answer.result, LIGHT), go.Figure)
        assert not {one.kind for one in answer.statements} & {"cheapest", "peak", "lowest", "crosses"}


def test_a_cost_axis_without_a_point_within_the_limits_is_a_sentence(shipped: Library) -> None:
    view = View.of(STORY, {"y": "usd_per_million_output_tokens"}, slo=("ttft_ms_p50<=1",))
    answer = answered("pareto", shipped, view)
    assert answer.result.tally.used == 0
    assert answer.headline.endswith(".")
