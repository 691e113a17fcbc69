"""The names at the ends of lines: in the order of the lines, near their ends, covering nothing."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import line_names
from bench.chart.line_names import FARTHEST, GAP, LINE, PLOTS, freest, placed
from tests.thorough import times

shares = st.floats(0, 1).map(lambda share: round(share, 4))
ends = st.lists(st.tuples(shares, shares), max_size=12)
often = settings(max_examples=times(100, 10, 25))


@often
@given(ends, st.lists(st.sampled_from([60.0, 120.0, 200.0]), min_size=12, max_size=12), st.booleans())
def test_above_each_other_stand_in_the_order_of_the_ends(
    places: list[tuple[float, float]], widths: list[float], narrow: bool
) -> None:
    plots = ((1060, 300), (730, 280)) if narrow else PLOTS
    labels = placed(places, widths[: len(places)], [[place] for place in places], plots=plots)
    told = [(place, label, width) for place, label, width in zip(places, labels, widths, strict=False) if label]
    step = LINE / min(height for _, height in plots)
    for place, label, _ in told:
        assert abs(label.up - place[1]) <= FARTHEST * step + 1e-9

    def is_above(one: tuple[Any, ...], other: tuple[Any, ...], across: int) -> bool:
        (left, right), (west, east) = (
            (place[0] * across - GAP - width, place[0] * across - GAP)
            if label.is_left
            else (place[0] * across + GAP, place[0] * across + GAP + width)
            for place, label, width in (one, other)
        )
        return (left < east and west < right) or abs(one[0][0] - other[0][0]) * across <= 2 * GAP

    for first, second in combinations(told, 2):
        (one, its, _), (other, others, _) = first, second
        if one[1] != other[1] and any(is_above(first, second, across) for across, _ in plots):
            assert (one[1] - other[1]) * (its.up - others.up) >= -1e-9


@often
@given(st.lists(shares, min_size=2, max_size=6), st.data())
def test_of_lines_that_end_in_one_place_all_are_named(heights: list[float], data: st.DataObject) -> None:
    """Up to six ends within a line or two of each other, as on Scaling: none of the names is left out."""
    across = data.draw(st.floats(0.3, 0.6))
    places = [(across, 0.4 + height / 10) for height in heights]
    assert None not in placed(places, [90.0] * len(places), [[place] for place in places])


def test_a_name_beside_a_point_of_a_line_keeps_no_order() -> None:
    """A percentage at a point may stand below the name of a lower line that ends elsewhere."""
    first, second = line_names.placed([(0.2, 0.5), (0.6, 0.52)], [80.0, 80.0], [], farthest=[1, FARTHEST])
    assert first is not None
    assert second is not None
    assert (first.up, second.up) == (0.5, 0.52)


def test_names_stand_around_their_ends_up_and_down() -> None:
    """Not one below the other from the uppermost end on: the middle one of five stays where its line ends."""
    ends = [(0.7, 0.5 - nth * 0.01) for nth in range(5)]
    labels = placed(ends, [60.0] * 5, [[end] for end in ends], plots=[(1060, 289)])
    moved = [label.up - end[1] for label, end in zip(labels, ends, strict=True) if label]
    assert len(moved) == 5
    assert max(map(abs, moved)) <= FARTHEST * LINE / 289
    assert moved[0] > 0 > moved[-1]
    assert abs(moved[2]) < LINE / 289 / 2


def test_names_cover_few_points_in_all() -> None:
    """Where two cannot both have the free place the one that then covers less gives way."""
    points = [[(0.5 + nth / 200, 0.5 + 0.01 * row)] for nth in range(4, 30) for row in range(-8, 3)]
    first, second = placed([(0.5, 0.5), (0.5, 0.46)], [80.0, 80.0], points, plots=[(1060, 400)])
    assert first is not None
    assert second is not None
    assert first.is_left or first.up > 0.5 + 0.02
    assert second.is_left or second.up < 0.42


def test_words_beside_a_place_cover_least() -> None:
    assert freest((0.5, 0.5), 100.0, 15, []).anchor == "left"
    assert freest((0.99, 0.5), 100.0, 15, []).anchor == "right"
    right = [[(0.5 + nth / 100, 0.5 + row / 50)] for nth in range(1, 20) for row in range(-5, 6)]
    assert freest((0.5, 0.5), 100.0, 15, right).anchor == "right"
    above = freest((0.5, 0.5), 100.0, 15, [[(0.4, 0.5), (0.6, 0.5)]])
    assert above.up > 0
