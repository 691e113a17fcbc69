"""Slopes, ratios and scales of a grid: sums worked out by hand, and what holds for any numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths import grid

POSITIVE = st.integers(1, 100_000).map(float)
ANY = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.integers(-2, 3).map(float))


def test_the_steepest_fall_is_spread_over_the_doublings_between() -> None:
    # 800 -> 100 from 1 to 8 is a factor of 8 over three doublings: 2 per doubling; 1000 -> 800 is 1.25 over none.
    change = grid.steepest([1, 1.5, 8], [800, 1000, 100])
    # From 1.5 the next position twice as far is 8: 10 times over log2(8 / 1.5) = 2.415 doublings.
    assert change == grid.MetricChange(1.5, 8, 10.0, pytest.approx(10 ** (1 / math.log2(8 / 1.5))))


def test_positions_less_than_a_doubling_apart_make_no_slope() -> None:
    assert grid.steepest([1000, 1024], [900, 300]) is None


def test_for_a_latency_worse_means_more() -> None:
    # 10 ms -> 40 ms over two doublings: twice per doubling.
    assert grid.steepest([1, 4], [10, 40], "lower") == grid.MetricChange(1, 4, 4.0, 2.0)


def test_a_line_that_only_gains_reports_its_least_gain() -> None:
    # 1 -> 2 gains 1.9 times, 2 -> 4 only 1.1 times: factors 1 / 1.9 and 1 / 1.1.
    change = grid.steepest([1, 2, 4], [100, 190, 209])
    assert change is not None
    assert change.start == 2
    assert change.factor == pytest.approx(1 / 1.1)


@given(st.dictionaries(st.integers(0, 12), POSITIVE, min_size=2))
def test_a_line_on_exact_doublings_has_the_steepest_step_between_neighbours(line: dict[int, float]) -> None:
    exponents = sorted(line)
    steps = [(line[low] / line[high]) ** (1 / (high - low)) for low, high in pairwise(exponents)]
    change = grid.steepest([2.0**e for e in exponents], [line[e] for e in exponents])
    assert change is not None
    assert change.per_doubling == pytest.approx(max(steps))


@given(st.lists(st.tuples(ANY, ANY)))
def test_absent_and_odd_numbers_never_make_a_slope_that_is_not_a_number(line: list[tuple]) -> None:
    change = grid.steepest([p for p, _ in line], [v for _, v in line])
    assert change is None or (change.end >= 2 * change.start > 0 and change.factor >= 0)


def test_one_percent_either_way_is_a_tie() -> None:
    assert [grid.verdict(ratio) for ratio in (0.98, 0.991, 1.0, 1.009, 1.02)] == ["b", "tie", "tie", "tie", "a"]


def test_a_range_beyond_thirty_times_wants_a_log_scale_unless_something_is_zero() -> None:
    assert grid.wants_log([1, 31])
    assert not grid.wants_log([1, 30])
    assert not grid.wants_log([0, 1, 1000])
    assert not grid.wants_log([])
