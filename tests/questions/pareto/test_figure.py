"""The Pareto chart: every point says all about itself, names keep apart, the limits stand beside their lines."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.basis.document import records
from bench.chart import LIGHT, hover_lines, line_names
from bench.plain_text import html
from bench.questions import pareto
from bench.questions.pareto.figure import PLOTS
from bench.questions.pareto.figure import shared as shared_hover
from bench.view import View
from tests.thorough import times


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


def share(axis, value):
    low, high = axis.range
    return ((math.log10(value) if axis.type == "log" else value) - low) / (high - low)


def test_a_click_in_the_legend_isolates_a_line_with_its_points_ring_and_name(deepseek):
    assert (deepseek.layout.legend.itemclick, deepseek.layout.legend.itemdoubleclick) == ("toggleothers", "toggle")
    assert deepseek.layout.legend2.itemclick is False
    lines = [trace for trace in deepseek.data if trace.showlegend and trace.legend is None]
    assert len(lines) > 5
    for line in lines:
        own = [trace for trace in deepseek.data if trace.legendgroup == line.legendgroup]
        assert {"lines+markers", "markers+text"} <= {trace.mode for trace in own}
    keys = [trace for trace in deepseek.data if trace.legend == "legend2"]
    assert {trace.x for trace in keys} >= {(None,)}
    assert not any(trace.legendgroup for trace in keys)


SHARE = st.floats(0, 1)


@settings(max_examples=times(60, 10, 25))
@given(
    st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8),
    st.lists(st.lists(st.tuples(SHARE, SHARE).map(tuple), max_size=8).map(sorted), max_size=5),
)
def test_labels_never_cover_each_other_nor_leave_the_plot_on_a_wide_or_a_narrow_page(places, paths):
    labels = line_names.placed(places, [80.0] * len(places), paths)
    for width, height in line_names.PLOTS:
        boxes = []
        for (across, _), label in zip(places, labels, strict=True):
            if label is not None:
                left = across * width + (-line_names.GAP - 80 if label.is_left else line_names.GAP)
                boxes.append((left, label.up * height))
        for left, middle in boxes:
            assert -1e-6 <= left <= width - 80 + 1e-6
            assert line_names.LINE / 2 - 1e-6 <= middle <= height - line_names.LINE / 2 + 1e-6
        for one, other in combinations(boxes, 2):
            assert abs(one[0] - other[0]) >= 80 or abs(one[1] - other[1]) >= line_names.LINE - 1e-6


def test_a_label_stands_right_of_its_end_left_of_one_at_the_edge_and_away_where_no_room_is():
    assert line_names.placed([(0.5, 0.5)], [80.0], []) == [line_names.Label(0.5)]
    assert line_names.placed([(0.99, 0.5)], [80.0], []) == [line_names.Label(0.5, is_left=True)]
    assert line_names.placed([(0.5, 0.5)], [80.0], [], plots=[(90, 300)]) == [None]


@pytest.mark.parametrize("up_first", [True, False])
def test_a_label_moves_off_a_staircase_that_passes_behind_it(up_first):
    path = [(0.1, 0.5), (0.9, 0.2)] if not up_first else [(0.1, 0.8), (0.9, 0.5)]
    beside = line_names.Label(0.5)
    assert line_names.placed([(0.5, 0.5)], [80.0], [path], up_first=up_first) != [beside]
    assert line_names.placed([(0.5, 0.5)], [80.0], [path], up_first=not up_first) == [beside]


def test_what_is_best_within_the_limits_is_named_where_it_covers_no_frontier(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, slo=["tpot_ms_p50<=40"]))
    drawn = pareto.figure(answer.result, LIGHT)
    (note,) = [one for one in drawn.layout.annotations if "best within the limits" in one.text]
    plot = PLOTS[0]
    low = share(drawn.layout.yaxis, answer.result.best.y) * plot[1] + note.yshift - line_names.LINE / 2
    left = share(drawn.layout.xaxis, answer.result.best.x) * plot[0] + note.xshift
    assert note.xanchor == "left"
    points = [
        (share(drawn.layout.xaxis, x) * plot[0], share(drawn.layout.yaxis, y) * plot[1])
        for group in answer.result.drawn
        for x, y in group.line
    ]
    covered = [one for one in points if left < one[0] < left + 130 and low < one[1] < low + line_names.LINE]
    assert not covered
