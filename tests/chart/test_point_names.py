"""Texts beside points never cover each other, whatever the points and however small the plot."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bench.chart.point_names import MARGIN_PX, Box, apart, box

PLOT = (400, 300)


def test_points_that_look_like_one_have_their_texts_at_the_first() -> None:
    places = [(0.1, 0.1), (0.5, 0.8), (0.501, 0.801)]
    assert apart(places, ["1", "64", "128"], PLOT) == ["1", "64, 128", ""]
    assert apart(places, ["1", "64", "64"], PLOT) == ["1", "64", ""]


def test_many_at_one_place_are_the_first_and_the_last() -> None:
    assert apart([(0.5, 0.5)] * 5, ["1", "2", "4", "8", "16"], PLOT) == ["1 … 16", "", "", "", ""]


def test_a_text_that_would_cover_another_is_not_drawn() -> None:
    places = [(0.5, 0.5), (0.55, 0.5)]
    assert apart(places, ["1,000", "2,000"], PLOT) == ["1,000", ""]
    assert apart(places, ["1", "2"], (1000, 300)) == ["1", "2"]
    assert apart([(0.5, 0.5)], ["1"], PLOT, [Box(0, 0, 400, 300)]) == [""]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**6)), max_size=30),
    st.sampled_from([(250, 330), (1000, 350)]),
)
def test_no_text_covers_another_or_leaves_the_plot(
    points: list[tuple[float, float, int]], plot: tuple[int, int]
) -> None:
    places = [(x, y) for x, y, _ in points]
    shown = apart(places, [f"{load:,}" for _, _, load in points], plot)
    boxes = [box(place, text, plot) for place, text in zip(places, shown, strict=True) if text]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert all(one.right <= plot[0] + MARGIN_PX for one in boxes)
