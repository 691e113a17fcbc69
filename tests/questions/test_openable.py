"""What of a chart can be opened, and in which order a picker offers it."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import pytest

from bench.chart import LIGHT
from bench.library import Library
from bench.questions import question
from bench.questions.cost.labels import costs_of_point
from bench.questions.heatmap import cells
from bench.questions.openable import marked, measured_of, openable
from bench.view import View

A, B, C = (letter * 16 for letter in "abc")


def test_leaders_come_first_then_the_rows_as_they_stand_and_what_opens_something_else_is_no_point() -> None:
    rows = pd.DataFrame({"point_id": [A, B, C], "on_frontier": [False, True, False]})
    figure = go.Figure(
        [
            {"type": "scatter", "customdata": [[C, "text"], [A, "text"]]},
            {"type": "scatter", "customdata": [B, f"{B}:4"]},
            {"type": "scatter", "customdata": ["0", "14", "<b>"]},
            {"type": "bar"},
        ]
    )
    assert openable(rows, figure) == (B, A, C, f"{B}:4")
    assert measured_of(f"{B}:4") == measured_of(B) == B


def test_what_is_opened_stands_out_and_the_chart_itself_stays_as_it_is() -> None:
    figure = go.Figure(
        [
            {"type": "scatter", "customdata": [[C, "text"], [A, "text"]]},
            {"type": "scatter", "customdata": [B]},
            {"type": "scatter", "y": [1]},
        ]
    )
    made = marked(figure, A)
    assert [trace.selectedpoints for trace in made.data] == [(1,), (), None]
    assert [trace.selectedpoints for trace in figure.data] == [None, None, None]
    assert marked(figure, "d" * 16) is figure


@pytest.mark.parametrize("name", ["pareto", "cost", "scaling", "roofline", "capacity", "history"])
def test_every_point_that_is_drawn_can_be_opened(name: str, shipped: Library) -> None:
    answer = question(name).answer(shipped, View())
    offered = openable(answer.rows, question(name).figure(answer.result, LIGHT))
    assert offered
    held = {id for (id,) in shipped.fetch("SELECT point_id FROM points")}
    assert {measured_of(id) for id in offered} <= held
    if name == "pareto":
        assert set(answer.rows.loc[answer.rows["on_overall_frontier"], "point_id"]) == set(
            offered[: int(answer.rows["on_overall_frontier"].sum())]
        )


def test_the_cells_of_a_heatmap_are_told_best_first_and_the_empty_ones_last(shipped: Library) -> None:
    answer = question("heatmap").answer(shipped, View())
    figure = question("heatmap").figure(answer.result, LIGHT)
    told = cells.in_words(answer.result, openable(answer.rows, figure))
    peak = answer.result.peak
    assert next(iter(told)) == peak.place
    assert f"{peak.value:,.0f}" in next(iter(told.values()))
    assert list(told.values())[-1].endswith(cells.EMPTY)


def test_a_card_has_the_cost_that_the_bar_has(shipped: Library) -> None:
    answer = question("cost").answer(shipped, View())
    lead = answer.result.lead
    told = (answer.result.asked.usd.label, f"{lead.usd_per_million:.2f} USD")
    assert costs_of_point(answer.result, lead.facts.point_id)[0] == told
    assert costs_of_point(answer.result, "0" * 16) == ()
