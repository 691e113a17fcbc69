"""Where a lead rests on what the one behind was not measured with, worked out by hand."""

from __future__ import annotations

import pytest

from bench.maths.crossover import compared
from bench.maths.envelope import Envelope

LEADER = [(1.0, 200.0), (2.0, 200.0), (4.0, 200.0), (8.0, 200.0)]


def against(*series: list[tuple[float, float]]):
    return compared(Envelope("A", [LEADER], "higher"), Envelope("B", list(series), "higher"))


def open_at(found) -> list[float]:
    return [knot.x for knot in found.knots if not knot.settled]


def test_below_where_a_better_series_begins_a_lead_is_open():
    """At 4 B goes from 50 to 150: below it a lead of 4 times is of the series that was run there."""
    found = against([(1, 50), (2, 50), (4, 50)], [(4, 150), (8, 150)])
    assert found.verdict == "a_leads"
    assert open_at(found) == [1, 2]
    (cut,) = found.lacking
    assert (cut.x, cut.until, cut.side, cut.member, cut.beyond) == (4, 1, "b", 1, "below")
    assert found.largest is not None
    assert found.largest.lead_percent == pytest.approx(100 * (200 / 150 - 1))
    assert found.breaks == ()


def test_above_where_the_best_series_ends_a_lead_is_open():
    found = against([(1, 150), (2, 150)], [(1, 50), (2, 50), (4, 50), (8, 50)])
    assert open_at(found) == [4, 8]
    (cut,) = found.lacking
    assert (cut.x, cut.until, cut.side, cut.member, cut.beyond) == (2, 8, "b", 0, "above")


@pytest.mark.parametrize(("better", "expected"), [(107.0, []), (112.0, [1, 2])])
def test_a_small_jump_leaves_a_large_lead_as_it_is(better, expected):
    """Of 100 to 107 a lead of 2 times hardly changes; 112 is more than a tenth."""
    assert open_at(against([(1, 100), (2, 100), (4, 100)], [(4, better), (8, better)])) == expected


def test_a_small_jump_opens_a_lead_that_it_would_turn():
    """From 195 to 199 is less than from 195 to the leader's 200; from 190 to 199 more than from 196."""
    assert open_at(against([(1, 195), (2, 195), (4, 195), (8, 188)], [(4, 199), (8, 199)])) == []
    assert open_at(against([(1, 190), (2, 196), (4, 190)], [(4, 199), (8, 190)])) == [1, 2]


def test_a_jump_of_the_leader_opens_nothing():
    leader = Envelope("A", [[(1, 200), (2, 200), (4, 200)], [(4, 400), (8, 400)]], "higher")
    assert open_at(compared(leader, Envelope("B", [[(1, 100), (8, 100)]], "higher"))) == []
