"""Numbers read as people write them; what answers say stands to the letter in one file of tests each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
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
    assert [wording.lowered(label) for label in ("", "KV precision", "Precision")] == ["", "KV precision", "precision"]


def test_the_verb_agrees_with_the_count():
    assert [wording.is_or_are(count) for count in (0, 1, 2)] == ["are", "is", "are"]


QUESTIONS = Path(__file__).parent / "questions"
SAYS = {"headline", "findings", "caveats", "said", "text"}
"""What gives the words of an answer or of a statement."""

A_SENTENCE = 7
"""So many words are no name and no number, but a sentence."""

ALLOWED = {
    "cost/test_cost.py": "a note beside a chart is no statement of an answer",
    "crossover/test_shipped.py": "titles of a chart are no statements of an answer",
}
"""Files in which what is drawn is compared with long texts, and why."""


def sentences(node: ast.AST, known: dict[str, list[ast.expr]]) -> Iterator[str]:
    """The strings of a sentence's length in a piece of code, and in what the names in it were given."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and len(one.value.split()) >= A_SENTENCE:
            yield one.value
        if isinstance(one, ast.Name):
            for value in known.get(one.id, []):
                yield from sentences(value, {})


def says(node: ast.AST, known: dict[str, list[ast.expr]]) -> bool:
    """Whether the words of an answer are read in a piece of code, or in what the names in it were given."""
    return any(
        (isinstance(one, ast.Attribute) and one.attr in SAYS)
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "text")
        or (isinstance(one, ast.Name) and any(says(value, {}) for value in known.get(one.id, [])))
        for one in ast.walk(node)
    )


def given(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What each name is given in a piece of code: by an assignment, or by the parameters of a test."""
    values: dict[str, list[ast.expr]] = {}
    for one in ast.walk(tree):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            values.setdefault(one.targets[0].id, []).append(one.value)
        for name in one.args.args if isinstance(one, ast.FunctionDef) else ():
            values.setdefault(name.arg, []).extend(one.decorator_list)
    return values


def compared(code: str) -> list[str]:
    """The sentences that the words of an answer are compared with in a file of tests."""
    tree = ast.parse(code)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    checked = [
        (part, given(function))
        for function in functions
        for one in ast.walk(function)
        if isinstance(one, ast.Assert)
        for part in ast.walk(one)
        if isinstance(part, ast.Compare | ast.Call)
    ]
    return [text for part, known in checked if says(part, known) for text in sentences(part, known)]


@pytest.mark.parametrize(
    ("code", "many"),
    [
        ('assert answer.headline == "H100 leads H200 by 31 % at concurrency 64."', 1),
        ('assert answer.headline.startswith("H100 leads H200 by 31 % at concurrency")', 1),
        ('assert "H100 leads H200 by 31 % at concurrency 64." in [one.text for one in answer.statements]', 1),
        ('told = "H100 leads H200 by 31 % at concurrency 64."\n    assert answer.said("finding")[0] == told', 1),
        ('first = answer.headline\n    assert first == "H100 leads H200 by 31 % at concurrency 64."', 1),
        ('assert answer.headline.endswith("(flagged: decode only).")', 0),
        ('assert said(answer, "leads") == {"leader": "h100-sxm", "x": 64}', 0),
        ('assert figure.title == "Output throughput of H100 and of H200 by concurrency"', 0),
    ],
)
def test_a_sentence_that_an_answer_is_compared_with_is_seen(code: str, many: int) -> None:
    assert len({*compared(f"def test_it(answer):\n    {code}\n")}) == many


def test_answers_are_compared_with_sentences_in_one_file_of_each_question() -> None:
    """Everywhere else by kind and values, so that a sentence can be worded better in one place."""
    files = [
        path.relative_to(QUESTIONS)
        for path in QUESTIONS.rglob("*.py")
        if path.name != "test_statements.py"
        and (path.parent == QUESTIONS or (path.parent / "test_statements.py").exists())
    ]
    assert len(files) > 20
    checked = {
        path.as_posix(): compared((QUESTIONS / path).read_text()) for path in files if path.as_posix() not in ALLOWED
    }
    assert {name: texts for name, texts in checked.items() if texts} == {}


TESTS = Path(__file__).parent
SAYING = [TESTS.parent / "bench" / "questions", TESTS.parent / "bench" / "runs"]
LONG, IN_A_ROW = 8, 4
"""A text of more words is a sentence; it is one of an answer's where so many words in a row stand in its code."""

READERS = ("pages", "e2e", "destinations", "holdings", "audit", "library", "benchmarks", "export", "runs", "")
"""Folders of tests whose subject shows answers, or asks for them; "" is their root."""

THEIR_OWN = {
    "runs/test_run_story.py": "what a run's story says stands there to the letter",
    "test_wording.py": "its own examples",
}
"""Files that may hold sentences of answers and runs, and why."""


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
    long = {text for text in strings(compared) if len(text.split()) > LONG and "SELECT " not in text}
    return sorted(text for text in long if not said_by_answers().isdisjoint(phrases(text)))


def test_a_sentence_of_an_answer_is_known_by_its_phrases() -> None:
    text = "DeepSeek-R1 FP8 gets closest to the hardware on 8 x H200 SXM: 59 % of its ceiling."
    assert sentences_of_answers(f"assert {text!r} in page")
    assert sentences_of_answers(f"assert page == {text!r}")
    assert sentences_of_answers(f"assert page.startswith({text!r})")
    assert not sentences_of_answers(f"assert {text!r} not in page")
    assert not sentences_of_answers("assert 'one two three four five six seven eight nine ten' in page")


def test_no_reader_of_answers_is_tested_by_their_sentences() -> None:
    """Pages, command line and exports show a sentence; how it is worded is tested where it is made."""
    files = [path for folder in READERS for path in (TESTS / folder).glob("*.py")]
    named = {path.relative_to(TESTS).as_posix(): path for path in files}
    assert THEIR_OWN.keys() <= named.keys()
    found = {
        name: sentences_of_answers(path.read_text(encoding="utf-8"))
        for name, path in named.items()
        if name not in THEIR_OWN
    }
    assert {name: texts for name, texts in found.items() if texts} == {}
