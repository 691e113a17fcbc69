"""One source or one point, opened: what it is in a sentence, what people said of it, and how its figures were read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue, names
from bench.chart import deployment_words, workload_words
from bench.errors import NotFound
from bench.formats.reading.point_table import ABOUT
from bench.holdings import history, originals
from bench.library import Library
from bench.library.columns import IDENTITY, SCORES, literal
from bench.library.ledger import Retraction
from bench.library.store import short
from bench.records import Flag
from bench.wording import counted, inline, joined, quantity

OpenedRow = Mapping[str, Any]
LEADING = (
    "output_tokens_per_s total_tokens_per_s requests_per_s ttft_ms_p50 ttft_ms_mean tpot_ms_p50 tpot_ms_mean".split()
)
"""The figures a point is told by, the first two that it has."""

NAMED = 3
NAMED_KEYS = 12
PASSPORT = ("definition", "unit_in_file", "denominator", "window", "token_source")


@dataclass(frozen=True)
class Source:
    """A source: its row in `sources`, a sentence about it, who brought it in, and what can be done with it.

    `brought` is None where nobody's import is recorded; `files` are the names of its original files, none where they
    are not kept; `ships` says that it came with Kneepoint and cannot be purged; `hidden_within` counts its points and
    scores that are hidden one by one; `not_understood` is a sentence about the keys its format did not read, empty
    where it read all.
    """

    id: str
    row: OpenedRow
    sentence: str
    brought: tuple[str, str] | None
    hidden: Retraction | None
    tags: tuple[str, ...]
    files: tuple[str, ...]
    ships: bool
    hidden_within: int
    not_understood: str


@dataclass(frozen=True)
class OpenedPoint:
    """A point or a score: its row, a sentence about it, what hides it, and what is doubtful about it."""

    id: str
    kind: str
    row: OpenedRow
    sentence: str
    hidden: Retraction | None
    tags: tuple[str, ...]
    flags: tuple[Flag, ...]


def source(library: Library, source_id: str) -> Source:
    """The source with this id, or what continues it; NotFound, which says who deleted it and why, where none is."""
    source_id = library.continued(source_id)
    hidden = _hidden(library, (source_id,))
    rows = _rows(library, "SELECT *, coalesce(title, file) AS named FROM sources WHERE source_id = ?", source_id)
    if not rows:
        if hidden and hidden.purged:
            day = hidden.at[:10]
            raise NotFound(f"{short(source_id)} was deleted for good by {hidden.who} on {day}: {hidden.reason}")
        raise NotFound(f"There is no source {short(source_id)} in the library; the Data page lists those there are.")
    row = rows[0]
    ((within,),) = library.fetch("SELECT count(*) FROM retractions WHERE source_id = $1 AND id <> $1", (source_id,))
    return Source(
        source_id,
        row,
        _sentence(library, row),
        history.brought(library, source_id),
        hidden,
        tags(library, source_id),
        originals.names(library, source_id),
        ships=library.ships(source_id),
        hidden_within=within,
        not_understood=_not_understood(library, source_id),
    )


def point(library: Library, point_id: str) -> OpenedPoint:
    """The point or score with this id, a hidden one too; NotFound where there is none."""
    for kind, key, visible, stored in (
        ("point", "point_id", "points", "pack_points"),
        ("score", "score_id", "scores", "pack_scores"),
    ):
        rows = _rows(library, f"SELECT * FROM {visible} WHERE {key} = ?", point_id)
        rows = rows or _rows(library, f"SELECT * FROM {stored} WHERE {key} = ?", point_id)
        if rows:
            row = rows[0]
            told = _score_sentence(row) if kind == "score" else _point_sentence(row)
            hidden = _hidden(library, (point_id, row["source_id"]))
            return OpenedPoint(point_id, kind, row, told, hidden, tags(library, point_id), _flags(row))
    raise NotFound(f"There is no point {point_id} in the library; its source may have been deleted.")


def _flags(row: OpenedRow) -> tuple[Flag, ...]:
    stated = json.loads(row["flags"]) if row.get("flags") else []
    return tuple(Flag(*(str(one.get(part) or "") for part in ("kind", "seen", "why", "do"))) for one in stated)


def figures(library: Library, opened: OpenedPoint) -> pd.DataFrame:
    """Each figure of a point with its passport: label, value, unit, how it was read, and from what.

    A derived figure says its formula; `definition` is None where the source has no passport for it.
    """
    held = {key: value for key, value in opened.row.items() if catalogue.is_metric(key) and value is not None}
    known = {row["metric"]: row for row in _rows(library, _PASSPORTS, opened.row["source_id"])}
    raw = next(iter(_rows(library, "SELECT * FROM pack_points WHERE point_id = ?", opened.id)), {})
    rows = []
    for key in sorted(held, key=lambda one: (one not in LEADING, catalogue.metric(one).label)):
        metric, passport = catalogue.metric(key), known.get(key, {})
        definition = passport.get("definition")
        if raw.get(key) is None:
            definition = f"derived: {metric.formula}"
        rows.append(
            {
                "metric": key,
                "figure": metric.label,
                "value": held[key],
                "unit": metric.unit or None,
                "definition": definition,
                **{name: passport.get(name) for name in PASSPORT[1:]},
            }
        )
    return pd.DataFrame(rows, columns=["metric", "figure", "value", "unit", *PASSPORT])


def fields(opened: OpenedPoint) -> pd.DataFrame:
    """Everything else that is known of a point or a score, a row each: the field and its value as text."""
    columns = SCORES if opened.kind == "score" else IDENTITY
    rows = [
        {"field": key, "value": _as_text(value)}
        for key, value in opened.row.items()
        if key in columns and key != "flags" and value is not None and not catalogue.is_metric(key)
    ]
    return pd.DataFrame(rows, columns=["field", "value"])


def _as_text(value: object) -> str:
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return ", ".join(str(item) for item in value)
    return str(value)


_PASSPORTS = "SELECT * EXCLUDE (source_id) FROM passports WHERE source_id = ? ORDER BY metric"


def passports(library: Library, source_id: str) -> pd.DataFrame:
    """How each metric of a source was read."""
    return library.query(_PASSPORTS, (source_id,))


def refusals(library: Library, source_id: str) -> pd.DataFrame:
    """The rows of a source that were not loaded, and why."""
    return library.query('SELECT * EXCLUDE (source_id) FROM refusals WHERE source_id = ? ORDER BY "row"', (source_id,))


def scores(library: Library, source_id: str) -> pd.DataFrame:
    """The quality scores of a source."""
    found = library.query("SELECT * FROM scores WHERE source_id = ? ORDER BY model, benchmark, score_id", (source_id,))
    return found.dropna(axis="columns", how="all")


def notes(library: Library, id: str) -> pd.DataFrame:
    """The notes on a source, a point or a score, the oldest first: when, who, what."""
    return library.query('SELECT "at", who, text FROM notes WHERE id = ? ORDER BY "at"', (id,))


def tags(library: Library, id: str) -> tuple[str, ...]:
    """The tags of a source, a point or a score."""
    return tuple(tag for (tag,) in library.fetch("SELECT tag FROM tags WHERE id = ? ORDER BY tag", (id,)))


def values(library: Library, source_id: str, fact: str) -> list[tuple[str, int]]:
    """What the rows of a source say of a fact now: each value with its rows, the most frequent first."""
    if fact in IDENTITY:
        sql = f'SELECT CAST("{fact}" AS VARCHAR), count(*) FROM pack_points WHERE source_id = $1'
        sql += " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"
    elif fact in ABOUT:
        sql = f'SELECT "{fact}", points FROM sources WHERE source_id = $1'
    else:
        sql = "SELECT value, points FROM facts JOIN sources USING (source_id) WHERE source_id = $1"
        sql += f" AND fact = {literal(fact)}"
    return [(str(value), rows) for value, rows in library.fetch(sql, (source_id,)) if value is not None]


def _rows(library: Library, sql: str, id: str) -> list[dict[str, Any]]:
    found = library.query(sql, (id,))
    plain = found.astype(object).where(found.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def _hidden(library: Library, ids: Sequence[str]) -> Retraction | None:
    """What hides the first of these that is hidden."""
    columns = 'id, kind, source_id, reason, "at", who, purged'
    for id in ids:
        rows = library.fetch(f"SELECT {columns} FROM retractions WHERE id = ?", (id,))
        if rows:
            return Retraction(*rows[0])
    return None


def _sentence(library: Library, row: OpenedRow) -> str:
    """What a source holds: points or scores, of which models on which accelerators, measured when."""
    models, accelerators = library.fetch(
        "SELECT list(DISTINCT model ORDER BY model) FILTER (model IS NOT NULL),"
        " list(DISTINCT accelerator ORDER BY accelerator) FILTER (accelerator IS NOT NULL)"
        " FROM (SELECT model, accelerator FROM pack_points WHERE source_id = $1"
        " UNION ALL SELECT model, accelerator FROM pack_scores WHERE source_id = $1)",
        (row["source_id"],),
    )[0]
    held = [counted(row["points"], "point")] if row["points"] or not row["scores"] else []
    held += [counted(row["scores"], "score")] if row["scores"] else []
    of = _named_or_counted("model", models or [])
    on = _named_or_counted("accelerator", accelerators or [])
    words = f"{row['named']} gave {joined(held)}"
    words += f" of {of}" if of else ""
    words += f" on {on}" if on else ""
    first, last = (str(row[key])[:10] if row.get(key) else "" for key in ("first_date", "last_date"))
    if first:
        words += f", measured {first}" if first == last else f", measured from {first} to {last}"
    refused = counted(row["refusals"], "row was", "rows were") if row["refusals"] else ""
    return f"{words}; {refused} refused." if refused else f"{words}."


def _not_understood(library: Library, source_id: str) -> str:
    many, names = library.fetch("SELECT unread_keys, not_understood FROM sources WHERE source_id = $1", (source_id,))[0]
    if not many:
        return ""
    shown = names[:NAMED_KEYS]
    beyond = [f"{many - len(shown):,} more"] if many > len(shown) else []
    words = joined([*shown, *beyond], at_most=NAMED_KEYS + 1)
    return f"{counted(many, 'key was', 'keys were')} not understood: {words}."


def _named_or_counted(kind: str, slugs: Sequence[str]) -> str:
    if len(slugs) > NAMED:
        return counted(len(slugs), kind)
    return joined([names.display_name(kind, slug) for slug in slugs])


def _point_sentence(row: OpenedRow) -> str:
    figures = [
        f"{inline(catalogue.metric(key))} {quantity(float(row[key]), key)}"
        for key in LEADING
        if row.get(key) is not None
    ]
    words = ", ".join(filter(None, (deployment_words(dict(row)), workload_words(dict(row)))))
    return f"{words or 'A point'}: {joined(figures[:2])}." if figures else f"{words or 'A point'}."


def _score_sentence(row: OpenedRow) -> str:
    what = ", ".join(str(row[key]) for key in ("benchmark", "category") if row.get(key))
    unit = f" {row['unit']}" if row.get("unit") else ""
    return f"{deployment_words(dict(row))}: {row['value']:g}{unit} {row['metric']} in {what}."
