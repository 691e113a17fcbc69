"""Trends against sums by hand, and against how often chance alone passes for one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.trend import mann_kendall_p, sen_slope
from tests.thorough import times


def test_mann_kendall_by_hand():
    # 1 3 2 4 5: nine pairs rise, one falls, S = 8; the variance is 5 x 4 x 15 / 18 = 16.67, z = 7 / 4.082 = 1.7146.
    assert mann_kendall_p([1, 3, 2, 4, 5]) == pytest.approx(0.0432, abs=1e-4)
    # Two equal pairs, 1 1 2 2: S = 4, the variance (4 x 3 x 13 - 2 x 18) / 18 = 6.667, z = 3 / 2.582 = 1.162.
    assert mann_kendall_p([1, 1, 2, 2]) == pytest.approx(0.1226, abs=1e-4)


def test_what_falls_stands_still_or_is_too_short_does_not_rise():
    assert mann_kendall_p([5, 4, 3, 2, 1]) > 0.97
    assert mann_kendall_p([7] * 20) == 1
    assert mann_kendall_p([1, 2, 3]) == 1


def test_chance_passes_for_a_rise_as_often_as_it_says():
    drawn = random.Random(1)
    runs = times(2000, 500)
    passed = sum(mann_kendall_p([drawn.gauss(0, 1) for _ in range(20)]) < 0.05 for _ in range(runs))
    assert abs(passed / runs - 0.05) < 3 * (0.05 * 0.95 / runs) ** 0.5


@given(st.lists(st.integers(-50, 50), min_size=4, max_size=15))
def test_the_test_depends_on_order_alone(values):
    assert mann_kendall_p(values) == mann_kendall_p([3 * value**3 for value in values])


@given(st.integers(2, 12), st.integers(-9, 9), st.integers(-100, 100))
def test_the_slope_of_a_line_is_its_own_whatever_one_value_does(count, slope, start):
    values = [start + slope * place for place in range(count)]
    assert sen_slope(values) == slope
    if count >= 8:
        values[3] += 10_000
        assert sen_slope(values) == pytest.approx(slope, abs=1e-9)


def test_one_value_has_no_slope():
    with pytest.raises(ValueError, match="two values"):
        sen_slope([1])
