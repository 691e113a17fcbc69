"""Crossovers of results made up here, small enough to work out by hand: runs, repeats, layouts, prices, loads."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import DARK, LIGHT
from bench.errors import NotFound, UnknownName, UsageError
from bench.library import Library
from bench.questions import answered, crossover
from bench.questions.crossover.options import between
from bench.questions.crossover.pair_words import Phrasing
from bench.view import View
from tests.questions.crossover.results import PRICE, A, B, asked, kind, knots, library_of, outcome, points
from tests.questions.heatmap.results import flag
from tests.questions.saying import headline, kinds, said, statement, statements
from tests.thorough import times

RUN = "https://example.org/runs/"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """One deployment, which nothing can be compared with."""
    return library_of(tmp_path_factory.mktemp("alone"), points("h100-sxm", {1: 100, 4: 400}))


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """100 x against 400 x^(1/2): equal at x = 16, between the measured 4 and 64."""
    return library_of(
        tmp_path_factory.mktemp("straight"),
        points("h100-sxm", {1: 100, 4: 400, 64: 6400}),
        points("h200-sxm", {1: 400, 4: 800, 64: 3200}),
    )


def test_the_crossing_of_two_straight_lines(straight):
    answer = asked(straight)
    (crossing,) = outcome(answer).crossings
    assert kind(answer) == "crosses"
    assert crossing.x == pytest.approx(16)
    assert crossing.y == pytest.approx(1600)
    assert (crossing.below.x, crossing.above.x, crossing.leads_after) == (4, 64, "a")
    assert headline(answer) == ("crosses", {"x": crossing.x, "leader": "a"})
    assert len(statement(answer, "crosses").point_ids) == 4
    between = {"x": crossing.x, "leader": "a", "low": 4, "high": 64}
    assert said(answer, "crossing") == between
    assert said(answer, "ends") == {"first": "b", "last": "a"}


def test_of_runs_of_one_deployment_the_newest_counts_and_an_undated_one_is_the_oldest(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 900}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {4: 400}, date="2026-03-05", engine_version="0.10"),
        points("h100-sxm", {1: 500, 4: 5000}),
        points("h200-sxm", {1: 50, 4: 200}, date="2026-03-05"),
    )
    answer = asked(library)
    assert [(knot.x, knot.y_a) for knot in knots(answer)] == [(4, 400)]
    assert kind(answer) == "a_leads"
    assert said(answer, "left_out")["older run"] == 4


def test_with_all_runs_a_curve_runs_through_the_best_of_them_and_each_is_a_line_of_its_own(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 16: 1600}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {4: 100}, date="2026-03-05", engine_version="0.10"),
        points("h200-sxm", {1: 50, 4: 60, 16: 70}, date="2026-03-05"),
    )
    assert [knot.y_a for knot in knots(asked(library))] == [100]
    every = asked(library, runs="all")
    assert [round(knot.y_a) for knot in knots(every)] == [100, 400, 1600]
    assert [member.span for member in every.result.a.curve.members] == [(4, 4), (1, 16)]


def test_an_older_run_fills_no_hole_of_a_newer_one(tmp_path):
    """The stale 900 at 8 would put A ahead there and make two crossings; of the newer run nothing is known at 8."""
    library = library_of(
        tmp_path,
        points("h100-sxm", {4: 500, 8: 900, 64: 950}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {4: 100, 64: 400}, date="2026-03-05", engine_version="0.10"),
        points("h200-sxm", {4: 300, 8: 400, 64: 900}, date="2026-03-05"),
    )
    answer = asked(library)
    assert (kind(answer), outcome(answer).found.crossings) == ("b_leads", ())
    # Straight on log-log axes from 100 at 4 to 400 at 64: 100 sqrt(2) at 8.
    assert [round(knot.y_a, 1) for knot in knots(answer)] == [100, 141.4, 400]


def test_rows_of_one_run_that_leave_the_version_out_are_of_one_line_with_those_that_state_it(tmp_path):
    run = {"date": "2026-03-05", "source_url": f"{RUN}1"}
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 16: 1600}, engine_version="0.10", **run),
        points("h100-sxm", {4: 700, 64: 6400}, **run),
        points("h200-sxm", {1: 90, 64: 5000}, date="2026-03-05"),
    )
    answer = asked(library)
    assert [(knot.x, knot.y_a) for knot in knots(answer)] == [(1, 100), (4, 700), (16, 1600), (64, 6400)]
    assert [member.span for member in answer.result.a.curve.members] == [(1, 64)]


def test_two_addresses_of_one_day_stand_both_and_none_of_their_points_is_lost(tmp_path):
    day = {"date": "2026-03-05", "engine_version": "0.10"}
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 450}, source_url=f"{RUN}1", **day),
        points("h100-sxm", {4: 400, 16: 1600}, source_url=f"{RUN}2", **day),
        points("h200-sxm", {1: 90, 16: 900}, **day),
    )
    assert [(knot.x, knot.y_a) for knot in knots(asked(library))] == [(1, 100), (4, 450), (16, 1600)]


def test_a_side_that_names_an_engine_version_has_the_newest_run_of_that_version(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 300}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {1: 200, 4: 400}, date="2026-03-05", engine_version="0.10"),
    )
    answer = asked(library, "engine_version=0.9", "engine_version=0.10")
    assert [(knot.y_a, knot.y_b) for knot in knots(answer)] == [(100, 200), (300, 400)]
    assert kind(answer) == "b_leads"


def test_where_the_best_series_of_a_side_ends_nothing_crosses(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 200, 64: 2000}, tp=2),
        points("h100-sxm", {1: 100, 256: 1000}, tp=1, dp=2),
        points("h200-sxm", {1: 150, 256: 1500}),
    )
    answer = asked(library)
    found = outcome(answer).found
    assert (kind(answer), found.crossings) == ("passes", ())
    (cut,) = found.breaks
    assert (cut.x, cut.until, cut.side) == (64, 256, "a")
    assert outcome(answer).curves["a"].members[cut.member].facts.tp == 2
    assert headline(answer) == ("passes", {"x": None, "leader": None})
    assert answer.rows["settled"].tolist() == [True, True, False]
    assert [words.split(", ")[1] for words in answer.rows["a_series"]] == ["tp 2", "tp 2", "dp 2"]
    assert said(answer, "change") == {"below": 64, "above": 256, "side": "a"}
    assert [(turn.below.x, turn.above.x, turn.crossing) for turn in found.turns] == [(64, 256, None)]
    (bracket,) = [shape for shape in crossover.figure(answer.result, LIGHT).layout.shapes if shape.type == "rect"]
    assert (bracket.x0, bracket.x1) == (64, 256)


def test_where_another_series_is_the_best_within_a_bracket_it_is_named(tmp_path):
    """One layout is 100 throughout, the other rises from 25 to 1,600: together they overtake 200 at 8."""
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 64: 100}, tp=2),
        points("h100-sxm", {1: 25, 64: 1600}, tp=1, dp=2),
        points("h200-sxm", {1: 200, 64: 200}),
    )
    answer = asked(library)
    (crossing,) = outcome(answer).crossings
    assert crossing.x == pytest.approx(8)
    assert said(answer, "bracket") == {"x": crossing.x, "side": "a"}
    ends = [outcome(answer).member("a", knot).facts for knot in (crossing.below, crossing.above)]
    assert [(one.tp, one.dp) for one in ends] == [(2, None), (1, 2)]


def test_of_layouts_the_best_counts_and_is_named(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 300}, tp=2),
        points("h100-sxm", {1: 90, 4: 400}, tp=1, dp=2),
        points("h200-sxm", {1: 50, 4: 200}, tp=2),
    )
    answer = asked(library)
    assert [knot.y_a for knot in knots(answer)] == [100, 400]
    assert [words.split(", ")[1] for words in answer.rows["a_series"]] == ["tp 2", "dp 2"]
    assert said(answer, "mixed") == {"side": "a", "places": 2}


def test_repeats_give_an_interval_and_other_points_at_one_load_do_not(tmp_path):
    spreads = ((1, 0.99), (2, 1.0), (3, 1.01))
    up = [points("h100-sxm", {1: 80 * by, 4: 500 * by}, repeat=n) for n, by in spreads]
    flat = [points("h200-sxm", {1: 100 * by, 4: 400 * by}, repeat=n) for n, by in spreads]
    (crossing,) = outcome(asked(library_of(tmp_path / "repeats", *up, *flat))).crossings
    assert crossing.interval.source == "repeats"
    assert 1 < crossing.interval.low < crossing.x < crossing.interval.high < 4
    once = [[{key: value for key, value in row.items() if key != "repeat"} for row in rows] for rows in (*up, *flat)]
    (crossing,) = outcome(asked(library_of(tmp_path / "none", *once))).crossings
    assert crossing.interval.source == "bracket"


def test_of_repeats_the_middle_one_is_the_height_as_on_every_page(tmp_path):
    """The mean of 90, 100 and 140 is 108; the point that stands for them says 100."""
    up = [points("h100-sxm", {1: y, 4: 4 * y}, repeat=n) for n, y in enumerate((90, 140, 100))]
    library = library_of(tmp_path, *up, points("h200-sxm", {1: 50, 4: 150}))
    answer = asked(library)
    assert [knot.y_a for knot in knots(answer)] == [100, 400]
    place = answer.result.a.curve.members[0].places[0]
    assert sorted(place.repeats) == [90, 100, 140]
    standing = library.fetch("SELECT output_tokens_per_s FROM points WHERE point_id = ?", (place.point.point_id,))
    assert standing == [(100,)]


def test_a_latency_of_repeats_is_that_of_the_repeat_in_the_middle_by_throughput(tmp_path):
    rows = [
        {**row, "tpot_ms_p50": tpot}
        for n, (y, tpot) in enumerate(((90, 10), (140, 30), (100, 20)))
        for row in points("h100-sxm", {1: y, 4: 4 * y}, repeat=n)
    ]
    other = [{**row, "tpot_ms_p50": 25} for row in points("h200-sxm", {1: 50, 4: 150})]
    answer = asked(library_of(tmp_path, rows, other), metric="tpot_ms_p50")
    assert [(knot.y_a, knot.y_b) for knot in knots(answer)] == [(20, 25), (20, 25)]


def test_ranges_that_do_not_overlap_and_a_tie_are_answers(tmp_path):
    apart = library_of(tmp_path / "apart", points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {8: 50, 16: 60}))
    answer = asked(apart)
    assert kind(answer) == "no_overlap"
    assert (answer.result.outcome.range_a, answer.result.outcome.range_b) == ((1, 4), (8, 16))
    assert kinds(answer, "headline", "finding") == ["no_overlap", "next"]
    equal = library_of(tmp_path / "equal", points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 100.5, 4: 299}))
    assert kind(asked(equal)) == "tie"


def test_stated_lengths_and_kinds_of_load_must_agree(tmp_path):
    other = library_of(
        tmp_path / "lengths", points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 50, 4: 60}, osl=512)
    )
    answer = asked(other)
    found = answer.result.outcome
    assert (found.kind, found.key, found.a, found.b) == ("not_comparable", "osl", (256,), (512,))
    static = [{**row, "batch": row.pop("concurrency")} for row in points("h200-sxm", {1: 50, 4: 60})]
    loads = library_of(tmp_path / "loads", points("h100-sxm", {1: 100, 4: 300}), static)
    found = asked(loads).result.outcome
    assert (found.kind, found.key) == ("not_comparable", "load_kind")


def test_a_length_stated_on_one_side_only_is_told(tmp_path):
    silent = [{**row, "osl": None} for row in points("h200-sxm", {1: 50, 4: 60})]
    answer = asked(library_of(tmp_path, points("h100-sxm", {1: 100, 4: 300}), silent))
    assert kind(answer) == "a_leads"
    assert said(answer, "one_sided") == {"one_sided": 1}


def test_what_differs_at_every_knot_stands_in_the_subject(tmp_path):
    other = [{**row, "precision": "fp16"} for row in points("h200-sxm", {1: 50, 4: 60})]
    answer = asked(library_of(tmp_path, points("h100-sxm", {1: 100, 4: 300}), other))
    assert (answer.result.a.hardware, answer.result.b.hardware) == ("2 x H100 SXM FP8", "2 x H200 SXM FP16")
    values = said(answer, "leads")
    assert (values["leader"], values["least_ratio"], values["most_ratio"]) == ("a", pytest.approx(2), pytest.approx(5))
    assert said(answer, "unlike") == {"unlike": 1}


def test_of_a_latency_the_lower_leads(tmp_path):
    fast, slow = points("h100-sxm", {1: 0, 4: 0}), points("h200-sxm", {1: 0, 4: 0})
    for rows, values in ((fast, (10, 20)), (slow, (12, 15))):
        for row, value in zip(rows, values, strict=True):
            row.update({"output_tokens_per_s": None, "tpot_ms_p50": value})
    answer = asked(library_of(tmp_path, fast, slow), per="dollar")
    assert answer.result.asked.per == "raw"
    assert [round(knot.lead_percent, 1) for knot in knots(answer)] == [20.0, -33.3]
    assert "gave_way" in kinds(answer, "caveat")


def test_a_price_that_is_missing_is_not_known_and_one_that_is_stated_counts(tmp_path):
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}), prices=[PRICE]
    )
    answer = asked(library, per="dollar", price_book="made")
    found = answer.result.outcome
    assert (found.kind, found.code, found.accelerators) == ("not_known", "price", ("h200-sxm",))
    assert "next" in kinds(answer, "finding")
    assert (said(answer, "prices"), said(answer, "unpriced")) == ({"h100-sxm": 2}, {"unpriced": 1})
    # 400 / (2 x 2) = 100 against 500 / (2 x 3) = 83.3
    stated = asked(library, per="dollar", price_book="made", price_b=3)
    assert knots(stated)[-1].y_a == pytest.approx(100)
    assert knots(stated)[-1].y_b == pytest.approx(500 / 6)
    even = stated.result.even["b"]
    assert (even.x, even.usd_per_accelerator_hour) == (1, pytest.approx(3))
    assert said(stated, "stated") == {"side": "b", "usd_per_accelerator_hour": 3}


@pytest.mark.parametrize("terms", ["spot", "modelled:neocloud"])
def test_no_rule_falls_back_to_other_terms(tmp_path, terms):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 400}),
        points("h200-sxm", {1: 150, 4: 500}),
        prices=[PRICE, {**PRICE, "accelerator": "h200-sxm", "terms": terms}],
    )
    made = {"per": "dollar", "price_book": "made"}
    assert asked(library, **made, price_terms="on_demand").result.outcome.kind == "not_known"
    assert kind(asked(library, **made, price_terms="every")) == "b_leads"


@settings(max_examples=times(20, 5, 8))
@given(factor=st.sampled_from([0.5, 2, 7]))
def test_every_price_as_many_times_changes_no_lead(tmp_path_factory, factor):
    both = [PRICE, {**PRICE, "accelerator": "h200-sxm", "usd_per_hour": 3.0}]
    rows = [points("h100-sxm", {1: 100, 4: 400, 16: 700}), points("h200-sxm", {1: 150, 4: 500, 16: 1500})]
    told = []
    for by in (1, factor):
        listed = [{**one, "usd_per_hour": one["usd_per_hour"] * by} for one in both]
        library = library_of(tmp_path_factory.mktemp("prices"), *rows, prices=listed)
        told.append(asked(library, per="dollar", price_book="made"))
    one, other = (knots(answer) for answer in told)
    assert [knot.lead_percent for knot in one] == pytest.approx([knot.lead_percent for knot in other])
    assert [knot.y_a for knot in one] == pytest.approx([knot.y_a * factor for knot in other])


def test_unused_hours_are_paid_too(tmp_path):
    both = [PRICE, {**PRICE, "accelerator": "h200-sxm"}]
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}), prices=both
    )
    made = {"per": "dollar", "price_book": "made"}
    full, half = asked(library, **made), asked(library, **made, utilisation="0.5")
    assert [knot.y_a for knot in knots(full)] == pytest.approx([2 * knot.y_a for knot in knots(half)])


def test_limits_hold_for_the_points_of_both_sides(tmp_path):
    rows = [
        [{**row, "ttft_ms_p99": ttft} for row, ttft in zip(points(chip, values), ttfts, strict=True)]
        for chip, values, ttfts in (
            ("h100-sxm", {1: 100, 4: 400, 16: 900}, (100, 200, 3000)),
            ("h200-sxm", {1: 150, 4: 500, 16: 800}, (100, 200, 300)),
        )
    ]
    library = library_of(tmp_path, *rows)
    assert [knot.x for knot in knots(asked(library))] == [1, 4, 16]
    limited = asked(library, slo=["ttft_ms_p99<=1000"])
    assert [knot.x for knot in knots(limited)] == [1, 4]
    assert said(limited, "left_out")["beyond_limit"] == 1
    assert "limits" in kinds(limited, "caveat")


def test_where_few_points_state_what_a_limit_is_on_the_headline_says_so(tmp_path):
    stated = [{**row, "ttft_ms_p99": 10} for row in points("h100-sxm", {1: 100, 4: 400})]
    known = [{**row, "ttft_ms_p99": 10} for row in points("h200-sxm", {1: 150, 4: 500})]
    library = library_of(
        tmp_path, stated, known, points("h100-sxm", {8: 500, 16: 600}), points("h200-sxm", {8: 500, 16: 600})
    )
    answer = asked(library, slo=["ttft_ms_p99<=1000"])
    values = said(answer, "leads")
    assert (values["stating"], values["of"], values["leader"]) == (4, 8, "b")


def test_only_what_was_measured_enters_unless_the_reader_asks(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {8: 9000}, evidence="projected"),
        points("h200-sxm", {1: 150, 8: 700}),
    )
    assert outcome(asked(library)).found.overlap == (1, 4)
    view = View.of({"evidence": ["measured", "projected"]}, {"a": A, "b": B})
    answer = crossover.answer(library, view)
    assert outcome(answer).found.overlap == (1, 8)
    drawn = crossover.figure(answer.result, LIGHT).select_traces({"type": "scatter"})
    symbols = [one for trace in drawn if isinstance(trace.marker.symbol, tuple) for one in trace.marker.symbol]
    assert any("-open" in symbol for symbol in symbols)


def test_a_point_that_a_flag_excludes_is_drawn_hollow_and_ranked_nowhere(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {2: 9000}, flags=flag("littles-law")),
        points("h200-sxm", {1: 150, 4: 500}),
    )
    answer = asked(library)
    assert [knot.x for knot in knots(answer)] == [1, 4]
    (place,) = answer.result.a.hollow
    assert (place.x, place.y) == (2, 9000)
    figure = crossover.figure(answer.result, LIGHT)
    (hollow,) = [trace for trace in figure.data if trace.customdata == (place.point.point_id,)]
    assert hollow.marker.symbol[0].endswith("-open")
    assert said(answer, "left_out")["flagged"] == 1


def test_a_headline_that_does_not_hold_without_flagged_points_says_so(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {16: 5000}, flags=flag("roofline")),
        points("h200-sxm", {1: 150, 4: 500, 16: 900}),
    )
    view = View.of({}, {"a": A, "b": B})
    answer = answered("crossover", library, view)
    assert kind(answer) == "crosses"
    assert "(flagged: beyond the roofline)" in answer.headline
    assert said(answer, "flags") == {"side": "a", "flagged": 1}
    assert answer.robustness.ways == 2
    assert [(way, one.code) for way, one in answer.robustness.otherwise] == [("without flagged points", "leads b")]
    assert said(answer, "holds_in") == {"ways": 2, "holding": 1}


def test_per_dollar_each_book_and_provider_alone_is_a_way_to_look(tmp_path):
    dear = {**PRICE, "provider": "dear", "usd_per_hour": 20.0}
    both = [PRICE, dear, *({**one, "accelerator": "h200-sxm", "usd_per_hour": 3.0} for one in (PRICE, dear))]
    # Both together: 11 against 3 USD for the median of the two providers, 2 against 3 at the one.
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 110, 4: 440}), prices=both
    )
    raw = answered("crossover", library, View.of({}, {"a": A, "b": B}))
    assert raw.robustness is None or not raw.robustness.otherwise
    made = {"a": A, "b": B, "per": "dollar", "price_book": "made"}
    answer = answered("crossover", library, View.of({}, made))
    assert kind(answer) == "b_leads"
    ways = {way: verdict.code for way, verdict in answer.robustness.otherwise}
    assert ways["at a's price"] == "leads a"
    assert "at dear's price" not in ways


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_chart_marks_the_crossing_and_its_bracket(straight, theme):
    answer = asked(straight)
    figure = crossover.figure(answer.result, theme)
    (bracket,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (bracket.x0, bracket.x1) == (4, 64)
    assert any("<b>16</b>" in note.text for note in figure.layout.annotations)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    clickable = {one for trace in figure.data if trace.customdata is not None for one in trace.customdata}
    assert clickable == {*answer.rows["a_point_id"].dropna(), *answer.rows["b_point_id"].dropna()}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"a": "nothing"}, UsageError),
        ({"a": "colour=red"}, UsageError),
        ({"a": "isl=many"}, UsageError),
        ({"b": "accelerator=h100&along=batch"}, UsageError),
        ({"b": "accelerator=h100&slo=ttft_ms_p99<=1"}, UsageError),
        ({"price_a": "-1"}, UsageError),
        ({"price_b": "nan"}, UsageError),
        ({"price_a": "1_0"}, UsageError),
        ({"price_a": "0.0001"}, UsageError),
        ({"price_b": "10001"}, UsageError),
        ({"price_a": "1.3"}, UsageError),
        ({"along": "colour"}, UnknownName),
        ({"per": "hour"}, UnknownName),
        ({"metric": "failed_share"}, UsageError),
        ({"metric": "colour"}, UnknownName),
        ({"price_book": "no-such-book"}, UnknownName),
        ({"price_book": "no-such-book", "price_terms": "with_points"}, UnknownName),
    ],
)
def test_what_an_option_cannot_be_is_said(alone, options, error):
    with pytest.raises(error, match=next(iter(options.values())) if error is UnknownName else None):
        crossover.answer(alone, View.of({}, options))


def test_nothing_to_compare_is_said(alone, tmp_path):
    answer = crossover.answer(alone, View())
    assert kinds(answer) == ["no_pair"]
    assert (answer.result.curves, answer.result.accelerators) == (1, ("h100-sxm",))
    assert crossover.figure(answer.result, LIGHT).layout.annotations[0].text == "No pair to draw."
    with pytest.raises(NotFound):
        crossover.complete(Library.open(tmp_path / "empty", shipped=False), View())


def test_points_without_an_accelerator_are_said_to_be_so(tmp_path):
    answer = crossover.answer(library_of(tmp_path, points("", {1: 100, 4: 400})), View())
    assert answer.result.pairs == ()
    assert said(answer, "left_out") == {"unnamed": 2}


def test_the_same_points_on_both_sides_are_said_to_be_so(tmp_path):
    answer = asked(library_of(tmp_path, points("h100-sxm", {1: 100, 4: 400})), b=A)
    assert kind(answer) == "tie"
    assert kinds(answer, "caveat")[0] == "same"
    assert (answer.result.a.name, answer.result.b.name) == ("A", "B")


def test_the_axis_is_one_with_two_places(tmp_path):
    """Every load stands at one place, the input length at three: that is what is compared."""
    rows = [
        [{**row, "isl": length} for length, row in zip((128, 256, 512), points(chip, {8: y}) * 3, strict=True)]
        for chip, y in (("h100-sxm", 100), ("h200-sxm", 150))
    ]
    answer = crossover.answer(library_of(tmp_path, *rows), View())
    assert answer.result.asked.along == "isl"
    assert len(answer.rows) == 1


def test_a_lead_of_310_percent_is_4_1_times_as_fast(tmp_path):
    """Ratios are told as ratios: 410 against 100 is 4.1 times, whatever the lead in percent is."""
    library = library_of(tmp_path, points("h100-sxm", {1: 100, 4: 100}), points("h200-sxm", {1: 410, 4: 410}))
    answer = asked(library)
    values = said(answer, "leads")
    assert (values["leader"], values["least_ratio"], values["most_ratio"]) == (
        "b",
        pytest.approx(4.1),
        pytest.approx(4.1),
    )
    assert answer.rows["a_lead_percent"].tolist() == pytest.approx([-310, -310])


def test_what_lies_between_two_breaks_is_told_as_such(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 400, 128: 900}, tp=2),
        points("h100-sxm", {128: 200, 512: 200}, tp=1, dp=2),
        points("h100-sxm", {512: 1000}, pp=2),
        points("h200-sxm", {1: 100, 128: 300}, tp=2),
        points("h200-sxm", {256: 330}, pp=2),
        points("h200-sxm", {512: 170}, dp=2),
    )
    answer = asked(library)
    assert kind(answer) == "passes"
    assert [knot.leader for knot in knots(answer)] == ["a", "a", "b", "a"]
    assert [tuple(one.values.values()) for one in statements(answer, "change")] == [(128, 256, "a"), (256, 512, "a")]


def test_a_listed_pair_at_a_rate_of_many_digits_can_be_chosen(tmp_path):
    sides = [points("h100-sxm", {16: 9}), points("h200-sxm", {16: 8})]
    rows = [{**row, "concurrency": None, "request_rate": 10 / 3, "isl": isl} for isl in (128, 512) for [row] in sides]
    library = library_of(tmp_path, rows)
    [pair] = crossover.answer(library, View.of({}, {"along": "isl"})).rows.itertuples()
    assert len(knots(asked(library, pair.a, pair.b, along="isl"))) == 2


@settings(max_examples=times(15, 3, 6))
@given(data=st.data())
def test_no_curve_lies_below_a_measured_point_of_a_newest_run(tmp_path_factory, data):
    """Whatever versions, addresses and layouts rows of one day state, every place has at least its best point."""
    place = st.tuples(
        st.sampled_from([1, 2, 4, 8]),
        st.integers(10, 1000),
        st.sampled_from([None, "0.9", "0.10"]),
        st.sampled_from(["", f"{RUN}1", f"{RUN}2"]),
        st.sampled_from([1, 2]),
    )
    drawn = data.draw(st.lists(place, min_size=2, max_size=8))
    rows = [
        row
        for x, y, version, url, tp in drawn
        for row in points("h100-sxm", {x: y}, date="2026-03-05", engine_version=version, source_url=url, tp=tp)
    ]
    library = library_of(tmp_path_factory.mktemp("drawn"), rows, points("h200-sxm", {1: 50, 8: 400}))
    curve = outcome(asked(library)).curves["a"]
    for x in {x for x, *_ in drawn}:
        assert curve.envelope.y(x) >= max(y for at, y, *_ in drawn if at == x) * (1 - 1e-12)


@pytest.mark.parametrize(
    ("x", "low", "high", "words"),
    [
        (127.6, 64, 256, "130"),
        (127.6, 64, 128, "128"),
        (5.487, 4, 8, "5.5"),
        (10.31, 8, 16, "10.3"),
        (64.42, 64, 65, "64.4"),
        (1357.2, 1024, 2048, "1,400"),
        (101.3, 101.3, 110.2, "101"),
        (0.3334, 0.25, 0.5, "0.33"),
        (7.999, 4, 8, "8.00"),
    ],
)
def test_an_interpolated_place_has_the_digits_its_bracket_deserves(x, low, high, words):
    assert between(x, low, high) == words


def test_a_crossing_is_written_alike_in_sentence_table_and_chart_and_whole_in_json(tmp_path):
    """From 50 to 150 against from 100 to 120 while the load doubles; the rows hold every digit."""
    library = library_of(tmp_path, points("h100-sxm", {4: 50, 8: 150}), points("h200-sxm", {4: 100, 8: 120}))
    answer = crossover.answer(library, View())
    (x,) = answer.rows["crossing"]
    assert x == pytest.approx(4 * 2 ** (math.log(2) / math.log(2.5)), rel=1e-9)
    assert "at concurrency 6.8" in answer.headline
    assert answer.rows["verdict"].tolist() == ["2 x H100 SXM from 6.8"]
    drawn = crossover.figure(answer.result, LIGHT)
    assert any("<b>6.8</b>" in note.text for note in drawn.layout.annotations)
    assert answer.statements[0].values["x"] == x


def test_two_sides_on_the_same_chips_are_called_by_what_each_has_alone(tmp_path):
    """The headline says the hardware once, and the cells of the table not at all."""
    sides = [points("h100-sxm", {4: 100, 8: 150}, engine="vllm"), points("h100-sxm", {4: 50, 8: 60}, engine="sglang")]
    library = library_of(tmp_path, *sides)
    own = {name: f"accelerator=h100-sxm&engine={name}" for name in ("vllm", "sglang")}
    answer = asked(library, a=own["vllm"], b=own["sglang"])
    tell = Phrasing.short(answer.result.asked, answer.result.a, answer.result.b)
    assert (tell.a, tell.b) == ("vLLM", "SGLang")
    assert "H100 SXM" in answer.headline
    assert "vLLM" in answer.headline
