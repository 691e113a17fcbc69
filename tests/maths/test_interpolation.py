"""Between two measured points: by hand, on power laws, and never beyond what was measured."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths import interpolation

POSITIVE = st.floats(1e-3, 1e9, allow_subnormal=False)
CURVE = st.dictionaries(POSITIVE, st.one_of(st.just(0.0), POSITIVE), min_size=1, max_size=12)


def test_a_value_worked_out_by_hand():
    # Halfway from 16 to 64 on a logarithm is 32; halfway from 100 to 400 is 200.
    assert interpolation.between(16, 100, 64, 400, 32) == pytest.approx(200)
    # A quarter of the way (log2 2 of log2 16): 1,000 falls to 10 by 100^(1/4) = 3.162.
    assert interpolation.between(1, 1_000, 16, 10, 2) == pytest.approx(316.23, abs=0.01)


def test_where_a_value_is_0_the_line_is_straight():
    assert interpolation.between(1, 0, 5, 8, 2) == pytest.approx(2)
    assert interpolation.between(1, 8, 5, 0, 2) == pytest.approx(6)


@given(st.floats(0.01, 1e4), st.floats(-3, 3), POSITIVE, st.floats(1.001, 1e3), st.floats(0, 1))
def test_a_power_law_is_met_everywhere(factor, power, start, times, share):
    end, x = start * times, min(start * times**share, start * times)
    law = [factor * value**power for value in (start, end, x)]
    assert interpolation.between(start, law[0], end, law[1], x) == pytest.approx(law[2], rel=1e-9)


@given(CURVE, st.randoms())
def test_a_measured_x_gives_the_measured_value_and_the_order_does_not_matter(curve, random):
    points = random.sample(sorted(curve.items()), len(curve))
    xs, ys = zip(*points, strict=True)
    assert [interpolation.at(xs, ys, x) for x in xs] == list(ys)


@given(CURVE, POSITIVE)
def test_nothing_is_said_outside_what_was_measured(curve, x):
    found = interpolation.at(list(curve), list(curve.values()), x)
    assert (found is None) == (not min(curve) <= x <= max(curve))


def test_absent_points_are_left_out_not_taken_as_0():
    xs, ys = [1, 2, None, 4, 0, 8], [10.0, None, 99.0, 40.0, 1.0, math.nan]
    assert interpolation.at(xs, ys, 2) == pytest.approx(20)
    assert interpolation.at(xs, ys, 8) is None
    assert interpolation.at(xs, ys, 0) is None
    assert interpolation.at([], [], 1) is None


def test_two_values_at_one_x_are_for_the_caller_to_choose_from():
    assert interpolation.at([4, 4, 8], [1.0, 1.0, 2.0], 4) == 1.0
    with pytest.raises(ValueError, match=r"two values at 4: 1\.0 and 3\.0"):
        interpolation.at([4, 4, 8], [1.0, 3.0, 2.0], 8)


@pytest.mark.parametrize("ends", [(0, 1, 2, 1), (1, -1, 2, 1), (2, 1, 2, 3), (1, math.nan, 2, 1), (1, 1, math.inf, 1)])
def test_ends_without_a_line_are_refused(ends):
    with pytest.raises(ValueError, match="no line between"):
        interpolation.between(*ends, 1.5)


def test_between_refuses_what_lies_outside():
    with pytest.raises(ValueError, match="was not measured"):
        interpolation.between(1, 5, 4, 6, 4.1)
