"""What became of every selected point, and how unlike those are that enter the frontiers: counted in one pass.

Ranked points with both metrics enter. Drawn besides, hollow, are those that only their evidence or a flag keeps out;
older runs and repeats are counted and not drawn.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from bench import selection
from bench.basis import evidence, limits
from bench.basis.evidence import USED, Deciding, Ranking, Reason, Tally
from bench.catalogue import PRICED, metric
from bench.library import Library
from bench.questions.pareto.axes import Axes, finite_sql
from bench.selection import Clause, as_asked
from bench.wording import inline

HOLLOW = ("other_evidence", "flagged")
"""Points that are not ranked for one of these reasons are drawn all the same."""

MIXED = ("model", "precision", "isl", "osl", "load_kind", "engine", "engine_version", "speculation", "disaggregated",
         "evidence", "accelerator")  # fmt: skip
"""What an answer says of the points it puts on one pair of axes; a length only counted of a data set is none."""


@dataclass(frozen=True)
class Mixture:
    """How many selected points there are of each mixture of `code` (what becomes of them), owner and MIXED."""

    table: pd.DataFrame
    reasons: tuple[Reason, ...]

    @property
    def code(self) -> Clause:
        """The DuckDB expression of what becomes of a point."""
        return evidence.standing(self.reasons)

    @cached_property
    def used(self) -> pd.DataFrame:
        """The mixtures of the points that enter."""
        return self.table[self.table["code"] == USED]

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """The mixtures of the points that may be drawn."""
        return self.table[self.table["code"].isin((USED, *HOLLOW))]

    @property
    def tally(self) -> Tally:
        """What became of every selected point."""
        return Tally(_counts(self.table, "code"), self.reasons)

    @cached_property
    def owners(self) -> dict[str, int]:
        """How many points of each owner enter."""
        return _counts(self.used, "owner")

    @property
    def values(self) -> Mapping[str, tuple[Any, ...]]:
        """The unlike values of each field of MIXED; of all selected where none enters."""
        rows = self.used if len(self.used) else self.table
        columns = {key: rows[key].astype(object) for key in MIXED}
        return {key: tuple(one.where(one.notna(), None).unique()) for key, one in columns.items()}

    @property
    def dates(self) -> tuple[datetime.date, datetime.date] | None:
        """When the first and the last of those that enter was measured; None where no date is stated."""
        first, last = self.used["first"].min(), self.used["last"].max()
        return None if pd.isna(first) else (first.date(), last.date())

    def deciding(self, ranking: Ranking) -> Deciding:
        """How many of those that enter say whether they keep the reader's limits."""
        known = self.used[self.used["known"] > 0] if ranking.limits else self.used[:0]
        of = self.used if ranking.limits else known
        return Deciding(
            int(known["known"].sum()), int(of["points"].sum()), known["accelerator"].nunique(),
            of["accelerator"].nunique(), limits.metrics(ranking.limits),
        )  # fmt: skip


def of(library: Library, ranking: Ranking, axes: Axes) -> Mixture:
    """What a complete View selects, by one query; with the ends of x and y, and how many say they keep the limits."""
    found = Mixture(pd.DataFrame(), reasons(library, ranking, axes))
    columns = ", ".join(f"{as_asked(name)} AS {name}" for name in MIXED)
    query = axes.points_sql(f"{found.code.sql} AS code, {kept_sql(library, ranking, axes)} AS kept, date, {columns}",
                            found.code.params, selection.clause(ranking.view))  # fmt: skip
    ends = ", ".join(
        f"{end}({axis}) FILTER (x + y IS NOT NULL) AS {end}_{axis}" for axis in "xy" for end in ("min", "max")
    )
    table = library.query(
        f"SELECT code, owner, {', '.join(MIXED)}, count(*) AS points, count(kept) AS known, {ends}, min(date) AS first,"
        f" max(date) AS last FROM ({query.sql}) GROUP BY ALL ORDER BY ALL",
        query.params,
    )
    return Mixture(table, found.reasons)


def kept_sql(library: Library, ranking: Ranking, axes: Axes) -> str:
    """The DuckDB expression of whether a point with `x` and `y` keeps the limits; NULL where that is unknown."""
    return limits.kept_sql(library, ranking.limits, {axes.y.key: "y"} if axes.choice else {})


def reasons(library: Library, ranking: Ranking, axes: Axes) -> tuple[Reason, ...]:
    """Why a selected point enters no frontier; limits keep none out."""
    y = PRICED.get(axes.y.key, axes.y.key)
    return (
        *evidence.reasons(library, ranking),
        Reason("no_x", f"without {inline(axes.x)}", f"({axes.x_sql}) IS NULL"),
        Reason("no_y", f"without {inline(metric(y))}", f"({finite_sql(library, y)}) IS NULL"),
        Reason("unpriced", "on chips without a price", f"({axes.y_sql.sql}) IS NULL", axes.y_sql.params),
    )[: None if axes.choice else -1]


def _counts(rows: pd.DataFrame, key: str) -> dict[str, int]:
    return {str(one): int(many) for one, many in rows.groupby(key)["points"].sum().items()}
