"""What is recorded still holds: the answers of thirty Views to the letter, and the selections of sixty old links."""

from __future__ import annotations

import hashlib

import pytest

from bench import selection
from bench.library import Library
from bench.questions import question, questions
from bench.view import View
from tests.questions import recorded
from tests.thorough import some


@pytest.mark.parametrize("name", list(questions()))
def test_the_answers_are_those_recorded(shipped: Library, name: str) -> None:
    answers = recorded.answers()[name]
    assert answers.keys() == recorded.VIEWS.keys()
    told = {about: recorded.said(shipped, name, recorded.VIEWS[about]) for about in some(answers, 4)}
    assert told == {about: answers[about] for about in told}


def test_sixty_links_were_recorded() -> None:
    assert len(recorded.links()) == 60
    assert {link["page"] for link in recorded.links()} <= set(questions())


@pytest.mark.parametrize("link", some(recorded.links(), 12), ids=lambda link: f"{link['page']}?{link['query'][:60]}")
def test_an_old_link_selects_what_it_selected(shipped: Library, link: dict[str, str]) -> None:
    whole = question(link["page"]).complete(shipped, View.from_query(link["query"]))
    condition = selection.clause(View(whole.where))
    then = f"{condition.sql} AND source NOT IN {recorded.LATER}"
    rows = shipped.fetch(f"SELECT point_id FROM points WHERE {then} ORDER BY 1", condition.params)
    ids = [point_id for (point_id,) in rows]
    assert len(ids) == link["points"]
    assert hashlib.sha256(" ".join(ids).encode()).hexdigest()[:16] == link["digest"]
