"""Kinds of flag: their words, their weight, and the SQL that finds them."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path

import duckdb
import pytest

from bench import flags
from bench.library import Library

BENCH = Path(flags.__file__).parent


def stated(*kinds: str) -> str:
    return json.dumps([{"kind": kind, "seen": "s", "why": "w", "do": "d"} for kind in kinds])


@cache
def raised() -> set[str]:
    """The kinds that the code itself raises: the first argument of each Flag(...), where it is a plain text."""
    found = set()
    for text in (path.read_text() for path in BENCH.rglob("*.py")):
        for node in ast.walk(ast.parse(text)) if "Flag(" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Flag":
                found |= {one.value for one in node.args[:1] if isinstance(one, ast.Constant)}
    return found


def test_every_kind_that_is_raised_or_shipped_is_listed(shipped: Library) -> None:
    rows = shipped.fetch("SELECT DISTINCT flags FROM points WHERE flags IS NOT NULL")
    of_points = {kind for (text,) in rows for kind in flags.kinds_of(text)}
    assert len(raised()) > 10
    assert (raised() | of_points) - flags.KINDS.keys() == set()


def test_kinds_are_told_in_words_and_one_that_is_not_listed_by_its_name() -> None:
    assert flags.words("littles-law") == "against Little's law"
    assert flags.words("slow_first-token") == "slow first token"
    assert flags.weight("slow_first-token") == "warns"
    assert not [kind for kind, row in flags.KINDS.items() if set("_") & set(row.words)]


def test_notes_are_not_told_in_sentences() -> None:
    assert {flags.kinds_of(nothing) for nothing in (None, "", "[]", float("nan"))} == {()}  # type: ignore[arg-type]
    kinds = flags.kinds_of(stated("too_few_requests", "decode-only", "decode-only"))
    assert kinds == ("too_few_requests", "decode-only")
    assert flags.printed(kinds) == ["decode only"]


@pytest.mark.parametrize(
    ("text", "excluded", "beyond"),
    [
        (None, False, False),
        ("", False, False),
        ("[]", False, False),
        (stated("decode-only"), False, True),
        (stated("too_few_requests"), False, False),
        (stated("too_few_requests", "littles-law"), True, True),
        (stated("littles-law-like"), False, True),
    ],
)
def test_sql_finds_what_the_lists_say(text: str | None, excluded: bool, beyond: bool) -> None:
    point = "(SELECT CAST($1 AS VARCHAR) AS flags)"
    sql = f"SELECT {flags.has_sql(flags.EXCLUDING)}, {flags.beyond_notes_sql()} FROM {point}"
    assert duckdb.connect().execute(sql, [text]).fetchall() == [(excluded, beyond)]
