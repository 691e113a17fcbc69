"""What tells one source's points from another's: the values of each column that people tell files apart by."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench import names
from bench.catalogue import is_metric, metric
from bench.plain_text import visible
from bench.wording import joined, lowered, number

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 4
"""So many values are told one by one; of more, the least and the most."""

MOST_SEEN = 1_000
"""So many values of a column are kept in mind; of more, what is told of them."""

LOADS = ("concurrency", "request_rate", "batch")
THROUGHPUTS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
COLUMNS = (
    *"model precision accelerator accelerators tp engine engine_version isl osl".split(),
    *LOADS,
    *THROUGHPUTS,
    "date",
)
"""Columns that files differ in, in the order people read them."""

NAMED = frozenset({"model", "precision", "accelerator", "engine", "engine_version"})
"""Those whose values have no order of their own."""

SpreadValue = str | int | float


@dataclass(frozen=True)
class Spread:
    """The values of one column in one source: all of a few, else the least and the most, or the first few names;
    `many` counts all, or as many as were kept in mind."""

    values: tuple[SpreadValue, ...]
    many: int

    def words(self, column: str) -> str:
        """The values as people read them: "1, 4 and 16", "1 to 512"."""
        words = [_word(column, value) for value in self.values]
        if self.many == len(words):
            return joined(words)
        if column in NAMED:
            return joined([*words, f"{self.many - len(words)} more"])
        return f"{words[0]} to {words[-1]}"


def heading(column: str) -> str:
    """What a column is called in the name of a source."""
    return lowered(metric(column).label) if is_metric(column) else column.replace("_", " ")


def spread(column: str, values: Iterable[Any], many: int = 0) -> Spread | None:
    """The spread of these values of a column, of which there were at least so `many`; None where there is none."""
    plain = (one.isoformat() if isinstance(one, datetime.date) else one for one in values if one is not None)
    distinct = sorted(set(plain))
    if not distinct:
        return None
    if max(many, len(distinct)) <= FEW:
        return Spread(tuple(distinct), len(distinct))
    kept = distinct[:FEW] if column in NAMED else (distinct[0], distinct[-1])
    return Spread(tuple(kept), max(many, len(distinct)))


class Spreads:
    """The spread of each column of a source, counted batch by batch."""

    def __init__(self) -> None:
        self._seen: dict[str, set[Any]] = {}
        self._many: dict[str, int] = {}

    def add(self, rows: pa.Table) -> None:
        """Count these rows too."""
        import pyarrow.compute as pc

        for column in COLUMNS:
            if column in rows.column_names:
                found = {value for value in pc.unique(rows.column(column)).to_pylist() if value is not None}
                seen = self._seen.get(column, set()) | found
                if len(seen) > MOST_SEEN:
                    self._many[column] = max(self._many.get(column, 0), len(seen))
                    seen = set(sorted(seen)[:FEW]) | {max(seen)}
                self._seen[column] = seen

    @property
    def by_column(self) -> Mapping[str, Spread]:
        """The spread of every column that has a value."""
        every = {column: spread(column, values, self._many.get(column, 0)) for column, values in self._seen.items()}
        return {column: one for column, one in every.items() if one is not None}


def _word(column: str, value: SpreadValue) -> str:
    if isinstance(value, str):
        return visible(names.display_name(column, value))
    return f"{value:,}" if isinstance(value, int) else number(value)
