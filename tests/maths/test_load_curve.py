"""Between measured loads: by hand, on the laws it assumes, against SciPy's PCHIP, and never beyond the measured."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from bench.maths.load_curve import LoadCurve, over, times

LOADS = st.lists(st.integers(1, 20_000), min_size=2, max_size=9, unique=True).map(sorted)
VALUES = st.floats(0.01, 1e5)
KINDS = st.sampled_from(("rate", "step", "queue"))
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(sorted)


@st.composite
def curves(draw, kinds=KINDS):
    loads = draw(LOADS)
    return LoadCurve.of(loads, draw(st.lists(VALUES, min_size=len(loads), max_size=len(loads))), draw(kinds))


def test_values_worked_out_by_hand():
    # 32^0.8 = 2^(5 x 0.8) = 16, so halfway between loads 1 and 32 lies 8.5^(1 / 0.8).
    halfway = 8.5**1.25
    assert LoadCurve.of([1, 32], [10.0, 42.0], "step").at(halfway) == pytest.approx(26)
    # A token of a request takes 1 / 100 s at load 1 and 32 / 800 = 4 / 100 s at 32: halfway 2.5 / 100 s.
    assert LoadCurve.of([32, 1], [800.0, 100.0], "rate").at(halfway) == pytest.approx(halfway / 0.025)
    # Prefills queue one behind another: a third of the way from 1 to 4 is 2.
    assert LoadCurve.of([1, 4], [100.0, 400.0], "queue").at(2) == pytest.approx(200)


def test_a_bend_worked_out_by_hand():
    # Over 1, 2, 3 the rises are 1 and 3. Slopes: (3 x 1 - 3) / 2 = 0, 6 / (3 / 1 + 3 / 3) = 1.5. Hermite's cubic at
    # halfway: (1 + 2) / 2 + (0 - 1.5) / 8.
    assert LoadCurve.of([1, 2, 3], [1.0, 2.0, 5.0], "queue").at(1.5) == pytest.approx(1.3125)


@given(LOADS, st.floats(0.1, 1e3), st.floats(0, 1e3), KINDS, SHARES)
def test_a_time_that_grows_as_assumed_is_met_everywhere(loads, fixed, grown, kind, shares):
    def law(load):
        return float(times(load, fixed + grown * over(load, kind), kind))

    curve = LoadCurve.of(loads, [law(load) for load in loads], kind)
    for share in shares:
        load = min(loads[0] + share * (loads[-1] - loads[0]), loads[-1])
        assert curve.at(load) == pytest.approx(law(load), rel=1e-9)


@given(curves(st.sampled_from(("step", "queue"))), SHARES)
def test_it_is_the_curve_that_scipy_draws(curve, shares):
    asked = np.array([curve.loads[0] + share * (curve.loads[-1] - curve.loads[0]) for share in shares])
    asked = np.minimum(asked, curve.loads[-1])
    drawn = PchipInterpolator(over(curve.loads, curve.grows), curve.values)(over(asked, curve.grows))
    assert curve.along(asked) == pytest.approx(drawn, rel=1e-7, abs=1e-9 * max(curve.values))


@given(curves(), SHARES)
def test_it_is_exact_where_measured_and_between_its_neighbours_elsewhere(curve, shares):
    assert tuple(curve.along(curve.loads)) == curve.values
    for (low, one), (high, other) in pairwise(zip(curve.loads, curve.values, strict=True)):
        values = curve.along([min(low + share * (high - low), high) for share in shares])
        assert min(one, other) <= values.min()
        assert values.max() <= max(one, other)
        if curve.grows != "rate":
            rises = 1 if other >= one else -1
            assert (np.diff(values) * rises >= -1e-9 * max(one, other)).all()


def test_the_gap_is_the_ratio_of_the_loads_around():
    curve = LoadCurve.of([4, 16, 128], [1.0, 2.0, 3.0], "step")
    assert [curve.gap(load) for load in (3, 4, 5, 16, 17, 128)] == [None, 1, 4, 1, 8, 1]


@given(curves(), st.floats(0, 40_000))
def test_nothing_is_said_beyond_the_measured_loads(curve, load):
    inside = curve.loads[0] <= load <= curve.loads[-1]
    assert (curve.at(load) is not None) == inside
    assert (curve.gap(load) is not None) == inside
    assert math.isnan(curve.along([load])[0]) != inside


def test_absent_points_are_left_out_not_taken_as_0():
    curve = LoadCurve.of([4, 1, None, 2, 8, 0], [40.0, 10.0, 5.0, None, math.nan, 3.0], "queue")
    assert (curve.loads, curve.values) == ((1, 4), (10, 40))
    assert LoadCurve.of([3], [7.0], "rate").at(3) == 7
    assert LoadCurve.of([3], [7.0], "rate").at(4) is None


def test_what_is_no_curve_is_refused():
    with pytest.raises(ValueError, match="needs a point"):
        LoadCurve.of([1], [None], "step")
    with pytest.raises(ValueError, match=r"two values at load 4: 1\.0 and 3\.0"):
        LoadCurve.of([4, 4, 8], [1.0, 3.0, 2.0], "step")
