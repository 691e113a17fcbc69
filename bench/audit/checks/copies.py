"""Copies: the same figure of the same configuration in two sources, or twice in one, counts twice."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.finding import Finding
from bench.library import Library
from bench.records import LOAD_FIELDS
from bench.wording import counted

TITLE = "Copies"
RULE = "a measurement is loaded once"

SAME = ("model", "precision", "engine", "accelerator", "accelerators", "tp", "isl", "osl", *LOAD_FIELDS)
FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "ttft_ms_mean", "ttft_ms_p50", "tpot_ms_mean", "e2el_ms_mean")
FEWEST = 3
"""So many points alike to the last digit are a copy; one or two may be rounded to the same."""
DIGITS = 9
"""One point is a copy where its figures have so many significant digits together: chance is one in a billion."""

LISTED = 40


def findings(library: Library) -> Iterator[Finding]:
    """The pairs of sources, and the single ones, that hold the same measurements."""
    held = [key for key in FIGURES if library.has(key)]
    if not held:
        return
    stated = " + ".join(f"({key} IS NOT NULL)::INT" for key in held)
    digits = " + ".join(
        f"coalesce(length(trim(regexp_replace({key}::VARCHAR, '[^0-9]', '', 'g'), '0')), 0)" for key in held
    )
    rows = library.fetch(
        f"WITH held AS (SELECT point_id, source_id, source, repeat, {digits} AS digits,"
        f" hash({', '.join((*SAME, *held))}) AS same FROM points WHERE evidence = 'measured' AND ({stated}) > 0),"
        " twice AS (SELECT list(DISTINCT source_id ORDER BY source_id) AS ids, list(DISTINCT source ORDER BY source)"
        " AS sources, list(point_id ORDER BY point_id) AS points, min(digits) AS digits FROM held GROUP BY same"
        " HAVING count(*) > 1 AND count(DISTINCT repeat) < 2)"
        " SELECT sources, count(*), flatten(list(points)) FROM twice GROUP BY ids, sources"
        f" HAVING count(*) >= {FEWEST} OR max(digits) >= {DIGITS}"
        " ORDER BY count(*) DESC, sources"
    )
    for sources, many, ids in rows:
        where = f"{sources[0]} holds" if len(sources) == 1 else f"{' and '.join(sources)} both hold"
        text = f"{where} {counted(many, 'measurement')} alike in configuration, load and every figure."
        yield Finding(text, "copy", sources[0], tuple(ids[:LISTED]), values={"measurements": many})
