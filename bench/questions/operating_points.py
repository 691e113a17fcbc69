"""The best point of each deployment within the reader's limits: found in one pass by SQL, the winners alone read whole.

A question says what serves as its rate, what tells its deployments apart and what a good point has most of, as SQL over
a point's columns; which points are ranked, and which of them keep the limits, is `bench.basis.evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from bench.basis import evidence, limits, points
from bench.basis.evidence import Ranking, Reason
from bench.basis.points import PointFacts
from bench.catalogue import Metric
from bench.library import Library
from bench.records import LoadKind
from bench.selection import Clause

PER_ACCELERATOR = Clause("rate / accelerators", ())
LEVELS = {
    "higher": (10, 20, 30, 50, 75, 100, 150, 200, 300, 500),
    "lower": (10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10),
}
"""The limits at which a ladder is told, easiest first: tokens/s per user, or ms."""

NO_RATE, NO_CHIPS, OTHER_KIND = "no_rate", "no_chips", "other_kind"
"""Why a ranked point is no operating point."""


@dataclass(frozen=True)
class Search:
    """What is sought, as DuckDB expressions over a point's columns.

    `rate` is the throughput of the whole deployment, NULL where a point has none, and `words` name it; `group` tells
    deployments apart; a group's best point has the most `merit`, which may read `rate`: unless stated the rate per
    accelerator. `beside` is another merit, and `along` the metric of a ladder, both found in the same pass. `load_kind`
    is the only kind of load that counts, "" where all do.
    """

    rate: str
    words: str
    group: str
    merit: Clause = PER_ACCELERATOR
    beside: Clause | None = None
    along: Metric | None = None
    load_kind: LoadKind | Literal[""] = ""


@dataclass(frozen=True)
class Best:
    """The best point of a group on one kind of accelerator, with its merit; both None where none keeps the limits.

    `group` is the group's value as text, "" where it is not stated. `peak` is the merit without the limits, and
    `stated` that some point of it states what they are on. `beside` is the best by the other merit: that, its rate and
    its id; `ladder` the most merit within each of the LEVELS that it can keep, easiest first, the limits left aside.
    """

    group: str
    accelerator: str
    point_id: str | None
    merit: float | None
    peak: float
    stated: bool
    beside: tuple[float, float, str] | None = None
    ladder: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class OperatingPoint:
    """A point that was found: its facts, its rate, and those of the metrics asked that it states, by key."""

    facts: PointFacts
    rate: float
    metrics: Mapping[str, float] = field(hash=False)

    @property
    def accelerator(self) -> str:
        """What it ran on."""
        return self.facts.accelerator or ""

    @property
    def accelerators(self) -> int:
        """On how many."""
        return self.facts.accelerators or 1


def reasons(search: Search) -> tuple[Reason, ...]:
    """Why a ranked point cannot be an operating point, in the order in which one that lacks several is counted."""
    return (
        Reason(NO_RATE, f"without {search.words}", f"({search.rate}) IS NULL"),
        Reason(NO_CHIPS, "without accelerator or chip count", f"({_COUNTED}) IS NOT TRUE"),
        Reason(OTHER_KIND, "under other kinds of load", f"NOT ({_of_kind(search)})"),
    )


def usable(search: Search) -> str:
    """The DuckDB condition of a point that can be an operating point; never NULL."""
    return f"({search.rate}) IS NOT NULL AND ({_COUNTED}) IS TRUE AND {_of_kind(search)}"


def usual_load_kind(library: Library, ranking: Ranking, search: Search) -> LoadKind | Literal[""]:
    """The kind of load that most accelerators with an operating point within the limits have one under; "" without one.

    Of several that so many have, the one with the most throughput per accelerator.
    What is measured under another kind is no better or worse for it: a saturated run tells no latency, and a static
    batch has no queue.
    """
    condition = evidence.ranked(library, ranking)
    rows: list[tuple[LoadKind, int, int]] = library.fetch(
        f"SELECT {points.LOAD_KIND} AS kind, count(DISTINCT accelerator) AS chips,"
        f" (SELECT count(DISTINCT accelerator) FROM points WHERE"
        f" {condition.sql} AND {usable(search)}) FROM points WHERE {condition.sql} AND {usable(search)}"
        f" GROUP BY kind ORDER BY chips DESC, max(({search.rate}) / accelerators) DESC, kind LIMIT 1",
        (*condition.params, *condition.params),
    )
    return next((kind for kind, chips, of in rows if 2 * chips > of), "")


def of_usual_kind(library: Library, ranking: Ranking, search: Search) -> Search:
    """The same search under the usual kind of load alone; under all that the reader chose, where that is a filter."""
    if ranking.view.values("load_kind"):
        return search
    return replace(search, load_kind=usual_load_kind(library, ranking, search))


def _of_kind(search: Search) -> str:
    return f"{points.LOAD_KIND} = '{search.load_kind}'" if search.load_kind else "TRUE"


def best(library: Library, ranking: Ranking, search: Search) -> tuple[Best, ...]:
    """The best point of every group on every accelerator, by accelerator and group; of equals the fastest."""
    condition, beside = evidence.ranked(library, ranking.unlimited), search.beside or Clause("NULL", ())
    lower = search.along is not None and search.along.direction == "lower"
    levels = LEVELS["lower" if lower else "higher"] if search.along else ()
    held = f'"{search.along.key}"' if search.along and library.has(search.along.key) else "NULL"
    within = "".join(f", max(merit) FILTER (held {'<=' if lower else '>='} {level})" for level in levels)
    rows = library.fetch(
        f"WITH candidate AS (SELECT {search.rate} AS rate, coalesce(CAST({search.group} AS VARCHAR), '') AS own,"
        f" accelerator, {search.merit.sql} AS merit, {beside.sql} AS beside, {held} AS held, point_id,"
        f" {limits.kept_sql(library, ranking.limits)} AS kept FROM points WHERE {condition.sql} AND {usable(search)})"
        f" SELECT own, accelerator, {_most('merit')}, {_most('beside')}, max(merit), bool_or(kept IS NOT NULL){within}"
        " FROM candidate WHERE merit IS NOT NULL GROUP BY own, accelerator ORDER BY accelerator, own",
        (*search.merit.params, *beside.params, *condition.params),
    )
    return tuple(
        Best(
            own,
            chip,
            won and won["point_id"],
            won and won["most"],
            peak,
            stated,
            (other["most"], other["rate"], other["point_id"]) if other else None,
            tuple((float(level), most) for level, most in zip(levels, reached, strict=True) if most is not None),
        )
        for own, chip, won, other, peak, stated, *reached in rows
    )


def read(
    library: Library, search: Search, ids: Sequence[str], metrics: Iterable[str] = ()
) -> dict[str, OperatingPoint]:
    """These points whole, by id, with those of these metrics that they state."""
    keys = [key for key in dict.fromkeys(metrics) if library.has(key)]
    columns = ", ".join([f"{search.rate} AS rate", *(f'"{key}" AS metric_{key}' for key in keys)])
    rows = library.fetch(f"SELECT {points.SQL}, {columns} FROM points WHERE {points.AMONG}", (list(ids),))
    many, by_id = len(points.COLUMNS), {}
    for row in rows:
        stated = {key: value for key, value in zip(keys, row[many + 1 :], strict=True) if not pd.isna(value)}
        by_id[row[0]] = OperatingPoint(PointFacts(*row[:many]), row[many], stated)
    return by_id


def _most(merit: str) -> str:
    """The DuckDB aggregate of the point within the limits with the most of a merit; NULL without one."""
    point = f"{{'most': {merit}, 'rate': rate, 'point_id': point_id}}"
    return f"max({point}) FILTER (kept AND {merit} IS NOT NULL)"


_COUNTED = "accelerator IS NOT NULL AND accelerators > 0"
