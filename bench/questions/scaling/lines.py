"""The lines of a scaling chart: points that differ in chips, layout and load alone, found and read by SQL.

A line is an envelope: everything is equal along it but the number of chips, the layout that spreads the model over
them (tp, pp, dp, ep, workers) and the load. Another precision or engine version is another line. MLPerf's submissions
are told apart by submitter, system and public id, which name the count; along a line those are equal but for it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from bench import catalogue, selection
from bench.library import Library
from bench.view import View

# Lengths as counted stay together where a data set says what they are drawn from; its requests are never equally long.
_LENGTH = "CASE WHEN {0}_requested IS NULL AND dataset IS NOT NULL THEN NULL ELSE {0} END"
LENGTHS = {name: _LENGTH.format(name) for name in ("isl", "osl")}

MLPERF = "mlperf-inference"
# "HPE | HPE ProLiant DL384 Gen12 (2x GH200-144GB TensorRT) | 5.0-0038" without its 2x and -0038: submitter, system,
# software and round stay, and two submissions of one round differ by nothing else.
_SYSTEM = r"regexp_replace(regexp_replace(variant, '-\d+$', ''), '(^|[ (])\d+ ?x ?', '\1', 'g')"
SYSTEM = f"CASE WHEN harness = '{MLPERF}' THEN {_SYSTEM} ELSE variant END"
"""The SQL of a variant without the count of chips that an MLPerf submission's name holds."""

ALIKE = ("source", "harness", "model", "checkpoint", "precision", "kv_precision", "engine", "engine_version",
         "accelerator", "disaggregated", "speculation", "prefix_caching", "variant", "context_tokens", "max_model_len",
         "dataset", "shared_prefix_share", "turns", "load_kind", "arrivals", "scenario")  # fmt: skip
"""What all points of a line have in common, besides their input and output length."""

LAYOUT = ("nodes", "tp", "pp", "dp", "ep", "dp_attention", "prefill_accelerators", "decode_accelerators", "prefill_tp",
          "prefill_ep", "prefill_dp_attention", "prefill_workers", "decode_workers")  # fmt: skip
"""How the model is spread over the chips: free along a line, the best layout of each count is taken."""

_TOLD_BY = {**LENGTHS, "variant": SYSTEM}

COARSE = ("model", "accelerator", "engine_version", "isl_requested")
"""What tells most points of other lines apart without looking at everything that is alike."""

LOADS = ("concurrency", "batch", "request_rate")

GROUPS = ("accelerator", "engine", "engine_version", "precision", "speculation", "disaggregated", "variant", "harness",
          "source", "isl", "osl", "model")  # fmt: skip
EVERY = "line"
"""Group by this for a line of each deployment and workload."""

RUN_DAYS = 7
"""Points further apart than this are of two runs."""

PUSHED_ALIKE = 2.0
"""Counts are swept as far when their highest loads per chip differ by at most this: one doubling, a sweep's step."""

MOST_FAILED = 0.5
"""A point that failed a larger share of its requests is on no line."""

MOST_CENSUS = 20_000
MOST_LINES = 8
MOST_PROJECTED = 40

USUAL = ("p50", "mean", "p90", "p99")
LATENCIES = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms")


@dataclass(frozen=True)
class Count:
    """One count of chips on a line as the library holds it: its best throughput, the loads and the dates it has.

    `loads` are the smallest, the best and the largest load, None where none is stated; `dates` the first and the last.
    """

    best: float
    loads: tuple[float, float, float] | None
    dates: tuple[datetime.date, datetime.date] | None

    def near(self, other: Count) -> bool:
        """Whether some of both counts may be of one run."""
        if self.dates is None or other.dates is None:
            return self.dates is other.dates
        week = datetime.timedelta(days=RUN_DAYS)
        return self.dates[0] - week <= other.dates[1] and other.dates[0] - week <= self.dates[1]


@dataclass(frozen=True)
class Held:
    """A line as the library holds it: its id, whose it is, and what it has at each count of chips.

    `coarse` are its values of COARSE; `version` is empty where none is stated.
    """

    line: int
    group: Any
    story: tuple[Any, ...]
    counts: dict[int, Count]
    points: int
    newest: Any
    version: str
    disaggregated: bool
    coarse: tuple[Any, ...]

    @cached_property
    def comparable(self) -> int:
        """At most how many of its counts can be compared; which really can be is seen on the points.

        Counts may share a load, or each be known at its best.
        """
        return _loaded_alike(self.counts)

    @cached_property
    def alike(self) -> int:
        """At most how many of its counts can be compared within one run, or one stated version."""
        if self.version:
            return self.comparable
        near = (
            {chips: one for chips, one in self.counts.items() if one.near(start)}
            for start in self.counts.values()
        )
        return max(map(_loaded_alike, near), default=0)

    @cached_property
    def worth(self) -> tuple[Any, ...]:
        """What makes it the line to draw of its group: most counts of one run, newest, most points."""
        return (
            self.alike,
            self.comparable,
            len(self.counts),
            str(self.newest or ""),
            self.version,
            self.points,
            self.line,
        )


def _loaded_alike(counts: dict[int, Count]) -> int:
    """How many of the counts share a load, know their best, or were all swept as far."""
    swept = {chips: one.loads for chips, one in counts.items() if one.loads is not None}
    known = len(counts) - len(swept) + sum(best < high for _, best, high in swept.values())
    sharing = [sum(low <= load <= high for low, _, high in swept.values()) for load, _, _ in swept.values()]
    far = [high / chips for chips, (low, _, high) in swept.items() if low < high]
    alike = len(far) if far and len(far) == len(counts) and max(far) <= PUSHED_ALIKE * min(far) else 0
    return max(known, alike, *sharing, 0)


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
          SELECT line, accelerators, count(*) AS points, {any_of}, max(date) AS newest,
            [max(value), min(load), arg_max(load, value), max(load)] AS held, [min(date), max(date)] AS dates
          FROM usable GROUP BY line, accelerators)
        SELECT line, list((accelerators, held, dates)), sum(points), max(newest), {any_of}
        FROM places GROUP BY line HAVING count(*) > 1 ORDER BY count(*) DESC, line LIMIT {MOST_CENSUS}""",
        condition.params,
    )
    lines = []
    for line, counts, points, newest, owner, *rest in found:
        version, split = rest[-2:]
        lines.append(
            Held(
                line=line,
                group=owner,
                story=tuple(rest[: len(story)]),
                counts={chips: _count(*held, *dates) for chips, held, dates in sorted(counts)},
                points=int(points),
                newest=newest,
                version=version or "",
                disaggregated=bool(split),
                coarse=tuple(rest[len(story) : len(story) + len(COARSE)]),
            )
        )
    return sorted(lines, key=lambda held: held.worth, reverse=True)


def _count(best: float, low: float | None, at: float | None, high: float | None,
           first: datetime.date | None, last: datetime.date | None) -> Count:  # fmt: skip
    loads = None if low is None or high is None else (low, high if at is None else at, high)
    return Count(best, loads, None if first is None or last is None else (first, last))


def in_one_piece(held: Iterable[Held], view: View, group: str) -> list[Held]:
    """The lines that may be drawn: a disaggregated one only where the reader asks for it.

    Its other counts are other designs, each meant for its own load, so they do not tell what more chips give.
    """
    asked = view.values("disaggregated") or group in ("disaggregated", EVERY)
    return [one for one in held if asked or not one.disaggregated]


def drawn(held: Iterable[Held], group: str) -> list[Held]:
    """The line to draw of each group that has one of two counts, those with the most first, at most MOST_LINES."""
    first: dict[Any, Held] = {}
    for one in held:
        first.setdefault(one.line if group == EVERY else one.group, one)
    return [one for one in first.values() if one.comparable > 1][:MOST_LINES]


def points_of(library: Library, view: View, metric: str, lines: Sequence[Held]) -> pd.DataFrame:
    """The points of these lines, of every run, with `line`, `layout`, `value` and every latency held."""
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
        f"SELECT {line_sql()} AS line, {SYSTEM} AS system, point_id, source_id, accelerators, isl, osl, evidence, date,"
        f" source_url, flags, repeat, isl_requested, osl_requested, {', '.join(told)}, hash({layout}) AS layout,"
        f' "{metric}" AS value{latencies} FROM points WHERE {condition.sql}'
        f" AND {line_sql()} IN ({', '.join(str(one.line) for one in lines)})"
        " ORDER BY line, accelerators, value DESC, point_id",
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
    return _TOLD_BY.get(key, key)


def line_sql() -> str:
    """The SQL of a line's id: the same for all points that are alike."""
    return f"CAST(hash({', '.join((*map(column, ALIKE), *LENGTHS.values()))}) >> 1 AS BIGINT)"


def entering(view: View) -> selection.Clause:
    """The selected points whose evidence may enter: the measured ones, unless the reader asked for others."""
    condition = selection.clause(view)
    return condition if view.values("evidence") else condition.also("evidence = 'measured'")


def _usable(library: Library, view: View, metric: str) -> selection.Clause:
    return (
        entering(view)
        .also(f'isfinite("{metric}") AND "{metric}" > 0')
        .also("accelerators > 0")
        .also(f"NOT ({_failed(library)})")
    )


def _failed(library: Library) -> str:
    """The SQL of whether a point failed most of its requests: what is left is no load the deployment can serve."""
    return f"coalesce(failed_share, 0) > {MOST_FAILED}" if library.has("failed_share") else "FALSE"
