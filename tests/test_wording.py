"""Numbers read as people write them."""

from __future__ import annotations

import pytest

from bench import wording


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (13181.24, "13,181"),
        (2823.45, "2,823"),
        (66.49, "66.5"),
        (0.5486, "0.549"),
        (0.00283, "0.00283"),
        (1024.0, "1,024"),
        (0.0, "0"),
        (-12.345, "-12.3"),
        (None, "not known"),
        (float("nan"), "not known"),
        (float("inf"), "unbounded"),
    ],
)
def test_three_digits_or_all_of_the_integer(value, words):
    assert wording.number(value) == words


def test_quantities_carry_the_catalogues_unit():
    assert wording.quantity(98.71, "ttft_ms_p50") == "98.7 ms"
    assert wording.quantity(None, "ttft_ms_p50") == "not known"


def test_shares():
    assert [wording.share(ratio) for ratio in (0.183, 0.0283, 2.61)] == ["18 %", "2.8 %", "261 %"]


def test_lists_and_counts():
    assert wording.joined([]) == ""
    assert wording.joined(["a"]) == "a"
    assert wording.joined(["a", "b"]) == "a and b"
    assert wording.joined(["a", "b", "c"], last="or") == "a, b or c"
    assert wording.joined(list("abcdefgh"), at_most=2) == "a, b and 6 more"
    assert wording.counted(1, "point") == "1 point"
    assert wording.counted(1667, "point") == "1,667 points"
    assert wording.counted(2, "series", "series") == "2 series"
