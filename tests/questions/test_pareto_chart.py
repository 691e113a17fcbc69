"""The Pareto chart: every point says all about itself, names keep apart, the limits stand beside their lines."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import LIGHT, hover_lines
from bench.plain_text import html
from bench.questions import pareto
from bench.questions.pareto import hover, labels, points
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


@pytest.mark.parametrize("model", ["deepseek-r1", "llama-3.1-8b"])
def test_a_point_says_everything_under_the_pointer_though_it_is_sent_once(shipped, model):
    answer = pareto.answer(shipped, View.of({"model": [model]}, whole=True))
    figure = pareto.figure(answer, LIGHT)
    said = hovers(figure)
    assert len(said) == len(answer.rows)
    axes = [answer.numbers["x"], answer.numbers["y"]]
    for row in points.told(answer.rows):
        text = said[row["point_id"]]
        whole = hover_lines(row, axes)
        assert text.startswith(whole)
        assert (text == whole) is not bool(row["step"] or row["is_knee"])
    if len(said) > 400:
        assert len(figure.to_json()) < 0.5 * sum(map(len, said.values()))


TEXT = st.text(st.sampled_from("ab<br>, %{12"), max_size=12).map(html)


@given(st.lists(TEXT, min_size=1, max_size=6), st.lists(st.sampled_from(["<br>", "a", ", "]), max_size=4))
def test_texts_are_shared_letter_for_letter(said, joints):
    template, columns = hover.factored(said, joints)
    for place, text in enumerate(said):
        filled = re.sub(
            r"%\{customdata\[(\d+)\]\}", lambda found, at=place: columns[int(found[1]) - 1][at], template
        )
        assert filled == text


def test_both_limits_are_written_beside_their_lines_on_logarithmic_axes_too(shipped):
    view = View.of({"model": ["deepseek-r1"]}, {"x": "ttft_ms_mean", "slo_x": 2000, "slo_y": 100})
    answer = pareto.answer(shipped, view)
    assert answer.numbers["x_log"]
    assert answer.numbers["y_log"]
    written = {note.text: note for note in pareto.figure(answer, LIGHT).layout.annotations}
    assert written["≤ 2,000 ms"].x == pytest.approx(math.log10(2000))
    assert written["≥ 100 tokens/s/accelerator"].y == pytest.approx(2)


SHARE = st.floats(0, 1)


@settings(max_examples=times(60, 15))
@given(
    st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8),
    st.lists(st.lists(st.tuples(SHARE, SHARE).map(tuple), max_size=8).map(sorted), max_size=5),
)
def test_labels_never_cover_each_other_on_a_wide_or_a_narrow_page(places, paths):
    widths = [80.0] * len(places)
    moved = labels.shifts(places, widths, paths)
    for width, height in labels.PLOTS:
        boxes = [
            (across * width, up * height + shift) for (across, up), shift in zip(places, moved, strict=True)
        ]
        for one, other in combinations(boxes, 2):
            assert abs(one[0] - other[0]) >= 80 or abs(one[1] - other[1]) >= labels.LINE - 1e-6
    assert labels.shifts([(0.5, 0.5)], [80.0], []) == [0.0]


@pytest.mark.parametrize("up_first", [True, False])
def test_a_label_moves_off_a_staircase_that_passes_behind_it(up_first):
    path = [(0.1, 0.5), (0.9, 0.2)] if not up_first else [(0.1, 0.8), (0.9, 0.5)]
    assert labels.shifts([(0.5, 0.5)], [80.0], [path], up_first=up_first) != [0.0]
    assert labels.shifts([(0.5, 0.5)], [80.0], [path], up_first=not up_first) == [0.0]
