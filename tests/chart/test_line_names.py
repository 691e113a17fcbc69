"""The names at the ends of lines: in the order of the lines, near their ends, covering no other and inside the plot."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart.line_names import FARTHEST, GAP, LINE, Label, placed, width
from tests.thorough import times

shares = st.floats(0, 1).map(lambda share: round(share, 4))
ends = st.lists(st.tuples(shares, shares), max_size=12)
often = settings(max_examples=times(100, 10, 25))


@often
@given(
    ends, st.lists(st.sampled_from(["", "H100", "B200, 64 chips", "H200 SXM, SGLang 0.5"]), min_size=12), st.booleans()
)
def test_names_cover_no_other_and_stand_in_the_order_of_their_ends(
    places: list[tuple[float, float]], names: list[str], narrow: bool
) -> None:
    plot = (463, 280) if narrow else (1020, 400)
    names = names[: len(places)]
    boxes = []
    for (across, end), name, label in zip(places, names, placed(places, names, plot), strict=True):
        if label is not None:
            assert name
            left = across * plot[0] + (-GAP - width(name) if label.is_left else GAP)
            assert -1e-6 <= left <= plot[0] - width(name) + 1e-6
            assert LINE / 2 - 1e-6 <= label.up * plot[1] <= plot[1] - LINE / 2 + 1e-6
            ideal = end * plot[1] + LINE * label.is_left
            assert abs(label.up * plot[1] - ideal) <= FARTHEST * LINE + 1e-6
            boxes.append((left, left + width(name), label.up * plot[1], ideal))
    for (left, right, up, end), (west, east, height, other) in combinations(boxes, 2):
        if left < east and west < right:
            assert abs(up - height) >= LINE - 1e-6
            assert (end - other) * (up - height) >= 0 or abs(end - other) < 1e-6


@often
@given(st.lists(shares, min_size=2, max_size=6), st.floats(0.3, 0.6))
def test_of_lines_that_end_in_one_place_all_are_named(heights: list[float], across: float) -> None:
    """Up to six ends within a line or two of each other, as on Scaling: none of the names is left out."""
    places = [(across, 0.4 + height / 10) for height in heights]
    assert None not in placed(places, ["H100 SXM"] * len(places), (463, 280))


def test_names_stand_around_their_ends_up_and_down() -> None:
    """Not one below the other from the uppermost end on: the middle one of five stays where its line ends."""
    ends = [(0.7, 0.5 - nth * 0.01) for nth in range(5)]
    labels = placed(ends, ["H100"] * 5, (1060, 289))
    moved = [label.up - end[1] for label, end in zip(labels, ends, strict=True) if label]
    assert len(moved) == 5
    assert moved[0] > 0 > moved[-1]
    assert abs(moved[2]) < 1e-6


def test_a_name_stands_right_of_its_end_left_of_one_at_the_edge_and_away_where_no_room_is() -> None:
    assert placed([(0.5, 0.5)], ["H100"], (1060, 400)) == [Label(0.5)]
    assert placed([(0.99, 0.5)], ["H100"], (1060, 400)) == [Label(0.5 + LINE / 400, is_left=True)]
    assert placed([(0.5, 0.5)], ["H100"], (40, 300)) == [None]
