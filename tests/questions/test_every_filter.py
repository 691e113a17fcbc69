"""A link with one filter, any that a page offers: every question answers it in sentences and draws its chart.

The values of each filter are dealt out among the questions, so that each draws some of many filters; `make test-all`
deals out all values.
"""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from bench.chart import LIGHT
from bench.library import Library
from bench.questions import question, questions
from bench.selection import offers
from bench.view import FILTER_BY_KEY, View
from tests.thorough import some

QUESTIONS = list(questions())
ONE_OF_SERIES = 7
"""There are as many series as values of all other filters together, and much alike: one of so many is tried."""


def draw(library: Library, name: str, key: str, value: str) -> None:
    answer = question(name).answer(library, View.of({key: [value]}))
    assert answer.headline.endswith("."), answer.headline
    assert isinstance(question(name).figure(answer.result, LIGHT), go.Figure)


@pytest.mark.parametrize("key", some(FILTER_BY_KEY, 5))
def test_a_question_is_drawn_with_any_one_filter(key: str, shipped: Library) -> None:
    values = [str(offer.value) for offer in offers(shipped, View(), key)]
    turn = list(FILTER_BY_KEY).index(key) * 5
    for place, value in enumerate(some(values[::ONE_OF_SERIES] if key == "series" else values, 2, 4)):
        draw(shipped, QUESTIONS[(turn + place) % len(QUESTIONS)], key, value)
