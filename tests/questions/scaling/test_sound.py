"""No efficiency without grounds: loads that stop short, far brackets, runs months apart, levels that are rounded."""

from __future__ import annotations

import pytest

from bench.chart import LIGHT
from bench.questions import scaling
from bench.questions.scaling import operating
from bench.view import View
from tests.questions.scaling.test_scaling import GEMMA, LLAMA, asked, by_count, library_of, line_of, run

MONTHS = {"date": "2025-12-19", "engine_version": ""}, {"date": "2026-03-23", "engine_version": ""}


def deepseek(precision, isl, osl, **options):
    return View.of({"model": ["deepseek-r1"], "precision": [precision], "isl": [isl], "osl": [osl]}, options)


def test_a_peak_inside_the_sweep_is_a_best_load(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 140, 128), run(4, 500, 512), run(4, 80, 4)
    )  # fmt: skip
    answer = asked(library, at="best")
    line = line_of(answer)
    assert by_count(line, "efficiency") == pytest.approx({1: 1, 2: 0.75})
    assert (line["measured_elsewhere"], line["still_rising"]) == ([4], [4])
    assert any("still rising" in caveat and "on 4" in caveat for caveat in answer.caveats)
    assert any("far apart per chip: 8 on 1 and 64 on 2" in caveat for caveat in answer.caveats)
    assert "each at its best load" in answer.headline


def test_counts_swept_up_to_the_same_load_per_chip_are_compared_and_it_is_said(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 180, 16), run(2, 150, 8), run(2, 300, 32), run(4, 200, 8), run(4, 360, 32)
    )  # fmt: skip
    answer = asked(library, at="best")
    assert by_count(line_of(answer), "throughput") == {1: 180, 2: 300, 4: 360}
    assert any("may still rise" in caveat for caveat in answer.caveats)
    further = library_of(
        tmp_path / "further", run(1, 100, 8), run(1, 180, 64), run(2, 150, 8), run(2, 300, 32)
    )
    assert not asked(further, at="best").numbers["lines"]


def test_a_lower_throughput_at_a_higher_load_in_another_layout_shows_no_peak(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 20, 32), run(2, 60, 512, tp=1, pp=2)
    )  # fmt: skip
    line = line_of(asked(library, at="best"))
    assert (by_count(line, "efficiency"), line["still_rising"]) == ({1: None}, [2])


@pytest.mark.parametrize(("precision", "isl", "osl"), [("fp8", 1024, 1024), ("fp8", 8192, 1024), ("fp4", 8192, 1024),
                                                       ("fp4", 1024, 8192)])  # fmt: skip
@pytest.mark.parametrize("way", ["best", "interactivity"])
def test_the_shipped_sweeps_that_stop_at_unlike_loads_give_no_efficiency(shipped, precision, isl, osl, way):
    answer = scaling.answer(shipped, deepseek(precision, isl, osl, at=way).made_whole())
    for line in answer.numbers["lines"]:
        assert not line["deployment"]["disaggregated"]
        assert all(efficiency is None for efficiency in by_count(line, "efficiency").values())
    assert "cannot be told" in answer.headline or "No two counts" in answer.headline


def test_a_count_between_far_loads_is_named_and_never_a_finding(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 3, 10), run(1, 400, 102, 20), run(2, 500, 2, 10), run(2, 900, 8, 20)
    )  # fmt: skip
    answer = asked(library, at="interactivity", level="70")
    line = line_of(answer)
    assert by_count(line, "efficiency") == {1: None, 2: None}
    assert line["super_linear"] == []
    assert "on one chip between concurrency 3 and 102" in answer.headline
    assert "cannot be told" in answer.headline
    assert answer.rows["scaling_efficiency"].isna().all()


def test_a_count_between_near_loads_is_told_with_them(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 2, 10), run(1, 400, 8, 20), run(2, 150, 4, 10), run(2, 600, 16, 20), run(4, 900, 4, 10),
        run(4, 990, 64, 20),
    )  # fmt: skip
    answer = asked(library, at="interactivity", level="70")
    efficiency = by_count(line_of(answer), "efficiency")
    assert (efficiency[1], efficiency[4]) == (1, None)
    assert "2 chips give" in answer.headline
    [said] = [said for said in answer.findings if "interpolated" in said]
    assert "on 2 chips between concurrency 4 and 16" in said
    assert said.endswith("too far apart to judge 4.")


def test_counts_of_runs_months_apart_make_no_headline(tmp_path):
    answer = asked(library_of(tmp_path, run(1, 100, **MONTHS[0]), run(2, 300, **MONTHS[1])), at="concurrency")
    assert "2025-12-19" in answer.headline
    assert "2026-03-23" in answer.headline
    assert "cannot be told" in answer.headline
    assert line_of(answer)["super_linear"] == []
    assert any("2025-12-19" in caveat for caveat in answer.caveats)


def test_one_run_is_taken_where_it_has_two_counts(tmp_path):
    early, late = MONTHS
    rows = [run(1, 100, **early), run(2, 150, **early), run(2, 300, **late), run(4, 900, **late, tp=2, dp=2)]
    assert by_count(line_of(asked(library_of(tmp_path, run(4, 330, **early), *rows))), "throughput") == {
        1: 100, 2: 150, 4: 330,
    }  # fmt: skip
    answer = asked(library_of(tmp_path / "two", *rows))
    assert by_count(line_of(answer), "throughput") == {2: 300, 4: 900}
    assert any("only in another run" in caveat and "on 1" in caveat for caveat in answer.caveats)


def test_a_stated_version_joins_runs_and_no_frontier_does(tmp_path):
    early, late = ({**day, "engine_version": "0.7"} for day in MONTHS)
    library = library_of(tmp_path, run(1, 100, **early), run(2, 150, **late), run(2, 999, 16, tp=1, dp=2, **early),
                         run(4, 300, **late))  # fmt: skip
    this = scaling.defaults.prepared(library, View.of({"source": ["made"]}))
    [kept] = [one.kept for one in this.lines]
    assert kept.apart == ()
    for own in operating.counts_of(kept.points).values():
        assert len({row["date"] for row in own}) == 1
    assert {int(row["accelerators"]) for row in kept.points} == {1, 2, 4}


def test_the_end_of_a_frontier_survives_its_link(shipped):
    answer = scaling.answer(shipped, View.of({"accelerator": ["mi355x"]}))
    assert float(answer.view.option("level")) == answer.numbers["level"]
    again = scaling.answer(shipped, View.from_query(answer.view.query()))
    assert again.headline == answer.headline
    assert "with all else equal" not in answer.headline
    [line] = answer.numbers["lines"]
    assert list(by_count(line, "throughput")) == [4, 8]


def test_a_level_no_two_counts_reach_is_the_reason_told(tmp_path):
    library = library_of(
        tmp_path, run(1, 100, 2, 10), run(1, 400, 8, 20), run(2, 150, 2, 10), run(2, 600, 8, 20)
    )
    answer = asked(library, at="interactivity", level="68000")
    assert "at 68,000 tokens/s per user" in answer.headline
    assert "all else equal" not in answer.headline


def test_the_why_holds_the_inputs_of_the_first_line(shipped):
    view = View.of({"model": ["gemma-4-31b"], "isl": ["512"], "osl": ["256"]},
                   {"price_book": "articles", "price_terms": "unstated"})  # fmt: skip
    inputs = {row.what: row.inputs for row in scaling.answer(shipped, view).why}
    assert "(2,208 / 1,260 tokens/s) / (8 / 1) = 0.219" in inputs["Efficiency"]
    assert "8 / 1 x 1,260 = 10,080" in inputs["Replicas (projected)"]
    assert "s = 0.509" in inputs["Amdahl's law"]
    assert "κ = 0.000472" in inputs["Universal Scalability Law"]
    assert "80 - 62" in inputs["Room for KV cache"] or "80 - " in inputs["Room for KV cache"]
    [cost] = [
        text for what, text in inputs.items() if "USD" in text and "per chip" in text and "H100" in text
    ]
    assert "4.92" in cost or "4.91" in cost


def test_fitted_laws_are_drawn_over_the_measured_counts_and_named(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA), LIGHT)
    curves = {trace.line.dash: trace for trace in drawn.data if trace.line.width == 1.1}
    assert set(curves) == {"dash", "longdashdot"}
    for curve in curves.values():
        assert (curve.x[0], curve.x[-1]) == pytest.approx((1, 8))
        assert curve.y[0] == pytest.approx(1260, rel=0.01)
        assert curve.y[-1] == pytest.approx(2208, rel=0.01)
    named = {trace.name for trace in drawn.data if trace.showlegend is not False}
    assert {"Amdahl's law, fitted", "Universal Scalability Law, fitted"} <= named


def test_a_law_that_does_not_fit_is_not_drawn(shipped):
    answer = scaling.answer(shipped, LLAMA)
    assert answer.numbers["lines"][0]["usl"]["curve"] == []
    assert not [trace for trace in scaling.figure(answer, LIGHT).data if trace.line.width == 1.1]


def test_a_law_goes_on_dotted_only_to_a_peak_that_is_sure(tmp_path):
    # sigma 0.05 and kappa 0.004: the peak is at sqrt(0.95 / 0.004) = 15.4 chips, 12 are measured.
    counts = (1, 2, 3, 4, 6, 8, 12)
    library = library_of(tmp_path, *(
        run(n, 500 * n / (1 + 0.05 * (n - 1) + 0.004 * n * (n - 1)) * (1.001 if n % 2 else 0.999)) for n in counts
    ))  # fmt: skip
    answer = asked(library)
    peak = line_of(answer)["usl"]["peak"]
    assert peak["low"] < 15.4 < peak["high"]
    drawn = scaling.figure(answer, LIGHT)
    [beyond] = [trace for trace in drawn.data if trace.line.dash == "1px,4px" and trace.x[0]]
    assert (beyond.x[0], beyond.x[-1]) == pytest.approx((12, peak["count"]))
    assert 10 ** drawn.layout.xaxis.range[1] > peak["count"]
    assert any("peak by the law" in note.text for note in drawn.layout.annotations)
    assert any("95 % interval" in said and "beyond the measured 12" in said for said in answer.findings)
