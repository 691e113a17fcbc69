"""Points as the published table, which any Kneepoint imports: CSV, JSON or Parquet; see docs/published-format.md."""

from __future__ import annotations

import json

import pandas as pd

from bench.catalogue import is_metric, metric
from bench.export import ExportFormat
from bench.export.rows import files
from bench.formats.published import WRITTEN_AS
from bench.holdings.listing import selected
from bench.library import Library
from bench.records import POINT_FIELDS
from bench.view import View

LISTED = "restated_in"
ABOUT = "Everything that is stored of the points, a row each; any Kneepoint imports it."


def points(library: Library, view: View) -> pd.DataFrame:
    """The points a View selects, in the columns of a published table: what is stored, and nothing that is derived.

    Columns that no point fills are left out. Ids are not in it: whoever imports the table gives it ids of its own.
    """
    columns = [*(name for name in POINT_FIELDS if name != "locator"), *sorted(library.metric_columns())]
    stored = ", ".join(_stored(library, name) for name in columns)
    condition = selected(view)
    rows = library.query(
        f"SELECT {stored} FROM points WHERE {condition.sql} ORDER BY source, locator, point_id", condition.params
    )
    filled = rows[[name for name in columns if rows[name].notna().any()]]
    return filled.rename(columns=WRITTEN_AS)


def _stored(library: Library, name: str) -> str:
    """The column without the values that follow from others: they would come in as if somebody had measured them."""
    row = metric(name) if is_metric(name) else None
    if row is None or row.sql is None or not all(map(library.has, row.inputs)):
        return f'"{name}"'
    return f'nullif("{name}", {row.sql}) AS "{name}"'


def as_csv(rows: pd.DataFrame) -> bytes:
    """Such a table as CSV; numbers have all their digits."""
    return files.csv(_with_texts(rows))


def as_parquet(rows: pd.DataFrame) -> bytes:
    """Such a table as Parquet."""
    return files.parquet(_with_texts(rows))


def as_json(rows: pd.DataFrame) -> bytes:
    """Such a table as a JSON list of objects; what is absent is left out."""
    objects = [
        {
            name: list(value) if _is_list(value) else value
            for name, value in row.items()
            if _is_list(value) or pd.notna(value)
        }
        for row in rows.astype(object).to_dict("records")
    ]
    return json.dumps(objects, ensure_ascii=False, indent=1, default=lambda day: day.isoformat()[:10]).encode()


def _with_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Lists as the JSON text that a cell may hold: an entry may have any mark in it that could divide them."""
    if LISTED not in rows:
        return rows
    texts = [json.dumps(list(value), ensure_ascii=False) if _is_list(value) else None for value in rows[LISTED]]
    return rows.assign(**{LISTED: pd.Series(texts, index=rows.index, dtype=object)})


def _is_list(value: object) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str)


FORMATS = (
    ExportFormat(
        "published-csv", "Published table, CSV", ".csv", "text/csv", lambda *asked: as_csv(points(*asked)), ABOUT
    ),
    ExportFormat(
        "published-json",
        "Published table, JSON",
        ".json",
        "application/json",
        lambda *asked: as_json(points(*asked)),
        ABOUT,
    ),
    ExportFormat(
        "published-parquet",
        "Published table, Parquet",
        ".parquet",
        "application/vnd.apache.parquet",
        lambda *asked: as_parquet(points(*asked)),
        ABOUT,
    ),
)
