"""The Scaling question: published figures and small cases by hand, nothing mixed in a line, nothing extrapolated."""

from __future__ import annotations

import itertools
import json
import math
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import cost, scaling
from bench.questions.scaling import defaults, lines, memory, operating
from bench.view import View
from bench.wording import number
from tests.library.files import table
from tests.thorough import some, times

GEMMA = View.of({"model": ["gemma-4-31b"], "isl": ["512"], "osl": ["256"]})
LLAMA = View.of({"model": ["llama-3.1-70b"], "accelerator": ["h100-sxm"], "engine_version": ["0.17"],
                 "isl": ["1000"], "osl": ["1000"]})  # fmt: skip


def run(chips, throughput, concurrency=16, tpot=None, **facts):
    return {"accelerators": chips, "tp": chips, "isl": 1000, "osl": 500, "concurrency": concurrency,
            "output_tokens_per_s": throughput, "tpot_ms_p50": tpot, **facts}  # fmt: skip


def library_of(folder, *rows):
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([table(folder / "results.csv", *rows)]).refused
    return library


def asked(library, **options):
    return scaling.answer(library, View.of({"source": ["made"]}, options))


def line_of(answer, place=0):
    return answer.numbers["lines"][place]


def by_count(line, key):
    return {place["accelerators"]: place[key] for place in line["counts"]}


def test_gemma_on_one_to_eight_h100(shipped):
    answer = scaling.answer(shipped, GEMMA)
    [line] = answer.numbers["lines"]
    assert (answer.numbers["at"], answer.numbers["level"]) == ("concurrency", 128)
    assert by_count(line, "throughput") == {1: 1260, 2: 1675, 4: 1996, 8: 2208}
    percent = {chips: round(100 * value, 1) for chips, value in by_count(line, "efficiency").items()}
    assert percent == {1: 100, 2: 66.5, 4: 39.6, 8: 21.9}
    wide = line["replicas"][-1]
    assert (wide["throughput"], wide["replicas_throughput"], wide["projected"]) == (2208, 10080, True)
    assert wide["ratio"] == pytest.approx(4.565, abs=0.001)
    assert (wide["throughput_per_accelerator"], wide["replicas_throughput_per_accelerator"]) == (276, 1260)
    assert (wide["each_load"], wide["total_load"]) == (128, 1024)
    assert "1.75 times" in answer.headline
    assert "21.9 %" in answer.headline
    assert "4.57 times" in answer.headline


def test_the_articles_own_projection_is_drawn_and_never_on_the_line(shipped):
    answer = scaling.answer(shipped, GEMMA)
    assert [place["throughput"] for place in answer.numbers["not_measured"]] == [10080]
    assert 10080 not in by_count(line_of(answer), "throughput").values()
    [row] = answer.rows[answer.rows["evidence"] == "projected"].to_dict("records")
    assert math.isnan(row["scaling_efficiency"])


def test_gemmas_laws_are_told_and_the_peak_they_predict_is_called_a_prediction(shipped):
    answer = scaling.answer(shipped, GEMMA)
    line = line_of(answer)
    assert line["amdahl"]["contention"] == pytest.approx(0.509, abs=0.001)
    assert line["amdahl"]["told"]
    assert line["amdahl"]["peak"] is None
    peak = line["usl"]["peak"]
    assert (peak["measured"], peak["told"], peak["predicted"]) == (False, False, True)
    [said] = [said for said in answer.findings if "peak" in said]
    assert f"predicts a peak near {number(peak['count'])} chips, beyond the measured 8" in said
    assert "its peak at" not in said
    # Four counts leave one degree of freedom: too few to say that there is a peak at all.
    assert peak["high"] is None
    assert f"from {number(peak['low'])} chips to no peak at all, so do not plan by it" in said


def test_what_the_wide_instance_costs_more_at_the_articles_prices(shipped):
    # The median of 2.49, 3.29, 4.76, 5.07, 5.12 and 5.40 USD/h is 4.915.
    view = GEMMA.with_options(price_book="articles", price_terms="unstated")
    wide = line_of(scaling.answer(shipped, view))["replicas"][-1]
    assert wide["usd_per_million"] == pytest.approx(4.915 / (276 * 3600) * 1e6)
    assert wide["replicas_usd_per_million"] == pytest.approx(4.915 / (1260 * 3600) * 1e6)
    assert wide["extra_usd_per_million_tokens"] == pytest.approx(
        wide["usd_per_million"] - wide["replicas_usd_per_million"]
    )


def test_llama_grows_beyond_proportion_because_one_chip_has_no_room(shipped):
    answer = scaling.answer(shipped, LLAMA)
    line = line_of(answer)
    assert by_count(line, "efficiency")[2] == pytest.approx(2.61, abs=0.005)
    assert line["super_linear"] == [2, 4, 8]
    one, two = line["memory"][:2]
    assert (one["weights_gb"], one["memory_gb"], one["room_gb"], two["room_gb"]) == (70, 80, 10, 90)
    # 80 layers x 8 heads x 128 x 2 (K and V) in FP8 are 163,840 bytes a token.
    assert one["tokens"] == pytest.approx(10e9 / 163_840)
    assert any("261 %" in said and "70 of 80 GB" in said for said in answer.findings)
    assert line["replicas"][-1]["extra_usd_per_million_tokens"] < 0


def test_a_law_that_does_not_fit_predicts_no_peak(shipped):
    answer = scaling.answer(shipped, LLAMA)
    usl = line_of(answer)["usl"]
    assert usl["error"] > 0.1
    assert not usl["told"]
    assert not usl["peak"]["told"]
    assert not usl["peak"]["predicted"]
    assert any("follows no scaling law" in said for said in answer.findings)


@pytest.mark.parametrize("group", ["line", "accelerator", "engine", "model"])
def test_nothing_but_chips_layout_and_load_differs_along_a_line(shipped, group):
    this = scaling.defaults.prepared(shipped, View.of(options={"group": group}, whole=True))
    assert 1 < len(this.lines) <= lines.MOST_LINES
    for points in (one.kept.points for one in this.lines):
        for key in lines.ALIKE:
            assert len({row[key] for row in points}) == 1, key
        assert {row["evidence"] for row in points} == {"measured"}


def test_the_default_story_is_one_model_precision_and_workload(shipped):
    answer = scaling.answer(shipped, View())
    assert {"model", "precision", "isl", "osl"} <= dict(answer.view.where).keys()
    assert max(len(line["counts"]) for line in answer.numbers["lines"]) >= 4


def test_equal_interactivity_lies_between_two_points_and_is_worked_out_by_hand(tmp_path):
    # At sqrt(50 x 100) tokens/s per user: one chip sqrt(100 x 400) = 200, two chips sqrt(150 x 600) = 300.
    library = library_of(
        tmp_path, run(1, 100, 2, 10), run(1, 400, 8, 20), run(2, 150, 2, 10), run(2, 600, 8, 20)
    )
    answer = asked(library, at="interactivity", level=str(math.sqrt(5000)))
    line = line_of(answer)
    assert by_count(line, "throughput") == pytest.approx({1: 200, 2: 300})
    assert by_count(line, "efficiency") == pytest.approx({1: 1, 2: 0.75})
    assert by_count(line, "interpolated") == {1: True, 2: True}
    assert by_count(line, "tpot_ms") == {1: None, 2: None}
    assert any("Interpolated" in caveat for caveat in answer.caveats)


def test_equal_interactivity_is_the_default_where_it_is_measured_and_never_beyond_it(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 2, 10), run(1, 400, 8, 20), run(2, 150, 2, 10), run(2, 600, 8, 20)
    )
    answer = asked(library)
    assert answer.numbers["at"] == "interactivity"
    assert 50 < answer.numbers["level"] < 100
    beyond = asked(library, level="200")
    assert not beyond.numbers["lines"]
    assert "200 tokens/s per user" in beyond.headline
    assert "most share" in beyond.headline


def test_at_equal_load_replicas_share_the_wide_instances_users_too(tmp_path):
    library = library_of(
        tmp_path, run(1, 300, 8, 20), run(1, 400, 16, 30), run(2, 640, 16, 15, ttft_ms_p50=100)
    )
    [wide] = line_of(asked(library, at="concurrency", level="16"))["replicas"]
    assert (wide["replicas_throughput"], wide["total_load"], wide["ratio"]) == (800, 32, 1.25)
    assert wide["tpot_saved_ms"] == 15
    assert (wide["shared_throughput"], wide["shared_tpot_ms"]) == (600, 20)


def test_the_best_layout_of_a_count_is_taken_and_the_newest_run_of_each(tmp_path):
    library = library_of(
        tmp_path, run(1, 100), run(2, 150), run(2, 190, tp=1, pp=2),
        run(2, 900, tp=2, pp=1, date="2025-01-01"), run(2, 120, tp=2, pp=1, date="2026-01-01"),
    )  # fmt: skip
    answer = asked(library, at="concurrency")
    assert by_count(line_of(answer), "throughput") == {1: 100, 2: 190}
    assert line_of(answer)["counts"][1]["layout"]["pp"] == 2
    assert any("1 of other runs" in caveat for caveat in answer.caveats)


def test_of_repeats_the_middle_one_counts(tmp_path):
    repeats = [run(2, value, repeat=number) for number, value in enumerate((150, 170, 400), 1)]
    assert by_count(line_of(asked(library_of(tmp_path, run(1, 100, repeat=1), *repeats))), "throughput") == {
        1: 100,
        2: 170,
    }


def test_the_best_of_a_single_load_is_no_best(tmp_path):
    library = library_of(tmp_path, run(1, 900, 64), run(1, 300, 16), run(2, 100, 4))
    answer = asked(library, at="best")
    assert "two counts of chips" in answer.headline
    assert not answer.numbers["lines"]


def test_a_point_that_failed_most_of_its_requests_is_on_no_line(tmp_path):
    library = library_of(
        tmp_path, run(1, 1, requests_ok=10, requests_failed=90), run(2, 200), run(4, 300, requests_failed=1,
                                                                                 requests_ok=99),
    )  # fmt: skip
    answer = asked(library)
    assert by_count(line_of(answer), "throughput") == {2: 200, 4: 300}
    assert line_of(answer)["base"] == 2
    assert any("smallest measured chips, not from one" in caveat for caveat in answer.caveats)
    assert any("1 that failed most requests" in caveat for caveat in answer.caveats)


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
    assert line["replicas"] == []
    assert any(caveat.startswith("Disaggregated, so each count") for caveat in answer.caveats)


def test_a_disaggregated_deployment_is_compared_only_where_it_is_asked_for(tmp_path):
    library = library_of(tmp_path, run(4, 100, disaggregated=True), run(8, 190, disaggregated=True))
    answer = asked(library)
    assert not answer.numbers["lines"]
    assert "only disaggregated deployments" in answer.headline
    assert "disaggregated=true" in answer.headline
    every = asked(library, group="disaggregated")
    assert by_count(line_of(every), "efficiency") == pytest.approx({4: 1, 8: 0.95})


def test_where_nothing_can_be_compared_a_sentence_says_what_to_do(shipped):
    said = scaling.answer(shipped, View.of({"source": ["ibm-llm-pilot"], "model": ["mt0-xxl"]})).headline
    assert "two counts of chips" in said
    assert "choose another model" in said
    linked = GEMMA.with_options(at="interactivity").made_whole()
    at = scaling.answer(shipped, linked).headline
    assert "interactivity" in at
    assert "choose another way" in at


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
def test_a_chip_costs_what_the_cost_answer_says_it_costs(shipped, view):
    answer = scaling.answer(shipped, view)
    told = answer.numbers["prices"]
    assert told
    book, terms = (answer.view.option(key) for key in ("price_book", "price_terms"))
    for chip, price in told.items():
        own = view.with_where(accelerator=[chip]).with_options(price_book=book, price_terms=terms)
        found = cost.answer(shipped, own).numbers["deployments"][0]
        rented = [row for row in cost.rows(shipped, own).to_dict("records")
                  if row["point_id"] == found["point_id"] and not row["terms"].startswith("modelled")]  # fmt: skip
        assert price["usd_per_hour"] == statistics.median(row["usd_per_accelerator_hour"] for row in rented)
        assert price["quotes"] == len(rented)


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
                json.dumps(dict(answer.numbers), allow_nan=False)
                scaling.figure(answer, theme)


def test_the_chart_marks_what_is_measured_and_what_is_not(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA), LIGHT)
    line = next(trace for trace in drawn.data if trace.mode == "lines+markers+text")
    assert list(line.y) == [1260, 1675, 1996, 2208]
    assert list(line.text) == ["", "66.5 %", "39.6 %", ""]
    assert not any(str(symbol).endswith("-open") for symbol in line.marker.symbol)
    [open_] = [trace for trace in drawn.data if trace.y and list(trace.y) == [10080]]
    assert str(open_.marker.symbol[0]).endswith("-open")
    ideal = next(trace for trace in drawn.data if trace.line.dash == "dot" and trace.x[0])
    assert list(ideal.y) == [1260, 10080]


def test_memory_explains_no_more_than_the_room_grows():
    small, wide = (memory.room("llama-3.1-70b", "fp8", "fp8", "h100-sxm", chips) for chips in (1, 2))
    assert memory.explains(small, wide, 9.14)
    assert not memory.explains(small, wide, 12)
    assert memory.room("llama-3.1-70b", None, None, "h100-sxm", 1) is None
    assert not memory.explains(None, wide, 2)
    full = memory.room("llama-3.1-70b", "bf16", "bf16", "h100-sxm", 1)
    assert full is not None
    assert full.room_gb < 0
    assert full.tokens is None
    assert not memory.explains(full, wide, 2)


PLACES = st.lists(
    st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([1, 8, 64]), st.floats(1, 1e4), st.floats(1, 500)),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(max_examples=times(60, 12))
@given(PLACES, st.floats(1, 500))
def test_no_place_lies_outside_what_its_count_was_measured_at(found, level):
    points = [
        {"point_id": f"{place}", "accelerators": chips, "concurrency": load, "batch": None, "request_rate": None,
         "repeat": None, "layout": 0, "value": value, "seen": seen}
        for place, (chips, load, value, seen) in enumerate(found)
    ]  # fmt: skip
    for way, at in (("interactivity", level), ("concurrency", 8), ("best", None)):
        for place in operating.places(points, way, at, "seen"):
            own = [row["value"] for row in points if row["accelerators"] == place.accelerators]
            assert min(own) <= place.throughput <= max(own)
            assert place.interpolated == (len(place.point_ids) == 2)
    shared = operating.level_of([points], "interactivity", "seen")
    if shared is not None:
        assert len(operating.places(points, "interactivity", shared, "seen")) >= operating.FEWEST_COUNTS
        linked = float(defaults.written(shared))
        assert operating.coverage([points], "interactivity", linked, "seen") == operating.coverage(
            [points], "interactivity", shared, "seen"
        )
        assert len(operating.places(points, "interactivity", linked, "seen")) >= operating.FEWEST_COUNTS
