"""The points that a View puts on two axes, by SQL: what becomes of each, which can lie on a frontier, who is best.

Ranked points with both metrics that keep the reader's limits enter the frontiers. Drawn besides, hollow, are those that
only their evidence, a flag or a limit keeps out, and those that do not state what a limit is on; older runs and repeats
are counted and not drawn.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from bench import selection
from bench.basis import evidence, limits, points
from bench.basis.evidence import BEYOND, UNKNOWN, USED, Deciding, PointTally, Ranking, Reason
from bench.basis.limits import Limit
from bench.basis.prices import ChipPrice
from bench.catalogue import PRICED, metric
from bench.library import Library
from bench.maths import cost, pareto
from bench.maths.grid import TIE
from bench.questions import operating_points
from bench.questions.operating_points import Search
from bench.questions.pareto.axes import Axes, candidates, finite_sql
from bench.questions.pareto.result import CloudGrid, Span, Undrawn
from bench.selection import Clause, as_asked
from bench.wording import inline

ASIDE = {
    "other_evidence": "not measured",
    "flagged": "ruled out by a flag",
    UNKNOWN: "limit not stated",
    BEYOND: "beyond the limit",
}
"""What keeps out the points that are drawn hollow, where they have both metrics."""

DRAWN = (USED, *ASIDE)
JUDGED = (USED, UNKNOWN, BEYOND)
"""What becomes of the points that would enter without the reader's limits."""

MIXED = (
    "model",
    "precision",
    "isl",
    "osl",
    "load_kind",
    "engine",
    "engine_version",
    "speculation",
    "disaggregated",
    "evidence",
    "accelerator",
)
"""What an answer says of the points it puts on one pair of axes; a length only counted of a data set is none."""

REDUCED = ("point_id", "owner", "accelerator", "mark", "x", "y")
BINS_ACROSS, BINS_UP = 96, 64

BEST_BEFORE = (
    "max({y} * y) OVER (PARTITION BY {each} ORDER BY {x} * x DESC, {y} * y DESC, point_id"
    " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
)
"""The frontier in one pass: from the best x on, a point stays when its y beats every y before it. Equal points follow
each other by id, so the smallest id stays; bench.maths.pareto.frontier is the same in numpy."""

RANGE = "floor({x} * 32 * sign(x) * sqrt(sqrt(abs(x))))"
"""Ranges of x, better ones with greater numbers. Any rule that never falls as x gets better is exact; IEEE 754 rounds
square roots and products correctly, so this one never does, and it is about 4 % wide around 100."""


@dataclass(frozen=True)
class Points:
    """What a complete View selects, on its axes."""

    library: Library
    ranking: Ranking
    axes: Axes

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """Why a selected point enters no frontier."""
        axes, y_sql = self.axes, self.axes.y_sql
        computed = {axes.y.key: y_sql} if axes.choice else None
        unpriced = Reason("unpriced", "on chips without a price", f"({y_sql.sql}) IS NULL", y_sql.params)
        y = PRICED.get(axes.y.key, axes.y.key)
        return (
            *evidence.reasons(self.library, self.ranking),
            Reason("no_x", f"without {inline(axes.x)}", f"({axes.x_sql}) IS NULL"),
            Reason("no_y", f"without {inline(metric(y))}", f"({finite_sql(self.library, y)}) IS NULL"),
            *([unpriced] if axes.choice else ()),
            *evidence.limit_reasons(self.library, self.ranking, computed),
        )

    @property
    def kept(self) -> Clause:
        """The DuckDB expression of whether a point with `x` and `y` keeps the limits; NULL where that is unknown."""
        computed = {self.axes.y.key: "y"} if self.axes.choice else {}
        return Clause(f"({limits.kept_sql(self.library, self.ranking.limits, computed)})", ())

    @cached_property
    def mixture(self) -> pd.DataFrame:
        """How many points there are of each mixture of `code`, owner and MIXED, in one pass.

        With the ends of x and y, the dates, and `known`: how many say whether they keep the limits.
        """
        columns = ", ".join(f"{as_asked(name)} AS {name}" for name in MIXED)
        query = self._sql(f"{self.kept.sql} AS kept, date, {columns}")
        both, sides = "FILTER (x + y IS NOT NULL)", [(end, axis) for axis in "xy" for end in ("min", "max")]
        ends = ", ".join(f"{end}({axis}) {both} AS {end}_{axis}" for end, axis in sides)
        return self.library.query(
            f"SELECT code, owner, {', '.join(MIXED)}, count(*) AS points, count(kept) AS known, {ends},"
            f" min(date) AS first, max(date) AS last FROM ({query.sql}) GROUP BY ALL ORDER BY ALL",
            query.params,
        )

    @cached_property
    def used(self) -> pd.DataFrame:
        """The mixtures of the points that enter."""
        return self.mixture[self.mixture["code"] == USED]

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The mixtures of the points that would enter without the limits."""
        return self.mixture[self.mixture["code"].isin(JUDGED)]

    @cached_property
    def seen(self) -> pd.DataFrame:
        """The mixtures of the points that may be drawn."""
        return self.mixture[self.mixture["code"].isin(DRAWN)]

    @property
    def tally(self) -> PointTally:
        """What became of every point."""
        return PointTally(_counts(self.mixture, "code"), self.reasons)

    @cached_property
    def owners(self) -> dict[str, tuple[int, int]]:
        """How many points of each owner would enter without the limits, and how many say whether they keep them."""
        points, known = (_counts(self.judged, "owner", of) for of in ("points", "known"))
        return {owner: (many, known[owner]) for owner, many in points.items()}

    @cached_property
    def mixed(self) -> Mapping[str, tuple[Any, ...]]:
        """The unlike values of each field of MIXED among those that enter, else without the limits, else of all.

        Of the accelerators also those that only lack a price.
        """
        rows = next((rows for rows in (self.used, self.judged) if len(rows)), self.mixture)
        priced = self.mixture[self.mixture["code"].isin((USED, "unpriced"))]
        columns = {key: (priced if key == "accelerator" else rows)[key].astype(object) for key in MIXED}
        return {key: tuple(one.where(one.notna(), None).unique()) for key, one in columns.items()}

    @property
    def unasked(self) -> tuple[str, ...]:
        """Of what a story is about, that in which points that enter differ though the reader did not ask for it."""
        fixed = [key for key, _ in self.ranking.view.where]
        open_yet = [key for key in ("model", "isl", "osl") if key not in (*fixed, self.axes.owner)]
        return tuple(key for key in open_yet if len({*self.mixed[key]} - {None}) > 1)

    @property
    def dates(self) -> tuple[datetime.date, datetime.date] | None:
        """When the first and the last of those that enter was measured; None where no date is stated."""
        first, last = self.used["first"].min(), self.used["last"].max()
        return None if pd.isna(first) else (first.date(), last.date())

    @property
    def deciding(self) -> Deciding:
        """How many of those that would enter without the reader's limits say whether they keep them."""
        slo = self.ranking.limits
        of = self.judged if slo else self.judged[:0]
        known = of[of["known"] > 0]
        chips, of_chips = (int(rows["accelerator"].nunique()) for rows in (known, of))
        many, of_many = int(known["known"].sum()), int(of["points"].sum())
        return Deciding(many, of_many, chips, of_chips, limits.metrics(slo))

    def drawn(self, ids: Sequence[str] | None = None) -> pd.DataFrame:
        """Those that are drawn, or of them those of these ids: their facts, owner, x, y, and whether they enter.

        `aside` says what keeps one out.
        """
        facts = ", ".join(name for name in points.COLUMNS if name != "point_id")
        said = " ".join(f"WHEN '{code}' THEN '{words}'" for code, words in ASIDE.items())
        query = self._sql(facts, ids)
        return self.library.query(
            f"SELECT * EXCLUDE (code), code = '{USED}' AS enters, CASE code {said} END AS aside"
            f" FROM ({query.sql}) WHERE {_DRAWN} ORDER BY point_id",
            query.params,
        )

    def in_cells(self, spans: tuple[Span, Span]) -> CloudGrid:
        """How many of those that are drawn fall into each cell of a grid over these spans of x and y."""
        (x, y), query = spans, self._sql("accelerator")
        cells = self.library.fetch(
            f"SELECT {_bin_sql('x', x, BINS_ACROSS)} AS across, {_bin_sql('y', y, BINS_UP)} AS up, count(*)"
            f" FROM ({query.sql}) WHERE {_DRAWN} GROUP BY ALL ORDER BY ALL",
            query.params,
        )
        return CloudGrid(x.edges(BINS_ACROSS), y.edges(BINS_UP), tuple(cells))

    def passports(self, source_ids: Sequence[str]) -> list[str]:
        """How the two figures of a point of each source became metrics: definition, format and tool; "" if unknown."""
        keys = [key for one in (self.axes.x.key, self.axes.y.key) for key in (one, PRICED.get(one, one))]
        fetched = self.library.fetch(
            "SELECT DISTINCT source_id, metric, concat(definition, ' (', concat_ws(' ', format, tool_version), ')')"
            " FROM passports WHERE metric IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY ALL",
            ([name for key in keys for name in (key, *metric(key).inputs)],),
        )
        words: dict[str, list[str]] = defaultdict(list)
        for source_id, key, text in fetched:
            words[source_id].append(f"{metric(key).label} {text}")
        return ["; ".join(words[source_id]) for source_id in source_ids]

    def _sql(self, columns: str, ids: Sequence[str] | None = None) -> Clause:
        """The query of the selected points, or of those of these ids, with `code` (what becomes of each)."""
        code, chosen = evidence.standing(self.reasons), selection.clause(self.ranking.view)
        if ids is not None:
            chosen = chosen.also(points.AMONG, list(ids))
        return self.axes.points_sql(f"{code.sql} AS code, {columns}", code.params, chosen)


def reduced(library: Library, axes: Axes, among: Clause, marks: Sequence[Clause]) -> pd.DataFrame:
    """The points `among` all that can lie on a frontier, whichever of them enter and whatever an hour costs.

    Those are each owner's and accelerator's own frontiers, of the points alike in all `marks`; the mark of a point
    counts 1 for the first it meets, 2 for the second, 4 for the third, and so on.

    Exact: a point goes unsorted only when a better range of x holds a y that is at least as good.
    """
    mark = " + ".join(f"CASE WHEN {one.sql} THEN {2**place} ELSE 0 END" for place, one in enumerate(marks))
    bound = tuple(value for one in marks for value in one.params)
    query = axes.points_sql(f"coalesce(accelerator, '') AS accelerator, {mark} AS mark", bound, among)
    by_x, by_y = map(pareto.sign, axes.better)
    each = "owner, accelerator, mark"
    best_before = BEST_BEFORE.format(x=by_x, y=by_y, each=each)
    return library.query(
        f"WITH ranged AS (SELECT *, {RANGE.format(x=by_x)} AS range FROM ({query.sql}) WHERE x + y IS NOT NULL),"
        f" bar AS (SELECT {each}, range, max(max({by_y} * y)) OVER (PARTITION BY {each} ORDER BY range DESC"
        f" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS beyond FROM ranged GROUP BY {each}, range),"
        f" contender AS (SELECT * FROM ranged JOIN bar USING ({each}, range)"
        f" WHERE beyond IS NULL OR {by_y} * y > beyond),"
        f" ordered AS (SELECT *, {best_before} AS best_before FROM contender)"
        f" SELECT {', '.join(REDUCED)} FROM ordered WHERE best_before IS NULL OR {by_y} * y > best_before"
        " ORDER BY point_id",
        query.params,
    )


def contenders(every: Points) -> list[str]:
    """The ids of the points that can lie on a frontier within the limits."""
    among = evidence.ranked(every.library, every.ranking.unlimited)
    frame = reduced(every.library, every.axes, among, [every.kept])
    return frame.loc[frame["mark"] > 0, "point_id"].tolist()


def leader(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> str | None:
    """Whose lead is over the widest range of these points, or with limits whose point is best within them.

    They keep all limits but those on a cost.
    """
    costs = [one.value for one in limits if axes.choice and one.metric == axes.y]
    frame = frame[frame["y"] <= min(costs)] if costs else frame
    owners = frame["owner"].tolist()
    line, leads = pareto.led(frame["x"], frame["y"], owners, frame["point_id"].tolist(), *axes.better)
    if limits:
        return owners[line[axes.best_end(limits)]] if line else None
    lead = pareto.widest(leads, TIE)
    return lead.owner if lead else None


def priced(frame: pd.DataFrame, prices: Mapping[str, ChipPrice]) -> pd.DataFrame:
    """These points, whose y is a cost at 1 USD an hour, at these prices; those on chips without one are left out."""
    # A table without rows has columns of objects, which do not multiply.
    hourly = frame["accelerator"].map({chip: price.usd for chip, price in prices.items()}).astype("float64")
    return frame.assign(y=frame["y"].astype("float64") * hourly)[hourly.notna()].reset_index(drop=True)


def cheapest(library: Library, ranking: Ranking, axes: Axes) -> Undrawn | None:
    """The point that Cost calls cheapest, where it lacks x; None where it has x, or y is no cost."""
    if axes.choice is None:
        return None
    own = [one for one in ranking.limits if one.metric == axes.y]
    limited = replace(ranking, limits=tuple(one for one in ranking.limits if one not in own))
    along, _ = candidates(library, "", "")
    rate = PRICED[axes.y.key]
    positive = f'CASE WHEN isfinite("{rate}") AND "{rate}" > 0 THEN "{rate}" END'
    search = operating_points.of_usual_kind(library, limited, Search(positive, inline(metric(rate)), "''"))
    every = operating_points.best(library, limited, search)
    costs = {
        one.point_id: axes.prices[one.accelerator].usd / one.merit
        for one in every
        if one.point_id and one.merit and one.accelerator in axes.prices
    }
    if not costs:
        return None
    first = min(costs, key=lambda id: costs[id])
    point = operating_points.read(library, search, [first], along)[first]
    hour = axes.prices[point.accelerator].usd * point.accelerators
    usd = cost.usd_per_million(hour, point.rate, axes.choice.utilisation)
    keeps = usd is not None and all(usd <= one.value if one.at_most else usd >= one.value for one in own)
    if usd is None or not keeps or axes.x.key in point.metrics:
        return None
    return Undrawn(usd, point.facts, tuple(point.metrics))


def _counts(rows: pd.DataFrame, key: str, of: str = "points") -> dict[str, int]:
    return {str(one): int(many) for one, many in rows.groupby(key)[of].sum().items()}


def _bin_sql(name: str, span: Span, bins: int) -> str:
    low, high = span.low, span.high
    if high <= low:
        return "0"
    share = f"({name} - {low!r}) / ({high!r} - {low!r})"
    share = f"ln({name} / {low!r}) / ln({high!r} / {low!r})" if span.log else share
    return f"least(CAST(floor({share} * {bins}) AS INTEGER), {bins - 1})"


_DRAWN = f"x + y IS NOT NULL AND code IN ({', '.join(map(repr, DRAWN))})"
