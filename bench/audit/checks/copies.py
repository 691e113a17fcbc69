"""Copies: the same figure of the same configuration in two sources, or twice in one, counts twice.

So does a row whose many figures are all another's, whatever deployment, load or lengths it is filed under.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from bench.audit.finding import Finding
from bench.catalogue import statistics_of
from bench.library import Library
from bench.records import LOAD_FIELDS, POINT_FIELDS
from bench.wording import counted

TITLE = "Copies"
RULE = "a measurement is loaded once"

DIGITS = 9
"""One point is a copy where its figures have so many significant digits together: chance is one in a billion."""
EVIDENCE = "evidence IN ('measured', 'unverified')"
LISTED = 40

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

RATES = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
LATENCIES = ("ttft_ms", "tpot_ms", "itl_ms", "ntpot_ms", "e2el_ms")
OTHER_STATISTICS = ("std", "min")
FEWEST_FIGURES = 3
"""A row is a copy where a throughput and as many latencies as make so many agree, or so many latencies, with DIGITS
together, and no figure that both state differs. Throughputs at equal lengths are one figure."""
DIGITS_BESIDE = 12
"""Latencies alone have been copied where they have so many digits together, though a throughput differs."""
SHOWN_DIGITS = 6
"""So many digits of a figure count: those further on are made by converting it."""
COMMON = 20
"""A latency with a throughput or another latency that more points than this have tells nothing."""


def findings(library: Library) -> Iterator[Finding]:
    """The pairs of sources, and the single ones, that hold the same measurements."""
    known: set[str] = set()
    for ids, finding in _of_configurations(library):
        known.update(ids)
        yield finding
    yield from _of_figures(library, known)


def _of_configurations(library: Library) -> Iterator[tuple[list[str], Finding]]:
    """The sources that hold the same measurements, each with the ids of all that are alike."""
    figures = [key for key in FIGURES if library.has(key)]
    if library.has(ELSE):
        figures.append(f"CASE WHEN {' AND '.join((*(f'{key} IS NULL' for key in figures), 'TRUE'))} THEN {ELSE} END")
    if not figures:
        return
    for sources, many, ids in library.fetch(_configurations_sql(figures, sorted(library.metric_columns()))):
        text = f"{_where(sources)} {counted(many, 'measurement')} alike in configuration, load and every figure."
        yield ids, Finding(text, "copy", sources[0], tuple(ids[:LISTED]), values={"measurements": many})


def _configurations_sql(figures: list[str], stored: list[str]) -> str:
    """The query of measurements that are held more than once, by the sources that hold them."""
    present = " + ".join(f"({key} IS NOT NULL)::INT" for key in figures)
    total = " + ".join(f"coalesce({_digits(f'({key})::VARCHAR')}, 0)" for key in figures)
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


def _of_figures(library: Library, known: Set[str]) -> Iterator[Finding]:
    """The pairs of points alike in many figures and in no configuration, but those that are known, by their sources."""
    rates = [key for key in RATES if library.has(key)]
    times = [
        f"{base}_{statistic}"
        for base in LATENCIES
        for statistic in statistics_of(base, library.metric_columns())
        if statistic not in OTHER_STATISTICS
    ]
    if len(times) < FEWEST_FIGURES - bool(rates):
        return
    pairs: dict[tuple[str, ...], list[tuple[str, str, int, int]]] = {}
    for one, other, sources, figures, unlike in library.fetch(_figures_sql(rates, times)):
        if not known >= {one, other}:
            pairs.setdefault(tuple(dict.fromkeys(sources)), []).append((one, other, figures, unlike))
    for names, found in sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0])):
        ids = dict.fromkeys(id for one, other, *_ in found for id in (one, other))
        figures = min(figures for *_, figures, _ in found)
        none = "no latency" if any(unlike for *_, unlike in found) else "none"
        text = (
            f"{_where(names)} {counted(len(found), 'measurement')} twice, with {figures} figures or more alike to"
            f" the last digit and {none} unlike, filed under two configurations or loads."
        )
        yield Finding(
            text, "copy", names[0], tuple(ids)[:LISTED], values={"measurements": len(found), "figures": figures}
        )


def _figures_sql(rates: list[str], times: list[str]) -> str:
    """The query of pairs of points with their sources, the number of figures that they have in common, and how many
    throughputs they have not."""

    def shown(figure: str) -> str:
        return _digits(f"format('{{:.{SHOWN_DIGITS}g}}', {figure})")

    of_each = f"lambda x: {shown('x')}"

    def common(keys: list[str]) -> str:
        return (
            f"list_distinct([{', '.join(f'CASE WHEN a.{key} = b.{key} THEN a.{key} END' for key in keys)}]::DOUBLE[])"
        )

    def unlike(keys: list[str]) -> str:
        return " + ".join((*(f"coalesce(a.{key} <> b.{key}, FALSE)::INT" for key in keys), "0"))

    with_rates = (
        f" rates AS (SELECT point_id, rate, value FROM (UNPIVOT held ON {', '.join(rates)} INTO NAME rate VALUE value)"
        " QUALIFY count(*) OVER (PARTITION BY rate, value) > 1),"
        " places AS (SELECT list(point_id) AS ids FROM rates JOIN times USING (point_id)"
        f" GROUP BY rate, rates.value, time, times.value HAVING count(*) BETWEEN 2 AND {COMMON}"
    )
    # Latencies alone bring points together by two of them, as a rule the same statistic of two that follow each other.
    two = "hash(time, value, lead(time, {0}) OVER own, lead(value, {0}) OVER own)"
    return (
        f"WITH held AS MATERIALIZED (SELECT point_id, source, repeat, {', '.join((*rates, *times))} FROM points"
        f" WHERE {EVIDENCE}),"
        f" times AS (UNPIVOT (SELECT point_id, {', '.join(times)} FROM held) ON {', '.join(times)} INTO NAME time"
        " VALUE value),"
        f" beside AS (SELECT point_id, unnest([{two.format(1)}, {two.format(2)}]) AS two FROM times"
        " WINDOW own AS (PARTITION BY point_id ORDER BY split_part(time, '_ms_', 2), time)),"
        f"{with_rates if rates else ' places AS (SELECT [] AS ids WHERE FALSE'}"
        f" UNION ALL SELECT list(point_id) FROM beside GROUP BY two HAVING count(*) BETWEEN 2 AND {COMMON}),"
        " pairs AS (SELECT DISTINCT one, other FROM (SELECT unnest(ids) AS one, ids FROM places),"
        " unnest(ids) AS others(other) WHERE one < other),"
        f" alike AS (SELECT one, other, list_sort([coalesce(a.source, ''), coalesce(b.source, '')]) AS sources,"
        f" {common(rates)} AS rate, {common(times)} AS time, {unlike(rates)} AS unlike"
        " FROM pairs JOIN held a ON a.point_id = one"
        f" JOIN held b ON b.point_id = other WHERE {unlike(times)} = 0"
        " AND coalesce(a.source <> b.source OR a.repeat = b.repeat, TRUE)),"
        f" sums AS (SELECT *, list_sum(list_transform(time, {of_each})) AS digits,"
        f" coalesce(list_max(list_transform(rate, {of_each})), 0) AS of_rate FROM alike)"
        f" SELECT one, other, sources, len(time) + (len(rate) > 0)::INT, unlike FROM sums"
        f" WHERE (unlike = 0 AND len(time) + (len(rate) > 0)::INT >= {FEWEST_FIGURES} AND of_rate + digits >= {DIGITS})"
        f" OR (len(time) >= {FEWEST_FIGURES} AND digits >= {DIGITS_BESIDE}) ORDER BY one, other"
    )


def _where(sources: Sequence[str]) -> str:
    """The sources that hold the same, and their verb."""
    return f"{sources[0]} holds" if len(sources) == 1 else f"{' and '.join(sources)} both hold"


def _digits(text: str) -> str:
    """How many digits a figure in this SQL has without the zeros around them."""
    return f"length(trim(regexp_replace({text}, '[^0-9]', '', 'g'), '0'))"
