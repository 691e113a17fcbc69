"""Every sentence of every answer is short, speaks of single chips and reads as one says it, for each shipped model."""

from __future__ import annotations

import re

import pytest

from bench.basis.statement import Role
from bench.basis.wording import CAVEAT, FINDING, LONGEST, fitting, listing
from bench.library import Library
from bench.questions import questions
from bench.view import View
from tests.thorough import some

MOST: dict[Role, int] = {"headline": LONGEST, "finding": FINDING, "caveat": CAVEAT, "coverage": CAVEAT}
"""So many words a sentence has at most, by its part in the answer."""

ODD = (
    r"(?<![\d.,])0 of the\b",
    r"The 1 listed",
    r"\bsnapshot\b.* leads ",
    r"\b1 [a-z]+ cross\b",
    r"\bNVL72\b",
    r"\b1 [A-Z]\w+ holds",
)
"""What nobody says: counts of nothing and of one, a build's number as a name, and a chip by the name of its rack."""


@pytest.mark.parametrize("name", [name for name in questions() if name != "overview"])
def test_every_sentence_on_every_model_is_short_and_plain(shipped: Library, name: str) -> None:
    rows = shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    assert len(rows) > 30
    long, odd = [], []
    for model in some([None, *(model for (model,) in rows)], 4, 6):
        told = questions()[name].answer(shipped, View.of({"model": [model]} if model else {}))
        for one in told.statements:
            long += [(model, one.text)] * (len(one.text.split()) > MOST.get(one.role, CAVEAT))
            odd += [(model, one.text)] * any(re.search(words, one.text) for words in ODD)
    assert not long
    assert not odd


@pytest.mark.parametrize("model", [None, "deepseek-r1", "flan-ul2", "llama-3.1-8b", "random-llama-0.2m"])
def test_the_overview_too(shipped: Library, model: str | None) -> None:
    """Its sentences are of those pages, and the slowest to have for every model."""
    told = questions()["overview"].answer(shipped, View.of({"model": [model]} if model else {}))
    assert [one.text for one in told.statements if len(one.text.split()) > MOST[one.role]] == []
    assert not any(re.search(words, one.text) for one in told.statements for words in ODD)


def test_a_list_stops_where_the_sentence_would_be_long() -> None:
    parts = [f"part {place}" for place in range(20)]
    told = listing("All of these: ", parts, ".")
    assert told.text == f"All of these: {', '.join(parts[: told.shown])} and {20 - told.shown} more."
    assert LONGEST - 2 <= len(told.text.split()) <= LONGEST
    assert listing("Both: ", parts[:2], ".").text == "Both: part 0 and part 1."
    assert listing("By cost: ", ["a 1", "b 2", "c 3"], ".", by="; ", longest=5) == ("By cost: a 1; 2 more.", 1)
    long = " ".join(["word"] * 40)
    assert listing("", [long, "short"]).shown == 1
    assert fitting(long, "short") == "short"
