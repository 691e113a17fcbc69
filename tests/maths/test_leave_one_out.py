"""Points left out: by hand, none wrong on the law that is assumed, and the same as leaving each out one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.leave_one_out import CurvePoints, along_load, at_latency
from bench.maths.load_curve import POWERS, LoadCurve, over, times

KINDS = st.sampled_from(("rate", "step", "queue"))
VALUES = st.floats(0.01, 1e5)


@st.composite
def points(draw):
    """Some curves of one to seven loads, and a throughput and a rising latency at each."""
    loads = draw(st.lists(st.lists(st.integers(1, 5_000), min_size=1, max_size=7, unique=True), min_size=1, max_size=5))
    curves = np.concatenate([np.full(len(own), place) for place, own in enumerate(loads)])
    many = len(curves)
    rates = np.array(draw(st.lists(VALUES, min_size=many, max_size=many)))
    steps = draw(st.lists(st.floats(0.01, 100), min_size=many, max_size=many))
    latencies = np.concatenate([np.cumsum(np.array(steps)[curves == place]) for place in range(len(loads))])
    return CurvePoints(curves, np.concatenate([sorted(own) for own in loads]).astype(float)), rates, latencies


def test_an_error_worked_out_by_hand():
    # 1, 32 and 1,024 to the power 0.8 are 1, 16 and 256: on the line from 10 to 265 lies 25 at 16, and 20 was measured.
    three = CurvePoints(np.zeros(3), np.array([1.0, 32.0, 1024.0]))
    one = along_load(three, np.array([10.0, 20.0, 265.0]), "step")
    assert (one.places.tolist(), one.gaps.tolist()) == ([1], [1024])
    assert one.errors == pytest.approx([0.25])


def test_throughput_at_a_latency_worked_out_by_hand():
    # 20 ms lie 2 / 3 of the way from 10 to 25, at 1 + 2 / 3 x 255 = 171 on the axis of load^0.8. A token of a request
    # takes 0.1 s at 1 and 0.4 s at 1,024: there 0.3 s.
    three = CurvePoints(np.zeros(3), np.array([1.0, 32.0, 1024.0]))
    one = at_latency(three, np.array([10.0, 100.0, 2560.0]), np.array([10.0, 20.0, 25.0]), "step")
    assert one.errors == pytest.approx([171**1.25 / 0.3 / 100 - 1])


@given(points(), st.floats(0.1, 100), st.floats(0.01, 100), KINDS)
def test_on_the_law_that_is_assumed_nothing_is_wrong(some, fixed, grown, kind):
    measured, *_ = some
    law = times(measured.loads, fixed + grown * over(measured.loads, kind), kind)
    assert along_load(measured, law, kind).errors == pytest.approx(0, abs=1e-8)
    if kind == "step":
        rates = times(measured.loads, 3 * law, "rate")
        assert at_latency(measured, rates, law, kind).errors == pytest.approx(0, abs=1e-8)


def largest_load(curve: LoadCurve, limit: float) -> float | None:
    """The largest load at which a latency is within the limit, by halving; None where it never is."""
    kept = [load for load, value in zip(curve.loads, curve.values, strict=True) if value <= limit]
    if not kept or kept[-1] == curve.loads[-1]:
        return kept[-1] if kept else None
    low, high = kept[-1], curve.loads[curve.loads.index(kept[-1]) + 1]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if curve.at(middle) <= limit else (low, middle)
    return low


@given(points(), KINDS)
def test_each_is_predicted_by_the_curve_without_it(some, kind):
    measured, rates, latencies = some
    along, at = along_load(measured, rates, kind), at_latency(measured, rates, latencies, "step")
    errors, errors_at = dict(zip(along.places, along.errors, strict=True)), dict(zip(at.places, at.errors, strict=True))
    for place in range(len(measured)):
        own = np.flatnonzero(measured.curves == measured.curves[place])
        rest = own[own != place]
        assert (place in errors) == (own[0] != place != own[-1])
        if place not in errors:
            continue
        load = measured.loads[place]
        alone = LoadCurve.of(measured.loads[rest], rates[rest], kind).at(load)
        assert errors[place] == pytest.approx(alone / rates[place] - 1, rel=1e-9, abs=1e-9)
        reached = largest_load(LoadCurve.of(measured.loads[rest], latencies[rest], "step"), latencies[place])
        alone = LoadCurve.of(measured.loads[rest], rates[rest], "rate").at(reached)
        assert errors_at[place] == pytest.approx(alone / rates[place] - 1, rel=1e-5, abs=1e-6)


def test_a_point_without_the_metric_is_no_neighbour():
    five = CurvePoints(np.zeros(5), np.array([1.0, 2.0, 4.0, 8.0, 16.0]))
    left_out = along_load(five, np.array([1.0, np.nan, 4.0, 0.0, 16.0]), "queue")
    assert (left_out.places.tolist(), left_out.gaps.tolist()) == ([2], [16])
    assert left_out.errors == pytest.approx([0])


def test_a_latency_that_is_not_between_its_neighbours_is_passed_over():
    five = CurvePoints(np.zeros(5), np.array([1.0, 2.0, 4.0, 8.0, 16.0]))
    rates, latencies = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([10.0, 20.0, 20.0, 50.0, 40.0])
    assert at_latency(five, rates, latencies, "step").places.tolist() == []
    assert at_latency(five, rates, np.arange(1.0, 6.0), "step").places.tolist() == [1, 2, 3]
    assert POWERS["step"] == POWERS["rate"]
