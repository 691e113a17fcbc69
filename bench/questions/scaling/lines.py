"""The lines of a scaling chart: points that differ in chips, layout and load alone, found and read by SQL.

A line is an envelope: everything is equal along it but the number of chips, the layout that spreads the model over
them (tp, pp, dp, ep, workers) and the load. Another precision or engine version is another line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue, selection
from bench.library import Library
from bench.view import View

# Lengths as counted stay together where a data set says what they are drawn from; its requests are never equally long.
_LENGTH = "CASE WHEN {0}_requested IS NULL AND dataset IS NOT NULL THEN NULL ELSE {0} END"
LENGTHS = {name: _LENGTH.format(name) for name in ("isl", "osl")}

ALIKE = ("source", "harness", "model", "checkpoint", "precision", "kv_precision", "engine", "engine_version",
         "accelerator", "disaggregated", "speculation", "prefix_caching", "variant", "context_tokens", "max_model_len",
         "dataset", "shared_prefix_share", "turns", "load_kind", "arrivals", "scenario")  # fmt: skip
"""What all points of a line have in common, besides their input and output length."""

LAYOUT = ("nodes", "tp", "pp", "dp", "ep", "dp_attention", "prefill_accelerators", "decode_accelerators", "prefill_tp",
          "prefill_ep", "prefill_dp_attention", "prefill_workers", "decode_workers")  # fmt: skip
"""How the model is spread over the chips: free along a line, the best layout of each count is taken."""

COARSE = ("model", "accelerator", "engine_version", "isl_requested")
"""What tells most points of other lines apart without looking at everything that is alike."""

LOADS = ("concurrency", "batch", "request_rate")

GROUPS = ("accelerator", "engine", "engine_version", "precision", "speculation", "disaggregated", "variant", "harness",
          "source", "isl", "osl", "model")  # fmt: skip
EVERY = "line"
"""Group by this for a line of each deployment and workload."""

NEWEST_DAYS = 7
"""Runs of one layout further apart than this are two; the newest counts."""

MOST_FAILED = 0.5
"""A point that failed a larger share of its requests is on no line."""

MOST_CENSUS = 20_000
MOST_LINES = 8
MOST_PROJECTED = 40

USUAL = ("p50", "mean", "p90", "p99")
LATENCIES = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms")


@dataclass(frozen=True)
class Held:
    """A line as the library holds it: its id, whose it is, and at each count of chips its best throughput.

    `coarse` are its values of COARSE. `loads` are the smallest and the largest load at each count, None where none is
    stated.
    """

    line: int
    group: Any
    story: tuple[Any, ...]
    best: dict[int, float]
    points: int
    newest: Any
    version: str
    disaggregated: bool
    coarse: tuple[Any, ...]
    loads: dict[int, tuple[float, float] | None]

    @property
    def comparable(self) -> int:
        """How many counts can be compared: those swept over loads or of no stated load, or those that share one.

        The best of a single load is no best, so counts measured at one load each, and not the same, are none.
        """
        spans = list(self.loads.values())
        swept = sum(span is None or span[0] < span[1] for span in spans)
        single = {span[0] for span in spans if span is not None and span[0] == span[1]}
        sharing = (sum(span is not None and span[0] <= load <= span[1] for span in spans) for load in single)
        return max(swept, *sharing, 0)

    @property
    def worth(self) -> tuple[Any, ...]:
        """What makes it the line to draw of its group: served in one piece, most counts, newest, most points.

        A disaggregated deployment of other chips is another design, measured where it was meant to run.
        """
        whole = self.comparable > 1 and not self.disaggregated
        return (
            whole,
            self.comparable,
            len(self.best),
            str(self.newest or ""),
            self.version,
            self.points,
            self.line,
        )


@dataclass(frozen=True)
class Selected:
    """How many points are selected and why they stand on no line; `groups` are the groups of those that may."""

    selected: int
    without_chips: int
    without_metric: int
    other_evidence: int
    failed: int
    groups: tuple[Any, ...]


def census(library: Library, view: View, metric: str, group: str = EVERY, story: Sequence[str] = (),
           needed: str = "TRUE") -> list[Held]:  # fmt: skip
    """Every line of the selection with two counts of chips or more, the one most worth drawing first.

    `story` are further columns to tell of each line, `needed` is a condition in SQL that its points must meet. At most
    MOST_CENSUS lines are read, those with the most counts.
    """
    condition = _usable(library, view, metric).also(f"({needed})")
    told = [
        column(key)
        for key in ("NULL" if group == EVERY else group, *story, *COARSE, "engine_version", "disaggregated")
    ]
    carried = [f"of_{place}" for place in range(len(told))]
    named = ", ".join(f"{sql} AS {name}" for sql, name in zip(told, carried, strict=True))
    any_of = ", ".join(f"any_value({name}) AS {name}" for name in carried)
    found = library.fetch(
        f"""WITH usable AS (
          SELECT {line_sql()} AS line, accelerators, date, "{metric}" AS value, {named},
            coalesce(concurrency, batch, request_rate) AS load
          FROM points WHERE {condition.sql}),
        places AS (
          SELECT line, accelerators, max(value) AS best, count(*) AS points, max(date) AS newest, {any_of},
            min(load) AS low, max(load) AS high
          FROM usable GROUP BY line, accelerators)
        SELECT line, list(accelerators ORDER BY accelerators), list(best ORDER BY accelerators), sum(points),
          max(newest), list(low ORDER BY accelerators), list(high ORDER BY accelerators), {any_of}
        FROM places GROUP BY line HAVING count(*) > 1 ORDER BY count(*) DESC, line LIMIT {MOST_CENSUS}""",
        condition.params,
    )
    lines = []
    for line, chips, best, points, newest, lows, highs, owner, *rest in found:
        version, split = rest[-2:]
        spans = zip(chips, lows, highs, strict=True)
        lines.append(
            Held(
                line=line,
                group=owner,
                story=tuple(rest[: len(story)]),
                best=dict(zip(chips, best, strict=True)),
                points=int(points),
                newest=newest,
                version=version or "",
                disaggregated=bool(split),
                coarse=tuple(rest[len(story) : len(story) + len(COARSE)]),
                loads={count: None if low is None else (low, high) for count, low, high in spans},
            )
        )
    return sorted(lines, key=lambda held: held.worth, reverse=True)


def drawn(held: Iterable[Held], group: str) -> list[Held]:
    """The line to draw of each group that has one of two counts, those with the most first, at most MOST_LINES."""
    first: dict[Any, Held] = {}
    for one in held:
        first.setdefault(one.line if group == EVERY else one.group, one)
    return [one for one in first.values() if one.comparable > 1][:MOST_LINES]


def points_of(library: Library, view: View, metric: str, lines: Sequence[Held]) -> pd.DataFrame:
    """The points of these lines with `line`, `value` and every latency held, older runs of a layout left out."""
    if not lines:
        return pd.DataFrame()
    near = " OR ".join(f"({' AND '.join(f'{key} IS NOT DISTINCT FROM ?' for key in COARSE)})" for _ in lines)
    condition = _usable(library, view, metric).also(
        f"({near})", *(value for one in lines for value in one.coarse)
    )
    told = list(dict.fromkeys((*ALIKE, *LAYOUT, *LOADS)))
    layout = ", ".join(f"coalesce(CAST({name} AS VARCHAR), '')" for name in LAYOUT)
    latencies = "".join(f', "{key}"' for key in latency_keys(library))
    return library.query(
        f"WITH usable AS (SELECT {line_sql()} AS line, point_id, source_id, accelerators, isl, osl, evidence, date,"
        f" source_url, flags, repeat, isl_requested, osl_requested, {', '.join(told)}, hash({layout}) AS layout,"
        f' "{metric}" AS value{latencies} FROM points WHERE {condition.sql}), dated AS (SELECT *,'
        " max(date) OVER (PARTITION BY line, accelerators, layout) AS newest FROM usable"
        f" WHERE line IN ({', '.join(str(one.line) for one in lines)}))"
        f" SELECT * EXCLUDE (newest), newest IS NOT NULL AND (date IS NULL OR date < newest - {NEWEST_DAYS}) AS older"
        " FROM dated ORDER BY line, accelerators, value DESC, point_id",
        condition.params,
    )


def projected(library: Library, view: View, metric: str) -> pd.DataFrame:
    """Selected points with chips and the metric that are not measured, and may not enter."""
    if view.values("evidence"):
        return pd.DataFrame()
    condition = (
        selection.clause(view)
        .also("coalesce(evidence, '') <> 'measured'")
        .also(f'isfinite("{metric}") AND accelerators > 0')
    )
    return library.query(
        "SELECT point_id, model, precision, engine, engine_version, accelerator, accelerators, tp, variant, isl, osl,"
        f' evidence, source, date, "{metric}" AS value, {", ".join(LOADS)} FROM points WHERE {condition.sql}'
        f" ORDER BY accelerators, value DESC, point_id LIMIT {MOST_PROJECTED}",
        condition.params,
    )


def selected(library: Library, view: View, metric: str, group: str = EVERY) -> Selected:
    """What the selection holds for the metric, and what cannot stand on a line."""
    condition = selection.clause(view)
    enters = "TRUE" if view.values("evidence") else "coalesce(evidence = 'measured', FALSE)"
    owner = "NULL" if group == EVERY else column(group)
    every, chipless, unstated, unmeasured, failed, groups = library.fetch(
        f"""WITH candidate AS (
          SELECT accelerators IS NULL AS chipless, coalesce(isfinite("{metric}"), FALSE) AS stated, {enters} AS enters,
            {_failed(library)} AS failed, {owner} AS owner FROM points WHERE {condition.sql})
        SELECT count(*), count(*) FILTER (chipless), count(*) FILTER (NOT chipless AND NOT stated),
          count(*) FILTER (NOT chipless AND stated AND NOT enters),
          count(*) FILTER (NOT chipless AND stated AND enters AND failed),
          list(DISTINCT owner) FILTER (NOT chipless AND stated AND enters AND NOT failed)
        FROM candidate""",
        condition.params,
    )[0]
    return Selected(every, chipless, unstated, unmeasured, failed, tuple(groups or ()))


def latency_keys(library: Library) -> list[str]:
    """Interactivity, TPOT and TTFT at the usual statistics the library holds, the median first; else at any."""
    stored = library.metric_columns()
    held = stored | frozenset(catalogue.derivable(stored))
    keys = []
    for base in LATENCIES:
        statistics = [one for one in catalogue.statistics_of(base, held) if one != "std"]
        usual = [one for one in USUAL if one in statistics]
        keys += [f"{base}_{one}" for one in usual or statistics]
    return keys


def column(key: str) -> str:
    """The SQL of a column a line is told by; a length is absent where a data set stands for it."""
    return LENGTHS.get(key, key)


def line_sql() -> str:
    """The SQL of a line's id: the same for all points that are alike."""
    return f"CAST(hash({', '.join((*ALIKE, *LENGTHS.values()))}) >> 1 AS BIGINT)"


def _usable(library: Library, view: View, metric: str) -> selection.Clause:
    return (
        selection.clause(selection.ordinary(view))
        .also(f'isfinite("{metric}") AND "{metric}" > 0')
        .also("accelerators > 0")
        .also(f"NOT ({_failed(library)})")
    )


def _failed(library: Library) -> str:
    """The SQL of whether a point failed most of its requests: what is left is no load the deployment can serve."""
    return f"coalesce(failed_share, 0) > {MOST_FAILED}" if library.has("failed_share") else "FALSE"
