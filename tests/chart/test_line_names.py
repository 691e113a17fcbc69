"""The names at the ends of lines: in the order of the lines, near their ends, covering nothing."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bench.chart import line_names
from bench.chart.line_names import FARTHEST, GAP, LINE, PLOTS, placed

shares = st.floats(0, 1).map(lambda share: round(share, 4))
ends = st.lists(st.tuples(shares, shares), max_size=12)


@given(ends, st.lists(st.sampled_from([60.0, 120.0, 200.0]), min_size=12, max_size=12), st.booleans())
def test_above_each_other_stand_in_the_order_of_the_ends(
    places: list[tuple[float, float]], widths: list[float], narrow: bool
) -> None:
    plots = ((1060, 300), (730, 280)) if narrow else PLOTS
    labels = placed(places, widths[: len(places)], [[place] for place in places], plots=plots)
    told = [
        (place, label, width) for place, label, width in zip(places, labels, widths, strict=False) if label
    ]
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
