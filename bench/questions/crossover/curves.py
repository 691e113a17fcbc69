"""The measured points that curves are made of: at each place of the axis the newest run, and of layouts the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.catalogue import Metric
from bench.library import Library
from bench.questions.crossover.asked import ALONG, ASKED_FOR, LENGTHS, LOADS
from bench.records import DEPLOYMENT_FIELDS
from bench.selection import Clause

RUN = (
    *(key for key in DEPLOYMENT_FIELDS if key != "engine_version"), "source", "harness", "arrivals", "scenario",
    "max_model_len", "shared_prefix_share", "turns", "evidence",
)  # fmt: skip
"""Points that state the same of all these are runs of one deployment, at other dates or engine versions."""

MOST_ROWS = 20_000


@dataclass(frozen=True)
class Measured:
    """What counts at one x of a curve: the best layout's newest value; several `values` are repeats of it.

    `fixed` is what is equal along the whole curve, by column; `owner` is whose curve it is, by column.
    """

    owner: tuple[Any, ...]
    fixed: tuple[Any, ...]
    accelerator: str | None
    accelerators: int | None
    x: float
    y: float
    values: tuple[float, ...]
    point_ids: tuple[str, ...]


def fixed_columns(along: str) -> tuple[str, ...]:
    """What is equal along one curve: model, kind of load, lengths and data set; along a length the load as well."""
    lengths = tuple(key for key in (*LENGTHS, "dataset") if key != along)
    return ("model", "load_kind", *lengths, *(LOADS if along in LENGTHS else ()))


def _stated(fixed: Sequence[str]) -> str:
    return ", ".join(f"{ASKED_FOR.get(key, key)} AS fixed_{key}" for key in fixed)


def measured(
    library: Library, condition: Clause, along: str, metric: Metric, owner: Sequence[str] = ()
) -> list[Measured]:
    """At each x, for each owner, what is fixed, and each accelerator and count of them, the best newest point.

    Points equal in all but date and engine version are runs of one deployment, of which the newest counts and an
    undated one is the oldest. Points of it that number their repeats count as repeats, with their geometric mean;
    others at the same x do not, and the best of the newest day counts.
    """
    if not library.has(metric.key):
        return []
    fixed = fixed_columns(along)
    curve = ", ".join((*(f"owner_{key}" for key in owner), *(f"fixed_{key}" for key in fixed)))
    named = "".join(f"{key} AS owner_{key}, " for key in owner)
    best, first = ("min", "ASC") if metric.direction == "lower" else ("max", "DESC")
    repeated = "count(repeat) = count(*) AND count(*) > 1"
    found = library.fetch(
        f"""WITH entering AS (
          SELECT {named}{_stated(fixed)}, accelerator, accelerators, CAST({ALONG[along]} AS DOUBLE) AS x,
            "{metric.key}" AS y, date, repeat, series_id, point_id, hash({", ".join(RUN)}) AS run
          FROM points WHERE {condition.sql} AND isfinite("{metric.key}") AND "{metric.key}" > 0),
        newest AS (
          SELECT * FROM entering WHERE x > 0 AND isfinite(x) QUALIFY series_id = first_value(series_id) OVER
            (PARTITION BY {curve}, run, x ORDER BY date DESC NULLS LAST, series_id)),
        once AS (
          SELECT * FROM newest QUALIFY repeat IS NOT NULL OR
            date IS NOT DISTINCT FROM max(date) OVER (PARTITION BY {curve}, run, x)),
        counted AS (
          SELECT {curve}, accelerator, accelerators, x,
            CASE WHEN {repeated} THEN exp(avg(ln(y))) ELSE {best}(y) END AS y,
            CASE WHEN {repeated} THEN list(y ORDER BY point_id) ELSE [{best}(y)] END AS ys,
            CASE WHEN {repeated} THEN list(point_id ORDER BY point_id)
              ELSE [first(point_id ORDER BY y {first}, point_id)] END AS ids
          FROM once GROUP BY {curve}, accelerator, accelerators, run, x)
        SELECT {curve}, accelerator, accelerators, x, y, ys, ids FROM counted
        QUALIFY row_number() OVER (PARTITION BY {curve}, accelerator, accelerators, x ORDER BY y {first}, ids[1]) = 1
        ORDER BY ALL LIMIT {MOST_ROWS}""",
        condition.params,
    )
    owners, whole = len(owner), len(owner) + len(fixed)
    return [_measured(row, owners, whole) for row in found]


def _measured(row: Sequence[Any], owners: int, whole: int) -> Measured:
    accelerator, accelerators, x, y, values, ids = row[whole:]
    return Measured(
        tuple(row[:owners]),
        tuple(row[owners:whole]),
        accelerator,
        accelerators,
        x,
        y,
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
    """One curve: at each x what counts there, already divided by what the reader asked for."""

    members: Mapping[float, Measured]
    divisors: Mapping[float, float]

    @property
    def points(self) -> list[tuple[float, float]]:
        """The (x, y) of the curve, repeats once each."""
        return [
            (x, value / self.divisors[x]) for x, member in self.members.items() for value in member.values
        ]

    @property
    def point_ids(self) -> tuple[str, ...]:
        """The points the curve is made of."""
        return tuple(one for member in self.members.values() for one in member.point_ids)


def curve(rows: Sequence[Measured], divisor: Callable[[Measured], float | None], lower: bool) -> Curve:
    """At each x the best of these after dividing; those whose divisor is not known are left out."""
    members: dict[float, Measured] = {}
    divisors: dict[float, float] = {}
    for row in rows:
        by = divisor(row)
        if by is None:
            continue
        before = members.get(row.x)
        if before is None or (
            (row.y / by < before.y / divisors[row.x]) == lower and row.y / by != before.y / divisors[row.x]
        ):
            members[row.x], divisors[row.x] = row, by
    return Curve(dict(sorted(members.items())), divisors)
