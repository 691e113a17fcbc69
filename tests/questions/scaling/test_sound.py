"""No efficiency without grounds: loads that stop short, far brackets, runs months apart, levels that are rounded."""

from __future__ import annotations

import pytest

from bench.basis import prices
from bench.chart import LIGHT
from bench.questions import scaling
from bench.view import View
from tests.questions.heatmap.results import flag
from tests.questions.saying import headline, kinds, said
from tests.questions.scaling.asking import (
    FOUR,
    GEMMA,
    LLAMA,
    MONTHS,
    asked,
    by_count,
    deepseek,
    library_of,
    line_of,
    run,
)


def test_a_peak_inside_the_sweep_is_a_best_load(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 140, 128), run(4, 500, 512), run(4, 80, 4)
    )
    answer = asked(library, at="best")
    line = line_of(answer)
    assert by_count(line, "efficiency") == pytest.approx({1: 1, 2: 0.75})
    assert [(one.reason, one.accelerators) for one in answer.result.absent] == [("rising", (4,))]
    assert "absent_rising" in kinds(answer, "caveat")
    assert said(answer, "loads_apart") == {"1": 8, "2": 64}
    assert (headline(answer)[0], answer.result.way) == ("efficiency", "best")


def test_counts_swept_up_to_the_same_load_per_chip_are_compared_and_it_is_said(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 180, 16), run(2, 150, 8), run(2, 300, 32), run(4, 200, 8), run(4, 360, 32)
    )
    answer = asked(library, at="best")
    assert by_count(line_of(answer), "throughput") == {1: 180, 2: 300, 4: 360}
    assert "may_rise" in kinds(answer, "caveat")
    further = library_of(tmp_path / "further", run(1, 100, 8), run(1, 180, 64), run(2, 150, 8), run(2, 300, 32))
    assert not asked(further, at="best").result.lines


def test_a_lower_throughput_at_a_higher_load_in_another_layout_shows_no_peak(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 20, 32), run(2, 60, 512, tp=1, pp=2)
    )
    answer = asked(library, at="best")
    assert by_count(line_of(answer), "efficiency") == {1: None}
    assert [(one.reason, one.accelerators) for one in answer.result.absent] == [("rising", (2,))]


@pytest.mark.parametrize(
    ("precision", "isl", "osl"), [("fp8", 1024, 1024), ("fp8", 8192, 1024), ("fp4", 8192, 1024), ("fp4", 1024, 8192)]
)
@pytest.mark.parametrize("way", ["best", "interactivity"])
def test_the_shipped_sweeps_that_stop_at_unlike_loads_give_no_efficiency(shipped, precision, isl, osl, way):
    answer = scaling.answer(shipped, deepseek(precision, isl, osl, at=way).made_whole())
    for line in answer.result.lines:
        assert not line.facts.disaggregated
        assert all(efficiency is None for efficiency in by_count(line, "efficiency").values())
    kind, values = headline(answer)
    assert kind in ("far_loads", "runs_apart", "nothing")
    assert values.get("why", "counts") in ("counts", "shared_load", "best", "level")


def test_a_count_between_far_loads_is_named_and_never_a_finding(tmp_path):
    library = library_of(tmp_path, run(1, 100, 3, 10), run(1, 400, 102, 20), run(2, 500, 2, 10), run(2, 900, 8, 20))
    answer = asked(library, at="interactivity", level="70")
    line = line_of(answer)
    assert by_count(line, "efficiency") == {1: None, 2: None}
    assert line.beyond_linear == []
    assert [one.load for one in line.places[0].between] == [3, 102]
    assert kinds(answer, "headline", "finding") == ["far_loads", "interpolated"]
    assert answer.rows["scaling_efficiency"].isna().all()


def test_a_count_between_near_loads_is_told_with_them(tmp_path):
    library = library_of(
        tmp_path,
        run(1, 100, 2, 10),
        run(1, 400, 8, 20),
        run(2, 150, 4, 10),
        run(2, 600, 16, 20),
        run(4, 900, 4, 10),
        run(4, 990, 64, 20),
    )
    answer = asked(library, at="interactivity", level="70")
    efficiency = by_count(line_of(answer), "efficiency")
    assert (efficiency[1], efficiency[4]) == (1, None)
    assert said(answer, "efficiency")["accelerators"] == 2
    places = line_of(answer).places
    assert [[one.load for one in place.between] for place in places[1:]] == [[4, 16], [4, 64]]
    assert [place.accelerators for place in places if not place.is_near] == [4]
    assert {"interpolated", "far_apart"} <= {*kinds(answer, "finding")}


def test_counts_of_runs_months_apart_make_no_headline(tmp_path):
    answer = asked(library_of(tmp_path, run(1, 100, **MONTHS[0]), run(2, 300, **MONTHS[1])), at="concurrency")
    assert kinds(answer, "headline") == ["runs_apart"]
    assert "runs_apart" in kinds(answer, "caveat")
    assert [(chips, str(day)) for chips, day in line_of(answer).apart] == [(1, "2025-12-19"), (2, "2026-03-23")]
    assert line_of(answer).beyond_linear == []


def test_one_run_is_taken_where_it_has_two_counts(tmp_path):
    early, late = MONTHS
    rows = [run(1, 100, **early), run(2, 150, **early)]
    alone = asked(library_of(tmp_path, *rows, run(4, 900, **late)))
    assert by_count(line_of(alone), "throughput") == {1: 100, 2: 150}
    answer = asked(library_of(tmp_path / "two", *rows, run(2, 300, **late), run(4, 900, **late)))
    assert by_count(line_of(answer), "throughput") == {2: 300, 4: 900}
    assert said(answer, "other_runs") == {"points": 1}
    assert line_of(answer).elsewhere == (1,)


def test_a_stated_version_joins_runs_and_each_layout_is_of_its_newest(tmp_path):
    early, late = (
        {**day, "engine_version": "0.7", "source_url": f"https://example.org/{day['date']}"} for day in MONTHS
    )
    library = library_of(
        tmp_path,
        run(1, 100, **early),
        run(2, 150, **late),
        run(2, 900, **early),
        run(2, 170, tp=1, dp=2, **early),
        run(4, 300, **late),
    )
    answer = scaling.answer(library, View.of({"source": ["made"]}, {"at": "concurrency"}))
    [line] = answer.result.lines
    assert line.apart == ()
    # 900 is of an older run of the deployment that gave 150; 170 of the newest of its own layout.
    assert by_count(line, "throughput") == {1: 100, 2: 170, 4: 300}
    assert answer.result.tally.of("older run") == 1


def test_the_end_of_a_frontier_survives_its_link(tmp_path):
    # Both counts were measured at 1000 / 17 tokens/s per user alone.
    library = library_of(tmp_path, run(1, 100, 2, 10), run(1, 400, 8, 17), run(2, 500, 8, 17), run(2, 900, 32, 30))
    answer = asked(library, at="interactivity")
    assert answer.result.level == 1000 / 17
    assert float(answer.view.option("level")) == answer.result.level
    again = scaling.answer(library, View.from_query(answer.view.query()))
    assert again.headline == answer.headline
    assert list(by_count(line_of(again), "throughput")) == [1, 2]


def test_the_best_within_a_limit_is_known_where_a_higher_load_breaks_it(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8, 10), run(1, 180, 64, 90), run(2, 150, 8, 10), run(2, 250, 32, 30), run(2, 300, 64, 95)
    )
    view = View.of({"source": ["made"]}, {"at": "best"}, slo=["tpot_ms_p50<=50"])
    answer = scaling.answer(library, view)
    assert by_count(line_of(answer), "throughput") == {1: 100, 2: 250}
    assert answer.result.tally.of("beyond_limit") == 2
    assert said(answer, "limits") == {"many": 1}


def test_a_headline_says_how_few_points_state_what_a_limit_is_on(tmp_path):
    library = library_of(tmp_path, run(1, 100, 8, 10), run(2, 150, 8, 10), run(4, 300, 8))
    answer = scaling.answer(library, View.of({"source": ["made"]}, slo=["tpot_ms_p50<=50"]))
    assert by_count(line_of(answer), "throughput") == {1: 100, 2: 150}
    values = said(answer, "efficiency")
    assert (values["stating"], values["of"]) == (2, 3)


def test_a_point_that_a_flag_excludes_is_drawn_hollow_and_on_no_line(tmp_path):
    library = library_of(tmp_path, run(1, 100), run(2, 150), run(2, 9000, tp=1, dp=2, flags=flag("implausible")))
    answer = asked(library, at="concurrency")
    assert by_count(line_of(answer), "throughput") == {1: 100, 2: 150}
    assert [one.value for one in answer.result.hollow] == [9000]
    assert answer.result.tally.of("flagged") == 1
    assert answer.rows["scaling_efficiency"].isna().sum() == 1


def test_the_verdict_holds_within_one_percent_and_else_says_what_is_given(tmp_path):
    flags = flag("methodology")
    rows = [run(1, 100), run(2, 150), run(2, 151, tp=1, dp=2, flags=flags)]
    answer = asked(library_of(tmp_path, *rows))
    assert said(answer, "efficiency")["speedup"] == 1.51
    held = scaling.robustness(library_of(tmp_path / "same", *rows), answer.view)
    assert (held.ways, held.holding) == (2, 2)
    library = library_of(tmp_path / "other", *rows, run(2, 180, tp=1, pp=2, flags=flags))
    answer = asked(library)
    found = scaling.robustness(library, answer.view)
    assert (found.ways, found.holding) == (2, 1)
    assert [(one.code, one.words) for _, one in found.otherwise] == [("2 0.75", "2 H100 SXM give 1.50 times")]


def test_a_level_no_two_counts_reach_is_the_reason_told(tmp_path):
    library = library_of(tmp_path, *(run(*one) for one in FOUR))
    answer = asked(library, at="interactivity", level="68000")
    assert headline(answer) == ("nothing", {"why": "level", "used": 4})
    assert answer.result.level == 68000


def test_the_why_holds_the_inputs_of_the_first_line(shipped):
    view = View.of(
        {"model": ["gemma-4-31b"], "isl": ["512"], "osl": ["256"]},
        {"price_book": "articles", "price_terms": "unstated"},
    )
    inputs = {row.what: row.inputs for row in scaling.answer(shipped, view).why}
    assert "(2,208 / 1,260 tokens/s) / (8 / 1) = 0.219" in inputs["Efficiency"]
    assert "8 / 1 x 1,260 = 10,080" in inputs["Replicas (projected)"]
    assert "s = 0.509" in inputs["Amdahl's law"]
    assert "Universal Scalability Law" not in inputs  # one degree of freedom
    assert "80 - " in inputs["Room for KV cache"]
    price = prices.chip_prices(shipped, prices.read(shipped, view))["h100-sxm"]
    assert inputs["Cost per million output tokens"].startswith(f"H100 SXM on 8 chips: {price.usd:.2f} / (276 x 1 x")


def test_fitted_laws_are_drawn_over_the_measured_counts_and_named(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA).result, LIGHT)
    [curve] = [trace for trace in drawn.data if trace.line.width == 1.1]
    assert curve.line.dash == "dash"
    assert (curve.x[0], curve.x[-1]) == pytest.approx((1, 8))
    assert curve.y[0] == pytest.approx(1260, rel=0.01)
    assert curve.y[-1] == pytest.approx(2208, rel=0.01)
    assert "Amdahl's law, fitted" in {trace.name for trace in drawn.data if trace.showlegend is not False}


def test_a_law_that_does_not_fit_is_not_drawn(shipped):
    answer = scaling.answer(shipped, LLAMA)
    assert answer.result.lines[0].laws == ()
    assert not [trace for trace in scaling.figure(answer.result, LIGHT).data if trace.line.width == 1.1]


def test_a_law_goes_on_dotted_only_to_a_peak_that_is_sure(tmp_path):
    # sigma 0.05 and kappa 0.004: the peak is at sqrt(0.95 / 0.004) = 15.4 chips, 12 are measured.
    counts = (1, 2, 3, 4, 6, 8, 12)
    library = library_of(
        tmp_path,
        *(run(n, 500 * n / (1 + 0.05 * (n - 1) + 0.004 * n * (n - 1)) * (1.001 if n % 2 else 0.999)) for n in counts),
    )
    answer = asked(library)
    peak = line_of(answer).usl.predicted
    assert peak.low < 15.4 < peak.high
    drawn = scaling.figure(answer.result, LIGHT)
    [beyond] = [trace for trace in drawn.data if trace.line.dash == "1px,4px" and trace.x[0]]
    assert (beyond.x[0], beyond.x[-1]) == pytest.approx((12, peak.count))
    assert 10 ** drawn.layout.xaxis.range[1] > peak.count
    assert beyond.text[-1].startswith("peak by the law")
    assert said(answer, "law")["peak"] == peak.count
    assert "peak" in kinds(answer, "finding")
