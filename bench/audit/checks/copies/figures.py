"""Measurements that are alike in many figures, whatever they are filed under."""

from __future__ import annotations

from collections.abc import Iterator, Set

from bench.audit.checks.copies.alike import DIGITS, EVIDENCE, LISTED, digits, where
from bench.audit.finding import Finding
from bench.catalogue import statistics_of
from bench.library import Library
from bench.wording import counted

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


def findings(library: Library, known: Set[str]) -> Iterator[Finding]:
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
    for one, other, sources, figures, unlike in library.fetch(_alike_sql(rates, times)):
        if not known >= {one, other}:
            pairs.setdefault(tuple(dict.fromkeys(sources)), []).append((one, other, figures, unlike))
    for names, found in sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0])):
        ids = dict.fromkeys(id for one, other, *_ in found for id in (one, other))
        figures = min(figures for *_, figures, _ in found)
        none = "no latency" if any(unlike for *_, unlike in found) else "none"
        text = (
            f"{where(names)} {counted(len(found), 'measurement')} twice, with {figures} figures or more alike to"
            f" the last digit and {none} unlike, filed under two configurations or loads."
        )
        yield Finding(
            text, "copy", names[0], tuple(ids)[:LISTED], values={"measurements": len(found), "figures": figures}
        )


def _alike_sql(rates: list[str], times: list[str]) -> str:
    """The query of pairs of points with their sources, the number of figures that they have in common, and how many
    throughputs they have not."""

    def shown(figure: str) -> str:
        return digits(f"format('{{:.{SHOWN_DIGITS}g}}', {figure})")

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
