"""Docstrings say what is done or returned: those of commands, which return nothing, are imperatives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import APP, BENCH, PAGES, breaking, nodes

VERBS = frozenset(
    """
    accept add answer append ask begin bring check close count cut delete describe do draw empty end file find
    flush follow forget free give go hand have hear hide hold import keep learn let load make merge note offer
    open pass print publish put raise read record refuse remember remove rename replace report rewrite ring run
    say scroll send serve set show stamp start state stop take tell unpack wait write
""".split()
)
"""The verbs that commands begin with."""
OF_THAT = ("check", "note", "say", "tell")
"""Those that "that" may follow: after another it is a noun."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def commands(path: Path) -> Iterator[Function]:
    """The functions and methods of a file that are called for what they do, those that are its own affair left out."""
    for node in nodes(path):
        is_public = isinstance(node, Function) and not node.name.startswith("_")
        if is_public and isinstance(node.returns, ast.Constant) and words(node):
            yield node


def words(node: Function) -> list[str]:
    return [word.strip(",;:.").lower() for word in (ast.get_docstring(node) or "").split()]


def is_imperative(said: list[str]) -> bool:
    """Whether the first word is a verb: "File the value", and not "File of a point" or "Answer that was sent"."""
    return said[0] in VERBS and said[1:2] != ["of"] and (said[1:2] != ["that"] or said[0] in OF_THAT)


def no_imperatives(path: Path) -> list[str]:
    """The commands of a file whose docstring does not begin with a verb."""
    return [node.name for node in commands(path) if not is_imperative(words(node))]


def saying_nothing(path: Path) -> list[str]:
    """The functions and classes of a file whose docstring begins with "Nothing"."""
    documented = (*Function.__args__, ast.ClassDef)
    return [
        node.name
        for node in nodes(path)
        if isinstance(node, documented) and (ast.get_docstring(node) or "").startswith("Nothing")
    ]


def test_commands_are_imperatives() -> None:
    assert not breaking(no_imperatives, BENCH + PAGES + APP)


def test_every_verb_is_one_that_a_command_begins_with() -> None:
    used = {words(node)[0] for path in BENCH + PAGES + APP for node in commands(path)}
    assert sorted(VERBS - used) == []


def test_a_docstring_says_what_is_done_or_returned() -> None:
    assert not breaking(saying_nothing, BENCH + PAGES + APP)


@pytest.mark.parametrize(
    "said", ["Opens it.", "The box.", "Answer that was sent.", "File of it.", "Nothing; opens it."]
)
def test_what_is_no_imperative_is_seen(said: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(f'class _Box:\n    async def open(self) -> None:\n        """{said}"""\n')
    assert no_imperatives(wrong) == ["open"]
