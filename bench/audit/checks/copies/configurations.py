"""Measurements that are alike in configuration, load and every figure."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks.copies.alike import DIGITS, EVIDENCE, LISTED, digits, where
from bench.audit.finding import Finding
from bench.library import Library
from bench.records import LOAD_FIELDS, POINT_FIELDS
from bench.wording import counted

SAME = ("model", "isl", "osl", *LOAD_FIELDS)
MAY_BE_ABSENT = ("precision", "engine", "accelerator", "accelerators", "tp")
"""What only some of several points state is the others' too, where those that state it agree."""
FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "ttft_ms_mean", "ttft_ms_p50", "tpot_ms_mean", "e2el_ms_mean")
ELSE = "requests_per_s"
"""The figure of points that state none of FIGURES."""
FEWEST = 3
"""So many points alike to the last digit are a copy; one or two may be rounded to the same."""
FEWEST_OF_A_ROW = 2
"""A row that one source has twice, alike in all that it states, is a copy where it has so many figures."""


def findings(library: Library) -> Iterator[tuple[list[str], Finding]]:
    """The sources that hold the same measurements, each with the ids of all that are alike."""
    figures = [key for key in FIGURES if library.has(key)]
    if library.has(ELSE):
        figures.append(f"CASE WHEN {' AND '.join((*(f'{key} IS NULL' for key in figures), 'TRUE'))} THEN {ELSE} END")
    if not figures:
        return
    for sources, many, ids in library.fetch(_alike_sql(figures, sorted(library.metric_columns()))):
        text = f"{where(sources)} {counted(many, 'measurement')} alike in configuration, load and every figure."
        yield ids, Finding(text, "copy", sources[0], tuple(ids[:LISTED]), values={"measurements": many})


def _alike_sql(figures: list[str], stored: list[str]) -> str:
    """The query of measurements that are held more than once, by the sources that hold them."""
    present = " + ".join(f"({key} IS NOT NULL)::INT" for key in figures)
    total = " + ".join(f"coalesce({digits(f'({key})::VARCHAR')}, 0)" for key in figures)
    whole = ", ".join((*(name for name in POINT_FIELDS if name != "locator"), *stored))
    many = " + ".join(f"({key} IS NOT NULL)::INT" for key in stored)
    agree = " AND ".join(f"min({name}) OVER one IS NOT DISTINCT FROM max({name}) OVER one" for name in MAY_BE_ABSENT)
    return (
        f"WITH held AS (SELECT point_id, source_id, source, repeat, {', '.join(MAY_BE_ABSENT)}, {total} AS digits,"
        f" {many} >= {FEWEST_OF_A_ROW} AND count(*) OVER (PARTITION BY source_id, hash({whole})) > 1 AS again,"
        f" hash({', '.join((*SAME, *figures))}) AS wide FROM points WHERE {EVIDENCE} AND ({present}) > 0),"
        f" placed AS (SELECT *, CASE WHEN {agree} THEN 0 ELSE hash({', '.join(MAY_BE_ABSENT)}) END AS place FROM held"
        " WINDOW one AS (PARTITION BY wide)),"
        " twice AS (SELECT list(DISTINCT source_id ORDER BY source_id) AS ids, list(DISTINCT source ORDER BY source)"
        " AS sources, list(point_id ORDER BY point_id) AS points, min(digits) AS digits, bool_or(again) AS again"
        " FROM placed GROUP BY wide, place HAVING count(*) > 1 AND count(DISTINCT repeat) < 2),"
        " copied AS (SELECT * FROM twice WINDOW one AS (PARTITION BY ids, sources)"
        f" QUALIFY again OR count(*) OVER one >= {FEWEST} OR max(digits) OVER one >= {DIGITS})"
        " SELECT sources, count(*), flatten(list(points)) FROM copied GROUP BY ids, sources"
        " ORDER BY count(*) DESC, sources"
    )
