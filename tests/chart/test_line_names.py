"""The names at the ends of lines: in the order of the lines, near their ends, covering nothing."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bench.chart import line_names
from bench.chart.line_names import FARTHEST, GAP, LINE, PLOTS, placed

shares = st.floats(0, 1).map(lambda share: round(share, 4))
ends = st.lists(st.tuples(shares, shares), max_size=12)


@given(ends, st.lists(st.sampled_from([60.0, 120.0, 200.0]), min_size=12, max_size=12), st.booleans())
def test_stand_in_the_order_of_the_ends(
    places: list[tuple[float, float]], widths: list[float], narrow: bool
) -> None:
    plots = ((1060, 300), (730, 280)) if narrow else PLOTS
    labels = placed(places, widths[: len(places)], [[place] for place in places], plots=plots)
    told = [one for one in zip(places, labels, widths, strict=False) if one[1]]
    step = LINE / min(height for _, height in plots)
    for place, label, _ in told:
        assert abs(label.up - place[1]) <= FARTHEST * step + 1e-9
    for one, other in combinations(told, 2):
        if one[0][1] != other[0][1] and any(abreast(one, other, across) for across, _ in plots):
            assert (one[0][1] - other[0][1]) * (one[1].up - other[1].up) >= -1e-9


def abreast(one, other, across: int) -> bool:
    """Whether two names would cover each other at one height."""
    (left, right), (west, east) = (
        sorted(place[0] * across + (-far if label.is_left else far) for far in (GAP, GAP + width))
        for place, label, width in (one, other)
    )
    return left < east and west < right


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
