"""What a crossover is of when nobody said: the story, the axis along which it has curves, and the metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from bench import catalogue, selection
from bench.basis import evidence, prices, story
from bench.basis.evidence import Ranking
from bench.basis.story import Needs, Story
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover.asked import ALONG, LENGTHS, LOADS
from bench.records import POINT_FIELDS
from bench.selection import Clause
from bench.view import View

THROUGHPUTS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")

Sides = tuple[View | None, View | None]
Best = tuple[int, str, str]


def told(library: Library, view: View) -> Story:
    """What the answer is about, its View complete: a model and workload both sides hold, or with curves to compare.

    Precision stays open, since two sides may differ in it, as does a length that is the axis.
    """
    sides, along = (asking.side(view, "a"), asking.side(view, "b")), view.option("along")
    found = _story(library, view, sides, along)
    metric = view.option("metric")
    if not (along and metric):
        many, along, metric = _most(library, found.view, sides, [along] if along else LOADS)
    if not (view.option("along") or many):
        stories = [(key, _story(library, view, sides, key)) for key in LENGTHS]
        lengths = [(*_most(library, one.view, sides, [key]), one) for key, one in stories]
        best = max(lengths, key=lambda row: row[0])
        if best[0]:
            _, along, metric, found = best
    per = view.option("per", "raw") if asking.Asked(along, metric, "raw").is_divisible else "raw"
    a, b = (asking.written(own) if own else None for own in sides)
    whole = found.view.with_options(a=a, b=b, along=along, metric=metric, per=per)
    return replace(found, view=prices.completed(library, whole).made_whole())


def is_complete(library: Library, view: View) -> bool:
    """Whether nothing is left to fill in, as of the View of an answer."""
    stated = view.whole and all(view.option(key) for key in ("along", "metric", "per"))
    return stated and view.option("per") in asking.read(view).pers and prices.completed(library, view) == view


def comparable(library: Library) -> list[str]:
    """The metrics held, stored or derived, that curves are compared by, in the catalogue's order."""
    stored = library.metric_columns()
    held = {*stored, *catalogue.derivable({*stored, *POINT_FIELDS})}
    return catalogue.metrics_of(*asking.COMPARED, held=held)


def of_side(library: Library, ranking: Ranking, own: View | None) -> Clause:
    """The ranked points of a side: those the View and the side's own filters select.

    A side that chooses among the runs of a deployment, by its engine version for one, has the newest of those.
    """
    if own is None:
        return evidence.ranked(library, ranking)
    condition = selection.clause(ranking.view)
    return evidence.ranked(library, narrowed(ranking, own)).also(f"({condition.sql})", *condition.params)


def narrowed(ranking: Ranking, own: View | None) -> Ranking:
    """The ranking of a side alone."""
    if own is None:
        return ranking
    view = ranking.view.with_where(**dict(own.where))
    return replace(ranking, view=view, any_evidence=ranking.any_evidence or bool(own.values("evidence")))


def alongs(library: Library, view: View) -> list[str]:
    """The axes along which the ranked points have at least two places."""
    condition = evidence.ranked(library, evidence.read(view))
    columns = ", ".join(f"min({sql}) < max({sql})" for sql in ALONG.values())
    row = library.fetch(f"SELECT {columns} FROM points WHERE {condition.sql}", condition.params)[0]
    return [key for key, several in zip(ALONG, row, strict=True) if several]


def value_sql(library: Library, metric: str) -> str:
    """The DuckDB expression of a point's value; NULL where it is absent, not finite, or not above 0."""
    if not library.has(metric):
        return "CAST(NULL AS DOUBLE)"
    return f'CASE WHEN isfinite("{metric}") AND "{metric}" > 0 THEN "{metric}" END'


def _story(library: Library, view: View, sides: Sides, along: str) -> Story:
    """The story with something to compare along this axis, or any load; as it is where two sides share none."""
    needs = _needs(library, view, sides, along)
    found = story.told(library, view, needs, needs.open)
    if not all(sides) or view.whole:
        return found
    return found if found.fits else replace(found, view=story.own_choice(view), pins={})


def _needs(library: Library, view: View, sides: Sides, along: str) -> Needs:
    """Two accelerators with two places each, or points of both sides; of one side alone, and of others."""
    said, free = "curves of two accelerators", ("precision", along)
    metrics = _metrics(library, view.option("metric"))
    held = " OR ".join(f"{value_sql(library, key)} IS NOT NULL" for key in metrics)
    x = f"({ALONG[along]})" if along else f"coalesce({', '.join(LOADS)})"
    usable = f"({held}) AND {x} > 0"
    chosen = [selection.clause(own) for own in sides if own]
    if not chosen:
        of = "accelerator" if len(view.values("accelerator")) != 1 else "deployment_id"
        return Needs(said, usable, f"load_kind, {of}", f"count(DISTINCT {x}) > 1", 2, (), free)
    conditions = [f"bool_or({one.sql})" for one in chosen]
    if len(chosen) == 1:
        conditions.append(f"NOT bool_and({chosen[0].sql})")
    params = tuple(value for one in (*chosen, *chosen)[:2] for value in one.params)
    return Needs(said, usable, having=" AND ".join(conditions), params=params, open=free)


def _metrics(library: Library, metric: str) -> list[str]:
    """What may be compared: the metric asked for, else the throughputs held, else whatever is held."""
    return [metric] if metric else [key for key in THROUGHPUTS if library.has(key)] or comparable(library)


def _most(library: Library, view: View, sides: Sides, among: Sequence[str]) -> Best:
    """The axis and the metric for which the most accelerators of each side have two places, and how many those are; of
    equals the first metric, along the axis with the most points.
    """
    keys = _metrics(library, view.option("metric"))
    best = _best(library, view, sides, among, keys)
    others = [key for key in comparable(library) if key not in keys] if not view.option("metric") else []
    if best[0] or not others:
        return best
    return max(best, _best(library, view, sides, among, others), key=lambda row: row[0])


def _best(library: Library, view: View, sides: Sides, among: Sequence[str], keys: Sequence[str]) -> Best:
    """The same of these axes and metrics."""
    ranking, within = evidence.read(view), selection.clause(view)
    conditions = [of_side(library, ranking, own) for own in (sides if all(sides) else (None,))]
    values = ", ".join(f"{value_sql(library, key)} IS NOT NULL" for key in keys)
    ranked = ", ".join(f"coalesce({one.sql}, FALSE)" for one in conditions)
    found = library.fetch(
        f"SELECT accelerator, [{ranked}], [{values}], [{', '.join(ALONG[x] for x in among)}], count(*) FROM points"
        f" WHERE {within.sql} GROUP BY ALL",
        (*(value for one in conditions for value in one.params), *within.params),
    )
    scores = []
    for (place, key), (at, along) in product(enumerate(keys), enumerate(among)):
        each = []
        for side in range(len(conditions)):
            of = [row for row in found if row[1][side] and row[2][place] and (row[3][at] or 0) > 0]
            chips = Counter(chip for chip, _ in {(row[0], row[3][at]) for row in of} if chip is not None)
            each.append((sum(many > 1 for many in chips.values()), sum(row[4] for row in of)))
        scores.append((min(each)[0], -place, min(each), along, key))
    most, _, _, along, metric = max(scores, key=lambda row: row[:3])
    return most, along, metric
