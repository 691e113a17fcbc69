"""Which points are ranked: measured ones without a flag that excludes, of the newest run, and what each other lacks.

Everything selected is counted, whether or not it is ranked: `standing_sql` gives each point one code, the first of the
reasons that keep it out, and `tally` adds them up in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench import flags, selection
from bench.basis import limits
from bench.basis.document import HIDDEN
from bench.basis.limits import Limit
from bench.basis.narrator import Narrator
from bench.basis.options import Option
from bench.basis.statement import Statement, coverage
from bench.basis.words import WORDS
from bench.library import Library
from bench.library.newest_runs import FIGURES, OLDER, REPEAT, SET_ASIDE, set_aside_sql
from bench.selection import Clause
from bench.view import View

NARRATOR = Narrator(WORDS)
USED = "used"
UNKNOWN, BEYOND = "unknown_limit", "beyond_limit"
"""What becomes of a ranked point that does not say whether it keeps the reader's limits, or breaks them."""

DECISIVE = 0.9
"""Where fewer of the ranked points state what a limit is on, a headline says so."""

SPEAKS_OF_TIME = ("engine_version", "date_from", "date_to", "series")
"""Filters that choose among the runs of a deployment: with one of them the newest run is the newest selected."""

RUNS = Option(
    "runs",
    "Runs",
    "choice",
    "The newest run of each deployment, or older ones too.",
    ("newest", "all"),
    default="newest",
)
FLAGGED = Option(
    "flagged",
    "Flagged points",
    "choice",
    "Ranks points with a flag that warns, or leaves them out.",
    ("ranked", "out"),
    default="ranked",
)


@dataclass(frozen=True)
class Ranking:
    """Which selected points are ranked: what a View chooses of evidence, runs, flags and limits.

    `any_evidence` is that the reader asked for certain evidence; `without_speculation` is only a variation of
    answers, since a reader has a filter for it.
    """

    view: View
    any_evidence: bool
    all_runs: bool
    flagged: bool
    limits: tuple[Limit, ...]
    without_speculation: bool = False

    @property
    def unlimited(self) -> Ranking:
        """The same without the limits."""
        return replace(self, limits=())


@dataclass(frozen=True)
class Reason:
    """Why a point is not used: a code, words after a count of points, and the condition that such a point meets."""

    code: str
    words: str
    sql: str = field(metadata={HIDDEN: True})
    params: tuple[Any, ...] = field(default=(), metadata={HIDDEN: True})


@dataclass(frozen=True)
class PointTally:
    """How many points were selected and what became of each: a count for every reason, and for USED."""

    counts: dict[str, int]
    reasons: tuple[Reason, ...]

    @property
    def selected(self) -> int:
        """All that the View selects."""
        return sum(self.counts.values())

    @property
    def used(self) -> int:
        """Those that are ranked."""
        return self.counts.get(USED, 0)

    def of(self, code: str) -> int:
        """How many are left out for this reason."""
        return self.counts.get(code, 0)


NOTHING = PointTally({}, ())
"""The tally where nothing was counted."""


@dataclass(frozen=True)
class Deciding:
    """How many of the ranked points state all metrics that limits are on, and on how many of the accelerators."""

    points: int
    of: int
    accelerators: int
    of_accelerators: int
    metrics: str

    @property
    def names_a_best(self) -> bool:
        """Whether a best may be named: at least half of the accelerators say whether they keep the limits."""
        return 2 * self.accelerators >= self.of_accelerators


def read(view: View) -> Ranking:
    """What a View chooses; UsageError or UnknownName for a limit that cannot be read."""
    return Ranking(
        view=view,
        any_evidence=bool(view.values("evidence")),
        all_runs=view.option(RUNS.key) == "all",
        flagged=view.option(FLAGGED.key) != "out",
        limits=limits.read(view),
    )


def reasons(library: Library, ranking: Ranking) -> tuple[Reason, ...]:
    """Why a selected point may not be ranked, in the order in which a point that lacks several is counted."""
    aside = {OLDER: "of older runs", REPEAT: "repeats of another"}
    return (
        *_of_the_point(ranking),
        *(_aside(library, ranking, (why,), aside[why]) for why in _standing_aside(library, ranking)),
    )


def limit_reasons(
    library: Library, ranking: Ranking, computed: Mapping[str, Clause] | None = None
) -> tuple[Reason, ...]:
    """Why a ranked point does not count under the reader's limits: it breaks them, or does not say.

    `computed` are the expressions of metrics that no column holds, by key, as a cost at the reader's prices.
    """
    wanted, made = ranking.limits, computed or {}
    if not wanted:
        return ()
    kept = limits.kept_sql(library, wanted, {key: f"({one.sql})" for key, one in made.items()})
    bound = tuple(value for one in wanted if one.metric.key in made for value in made[one.metric.key].params)
    return (
        Reason(UNKNOWN, f"without {limits.metrics(wanted)}", f"({kept}) IS NULL", bound),
        Reason(BEYOND, "beyond the limits", f"NOT ({kept})", bound),
    )


def ranked(library: Library, ranking: Ranking) -> Clause:
    """The condition of the points that are selected and ranked, and keep the limits."""
    condition = selection.clause(ranking.view)
    aside = _standing_aside(library, ranking)
    listed = [*_of_the_point(ranking), *([_aside(library, ranking, aside, "")] if aside else [])]
    for reason in (*listed, *limit_reasons(library, ranking)):
        condition = condition.also(f"({reason.sql}) IS NOT TRUE", *reason.params)
    return condition


def standing(ordered: Iterable[Reason]) -> Clause:
    """The DuckDB expression of what becomes of a point: the code of the first reason that holds, or USED."""
    listed = list(ordered)
    cases = " ".join(f"WHEN {reason.sql} THEN '{reason.code}'" for reason in listed)
    params = tuple(value for reason in listed for value in reason.params)
    return Clause(f"CASE {cases} ELSE '{USED}' END" if cases else f"'{USED}'", params)


def tally(library: Library, ranking: Ranking, further: Sequence[Reason] = ()) -> PointTally:
    """What becomes of every selected point; `further` reasons of a question come before those of the limits."""
    every = (*reasons(library, ranking), *further, *limit_reasons(library, ranking))
    code, condition = standing(every), selection.clause(ranking.view)
    rows = library.fetch(
        f"SELECT {code.sql} AS code, count(*) FROM points WHERE {condition.sql} GROUP BY code ORDER BY code",
        (*code.params, *condition.params),
    )
    return PointTally(dict(rows), every)


def deciding(library: Library, ranking: Ranking, further: str = "TRUE") -> Deciding:
    """How many of the ranked points (that meet a `further` condition too) decide under the reader's limits."""
    if not ranking.limits:
        return Deciding(0, 0, 0, 0, "")
    kept, condition = limits.kept_sql(library, ranking.limits), ranked(library, ranking.unlimited)
    row = library.fetch(
        f"SELECT count(*) FILTER (({kept}) IS NOT NULL), count(*),"
        f" count(DISTINCT accelerator) FILTER (({kept}) IS NOT NULL), count(DISTINCT accelerator) FROM points"
        f" WHERE {condition.sql} AND ({further})",
        condition.params,
    )[0]
    points, of, accelerators, of_accelerators = row
    return Deciding(points, of, accelerators, of_accelerators, limits.metrics(ranking.limits))


def left_out(points: PointTally) -> list[Statement]:
    """What of the selection is not ranked, and why; nothing where everything is."""
    reasons = [{"points": many, "words": one.words} for one in points.reasons if (many := points.of(one.code))]
    if not reasons:
        return []
    values = {"selected": points.selected, "used": points.used, "reasons": reasons}
    text = NARRATOR.text("left_out" if points.used else "left_out_all", values)
    return [coverage("left_out", text, **points.counts)]


def _of_the_point(ranking: Ranking) -> list[Reason]:
    """Why a point may not be ranked, whatever else is loaded."""
    listed = []
    if not ranking.any_evidence:
        listed.append(Reason("other_evidence", "not measured", "evidence IS DISTINCT FROM 'measured'"))
    if ranking.flagged:
        listed.append(Reason("flagged", "ruled out by a flag", flags.has_sql(flags.EXCLUDING)))
    else:
        listed.append(Reason("flagged", "flagged", flags.beyond_notes_sql()))
    if ranking.without_speculation:
        listed.append(Reason("speculation", "with speculation", "coalesce(speculation, 'none') <> 'none'"))
    return listed


def _standing_aside(library: Library, ranking: Ranking) -> tuple[str, ...]:
    """Of the reasons for which another point stands for one, those that occur in the library and are not lifted."""
    occurring = library.fetch(f"SELECT DISTINCT why FROM {SET_ASIDE} ORDER BY why")
    return tuple(why for (why,) in occurring if not (ranking.all_runs and why == OLDER))


def _aside(library: Library, ranking: Ranking, why: Sequence[str], words: str) -> Reason:
    """That another point stands for this one, among all that is loaded; with a filter on time, among the selected."""
    listed = ", ".join(f"'{one}'" for one in why)
    if not any(map(ranking.view.values, SPEAKS_OF_TIME)):
        among = f"SELECT point_id FROM {SET_ASIDE} WHERE why IN ({listed})"
        return Reason(why[0], words, f"point_id IN ({among})")
    condition = selection.clause(ranking.view)
    columns = frozenset(name for name in FIGURES if library.has(name))
    selected = set_aside_sql(f"(SELECT * FROM points WHERE {condition.sql})", columns)
    among = f"SELECT point_id FROM ({selected}) WHERE why IN ({listed})"
    return Reason(why[0], words, f"point_id IN ({among})", condition.params)
