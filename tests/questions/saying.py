"""What an answer says, read by the kind of its statements and not by their words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from bench.basis.statement import Role, Statement, Value
from bench.questions import Answer

LONGEST, FINDING, CAVEAT = 25, 30, 40
MOST: dict[Role, int] = {"headline": LONGEST, "finding": FINDING}
"""So many words a sentence has at most, by its part in the answer; one of another part as many as a caveat."""

ODD = (
    r"(?<![\d.,])0 of the\b",
    r"The 1 listed",
    r"\bsnapshot\b.* leads ",
    r"\b1 [a-z]+ cross\b",
    r"\bNVL72\b",
    r"\b1 [A-Z]\w+ holds",
    r"\b1 (points|chips|requests|users|instances|deployments|spares|accelerators|places|runs|cells|models|groups)\b",
    r"\b(No loaded|every) (price|terms)\b|[nN]o price \(",
    r"\b1 (chip|user|instance|deployment) (take|serve|draw|state|are)\b",
    r"\b(\d\d+|[2-9]) (deployment|instance|user|spare)\b",
    r"\bIts chip draw\b",
    r"\bone instance are\b",
    r"  |\.\.| ,|.\bNone\b|\bnan\b",
)
"""What nobody says: counts of nothing and of one, the like of several, a build's number as a name, a chip by the name
of its rack, and what is left of a value that is not there."""

UNREAD = ("prices", "left_out", "ruled_out")
"""Kinds of sentence that list counts and names, whatever they are: ODD is not looked for in them."""

HEADED = ("stands_out",)
"""Kinds of sentence that are another answer's headline, its subject included: they may be longer."""


def kinds(answer: Answer[Any], *roles: Role) -> list[str]:
    """The kinds of what an answer says in these parts of it, in order; of all it says where no part is named."""
    return [one.kind for one in answer.statements if not roles or one.role in roles]


def statements(answer: Answer[Any], kind: str) -> list[Statement]:
    """Every statement of a kind, in order."""
    return [one for one in answer.statements if one.kind == kind]


def statement(answer: Answer[Any], kind: str) -> Statement:
    """The one statement of a kind."""
    found = statements(answer, kind)
    assert len(found) == 1, f"{len(found)} statements are of the kind {kind}; there are {', '.join(kinds(answer))}"
    return found[0]


def said(answer: Answer[Any], kind: str) -> dict[str, Value]:
    """What the one statement of a kind says, by name."""
    return dict(statement(answer, kind).values)


def headline(answer: Answer[Any]) -> tuple[str, dict[str, Value]]:
    """The kind of an answer's headline, and what it says by name."""
    [kind] = kinds(answer, "headline")
    return kind, said(answer, kind)


Told = Mapping[str, Mapping[str, object] | list[Mapping[str, object]]]
"""Values by the kind of their statements; of a kind with several the values of each, in order."""


def tells(answer: Answer[Any], wanted: Told, rel: float = 5e-3) -> None:
    """Assert that the statements of each kind say these values among others, and that no sentence reads odd."""
    for kind, values in wanted.items():
        found = statements(answer, kind)
        every = values if isinstance(values, list) else [values]
        assert len(found) == len(every), (kind, kinds(answer))
        told = [{key: one.values.get(key) for key in of} for one, of in zip(found, every, strict=True)]
        assert told == [{key: _nearly(one, rel) for key, one in of.items()} for of in every], kind
    assert badly_said(answer) == []


def _nearly(value: object, rel: float) -> object:
    """A fraction within so much of itself, a whole number but for rounding, anything else as it is."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return pytest.approx(value, rel=rel if isinstance(value, float) else 1e-9) if is_number else value


def badly_said(answer: Answer[Any]) -> list[str]:
    """The sentences of an answer that are longer than those of their part may be, or that nobody would say so."""
    return [
        one.text
        for one in answer.statements
        if (one.kind not in HEADED and len(one.text.split()) > MOST.get(one.role, CAVEAT))
        or (one.kind not in UNREAD and any(re.search(words, one.text) for words in ODD))
    ]
