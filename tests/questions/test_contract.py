"""What every question promises, asked of each module the folder lists, on the shipped library and on none."""

from __future__ import annotations

import json
from pathlib import Path

import plotly.graph_objects as go
import pytest

from bench.chart import DARK, LIGHT
from bench.errors import BenchError, UnknownName
from bench.library import Library
from bench.questions import Question, question, questions
from bench.view import FILTER_BY_KEY, View

ROOT = Path(__file__).resolve().parents[2]
every_question = pytest.mark.parametrize("name", list(questions()))


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own", shipped=False)


@every_question
def test_it_states_what_it_is_and_has_a_page(name: str) -> None:
    asked: Question = question(name)
    assert asked.TITLE
    assert asked.QUESTION.endswith("?")
    assert isinstance(asked.ORDER, int)
    assert (ROOT / "pages" / f"{name}.py").is_file()
    keys = [option.key for option in asked.OPTIONS]
    assert len(keys) == len(set(keys))
    assert not set(keys) & FILTER_BY_KEY.keys()
    assert all(option.label and option.help.endswith(".") for option in asked.OPTIONS)


@every_question
def test_a_completed_view_is_whole_and_says_the_same_when_completed_again(
    name: str, shipped: Library
) -> None:
    complete = question(name).complete(shipped, View())
    assert complete.whole
    assert question(name).complete(shipped, complete) == complete
    assert View.from_query(complete.query()) == complete


@every_question
def test_the_answer_is_the_same_before_and_after_completing_the_view(name: str, shipped: Library) -> None:
    asked = question(name)
    answer = asked.answer(shipped, View())
    again = asked.answer(shipped, answer.view)
    assert (again.headline, again.findings, again.caveats) == (
        answer.headline,
        answer.findings,
        answer.caveats,
    )
    assert again.rows.equals(answer.rows)
    assert len(asked.rows(shipped, answer.view)) == len(answer.rows)


@every_question
def test_its_answer_is_a_sentence_with_a_number_and_says_why(name: str, shipped: Library) -> None:
    answer = question(name).answer(shipped, View())
    assert answer.headline.endswith(".")
    assert any(character.isdigit() for character in answer.headline)
    assert answer.question == question(name).QUESTION
    assert answer.library_version == shipped.version
    assert answer.why
    assert all(reason.formula and reason.source for reason in answer.why)
    assert json.loads(json.dumps(dict(answer.numbers), allow_nan=False)) is not None


@every_question
def test_its_chart_is_drawn_in_both_themes(name: str, shipped: Library) -> None:
    answer = question(name).answer(shipped, View())
    for theme in (LIGHT, DARK):
        figure = question(name).figure(answer, theme)
        assert isinstance(figure, go.Figure)
        assert len(figure.data) > 0
        assert figure.layout.font.color == theme.text


@every_question
def test_every_option_in_force_is_offered(name: str, shipped: Library) -> None:
    complete = question(name).complete(shipped, View())
    offered = question(name).choices(shipped, complete)
    for option in question(name).OPTIONS:
        chosen = complete.option(option.key)
        if option.kind == "choice" and chosen:
            assert chosen in [value for value, _ in offered[option.key]], option.key


@every_question
def test_an_empty_library_gives_a_sentence(name: str, empty: Library) -> None:
    assert said(name, empty).endswith(".")


def said(name: str, library: Library) -> str:
    """The headline, or the sentence of the error a page and the command line print in its place."""
    try:
        return question(name).answer(library, View()).headline
    except BenchError as problem:
        return str(problem)


@every_question
def test_a_selection_of_nothing_gives_a_sentence(name: str, shipped: Library) -> None:
    answer = question(name).answer(shipped, View.of({"model": ["no-such-model"]}, whole=True))
    assert answer.headline.endswith(".")
    assert any("no-such-model" in caveat for caveat in answer.caveats)


def test_a_question_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean pareto"):
        question("paretto")
