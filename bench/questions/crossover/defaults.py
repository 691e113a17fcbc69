"""What a crossover is of when nobody said: one model and workload, the axis and the metric, from what is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench import catalogue, selection
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import divisors, labels
from bench.questions.crossover.asked import ALONG, ASKED_FOR, LENGTHS, LOADS
from bench.records import POINT_FIELDS
from bench.selection import Clause
from bench.view import View

THROUGHPUTS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")


def completed(library: Library, view: View) -> View:
    """The View with every option explicit and, unless it is whole, narrowed to one model and workload."""
    asking.check(view)
    sides = (asking.side(view, "a"), asking.side(view, "b"))
    along = view.option("along")
    wider, view = view, _of_a_story(library, view, sides, along)
    if not along:
        along, places = axis(library, _pinned(library, view, sides))
        if not places:
            view, along = _along_a_length(library, wider, sides) or (view, along)
    metric = view.option("metric") or first_metric(library, _pinned(library, view, sides), along)
    per = view.option("per", "raw") if asking.is_throughput(catalogue.metric(metric)) else "raw"
    view = view.with_options(along=along, metric=metric, per=per)
    return divisors.completed(library, view).made_whole()


def _of_a_story(library: Library, view: View, sides: Sequence[View | None], along: str) -> View:
    """The View narrowed to the story that has the most to compare along this axis; as it is where it is whole."""
    if view.whole:
        return view
    return narrowed(view, story(library, asking.either(view, *sides), along, both=_each(view, sides)))


def _along_a_length(library: Library, view: View, sides: Sequence[View | None]) -> tuple[View, str] | None:
    """The View and the length along which the most accelerators have two places; None where none has."""
    found = []
    for key in LENGTHS:
        one = _of_a_story(library, view, sides, key)
        _, places = axis(library, _pinned(library, one.with_options(along=key), sides), (key,))
        found.append((places, one, key))
    places, best, key = max(found, key=lambda row: row[0])
    return (best, key) if places else None


def _each(view: View, sides: Sequence[View | None]) -> list[Clause]:
    """The points of either side where both are chosen, so that what is told of both holds for each."""
    return [asking.of_side(view, side) for side in sides] if all(sides) else []


def _pinned(library: Library, view: View, sides: Sequence[View | None]) -> list[Clause]:
    """Each chosen side's points; where pairs are listed those of the one story that is listed."""
    if all(sides):
        return [asking.of_side(view, side) for side in sides]
    return [asking.of_side(of_one_story(library, view, *sides), None)]


def of_one_story(library: Library, view: View, *sides: View | None) -> View:
    """The View narrowed to the story of its sides, where it is not narrowed to one yet."""
    if all(len(view.values(key)) == 1 for key in ("model", "load_kind", "isl", "osl")):
        return view
    return narrowed(view, story(library, asking.either(view, *sides), view.option("along")))


def narrowed(view: View, pins: Mapping[str, str]) -> View:
    """The View with these filters, where it has none of its own."""
    return view.with_where(**{key: (value,) for key, value in pins.items() if not view.values(key)})


def story(library: Library, condition: Clause, along: str, *, both: Sequence[Clause] = ()) -> dict[str, str]:
    """The filter values of the model, kind of load and, where stated, lengths with the most to compare.

    TPU against another accelerator comes first, then the most points times accelerators; with `both` sides chosen
    only a model measured on each is told, since their lengths may differ and that is an answer. Empty when nothing is
    there.
    """
    axes = [ALONG[along]] if along else list(LOADS)
    figures = [key for key in THROUGHPUTS if library.has(key)]
    if not figures:
        return {}
    measured = " OR ".join(f'"{key}" > 0' for key in figures)
    placed = " OR ".join(f"({axis}) > 0" for axis in axes)
    both_stated = f"({ASKED_FOR['isl']}) IS NOT NULL AND ({ASKED_FOR['osl']}) IS NOT NULL"
    for side in both:
        condition = condition.also(
            f"model IN (SELECT model FROM points WHERE {side.sql} AND ({measured}) AND ({placed}))",
            *side.params,
        )
    found = library.fetch(
        f"""WITH counted AS (
          SELECT model, load_kind, accelerator, CASE WHEN {both_stated} THEN isl END AS length_in,
            CASE WHEN {both_stated} THEN osl END AS length_out, count(*) AS points FROM points
          WHERE {condition.sql} AND ({measured}) AND ({placed}) AND model IS NOT NULL AND accelerator IS NOT NULL
          GROUP BY ALL)
        SELECT model, load_kind, length_in, length_out FROM counted GROUP BY ALL
        ORDER BY count(DISTINCT starts_with(accelerator, 'tpu')) DESC, count(*) > 1 DESC,
          sum(points) * count(*) DESC, model, load_kind, length_in, length_out LIMIT 1""",
        condition.params,
    )
    if not found:
        return {}
    model, kind, isl, osl = found[0]
    pins: dict[str, Any] = {"model": model}
    if not both:
        pins |= {
            "load_kind": kind,
            **{key: value for key, value in (("isl", isl), ("osl", osl)) if key != along},
        }
    return {key: labels.written(value) for key, value in pins.items() if value is not None}


def axis(library: Library, conditions: Sequence[Clause], among: Sequence[str] = LOADS) -> tuple[str, int]:
    """The axis along which the most accelerators of every condition have two places or more, and how many those are.

    Of equals the one with the most points, then the first.
    """
    scores: dict[str, list[tuple[int, int]]] = {key: [] for key in among}
    for condition in conditions:
        columns = ", ".join(
            f"count(DISTINCT {key}) FILTER ({key} > 0) AS n_{key}, count(*) FILTER ({key} > 0) AS p_{key}"
            for key in among
        )
        told = ", ".join(
            f"count(accelerator) FILTER (n_{key} > 1), coalesce(sum(p_{key}), 0)" for key in among
        )
        row = library.fetch(
            f"SELECT {told} FROM (SELECT accelerator, {columns} FROM points WHERE {condition.sql}"
            " GROUP BY accelerator)",
            condition.params,
        )[0]
        for place, key in enumerate(among):
            scores[key].append((row[2 * place], row[2 * place + 1]))
    best = max(among, key=lambda key: tuple(min(one) for one in zip(*scores[key], strict=True)))
    return best, min(accelerators for accelerators, _ in scores[best])


def first_metric(library: Library, conditions: Sequence[Clause], along: str) -> str:
    """The throughput that the most accelerators of every condition have along the axis; of equals the first."""
    first = [key for key in THROUGHPUTS if library.has(key)]
    further = [key for key in comparable(library) if key not in first]
    for keys in (first, further):
        scores = [_accelerators(library, condition, along, keys) for condition in conditions]
        best = max(keys, key=lambda key, held=scores: min(one[key] for one in held), default="")  # type: ignore[misc]
        if best and all(one[best] for one in scores):
            return best
    return (first or further)[0]


def _accelerators(library: Library, condition: Clause, along: str, keys: Sequence[str]) -> dict[str, int]:
    """How many accelerators have each of these metrics along the axis."""
    if not keys:
        return {}
    columns = ", ".join(f'count(DISTINCT accelerator) FILTER (isfinite("{key}"))' for key in keys)
    row = library.fetch(
        f"SELECT {columns} FROM points WHERE {condition.sql} AND ({ALONG[along]}) > 0", condition.params
    )[0]
    return dict(zip(keys, row, strict=True))


def comparable(library: Library) -> list[str]:
    """The metrics held, stored or derived, that curves are compared by, in the catalogue's order."""
    stored = library.metric_columns()
    held = {*stored, *catalogue.derivable({*stored, *POINT_FIELDS})}
    order = {row.key: place for place, row in enumerate(catalogue.base_metrics())}
    found = [catalogue.metric(key) for key in held]
    usable = [
        row
        for row in found
        if (
            asking.is_comparable(row)
            and row.statistic not in ("std", "min", "max")
            and "_per_s_per_" not in row.key
        )
        or row.base == "interactivity_tokens_per_s_per_user"
    ]
    return [row.key for row in sorted(usable, key=lambda row: (order[row.base], row.key))]


def alongs(library: Library, view: View) -> list[str]:
    """The axes along which the selection has at least two places."""
    condition = selection.clause(selection.ordinary(view))
    row = library.fetch(
        f"SELECT {', '.join(f'min({sql}), max({sql})' for sql in ALONG.values())} FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    return [
        key
        for place, key in enumerate(ALONG)
        if row[2 * place] is not None and row[2 * place] != row[2 * place + 1]
    ]
