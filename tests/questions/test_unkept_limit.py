"""A limit that nobody keeps leaves sentences and an empty chart, whatever metric is on whatever axis."""

from __future__ import annotations

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
WITHOUT = ("overview", "memory", "roofline")
"""The questions that have no option which is a metric; Capacity's is what a demand is counted in."""


def metrics(library: Library, name: str) -> dict[str, list[str]]:
    """Each option of a question that is a metric, with every metric that it may be."""
    offered = question(name).choices(library, question(name).complete(library, View.of(STORY)))
    listed_by_option = {
        option: [str(one) for one, _ in values if catalogue.is_metric(str(one))] for option, values in offered.items()
    }
    return {option: listed for option, listed in listed_by_option.items() if listed}


@pytest.mark.parametrize("name", list(questions()))
def test_a_question_says_that_nothing_keeps_a_limit_whatever_is_on_its_axes(shipped: Library, name: str) -> None:
    by_option = metrics(shipped, name)
    assert bool(by_option) != (name in WITHOUT)
    axes = [{option: metric} for option, listed in by_option.items() for metric in some(listed, 1, 3)]
    for options in axes or [{}]:
        answer = answered(name, shipped, View.of(STORY, options, slo=NOBODY_KEEPS))
        assert answer.headline.endswith("."), options
        assert isinstance(question(name).figure(answer.result, LIGHT), go.Figure)
        assert not {one.kind for one in answer.statements} & {"cheapest", "peak", "lowest", "crosses"}, options
        named = {id for one in answer.statements if one.role in ("headline", "finding") for id in one.point_ids}
        assert not named, options


def test_a_cost_axis_without_a_point_within_the_limits_is_a_sentence(shipped: Library) -> None:
    view = View.of(STORY, {"y": "usd_per_million_output_tokens"}, slo=("ttft_ms_p50<=1",))
    answer = answered("pareto", shipped, view)
    assert answer.result.tally.used == 0
    assert answer.headline.endswith(".")
