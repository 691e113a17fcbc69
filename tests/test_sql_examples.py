"""The examples are SQL that people may run; on the shipped library each gives rows, and most of them a chart."""

from __future__ import annotations

import pytest

from bench.chart import LIGHT, two_columns
from bench.dictionary import SqlExample, examples
from bench.library import Library
from bench.library.user_sql.child import answered
from bench.library.user_sql.frame import frame

FIRST = {
    "Who serves": ("accelerator", "users_per_chip"),
    "How does": ("concurrency", "tpot_ms_p50"),
    "How much": ("month", "tokens_per_s_per_chip"),
    "Does FP4": ("model", "accuracy"),
    "What does": ("accelerator", "median_usd_per_h"),
}


def test_each_has_a_question_of_its_own() -> None:
    questions = [example.question for example in examples()]
    assert all(any(one.startswith(words) for one in questions) for words in FIRST)
    assert len(set(questions)) == len(questions)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.question)
def test_an_example_gives_rows_and_a_chart_of_what_it_asks(shipped: Library, example: SqlExample) -> None:
    table, cut = answered(shipped, example.sql)
    assert not cut
    assert table.num_rows >= 8
    rows = frame(table)
    assert not rows.isna().all(axis=None)
    of = two_columns.chosen(rows, {})
    assert of is not None
    assert all((of.x, of.y) == pair for words, pair in FIRST.items() if example.question.startswith(words))
    assert two_columns.figure(rows, of, LIGHT).data


def test_the_examples_say_what_the_rows_say(shipped: Library) -> None:
    """Worked out again in another way, by hand."""
    users = frame(answered(shipped, examples()[0].sql)[0])
    points = shipped.query(
        "SELECT * FROM points WHERE model = 'deepseek-r1' AND isl = 1024 AND osl = 1024 AND evidence = 'measured'"
    )
    kept = points[(points["ttft_ms_p99"] < 2000) & (points["tpot_ms_p50"] < 20)]
    most = (kept["concurrency"] / kept["accelerators"]).groupby(
        [kept["accelerator"], kept["engine"], kept["precision"]]
    )
    assert sorted(users["users_per_chip"]) == pytest.approx(sorted(most.max()))
    accuracy = frame(answered(shipped, examples()[3].sql)[0])
    scores = shipped.query("SELECT * FROM scores WHERE benchmark = 'gsm8k' AND metric = 'exact_match_strict'")
    assert accuracy["runs"].sum() == len(scores)
