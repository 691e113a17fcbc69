"""Frontier and knee against their definitions, on random points and on sums worked out by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths import pareto

BETTER = st.sampled_from(["higher", "lower"])
VALUE = st.one_of(st.none(), st.integers(-3, 6).map(float), st.floats(allow_nan=True, allow_infinity=True, width=32))
POINTS = st.lists(st.tuples(VALUE, VALUE), max_size=40)
POSITIVE = st.integers(1, 1_000_000).map(lambda hundredths: hundredths / 100)


def usable(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def at_least(a: float, b: float, better: str) -> bool:
    return a >= b if better == "higher" else a <= b


def brute_force(points, better_x, better_y, ids):
    """Every pair compared, as the definition says."""
    kept = set()
    for i, (x, y) in enumerate(points):
        if not (usable(x) and usable(y)):
            continue
        beaten = False
        for j, (other_x, other_y) in enumerate(points):
            if i == j or not (usable(other_x) and usable(other_y)):
                continue
            if at_least(other_x, x, better_x) and at_least(other_y, y, better_y):
                beaten |= (other_x, other_y) != (x, y) or ids[j] < ids[i]
        if not beaten:
            kept.add(i)
    return kept


def split(points):
    return [x for x, _ in points], [y for _, y in points]


@given(POINTS, BETTER, BETTER, st.randoms())
def test_the_frontier_is_what_comparing_every_pair_leaves(points, better_x, better_y, random):
    ids = [f"{number:04x}" for number in random.sample(range(10_000), len(points))]
    found = pareto.frontier(*split(points), better_x, better_y, ids)
    assert set(found.tolist()) == brute_force(points, better_x, better_y, ids)
    assert len(set(found.tolist())) == len(found)


@given(POINTS, BETTER, BETTER)
def test_the_frontier_runs_from_the_best_x_to_the_best_y(points, better_x, better_y):
    x, y = split(points)
    found = pareto.frontier(x, y, better_x, better_y)
    for one, following in pairwise(found):
        assert pareto.sign(better_x) * x[following] < pareto.sign(better_x) * x[one]
        assert pareto.sign(better_y) * y[following] > pareto.sign(better_y) * y[one]


def test_nothing_to_choose_from_gives_nothing():
    assert pareto.frontier([], []).tolist() == []
    assert pareto.frontier([None, math.nan, math.inf], [1.0, 1.0, 1.0]).tolist() == []


def test_points_equal_in_both_are_kept_once_by_the_smallest_id():
    assert pareto.frontier([1, 1, 1], [2, 2, 2], ids=["c", "a", "b"]).tolist() == [1]


@st.composite
def frontiers(draw):
    """A frontier of positive numbers, higher better: x falls as y rises."""
    x = sorted(draw(st.sets(POSITIVE, min_size=3, max_size=20)), reverse=True)
    y = sorted(draw(st.sets(POSITIVE, min_size=len(x), max_size=len(x))))
    return x, y


def beyond_the_line(x, y):
    u = [math.log(v / min(x)) / math.log(max(x) / min(x)) for v in x]
    v = [math.log(w / min(y)) / math.log(max(y) / min(y)) for w in y]
    return [a + b - 1 for a, b in zip(u, v, strict=True)]


@given(frontiers())
def test_the_knee_is_the_point_farthest_beyond_the_line_between_the_ends(points):
    x, y = points
    distance = beyond_the_line(x, y)
    found = pareto.knee(x, y)
    if found is None:
        assert max(distance) <= 1e-8
    else:
        assert distance[found] == pytest.approx(max(distance), abs=1e-9)
        assert 0 < found < len(x) - 1


def test_a_knee_worked_out_by_hand():
    # Ends (1, 100) and (100, 1) on logarithms: the line between them is log10 x + log10 y = 2.
    # (10, 50) lies log10 500 - 2 = 0.70 beyond it, (50, 10) as far, (20, 40) log10 800 - 2 = 0.90.
    assert pareto.knee([100, 50, 20, 10, 1], [1, 10, 40, 50, 100]) == 2


def test_a_knee_where_less_latency_is_better():
    # TTFT 100 ms to 10 s, throughput 10 to 1,000: at 200 ms 700 tokens/s is nearly everything for nearly nothing.
    assert pareto.knee([100, 200, 2_000, 10_000], [10, 700, 900, 1_000], "lower", "higher") == 1


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1], [1]),
        ([2, 1], [1, 2]),
        ([100, 10, 1], [1, 10, 100]),  # on the line
        ([100, 10, 1], [1, 2, 100]),  # bends inwards
        ([100, 10, 0], [1, 50, 100]),  # only two have a logarithm
    ],
)
def test_no_knee_without_a_bend(x, y):
    assert pareto.knee(x, y) is None


def test_stretches_say_who_serves_which_requirement():
    # From 10 upwards a serves; a requirement above 20 needs b; above 80 a again.
    found = pareto.stretches([80, 20, 100, 10], ["b", "a", "a", "a"])
    assert [(stretch.owner, stretch.weakest, stretch.strictest) for stretch in found] == [
        ("a", None, 20),
        ("b", 20, 80),
        ("a", 80, 100),
    ]
    assert found[0].positions == (3, 1)
    # Of a latency, from the loosest limit on.
    found = pareto.stretches([100, 400], ["a", "b"], "lower")
    assert [(one.owner, one.weakest, one.strictest) for one in found] == [("b", None, 400), ("a", 400, 100)]


def test_spans_count_only_what_has_a_logarithm():
    assert (pareto.log_span([2.0, 60.0, 0.0, math.inf]), pareto.log_span([])) == (30, 1)


OWNED = st.lists(st.tuples(POSITIVE, POSITIVE, st.sampled_from("abc")), min_size=1, max_size=20)


@given(OWNED, BETTER, BETTER)
def test_each_owners_frontier_and_who_leads_by_how_much_are_what_comparing_all_points_gives(points, better_x, better_y):
    x, y, owners = (list(values) for values in zip(*points, strict=True))
    found = pareto.frontiers(x, y, owners, list(range(len(x))), better_x, better_y)
    for owner in set(owners):
        own = [position for position, one in enumerate(owners) if one == owner]
        alone = pareto.frontier([x[at] for at in own], [y[at] for at in own], better_x, better_y)
        assert found.lines[owner] == tuple(own[at] for at in alone)
    by_x, by_y = pareto.sign(better_x), pareto.sign(better_y)
    firsts = [by_y * y[line[-1]] for line in found.lines.values()]
    assert firsts == sorted(firsts, reverse=True)
    for lead in found.leads:
        for position in (found.overall[at] for at in lead.positions):
            meeting = [at for at in range(len(x)) if by_x * x[at] >= by_x * x[position]]
            assert by_y * y[position] == max(by_y * y[at] for at in meeting)
            others = [by_y * y[at] for at in meeting if owners[at] != lead.owner]
            if not others:
                assert lead.margin is None
            else:
                ratio = y[position] / (by_y * max(others))
                assert lead.margin is None or lead.margin >= (ratio if by_y > 0 else 1 / ratio) * (1 - 1e-9)


def test_the_widest_lead_is_by_more_than_a_tie():
    leads = pareto.stretches([10, 40, 50], ["a", "b", "a"], "higher", [1.5, 1.005, None])
    assert [(lead.margin, round(lead.width, 3)) for lead in leads] == [
        (1.5, 0),
        (1.005, round(math.log(4), 3)),
        (None, round(math.log(1.25), 3)),
    ]
    assert pareto.widest(leads, 0.01) == leads[2]
    assert pareto.widest(leads, 0) == leads[1]
    assert pareto.widest(leads[1:2], 0.01) == leads[1]
    assert pareto.widest((), 0.01) is None
