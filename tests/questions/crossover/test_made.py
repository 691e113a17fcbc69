"""Crossovers of results made up here: what is drawn and written of them, prices, flags, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
import pytest

from bench.chart import LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import answered, crossover
from bench.questions.crossover.options import between
from bench.questions.crossover.side_names import names
from bench.view import View
from tests.questions.crossover.results import (
    PRICE,
    A,
    B,
    Rows,
    asked,
    kind,
    knots,
    library_of,
    outcome,
    points,
    view_of,
    with_sources,
)
from tests.questions.heatmap.results import flag
from tests.questions.saying import said, statement

REPEATS = ((1, 0.99), (2, 1.0), (3, 1.01))
UP = [points("h100-sxm", {1: 80 * by, 4: 500 * by}, repeat=n) for n, by in REPEATS]
FLAT = [points("h200-sxm", {1: 100 * by, 4: 400 * by}, repeat=n) for n, by in REPEATS]
RATED = [{"concurrency": None, "request_rate": 10 / 3, "isl": length} for length in (128, 512)]

TABLES: Mapping[str, Sequence[Rows]] = {
    # 100 x against 400 x^(1/2): equal at x = 16.
    "crossing": (points("h100-sxm", {1: 100, 4: 400, 64: 6400}), points("h200-sxm", {1: 400, 4: 800, 64: 3200})),
    # From 50 to 150 against from 100 to 120 while the load doubles.
    "digits": (points("h100-sxm", {4: 50, 8: 150}), points("h200-sxm", {4: 100, 8: 120})),
    "passing": (
        points("h100-sxm", {1: 200, 64: 2000}, tp=2),
        points("h100-sxm", {1: 100, 256: 1000}, tp=1, dp=2),
        points("h200-sxm", {1: 150, 256: 1500}),
    ),
    "repeats": (*UP, *FLAT),
    "no-repeats": [[{**row, "repeat": None} for row in rows] for rows in (*UP, *FLAT)],
    "precisions": (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 50, 4: 60}, precision="fp16")),
    "engines": (
        points("h100-sxm", {4: 100, 8: 150}, engine="vllm"),
        points("h100-sxm", {4: 50, 8: 60}, engine="sglang"),
    ),
    # Every load stands at one place, the input length at three.
    "lengths": [
        points(chip, {8: y}, isl=isl) for isl in (128, 256, 512) for chip, y in (("h100-sxm", 9), ("h200-sxm", 8))
    ],
    "rates": [
        [{**row, **rated} for row in points(chip, {16: y})]
        for rated in RATED
        for chip, y in (("h100-sxm", 9), ("h200-sxm", 8))
    ],
    "priced": (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 110, 4: 440})),
    "ruled-out": (
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {2: 9000}, flags=flag("littles-law")),
        points("h200-sxm", {1: 150, 4: 500}),
    ),
    "projected": (
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {2: 250}, evidence="projected"),
        points("h200-sxm", {1: 150, 4: 500}),
    ),
    "flagged": (
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {16: 5000}, flags=flag("roofline")),
        points("h200-sxm", {1: 150, 4: 500, 16: 900}),
    ),
}
# Together 11 against 3 USD for the median of the two providers; 2 against 3 at the one, 20 against 3 at the other.
PRICES = [
    {**PRICE, "provider": provider, "accelerator": chip, "usd_per_hour": usd}
    for provider, chip, usd in (
        ("a", "h100-sxm", 2),
        ("dear", "h100-sxm", 20),
        ("a", "h200-sxm", 3),
        ("dear", "h200-sxm", 3),
    )
]
MADE = {"per": "dollar", "price_book": "made"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("made"), *with_sources(TABLES), prices=PRICES)


def chart(library: Library, source: str, **options: str) -> go.Figure:
    return crossover.figure(asked(library, source, **options).result, LIGHT)


def brackets(figure: go.Figure) -> list[tuple[float, float]]:
    return [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"]


def test_the_chart_marks_the_crossing_and_its_bracket_and_opens_every_point(made: Library) -> None:
    answer = asked(made, "crossing")
    (crossing,) = outcome(answer).crossings
    assert crossing.y == pytest.approx(1600)
    figure = crossover.figure(answer.result, LIGHT)
    assert brackets(figure) == [(4, 64)]
    assert any("<b>16</b>" in note.text for note in figure.layout.annotations)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    clickable = {one for trace in figure.data if trace.customdata is not None for one in trace.customdata}
    assert clickable == {*answer.rows["a_point_id"].dropna(), *answer.rows["b_point_id"].dropna()}


def test_where_the_best_series_of_a_side_ends_the_rows_and_the_chart_leave_the_crossing_open(made: Library) -> None:
    answer = asked(made, "passing")
    assert answer.rows["settled"].tolist() == [True, True, False]
    assert [words.split(", ")[1] for words in answer.rows["a_series"]] == ["tp 2", "tp 2", "dp 2"]
    assert brackets(chart(made, "passing")) == [(64, 256)]


def test_a_crossing_is_written_alike_in_sentence_table_and_chart_and_whole_in_the_rows(made: Library) -> None:
    answer = crossover.answer(made, View.of({"source": ["digits"]}))
    (x,) = answer.rows["crossing"]
    assert x == pytest.approx(4 * 2 ** (math.log(2) / math.log(2.5)), rel=1e-9)
    assert said(answer, "crosses")["x"] == x
    assert "6.8" in answer.headline
    assert "6.8" in answer.rows["verdict"][0]
    drawn = crossover.figure(answer.result, LIGHT)
    assert any("<b>6.8</b>" in note.text for note in drawn.layout.annotations)


@pytest.mark.parametrize(
    ("x", "low", "high", "words"),
    [
        (127.6, 64, 256, "130"),
        (127.6, 64, 128, "128"),
        (5.487, 4, 8, "5.5"),
        (64.42, 64, 65, "64.4"),
        (1357.2, 1024, 2048, "1,400"),
        (101.3, 101.3, 110.2, "101"),
        (0.3334, 0.25, 0.5, "0.33"),
        (7.999, 4, 8, "8.00"),
    ],
)
def test_an_interpolated_place_has_the_digits_its_bracket_deserves(
    x: float, low: float, high: float, words: str
) -> None:
    assert between(x, low, high) == words


def test_repeats_give_an_interval_and_other_points_at_one_load_do_not(made: Library) -> None:
    (crossing,) = outcome(asked(made, "repeats")).crossings
    assert crossing.interval.source == "repeats"
    assert 1 < crossing.interval.low < crossing.x < crossing.interval.high < 4
    (crossing,) = outcome(asked(made, "no-repeats")).crossings
    assert crossing.interval.source == "bracket"


def test_what_both_sides_share_is_left_out_of_their_names_and_what_differs_is_said(made: Library) -> None:
    pair = asked(made, "precisions").result
    assert (pair.a.hardware, pair.b.hardware) == ("2 x H100 SXM FP8", "2 x H200 SXM FP16")
    own = {name: f"accelerator=h100-sxm&engine={name}" for name in ("vllm", "sglang")}
    pair = asked(made, "engines", a=own["vllm"], b=own["sglang"]).result
    assert names(pair.a, pair.b) == {"a": "vLLM", "b": "SGLang"}
    pair = asked(made, "crossing", b=A).result
    assert (pair.a.name, pair.b.name) == ("A", "B")
    notes = chart(made, "crossing", a=f"source=crossing&{A}", b=f"source=crossing&{B}").layout.annotations
    written = " ".join(note.text or "" for note in notes)
    assert "H100 SXM" in written
    assert "source" not in written


def test_the_axis_is_one_with_two_places(made: Library) -> None:
    answer = crossover.answer(made, View.of({"source": ["lengths"]}))
    assert answer.result.asked.along == "isl"
    assert len(answer.rows) == 1


def test_a_listed_pair_at_a_rate_of_many_digits_can_be_chosen(made: Library) -> None:
    [pair] = crossover.answer(made, View.of({"source": ["rates"]}, {"along": "isl"})).rows.itertuples()
    assert len(knots(asked(made, "rates", a=pair.a, b=pair.b, along="isl"))) == 2


def test_per_dollar_chips_are_priced_by_the_choice_and_unused_hours_are_paid(made: Library) -> None:
    heights = {
        words: knots(asked(made, "priced", **MADE, **options))[0].y_a
        for words, options in {
            "every": {},
            "one": {"provider": "a"},
            "half": {"provider": "a", "utilisation": "0.5"},
            "stated": {"price_a": "4"},
        }.items()
    }
    # 100 tokens/s of two chips at 11, 2 and 4 USD an hour.
    assert heights == pytest.approx({"every": 100 / 22, "one": 25, "half": 12.5, "stated": 12.5})


def test_per_dollar_each_provider_alone_is_a_way_to_look(made: Library) -> None:
    raw = answered("crossover", made, view_of("priced"))
    assert raw.robustness is None or not raw.robustness.otherwise
    answer = answered("crossover", made, view_of("priced", **MADE))
    assert kind(answer) == "b_leads"
    ways = {way: verdict.code for way, verdict in answer.robustness.otherwise}
    assert ways["at a's price"] == "leads a"
    assert "at dear's price" not in ways


def test_a_point_that_a_flag_excludes_is_drawn_hollow_and_ranked_nowhere(made: Library) -> None:
    answer = asked(made, "ruled-out")
    assert [knot.x for knot in knots(answer)] == [1, 4]
    (place,) = answer.result.a.hollow
    assert (place.x, place.y) == (2, 9000)
    figure = crossover.figure(answer.result, LIGHT)
    (hollow,) = [trace for trace in figure.data if trace.customdata == (place.point.point_id,)]
    assert hollow.marker.symbol[0].endswith("-open")
    assert said(answer, "left_out")["flagged"] == 1


def test_a_point_that_was_not_measured_is_drawn_hollow_though_it_is_ranked(made: Library) -> None:
    answer = crossover.answer(made, view_of("projected").with_where(evidence=["measured", "projected"]))
    assert [knot.x for knot in knots(answer)] == [1, 2, 4]
    drawn = [trace for trace in crossover.figure(answer.result, LIGHT).data if trace.customdata]
    hollow = {
        (x, str(one).endswith("-open")) for each in drawn for x, one in zip(each.x, each.marker.symbol, strict=True)
    }
    assert hollow == {(1, False), (2, True), (4, False)}


def test_a_headline_that_does_not_hold_without_flagged_points_says_so(made: Library) -> None:
    answer = answered("crossover", made, view_of("flagged"))
    assert kind(answer) == "crosses"
    assert statement(answer, "crosses").flags == ("beyond the roofline",)
    assert "\u2020." in answer.headline
    assert said(answer, "flags").items() >= {"side": "a", "flagged": 1}.items()
    assert [(way, one.code) for way, one in answer.robustness.otherwise] == [("without flagged points", "leads b")]
    assert said(answer, "holds_in") == {"ways": 1, "holding": 0}
    assert statement(answer, "holds_in").role == "variation"
    listed = answered("crossover", made, View.of({"source": ["flagged"]}))
    assert listed.robustness == answer.robustness


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"a": "nothing"}, UsageError),
        ({"a": "colour=red"}, UsageError),
        ({"a": "isl=many"}, UsageError),
        ({"b": "accelerator=h100&along=batch"}, UsageError),
        ({"b": "accelerator=h100&slo=ttft_ms_p99<=1"}, UsageError),
        ({"a": A, "b": B, "price_a": "-1"}, UsageError),
        ({"a": A, "b": B, "price_b": "nan"}, UsageError),
        ({"a": A, "b": B, "price_a": "1_0"}, UsageError),
        ({"a": A, "b": B, "price_a": "0.0001"}, UsageError),
        ({"a": A, "b": B, "price_b": "10001"}, UsageError),
        ({"price_a": "1.3"}, UsageError),
        ({"along": "colour"}, UnknownName),
        ({"per": "hour"}, UnknownName),
        ({"metric": "failed_share"}, UsageError),
        ({"metric": "colour"}, UnknownName),
        ({"price_book": "no-such-book"}, UnknownName),
        ({"price_book": "no-such-book", "price_terms": "with_points"}, UnknownName),
    ],
)
def test_what_an_option_cannot_be_is_said(made: Library, options: Mapping[str, str], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options.values())) if error is UnknownName else None):
        crossover.answer(made, View.of({}, options))
