"""Which points of the library stand for a deployment: its newest run as a whole, and of repeats the middle one.

Both tables are SQL over all that is shown, made once for each state of the library. Points of one source with one
address are one run; what one row of a run states of its engine's version holds for the rows that leave it out, where
they do not contradict each other.
"""

from __future__ import annotations

from bench import flags
from bench.library.runs import RUN_GAP_DAYS
from bench.records import DEPLOYMENT_FIELDS

VERSIONS = "run_versions"
"""The table of engine versions that a point's own row leaves out and another row of its run states."""

SET_ASIDE = "set_aside"
"""The table of the points that another stands for: `why` is OLDER or REPEAT."""

OLDER, REPEAT = "older run", "repeat"

LINE = (
    *(name for name in DEPLOYMENT_FIELDS if name != "engine_version"),
    *"workload_id source harness load_kind arrivals scenario evidence".split(),
)
"""What the runs of one deployment under one workload have in common: all but the engine's version and the date."""

LOADS = ("concurrency", "request_rate", "batch")
FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
"""The throughput that repeats are put in order by is the first of these that is held."""


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
    figure = ", ".join([name for name in FIGURES if name in columns] or ["NULL"])
    run = "source_url, engine_version"
    same = f"hash({', '.join(LINE)}, source_id, {run}, {', '.join(LOADS)})"
    return (
        f"WITH keyed AS MATERIALIZED (SELECT point_id, date, hash({', '.join(LINE)}) AS line, hash({run}) AS run,"
        f" CASE WHEN repeat IS NOT NULL THEN {same} END AS same,"
        f" CASE WHEN repeat IS NOT NULL THEN coalesce({figure}) END AS figure"
        f" FROM {points} WHERE NOT {flags.has_sql(flags.EXCLUDING)}),"
        " several AS (SELECT line FROM keyed GROUP BY line HAVING min(date) <> max(date)"
        " OR count(date) NOT IN (0, count(*))),"
        " days AS (SELECT DISTINCT line, run, date FROM keyed SEMI JOIN several USING (line)),"
        " gaps AS (SELECT *, date - lag(date) OVER (PARTITION BY line, run, date IS NULL ORDER BY date)"
        f" > {RUN_GAP_DAYS} AS apart FROM days),"
        " islands AS (SELECT *, count(*) FILTER (apart) OVER"
        " (PARTITION BY line, run, date IS NULL ORDER BY date) AS island FROM gaps),"
        " latest AS (SELECT line, run, date, max(date) OVER (PARTITION BY line, run, date IS NULL, island) AS latest"
        " FROM islands),"
        " behind AS (SELECT line, run, date FROM latest"
        " QUALIFY latest IS DISTINCT FROM max(latest) OVER (PARTITION BY line)),"
        " older AS (SELECT point_id FROM keyed SEMI JOIN behind ON keyed.line = behind.line AND keyed.run = behind.run"
        " AND keyed.date IS NOT DISTINCT FROM behind.date),"
        " repeats AS (SELECT point_id, row_number() OVER (PARTITION BY same ORDER BY figure NULLS FIRST, point_id)"
        " AS place, count(*) OVER (PARTITION BY same) AS many FROM keyed"
        " WHERE same IS NOT NULL AND point_id NOT IN (FROM older))"
        f" SELECT point_id, '{OLDER}' AS why FROM older UNION ALL"
        f" SELECT point_id, '{REPEAT}' FROM repeats WHERE place <> (many + 1) // 2"
    )
