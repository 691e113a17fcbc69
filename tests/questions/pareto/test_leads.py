"""Who leads where: what comparing all points gives, and whether that holds when one choice changes."""

from __future__ import annotations

from typing import Any

import pytest

from bench.basis import prices
from bench.library import Library
from bench.questions import Answer, pareto
from bench.view import View
from tests.questions.pareto.results import COST, X
from tests.thorough import some

DEEPSEEK = {"model": ["deepseek-r1"]}
LIMIT = f"{X}>=60"


@pytest.mark.parametrize(
    ("isl", "osl", "options", "slo"),
    [(8192, 1024, {}, ()), (1024, 8192, {"y": COST, "group": "engine"}, ()), (1024, 8192, {"y": COST}, (LIMIT,))],
)
def test_a_variation_says_what_the_answer_says_with_that_choice(
    shipped: Library, isl: int, osl: int, options: dict[str, str], slo: tuple[str, ...]
) -> None:
    view = View.of({**DEEPSEEK, "precision": ["fp8"], "isl": [isl], "osl": [osl]}, options, slo=slo)
    whole = pareto.complete(shipped, view)
    found = pareto.robustness(shipped, whole)
    assert found is not None
    told = {words: verdict.code for words, verdict in found.otherwise}
    own = leader(pareto.answer(shipped, whole))
    others = {
        "without flagged points": whole.with_options(flagged="out"),
        "with older runs too": whole.with_options(runs="all"),
        "without speculation": whole.with_where(speculation=["none"]),
    }
    if "y" in options:
        choice = prices.read(shipped, whole)
        others |= {
            f"at {words}": whole.with_options(price_book=other.book, provider=other.provider)
            for words, other in prices.alternatives(shipped, choice).items()
        }
    for words, other in some(others.items(), 3):
        answer = pareto.answer(shipped, other)
        then = leader(answer)
        priced = {group.owner for group in answer.result.groups}
        if then is None or (words.startswith("at ") and own not in priced):
            assert (words, None) in found.others or words not in told
        else:
            assert told.get(words, own) == then


def leader(answer: Answer[Any]) -> str | None:
    """The owner that an answer's headline names."""
    found = answer.result
    label = found.widest and found.widest.group
    if found.limits:
        best = [group for group in found.groups if group.best and group.best == found.best]
        return best[0].owner if best else None
    return next((group.owner for group in found.groups if group.label == label), None)


def test_a_verdict_that_does_not_hold_says_what_leads_instead(shipped: Library) -> None:
    found = pareto.robustness(shipped, View.of({**DEEPSEEK, "precision": ["fp8"], "isl": [1024], "osl": [8192]}))
    assert found is not None
    ((way, verdict),) = found.otherwise
    assert (found.holding, found.ways) == (1, 2)
    assert (way, verdict.code) == ("without speculation", "gb200")
