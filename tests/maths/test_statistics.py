"""Student's t against printed tables, means of repeats against sums by hand, intervals against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.maths.statistics import half_width, log_mean, ratio_interval, student_t_95
from tests.thorough import some, times


@pytest.mark.parametrize(
    ("df", "t"),
    # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975.
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (100, 1.984), (10**9, 1.960)],
)
def test_students_t_is_what_the_tables_print(df, t):
    assert student_t_95(df) == pytest.approx(t, abs=5.1e-4)


@pytest.mark.parametrize("df", [0, 0.5, -1, math.nan])
def test_students_t_asks_for_two_repeats(df):
    with pytest.raises(ValueError, match="two repeats"):
        student_t_95(df)


def test_a_mean_on_logarithms_by_hand():
    # 1, 10 and 100: the middle of the logarithms is that of 10, they scatter by ln 10, the mean by ln 10 / sqrt 3.
    found = log_mean([100, 1, 10])
    assert found.mean == pytest.approx(10)
    assert found.variance == pytest.approx(math.log(10) ** 2 / 3)
    assert found.df == 2


def test_a_single_value_says_nothing_about_its_spread_and_equal_ones_have_none():
    assert log_mean([3.3]).mean == 3.3
    assert log_mean([3.3]).variance is None
    assert log_mean([3.3, 3.3, 3.3]).mean == 3.3
    assert log_mean([3.3, 3.3, 3.3]).variance == 0


@pytest.mark.parametrize("values", [[], [1.0, 0.0], [-1.0], [math.inf, 1.0], [math.nan]])
def test_what_has_no_logarithm_has_no_mean(values):
    with pytest.raises(ValueError, match=r"give at least one|leave it out"):
        log_mean(values)


def test_half_an_interval_by_hand():
    # One mean: t at 4. Two that scatter alike: t at 8. One that does not scatter adds nothing.
    assert half_width([(0.04, 4)]) == pytest.approx(2.776445 * 0.2)
    assert half_width([(0.02, 4), (0.02, 4)]) == pytest.approx(2.306004 * 0.2)
    assert half_width([(0.04, 4), (0.0, 9)]) == half_width([(0.04, 4)])
    assert half_width([(0.0, 4)]) == half_width([]) == 0


def test_intervals_of_a_difference_hold_the_truth_95_times_in_100():
    noise = np.random.default_rng(20)
    held = 0
    for _ in range(2000):
        a = log_mean(noise.lognormal(1, 0.05, 5).tolist())
        b = log_mean(noise.lognormal(1, 0.2, 3).tolist())
        reach = half_width([(a.variance, a.df), (b.variance, b.df)])
        held += abs(math.log(a.mean / b.mean)) <= reach
    assert 0.935 <= held / 2000 <= 0.97


@pytest.mark.parametrize("count", some([2, 3, 4, 5, 8, 15], 3))
def test_the_middle_repeat_is_as_far_from_the_truth_as_its_variance_says(count):
    noise = np.random.default_rng(count).normal(0, 0.1, (times(20_000, 4_000), count))
    middles = np.sort(noise, axis=1)[:, (count - 1) // 2]
    told = [log_mean(np.exp(row).tolist(), math.exp(middle)) for row, middle in zip(noise, middles, strict=True)]
    assert [one.mean for one in told[:9]] == [math.exp(middle) for middle in middles[:9]]
    assert {one.df for one in told} == {count - 1}
    assert np.mean([one.variance for one in told]) == pytest.approx(np.mean(middles**2), rel=times(0.05, 0.1))


def test_the_interval_of_a_ratio_by_hand():
    # Known exactly below the line it is over's own: 10 +- 2.776445 over 2, at 4 degrees of freedom.
    low, high = ratio_interval(10, 2, (1.0, 0.0), 0.0, 4)
    assert (low, high) == pytest.approx(((10 - 2.776445) / 2, (10 + 2.776445) / 2))
    # Known exactly above it: 10 over 2 +- 0.2776445.
    low, high = ratio_interval(10, 2, (0.0, 0.01), 0.0, 4)
    assert (low, high) == pytest.approx((10 / 2.2776445, 10 / 1.7223555))


def test_a_ratio_over_what_may_be_0_has_no_upper_end():
    low, high = ratio_interval(10, 2, (0.0, 1.0), 0.0, 4)
    assert low == pytest.approx(10 / 4.776445)
    assert high is None
    assert ratio_interval(1, 2, (1.0, 1.0), 0.0, 4) == (0.0, None)
