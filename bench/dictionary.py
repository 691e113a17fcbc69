"""What people's SQL may read: every table, each column with its unit and a plain word; and examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from bench import catalogue
from bench.library import Library
from bench.library.user_sql.grammar import TABLES
from bench.names import DATA, table

ABOUT: Mapping[str, str] = {
    "points": "One row for each measurement: a deployment under a workload at a load, and its metrics.",
    "scores": "One row for each quality result: a benchmark, its metric and value, and what was scored.",
    "prices": "One row for each dated price of an accelerator.",
    "sources": "One row for each file that was read: licence, link, counts.",
    "accelerators": "Every accelerator: its slug, which points name it by, its family and data sheet.",
    "models": "Every model: its slug, which points name it by, and its size.",
    "engines": "Every engine: its slug, which points name it by.",
    "passports": "How each metric of a source was read: its definition, unit and window there.",
    "refusals": "Every file and row that was not loaded, and why.",
    "notes": "What people wrote beside points, scores and sources.",
    "facts": "What people stated about a source after its import.",
    "retractions": "What is hidden, and why.",
}

TO_BEGIN = "SELECT model, accelerator, count(*) AS points FROM points GROUP BY ALL"

KINDS: Mapping[str, str] = {
    "VARCHAR": "text",
    "VARCHAR[]": "list of texts",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "true or false",
    "DATE": "date",
}


@dataclass(frozen=True)
class TableColumn:
    """A column: its type in words, its unit (empty where it has none) and what it holds."""

    name: str
    kind: str
    unit: str
    holds: str


@dataclass(frozen=True)
class DictionaryTable:
    """A table or view: what a row of it is, how many there are, and its columns."""

    name: str
    about: str
    rows: int
    columns: tuple[TableColumn, ...]


def tables(library: Library) -> tuple[DictionaryTable, ...]:
    """Every table people's SQL may read, as it is now: its ids last, without the metrics that no row has."""
    return tuple(_table(library, name) for name in TABLES)


def _table(library: Library, name: str) -> DictionaryTable:
    described = library.fetch(f"DESCRIBE {name}")
    counted = ", ".join(f'count("{row[0]}")' for row in described)
    rows, *stated = library.fetch(f"SELECT count(*), {counted} FROM {name}")[0]
    columns = [
        _column(str(row[0]), str(row[1]))
        for row, many in zip(described, stated, strict=True)
        if many or not catalogue.is_metric(row[0])
    ]
    return DictionaryTable(
        name, ABOUT[name], rows, tuple(sorted(columns, key=lambda column: column.name.endswith("_id")))
    )


def _column(name: str, sql_type: str) -> TableColumn:
    kind = KINDS.get(sql_type, sql_type.lower())
    if catalogue.is_metric(name):
        metric = catalogue.metric(name)
        return TableColumn(name, kind, metric.unit, metric.label)
    unit, holds = _words()[name]
    return TableColumn(name, kind, unit, holds)


@cache
def _words() -> Mapping[str, tuple[str, str]]:
    """A column's unit and what it holds, by its name; metrics have theirs in the catalogue."""
    return {row["column"]: (row["unit"], row["holds"]) for row in table("dictionary.csv")}


@dataclass(frozen=True)
class SqlExample:
    """A question an engineer has, and the SELECT that answers it."""

    question: str
    sql: str


@cache
def examples() -> tuple[SqlExample, ...]:
    """The files of data/sql_examples in the order of their names; the first line of each is its question."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((DATA / "sql_examples").glob("*.sql"))]
    return tuple(SqlExample(*text.removeprefix("-- ").rstrip().split("\n", 1)) for text in texts)
