"""The measured points that curves are made of: at each place of the axis the newest run, and of layouts the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.catalogue import Metric
from bench.library import Library
from bench.questions.crossover.asked import ALONG, LENGTHS, LOADS
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
    curve = ", ".join((*(f"owner_{key}" for key in owner), *fixed))
    named = "".join(f"{key} AS owner_{key}, " for key in owner)
    best, first = ("min", "ASC") if metric.direction == "lower" else ("max", "DESC")
    repeated = "count(repeat) = count(*) AND count(*) > 1"
    found = library.fetch(
        f"""WITH entering AS (
          SELECT {named}{", ".join(fixed)}, accelerator, accelerators, CAST({ALONG[along]} AS DOUBLE) AS x,
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


def by_fixed(rows: Sequence[Measured]) -> dict[tuple[Any, ...], list[Measured]]:
    """The rows of each curve by what is equal along it."""
    found: dict[tuple[Any, ...], list[Measured]] = {}
    for row in rows:
        found.setdefault(row.fixed, []).append(row)
    return found
