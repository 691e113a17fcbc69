"""The Pareto chart: every point says all about itself, names keep apart, the limits stand beside their lines."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis.document import records
from bench.chart import LIGHT, hover_lines, line_names
from bench.plain_text import html
from bench.questions import pareto
from bench.questions.pareto.figure import PLOT_PX
from bench.questions.pareto.figure import shared as shared_hover
from bench.view import View


def hovers(figure):
    """What each point says under the pointer, by id: its trace's template filled in as plotly does it."""
    return {
        own[0]: re.sub(
            r"%\{customdata\[(\d+)\]\}", lambda found, own=own: own[int(found[1])], trace.hovertemplate
        ).removesuffix("<extra></extra>")
        for trace in figure.data
        for own in trace.customdata or ()
    }


@pytest.fixture(scope="module")
def deepseek(shipped):
    """The chart of the model with the most lines."""
    return pareto.figure(pareto.answer(shipped, View.of({"model": ["deepseek-r1"]})).result, LIGHT)


def test_a_point_says_everything_under_the_pointer_though_it_is_sent_once(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"runs": "all"}, whole=True))
    figure = pareto.figure(answer.result, LIGHT)
    said = hovers(figure)
    assert len(said) == len(answer.rows) > 400
    axes = [answer.result.x, answer.result.y]
    for row in records(answer.rows):
        text = said[row["point_id"]]
        whole = hover_lines(row, axes)
        assert text.startswith(whole)
        assert (text == whole) is not bool(row["step"] or row["is_knee"])
    assert len(figure.to_json()) < 0.5 * sum(map(len, said.values()))


TEXT = st.text(st.sampled_from("ab<br>, %{12"), max_size=12).map(html)


@given(st.lists(TEXT, min_size=1, max_size=6))
def test_texts_are_shared_letter_for_letter(said):
    shared = shared_hover(pd.DataFrame({"hover": said, "point_id": list(map(str, range(len(said))))}))
    for text, own in zip(said, shared["customdata"], strict=True):
        filled = re.sub(r"%\{customdata\[(\d+)\]\}", lambda found, own=own: own[int(found[1])], shared["hovertemplate"])
        assert filled == f"{text}<extra></extra>"


def test_both_limits_are_written_beside_their_lines_on_logarithmic_axes_too(shipped):
    limits = ["ttft_ms_mean<=2000", "output_tokens_per_s_per_accelerator>=100", "e2el_ms_p99<=60000"]
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"x": "ttft_ms_mean"}, slo=limits))
    assert [span.log for span in answer.result.spans] == [True, True]
    drawn = pareto.figure(answer.result, LIGHT)
    assert len([shape for shape in drawn.layout.shapes if shape.line.dash]) == 2
    written = {note.text: note for note in drawn.layout.annotations}
    assert written["≤ 2,000 ms"].x == pytest.approx(math.log10(2000))
    assert written["≥ 100 tokens/s/accelerator"].y == pytest.approx(2)


def names_of(figure, pages):
    """A chart's names as such pages show them: whose, where each stands, and its text."""
    shown = pages.shown("x").split("x")[0]
    return [
        (trace.legendgroup, x, y, re.sub(r"<[^>]*>", "", text), side)
        for trace in figure.data
        if trace.mode == "text"
        for x, y, text, side in zip(trace.x, trace.y, trace.text, trace.textposition, strict=True)
        if shown in text
    ]


def share(axis, value):
    low, high = axis.range
    return ((math.log10(value) if axis.type == "log" else value) - low) / (high - low)


@pytest.mark.parametrize("model", ["deepseek-r1", "flan-t5-xl"])
def test_names_stand_inside_the_plot_near_their_ends_and_cover_no_other(shipped, model):
    drawn = pareto.figure(pareto.answer(shipped, View.of({"model": [model]})).result, LIGHT)
    ends = {one.legendgroup: max(zip(one.x, one.y, strict=True)) for one in drawn.data if one.mode == "lines+markers"}
    for pages in line_names.EVERY_WIDTH:
        across, height, boxes = pages.across, PLOT_PX, []
        for group, x, y, text, side in names_of(drawn, pages):
            width = line_names.width(text.strip())
            end = share(drawn.layout.xaxis, x) * across
            left = end - line_names.GAP - width if side == "middle left" else end + line_names.GAP
            middle = share(drawn.layout.yaxis, y) * height
            boxes.append((left, middle, width))
            assert left >= -line_names.LETTER
            assert left + width <= across + line_names.LETTER
            assert line_names.LINE / 2 - 1 <= middle <= height - line_names.LINE / 2 + 1
            far = abs(middle - share(drawn.layout.yaxis, ends[group][1]) * height)
            assert far <= (line_names.FARTHEST + 1) * line_names.LINE + 1
        assert len(boxes) > (7 if model == "deepseek-r1" else 0)
        for (left, middle, width), (west, up, wide) in combinations(boxes, 2):
            assert left >= west + wide or west >= left + width or abs(middle - up) >= line_names.LINE - 1e-6


def test_a_click_in_the_legend_isolates_a_line_with_its_points_ring_and_name(deepseek):
    assert (deepseek.layout.legend.itemclick, deepseek.layout.legend.itemdoubleclick) == ("toggleothers", "toggle")
    assert deepseek.layout.legend2.itemclick is False
    lines = [trace for trace in deepseek.data if trace.showlegend and trace.legend is None]
    assert len(lines) > 5
    for line in lines:
        own = [trace for trace in deepseek.data if trace.legendgroup == line.legendgroup]
        assert {"lines+markers", "text"} <= {trace.mode for trace in own}
    keys = [trace for trace in deepseek.data if trace.legend == "legend2"]
    assert {trace.x for trace in keys} >= {(None,)}
    assert not any(trace.legendgroup for trace in keys)


def test_what_is_best_within_the_limits_is_named_where_it_covers_no_frontier(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, slo=["tpot_ms_p50<=40"]))
    drawn = pareto.figure(answer.result, LIGHT)
    (note,) = [one for one in drawn.layout.annotations if "best within the limits" in one.text]
    plot = (line_names.EVERY_WIDTH[0].across, PLOT_PX)
    low = share(drawn.layout.yaxis, answer.result.best.y) * plot[1] + note.yshift
    left = share(drawn.layout.xaxis, answer.result.best.x) * plot[0] + note.xshift
    assert note.xanchor == "left"
    points = [
        (share(drawn.layout.xaxis, x) * plot[0], share(drawn.layout.yaxis, y) * plot[1])
        for group in answer.result.drawn
        for x, y in group.line
    ]
    covered = [one for one in points if left < one[0] < left + 130 and low < one[1] < low + line_names.LINE]
    assert not covered
