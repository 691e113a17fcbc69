"""The Scaling question: published figures and small cases by hand, nothing mixed in a line, nothing extrapolated."""

from __future__ import annotations

import itertools
import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.basis import evidence, prices
from bench.basis.points import PointFacts
from bench.chart import DARK, LIGHT
from bench.cli.asking import document
from bench.cli.output import plain
from bench.errors import UnknownName, UsageError
from bench.questions import scaling
from bench.questions.scaling import lines, measured, operating
from bench.questions.scaling.result import STARVED, ScalingPoint
from bench.view import View
from tests.questions.crossover.results import unflagged
from tests.questions.saying import headline, kinds, said
from tests.questions.scaling.asking import BOTH, FOUR, GEMMA, LLAMA, asked, by_count, library_of, line_of, run
from tests.thorough import some, times


def test_gemma_on_one_to_eight_h100(shipped):
    answer = scaling.answer(shipped, GEMMA)
    [line] = answer.result.lines
    assert (answer.result.way, answer.result.level) == ("concurrency", 128)
    assert by_count(line, "throughput") == {1: 1260, 2: 1675, 4: 1996, 8: 2208}
    percent = {chips: round(100 * value, 1) for chips, value in by_count(line, "efficiency").items()}
    assert percent == {1: 100, 2: 66.5, 4: 39.6, 8: 21.9}
    wide = line.replicas[-1]
    assert (wide.against.throughput, wide.against.replicas_throughput) == (2208, 10080)
    assert wide.against.ratio == pytest.approx(4.565, abs=0.001)
    assert wide.against.throughput_per_accelerator == 276
    assert wide.against.replicas_throughput_per_accelerator == 1260
    assert (wide.each_load, wide.total_load, wide.shared_throughput) == (128, 1024, None)
    assert headline(answer) == (
        "efficiency",
        {"efficiency": 2208 / 1260 / 8, "speedup": 2208 / 1260, "accelerators": 8, "base": 1},
    )


def test_replicas_are_compared_at_the_same_load_each_and_where_it_is_measured_in_all(shipped):
    answer = scaling.answer(shipped, GEMMA)
    each = {"ratio": 10080 / 2208, "throughput": 2208, "replicas_throughput": 10080}
    assert said(answer, "replicas") == pytest.approx(each)
    assert said(answer, "replicas_load") == {"each": 128, "total": 1024}
    assert said(answer, "replicas_per_chip") == {"replicas": 1260, "wide_instance": 276}
    assert "projected" in kinds(answer, "caveat")
    assert said(answer, "shared_unknown") == {"load": 128}


def test_gemma_alone_is_told_of_the_deployment_on_several_counts_and_that_it_is_another_story(shipped):
    answer = scaling.answer(shipped, View.of({"model": ["gemma-4-31b"]}))
    assert dict(answer.view.where) == {
        "model": ("gemma-4-31b",),
        "precision": ("bf16",),
        "isl": ("512",),
        "osl": ("256",),
    }
    assert answer.result == scaling.answer(shipped, GEMMA).result
    assert said(answer, "other_story") == {"odd": False}


def test_every_kind_of_flag_of_a_named_point_stands_in_its_sentence(shipped):
    for view in (GEMMA, LLAMA, View(), View.of({"model": ["deepseek-r1"]}), View.of({"source": ["ibm-llm-pilot"]})):
        answer = scaling.answer(shipped, view)
        for one in answer.statements:
            assert not unflagged(shipped, one), one.text


def test_the_articles_own_projection_is_drawn_and_never_on_the_line(shipped):
    answer = scaling.answer(shipped, GEMMA)
    assert [one.value for one in answer.result.hollow] == [10080]
    assert said(answer, "hollow") == {"many": 1}
    assert 10080 not in by_count(line_of(answer), "throughput").values()
    [row] = answer.rows[answer.rows["evidence"] == "projected"].to_dict("records")
    assert math.isnan(row["scaling_efficiency"])


def test_a_law_of_four_counts_is_told_where_it_fits_and_predicts_no_peak(shipped):
    answer = scaling.answer(shipped, GEMMA)
    line = line_of(answer)
    assert line.amdahl.contention == pytest.approx(0.509, abs=0.001)
    assert line.laws == (line.amdahl,)
    # Four counts leave one degree of freedom: too few to say that the law holds, or that there is a peak at all.
    assert (line.usl.degrees_of_freedom, line.usl.peak.high, line.usl.predicted) == (1, None, None)
    law = {"error": line.amdahl.error, "contention": line.amdahl.contention, "peak": None}
    assert said(answer, "law") == law
    assert "peak" not in kinds(answer)


def test_what_the_wide_instance_costs_more_at_the_articles_prices(shipped):
    # One provider each quotes 2.49, 3.29, 4.76, 5.07, 5.12 and 5.40 USD/h; or as the basis counts them.
    view = GEMMA.with_options(price_book="articles", price_terms="unstated")
    price = prices.chip_prices(shipped, prices.read(shipped, view))["h100-sxm"].usd
    wide = line_of(scaling.answer(shipped, view)).replicas[-1].against
    assert wide.usd_per_million == pytest.approx(price / (276 * 3600) * 1e6)
    assert wide.replicas_usd_per_million == pytest.approx(price / (1260 * 3600) * 1e6)
    half = line_of(scaling.answer(shipped, view.with_options(utilisation="0.5"))).replicas[-1].against
    assert half.usd_per_million == pytest.approx(2 * wide.usd_per_million)


def test_llama_grows_beyond_proportion_because_one_chip_has_no_room(shipped):
    answer = scaling.answer(shipped, LLAMA)
    line = line_of(answer)
    assert by_count(line, "efficiency")[2] == pytest.approx(2.61, abs=0.005)
    assert [place.accelerators for place in line.beyond_linear] == [2, 4, 8]
    one, two = line.rooms[:2]
    # 2 x 128,256 x 8,192 weights of 2 bytes, the rest of 1 with a scale of 4 for each 128 x 128, are 67.2 GiB of the 80
    # that an H100 has at most.
    kept = 2 * 128_256 * 8192
    weights = 2 * kept + (70e9 - kept) * (1 + 4 / 128**2)
    assert (one.memory_gib, two.memory_gib) == (80, 160)
    assert one.weights_gib == pytest.approx(weights / 2**30)
    # 80 layers x 8 heads x 128 x 2 (K and V) in FP8 are 163,840 bytes a token.
    assert one.tokens == pytest.approx((80 * 2**30 - weights) / 163_840)
    growth = said(answer, "beyond_linear")
    assert (growth["accelerators"], growth["base"]) == (2, 1)
    assert growth["efficiency"] == pytest.approx(2.61, abs=0.005)
    assert "explained" in kinds(answer, "finding")
    assert said(answer, "kv_room") == {"base_tokens": one.tokens, "tokens": two.tokens}
    against = line.replicas[-1].against
    assert against.usd_per_million < against.replicas_usd_per_million


def test_a_starved_line_is_explained_and_makes_no_headline_where_another_does(shipped):
    answer = scaling.answer(shipped, BOTH)
    first, values = answer.result.headline_lines[0], said(answer, "efficiency")
    assert (first.facts.accelerator, values["accelerators"], values["base"]) == ("h200-sxm", 8, 1)
    assert (round(values["speedup"], 2), round(values["efficiency"], 3)) == (4.67, 0.584)
    growth = said(answer, "beyond_linear")
    assert (growth["accelerators"], round(growth["speedup"], 2), round(growth["efficiency"], 2)) == (2, 5.23, 2.61)
    starved = [line.is_starved for line in answer.result.headline_lines]
    assert starved == sorted(starved)
    assert not scaling.answer(shipped, View()).result.headline_lines[0].is_starved


def test_narrowing_to_what_is_shown_changes_no_figure_and_no_price(shipped):
    for chip in ("h200-sxm", "h100-sxm", "l40s"):
        wide = {line.owner: line for line in scaling.answer(shipped, BOTH).result.lines}[chip]
        [own] = scaling.answer(shipped, BOTH.with_where(accelerator=[chip])).result.lines
        assert own.places == wide.places
        assert own.replicas == wide.replicas


def test_doubling_every_price_doubles_every_cost_and_no_throughput(shipped):
    at = GEMMA.with_options(utilisation="0.5")
    one, two = (scaling.answer(shipped, view).result.lines[0] for view in (GEMMA, at))
    for before, after in zip(one.replicas, two.replicas, strict=True):
        assert after.against.usd_per_million == pytest.approx(2 * before.against.usd_per_million)
        assert after.against.ratio == before.against.ratio


def test_a_line_above_100_percent_is_not_amdahls(shipped):
    line = line_of(scaling.answer(shipped, LLAMA))
    assert line.amdahl is None
    assert line.usl.error > 0.1
    assert (line.laws, line.usl.predicted) == ((), None)
    assert "law" not in kinds(scaling.answer(shipped, LLAMA))


@pytest.mark.parametrize(
    "view", [GEMMA, LLAMA, View(), View.of({"source": ["mlperf"]}), View.of({"model": ["mixtral-8x7b"]})]
)
def test_no_place_lies_below_a_ranked_point_of_its_line_and_count(shipped, view):
    answer = scaling.answer(shipped, view)
    found, ranked = answer.result, evidence.ranked(shipped, evidence.read(answer.view))
    at = f" AND {found.way} = {found.level}" if found.way in lines.LOAD_AXES else ""
    assert found.steps
    for line in found.lines:
        best = shipped.fetch(
            f"SELECT accelerators, max({found.metric}) FROM points WHERE {ranked.sql}{at} AND {lines.LINE} ="
            f" (SELECT {lines.LINE} FROM points WHERE point_id = ?) GROUP BY 1",
            (*ranked.params, line.facts.point_id),
        )
        assert by_count(line, "throughput").items() <= dict(best).items()


@pytest.mark.parametrize("group", ["line", "accelerator", "engine", "model"])
def test_nothing_but_chips_layout_and_load_differs_along_a_line(shipped, group):
    answer = scaling.answer(shipped, View.of(options={"group": group}, whole=True))
    assert 1 < len(answer.result.lines) <= measured.MOST_LINES
    for line in answer.result.lines:
        ids = [one.point_id for place in line.places for one in place.facts]
        told = ", ".join(f"count(DISTINCT coalesce(CAST({lines.column(key)} AS VARCHAR), ''))" for key in lines.ALIKE)
        row = shipped.fetch(
            f"SELECT {told}, list(DISTINCT evidence) FROM points WHERE point_id IN (SELECT unnest(?::VARCHAR[]))",
            (ids,),
        )[0]
        assert set(row[:-1]) == {1}
        assert row[-1] == ["measured"]


def test_the_default_story_is_one_model_precision_and_workload(shipped):
    answer = scaling.answer(shipped, View())
    assert {"model", "precision", "isl", "osl"} <= dict(answer.view.where).keys()
    assert max(len(line.places) for line in answer.result.lines) >= 2


def test_equal_interactivity_lies_between_two_points_and_is_worked_out_by_hand(tmp_path):
    # At sqrt(50 x 100) tokens/s per user: one chip sqrt(100 x 400) = 200, two chips sqrt(150 x 600) = 300.
    library = library_of(tmp_path, *(run(*one) for one in FOUR))
    answer = asked(library, at="interactivity", level=str(math.sqrt(5000)))
    line = line_of(answer)
    assert by_count(line, "throughput") == pytest.approx({1: 200, 2: 300})
    assert by_count(line, "efficiency") == pytest.approx({1: 1, 2: 0.75})
    assert all(place.between for place in line.places)
    assert [place.figure(answer.result.tpot) for place in line.places] == [None, None]
    assert said(answer, "interpolation") == {"many": 2}


def test_equal_interactivity_is_the_default_where_it_is_measured_and_never_beyond_it(tmp_path):
    library = library_of(tmp_path, *(run(*one) for one in FOUR))
    answer = asked(library)
    assert answer.result.way == "interactivity"
    assert 50 < answer.result.level < 100
    beyond = asked(library, level="200")
    assert not beyond.result.lines
    assert headline(beyond) == ("nothing", {"why": "level", "used": 4})
    assert beyond.result.level == 200
    assert 50 < beyond.result.common < 100


def test_at_equal_load_replicas_share_the_wide_instances_users_too(tmp_path):
    library = library_of(tmp_path, run(1, 300, 8, 20), run(1, 400, 16, 30), run(2, 640, 16, 15, ttft_ms_p50=100))
    answer = asked(library, at="concurrency", level="16")
    [wide] = line_of(answer).replicas
    assert (wide.against.replicas_throughput, wide.total_load, wide.against.ratio) == (800, 32, 1.25)
    assert wide.against.tpot_saved_ms == 15
    assert (wide.shared_throughput, wide.shared_tpot_ms) == (600, 20)
    assert said(answer, "shared") == {"throughput": 600, "ratio": 600 / 640}


def test_the_best_layout_of_a_count_is_taken_and_the_newest_run_of_each(tmp_path):
    early, late = ({"source_url": f"https://example.org/runs/{one}"} for one in (1, 2))
    library = library_of(
        tmp_path,
        run(1, 100, **late),
        run(2, 150, **late),
        run(2, 190, tp=1, pp=2, **late),
        run(2, 900, tp=2, pp=1, date="2025-01-01", **early),
        run(2, 120, tp=2, pp=1, date="2026-01-01", **late),
    )
    answer = asked(library, at="concurrency")
    assert by_count(line_of(answer), "throughput") == {1: 100, 2: 190}
    assert line_of(answer).places[1].point.facts.pp == 2
    assert answer.result.tally.of("older run") == 1


def test_of_repeats_the_middle_one_counts(tmp_path):
    repeats = [run(2, value, repeat=number) for number, value in enumerate((150, 170, 400), 1)]
    assert by_count(line_of(asked(library_of(tmp_path, run(1, 100, repeat=1), *repeats))), "throughput") == {
        1: 100,
        2: 170,
    }


def test_the_best_of_a_single_load_is_no_best(tmp_path):
    library = library_of(tmp_path, run(1, 900, 64), run(1, 300, 16), run(2, 100, 4))
    answer = asked(library, at="best")
    assert headline(answer) == ("nothing", {"why": "shared_load", "used": 3})
    assert not answer.result.lines


def test_a_point_that_failed_most_of_its_requests_is_on_no_line(tmp_path):
    library = library_of(
        tmp_path,
        run(1, 1, requests_ok=10, requests_failed=90),
        run(2, 200),
        run(4, 300, requests_failed=1, requests_ok=99),
    )
    answer = asked(library)
    assert by_count(line_of(answer), "throughput") == {2: 200, 4: 300}
    assert line_of(answer).base.accelerators == 2
    assert said(answer, "base") == {"many": 1}
    assert answer.result.tally.of("failed") == 1


def test_versions_and_precisions_are_lines_of_their_own(tmp_path):
    library = library_of(
        tmp_path, run(1, 100), run(2, 180), run(4, 9000, engine_version="0.7"), run(8, 9000, precision="fp8")
    )
    assert by_count(line_of(asked(library)), "throughput") == {1: 100, 2: 180}


def test_a_disaggregated_deployment_has_no_replicas(tmp_path):
    library = library_of(tmp_path, run(4, 100, disaggregated=True), run(8, 190, disaggregated=True))
    answer = scaling.answer(library, View.of({"source": ["made"], "disaggregated": ["true"]}))
    line = line_of(answer)
    assert by_count(line, "efficiency") == pytest.approx({4: 1, 8: 0.95})
    assert line.replicas == ()
    assert said(answer, "designs") == {"many": 1}


def test_a_disaggregated_deployment_is_compared_only_where_it_is_asked_for(tmp_path):
    library = library_of(tmp_path, run(4, 100, disaggregated=True), run(8, 190, disaggregated=True))
    answer = asked(library)
    assert not answer.result.lines
    assert answer.result.tally.of("disaggregated") == 2
    assert headline(answer) == ("nothing", {"why": "disaggregated", "used": 0})
    every = asked(library, group="disaggregated")
    assert by_count(line_of(every), "efficiency") == pytest.approx({4: 1, 8: 0.95})


def test_where_nothing_can_be_compared_a_sentence_says_why(shipped):
    answer = scaling.answer(shipped, View.of({"source": ["ibm-llm-pilot"], "model": ["mt0-xxl"]}))
    assert headline(answer) == ("nothing", {"why": "counts", "used": 16})
    linked = GEMMA.with_options(at="interactivity").made_whole()
    assert headline(scaling.answer(shipped, linked)) == ("nothing", {"why": "level", "used": 4})


@pytest.mark.parametrize("way", ["interactivity", "batch"])
def test_a_way_no_two_counts_can_be_compared_in_is_told_with_those_that_can(shipped, way):
    with pytest.raises(UnknownName, match=f"{way}.*concurrency"):
        scaling.answer(shipped, GEMMA.with_options(at=way))


@pytest.mark.parametrize("option", [{"at": "luck"}, {"metric": "beauty"}, {"group": "owner"}])
def test_an_option_that_does_not_exist_is_named(shipped, option):
    with pytest.raises(UnknownName, match=next(iter(option.values()))):
        scaling.answer(shipped, View.of(options=option))


@pytest.mark.parametrize("value", ["-1", "0", "nan", "1e999", "many"])
def test_a_level_that_is_no_level_is_told(shipped, value):
    with pytest.raises(UsageError, match="level="):
        scaling.answer(shipped, View.of(options={"level": value}))


def test_a_price_book_that_is_not_loaded_is_told_with_those_that_are(shipped):
    with pytest.raises(UnknownName, match=r"price_book named 'mine'.*articles"):
        scaling.answer(shipped, View.of(options={"price_book": "mine"}))
    with pytest.raises(UsageError, match="articles has no spot prices"):
        scaling.answer(shipped, View.of(options={"price_book": "articles", "price_terms": "spot"}))


@pytest.mark.parametrize("view", [GEMMA, View.of({"model": ["llama-3.1-70b"]})])
def test_a_chip_costs_what_the_basis_says_it_costs(shipped, view):
    answer = scaling.answer(shipped, view)
    told = answer.result.prices
    assert told
    assert told == prices.chip_prices(shipped, prices.read(shipped, view))


def test_every_way_of_every_group_is_answered_in_plain_json_and_drawn(shipped):
    for place, model in enumerate(["llama-13b", "deepseek-r1", "gemma-4-31b"]):
        view = View.of({"model": [model]})
        offered = scaling.choices(shipped, view)
        ways, groups = ([value for value, _ in offered[key]] for key in ("at", "group"))
        own = some(groups[place::3], 2)  # each model takes a third of the groups, each way all of these
        for way in ways:
            for group, theme in zip(own, itertools.cycle((LIGHT, DARK)), strict=False):
                answer = scaling.answer(shipped, view.with_options(at=way, group=group))
                assert answer.headline.endswith(".")
                json.dumps(plain(document(answer)), allow_nan=False)
                scaling.figure(answer.result, theme)


def test_the_chart_marks_what_is_measured_and_what_is_not(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA).result, LIGHT)
    line = next(trace for trace in drawn.data if trace.mode == "lines+markers")
    assert list(line.y) == [1260, 1675, 1996, 2208]
    on_wide_pages, on_narrow_ones = [trace for trace in drawn.data if trace.mode == "text"]
    for told in (on_wide_pages, on_narrow_ones):
        assert [re.sub(r"<[^>]*>", "", text).strip() for text in told.text] == ["H100 SXM 21.9 %", "66.5 %", "39.6 %"]
        assert told.legendgroup == line.legendgroup
    assert all("--from:700" in text and "--until:1100" in text for text in on_narrow_ones.text)
    assert not any(str(symbol).endswith("-open") for symbol in line.marker.symbol)
    open_ones = [trace for trace in drawn.data if trace.mode == "markers" and trace.customdata]
    assert [list(trace.y) for trace in open_ones] == [[2520, 5040, 10080], [10080]]
    assert all(str(symbol).endswith("-open") for trace in open_ones for symbol in trace.marker.symbol)
    ideal = next(trace for trace in drawn.data if trace.line.dash == "dot" and trace.x[0])
    assert list(ideal.y) == [1260, 10080]


PLACES = st.lists(
    st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([1, 8, 64]), st.floats(1, 1e4), st.floats(1, 500)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=times(60, 12, 24))
@given(PLACES, st.floats(1, 500))
def test_no_place_lies_outside_what_its_count_was_measured_at(found, level):
    points = [
        ScalingPoint(PointFacts(f"{place}", accelerators=chips, concurrency=load), value, {"seen": seen})
        for place, (chips, load, value, seen) in enumerate(found)
    ]
    for way, at in (("interactivity", level), ("concurrency", 8), ("best", None)):
        for place in operating.places(points, way, at, "seen"):
            own = [one.value for one in points if one.chips == place.accelerators]
            assert min(own) <= place.throughput <= max(own)
            assert (place.between is not None) == (len(place.facts) == 2)
    shared = operating.level_of([points], "interactivity", "seen")
    if shared is not None:
        assert len(operating.places(points, "interactivity", shared, "seen")) >= operating.FEWEST_COUNTS
        linked = float(repr(shared).removesuffix(".0"))
        assert operating.coverage([points], "interactivity", linked, "seen") == operating.coverage(
            [points], "interactivity", shared, "seen"
        )
        assert len(operating.places(points, "interactivity", linked, "seen")) >= operating.FEWEST_COUNTS


def test_why_nothing_can_be_told_is_true_of_the_story_and_the_same_when_narrowed_to_it(shipped):
    wide, narrow = (
        scaling.answer(shipped, View.of({"accelerator": ["mi300x"], **more}))
        for more in ({}, {"model": ["deepseek-r1"]})
    )
    assert wide.result.metric == narrow.result.metric == "output_tokens_per_s"
    assert wide.result.tally.counts == narrow.result.tally.counts
    assert wide.headline == narrow.headline
    assert headline(wide)[0] == "nothing"
    assert said(wide, "nothing")["why"] in ("counts", "shared_load", "best", "level")


def test_what_opens_with_no_choice_is_no_line_that_was_short_of_memory(shipped):
    answer = scaling.answer(shipped, View())
    lines = answer.result.steps
    assert sum(len(line.judged) for line in lines) >= 6
    assert not any(line.is_starved for line in lines)
    assert all(0.5 < place.efficiency <= STARVED for line in lines for place in line.judged)
    assert [one for one in answer.why if "nobody chose" in one.what]
    # A story that the reader names stays, whatever its lines are, and of a model the ordinary one comes first.
    named = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"], "isl": ["500"], "osl": ["2000"]})
    assert any(line.is_starved for line in scaling.answer(shipped, named).result.steps)
    of_model = scaling.answer(shipped, View.of({"model": ["llama-3.1-70b"]}))
    assert not any(line.is_starved for line in of_model.result.steps)
    assert said(of_model, "other_story") == {"odd": True}
