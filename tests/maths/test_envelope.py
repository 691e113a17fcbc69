"""Envelopes: worked out by hand where members meet, begin and end; and against every member on random curves."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.maths.crossover import Knot, compared
from bench.maths.envelope import Envelope

LOW, HIGH = [(1, 100), (64, 100)], [(1, 25), (64, 1600)]
"""A level line, and one that rises as x: they meet at 4."""


def against(a, b, better="higher"):
    return compared(Envelope("A", a, better), Envelope("B", b, better))


def test_where_two_members_meet_the_envelope_bends():
    (stretch,) = Envelope("A", [LOW, HIGH]).stretches
    assert [(one.x, one.member) for one in stretch] == [(1, 0), (pytest.approx(4), 1), (64, 1)]
    assert [math.exp(one.height) for one in stretch] == pytest.approx([100, 100, 1600])


def test_a_crossing_next_to_such_a_bend_is_exact():
    # B is 200 everywhere: the rising member reaches it at 8, and neither end of its line tells so.
    found = against([LOW, HIGH], [[(1, 200), (64, 200)]])
    (crossing,) = found.crossings
    assert (found.verdict, crossing.x, crossing.y) == ("crosses", pytest.approx(8), pytest.approx(200))
    assert (crossing.below.x, crossing.above.x) == (1, 64)
    assert [knot.member_a for knot in found.knots] == [0, 1]


def test_between_two_knots_a_side_may_be_overtaken_and_overtake_again():
    # A falls from 400 at 1 and rises to 400 at 256, and is 25 at 16 between; B is 100: crossings at 4 and at 64.
    down, up = [(1, 400), (256, 400 / 256)], [(1, 400 / 256), (256, 400)]
    found = against([down, up], [[(1, 100), (256, 100)]])
    assert found.verdict == "crosses"
    assert [one.x for one in found.crossings] == pytest.approx([4, 64])
    assert [one.leads_after for one in found.crossings] == ["b", "a"]


def test_where_the_best_member_ends_the_lead_passes_on_without_a_crossing():
    # A's better member ends at 64; what is left of A is behind.
    found = against([[(1, 200), (64, 200)], [(1, 50), (256, 50)]], [[(1, 100), (256, 100)]])
    assert (found.verdict, found.crossings) == ("passes", ())
    (one,) = found.breaks
    assert (one.x, one.until, one.side, one.member, one.beyond) == (64, 256, "a", 0, "above")
    assert [(knot.x, knot.settled) for knot in found.knots] == [(1, True), (64, True), (256, False)]
    (turn,) = found.turns
    assert (turn.below.x, turn.above.x, turn.leads_after, turn.crossing, turn.cut) == (64, 256, "b", None, one)
    assert (found.smallest, found.largest) == (None, None)


def test_where_a_better_member_begins_the_side_is_not_known_below():
    found = against([[(64, 200), (256, 200)], [(1, 50), (256, 50)]], [[(1, 100), (256, 100)]])
    assert (found.verdict, found.crossings) == ("passes", ())
    (one,) = found.breaks
    assert (one.x, one.until, one.side, one.beyond) == (64, 1, "a", "below")
    assert [(turn.below.x, turn.above.x, turn.leads_after) for turn in found.turns] == [(1, 64, "a")]
    assert [(knot.x, knot.settled) for knot in found.knots] == [(1, False), (64, True), (256, True)]


def test_a_crossing_with_what_a_missing_member_left_is_none():
    # After 16 only A's lower member is left: B leads until that one overtakes it at 64, but the upper might still lead.
    found = against([[(1, 400), (16, 400)], [(1, 1), (256, 256)]], [[(1, 64), (256, 64)]])
    assert (found.verdict, found.crossings) == ("a_leads", ())
    assert [(one.x, one.until) for one in found.breaks] == [(16, pytest.approx(64))]


def test_at_a_measured_load_the_best_of_those_measured_there_counts_and_no_line_joins_two_layouts():
    """The layout of 2 chips ends at 32 with 4,347; the one of 4 has 3,172 there and 4,113 at 64, A 4,335."""
    two, four = [(16, 3176), (32, 4347)], [(32, 3172), (64, 4113), (128, 5020)]
    found = against([[(16, 2457), (32, 3351), (64, 4335)], [(128, 6470)]], [two, four])
    assert (found.verdict, found.crossings) == ("passes", ())
    assert [(knot.x, round(knot.y_b)) for knot in found.knots] == [(16, 3176), (32, 4347), (64, 4113), (128, 5020)]
    assert [round(knot.lead_percent, 1) for knot in found.knots] == [-29.3, -29.7, 5.4, 28.9]
    (turn,) = found.turns
    assert (turn.below.x, turn.above.x, turn.cut.side, turn.cut.member, turn.cut.beyond) == (32, 64, "b", 0, "above")
    assert [knot.settled for knot in found.knots] == [True, True, False, False]


def test_a_jump_within_a_tie_is_none():
    found = against([[(1, 200), (16, 100.5)], [(1, 50), (16, 100), (256, 25)]], [[(1, 100), (256, 60)]])
    assert found.breaks == ()
    assert found.verdict == "crosses"


def test_of_a_latency_the_lowest_member_counts():
    envelope = Envelope("A", [LOW, HIGH], "lower")
    assert [envelope.y(x) for x in (1, 4, 64)] == pytest.approx([25, 100, 100])


def test_a_member_runs_through_the_repeat_that_stands():
    repeats = [(1, 90), (1, 100), (1, 160), (4, 100)]
    through_the_middle = Envelope("A", [repeats], "higher", [{1: 100}])
    assert math.exp(through_the_middle.at(1).height) == pytest.approx(100)
    assert math.exp(Envelope("A", [repeats]).at(1).height) == pytest.approx((90 * 100 * 160) ** (1 / 3))
    # 4 % apart, and a tie by the scatter of the repeats.
    (knot, _) = compared(through_the_middle, Envelope("B", [[(1, 103), (1, 105), (4, 90)]])).knots
    assert (knot.y_a, knot.tie) == (pytest.approx(100), True)


X = st.sampled_from([1, 2, 3, 4, 6, 8, 16, 64])
CURVE = st.lists(st.tuples(X, st.floats(0.5, 50)), min_size=1, max_size=6)
SIDE = st.lists(CURVE, min_size=1, max_size=4)
BETTER = st.sampled_from(["higher", "lower"])


@given(SIDE, SIDE, BETTER)
def test_a_side_never_leads_an_envelope_that_contains_it(a, b, better):
    found = against(a, [*a, *b], better)
    assert found.verdict in ("b_leads", "tie")
    assert all(knot.lead_percent <= 1e-9 for knot in found.knots)
    assert all(one.within_tie for one in found.crossings)


@given(SIDE, SIDE, BETTER)
def test_exchanging_the_sides_mirrors_everything(a, b, better):
    swap = {"a": "b", "b": "a", "a_leads": "b_leads", "b_leads": "a_leads"}

    def turned(knot: Knot) -> Knot:
        return replace(
            knot,
            y_a=knot.y_b,
            y_b=knot.y_a,
            measured_a=knot.measured_b,
            measured_b=knot.measured_a,
            lead_percent=-knot.lead_percent,
            lead_low=None if knot.lead_high is None else -knot.lead_high,
            lead_high=None if knot.lead_low is None else -knot.lead_low,
            member_a=knot.member_b,
            member_b=knot.member_a,
        )

    one, other = against(a, b, better), against(b, a, better)
    assert other.verdict == swap.get(one.verdict, one.verdict)
    assert other.knots == tuple(turned(knot) for knot in one.knots)
    assert [(cut.x, cut.until, cut.beyond, swap[cut.side]) for cut in one.breaks] == [
        (cut.x, cut.until, cut.beyond, cut.side) for cut in other.breaks
    ]
    assert [(cut.x, swap[cut.leads_after]) for cut in one.crossings] == [
        (cut.x, cut.leads_after) for cut in other.crossings
    ]
    assert [(turn.below.x, turn.above.x, swap[turn.leads_after]) for turn in one.turns] == [
        (turn.below.x, turn.above.x, turn.leads_after) for turn in other.turns
    ]


@given(SIDE, SIDE, BETTER)
def test_a_lead_at_the_knots_passes_on_by_a_crossing_or_by_a_series_that_ends_or_begins_between(a, b, better):
    found = against(a, b, better)
    leaders = [knot.lead_percent > 0 for knot in found.knots if not knot.tie]
    assert len(found.turns) == sum(one != other for one, other in pairwise(leaders))
    if found.verdict != "crosses":
        told = {(): "tie", (True,): "a_leads", (False,): "b_leads", (False, True): "passes"}
        assert found.verdict in (told[tuple(sorted(set(leaders)))], "no_overlap")
    for turn in found.turns:
        assert (turn.crossing is None) != (turn.cut is None)
        if turn.crossing:
            assert turn.below.x <= turn.crossing.x <= turn.above.x
        else:
            low, high = sorted((turn.cut.x, turn.cut.until))
            assert low <= turn.above.x
            assert high >= turn.below.x


def best(members, x):
    """The highest of the members whose range holds x, and which those are."""
    held = []
    for place, points in enumerate(members):
        xs = sorted({one for one, _ in points})
        if xs[0] <= x <= xs[-1]:
            ys = [np.mean([math.log(y) for at, y in points if at == one]) for one in xs]
            held.append((float(np.interp(math.log(x), np.log(xs), ys)), place))
    return max(held)[0] if held else None


@given(SIDE, SIDE)
def test_every_crossing_and_break_is_where_the_best_members_change_places(a, b):
    found = against(a, b)
    assume(found.overlap is not None)
    for one in found.crossings:
        assert best(a, one.x) == pytest.approx(best(b, one.x), abs=0.011)
    finely = np.unique(np.concatenate((np.geomspace(1, 64, 150), [knot.x for knot in found.knots])))
    led = [(x, one - other) for x in finely if (one := best(a, x)) is not None and (other := best(b, x)) is not None]
    ends = {x for members in (a, b) for points in members for x in (min(points)[0], max(points)[0])}
    passed = [one.x for one in found.crossings]
    parts = [(min(cut.x, cut.until), max(cut.x, cut.until)) for cut in found.breaks]
    for (x0, before), (x1, after) in pairwise(led):
        if min(abs(before), abs(after)) < 0.02 or (before > 0) == (after > 0) or {x0, x1} & ends:
            continue
        told = any(x0 <= x <= x1 for x in passed)
        assert told or any(low <= x1 and high >= x0 for low, high in parts)


@given(SIDE)
def test_the_drawn_line_is_the_envelope(side):
    envelope = Envelope("A", side)
    for stretch in envelope.stretches:
        assert all(one.x <= other.x for one, other in pairwise(stretch))
        for one in stretch:
            assert one.height == pytest.approx(math.log(envelope.curves[one.member].y(one.x)), abs=1e-9)
    assert {x for stretch in envelope.stretches for x in (one.x for one in stretch)} >= set(envelope.xs)
