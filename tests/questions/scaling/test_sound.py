"""No efficiency without grounds: loads that stop short, far brackets, runs months apart, levels that are rounded."""

from __future__ import annotations

import pytest

from bench.basis import prices
from bench.chart import LIGHT
from bench.questions import scaling
from bench.view import View
from tests.questions.heatmap.results import flag, library_of_cases
from tests.questions.saying import headline, kinds, said
from tests.questions.scaling.asking import FOUR, GEMMA, LLAMA, MONTHS, by_count, line_of, run
from tests.thorough import some

COUNTS = (1, 2, 3, 4, 6, 8, 12)
DOUBTED = [run(1, 100), run(2, 150), run(2, 151, tp=1, dp=2, flags=flag("methodology"))]
CASES = {
    "four": [run(*one) for one in FOUR],
    "far": [run(1, 100, 3, 10), run(1, 400, 102, 20), run(2, 500, 2, 10), run(2, 900, 8, 20)],
    "near": [
        *(run(*one) for one in ((1, 100, 2, 10), (1, 400, 8, 20), (2, 150, 4, 10), (2, 600, 16, 20))),
        *(run(*one) for one in ((4, 900, 4, 10), (4, 990, 64, 20))),
    ],
    "months": [run(1, 100, **MONTHS[0]), run(2, 300, **MONTHS[1])],
    # Both counts were measured at 1000 / 17 tokens/s per user alone.
    "one-level": [run(1, 100, 2, 10), run(1, 400, 8, 17), run(2, 500, 8, 17), run(2, 900, 32, 30)],
    "disaggregated": [run(4, 100, disaggregated=True), run(8, 190, disaggregated=True)],
    "doubted": DOUBTED,
    "doubted-and-more": [*DOUBTED, run(2, 180, tp=1, pp=2, flags=flag("methodology"))],
    # sigma 0.05 and kappa 0.004: the peak is at sqrt(0.95 / 0.004) = 15.4 chips, 12 are measured.
    "law": [run(n, 500 * n / (1 + 0.05 * (n - 1) + 0.004 * n * (n - 1)) * (1.001 if n % 2 else 0.999)) for n in COUNTS],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return library_of_cases(tmp_path_factory.mktemp("sound"), CASES)


def asked(made, name, where=None, **options):
    return scaling.answer(made, View.of({"source": [name], **(where or {})}, options))


@pytest.mark.parametrize(
    ("precision", "isl", "osl", "way"),
    some([("fp8", 8192, 1024, "best"), ("fp4", 8192, 1024, "interactivity"), ("fp4", 1024, 8192, "best")], 2),
)
def test_the_shipped_sweeps_that_stop_at_unlike_loads_give_no_efficiency(shipped, precision, isl, osl, way):
    where = {"model": ["deepseek-r1"], "precision": [precision], "isl": [isl], "osl": [osl]}
    answer = scaling.answer(shipped, View.of(where, {"at": way}, whole=True))
    for line in answer.result.lines:
        assert not line.facts.disaggregated
        assert all(efficiency is None for efficiency in by_count(line, "efficiency").values())
    kind, _ = headline(answer)
    assert kind in ("far_loads", "nothing_counts", "nothing_shared_load", "nothing_best", "nothing_level")


def test_a_count_between_far_loads_is_named_and_never_a_finding(made):
    answer = asked(made, "far", at="interactivity", level="70")
    line = line_of(answer)
    assert by_count(line, "efficiency") == {1: None, 2: None}
    assert line.beyond_linear == []
    assert [one.load for one in line.places[0].between] == [3, 102]
    assert kinds(answer, "headline", "finding") == ["far_loads"]
    assert {"low": 3, "high": 102, "accelerators": 1} in said(answer, "interpolated")["brackets"]
    assert answer.rows["scaling_efficiency"].isna().all()


def test_a_count_between_near_loads_is_told_with_them(made):
    answer = asked(made, "near", at="interactivity", level="70")
    efficiency = by_count(line_of(answer), "efficiency")
    assert (efficiency[1], efficiency[4]) == (1, None)
    assert said(answer, "efficiency")["accelerators"] == 2
    places = line_of(answer).places
    assert [[one.load for one in place.between] for place in places[1:]] == [[4, 16], [4, 64]]
    assert [place.accelerators for place in places if not place.is_near] == [4]


def test_counts_of_runs_months_apart_make_no_headline(made):
    answer = asked(made, "months", at="concurrency")
    assert headline(answer) == ("nothing_counts", {"used": 2})
    assert not answer.result.lines


def test_the_end_of_a_frontier_survives_its_link(made):
    answer = asked(made, "one-level", at="interactivity")
    assert float(answer.view.option("level")) == answer.result.level == 1000 / 17
    again = scaling.answer(made, View.from_query(answer.view.query()))
    assert again.statements == answer.statements
    assert list(by_count(line_of(again), "throughput")) == [1, 2]


def test_equal_interactivity_is_the_default_where_it_is_measured_and_never_beyond_it(made):
    answer = asked(made, "four")
    assert answer.result.way == "interactivity"
    assert 50 < answer.result.level < 100
    assert all(place.between and place.figure(answer.result.tpot) is None for place in line_of(answer).places)
    beyond = asked(made, "four", level="200")
    assert not beyond.result.lines
    assert headline(beyond)[0] == "nothing_other_level"
    assert beyond.result.level == 200
    assert 50 < beyond.result.common < 100


def test_a_disaggregated_deployment_is_compared_only_where_it_is_asked_for_and_has_no_replicas(made):
    unasked = asked(made, "disaggregated")
    assert not unasked.result.lines
    assert unasked.result.tally.of("disaggregated") == 2
    for answer in (
        asked(made, "disaggregated", group="disaggregated"),
        asked(made, "disaggregated", {"disaggregated": ["true"]}),
    ):
        assert by_count(line_of(answer), "efficiency") == pytest.approx({4: 1, 8: 0.95})
        assert line_of(answer).replicas == ()


def test_the_verdict_holds_within_one_percent_and_else_says_what_is_given(made):
    answer = asked(made, "doubted")
    assert said(answer, "efficiency")["speedup"] == 1.51
    held = scaling.robustness(made, answer.view)
    assert (held.ways, held.holding) == (1, 1)
    found = scaling.robustness(made, asked(made, "doubted-and-more").view)
    assert (found.ways, found.holding) == (1, 0)
    assert [one.code for _, one in found.otherwise] == ["2 0.75"]


def test_the_why_holds_the_inputs_of_the_first_line(shipped):
    view = GEMMA.with_options(price_book="articles", price_terms="unstated")
    inputs = {row.what: row.inputs for row in scaling.answer(shipped, view).why}
    assert "(2,208 / 1,260 tokens/s) / (8 / 1) = 0.219" in inputs["Efficiency"]
    assert "8 / 1 x 1,260 = 10,080" in inputs["Replicas (projected)"]
    assert "σ = 0.509" in inputs["Amdahl's law"]
    assert "Universal Scalability Law" not in inputs  # one degree of freedom
    assert "80 - " in inputs["Room for KV cache"]
    price = prices.chip_prices(shipped, prices.read(shipped, view))["h100-sxm"]
    assert inputs["Cost per million output tokens"].startswith(f"8 x H100 SXM: {price.usd:.2f} / (276 x 1 x")


def test_fitted_laws_are_drawn_over_the_measured_counts_and_named(shipped):
    drawn = scaling.figure(scaling.answer(shipped, GEMMA).result, LIGHT)
    [curve] = [trace for trace in drawn.data if trace.line.width == 1.1]
    assert curve.line.dash == "dash"
    assert (curve.x[0], curve.x[-1]) == pytest.approx((1, 8))
    assert (curve.y[0], curve.y[-1]) == pytest.approx((1260, 2208), rel=0.01)
    assert "Amdahl's law, fitted" in {trace.name for trace in drawn.data if trace.showlegend is not False}


def test_a_line_above_100_percent_is_not_amdahls_and_a_law_that_does_not_fit_is_not_drawn(shipped):
    answer = scaling.answer(shipped, LLAMA)
    line = line_of(answer)
    assert len(line.compared) == 4
    assert (line.law, line.is_amdahl) == (None, False)
    assert not {"law", "law_usl", "law_peak"} & set(kinds(answer))
    assert not [trace for trace in scaling.figure(answer.result, LIGHT).data if trace.line.width == 1.1]


def test_a_law_goes_on_dotted_only_to_a_peak_that_is_sure(made):
    answer = asked(made, "law")
    peak = line_of(answer).law.predicted
    assert peak.low < 15.4 < peak.high
    drawn = scaling.figure(answer.result, LIGHT)
    [beyond] = [trace for trace in drawn.data if trace.line.dash == "1px,4px" and trace.x[0]]
    assert (beyond.x[0], beyond.x[-1]) == pytest.approx((12, peak.count))
    assert 10 ** drawn.layout.xaxis.range[1] > peak.count
    assert beyond.text[-1].startswith("peak by the law")
    assert said(answer, "law_peak")["peak"] == peak.count
