"""Sources and points as long tables: searched, filtered, sorted and cut into pages by DuckDB, by bound SQL alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from bench import catalogue, selection
from bench.formats.reading.point_table import TEXT
from bench.holdings.data_link import POINT_ORDERS, SOURCE_ORDERS
from bench.holdings.history import moments
from bench.holdings.tables import FILE_POINTS
from bench.library import Library
from bench.library.columns import IDENTITY, quoted
from bench.library.spread import FEW, LOADS, THROUGHPUTS, heading, spread
from bench.library.store import short
from bench.selection import Clause
from bench.view import View

ORDER = "source, model, series_id, isl, osl, concurrency, request_rate, batch, point_id"
"""The points of a series follow each other by load, and every point has one place."""

ROWS = 100
"""Rows of a page of a table: what a reader scrolls through, whatever the library holds."""

MOST_WORDS = 8
UNSEARCHED = frozenset({"source_id", "deployment_id", "workload_id", "series_id", "locator", "flags", "source_url"})
SEARCHED = tuple(name for name, kind in IDENTITY.items() if kind == TEXT and name not in UNSEARCHED)
SOURCE_SEARCHED = ("source_id", "title", "file", "format", "licence", "attribution", "url", "source_url", "retracted")

APART = ("model", "accelerator", "precision", *LOADS, THROUGHPUTS[0])
"""What the table of sources says of the points in each, so that no two rows of it look alike."""

LOADS_FIRST = (*LOADS, THROUGHPUTS[0], "model", "accelerator", "precision")
"""The same in the order of a table, where long texts would push the numbers out of sight."""

MOST_TOLD = 3
"""So many differences tell two sources of one title apart."""

TAGS_OF = "(SELECT id, list(tag ORDER BY tag) AS tags FROM tags GROUP BY id)"
NOTES_OF = "(SELECT id, string_agg(text, ' | ' ORDER BY notes.\"at\") AS notes FROM notes GROUP BY id)"


@dataclass(frozen=True)
class TablePage:
    """One page of a table: its rows, the number of the page, and how many pages and rows there are in all."""

    rows: pd.DataFrame
    page: int
    pages: int
    total: int


def sources(library: Library, view: View) -> TablePage:
    """The page of the sources a View asks for; with filters, those that have a point of the selection."""
    condition = _of_sources(view)
    total = int(library.fetch(f"SELECT count(*) FROM sources WHERE {condition.sql}", condition.params)[0][0])
    page, pages = _page(view, total)
    order = _order(view, SOURCE_ORDERS, "title, source_id")
    rows = library.query(
        "SELECT coalesce(title, file) AS title, points, scores, refusals, tags, notes, licence, source_url,"
        " first_date, last_date, imported, format, file, retracted, shipped, source_id FROM sources"
        f" LEFT JOIN {TAGS_OF} AS tagged ON tagged.id = source_id"
        f" LEFT JOIN {NOTES_OF} AS noted ON noted.id = source_id"
        f" WHERE {condition.sql} ORDER BY {order} LIMIT {ROWS} OFFSET {ROWS * (page - 1)}",
        condition.params,
    )
    apart = pd.DataFrame(_apart(library, list(rows["source_id"])), index=rows.index)
    shown = pd.concat([rows.assign(imported=moments(rows["imported"])), apart], axis="columns")
    return TablePage(shown, page, pages, total)


def called(rows: pd.DataFrame) -> dict[str, str]:
    """What each of these sources is called: its title, and where others have the same what it differs in, or its id."""
    names: dict[str, str] = {}
    for title, alike in rows.groupby("title", sort=False, dropna=False):
        differ = [name for name in APART if name in alike and alike[name].nunique(dropna=False) > 1]
        for row in alike.to_dict("records"):
            words = [f"{heading(name)} {row[name]}" for name in differ if isinstance(row[name], str)]
            more = ", ".join(words[:MOST_TOLD]) or short(row["source_id"])
            names[row["source_id"]] = f"{title} ({more})" if len(alike) > 1 else str(title)
    return names


def _apart(library: Library, ids: Sequence[str]) -> dict[str, list[str | None]]:
    """What tells these sources apart, in words, column by column: models, accelerators, loads, throughput."""
    columns = [column for column in APART if library.has(column)]
    columns_sql = ", ".join(
        f"list(DISTINCT {quoted(column)} ORDER BY {quoted(column)})[:{FEW}], max({quoted(column)}),"
        f" count(DISTINCT {quoted(column)})"
        for column in columns
    )
    rows = library.fetch(
        f"SELECT source_id, {columns_sql} FROM points WHERE source_id IN (SELECT unnest(CAST(? AS VARCHAR[])))"
        " GROUP BY source_id",
        (list(ids),),
    )
    found = {id: list(zip(*[iter(values)] * 3, strict=True)) for id, *values in rows}
    return {
        column: [_in_words(column, *found[id][place]) if id in found else None for id in ids]
        for place, column in enumerate(columns)
    }


def _in_words(column: str, first: Sequence[object], most: object, many: int) -> str | None:
    found = spread(column, [*first, most] if many else (), many)
    return found.words(column) if found else None


def points(library: Library, view: View) -> TablePage:
    """The page of the points a View asks for, with every column that one of them has, their notes and their tags."""
    condition = selected(view)
    total = int(library.fetch(f"SELECT count(*) FROM points WHERE {condition.sql}", condition.params)[0][0])
    page, pages = _page(view, total)
    return TablePage(_points(library, view, condition, ROWS, ROWS * (page - 1)), page, pages, total)


def file(library: Library, view: View) -> pd.DataFrame:
    """The first FILE_POINTS points a View asks for, in its order."""
    return _points(library, view, selected(view), FILE_POINTS, 0)


def orders(library: Library) -> tuple[str, ...]:
    """What points can be sorted by: what tells them apart, then every metric that is loaded."""
    known = {*catalogue.keys(), *library.metric_columns()}
    metrics = [catalogue.metric(key) for key in known if library.has(key)]
    metrics.sort(key=lambda metric: (metric.label.lower(), metric.key))
    return (*(key for key in POINT_ORDERS if library.has(key)), *(metric.key for metric in metrics))


def tags(library: Library) -> list[str]:
    """Every tag that something has, in alphabetical order."""
    return [tag for (tag,) in library.fetch("SELECT DISTINCT tag FROM tags ORDER BY tag")]


def _points(library: Library, view: View, condition: Clause, limit: int, offset: int) -> pd.DataFrame:
    """These points in the View's order. Only the ids are sorted: a point has a hundred columns."""
    wanted = _order(view, orders(library), ORDER)
    ids = [
        name
        for (name,) in library.fetch(
            f"SELECT point_id FROM points WHERE {condition.sql} ORDER BY {wanted} LIMIT {limit} OFFSET {offset}",
            condition.params,
        )
    ]
    rows = library.query(
        "SELECT points.*, tags, notes FROM points"
        f" LEFT JOIN {TAGS_OF} AS tagged ON tagged.id = point_id LEFT JOIN {NOTES_OF} AS noted ON noted.id = point_id"
        " WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (ids,),
    )
    place = {name: row for row, name in enumerate(ids)}
    in_order = rows.iloc[rows["point_id"].map(place).argsort()].reset_index(drop=True)
    return in_order.dropna(axis="columns", how="all")


def _order(view: View, known: Sequence[str], last: str) -> str:
    """The ORDER BY a View asks for; what is not known to this table leaves `last` alone."""
    sort = view.option("sort")
    column = sort.removeprefix("-")
    if column not in known:
        return last
    return f"{quoted(column)} {'DESC' if sort.startswith('-') else 'ASC'} NULLS LAST, {last}"


def _page(view: View, total: int) -> tuple[int, int]:
    pages = max(1, -(-total // ROWS))
    return min(int(view.option("page") or 1), pages), pages


def selected(view: View) -> Clause:
    """The condition of the points a View asks for: by filters, an opened source, a tag and words."""
    condition = selection.clause(view)
    if source := view.option("source_id"):
        condition = condition.also("source_id = ?", source)
    if tag := view.option("tag"):
        tagged = "SELECT id FROM tags WHERE tag = ?"
        condition = condition.also(f"(point_id IN ({tagged}) OR source_id IN ({tagged}))", tag, tag)
    for word in _words(view):
        written = _contains(SEARCHED)
        noted = "SELECT id FROM notes WHERE contains(lower(text), ?)"
        titled = "SELECT source_id FROM sources WHERE contains(lower(concat_ws(' ', title, file)), ?)"
        condition = condition.also(f"({written} OR point_id IN ({noted}) OR source_id IN ({titled}))", word, word, word)
    return condition


def _of_sources(view: View) -> Clause:
    condition = Clause("TRUE", ())
    if view.where:
        held = selection.clause(view)
        condition = condition.also(
            f"source_id IN (SELECT DISTINCT source_id FROM points WHERE {held.sql})", *held.params
        )
    if tag := view.option("tag"):
        condition = condition.also("source_id IN (SELECT id FROM tags WHERE tag = ?)", tag)
    for word in _words(view):
        noted = "SELECT id FROM notes WHERE contains(lower(text), ?)"
        slugs = "contains(lower(array_to_string(sources, ' ')), ?)"
        condition = condition.also(
            f"({_contains(SOURCE_SEARCHED)} OR {slugs} OR source_id IN ({noted}))", word, word, word
        )
    return condition


def _contains(columns: Sequence[str]) -> str:
    return f"contains(lower(concat_ws(' ', {', '.join(map(quoted, columns))})), ?)"


def _words(view: View) -> list[str]:
    return view.option("search").lower().split()[:MOST_WORDS]
