"""What a headline begins with where too few of the selected points say what it rests on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench.basis import evidence, stated_share
from bench.basis.stated_share import FEW, StatedShare
from bench.library import Library
from bench.view import View
from tests.basis.libraries import library_of, point

LIMIT = "ttft_ms_p50<=100"
THROUGHPUT = {"output throughput": '"output_tokens_per_s"'}
TWO_OF_TEN = {"stating": 2, "of": 10}


def found(library: Library, view: View, figures: Mapping[str, str] | None = None) -> StatedShare:
    return stated_share.of_headline(library, view, evidence.deciding(library, evidence.read(view)), figures)


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Ten points of one model: two in FP8 state a TTFT, eight in FP4 state none."""
    rows = [
        point(
            128,
            128,
            10 + place,
            concurrency=1 + place,
            precision="fp8" if place < 2 else "fp4",
            ttft_ms_p50=5 if place < 2 else None,
            tpot_ms_p50=9 if place < 1 else None,
        )
        for place in range(10)
    ]
    return library_of(tmp_path_factory.mktemp("ten"), rows)


def test_the_share_is_of_all_that_the_reader_selected_and_not_of_the_story(ten: Library) -> None:
    view = View.of({"precision": ["fp8"]}, {"filled": "precision"}, slo=[LIMIT])
    assert found(ten, view).values == TWO_OF_TEN


def test_where_the_story_holds_not_all_that_say_it_the_headline_is_of_the_story(ten: Library) -> None:
    view = View.of({"precision": ["fp8"], "concurrency": ["1"]}, {"filled": "precision"}, slo=[LIMIT])
    assert found(ten, view).values == {}
    view = View.of({"precision": ["fp4"], "isl": ["128"], "osl": ["128"]}, {"filled": "precision isl osl"}, slo=[LIMIT])
    assert found(ten, view).values == TWO_OF_TEN


def test_a_filter_of_the_readers_own_narrows_what_is_counted(ten: Library) -> None:
    assert found(ten, View.of({"precision": ["fp8"]}, slo=[LIMIT])).values == {}


def test_without_a_limit_and_with_enough_points_nothing_is_said(ten: Library) -> None:
    assert found(ten, View()).values == {}
    assert found(ten, View(), THROUGHPUT).values == {}


def test_the_figure_that_a_page_compares_counts_too_after_the_readers_limits(ten: Library) -> None:
    of_figure = found(ten, View(), {"median TTFT": '"ttft_ms_p50"'})
    assert (of_figure.values, of_figure.they, of_figure.is_of_limits) == (TWO_OF_TEN, "state median TTFT", False)
    of_limits = found(ten, View.of(slo=[LIMIT]), {"median TPOT": '"tpot_ms_p50"'})
    assert (of_limits.they, of_limits.is_of_limits) == ("state median TTFT", True)


def test_a_point_that_breaks_one_limit_is_judged_though_it_does_not_state_the_other(ten: Library) -> None:
    of_both = found(ten, View.of(slo=["ttft_ms_p50<=1", "tpot_ms_p50<=50"]))
    assert (of_both.values, of_both.they) == (TWO_OF_TEN, stated_share.JUDGED)


TTFT = ("state median TTFT", "states median TTFT")


def test_how_few_is_said_with_the_verb_of_the_count() -> None:
    assert StatedShare(5, 10, *TTFT).clause == "5 of 10 points state median TTFT"
    assert StatedShare(1, 8, *TTFT).clause == "Only 1 of 8 points states median TTFT"


@pytest.mark.parametrize(
    ("points", "enough", "is_said"),
    [(0, 0.9, False), (4, 0.9, True), (5, 0.9, True), (9, 0.9, False), (5, FEW, False), (10, 0.9, False)],
)
def test_where_it_is_said(points: int, enough: float, is_said: bool) -> None:
    one = StatedShare(points, 10, *TTFT, enough)
    assert (bool(one.clause), bool(one.values)) == (is_said, is_said)
