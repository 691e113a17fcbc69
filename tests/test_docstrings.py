"""Docstrings of commands, which return nothing, are imperatives: "File the value", not "Files it" or "The value"."""

from __future__ import annotations

import ast
from pathlib import Path

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
AFTER_A_NOUN = {"of": (), "that": ("check", "note", "say", "tell")}
"""What follows a noun that looks like a verb, as in "File of a point", each with the verbs that it may follow too."""


def no_imperatives(path: Path) -> list[str]:
    """The public functions and methods of a file that return nothing and whose docstring begins with no verb."""
    return [
        node.name
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
        if isinstance(node.returns, ast.Constant) and not is_imperative(ast.get_docstring(node) or "do")
    ]


def is_imperative(said: str) -> bool:
    first, second, *_ = [word.strip(",;:.").lower() for word in said.split()] + [""]
    return first in VERBS and first in AFTER_A_NOUN.get(second, VERBS)


def test_commands_are_imperatives() -> None:
    assert not breaking(no_imperatives, BENCH + PAGES + APP)


def test_what_is_no_imperative_is_seen(tmp_path: Path) -> None:
    for said in ("Opens it.", "The box.", "Answer that was sent.", "File of it.", "Nothing; opens it."):
        wrong = tmp_path / f"{said}py"
        wrong.write_text(f'class _Box:\n    async def open(self) -> None:\n        """{said}"""\n')
        assert no_imperatives(wrong) == ["open"], said
