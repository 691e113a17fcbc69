"""The points a Pareto chart is made of, by SQL: which can lie on a frontier, and which are drawn."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from bench import catalogue, selection
from bench.basis import points
from bench.basis.evidence import USED, Ranking
from bench.catalogue import PRICED, Metric
from bench.library import Library
from bench.maths.pareto import sign
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.mixture import HOLLOW, Mixture, kept_sql
from bench.questions.pareto.result import Grid, Span
from bench.selection import Clause

REDUCED = ("point_id", "owner", "accelerator", "mark", "x", "y")
BINS_ACROSS, BINS_UP = 96, 64


def reduced(library: Library, axes: Axes, among: Clause, marks: Sequence[Clause] = ()) -> pd.DataFrame:
    """The points `among` all that can lie on a frontier, whichever of them enter and whatever an hour costs.

    Those are each owner's and accelerator's own frontiers, of the points alike in all `marks`; the mark of a point
    counts 1 for the first it meets, 2 for the second, and so on. Columns point_id, owner, accelerator, x, y, mark.

    Exact: a point goes unsorted only when a better range of x holds a y that is at least as good.
    """
    mark = (
        " + ".join(f"CASE WHEN {one.sql} THEN {2**place} ELSE 0 END" for place, one in enumerate(marks))
        or "0"
    )
    bound = tuple(value for one in marks for value in one.params)
    read = axes.points_sql(f"coalesce(accelerator, '') AS accelerator, {mark} AS mark", bound, among)
    by_x, by_y = map(sign, axes.better)
    signs, each = {"x": by_x, "y": by_y}, "owner, accelerator, mark"
    return library.query(
        f"WITH ranged AS (SELECT *, {_RANGE.format(**signs)} AS range FROM ({read.sql})"
        " WHERE x IS NOT NULL AND y IS NOT NULL),"
        f" bar AS (SELECT {each}, range, max(max({by_y} * y)) OVER (PARTITION BY {each} ORDER BY range DESC"
        f" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS beyond FROM ranged GROUP BY {each}, range),"
        f" contender AS (SELECT * FROM ranged JOIN bar USING ({each}, range)"
        f" WHERE beyond IS NULL OR {by_y} * y > beyond),"
        f" ordered AS (SELECT *, {_BEST_BEFORE.format(**signs, each=each)} AS best_before FROM contender)"
        f" SELECT {', '.join(REDUCED)} FROM ordered WHERE best_before IS NULL OR {by_y} * y > best_before"
        " ORDER BY point_id",
        read.params,
    )


def drawn(library: Library, ranking: Ranking, axes: Axes, mixture: Mixture,
          ids: Sequence[str] | None = None) -> pd.DataFrame:  # fmt: skip
    """The points a chart draws, or those of these ids: their facts, owner, x and y, and whether they are ranked.

    A point has the `mark` 1 where it keeps the limits, else 0.
    """
    chosen = selection.clause(ranking.view)
    if ids is not None:
        chosen = chosen.also("point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))", list(ids))
    mark = f"CASE WHEN {kept_sql(library, ranking, axes)} THEN 1 ELSE 0 END AS mark"
    query = axes.points_sql(f"{points.SQL}, {mark}, {mixture.code.sql} AS code", mixture.code.params, chosen)
    return library.query(
        f"SELECT * EXCLUDE (code), code = '{USED}' AS enters FROM ({query.sql}) WHERE {_DRAWN} ORDER BY point_id",
        query.params,
    )


def counted_in_cells(
    library: Library, ranking: Ranking, axes: Axes, mixture: Mixture, spans: tuple[Span, Span]
) -> Grid:
    """How many of the points a chart would draw fall into each cell of a grid over these spans of x and y."""
    x, y = spans
    query = axes.points_sql(
        f"{mixture.code.sql} AS code", mixture.code.params, selection.clause(ranking.view)
    )
    cells = library.fetch(
        f"SELECT {_bin_sql('x', x, BINS_ACROSS)} AS across, {_bin_sql('y', y, BINS_UP)} AS up, count(*)"
        f" FROM ({query.sql}) WHERE {_DRAWN} GROUP BY ALL ORDER BY ALL",
        query.params,
    )
    return Grid(x.edges(BINS_ACROSS), y.edges(BINS_UP), tuple(cells))


def passports(library: Library, frame: pd.DataFrame, axes: Axes) -> list[str]:
    """For each point how its two figures became metrics: format, tool version and definition; "" when unknown."""
    keys = [key for metric in (axes.x, axes.y) for key in (metric.key, *_stored_inputs(library, metric))]
    found = library.fetch(
        "SELECT source_id, metric, format, tool_version, definition FROM passports"
        " WHERE metric IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY source_id, metric",
        (keys,),
    )
    words: dict[str, dict[str, None]] = {}
    for source_id, metric, form, version, definition in found:
        tool = " ".join(part for part in (form, version) if part)
        words.setdefault(source_id, {})[f"{catalogue.metric(metric).label} {definition} ({tool})"] = None
    said = {source_id: "; ".join(parts) for source_id, parts in words.items()}
    return [said.get(source_id, "") for source_id in frame["source_id"]]


def _stored_inputs(library: Library, metric: Metric) -> list[str]:
    key = PRICED.get(metric.key)
    inputs = (key, *catalogue.metric(key).inputs) if key else metric.inputs
    return [name for name in inputs if catalogue.is_metric(name) and library.has(name)]


def _bin_sql(name: str, span: Span, bins: int) -> str:
    low, high = span.low, span.high
    if high <= low:
        return "0"
    if span.log:
        share = f"ln({name} / {low!r}) / ln({high!r} / {low!r})"
    else:
        share = f"({name} - {low!r}) / ({high!r} - {low!r})"
    return f"least(CAST(floor({share} * {bins}) AS INTEGER), {bins - 1})"


_DRAWN = f"x IS NOT NULL AND y IS NOT NULL AND code IN ({', '.join(map(repr, (USED, *HOLLOW)))})"
_BEST_BEFORE = (
    "max({y} * y) OVER (PARTITION BY {each} ORDER BY {x} * x DESC, {y} * y DESC, point_id"
    " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
)
# The frontier in one pass: from the best x on, a point stays when its y beats every y before it. Equal points
# follow each other by id, so the smallest id stays; bench.maths.pareto.frontier is the same in numpy.
_RANGE = "floor({x} * 32 * sign(x) * sqrt(sqrt(abs(x))))"
# Ranges of x, better ones with greater numbers. Any rule that never falls as x gets better is exact; IEEE 754 rounds
# square roots and products correctly, so this one never does, and it is about 4 % wide around 100.
