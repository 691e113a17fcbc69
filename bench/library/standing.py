"""Which points of the library stand for a deployment: its newest run as a whole, and of repeats the middle one.

Both tables are SQL over all that is shown, made once for each state of the library. Points of one source with one
address are one run; what one row of a run states of its engine's version holds for the rows that leave it out, where
they do not contradict each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from bench import flags
from bench.library.runs import RUN_GAP_DAYS
from bench.records import DEPLOYMENT_FIELDS

VERSIONS = "run_versions"
"""The table of engine versions that a point's own row leaves out and another row of its run states."""

SET_ASIDE = "set_aside"
"""The table of the points that another stands for: `why` is OLDER or REPEAT."""

OLDER, REPEAT = "older run", "repeat"

if TYPE_CHECKING:
    from bench.library.library import Library

ASIDE: WeakKeyDictionary[Library, tuple[str, frozenset[str]]] = WeakKeyDictionary()
"""What is known of each library that is open: its version, and why points of that state are set aside."""

LINE = (
    *(name for name in DEPLOYMENT_FIELDS if name != "engine_version"), "workload_id", "source", "harness", "load_kind",
    "arrivals", "scenario", "evidence",
)  # fmt: skip
"""What the runs of one deployment under one workload have in common: all but the engine's version and the date."""

LOADS = ("concurrency", "request_rate", "batch")
FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
"""The throughput that repeats are put in order by is the first of these that is held."""


def why_aside(library: Library) -> frozenset[str]:
    """Why points are set aside for others in what is loaded now: OLDER, REPEAT, both or neither; asked for once."""
    version = library.version
    if ASIDE.get(library, ("", None))[0] != version:
        rows = library.fetch(f"SELECT DISTINCT why FROM {SET_ASIDE}")
        ASIDE[library] = version, frozenset(why for (why,) in rows)
    return ASIDE[library][1]


def versions_sql(points: str) -> str:
    """The query of `point_id` and `engine_version` for the rows of a run that leave out what another row states."""
    run = "source, source_url, engine, accelerator"
    return (
        f"WITH stated AS (SELECT {run}, min(engine_version) AS engine_version FROM {points}"
        f" WHERE source_url IS NOT NULL AND engine IS NOT NULL GROUP BY ALL"
        " HAVING min(engine_version) = max(engine_version) AND count(engine_version) < count(*))"
        f" SELECT point_id, stated.engine_version FROM {points} AS points JOIN stated"
        f" USING ({run}) WHERE points.engine_version IS NULL"
    )


def set_aside_sql(points: str, columns: frozenset[str]) -> str:
    """The query of `point_id` and `why` of the points that another stands for, among these points.

    Of the runs of a LINE the one with the latest date stands, as a whole; two of one day stand both, an undated one
    only where all are. Points of one address and version that lie more than RUN_GAP_DAYS apart are of two runs. What a
    flag excludes makes no run the newest. Repeats are put in order by throughput, and the middle one stands for them
    with all its figures, of an even number the lower of the two.
    """
    run = "line, source_url, engine_version, date IS NULL"
    figure = ", ".join([name for name in FIGURES if name in columns] or ["NULL"])
    return (
        f"WITH keyed AS MATERIALIZED (SELECT point_id, source_url, source_id, engine_version, date, repeat,"
        f" {', '.join(LOADS)}, coalesce({figure}) AS figure, hash({', '.join(LINE)}) AS line FROM {points}"
        f" WHERE NOT {flags.has_sql(flags.EXCLUDING)}),"
        " several AS (SELECT line FROM keyed GROUP BY line HAVING min(date) <> max(date)"
        " OR count(date) NOT IN (0, count(*))),"
        f" gaps AS (SELECT point_id, line, source_url, engine_version, date,"
        f" date - lag(date) OVER (PARTITION BY {run} ORDER BY date) > {RUN_GAP_DAYS} AS apart"
        " FROM keyed SEMI JOIN several USING (line)),"
        f" islands AS (SELECT *, count(*) FILTER (apart) OVER (PARTITION BY {run} ORDER BY date) AS island FROM gaps),"
        f" runs AS (SELECT point_id, line, max(date) OVER (PARTITION BY {run}, island) AS latest FROM islands),"
        " older AS (SELECT point_id FROM runs QUALIFY latest IS DISTINCT FROM max(latest) OVER (PARTITION BY line)),"
        " repeats AS (SELECT point_id, row_number() OVER same AS place, count(*) OVER (PARTITION BY line, source_id,"
        f" source_url, engine_version, {', '.join(LOADS)}) AS many FROM keyed WHERE repeat IS NOT NULL"
        " AND point_id NOT IN (FROM older) WINDOW same AS (PARTITION BY line, source_id, source_url, engine_version,"
        f" {', '.join(LOADS)} ORDER BY figure NULLS FIRST, point_id))"
        f" SELECT point_id, '{OLDER}' AS why FROM older UNION ALL"
        f" SELECT point_id, '{REPEAT}' FROM repeats WHERE place <> (many + 1) // 2"
    )
