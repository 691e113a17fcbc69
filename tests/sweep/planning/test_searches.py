"""Which point comes next: grids, ramps and ever longer inputs, on histories made by hand, split and shuffled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from tests.sweep.plans import ENDPOINT, PLANS, measured, of, ramp, run


@given(PLANS.filter(lambda plan: plan.search == "grid"), st.randoms())
def test_a_grid_asks_for_every_point_once_however_it_is_split(plan, random):
    keys = [point.key for point in plan.points()]
    assert len(set(keys)) == len(keys)
    before = random.sample(plan.points(), random.randint(0, len(keys)))
    asked, end = run(plan, measured, [measured(point) for point in before])
    assert sorted(point.key for point in (*before, *asked)) == sorted(keys)
    assert f"{len(keys):,} points" in end.reason


@pytest.mark.parametrize(
    ("throughputs", "asked", "sustained"),
    [
        ([100, 180, 200, 193, 192, 500], 5, 4),
        ([100, 200, 194, 194, 194], 5, 16),  # exactly 3 % under the best is no fall
        ([200, 190, 199, 190, 198, 180], 6, 16),  # those that fell do not follow each other
        ([200, 196, 192, 188, 184], 4, 2),  # a slow decline counts against the best, not the level before
    ],
)
def test_a_ramp_stops_after_two_levels_more_than_3_percent_under_the_best(
    throughputs: list[float], asked: int, sustained: int
) -> None:
    levels = [2**power for power in range(len(throughputs))]
    by_level = dict(zip(levels, throughputs, strict=True))
    found, end = run(ramp(levels, falling_levels=2), lambda point: measured(point, by_level[point.load.concurrency]))
    assert [point.load.concurrency for point in found] == levels[:asked]
    assert end.sustained[0].point.load.concurrency == sustained
    assert end.sustained[0].output_tokens_per_s == by_level[sustained]


def test_a_ramp_stops_at_the_first_level_beyond_what_is_stated():
    asked, end = run(
        ramp([1, 2, 4, 8], limits={"interactivity_tokens_per_s_per_user_p50": 30}),
        lambda point: measured(point, interactivity_tokens_per_s_per_user_p50=100 / point.load.concurrency),
    )
    assert [point.load.concurrency for point in asked] == [1, 2, 4]
    assert end.sustained[0].point.load.concurrency == 2


def test_where_nothing_succeeds_a_ramp_ends_and_nothing_is_sustained():
    asked, end = run(ramp([1, 2], error_rate=1), lambda point: measured(point, None, failed=10, ok=0))
    assert len(asked) == 1
    assert end.sustained == ()


def test_a_repeated_level_is_judged_by_its_median():
    # Level 2 has 60 once, but its median is 100; level 4's median is 90, under 97, and so is level 8's.
    repeats = {1: [100, 100, 100], 2: [60, 100, 110], 4: [90, 90, 120], 8: [10, 10, 500], 16: [1, 1, 1]}
    asked, end = run(
        ramp([1, 2, 4, 8, 16], repeats=3, falling_levels=2),
        lambda point: measured(point, repeats[point.load.concurrency][point.repeat - 1]),
    )
    assert len(asked) == 12
    assert end.sustained[0].point.load.concurrency == 2


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.lists(st.integers(0, 20), min_size=8, max_size=8),
    st.integers(1, 3),
    st.randoms(),
)
def test_a_ramp_goes_on_where_it_was_whatever_the_order_of_its_journal(throughputs, failures, repeats, random):
    levels = [2**power for power in range(len(throughputs))]
    plan = ramp(levels, repeats=repeats, falling_levels=2, error_rate=0.1)

    def result(point):
        place = levels.index(point.load.concurrency)
        return measured(point, throughputs[place] + point.repeat, failed=failures[place])

    asked, end = run(plan, result)
    cut = random.randint(0, len(asked))
    before = [result(point) for point in random.sample(asked[:cut], cut)]
    rest, again = run(plan, result, before)
    assert rest == asked[cut:]
    assert again == end
    assert len({point.key for point in asked}) == len(asked)


def test_a_closed_and_an_open_ramp_are_two():
    plan = Plan.from_mapping(
        {
            "endpoint": ENDPOINT,
            "search": "ramp",
            "workloads": [{"isl": 8, "osl": 8}],
            "loads": {"concurrency": [1, 2], "request_rate": [1, 2]},
            "stop": {"falling_levels": 1},
        }
    )
    asked, end = run(plan, lambda point: measured(point, 100 / point.level))
    assert [(point.load.load_kind, point.level) for point in asked] == [
        ("closed", 1),
        ("closed", 2),
        ("open", 1),
        ("open", 2),
    ]
    assert [best.point.level for best in end.sustained] == [1, 1]


def isls(plan: Plan, result=measured) -> list[int]:
    return [point.shape.isl.a for point in run(plan, result)[0]]


def test_the_context_doubles_to_the_models_limit():
    # 8,192 less 128 of output is 8,064; 2 % under that an input may be longer than asked for and still fit: 7,905.
    assert isls(of("context_scaling", facts={"max_model_len": 8192})) == [128, 256, 512, 1024, 2048, 4096, 7905]
    # 1,200 less 128 is 1,072, which is 1,050: too close to 1,024 for a point of its own.
    assert isls(of("context_scaling", facts={"max_model_len": 1200})) == [128, 256, 512, 1024]


def test_a_longer_input_that_is_slower_is_sustained_all_the_same():
    plan = of("context_scaling", facts={"max_model_len": 1200})
    _, end = run(plan, lambda point: measured(point, 1e5 / point.shape.isl.a))
    assert end.sustained[0].point.shape.isl.a == 1024


def test_where_nobody_knows_the_limit_the_context_doubles_until_it_is_refused():
    def result(point):
        return measured(point) if point.shape.isl.a <= 4096 else measured(point, None, failed=8, ok=0)

    assert isls(of("context_scaling"), result) == [128, 256, 512, 1024, 2048, 4096, 8192]


@given(st.integers(16, 2**20), st.integers(1, 64), st.integers(1, 64))
def test_every_length_of_a_context_search_fits_with_its_margin(context, isl, osl):
    plan = Plan.from_mapping(
        {
            "endpoint": ENDPOINT,
            "search": "context",
            "workloads": [{"isl": isl, "osl": osl}],
            "loads": {"concurrency": 1},
            "facts": {"max_model_len": max(context, isl + osl)},
        }
    )
    lengths = [point.shape.isl.a for point in searches.possible(plan)]
    assert lengths == sorted(set(lengths))
    assert all(max(length * 1.02, length + 4) + osl <= plan.context_tokens for length in lengths)
