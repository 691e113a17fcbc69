"""What a person's SQL may say: exactly one SELECT, over the library's tables, with functions that only compute.

DuckDB's own parser tells what a statement names. Tables and table functions are allowed by name, so that what a later
DuckDB can read from disk or network is refused without being known here.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from bench.errors import QueryRefused, UnknownName

TABLES = tuple(
    "points scores prices sources accelerators models engines passports refusals notes facts retractions".split()
)
"""What people read. The others of the index repeat these and hold where the files lie."""

ROWS_FROM = frozenset({"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"})
"""The table functions that make rows of their arguments alone."""

TELLS_OR_KEEPS = frozenset(
    {"current_setting", "getvariable", "getenv", "write_log", "nextval", "currval", "setval", "json_serialize_plan"}
)
"""The scalar functions that tell about this server or change something in it."""

READS = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "VALUES_NODE", "STATEMENT_NODE"}
)
DEEPEST = 20_000
"""Levels of the parsed statement; DuckDB's own limit is 1,000 of expressions, each some levels here."""

ONE_SELECT = "Only one SELECT statement can be run here"
THE_TABLES = f"{', '.join(TABLES[:-1])} and {TABLES[-1]}"
KIND = re.compile(r"^(?:[A-Z][A-Za-z-]* ){1,4}Error: ")
LINE = re.compile(r"^LINE (\d+):")


def checked(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The statement when it is exactly one SELECT over the library's tables; QueryRefused otherwise."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as problem:
        raise QueryRefused(said(problem)) from problem
    if not statements:
        raise QueryRefused(f"{ONE_SELECT}; this text holds none.")
    kind = statements[0].type
    if kind == duckdb.StatementType.MULTI:
        raise QueryRefused(
            f"{ONE_SELECT}; a PIVOT is one when it states its values, such as ON concurrency IN (1, 16, 64)."
        )
    if len(statements) > 1:
        raise QueryRefused(f"{ONE_SELECT}; this text holds {len(statements)}.")
    if kind != duckdb.StatementType.SELECT:
        raise QueryRefused(f"{ONE_SELECT}; this is {kind.name.replace('_', ' ')}.")
    _check(_parsed(connection, statements[0].query))
    return statements[0].query


def said(problem: Exception) -> str:
    """What DuckDB says about a statement, its line first and without the excerpt of it."""
    lines = str(problem).splitlines()
    place = next((found.group(1) for line in lines if (found := LINE.match(line))), None)
    told = itertools.takewhile(lambda line: not line.startswith("LINE "), lines)
    sentence = " ".join(line.strip() for line in told if line.strip())
    sentence = KIND.sub("", sentence)[:500] or type(problem).__name__
    return f"Line {place}: {sentence}" if place else sentence


def _parsed(connection: duckdb.DuckDBPyConnection, statement: str) -> Any:
    try:
        with connection.cursor() as apart:
            text = apart.execute("SELECT json_serialize_sql($1)", [statement]).fetchall()[0][0]
    except duckdb.Error as problem:
        raise QueryRefused(said(problem)) from problem
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        parsed = json.loads(text)
    except RecursionError as problem:
        raise QueryRefused("The query is nested too deeply; write it more simply.") from problem
    finally:
        sys.setrecursionlimit(before)
    if parsed["error"]:
        raise QueryRefused(f"The query cannot be checked: {parsed.get('error_message', 'it is no plain SELECT')}")
    return parsed["statements"]


def _check(statements: Any) -> None:
    """Raise QueryRefused for the first thing in the statement that people's SQL may not name."""
    for node, with_names in _nodes(statements):
        kind = str(node.get("type", ""))
        if kind.endswith("_NODE") and kind not in READS:
            verb = kind.removesuffix("_NODE").removesuffix("_QUERY").replace("_", " ")
            raise QueryRefused(f"{ONE_SELECT}; this one holds a {verb}.")
        if kind == "BASE_TABLE":
            _check_table(node["qualified_name"]["path"], with_names)
        elif kind == "SHOW_REF":
            if node["show_type"] == "SHOW_SPECIAL":
                raise QueryRefused(f"The tables are {THE_TABLES}; DESCRIBE tells the columns of one.")
            if node["query"] is None:
                _check_table(node["qualified_name"]["path"], with_names)
        elif kind == "TABLE_FUNCTION":
            name = _last(node["function"])
            if name not in ROWS_FROM:
                raise QueryRefused(f"{name} is not available here: a query reads {THE_TABLES}, and no file.")
        elif kind == "FUNCTION" and (name := _last(node)) in TELLS_OR_KEEPS:
            raise QueryRefused(f"{name} is not available here: a query reads the library and nothing of the server.")


def _check_table(path: list[str], with_names: frozenset[str]) -> None:
    *before, name = (part.strip('"').lower() for part in path)
    if name in with_names and not before:
        return
    if name not in TABLES or (before and before not in (["main"], ["memory", "main"])):
        raise QueryRefused(UnknownName("table", ".".join((*before, name)), TABLES).on_a_page)


def _last(function: Mapping[str, Any]) -> str:
    return str(function["qualified_name"]["path"][-1]).strip('"').lower()


def _nodes(root: Any) -> Iterator[tuple[Mapping[str, Any], frozenset[str]]]:
    """Every part of a parsed statement, with the names that WITH gives where it stands."""
    waiting: list[tuple[Any, frozenset[str]]] = [(root, frozenset())]
    while waiting:
        part, names = waiting.pop()
        if isinstance(part, list):
            waiting.extend((one, names) for one in reversed(part))
        elif isinstance(part, dict):
            given = (part.get("cte_map") or {}).get("map") or ()
            names = names | {str(one["key"]).lower() for one in given}
            yield part, names
            waiting.extend((one, names) for one in reversed(part.values()))
