"""What is checked, a module each; here the rows of points that several look at more closely, as plain mappings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench.audit.finding import Finding
from bench.formats.plausibility import columns
from bench.library import Library

NAMED = ("point_id", "source", "model", "precision", "engine", "accelerator", "accelerators")
BATCH = 50_000
"""So many points are judged at once as readers judge them."""
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


def doubts_of(library: Library, *kinds: str) -> Iterator[Finding]:
    """The points that earn a flag of one of these kinds by the rules of every reader, in the order of the kinds."""
    wanted = [*(key for key in columns.JUDGED_BY if library.has(key)), *sorted(library.metric_columns())]
    found: list[tuple[int, str, str, str]] = []
    with library.cursor() as cursor:
        rows = cursor.sql(f"SELECT {', '.join(('point_id', 'source', *wanted))} FROM points")
        for batch in rows.to_arrow_reader(BATCH):
            ids, sources = batch.column("point_id"), batch.column("source")
            for row, doubts in columns.doubtful({key: batch.column(key) for key in wanted}, batch.num_rows).items():
                about = (ids[row].as_py(), sources[row].as_py())
                found += [(kinds.index(flag.kind), *about, flag.seen) for flag in doubts if flag.kind in kinds]
    for kind, point_id, source, seen in sorted(found):
        yield Finding(seen, kinds[kind], source, (point_id,))
