"""What a headline begins with where too few of the selected points say what it rests on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench.basis import evidence, known
from bench.basis.known import FEW, Known
from bench.basis.wording import fitting
from bench.library import Library
from bench.view import View
from tests.basis.libraries import library_of, point

LIMIT = "ttft_ms_p50<=100"
THROUGHPUT = {"output throughput": '"output_tokens_per_s"'}


def lead(library: Library, view: View, figures: Mapping[str, str] | None = None) -> str:
    return known.of_headline(library, view, evidence.deciding(library, evidence.read(view)), figures).lead


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Ten points of one model: two in FP8 state a TTFT, eight in FP4 state none."""
    rows = [point(128, 128, 10 + place, concurrency=1 + place, precision="fp8" if place < 2 else "fp4",
                  ttft_ms_p50=5 if place < 2 else None, tpot_ms_p50=9 if place < 1 else None)
            for place in range(10)]  # fmt: skip
    return library_of(tmp_path_factory.mktemp("ten"), rows)


def test_the_share_is_of_all_that_the_reader_selected_and_not_of_the_story(ten: Library) -> None:
    view = View.of({"precision": ["fp8"]}, {"filled": "precision"}, slo=[LIMIT])
    assert lead(ten, view) == "Only 2 of 10 points state median TTFT; of those "


def test_where_the_story_holds_not_all_that_say_it_the_headline_is_of_the_story(ten: Library) -> None:
    view = View.of({"precision": ["fp8"], "concurrency": ["1"]}, {"filled": "precision"}, slo=[LIMIT])
    assert lead(ten, view) == ""
    view = View.of(
        {"precision": ["fp4"], "isl": ["128"], "osl": ["128"]}, {"filled": "precision isl osl"}, slo=[LIMIT]
    )
    assert lead(ten, view) == "Only 2 of 10 points state median TTFT; in FP4 at 128/128, "


def test_a_filter_of_the_readers_own_narrows_what_is_counted(ten: Library) -> None:
    assert lead(ten, View.of({"precision": ["fp8"]}, slo=[LIMIT])) == ""


def test_without_a_limit_and_with_enough_points_nothing_is_said(ten: Library) -> None:
    assert lead(ten, View()) == ""
    assert lead(ten, View(), THROUGHPUT) == ""


def test_the_figure_that_a_page_compares_counts_too(ten: Library) -> None:
    assert lead(ten, View(), {"median TTFT": '"ttft_ms_p50"'}) == (
        "Only 2 of 10 points state median TTFT; of those "
    )


def test_the_readers_limits_come_before_the_figures(ten: Library) -> None:
    view = View.of(slo=[LIMIT])
    assert "state median TTFT" in lead(ten, view, {"median TPOT": '"tpot_ms_p50"'})


def test_a_point_that_breaks_one_limit_is_judged_though_it_does_not_state_the_other(ten: Library) -> None:
    view = View.of(slo=["ttft_ms_p50<=1", "tpot_ms_p50<=50"])
    assert lead(ten, view) == "Only 2 of 10 points can be judged by these limits; of those "


def test_one_point_is_named_as_one() -> None:
    one = Known(1, 8, "state median TTFT", "states median TTFT")
    assert one.lead == "Only 1 of 8 points states median TTFT: "


def test_the_model_is_named_where_the_reader_did_not_choose_one_alone(ten: Library) -> None:
    model = ten.fetch("SELECT DISTINCT model FROM points")[0][0]
    for where, words in (({}, "of those on Llama 3.1 70B, "), ({"model": [model]}, "of those ")):
        view = View.of(where, slo=[LIMIT])
        told = known.of_headline(ten, view, evidence.deciding(ten, evidence.read(view)))
        assert told.leads("Llama 3.1 70B") == [f"Only 2 of 10 points state median TTFT; {words}"]
        least = [] if where else ["Only 2 of 10 points can be judged; on Llama 3.1 70B, "]
        assert told.least("Llama 3.1 70B") == least
    several = Known(2, 10, "state TPOT", "states TPOT", narrower="in FP8", many_models=True)
    assert several.leads("Gemma")[0] == "Only 2 of 10 points state TPOT; on Gemma FP8, "


@pytest.mark.parametrize(("points", "enough", "words"), [
    (0, 0.9, ""), (4, 0.9, "Only 4 of 10 points state TPOT"), (5, 0.9, "5 of 10 points state TPOT"),
    (9, 0.9, ""), (5, FEW, ""), (10, 0.9, ""),
])  # fmt: skip
def test_where_it_is_said(points: int, enough: float, words: str) -> None:
    assert Known(points, 10, "state TPOT", "states TPOT", enough).told == words


def test_the_fullest_sentence_that_fits_a_headline_is_told() -> None:
    long, short = "word " * 26, "word " * 25
    assert fitting(long, short, "word") == short
    assert fitting(lambda: long, "word") == "word"
    assert fitting(long, long) == long
