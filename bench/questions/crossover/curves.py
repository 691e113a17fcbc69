"""The measured points that curves are made of: of every deployment the newest run, at each place it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench.catalogue import Metric
from bench.library import Library
from bench.library.runs import RUN_GAP_DAYS
from bench.maths.envelope import Envelope
from bench.maths.grid import Better
from bench.questions.crossover.asked import ALONG, ASKED_FOR, LENGTHS, LOADS
from bench.records import DEPLOYMENT_FIELDS
from bench.selection import Clause

RUN = (
    *(key for key in DEPLOYMENT_FIELDS if key != "engine_version"), "source", "harness", "arrivals", "scenario",
    "max_model_len", "shared_prefix_share", "turns", "evidence",
)  # fmt: skip
"""Points that state the same of all these are runs of one deployment, at other dates or engine versions."""

ALONG_A_LENGTH = f"hash(engine_version, {', '.join(key for key in RUN if key != 'max_model_len')})"
"""What one series along a length has in common: the library's own ids tell lengths and context limits apart."""

MOST_ROWS = 20_000


@dataclass(frozen=True)
class Measured:
    """What one series says at one x; several `values` are repeats there.

    `fixed` is what is equal along the whole curve, by column; `owner` is whose curve it is, by column; `member` is
    the series: one run of one deployment, between whose places alone a line is drawn.
    """

    owner: tuple[Any, ...]
    fixed: tuple[Any, ...]
    member: str
    accelerator: str | None
    accelerators: int | None
    x: float
    values: tuple[float, ...]
    point_ids: tuple[str, ...]


def fixed_columns(along: str) -> tuple[str, ...]:
    """What is equal along one curve: model, kind of load, lengths and data set; along a length the load as well."""
    lengths = tuple(key for key in (*LENGTHS, "dataset") if key != along)
    return ("model", "load_kind", *lengths, *(LOADS if along in LENGTHS else ()))


def _stated_once(fixed: Sequence[str]) -> Iterator[str]:
    """What is fixed as a hash takes it, but for what tells runs apart anyway."""
    return (ASKED_FOR.get(key, key) for key in fixed if key not in RUN)


def _stated(fixed: Sequence[str]) -> str:
    return ", ".join(f"{ASKED_FOR.get(key, key)} AS fixed_{key}" for key in fixed)


def measured(
    library: Library, condition: Clause, along: str, metric: Metric, owner: Sequence[str] = ()
) -> list[Measured]:
    """Every place of the newest series of each deployment, for each owner and what is fixed.

    Points equal in all but date and engine version are runs of one deployment, of which only the newest counts, as a
    whole: an older run fills none of its holes. An undated one is the oldest. Points of it that number their repeats
    count as repeats, with their geometric mean; others at the same x do not, and the best of the newest day counts.
    """
    if not library.has(metric.key):
        return []
    fixed = fixed_columns(along)
    curve = ", ".join((*(f"owner_{key}" for key in owner), *(f"fixed_{key}" for key in fixed)))
    named = "".join(f"{key} AS owner_{key}, " for key in owner)
    best, first = ("min", "ASC") if metric.direction == "lower" else ("max", "DESC")
    repeated = "count(repeat) = count(*) AND count(*) > 1"
    lengthwise = along in LENGTHS
    run = ", ".join(
        (*(key for key in RUN if not (lengthwise and key == "max_model_len")), *_stated_once(fixed))
    )
    gap = f"date - lag(date) OVER (PARTITION BY run, member ORDER BY date) > {RUN_GAP_DAYS}"
    islands = f"SELECT *, CAST({gap} AS INTEGER) AS apart FROM entering"
    joined = (
        "member || ' ' || sum(coalesce(apart, 0)) OVER (PARTITION BY run, member ORDER BY date NULLS FIRST)"
    )
    found = library.fetch(
        f"""WITH entering AS MATERIALIZED (
          SELECT {named}{_stated(fixed)}, accelerator, accelerators, CAST({ALONG[along]} AS DOUBLE) AS x,
            "{metric.key}" AS y, date, repeat, point_id, hash({run}) AS run,
            CAST({ALONG_A_LENGTH if lengthwise else "series_id"} AS VARCHAR) AS member
          FROM points WHERE {condition.sql} AND isfinite("{metric.key}") AND "{metric.key}" > 0),
        parted AS ({f"SELECT * REPLACE ({joined} AS member) FROM ({islands})" if lengthwise else "FROM entering"}),
        dated AS (
          SELECT *, max(date) OVER (PARTITION BY run, member) AS latest FROM parted WHERE x > 0 AND isfinite(x)),
        newest AS (
          SELECT * FROM dated
          QUALIFY member = first_value(member) OVER (PARTITION BY run ORDER BY latest DESC NULLS LAST, member)),
        once AS (
          SELECT * FROM newest
          QUALIFY repeat IS NOT NULL OR date IS NOT DISTINCT FROM max(date) OVER (PARTITION BY run, x))
        SELECT {curve}, member, accelerator, accelerators, x,
          CASE WHEN {repeated} THEN list(y ORDER BY point_id) ELSE [{best}(y)] END AS ys,
          CASE WHEN {repeated} THEN list(point_id ORDER BY point_id)
            ELSE [first(point_id ORDER BY y {first}, point_id)] END AS ids
        FROM once GROUP BY {curve}, member, accelerator, accelerators, run, x ORDER BY ALL LIMIT {MOST_ROWS}""",
        condition.params,
    )
    owners, whole = len(owner), len(owner) + len(fixed)
    return [_measured(row, owners, whole) for row in found]


def _measured(row: Sequence[Any], owners: int, whole: int) -> Measured:
    member, accelerator, accelerators, x, values, ids = row[whole:]
    return Measured(
        tuple(row[:owners]),
        tuple(row[owners:whole]),
        member,
        accelerator,
        accelerators,
        x,
        tuple(values),
        tuple(ids),
    )


@dataclass(frozen=True)
class Group:
    """What a side holds of one workload: what is fixed, where it was measured, on what, and one of its points."""

    fixed: tuple[Any, ...]
    xs: frozenset[float]
    accelerators: tuple[str, ...]
    counts: tuple[int, ...]
    point_id: str


def groups(library: Library, condition: Clause, along: str, metric: Metric) -> list[Group]:
    """Every workload of a side that has the metric along the axis."""
    if not library.has(metric.key):
        return []
    fixed = fixed_columns(along)
    x = f"CAST({ALONG[along]} AS DOUBLE)"
    stated = ", ".join(f"fixed_{key}" for key in fixed)
    found = library.fetch(
        f"WITH held AS (SELECT {_stated(fixed)}, {x} AS x, accelerator, accelerators, point_id FROM points"
        f' WHERE {condition.sql} AND isfinite("{metric.key}") AND "{metric.key}" > 0)'
        f" SELECT {stated}, list(DISTINCT x), list(DISTINCT accelerator) FILTER (accelerator IS NOT NULL),"
        " list(DISTINCT accelerators) FILTER (accelerators IS NOT NULL), min(point_id) FROM held"
        f" WHERE x > 0 AND isfinite(x) GROUP BY {stated} ORDER BY ALL",
        condition.params,
    )
    return [
        Group(tuple(row[:-4]), frozenset(row[-4]), tuple(row[-3] or ()), tuple(row[-2] or ()), row[-1])
        for row in found
    ]


def chips(library: Library, condition: Clause, along: str, metric: Metric) -> dict[str, list[int]]:
    """The accelerators that have the metric along the axis, each with its counts."""
    if not library.has(metric.key):
        return {}
    found = library.fetch(
        "SELECT accelerator, list(DISTINCT accelerators ORDER BY accelerators) FILTER (accelerators IS NOT NULL)"
        f' FROM points WHERE {condition.sql} AND "{metric.key}" > 0 AND ({ALONG[along]}) > 0'
        " AND accelerator IS NOT NULL GROUP BY 1",
        condition.params,
    )
    return {chip: list(counts or ()) for chip, counts in found}


def narrowed(condition: Clause, along: str, fixed: Sequence[Any]) -> Clause:
    """The condition for the points of one workload."""
    for column, value in zip(fixed_columns(along), fixed, strict=True):
        condition = condition.also(f"({ASKED_FOR.get(column, column)}) IS NOT DISTINCT FROM ?", value)
    return condition


@dataclass(frozen=True)
class Curve:
    """One side's curve: its series, divided by what the reader asked for, and the best of them at each place."""

    members: Sequence[Mapping[float, Measured]]
    divisors: Sequence[float]
    envelope: Envelope

    @cached_property
    def winning(self) -> list[int]:
        """The places of the series that are the best anywhere, in the order in which they are."""
        return list(dict.fromkeys(one.member for stretch in self.envelope.stretches for one in stretch))

    @property
    def point_ids(self) -> tuple[str, ...]:
        """The points of the series that are the best anywhere."""
        return tuple(
            one for place in self.winning for row in self.members[place].values() for one in row.point_ids
        )

    def row(self, member: int, x: float) -> Measured | None:
        """What a series says at an x; None where it was not measured there."""
        return self.members[member].get(x)


def curve(
    rows: Sequence[Measured], divisor: Callable[[Measured], float | None], better: Better
) -> Curve | None:
    """The curve of these after dividing; those whose divisor is not known are left out, None when all are."""
    members: dict[str, dict[float, Measured]] = {}
    divisors: dict[str, float] = {}
    for row in rows:
        by = divisor(row)
        if by is not None:
            members.setdefault(row.member, {})[row.x] = row
            divisors[row.member] = by
    if not members:
        return None
    lines = [
        [(x, value / divisors[key]) for x, row in found.items() for value in row.values]
        for key, found in members.items()
    ]
    return Curve(list(members.values()), list(divisors.values()), Envelope("measured", lines, better))
