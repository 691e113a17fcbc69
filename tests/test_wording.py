"""Numbers read as people write them."""

from __future__ import annotations

import pytest

from bench import catalogue, wording


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
        (1e12, "1,000,000,000,000"),
        (1.2345e15, "1.23e15"),
        (-1.2e15, "-1.2e15"),
        (1e300, "1e300"),
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


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("interactivity_tokens_per_s_per_user_p50", "median interactivity"),
        ("decode_step_ms_mean", "mean decode step"),
        ("ttft_ms_p99", "p99 TTFT"),
        ("tpot_ms_p99_9", "p99.9 TPOT"),
        ("ttft_ms_std", "standard deviation TTFT"),
        ("output_tokens_per_s", "output throughput"),
    ],
)
def test_a_metric_inside_a_sentence_has_small_letters_unless_it_is_an_abbreviation(key, words):
    assert wording.inline(catalogue.metric(key)) == words


def test_every_metric_keeps_its_letters_and_only_abbreviations_begin_with_a_capital():
    for key in tuple(catalogue.keys()):
        row = catalogue.metric(key)
        said = wording.name_of(row)
        assert row.label.lower().startswith(said.lower())
        assert said[0].isupper() == (not row.label[1].islower())
    assert [wording.lowered(label) for label in ("", "KV precision", "Precision")] == [
        "", "KV precision", "precision",
    ]  # fmt: skip


def test_the_verb_agrees_with_the_count():
    assert [wording.is_or_are(count) for count in (0, 1, 2)] == ["are", "is", "are"]
