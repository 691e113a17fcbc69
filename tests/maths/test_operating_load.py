"""The load of most worth within limits: worked out by hand, and held against a search with SciPy's interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from bench.maths.leave_one_out import CurvePoints
from bench.maths.load_curve import POWERS
from bench.maths.operating_load import END, SLOWER, STEPS, LimitedMetric, OperatingLoads, Worth, best
from tests.thorough import times

LOADS = [1.0, 8.0, 32.0]
RATES = [1.0, 6.0, 15.0]
TPOT = [10.0, 15.0, 40.0]


def found(
    loads: Sequence[float],
    rates: Sequence[float],
    limits: Sequence[LimitedMetric] = (),
    *,
    curves: Sequence[int] | None = None,
    of_load: float = 0.0,
    whole: bool = True,
) -> OperatingLoads:
    many = len(loads)
    points = CurvePoints(np.array([0] * many if curves is None else curves), np.array(loads, dtype=float))
    worth = Worth(1.0, np.full(many, of_load))
    return best(points, np.array(rates, dtype=float), limits, worth, np.full(many, whole))


def tpot(limit: float, values: Sequence[float] = TPOT) -> LimitedMetric:
    return LimitedMetric(np.array(values, dtype=float), "step", True, limit)


def test_without_limits_it_is_the_measured_point_that_serves_most() -> None:
    every = found(LOADS, RATES)
    assert (every.loads[0], every.rates[0], every.stopped_by[0]) == (32, 15, END)
    falling = found(LOADS, [1.0, 15.0, 6.0])
    assert (falling.loads[0], falling.rates[0], falling.stopped_by[0]) == (8, 15, SLOWER)


def test_a_limit_that_the_largest_load_keeps_exactly_is_kept() -> None:
    at = found(LOADS, RATES, [tpot(40)])
    assert (at.loads[0], at.points[0], at.stopped_by[0], at.values[0][0]) == (32, 2, END, 40)


def test_a_limit_that_no_load_keeps_leaves_nothing() -> None:
    assert len(found(LOADS, RATES, [tpot(9.99)])) == 0
    assert len(found([], [])) == 0


def test_between_two_points_both_are_straight_over_the_load_to_its_power() -> None:
    """Of 1 and 16: TPOT 10 and 26 over 1 and 16^0.8 = 9.1896, so 18 is reached at (1 + 8.1896 / 2)^1.25 = 7.65.

    Steps of 15 / 64 rounded down to whole requests: 7, of which tpot = 10 + 16 x (7^0.8 - 1) / 8.1896 = 17.3132, and
    load / rate = 1 + (16 / 8 - 1) x 0.45708 = 1.45708, so 7 / 1.45708 = 4.8041 requests a second.
    """
    at = found([1.0, 16.0], [1.0, 8.0], [tpot(18, [10.0, 26.0])])
    assert at.loads[0] == 7
    assert at.values[0][0] == pytest.approx(17.3132, abs=1e-4)
    assert at.rates[0] == pytest.approx(4.8041, abs=1e-4)
    assert (at.points[0], at.stopped_by[0]) == (0, 0)
    between = found([1.0, 16.0], [1.0, 8.0], [tpot(18, [10.0, 26.0])], whole=False)
    assert between.loads[0] == pytest.approx(1 + 15 * 28 / STEPS)  # 7.56, as 7.80 is beyond 7.65


def test_what_is_not_interpolated_counts_as_the_worse_of_both_ends() -> None:
    failed = LimitedMetric(np.array([0.0, 0.0, 0.2]), None, True, 0.01)
    at = found(LOADS, RATES, [failed])
    assert (at.loads[0], at.stopped_by[0]) == (8, 0)


def test_users_are_worth_those_in_flight_too() -> None:
    """Rates that no longer rise: 15 a second at 32 and at 64; with a worth of the load the larger one counts."""
    assert found([32.0, 64.0], [15.0, 15.0]).loads[0] == 32
    assert found([32.0, 64.0], [15.0, 15.0], of_load=1.0).loads[0] == 64


def test_curves_do_not_see_each_other() -> None:
    loads, rates, values = [*LOADS, 4.0, *LOADS], [*RATES, 3.0, *RATES], [*TPOT, 30.0, *TPOT]
    every = found(loads, rates, [tpot(20, values)], curves=[0, 0, 0, 1, 2, 2, 2])
    alone = found(LOADS, RATES, [tpot(20)])
    assert every.points.tolist() == [1, 5]
    assert every.loads.tolist() == [alone.loads[0]] * 2
    assert every.rates.tolist() == [alone.rates[0]] * 2


def searched(loads: Sequence[float], rates: Sequence[float], limits: Sequence[LimitedMetric]) -> float | None:
    """The most requests a second at any step within all limits, with SciPy's PCHIP; None without one."""

    def line(values: Sequence[float], power: float, at: float) -> float:
        if at in loads:
            return values[list(loads).index(at)]
        x = np.array(loads) ** power
        straight = np.interp(at**power, x, values) if len(loads) < 3 else PchipInterpolator(x, values)(at**power)
        return float(straight)

    def kept(limit: LimitedMetric, at: float) -> bool:
        place = max(nth for nth, load in enumerate(loads) if load <= at)
        ends = limit.values[place : place + (1 if loads[place] == at else 2)]
        value = line(limit.values.tolist(), POWERS[limit.grows or "step"], at)
        return bool(np.clip(value, min(ends), max(ends)) <= limit.value)

    steps = {*loads}
    for low, high in pairwise(loads):
        if all(kept(one, low) for one in limits) or all(kept(one, high) for one in limits):
            steps |= {float(int(low + (high - low) * step / STEPS)) for step in range(STEPS)}
    served = []
    for at in sorted(steps):
        if all(kept(one, at) for one in limits):
            place = max(nth for nth, load in enumerate(loads) if load <= at)
            ends = rates[place : place + (1 if loads[place] == at else 2)]
            rate = at / line([load / rate for load, rate in zip(loads, rates, strict=True)], POWERS["rate"], at)
            served.append(float(np.clip(rate, min(ends), max(ends))))
    return max(served) if served else None


curves_of_points = st.lists(
    st.tuples(st.integers(1, 2048), st.floats(0.1, 100), st.floats(1, 500), st.floats(10, 5000)),
    min_size=1, max_size=6, unique_by=lambda one: one[0],
).map(sorted)  # fmt: skip
limit_values = st.tuples(st.floats(1, 500), st.floats(10, 5000))


def limits_of(points: Sequence[tuple[int, float, float, float]], limits: tuple[float, float]) -> list[LimitedMetric]:
    _, _, steps, queues = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    return [LimitedMetric(steps, "step", True, limits[0]), LimitedMetric(queues, "queue", True, limits[1])]


@settings(max_examples=times(400, 40, 150), deadline=None)
@given(points=curves_of_points, limits=limit_values)
def test_it_is_what_a_search_over_every_step_finds(
    points: list[tuple[int, float, float, float]], limits: tuple[float, float]
) -> None:
    loads, rates = [float(one[0]) for one in points], [one[1] for one in points]
    at = found(loads, rates, limits_of(points, limits))
    most = searched(loads, rates, limits_of(points, limits))
    assert (len(at) == 0) == (most is None)
    if most is not None:
        assert at.rates[0] == pytest.approx(most, rel=1e-9)
        assert loads[0] <= at.loads[0] <= loads[-1]
        assert min(rates) <= at.rates[0] <= max(rates)
