"""Crossings, leads and intervals: on printed tables, on sums worked out by hand, in simulation, on random curves."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.crossover import crossover
from tests.thorough import times


def test_a_crossing_by_hand():
    # Ratio 4 at 1, 1/4 at 16: on logarithms half way, at 4; there A is sqrt(40 x 90) = 60.
    found = crossover([(1, 40), (16, 90)], [(16, 360), (1, 10)])
    [crossing] = found.crossings
    assert crossing.x == pytest.approx(4)
    assert crossing.y == pytest.approx(60)
    assert crossing.leads_after == "b"
    assert [knot.lead_percent for knot in found.knots] == pytest.approx([300, -300])


def test_an_interpolated_neighbour_is_told_as_such():
    # B was not measured at 4, where it is 20; A overtakes it just before.
    found = crossover([(1, 5), (4, 21), (16, 100)], [(1, 10), (16, 40)])
    [crossing] = found.crossings
    assert (crossing.above.x, crossing.above.measured_a, crossing.above.measured_b) == (4, True, False)
    assert crossing.above.y_b == pytest.approx(20)


def test_ranges_that_do_not_overlap_are_told_and_nothing_is_extrapolated():
    found = crossover([(1, 10), (8, 20)], [(16, 1), (32, 1000)])
    assert (found.verdict, found.overlap, found.knots, found.crossings) == ("no_overlap", None, (), ())
    assert (found.range_a, found.range_b) == ((1, 8), (16, 32))


def test_an_overlap_of_one_x_is_one_comparison():
    found = crossover([(1, 10), (8, 20)], [(8, 25), (16, 30)])
    assert (found.verdict, found.overlap, found.crossings) == ("b_leads", (8, 8), ())
    assert found.smallest == found.largest == found.knots[0]
    assert found.knots[0].lead_percent == pytest.approx(-25)


def test_125_ms_against_100_is_the_lead_that_125_tokens_per_s_are():
    low, high = crossover([(1, 100)], [(1, 125)], "lower"), crossover([(1, 125)], [(1, 100)])
    assert low.verdict == high.verdict == "a_leads"
    assert low.smallest.lead_percent == pytest.approx(25)
    assert high.smallest.lead_percent == pytest.approx(25)


@pytest.mark.parametrize(
    ("ratios", "verdict", "crossings"),
    [
        ([2, 1, 0.5], "crosses", [(2, "b", False)]),  # equal at a knot, and through it
        ([2, 1, 2], "a_leads", []),  # a touch
        ([2, 1, 1, 0.5], "crosses", [(4, "b", False)]),  # equal for a while: B leads from its end on
        ([2, 1, 1, 2], "a_leads", []),
        ([1, 1, 2], "a_leads", []),  # nobody led before
        ([2, 1], "a_leads", []),
        ([1, 1], "tie", []),
        ([1.005, 0.995], "tie", [(2**0.5, "b", True)]),
        ([2, 0.995], "a_leads", [(1.990, "b", True)]),
        ([2, 0.995, 2], "a_leads", [(1.990, "b", True), (2.010, "a", True)]),
        ([2, 0.5, 2], "crosses", [(2**0.5, "b", False), (2**1.5, "a", False)]),
        ([2, 0.995, 1.005, 0.5], "crosses", [(1.990, "b", False), (2**1.5, "a", True), (4.02, "b", False)]),
        ([1.01, 1 / 1.01], "tie", [(2**0.5, "b", True)]),  # 1 % still is a tie, for either
        ([1.0101, 1 / 1.0101], "crosses", [(2**0.5, "b", False)]),
    ],
)
def test_ties_touches_and_crossings(ratios, verdict, crossings):
    xs = [2.0**place for place in range(len(ratios))]
    found = crossover([(x, 100 * ratio) for x, ratio in zip(xs, ratios, strict=True)], [(x, 100) for x in xs])
    assert found.verdict == verdict
    assert [crossing.x for crossing in found.crossings] == pytest.approx([x for x, _, _ in crossings], rel=1e-3)
    assert [(crossing.leads_after, crossing.within_tie) for crossing in found.crossings] == [
        (leads, within) for _, leads, within in crossings
    ]


def test_the_bracket_of_a_crossing_at_a_knot_reaches_to_where_the_curves_differ():
    found = crossover([(1, 8), (2, 4), (4, 4), (8, 1)], [(1, 4), (2, 4), (4, 4), (8, 4)])
    [crossing] = found.crossings
    assert (crossing.x, crossing.interval.low, crossing.interval.high) == (4, 1, 8)


def test_repeats_turn_a_lead_into_a_tie():
    # 110 against 100, each of three: 100 to 121 scatter by 9.5 % either way, so 10 % is within the interval.
    found = crossover([(1, 100), (1, 110), (1, 121)], [(1, 91), (1, 100), (1, 110)])
    assert found.verdict == "tie"
    assert found.knots[0].lead_percent == pytest.approx(10, abs=0.1)
    assert found.knots[0].lead_low < 0 < found.knots[0].lead_high
    assert crossover([(1, 110)], [(1, 100)]).verdict == "a_leads"


def test_an_interval_by_hand():
    # A's three repeats lie a factor of e^0.1 apart, at both ends: variance of a mean's logarithm 0.01 / 3, 2 degrees
    # of freedom. B does not scatter. A leads by e^9 at 1 and trails by e^9 at 2^18: e per doubling. In the middle both
    # ends weigh half: variance 0.01 / 6, t at 4 is 2.776, so the band is 0.1133, which the lead leaves after 0.1133
    # doublings.
    spread = [math.exp(-0.1), 1, math.exp(0.1)]
    a = [(x, lead * one) for x, lead in ((1, math.exp(9)), (2**18, math.exp(-9))) for one in spread]
    b = [(x, 1) for x in (1, 2**18) for _ in range(2)]
    [crossing] = crossover(a, b).crossings
    assert crossing.x == pytest.approx(2**9)
    assert crossing.interval.source == "repeats"
    assert math.log2(crossing.interval.low) == pytest.approx(9 - 0.1133, abs=0.002)
    assert math.log2(crossing.interval.high) == pytest.approx(9 + 0.1133, abs=0.002)


def test_an_interval_is_open_where_the_overlap_or_the_repeats_end():
    noisy, still = [0.5, 1.0, 2.0], [1.0, 1.0]
    found = crossover(
        [(x, rate * one) for x, rate in ((1, 1.2), (4, 0.8)) for one in noisy],
        [(x, one) for x in (1, 4) for one in still],
    )
    [crossing] = found.crossings
    assert (crossing.interval.low, crossing.interval.high) == (1, 4)
    assert (crossing.interval.open_low, crossing.interval.open_high) == (True, True)


def test_without_repeats_on_one_side_the_interval_is_the_bracket():
    found = crossover([(1, 2), (1, 2.1), (4, 1), (4, 0.9)], [(1, 1), (4, 2)])
    assert found.crossings[0].interval.source == "bracket"
    assert (found.crossings[0].interval.low, found.crossings[0].interval.high) == (1, 4)


def chance_alone(runs):
    """How far chance takes what holds 95 times in 100 in so many runs: 2.5 standard deviations, 2 % in 700."""
    return 2.5 * math.sqrt(0.95 * 0.05 / runs)


def test_intervals_cover_the_true_crossing_at_their_stated_rate():
    # True curves: A = 100, B = 100 (x / 12)^0.3; five repeats, 5 % and 10 % of scatter.
    noise, runs, covered = np.random.default_rng(31), times(700, 150), 0
    for _ in range(runs):
        a = [(x, 100 * one) for x in (1, 4, 16, 64) for one in noise.lognormal(0, 0.05, 5)]
        b = [(x, 100 * (x / 12) ** 0.3 * one) for x in (2, 8, 128) for one in noise.lognormal(0, 0.10, 5)]
        intervals = [crossing.interval for crossing in crossover(a, b).crossings]
        assert all(interval.source == "repeats" for interval in intervals)
        covered += any(interval.low <= 12 <= interval.high for interval in intervals)
    assert covered / runs == pytest.approx(0.95, abs=chance_alone(runs))


def test_the_lead_at_a_knot_is_covered_at_its_stated_rate():
    noise, runs, covered = np.random.default_rng(32), times(1000, 200), 0
    for _ in range(runs):
        a = [(x, 120 * one) for x in (1, 4) for one in noise.lognormal(0, 0.05, 5)]
        b = [(2, 100 * one) for one in noise.lognormal(0, 0.02, 3)]
        [knot] = crossover(a, b).knots
        covered += knot.lead_low <= 20 <= knot.lead_high
    assert covered / runs == pytest.approx(0.95, abs=chance_alone(runs))


X = st.sampled_from([1, 2, 3, 4, 6, 8, 16, 64])
Y = st.one_of(st.integers(1, 12), st.sampled_from([100, 100.5, 101, 102]), st.floats(0.01, 1000))
CURVE = st.lists(st.tuples(X, Y), min_size=1, max_size=14)
BETTER = st.sampled_from(["higher", "lower"])


@given(CURVE, CURVE, st.randoms())
def test_the_order_of_the_points_does_not_matter(a, b, random):
    assert crossover(random.sample(a, len(a)), random.sample(b, len(b))) == crossover(a, b)


@given(CURVE, CURVE, BETTER)
def test_a_comparison_agrees_with_itself(a, b, better):
    found = crossover(a, b, better)
    leaders = {"a" if knot.lead_percent > 0 else "b" for knot in found.knots if not knot.tie}
    if found.overlap is not None:
        verdicts = {frozenset(): "tie", frozenset("a"): "a_leads", frozenset("b"): "b_leads"}
        assert found.verdict == verdicts.get(frozenset(leaders), "crosses")
    assert (found.verdict == "crosses") == any(not one.within_tie for one in found.crossings)
    assert all(one.leads_after != other.leads_after for one, other in pairwise(found.crossings))
    for one in found.crossings:
        assert found.overlap[0] < one.x < found.overlap[1]
        assert one.below.x <= one.x <= one.above.x
        assert found.overlap[0] <= one.interval.low <= one.x <= one.interval.high <= found.overlap[1]
        assert (one.above.lead_percent > 0) == (one.leads_after == "a") != (one.below.lead_percent > 0)
    assert (found.smallest is None) == (found.largest is None) == (len(leaders) != 1)
    if found.smallest and found.largest:
        side = 1 if leaders == {"a"} else -1
        ahead = [side * knot.lead_percent for knot in found.knots]
        assert side * found.smallest.lead_percent == min(ahead)
        assert side * found.largest.lead_percent == max(ahead) > 0


@pytest.mark.parametrize("point", [(0, 1), (1, 0), (-1, 1), (1, math.nan), (math.inf, 1)])
def test_what_has_no_logarithm_is_refused_with_its_place(point):
    with pytest.raises(ValueError, match="curve B has the point"):
        crossover([(1, 1)], [(1, 1), point])


def test_a_curve_without_points_is_refused():
    with pytest.raises(ValueError, match="curve A has no points"):
        crossover([], [(1, 1)])


def test_a_crossing_lies_between_the_nearest_places_that_both_curves_were_measured_at() -> None:
    """A at 4, 32 and 128, B at 4, 16, 64 and 128: only 4 and 128 were run on both."""
    a = [(4.0, 100.0), (32.0, 300.0), (128.0, 900.0)]
    found = crossover(a, [(4.0, 150.0), (16.0, 250.0), (64.0, 400.0), (128.0, 500.0)])
    (one,) = found.crossings
    low, high = found.run_on_both(one)
    assert low is not None
    assert high is not None
    assert (low.x, high.x) == (4, 128)
    short = crossover(a, [(4.0, 150.0), (16.0, 250.0), (64.0, 400.0)])
    (one,) = short.crossings
    assert [knot and knot.x for knot in short.run_on_both(one)] == [4, None]
