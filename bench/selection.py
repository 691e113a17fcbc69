"""What a View selects: its SQL over `points`, how many points each filter value leaves, and its name in words."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench import names
from bench.errors import UsageError
from bench.library import Library
from bench.view import FILTER_BY_KEY, Filter, View
from bench.wording import counted, joined, number

LISTED_VALUES = 500
"""A filter offers at most this many values; a longer list is no longer read, and the reader can type."""


NAMED = 3
"""So many models or accelerators are named in the line that describes a selection; more are counted."""


@dataclass(frozen=True)
class Clause:
    """A condition for SQL's WHERE and the values bound to it."""

    sql: str
    params: tuple[Any, ...]

    def also(self, sql: str, *params: Any) -> Clause:
        """This condition and another."""
        return Clause(f"{self.sql} AND {sql}", (*self.params, *params))


@dataclass(frozen=True)
class Offer:
    """One value a filter offers: how it is written in a link, the words for it, and the points it leaves."""

    value: str
    label: str
    points: int


def clause(view: View, without: Iterable[str] = ()) -> Clause:
    """The condition a View's filters make, `without` some of them; UsageError for a value that cannot be one."""
    left_out = frozenset(without)
    parts: list[str] = []
    params: list[Any] = []
    for key, values in view.where:
        if key in left_out:
            continue
        sql, bound = _condition(FILTER_BY_KEY[key], values)
        parts.append(sql)
        params.extend(bound)
    return Clause(" AND ".join(parts) or "TRUE", tuple(params))


def offers(library: Library, view: View, key: str) -> list[Offer]:
    """The loaded values of a filter with the points each leaves under the View's other filters, most points first.

    Values of a number come in numerical order.
    """
    row = FILTER_BY_KEY[key]
    if row.kind == "date" or not library.has(row.column):
        return []
    condition = clause(view, without=(key,))
    counts = library.fetch(
        f"SELECT CAST({row.column} AS VARCHAR), count(*), min({row.column}) FROM points"
        f" WHERE {condition.sql} AND {row.column} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {LISTED_VALUES}",
        condition.params,
    )
    if row.kind == "number":
        counts = sorted(counts, key=lambda line: line[2])
    return [
        Offer(written(value) if row.kind == "number" else text, _label(row, text, value), points)
        for text, points, value in counts
    ]


def workloads(library: Library, view: View) -> list[Offer]:
    """The pairs of input and output length that were asked for, shortest first, under a View's other filters.

    A pair is written "1024/8192"; lengths that were only counted of a data set make none.
    """
    condition = clause(view, without=("isl", "osl"))
    if not (library.has("isl") and library.has("osl")):
        return []
    isl, osl = as_asked("isl"), as_asked("osl")
    rows = library.fetch(
        f"SELECT {isl} AS i, {osl} AS o, count(*) FROM points WHERE {condition.sql}"
        f" AND {isl} IS NOT NULL AND {osl} IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2 LIMIT {LISTED_VALUES}",
        condition.params,
    )
    return [
        Offer(f"{written(i)}/{written(o)}", f"{number(float(i))} / {number(float(o))}", points) for i, o, points in rows
    ]


def count(library: Library, view: View) -> int:
    """How many points a View selects."""
    condition = clause(view)
    return int(library.fetch(f"SELECT count(*) FROM points WHERE {condition.sql}", condition.params)[0][0])


def not_loaded(library: Library, view: View) -> list[str]:
    """One sentence for each filter value that no loaded point has, and for what of the library cannot be read."""
    return [*library.incomplete(), *without_point(library, view)]


def without_point(library: Library, view: View) -> list[str]:
    """One sentence for each filter value that no loaded point has."""
    sentences = []
    whole = clause(view)
    selects = bool(library.fetch(f"SELECT 1 FROM points WHERE {whole.sql} LIMIT 1", whole.params))
    for key, values in view.where:
        row = FILTER_BY_KEY[key]
        if row.kind == "date" or (selects and len(values) == 1):
            continue
        for value in values:
            sql, params = _condition(row, (value,))
            if not library.has(row.column) or not library.fetch(f"SELECT 1 FROM points WHERE {sql} LIMIT 1", params):
                sentences.append(f"Nothing is loaded for {row.label.lower()} {value}.")
    return sentences


def described(library: Library, view: View) -> str:
    """The selection in one line: models, accelerators, series and points."""
    condition = clause(view)
    models, accelerators, series, points = library.fetch(
        "SELECT list(DISTINCT model ORDER BY model) FILTER (model IS NOT NULL),"
        " list(DISTINCT accelerator ORDER BY accelerator) FILTER (accelerator IS NOT NULL),"
        f" count(DISTINCT series_id), count(*) FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    if not points:
        return "Nothing is selected"
    words = [
        _named_or_counted("model", models or ()),
        _named_or_counted("accelerator", accelerators or ()),
        counted(series, "series", "series"),
        counted(points, "point"),
    ]
    return ", ".join(word for word in words if word)


def _named_or_counted(kind: str, slugs: Sequence[str]) -> str:
    """Up to three names, else how many there are: no order would make a few of many the ones to name."""
    if len(slugs) > NAMED:
        return counted(len(slugs), kind)
    return joined([names.display_name(kind, slug) for slug in slugs])


def as_asked(column: str) -> str:
    """The DuckDB expression of a point's column, where a length that was only counted of a data set is absent.

    The means of what a data set gave differ from run to run: they are no length anybody asked for.
    """
    if column not in ("isl", "osl"):
        return column
    return f"CASE WHEN {column}_requested IS NOT NULL OR dataset IS NULL THEN {column} END"


def _condition(row: Filter, values: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    if row.kind == "date":
        comparison = ">=" if row.key == "date_from" else "<="
        bound = max(values) if row.key == "date_from" else min(values)
        return f"{row.column} {comparison} ?", (_parsed(row, bound),)
    if row.kind == "number":
        return _one_of(row.column, [_parsed(row, value) for value in values])
    if row.kind == "name":
        return _one_of(row.column, [slug for value in values for slug in names.matching(row.column, value)])
    return _one_of(f"lower(CAST({row.column} AS VARCHAR))", [value.lower() for value in values])


def _one_of(expression: str, values: list[Any]) -> tuple[str, tuple[Any, ...]]:
    distinct = tuple(dict.fromkeys(values))
    return f"{expression} IN ({', '.join('?' * len(distinct))})", distinct


def _parsed(row: Filter, text: str) -> float | datetime.date:
    try:
        return float(text) if row.kind == "number" else datetime.date.fromisoformat(text)
    except ValueError:
        example = "1024" if row.kind == "number" else "2026-01-31"
        raise UsageError(
            f"{row.label} {text[:40]!r} is not a {row.kind}; write it as in {row.key}={example}."
        ) from None


def written(value: object) -> str:
    """A column's value as a filter writes it: 1024.0 is "1024"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _label(row: Filter, text: str, value: Any) -> str:
    if row.kind == "name":
        return names.display_name(row.column, text)
    return f"{float(value):,.6g}" if row.kind == "number" else text
