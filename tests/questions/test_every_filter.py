"""A link with one filter, any that a page offers: every question answers it in sentences and draws its chart.

Crossover, which pairs what is left, draws them all; the values are dealt out among the other questions, so that each
draws some of every filter. In `make check` the same is done with a few values of each.
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

PAIRING = "crossover"
OTHERS = [name for name in questions() if name != PAIRING]
ONE_OF_SERIES = 7
"""There are as many series as values of all other filters together, and much alike: one of so many is tried."""

OF_A_FILTER = 4
"""So many values of a filter are tried unless every one is: there are some forty models."""

every_filter = pytest.mark.parametrize("key", some(FILTER_BY_KEY, 5))


def offered(library: Library, key: str) -> list[str]:
    """The values of a filter that a page offers to who has chosen nothing else."""
    values = [str(offer.value) for offer in offers(library, View(), key)]
    return values[::ONE_OF_SERIES] if key == "series" else values


def draw(library: Library, name: str, key: str, value: str) -> None:
    answer = question(name).answer(library, View.of({key: [value]}))
    assert answer.headline.endswith("."), answer.headline
    assert isinstance(question(name).figure(answer.result, LIGHT), go.Figure)


@every_filter
def test_crossover_is_drawn_with_any_one_filter(key: str, shipped: Library) -> None:
    for value in some(offered(shipped, key), 1, OF_A_FILTER):
        draw(shipped, PAIRING, key, value)


@every_filter
def test_every_question_is_drawn_with_any_one_filter(key: str, shipped: Library) -> None:
    values = some(offered(shipped, key), 1_000, 2 * OF_A_FILTER)
    turn = list(FILTER_BY_KEY).index(key)
    if len(values) < len(OTHERS):  # so few that each question draws them all
        asked = [(name, value) for name in OTHERS for value in values]
    else:
        asked = [(OTHERS[(turn + place) % len(OTHERS)], value) for place, value in enumerate(values)]
    for name, value in some(asked, 4, len(OTHERS)):
        draw(shipped, name, key, value)


@pytest.mark.parametrize("accelerator", ["b200", "mi355x"])
def test_links_that_once_could_not_be_drawn_are(accelerator: str, shipped: Library) -> None:
    draw(shipped, PAIRING, "accelerator", accelerator)
    draw(shipped, PAIRING, "engine", "tensorrt-llm")
