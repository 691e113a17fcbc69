"""The Scaling question: published figures and small cases by hand, nothing mixed in a line, nothing extrapolated."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.basis import prices
from bench.basis.points import PointFacts
from bench.chart import DARK, LIGHT
from bench.cli.asking import document
from bench.cli.output import plain
from bench.errors import UnknownName, UsageError
from bench.questions import scaling
from bench.questions.scaling import lines, measured, operating
from bench.questions.scaling.result import STARVED, ScalingPoint
from bench.view import View
from tests.questions.saying import kinds, said, tells
from tests.questions.scaling.asking import BOTH, GEMMA, LLAMA, by_count, line_of
from tests.thorough import some, times


def test_gemma_on_one_to_eight_h100(shipped):
    answer = scaling.answer(shipped, GEMMA)
    [line] = answer.result.lines
    assert (answer.result.way, answer.result.level) == ("concurrency", 128)
    assert by_count(line, "throughput") == {1: 1260, 2: 1675, 4: 1996, 8: 2208}
    percent = {chips: round(100 * value, 1) for chips, value in by_count(line, "efficiency").items()}
    assert percent == {1: 100, 2: 66.5, 4: 39.6, 8: 21.9}
    wide = line.replicas[-1]
    assert (wide.against.throughput_per_accelerator, wide.against.replicas_throughput_per_accelerator) == (276, 1260)
    assert (wide.each_load, wide.shared_throughput) == (128, None)
    each = {"ratio": 10080 / 2208, "throughput": 2208, "replicas_throughput": 10080, "total": 1024}
    growth = {"efficiency": 2208 / 1260 / 8, "speedup": 2208 / 1260, "accelerators": 8, "base": 1}
    unknown = {"load": 128, "each": 16, "base": 1}
    tells(answer, {"efficiency": growth, "replicas_loaded": each, "shared_unknown": unknown})
    assert "projected" in kinds(answer, "caveat")
    # Of Gemma alone the same is told, though it is another story than that of other pages.
    alone = scaling.answer(shipped, View.of({"model": ["gemma-4-31b"]}))
    assert alone.result == answer.result
    assert said(alone, "other_story") == {"odd": False}


def test_a_law_of_four_counts_is_told_where_it_fits_and_predicts_no_peak(shipped):
    answer = scaling.answer(shipped, GEMMA)
    line = line_of(answer)
    assert line.law.contention == pytest.approx(0.509, abs=0.001)
    # Four counts leave one degree of freedom: too few to say that the other law holds, or that there is a peak at all.
    assert line.is_amdahl
    assert line.law.predicted is None
    assert said(answer, "law")["contention"] == line.law.contention
    assert "law_peak" not in kinds(answer)


def test_what_the_wide_instance_costs_more_at_the_articles_prices(shipped):
    # One provider each quotes 2.49, 3.29, 4.76, 5.07, 5.12 and 5.40 USD/h; or as the basis counts them.
    view = GEMMA.with_options(price_book="articles", price_terms="unstated")
    price = prices.chip_prices(shipped, prices.read(shipped, view))["h100-sxm"].usd
    answer = scaling.answer(shipped, view)
    wide = line_of(answer).replicas[-1].against
    assert wide.usd_per_million == pytest.approx(price / (276 * 3600) * 1e6)
    assert wide.replicas_usd_per_million == pytest.approx(price / (1260 * 3600) * 1e6)
    usd = {"wide": wide.usd_per_million, "replicas": wide.replicas_usd_per_million}
    tells(answer, {"wide_cost": {"metric": "usd_per_million_output_tokens", **usd}})
    half = line_of(scaling.answer(shipped, view.with_options(utilisation="0.5"))).replicas[-1].against
    assert half.usd_per_million == pytest.approx(2 * wide.usd_per_million)
    assert half.ratio == wide.ratio


def test_llama_grows_beyond_proportion_because_one_chip_has_no_room(shipped):
    answer = scaling.answer(shipped, LLAMA)
    line = line_of(answer)
    assert by_count(line, "efficiency")[2] == pytest.approx(2.61, abs=0.005)
    assert [place.accelerators for place in line.beyond_linear] == [2, 4, 8]
    one, two = map(line.room, line.places[:2])
    # 2 x 128,256 x 8,192 weights of 2 bytes, the rest of 1 with a scale of 4 for each 128 x 128, are 67.2 GiB of the 80
    # that an H100 has at most.
    kept = 2 * 128_256 * 8192
    weights = 2 * kept + (70e9 - kept) * (1 + 4 / 128**2)
    assert (one.memory_gib, two.memory_gib) == (80, 160)
    assert one.weights_gib == pytest.approx(weights / 2**30)
    # 80 layers x 8 heads x 128 x 2 (K and V) in FP8 are 163,840 bytes a token.
    assert one.tokens == pytest.approx((80 * 2**30 - weights) / 163_840)
    growth = {"accelerators": 2, "base": 1, "efficiency": 2.61, "room": two.room_gib / one.room_gib}
    tells(answer, {"beyond_linear_room": {**growth, "weights_gib": one.weights_gib, "memory_gib": 80}})
    against = line.replicas[-1].against
    assert against.usd_per_million < against.replicas_usd_per_million


def test_a_starved_line_is_explained_and_makes_no_headline_where_another_does(shipped):
    answer = scaling.answer(shipped, BOTH)
    first, values = answer.result.steps[0], said(answer, "efficiency")
    assert (first.facts.accelerator, values["accelerators"], values["base"]) == ("h200-sxm", 8, 1)
    assert (round(values["speedup"], 2), round(values["efficiency"], 3)) == (4.67, 0.584)
    growth = said(answer, "beyond_linear_room")
    assert (growth["accelerators"], round(growth["speedup"], 2), round(growth["efficiency"], 2)) == (2, 5.23, 2.61)
    starved = [line.is_starved for line in answer.result.steps]
    assert starved == sorted(starved)
    assert not scaling.answer(shipped, View()).result.steps[0].is_starved


@pytest.mark.parametrize("group", some(["line", "accelerator", "engine", "model"], 2))
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at": "luck"}, "luck"),
        ({"metric": "beauty"}, "beauty"),
        ({"group": "owner"}, "owner"),
        # A way no two counts can be compared in is told with those that can.
        ({"at": "interactivity"}, "interactivity.*concurrency"),
        ({"at": "batch"}, "batch.*concurrency"),
        *(({"level": value}, "level=") for value in ("-1", "0", "nan", "1e999", "many")),
        ({"price_book": "mine"}, "mine.*articles"),
        ({"price_book": "articles", "price_terms": "spot"}, "articles.*spot"),
    ],
)
def test_an_option_that_cannot_be_is_named(shipped, options, words):
    with pytest.raises((UnknownName, UsageError), match=words):
        scaling.answer(shipped, GEMMA.with_options(**options))


@pytest.mark.parametrize("model", some(["gemma-4-31b", "deepseek-r1", "llama-13b"], 1))
def test_every_way_of_every_group_is_answered_in_plain_json_and_drawn(shipped, model):
    view = View.of({"model": [model]})
    offered = scaling.choices(shipped, view)
    ways, groups = ([value for value, _ in offered[key]] for key in ("at", "group"))
    for way in ways:
        for group, theme in zip(some(groups, 2), itertools.cycle((LIGHT, DARK)), strict=False):
            answer = scaling.answer(shipped, view.with_options(at=way, group=group))
            assert answer.headline.endswith(".")
            json.dumps(plain(document(answer)), allow_nan=False)
            scaling.figure(answer.result, theme)


def test_the_chart_marks_what_is_measured_and_what_is_not(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA).result, LIGHT)
    line = next(trace for trace in drawn.data if trace.mode == "lines+markers")
    assert list(line.y) == [1260, 1675, 1996, 2208]
    named = [trace for trace in drawn.data if trace.mode == "text"]
    for told, wanted in zip(named, ["H100 SXM 21.9 %", "66.5 %", "39.6 %"], strict=True):
        assert [re.sub(r"<[^>]*>", "", text).strip() for text in told.text] == [wanted] * 3
        assert told.legendgroup == line.legendgroup
        assert "--from:700" in told.text[-1]
        assert "--until:1100" in told.text[-1]
    assert not any(str(symbol).endswith("-open") for symbol in line.marker.symbol)
    open_ones = [trace for trace in drawn.data if trace.mode == "markers" and trace.customdata]
    assert [list(trace.y) for trace in open_ones] == [[2520, 5040, 10080], [10080]]
    assert all(str(symbol).endswith("-open") for trace in open_ones for symbol in trace.marker.symbol)
    ideal = next(trace for trace in drawn.data if trace.line.dash == "dot" and trace.x[0])
    assert list(ideal.y) == [1260, 10080]
    upper, lower = drawn.layout.xaxis, drawn.layout.xaxis2
    assert (upper.domain, upper.range, upper.tickvals) == (lower.domain, lower.range, lower.tickvals)


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


def test_of_several_models_the_verdict_names_the_one_it_is_about(shipped):
    models = ["gpt-oss-120b", "llama-3.1-405b", "mixtral-8x7b"]
    assert said(scaling.answer(shipped, View.of({"model": models})), "efficiency_of_model")["model"] == "mixtral-8x7b"
