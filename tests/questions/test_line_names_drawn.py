"""The names that charts write at the ends of their lines: those of lines that end together stand in their order."""

from __future__ import annotations

import math
import re
from itertools import combinations
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from bench.chart import LIGHT
from bench.chart.line_names import EVERY_WIDTH, GAP
from bench.library import Library
from bench.questions import question
from bench.view import View

ASKED = (
    "scaling?",
    "history?",
    "memory?model=llama-3.3-70b&model=deepseek-r1",
    "pareto?",
    "pareto?model=flan-t5-xl&model=flan-ul2",
)
TOGETHER = 2 * GAP / EVERY_WIDTH[0].across


def share(axis: Any, value: float | str) -> float:
    low, high = axis.range
    if axis.type == "date":
        return (pd.Timestamp(value).timestamp() * 1000 - low) / (high - low)
    return ((math.log10(float(value)) if axis.type == "log" else float(value)) - low) / (high - low)


def drawn(shipped: Library, asked: str) -> go.Figure:
    name, _, query = asked.partition("?")
    return question(name).figure(question(name).answer(shipped, View.from_query(query)).result, LIGHT)


def ends(figure: go.Figure) -> dict[tuple[str, str], tuple[Any, float]]:
    """The last point of each line, by its legend group and its axis."""
    lines = (one for one in figure.data if one.mode == "lines+markers" and one.legendgroup)
    return {(one.legendgroup, one.yaxis or "y"): max(zip(one.x, one.y, strict=True)) for one in lines}


@pytest.mark.parametrize("asked", ASKED)
def test_names_of_lines_that_end_together_stand_in_the_order_of_their_ends(shipped: Library, asked: str) -> None:
    figure = drawn(shipped, asked)
    last = ends(figure)
    named: dict[tuple[str, str], list[tuple[tuple[Any, float], float, str]]] = {}
    for trace in figure.data:
        for x, y, text in zip(trace.x, trace.y, trace.text or (), strict=False):
            key = (trace.legendgroup, trace.yaxis or "y")
            if trace.mode and "text" in trace.mode and text and key in last and last[key][0] == x:
                words = re.sub(r"<[^>]*>", "", text).strip()
                named.setdefault((key[1], re.match(r"<span[^>]*>", text)[0]), []).append((last[key], y, words))
    assert named
    for (axis, _), told in named.items():
        across = figure.layout[axis.replace("y", "xaxis")]
        for (one, up, its), (other, height, others) in combinations(told, 2):
            if abs(share(across, one[0]) - share(across, other[0])) <= TOGETHER:
                assert (one[1] - other[1]) * (up - height) >= 0, (its, others)


def test_the_chip_counts_of_scalings_lower_panel_stand_under_those_of_the_upper(shipped: Library) -> None:
    layout = drawn(shipped, "scaling?").layout
    assert layout.xaxis.domain == layout.xaxis2.domain
    assert layout.xaxis.range == layout.xaxis2.range
    assert layout.xaxis.tickvals == layout.xaxis2.tickvals
