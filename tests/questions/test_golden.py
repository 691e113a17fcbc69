"""The golden values hold: answers about thirty Views, sentences of a few, and the selections of sixty old links."""

from __future__ import annotations

import pytest

from bench import selection
from bench.library import Library
from bench.questions import question, questions
from bench.view import View
from tests.questions import golden
from tests.thorough import some

A_FEW = 3


@pytest.mark.parametrize("name", list(questions()))
def test_kinds_values_points_and_rows_are_the_golden_ones(shipped: Library, name: str) -> None:
    """In `make test` a few Views of each question, others of the next one: together all of them."""
    kept = golden.kept(name)
    assert kept.keys() == golden.VIEWS.keys()
    turn = list(questions()).index(name)
    for about in some([*kept][turn:] + [*kept][:turn], A_FEW):
        assert golden.values(golden.answer(shipped, name, about)) == kept[about], about


def test_the_sentences_that_people_read_are_those_of_today(shipped: Library) -> None:
    paragraphs = golden.SENTENCES.read_text().split("\n\n")
    today = [golden.paragraph(shipped, name, about) for name, about in golden.read_aloud()]
    assert [one.strip() for one in paragraphs] == [one.strip() for one in today]
    assert len(paragraphs) <= 20


@pytest.mark.parametrize("link", some(golden.links(), 12), ids=lambda link: f"{link['page']}?{link['query'][:60]}")
def test_an_old_link_selects_what_it_selected(shipped: Library, link: dict[str, str]) -> None:
    whole = question(link["page"]).complete(shipped, View.from_query(link["query"]))
    condition = selection.clause(View(whole.where))
    then = f"{condition.sql} AND source NOT IN {golden.LATER}"
    rows = shipped.fetch(f"SELECT point_id FROM points WHERE {then} ORDER BY 1", condition.params)
    ids = [point_id for (point_id,) in rows]
    assert len(ids) == link["points"]
    assert golden.digest(" ".join(ids)) == link["digest"]
