"""What is checked, a module each; here the rows of points that several look at more closely, as plain mappings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench import catalogue
from bench.library import Library

NAMED = ("point_id", "source", "model", "precision", "engine", "accelerator", "accelerators")
MOST = 5_000
"""So many points are looked at closely by one check: those that are off the most, when SQL puts them first."""


def rows_where(
    library: Library, needed: Iterable[str], condition: str, columns: Iterable[str] = ()
) -> Iterator[Mapping[str, Any]]:
    """The rows of points that meet a condition on columns the library has; none where one of `needed` is absent.

    A row leaves out what is not stated. `columns` are read where the library has them.
    """
    if not all(library.has(key) for key in needed):
        return
    wanted = list(dict.fromkeys((*NAMED, *needed, *(key for key in columns if library.has(key)))))
    sql = f"SELECT {', '.join(wanted)} FROM points WHERE {condition} LIMIT {MOST}"
    for values in library.fetch(sql):
        yield {key: value for key, value in zip(wanted, values, strict=True) if value is not None}


def metrics_of(row: Mapping[str, Any]) -> dict[str, float]:
    """The metrics among a row's columns."""
    return {key: value for key, value in row.items() if catalogue.is_metric(key)}
