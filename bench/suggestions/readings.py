"""The ways to read what was typed: each a View with one model, or one for each side, that points are counted of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice, product

from bench import selection
from bench.catalogue import Metric
from bench.library import Library
from bench.suggestions.words import Meaning, WordGroups
from bench.view import FILTER_BY_KEY, View

MOST_READINGS = 4
NEVER_SIDES = ("isl", "osl", "concurrency", "batch", "tp")
"""What two values of make no two sides of a comparison."""

SEVERAL = ("accelerator", "engine")
"""The filters of which one word may name several values, as a family does."""

ReadSides = tuple[str, tuple[tuple[str, ...], tuple[str, ...]]]


Wanted = tuple[tuple[str, WordGroups], ...]
"""The filters that more than one thing was named for, with the values of each."""


@dataclass(frozen=True)
class TextReading:
    """One way to read a text: a View, the sides of a comparison in it, and how many points the View selects.

    It `is_whole` where points have each name that was typed: of two names, the groups that are `wanted`, not one alone.
    """

    view: View
    points: int
    sides: ReadSides | None = None
    typed: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    without: str = ""
    per_dollar: bool = False
    metric: Metric | None = None
    is_whole: bool = True
    wanted: Wanted = ()


def of(library: Library, meant: Meaning) -> list[TextReading]:
    """Every way to read the text that points have whole, most first; else one that they have not."""
    where = {key: [value for group in groups for value in group] for key, groups in meant.groups.items()}
    metric = next((one for one in meant.metrics if library.has(one.key)), None)
    wanted = tuple(
        (key, groups) for key, groups in meant.groups.items() if len(groups) > 1 and FILTER_BY_KEY[key].kind != "number"
    )
    read = []
    for at in range(max(map(len, meant.lengths.values()), default=1)):
        lengths = {key: [values[min(at, len(values) - 1)]] for key, values in meant.lengths.items()}
        view = View.of({**where, **lengths}, slo=meant.slo)
        for models in _models(library, view, meant, metric) or [view.values("model")]:
            every = view.with_where(model=models)
            one = _loaded(library, every)
            points = selection.count(library, one)
            is_whole = bool(points) and has_each(library, wanted, selection.clause(one))
            read.append(
                TextReading(
                    one if is_whole else every,
                    points,
                    _sides(meant, one),
                    meant.typed,
                    metric=metric,
                    is_whole=is_whole,
                    per_dollar="cost" in meant.pages,
                    wanted=wanted,
                )
            )
    some = sorted((one for one in read if one.is_whole), key=lambda one: -one.points)
    return some[:MOST_READINGS] or read[:1]


def has_each(library: Library, wanted: Wanted, condition: selection.Clause) -> bool:
    """Whether the points that meet a condition have something of each group that was named."""
    for key, groups in wanted:
        held = _values(library, key, condition)
        if not all(held.intersection(group) for group in groups):
            return False
    return True


def _models(library: Library, view: View, meant: Meaning, metric: Metric | None) -> list[tuple[str, ...]]:
    """The models to read a text for, best first: one at a time of those that one word may mean, or that both sides
    or the metric have; one of each of several that were named.

    None where the text leaves nothing to choose.
    """
    sides, groups = _sides(meant, view), meant.groups.get("model", ())
    if (groups and all(len(group) == 1 for group in groups)) or not (groups or sides or metric):
        return []
    held = _counted(library, view, None if groups and len(groups) > 1 else sides, metric)
    if len(groups) < 2:
        return [(one,) for one in islice(held, MOST_READINGS)]
    each = [[one for one in held if one in group][:2] or list(group[:1]) for group in groups]
    ways = [tuple(dict.fromkeys(one)) for one in islice(product(*each), 2**MOST_READINGS)]
    return sorted(ways, key=lambda way: -min(held.get(one, 0) for one in way))[:MOST_READINGS]


def _counted(library: Library, view: View, sides: ReadSides | None, metric: Metric | None) -> dict[str, int]:
    """The models that points of the View have, with how many: of both sides the fewer, and with the metric."""
    counts: list[str] = ["count(*)"]
    params: list[object] = []
    for group in sides[1] if sides else ():
        of = selection.clause(View.of({sides[0]: group} if sides else {}))
        counts.append(f"count(*) FILTER ({of.sql})")
        params += of.params
    if metric:
        counts.append(f'count("{metric.key}")')
    condition = selection.clause(view)
    rows = library.fetch(
        f"SELECT model, least({', '.join(counts)}) AS fewest FROM points WHERE {condition.sql} AND model IS NOT NULL"
        f" GROUP BY 1 HAVING fewest > 0 ORDER BY 2 DESC, 1",
        (*params, *condition.params),
    )
    return {str(model): int(fewest) for model, fewest in rows}


def _loaded(library: Library, view: View) -> View:
    """The View with those of several accelerators and engines alone that points have; as it is where none has."""
    for key in SEVERAL:
        values = view.values(key)
        if len(values) > 1:
            held = _values(library, key, selection.clause(view))
            view = view.with_where(**{key: [value for value in values if value in held] or values})
    return view


def _values(library: Library, key: str, condition: selection.Clause) -> set[str]:
    """The values of a filter that the points that meet a condition have."""
    rows = library.fetch(f"SELECT DISTINCT {key} FROM points WHERE {condition.sql}", condition.params)
    return {str(value) for (value,) in rows}


def _sides(meant: Meaning, view: View) -> ReadSides | None:
    """The filter that two groups of values were named for, and of both what the View has of it."""
    two = [(key, groups) for key, groups in meant.groups.items() if len(groups) == 2 and key not in NEVER_SIDES]
    if len(two) != 1:
        return None
    key, groups = two[0]
    a, b = (tuple(value for value in group if value in view.values(key)) for group in groups)
    return (key, (a, b)) if a and b else None
