"""Copies: the same figure of the same configuration in two sources, or twice in one, counts twice.

So does a row whose many figures are all another's, whatever deployment, load or lengths it is filed under.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from bench.audit.finding import Finding
from bench.catalogue import statistics_of
from bench.library import Library
from bench.records import LOAD_FIELDS, POINT_FIELDS
from bench.wording import counted

TITLE = "Copies"
RULE = "a measurement is loaded once"

SAME = ("model", "precision", "engine", "accelerator", "accelerators", "tp", "isl", "osl", *LOAD_FIELDS)
FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "ttft_ms_mean", "ttft_ms_p50", "tpot_ms_mean", "e2el_ms_mean")
FEWEST = 3
"""So many points alike to the last digit are a copy; one or two may be rounded to the same."""
DIGITS = 9
"""One point is a copy where its figures have so many significant digits together: chance is one in a billion."""
FEWEST_OF_A_ROW = 2
"""A row that one source has twice, alike in all that it states, is a copy where it has so many figures."""

RATES = ("output_tokens_per_s", "total_tokens_per_s")
LATENCIES = ("ttft_ms", "tpot_ms", "itl_ms", "ntpot_ms", "e2el_ms")
OTHER_STATISTICS = ("std", "min")
FEWEST_FIGURES = 3
"""Under another configuration a row is a copy where a throughput and as many latencies as make so many agree, with
DIGITS together, and no figure that both state differs. Two throughputs at equal lengths are one figure."""
SHOWN_DIGITS = 6
"""So many digits of a figure count: those further on are made by converting it."""
COMMON = 20
"""A throughput with a latency that more points than this have tells nothing."""

EVIDENCE = "evidence IN ('measured', 'unverified')"

LISTED = 40


def findings(library: Library) -> Iterator[Finding]:
    """The pairs of sources, and the single ones, that hold the same measurements."""
    held = [key for key in FIGURES if library.has(key)]
    if not held:
        return
    known: set[str] = set()
    for sources, many, ids in library.fetch(_alike_sql(held, sorted(library.metric_columns()))):
        known.update(ids)
        text = f"{_where(sources)} {counted(many, 'measurement')} alike in configuration, load and every figure."
        yield Finding(text, "copy", sources[0], tuple(ids[:LISTED]), values={"measurements": many})
    yield from _by_figures(library, known)


def _where(sources: list[str]) -> str:
    return f"{sources[0]} holds" if len(sources) == 1 else f"{' and '.join(sources)} both hold"


def _alike_sql(held: list[str], stored: list[str]) -> str:
    """The query of measurements that are held more than once, by the sources that hold them."""
    stated = " + ".join(f"({key} IS NOT NULL)::INT" for key in held)
    digits = " + ".join(f"coalesce({_digits(f'{key}::VARCHAR')}, 0)" for key in held)
    whole = ", ".join((*(name for name in POINT_FIELDS if name != "locator"), *stored))
    figures = " + ".join(f"({key} IS NOT NULL)::INT" for key in stored)
    return (
        f"WITH held AS (SELECT point_id, source_id, source, repeat, {digits} AS digits,"
        f" {figures} >= {FEWEST_OF_A_ROW} AND count(*) OVER (PARTITION BY source_id, hash({whole})) > 1 AS again,"
        f" hash({', '.join((*SAME, *held))}) AS same FROM points WHERE {EVIDENCE} AND ({stated}) > 0),"
        " twice AS (SELECT list(DISTINCT source_id ORDER BY source_id) AS ids, list(DISTINCT source ORDER BY source)"
        " AS sources, list(point_id ORDER BY point_id) AS points, min(digits) AS digits,"
        " bool_or(again) AS again FROM held GROUP BY same HAVING count(*) > 1 AND count(DISTINCT repeat) < 2),"
        " copied AS (SELECT * FROM twice WINDOW one AS (PARTITION BY ids, sources)"
        f" QUALIFY again OR count(*) OVER one >= {FEWEST} OR max(digits) OVER one >= {DIGITS})"
        " SELECT sources, count(*), flatten(list(points)) FROM copied GROUP BY ids, sources"
        " ORDER BY count(*) DESC, sources"
    )


def _digits(text: str) -> str:
    """How many digits a figure in this SQL has without the zeros around them."""
    return f"length(trim(regexp_replace({text}, '[^0-9]', '', 'g'), '0'))"


def _by_figures(library: Library, known: Set[str]) -> Iterator[Finding]:
    """The pairs of points alike in many figures and in no configuration, but those that are known, by their sources."""
    rates = [key for key in RATES if library.has(key)]
    times = [
        f"{base}_{statistic}"
        for base in LATENCIES
        for statistic in statistics_of(base, library.metric_columns())
        if statistic not in OTHER_STATISTICS
    ]
    if not rates or len(times) < FEWEST_FIGURES - 1:
        return
    rows = library.fetch(_alike_in_figures_sql(rates, times))
    pairs: dict[tuple[str, ...], list[tuple[str, str, int]]] = {}
    for one, other, sources, figures in rows:
        if not known >= {one, other}:
            pairs.setdefault(tuple(dict.fromkeys(sources)), []).append((one, other, figures))
    for names, found in sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0])):
        ids = dict.fromkeys(id for one, other, _ in found for id in (one, other))
        figures = min(figures for *_, figures in found)
        text = (
            f"{_where(list(names))} {counted(len(found), 'measurement')} twice, with {figures} figures or more alike to"
            " the last digit and none unlike, filed under two configurations or loads."
        )
        yield Finding(
            text, "copy", names[0], tuple(ids)[:LISTED], values={"measurements": len(found), "figures": figures}
        )


def _alike_in_figures_sql(rates: list[str], times: list[str]) -> str:
    """The query of pairs of points with their sources and the number of figures that they have in common."""
    digits = _digits(f"format('{{:.{SHOWN_DIGITS}g}}', x)")

    def common(keys: list[str]) -> str:
        return f"list_distinct([{', '.join(f'CASE WHEN a.{key} = b.{key} THEN a.{key} END' for key in keys)}])"

    differs = " + ".join(f"coalesce(a.{key} <> b.{key}, FALSE)::INT" for key in (*rates, *times))
    return (
        f"WITH held AS MATERIALIZED (SELECT point_id, source, repeat, {', '.join((*rates, *times))} FROM points"
        f" WHERE {EVIDENCE}),"
        f" rates AS (SELECT point_id, rate, value FROM (UNPIVOT held ON {', '.join(rates)} INTO NAME rate VALUE value)"
        " QUALIFY count(*) OVER (PARTITION BY rate, value) > 1),"
        " times AS (SELECT point_id, time, value AS lasts FROM (UNPIVOT (SELECT * FROM held SEMI JOIN rates"
        f" USING (point_id)) ON {', '.join(times)} INTO NAME time VALUE value)),"
        " places AS (SELECT list(point_id) AS ids FROM rates JOIN times USING (point_id)"
        f" GROUP BY rate, value, time, lasts HAVING count(*) BETWEEN 2 AND {COMMON}),"
        " pairs AS (SELECT DISTINCT one, other FROM (SELECT unnest(ids) AS one, ids FROM places),"
        " unnest(ids) AS others(other) WHERE one < other),"
        f" alike AS (SELECT one, other, list_sort([coalesce(a.source, ''), coalesce(b.source, '')]) AS sources,"
        f" {common(rates)} AS rate, {common(times)} AS time FROM pairs JOIN held a ON a.point_id = one"
        f" JOIN held b ON b.point_id = other WHERE {differs} = 0"
        " AND coalesce(a.source <> b.source OR a.repeat = b.repeat, TRUE))"
        " SELECT one, other, sources, 1 + len(time) FROM alike"
        f" WHERE len(time) >= {FEWEST_FIGURES - 1} AND list_max(list_transform(rate, lambda x: {digits}))"
        f" + list_sum(list_transform(time, lambda x: {digits})) >= {DIGITS} ORDER BY one, other"
    )
