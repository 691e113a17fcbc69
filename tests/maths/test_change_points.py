"""Change points: a case by hand, the best partition by trying all, and how often they are found, missed and made up."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths import change_points
from bench.maths.change_points import ALARMS, FEWEST
from tests.thorough import some, times

LENGTHS = (4, 5, 7, 10, 16, 31, 64)


def noisy(levels: list[float], noise: float, seed: int) -> list[float]:
    drawn = np.random.default_rng(seed).standard_normal(len(levels))
    return [float(level * math.exp(noise * one)) for level, one in zip(levels, drawn, strict=True)]


def test_a_case_worked_by_hand() -> None:
    """Logarithms 0, .02, 0, .02 and then .2 more: levels .01 and .21, squares about them 8 x .01² = .0008.

    With 6 degrees of freedom the noise is sqrt(.0008 / 6) = .011547, the ratio e^.2 = 1.2214, and its half width on
    logarithms 2.4469 x .011547 x sqrt(1/4 + 1/4) = .019979. F is .08 / (.0008 / 6) = 600, whose p at 1 and 6 degrees of
    freedom is 3.0e-7; times the 7 looks at 8 values, times 2 for one or two changes at a time.
    """
    logs = [0, 0.02, 0, 0.02, 0.2, 0.22, 0.2, 0.22]
    found = change_points.of([100 * math.exp(one) for one in logs])
    (change,) = found.changes
    assert (change.at, found.bounds) == (4, ((0, 4), (4, 8)))
    assert change.ratio == pytest.approx(math.exp(0.2))
    assert found.noise == pytest.approx(math.sqrt(0.0008 / 6))
    assert math.log(change.high) == pytest.approx(0.2 + 0.019979, abs=2e-6)
    assert math.log(change.low) == pytest.approx(0.2 - 0.019979, abs=2e-6)
    assert change.p == pytest.approx(2 * 7 * 3.0e-7, rel=0.05)
    assert found.levels == pytest.approx((100 * math.exp(0.01), 100 * math.exp(0.21)))


def test_a_rise_that_a_fall_undoes_is_two_changes() -> None:
    found = change_points.of(noisy([100.0] * 4 + [115.0] * 3 + [100.0] * 4, 0.01, 3))
    assert [one.at for one in found.changes] == [4, 7]
    assert found.changes[0].ratio > 1.1 > 1 > found.changes[1].ratio


def test_a_change_with_the_last_value_alone_is_found() -> None:
    assert [one.at for one in change_points.of(noisy([100.0] * 9 + [130.0], 0.01, 5)).changes] == [9]


def test_a_small_change_is_not_told_however_sure() -> None:
    series = noisy([100.0] * 30 + [102.0] * 30, 0.002, 1)
    assert change_points.of(series).changes == ()
    assert [one.at for one in change_points.of(series, least=0.01).changes] == [30]


def test_fewer_values_than_can_tell_noise_from_change_are_not_tested() -> None:
    found = change_points.of([100.0, 100.0, 300.0])
    assert len(found.values) < FEWEST
    assert not found.is_tested
    assert (found.changes, found.noise) == ((), None)
    assert found.levels == pytest.approx((100 * 3 ** (1 / 3),))


def test_values_that_agree_in_all_printed_digits_have_the_noise_of_rounding() -> None:
    assert change_points.of([100.0] * 6).changes == ()
    assert [one.at for one in change_points.of([100.0] * 3 + [110.0] * 3).changes] == [3]


@pytest.mark.parametrize("values", [[1.0, 0.0, 1.0], [1.0, -2.0], [1.0, math.nan], [math.inf]])
def test_what_is_no_value_above_0_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="not above 0"):
        change_points.of(values)


def squares(logs: list[float], cuts: tuple[int, ...]) -> float:
    ends = (0, *cuts, len(logs))
    parts = (logs[start:end] for start, end in itertools.pairwise(ends))
    return sum(sum((one - sum(part) / len(part)) ** 2 for one in part) for part in parts)


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=8))
def test_partitions_are_the_best_of_all(logs: list[float]) -> None:
    most = len(logs) - 3
    totals, starts = change_points._partitions(np.array(logs), most)
    for many in range(most + 1):
        best = min(squares(logs, cuts) for cuts in itertools.combinations(range(1, len(logs)), many))
        assert totals[many] == pytest.approx(best, abs=1e-9)
        assert squares(logs, tuple(starts[many])) == pytest.approx(best, abs=1e-9)


@given(st.integers(0, 10_000), st.sampled_from(LENGTHS), st.floats(1e-3, 1e6))
def test_neither_the_unit_nor_the_direction_of_time_makes_a_change(seed: int, length: int, unit: float) -> None:
    jump = [100.0] * (length // 2) + [125.0] * (length - length // 2)
    series = noisy(jump, 0.02, seed)
    found = [one.at for one in change_points.of(series).changes]
    assert [one.at for one in change_points.of([unit * value for value in series]).changes] == found
    back = [length - one.at for one in change_points.of(series[::-1]).changes]
    assert sorted(back) == found


@pytest.mark.parametrize("length", some(LENGTHS, 3))
@pytest.mark.parametrize("alarms", some([ALARMS, 0.0125], 1))
def test_series_without_a_change_raise_at_most_the_stated_alarms(length: int, alarms: float) -> None:
    rounds = times(4000, 150, 1000)
    raised = sum(
        bool(change_points.of(noisy([50.0] * length, 0.03, 1000 * length + seed), alarms=alarms, least=0).changes)
        for seed in range(rounds)
    )
    # Three standard errors above the stated share, as chance has it in one of 700 such tests.
    assert raised / rounds <= alarms + 3 * math.sqrt(alarms * (1 - alarms) / rounds)


@pytest.mark.parametrize(
    "levels",
    [[100.0] * 20 + [106.0] * 20, [100.0] * 7 + [120.0] * 3, [100.0] * 6 + [85.0] * 5 + [100.0] * 6],
    ids=["6 % of 40", "20 % of 10", "down and up again"],
)
def test_changes_well_above_the_noise_are_found_where_they_are(levels: list[float]) -> None:
    """At 2 % noise: in nearly all series each change, within a value of its place."""
    rounds = times(400, 40, 150)
    places = [place for place, (one, other) in enumerate(itertools.pairwise(levels), 1) if one != other]
    hits = 0
    for seed in range(rounds):
        told = [one.at for one in change_points.of(noisy(levels, 0.02, seed)).changes]
        hits += sum(any(abs(place - at) <= 1 for at in told) for place in places)
    assert hits / rounds / len(places) >= 0.95
