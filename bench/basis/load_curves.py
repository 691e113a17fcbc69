"""The curves that are loaded: what one run of one deployment under one workload measured along its load, by one source.

Of repeats the middle one stands, and points that a flag excludes are on no curve. Older runs are curves of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bench import catalogue, flags
from bench.errors import UnknownName
from bench.library import Library
from bench.library.newest_runs import LINE, REPEAT, SET_ASIDE
from bench.library.runs import RUN_GAP_DAYS
from bench.maths.leave_one_out import CurvePoints
from bench.maths.load_curve import Grows, Reals

GROWS: dict[str, Grows] = {
    **dict.fromkeys(("output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s", "requests_per_s"), "rate"),
    **dict.fromkeys(("tpot_ms", "itl_ms", "e2el_ms"), "step"),
    "ttft_ms": "queue",
}
"""What is interpolated along the load, by the key of its metric without the statistic, and how it grows."""

MOST_LINES = 1_000
"""Of so many deployments under a workload every run is read: of more, those that come first by a hash of what they are,
in turn of each source, so that the same library always tells the same."""

LOAD = "CASE load_kind WHEN 'closed' THEN concurrency WHEN 'open' THEN request_rate WHEN 'batch' THEN batch END"
"""The DuckDB expression of a point's own load."""


LINE_SQL = f"hash({', '.join(LINE)}, source_id, engine_version, date IS NULL)"
"""The DuckDB expression that tells apart what is on no curve together, whenever it was measured."""


def curves_sql(rows: str) -> str:
    """The queries `dated`, `runs` and `curves` of a WITH: rows of `rows` with a load, each with the `curve` it is on.

    The table `rows` has `line`, which is LINE_SQL, `load`, `date` and `source_url`. A run is that of
    `bench.library.newest_runs`: without a gap of more than RUN_GAP_DAYS, and where it has two points at one load, of
    one address.
    """
    return (
        f" dated AS (SELECT *, date - lag(date) OVER (PARTITION BY line ORDER BY date) > {RUN_GAP_DAYS} AS apart"
        f" FROM {rows} WHERE load > 0),"
        " runs AS (SELECT *, hash(line, count(*) FILTER (apart) OVER (PARTITION BY line ORDER BY date)) AS run"
        " FROM dated),"
        " curves AS (SELECT *, hash(run, CASE WHEN count(*) OVER own > count(DISTINCT load) OVER own"
        " THEN source_url END) AS curve FROM runs WINDOW own AS (PARTITION BY run))"
    )


@dataclass(frozen=True, eq=False)
class LoadCurves:
    """Every curve of three points or more: its points, whose they are, and the metrics they state, NaN where not."""

    points: CurvePoints
    sources: NDArray[np.object_]
    metrics: dict[str, Reals]


KNOWN: WeakKeyDictionary[Library, tuple[str, LoadCurves]] = WeakKeyDictionary()
"""The curves of each library that is open, and of which version of it."""


def grows(metric: str) -> Grows:
    """How a metric goes with the load; UnknownName for one that is not interpolated."""
    known = GROWS.get(catalogue.metric(metric).base)
    if known is None:
        raise UnknownName("metric that is interpolated along the load", metric, GROWS)
    return known


def of(library: Library) -> LoadCurves:
    """The curves that are loaded now; read once for each state of the library."""
    version = library.version
    known = KNOWN.get(library)
    if known is None or known[0] != version:
        known = KNOWN[library] = version, _read(library)
    return known[1]


def _read(library: Library) -> LoadCurves:
    """By one query that looks at all points twice: at what they are of, and at the figures of those that are chosen."""
    every = catalogue.keys()
    keys = [key for key in every if catalogue.metric(key).base in GROWS and library.has(key)]
    figures = "".join(f', "{key}"' for key in keys)
    columns = library.arrays(
        f"WITH held AS NOT MATERIALIZED (SELECT point_id, source, source_url, date, {LOAD} AS load,"
        f" {LINE_SQL} AS line{figures} FROM points"
        f" WHERE evidence = 'measured' AND NOT {flags.has_sql(flags.EXCLUDING)}"
        f" AND point_id NOT IN (SELECT point_id FROM {SET_ASIDE} WHERE why = '{REPEAT}')),"
        " several AS (SELECT line, source FROM held WHERE load > 0 GROUP BY ALL"
        " HAVING count(*) > 2 AND min(load) < max(load)),"
        " chosen AS (SELECT line FROM several ORDER BY row_number() OVER (PARTITION BY source ORDER BY line), line"
        f" LIMIT {MOST_LINES}),"
        " of_chosen AS (SELECT * FROM held SEMI JOIN chosen USING (line)),"
        f"{curves_sql('of_chosen')}"
        f" SELECT curve, load, source{figures} FROM curves"
        " QUALIFY row_number() OVER (PARTITION BY curve, load ORDER BY point_id) = 1 ORDER BY curve, load"
    )
    metrics = {key: _reals(columns[key]) for key in keys}
    return LoadCurves(CurvePoints(columns["curve"], _reals(columns["load"])), columns["source"], metrics)


def _reals(column: NDArray[np.float64]) -> Reals:
    return np.asarray(np.ma.filled(column.astype(float), np.nan))
