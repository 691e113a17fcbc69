"""Numbers read as people write them; what answers say is compared to the letter only where it is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from bench import catalogue, wording


@pytest.mark.parametrize(
    ("value", "words"), [(5.2477, "5.24"), (3.1897, "3.18"), (5.25, "5.25"), (2.3, "2.30"), (0.46581, "0.465")]
)
def test_a_bound_from_above_is_never_written_too_high(value: float, words: str) -> None:
    assert wording.number_below(value) == words


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


def test_shares_quantities_lists_and_counts():
    assert [wording.share(ratio) for ratio in (0.183, 0.0283, 2.61, 0.0004, 0)] == [
        "18 %",
        "2.8 %",
        "261 %",
        "under 0.1 %",
        "0.0 %",
    ]
    assert wording.quantity(98.71, "ttft_ms_p50") == "98.7 ms"
    assert wording.quantity(None, "ttft_ms_p50") == "not known"
    assert [wording.is_or_are(count) for count in (0, 1, 2)] == ["are", "is", "are"]
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


TESTS = Path(__file__).parent
SAYING = [TESTS.parent / "bench" / "questions", TESTS.parent / "bench" / "runs"]
LONG, IN_A_ROW = 8, 4
"""A text of more words is a sentence; it is one of an answer's where so many words in a row stand in its code."""

READERS = ("pages", "e2e", "suggestions", "holdings", "audit", "library", "benchmarks", "export", "runs", "")
"""Folders of tests whose subject shows answers, or asks for them; "" is their root."""

THEIR_OWN = ("runs/test_run_story.py",)
"""Files that may hold sentences of answers and runs: what a run's story says stands there to the letter."""


def phrases(text: str) -> set[tuple[str, ...]]:
    """The words of a text, as many in a row as make a phrase."""
    words = re.findall(r"[a-z']+", text.lower())
    return set(zip(*(words[at:] for at in range(IN_A_ROW)), strict=False))


def strings(nodes: Iterable[ast.AST]) -> list[str]:
    """The strings in pieces of code, docstrings left out."""
    inside = list(chain.from_iterable(map(ast.walk, nodes)))
    docs = {id(one.value) for one in inside if isinstance(one, ast.Expr)}
    return [
        one.value
        for one in inside
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in docs
    ]


@cache
def said_by_answers() -> frozenset[tuple[str, ...]]:
    """Every phrase of the sentences that questions and runs are told in."""
    files = chain.from_iterable(folder.rglob("*.py") for folder in SAYING)
    texts = chain.from_iterable(strings([ast.parse(path.read_text(encoding="utf-8"))]) for path in files)
    return frozenset(chain.from_iterable(map(phrases, texts)))


def sentences_of_answers(code: str) -> list[str]:
    """The long texts of an answer's words that something is compared with by == or in, or by how it starts or ends."""
    compared = [
        one
        for one in ast.walk(ast.parse(code))
        if (isinstance(one, ast.Compare) and all(isinstance(by, ast.Eq | ast.In) for by in one.ops))
        or (isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("startswith", "endswith"))
    ]
    return told_by_answers(strings(compared))


def told_by_answers(texts: Iterable[str]) -> list[str]:
    """Those of the texts that are long and have a phrase of answers in them; SQL and commands are none."""
    long = {text for text in texts if len(text.split()) > LONG and not re.search(r"SELECT |GROUP BY | --\w", text)}
    return sorted(text for text in long if not said_by_answers().isdisjoint(phrases(text)))


def test_no_reader_of_answers_is_tested_by_their_sentences() -> None:
    """Pages, command line and exports show a sentence; how it is worded is tested where it is made."""
    files = [path for folder in READERS for path in (TESTS / folder).glob("*.py")]
    named = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in files}
    found = {name: sentences_of_answers(code) for name, code in named.items() if name not in THEIR_OWN}
    assert {name: texts for name, texts in found.items() if texts} == {}


def sentences(code: str) -> list[str]:
    """The long texts anywhere in a file that end as sentences do or have a phrase of answers in them.

    Tables of what is said are compared by the names of their columns, so not what is compared alone counts.
    """
    texts = strings([ast.parse(code)])
    return sorted({*told_by_answers(texts), *(one for one in texts if one.endswith(".") and len(one.split()) > LONG)})


def test_no_question_is_tested_by_its_sentences() -> None:
    """By kind and values, so that a sentence can be worded better in one place; golden/sentences.txt is for people."""
    files = [path for path in (TESTS / "questions").rglob("*.py") if path.parent.name != "golden"]
    assert len(files) > 40
    found = {str(path): sentences(path.read_text(encoding="utf-8")) for path in files}
    assert {name: texts for name, texts in found.items() if texts} == {}
