"""Ratios, ties and flags in words: a ratio is told as a ratio from twice on, below as what is more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.basis import wording
from bench.basis.points import PointFacts
from tests.questions.heatmap.results import flag


def test_a_sentence_opens_with_a_capital_and_a_name_as_it_is_written() -> None:
    assert [wording.opened(text) for text in ("median TTFT", "vLLM logged", "8 chips", "")] == [
        "Median TTFT",
        "vLLM logged",
        "8 chips",
        "",
    ]


above = st.floats(1, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("ratio", "times", "ahead"),
    [
        (1.0, "the same", "not at all"),
        (1.009, "the same", "not at all"),
        (1.011, "1.1 % more", "by 1.1 %"),
        (1.99, "99 % more", "by 99 %"),
        (2.0, "2 times", "2 times"),
        (2.6, "2.60 times", "2.60 times"),
    ],
)
def test_a_ratio_in_words(ratio: float, times: str, ahead: str) -> None:
    assert wording.times(ratio) == times
    assert wording.ahead(ratio) == ahead


def test_a_ratio_with_what_it_is_of() -> None:
    assert wording.times(2.6, "throughput") == "2.60 times the throughput"
    assert wording.times(1.31, "throughput") == "31 % more throughput"
    assert wording.times(0.8, "throughput") == "20 % less throughput"
    assert wording.times(0.995, "throughput") == "the same throughput"


@given(above)
def test_a_tie_is_within_a_percent_and_only_a_tie_is_the_same(ratio: float) -> None:
    assert wording.is_tie(ratio) == (abs(ratio - 1) <= 0.01)
    assert ("same" in wording.times(ratio)) == wording.is_tie(ratio)
    assert ("times" in wording.times(ratio)) == (ratio >= wording.TWICE)


@example(1.0366, 1.0436)
@given(above, above)
def test_a_range_holds_both_ends_unless_they_read_alike(one: float, other: float) -> None:
    low, high = sorted((one, other))
    told = wording.between(low, high)
    assert (" to " in told) == (wording.ahead(low) != wording.ahead(high))
    assert ("times" in told) == (high >= wording.TWICE)


def test_the_flags_of_several_points_are_each_told_once() -> None:
    points = [PointFacts("1", flags=flag("roofline", "capped")), PointFacts("2"), PointFacts("3", flags=flag("capped"))]
    assert wording.flags_of(points) == ("roofline", "capped")


def test_what_points_are_of_is_what_all_of_them_state() -> None:
    whole = PointFacts("1", model="deepseek-r1", precision="fp8", isl=1024, osl=8192)
    assert wording.subject([whole]) == "DeepSeek-R1 FP8 at 1,024/8,192"
    assert wording.subject([PointFacts("1", model="deepseek-r1", isl=1024)]) == "DeepSeek-R1"
    assert wording.subject([replace(whole, precision="fp4"), replace(whole, isl=128)]) == "DeepSeek-R1"
    assert wording.subject([PointFacts("1")]) == wording.subject([]) == ""
