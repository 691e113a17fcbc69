"""What an answer says, read by the kind of its statements and not by their words."""

from __future__ import annotations

from typing import Any

from bench.basis.statement import Role, Statement, Value
from bench.questions import Answer


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
