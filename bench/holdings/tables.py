"""What the library holds as tables: counts, sources, the points of a View, passports, refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from bench import catalogue, selection
from bench.holdings.history import moments
from bench.library import Library
from bench.view import View
from bench.wording import counted

FILE_POINTS = 50_000
"""A file of points holds at most this many; who needs more asks the library by SQL."""

COUNTED = ("points", "scores", "sources", "refusals")


def counts(library: Library) -> dict[str, int]:
    """How many points, scores, sources and refusals are loaded."""
    sql = ", ".join(f"(SELECT count(*) FROM {name})" for name in COUNTED)
    return dict(zip(COUNTED, library.fetch(f"SELECT {sql}")[0], strict=True))


def summary(library: Library) -> str:
    """One sentence about the whole library: how much, from how many sources, how new, and what was refused."""
    held = counts(library)
    newest = library.fetch("SELECT max(date) FROM points")[0][0]
    of_scores = library.fetch("SELECT count(*) FROM sources WHERE points = 0 AND scores > 0")[0][0]
    apart = f", {of_scores} of them with scores only" if of_scores else ""
    dated = f", the newest measured on {newest}" if newest else ""
    refused = counted(held["refusals"], "row or file was", "rows and files were") if held["refusals"] else "nothing was"
    loaded = f"{counted(held['points'], 'point')} and {counted(held['scores'], 'score')}"
    sources = counted(held["sources"], "source")
    return f"The whole library holds {loaded} from {sources}{apart}{dated}; {refused} refused."


def sources(library: Library) -> pd.DataFrame:
    """A row for each source: what it is, its licence, its links, what it gave, and whether it is hidden."""
    return library.query(
        "SELECT coalesce(title, file) AS title, points, scores, refusals, licence, source_url, licence_url,"
        " first_date, last_date, retrieved, attribution, file, format, tool_version, facts, retracted, shipped,"
        " imported, source_id FROM sources ORDER BY points + scores DESC, title, source_id"
    )


def passports(library: Library, view: View) -> pd.DataFrame:
    """How each metric of the sources a View selects was read: format, definition, unit, denominator, window."""
    condition = selection.clause(view)
    return library.query(
        f"SELECT coalesce(s.title, s.file) AS title, p.* FROM passports p JOIN sources s USING (source_id)"
        f" WHERE source_id IN (SELECT DISTINCT source_id FROM points WHERE {condition.sql})"
        " ORDER BY title, p.metric",
        condition.params,
    )


def passports_of(library: Library, point_id: str, metrics: Iterable[str] = ()) -> pd.DataFrame:
    """How a point's metrics were read, with those that a derived one is computed from; all when none is named."""
    wanted = {key for metric in metrics for key in (metric, *catalogue.metric(metric).inputs)}
    rows = library.query(
        "SELECT * EXCLUDE (source_id) FROM passports WHERE source_id IN"
        " (SELECT source_id FROM points WHERE point_id = ?) ORDER BY metric",
        (point_id,),
    )
    named = rows[rows["metric"].isin(list(wanted))]
    return named if wanted else rows


def scores(library: Library) -> pd.DataFrame:
    """Every quality score, with every column that one of them has."""
    found = library.query("SELECT * FROM scores ORDER BY source, model, benchmark, category, score_id")
    return found.dropna(axis="columns", how="all")


def prices(library: Library) -> pd.DataFrame:
    """Every price of every book, with every column that one of them has."""
    found = library.query("SELECT * FROM prices ORDER BY book, provider, accelerator, terms")
    return found.dropna(axis="columns", how="all")


def hidden(library: Library) -> pd.DataFrame:
    """What was hidden or deleted, the newest first: what it is, the source it lies in, the reason, who and when."""
    rows = library.query(
        "SELECT CASE WHEN purged THEN 'deleted source' WHEN r.kind = 'source' THEN 'source'"
        " WHEN EXISTS (SELECT 1 FROM pack_scores WHERE score_id = r.id) THEN 'score' ELSE 'point' END AS hidden,"
        ' coalesce(s.title, s.file, left(r.source_id, 12)) AS title, r.reason, r.who, r."at", r.id, r.source_id,'
        " r.kind, r.purged FROM retractions r LEFT JOIN sources s ON s.source_id = r.source_id"
        ' ORDER BY r."at" DESC, r.id'
    )
    return rows.assign(at=moments(rows["at"]))


TABLES: Mapping[str, Callable[[Library], pd.DataFrame]] = {
    "sources": sources,
    "scores": scores,
    "prices": prices,
    "refusals": lambda library: library.refusals(),
    "hidden": hidden,
}
"""The tables of the whole library by name."""
