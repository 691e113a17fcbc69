"""What every question promises, asked of each module the folder lists, on the shipped library and on none."""

from __future__ import annotations

import json
import re
from dataclasses import is_dataclass
from itertools import cycle, product
from pathlib import Path

import plotly.graph_objects as go
import pytest

from bench import catalogue, flags, names
from bench.basis import points, variations
from bench.basis.narrator import DAGGER
from bench.basis.prices import Choice
from bench.basis.variations import Variation, Verdict
from bench.chart import DARK, LIGHT
from bench.cli.asking import document
from bench.cli.output import plain
from bench.errors import BenchError, UnknownName
from bench.library import Library
from bench.questions import Question, answered, options, question, questions
from bench.records import POINT_FIELDS
from bench.view import FILTER_BY_KEY, View
from tests.questions.saying import kinds
from tests.thorough import QUICK

ROOT = Path(__file__).resolve().parents[2]
every_question = pytest.mark.parametrize("name", list(questions()))
ROLES = {"headline", "finding", "coverage", "caveat", "variation"}
HEADLINE_WORDS = 25
VERDICT_WORDS, VERDICT_NUMBERS = 14, 2
"""Of an answer whose subject stands above its verdict, which does not repeat it."""

COUNTING = ("overview",)
"""The questions that ask for counts, whose verdicts may have more numbers."""

VIEWS = {
    "nothing chosen": {},
    "a model": {"model": ["llama-3.1-70b"]},
    "an accelerator": {"accelerator": ["h200"]},
    "an article": {"source": ["inferencebench-gemma4-h100"]},
    "flagged": {"source": ["rvllm-tpu-v6e-vs-h100"]},
    "four bits": {"precision": ["fp4"]},
}
VARIED = [{}, {"model": ["deepseek-r1"]}, {"model": ["llama-3.1-70b"]}, {"source": ["inferencex"]}]
"""Selections that some choice changes, one of which any question with variations has an answer to."""

EACH = list(zip(questions(), cycle(VIEWS))) if QUICK else list(product(questions(), VIEWS))
"""The questions with the selections that they are asked about: in `make test` one each, the next question another."""

on_a_view = pytest.mark.parametrize(
    ("name", "where"), [(name, VIEWS[one]) for name, one in EACH], ids=map("-".join, EACH)
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own", shipped=False)


@every_question
def test_it_states_what_it_is_and_has_a_page(name: str) -> None:
    asked: Question = question(name)
    assert asked.TITLE
    assert asked.QUESTION.endswith("?")
    assert isinstance(asked.ORDER, int)
    assert asked.NEEDS in ("points", "facts")
    assert (ROOT / "pages" / f"{name}.py").is_file()
    keys = [option.key for option in options(name)]
    assert len(keys) == len(set(keys))
    assert not set(keys) & FILTER_BY_KEY.keys()
    assert all(option.label and option.help.endswith(".") for option in asked.OPTIONS)


@on_a_view
def test_completing_a_view_is_done_once_and_changes_no_answer(
    name: str, where: dict[str, list[str]], shipped: Library
) -> None:
    answer = question(name).answer(shipped, View.of(where))
    complete = answer.view
    assert question(name).complete(shipped, View.of(where)) == complete
    assert complete.whole
    assert question(name).complete(shipped, complete) == complete
    assert View.from_query(complete.query()) == complete
    again = question(name).answer(shipped, complete)
    assert again.statements == answer.statements
    assert again.rows.equals(answer.rows)
    assert plain(document(again)) == plain(document(answer))
    offered = question(name).choices(shipped, complete)
    for option in question(name).OPTIONS:
        chosen = complete.option(option.key)
        if option.kind == "choice" and chosen:
            assert chosen in [value for value, _ in offered[option.key]], option.key


@on_a_view
def test_its_answer_is_one_headline_with_a_number_and_says_why(
    name: str, where: dict[str, list[str]], shipped: Library
) -> None:
    """A headline is short, a name counting once and its flags not."""
    answer = question(name).answer(shipped, View.of(where))
    assert [one.role for one in answer.statements].count("headline") == 1
    assert {one.role for one in answer.statements} <= ROLES
    assert all(one.kind and one.text.endswith(".") for one in answer.statements)
    assert any(character.isdigit() for character in answer.headline)
    told = re.sub(r" \(flagged: [^)]*\)|; flagged: [^)]*", "", answer.verdict)
    for known in sorted({row.name for row in (*names.models(), *names.accelerators())}, key=len, reverse=True):
        told = re.sub(rf"([\d,]+ x )?{re.escape(known)}", "name", told)
    if answer.subject is None:
        assert len(told.split()) <= HEADLINE_WORDS, told
    else:
        assert len(told.removesuffix(f" {DAGGER}.").split()) <= VERDICT_WORDS, told
        numbers = re.findall(r"(?<![A-Z\d])\d[\d,.]*", re.sub(r"\d{4}-\d\d-\d\d", "date", told))
        assert name in COUNTING or len(numbers) <= VERDICT_NUMBERS, told
    assert answer.question == question(name).QUESTION
    assert answer.library_version == shipped.version
    assert answer.rows.empty or answer.why
    assert all(reason.formula and reason.source for reason in answer.why)


@on_a_view
def test_its_result_is_typed_its_json_derived_from_it_and_its_columns_labelled(
    name: str, where: dict[str, list[str]], shipped: Library
) -> None:
    answer = answered(name, shipped, View.of(where))
    assert is_dataclass(answer.result)
    told = plain(document(answer))
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["headline"] == answer.headline
    assert isinstance(told["result"], dict)
    ids = set(shipped.query("SELECT point_id FROM points")["point_id"])
    assert all(id in ids for one in answer.statements for id in one.point_ids)
    stated = {column.key for column in question(name).COLUMNS}
    for key in answer.rows.columns:
        known = key in stated or key in FILTER_BY_KEY or key in POINT_FIELDS or catalogue.is_metric(key)
        assert known or key in ("point_id", "isl", "osl", "source_id", "passport"), key


@on_a_view
def test_every_flag_of_a_named_point_stands_in_the_sentence(
    name: str, where: dict[str, list[str]], shipped: Library
) -> None:
    """Of every point that a verdict or a finding rests on, in it or behind its dagger; what only notes is not told."""
    said = question(name).answer(shipped, View.of(where)).statements
    behind_dagger = " ".join(one.text for one in said if one.kind == "flagged")
    for one in said:
        if one.role not in ("headline", "finding"):
            continue
        named = points.named(shipped, one.point_ids).values()
        for words in flags.printed(kind for point in named for kind in point.flag_kinds):
            assert words in (behind_dagger if DAGGER in one.text else one.text), (one.kind, words)


@on_a_view
def test_it_opens_without_limits(name: str, where: dict[str, list[str]], shipped: Library) -> None:
    """Limits are the reader's: no question sets one of its own, nor judges its points by one."""
    answer = question(name).answer(shipped, View.of(where))
    assert question(name).complete(shipped, View.of(where)).slo == answer.view.slo == ()
    assert answer.subject is None or answer.subject.limits == ()
    assert getattr(answer.result, "limits", ()) == ()


@pytest.mark.parametrize("holding", [True, False], ids=["in all", "in none"])
@pytest.mark.parametrize("name", [name for name, module in questions().items() if hasattr(module, "variations")])
def test_an_answer_that_holds_in_under_half_of_its_checks_is_undecided_and_none_of_them_is_itself(
    name: str, holding: bool, shipped: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own verdict stands; what every other check comes to is put in its place."""
    tried: list[Variation] = []
    of = variations.of

    def of_made_verdicts(library: Library, view: View, choice: Choice | None, _: object, *usable: str) -> object:
        def made(one: Variation) -> Verdict:
            tried.append(one)
            return Verdict("a", "a wins") if holding or one.kind == "own" else Verdict("b", "b wins")

        return of(library, view, choice, made, *usable)

    monkeypatch.setattr(variations, "of", of_made_verdicts)
    answer = next(
        one for where in VARIED if (one := answered(name, shipped, View.of(where))).robustness and one.robustness.ways
    )
    own, *others = tried[-answer.robustness.ways - 1 :]
    assert own.kind == "own"
    assert all((one.ranking, one.prices) != (own.ranking, own.prices) for one in others)
    assert answer.robustness.holding == holding * len(others)
    assert answer.verdict.startswith("Undecided: ") != holding
    assert (kinds(answer, "headline", "finding")[1:2] == ["doubt"]) != holding


@every_question
def test_its_chart_is_drawn_in_both_themes(name: str, shipped: Library) -> None:
    answer = question(name).answer(shipped, View())
    for theme in (LIGHT, DARK):
        figure = question(name).figure(answer.result, theme)
        assert isinstance(figure, go.Figure)
        assert len(figure.data) > 0
        assert figure.layout.font.color == theme.text


@every_question
def test_an_empty_library_gives_a_sentence(name: str, empty: Library) -> None:
    """In the answer or in the error that a page and the command line print in its place."""
    try:
        told = question(name).answer(empty, View()).headline
    except BenchError as problem:
        told = str(problem)
    assert told.endswith(".")


@every_question
def test_a_selection_of_nothing_gives_a_sentence(name: str, shipped: Library) -> None:
    answer = answered(name, shipped, View.of({"model": ["no-such-model"]}, whole=True))
    assert answer.headline.endswith(".")
    assert any("no-such-model" in caveat for caveat in answer.caveats)
    for theme in (LIGHT, DARK):
        assert isinstance(question(name).figure(answer.result, theme), go.Figure)


@every_question
def test_a_limit_that_nothing_keeps_leaves_sentences_and_a_chart_of_none(name: str, shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, slo=["ttft_ms_p50<=0.000001"])
    answer = answered(name, shipped, view)
    assert answer.headline.endswith(".")
    assert isinstance(question(name).figure(answer.result, LIGHT), go.Figure)
    assert not {id for one in answer.statements if one.role in ("headline", "finding") for id in one.point_ids}


def test_a_question_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean pareto"):
        question("paretto")
