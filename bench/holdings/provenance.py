"""Where what a chart shows comes from, in one line: for a picture that leaves the app."""

from __future__ import annotations

import pandas as pd

from bench import selection
from bench.library import Library
from bench.view import View
from bench.wording import joined

NAMED = 4
"""So many sources and price books are named; more are counted."""

FACTS = "the published facts of models and accelerators"


def line(library: Library, view: View, rows: pd.DataFrame, *, of_points: bool = True) -> str:
    """The sources of these charted rows with their dates, the price books, and the library's version.

    Rows that name no source, as those of pairs, have all that the View selects; not `of_points` is what is known of
    models and accelerators alone.
    """
    told = [f"Source: {_sources(library, view, rows) if of_points else FACTS}"]
    books = sorted(set(rows["book"].dropna())) if "book" in rows else []
    told += [f"prices: {joined(books, at_most=NAMED)}"] if books else []
    return "; ".join([*told, f"Kneepoint library {library.version}."])


def _sources(library: Library, view: View, rows: pd.DataFrame) -> str:
    """Each source with the days between which it was measured, the one with the most rows first."""
    if not {"source", "date"} <= set(rows.columns):
        condition = selection.clause(view)
        rows = library.query(f"SELECT source, date FROM points WHERE {condition.sql}", condition.params)
    dated = rows["date"].groupby(rows["source"])
    spans = pd.DataFrame({"many": dated.size(), "first": dated.min(), "last": dated.max()})
    spans = spans.sort_values(["many"], ascending=False, kind="stable")
    names = [
        f"{source} ({_days(first, last)})"
        for source, first, last in zip(spans.index, spans["first"], spans["last"], strict=True)
    ]
    return joined(names, at_most=NAMED) or "not stated"


def _days(first: object, last: object) -> str:
    days = dict.fromkeys(str(day)[:10] for day in (first, last) if not pd.isna(day))  # type: ignore[call-overload]
    return " to ".join(days) or "undated"
