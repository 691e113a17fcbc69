"""What a grid is of where nobody said: its axes, its metric and the two sides of a ratio, from the ranked points."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from bench import basis, catalogue, names, selection
from bench.basis import evidence, story
from bench.basis.likeness import fact_words
from bench.basis.options import Option
from bench.basis.story import Needs, Story
from bench.chart import setting
from bench.errors import UsageError
from bench.library import Library
from bench.questions.heatmap.grid import AXES, KIND, MOST_VALUES, NONE, axis_words, level, value_sql
from bench.questions.heatmap.result import Stated
from bench.selection import Clause, as_asked, clause, written
from bench.view import FILTER_BY_KEY, View

FIRST_METRIC = "output_tokens_per_s"
THROUGHPUTS: tuple[catalogue.Kind, ...] = (
    "throughput", "per_accelerator", "per_user", "engine_rate", "submission",
)  # fmt: skip
SIDES = ("ratio_a", "ratio_b")
HARDWARE = frozenset({"accelerators", "tp"})
FEWEST_CELLS, FEWEST_VALUES = 8, 3
"""Workload and load are the axes where two of them fill as many cells, with as many values each at least."""


class Held(NamedTuple):
    """How many points state a column, and whether not all the same."""

    points: int
    several: bool


def check(view: View, options: Iterable[Option]) -> None:
    """UsageError or UnknownName for the first thing a View asks for that cannot be."""
    basis.check_every(view, options)
    if view.option("metric"):
        catalogue.metric(view.option("metric"))
    level(view.option("load", "best"))


def told(library: Library, view: View) -> Story:
    """What the answer is about, its View complete. Axes come first, since a story does not narrow what is one."""
    x, y, metric = map(view.option, ("x", "y", "metric"))
    y = "" if y == x else y
    by, panel = view.option("ratio_by", NONE), view.option("panel", "accelerators")
    by = NONE if by in (x, y) else by
    divided = FILTER_BY_KEY[by].column if by != NONE else ""
    panel = _panel(panel, (by,), by)
    stories = story.stories(library, view, _needs(library, metric))
    wide = stories.told(("isl", "osl", divided)).view
    x, y = _axes(library, wide, x, y, panel, divided)
    panel = _panel(panel, (x, y), by)
    columns = (x, y) if panel == NONE else (x, y, panel)
    if divided:
        metric = metric or _metric(library, wide, (x, y))
        stories = story.stories(library, view, _needs(library, metric, columns, divided))
    found = stories.told({*columns, divided})
    metric = metric or _metric(library, found.view, (x, y))
    sides = _sides(library, view, found.view, by, columns, metric) if divided else None
    whole = found.view.with_options(
        x=x, y=y, metric=metric, panel=panel, load=view.option("load", "best"), scale=view.option("scale", "auto"),
        ratio_by=by if sides else NONE, ratio_a=sides and sides[0], ratio_b=sides and sides[1],
    )  # fmt: skip
    return replace(found, view=whole.made_whole())


def given_way(asked: View, whole: View) -> list[str]:
    """What was asked for and could not be, a sentence each."""
    said = []
    x, y, by = asked.option("x"), asked.option("y"), asked.option("ratio_by", NONE)
    if x and x == y:
        said.append(
            f"Both axes were asked to be {axis_words(x)}; the other is {axis_words(whole.option('y'))} instead."
        )
    if by != whole.option("ratio_by"):
        said.append(f"No two values of {axis_words(by)} share a cell of this grid, so there is no ratio.")
    for key in SIDES:
        value, instead = asked.option(key), whole.option(key)
        if value and instead and value not in map(whole.option, SIDES):
            named = side_words(by, instead)
            said.append(f"{side_words(by, value)} cannot be a side of this ratio; it is {named} instead.")
    return said


def side_words(by: str, value: str) -> str:
    """The words for one side of a ratio; a family of accelerators in capitals, as they are written."""
    row = FILTER_BY_KEY[by]
    if row.kind == "number":
        return setting(by, float(value))
    slugs = names.matching(by, value) if row.kind == "name" else (value,)
    if by == "series":
        return f"series {value}"
    return fact_words(by, slugs[0]) if len(slugs) == 1 else value.upper()


def metrics(library: Library) -> list[str]:
    """Every metric the library has, stored or derived, in the catalogue's order."""
    stored = library.metric_columns()
    chips = ("accelerators", "prefill_accelerators", "decode_accelerators")
    order = {row.key: place for place, row in enumerate(catalogue.base_metrics())}
    keys = {*stored, *catalogue.derivable({*stored, *chips})}
    return sorted(keys, key=lambda key: (order[catalogue.metric(key).base], key))


def held(
    library: Library, view: View, columns: Iterable[str], stating: Iterable[str] = ()
) -> dict[str, Held]:
    """How many ranked points that state some columns have each of others, and whether several values; not what none has."""
    listed, condition = (
        [one for one in columns if library.has(one)],
        evidence.ranked(library, evidence.read(view)),
    )
    sought = ", ".join(f"count({one}), min({one}) <> max({one})" for one in listed) or "0"
    placed = "".join(f" AND {one} IS NOT NULL" for one in stating)
    row = library.fetch(f"SELECT {sought} FROM points WHERE {condition.sql}{placed}", condition.params)[0]
    pairs = zip(listed, row[::2], row[1::2], strict=False)
    return {one: Held(points, several) for one, points, several in pairs if points}


def stated(library: Library, view: View) -> Stated:
    """What the ranked points state of the columns that can be axes, and which two of them the most state."""
    each = held(library, view, AXES)
    both = {(x, y): one.points for x in each for y, one in held(library, view, each, [x]).items() if x < y}
    pair = max(both, key=lambda two: both[two], default=("", ""))
    return Stated(tuple(each), pair, both.get(pair, 0))


def _needs(library: Library, metric: str, columns: Collection[str] = (), divided: str = "") -> Needs | None:
    """What a grid of this metric cannot do without, in a ratio two sides of one cell; None where it follows."""
    if not metric:
        return None
    has = f"{value_sql(library, metric)} IS NOT NULL"
    if not divided:
        return Needs(catalogue.metric(metric).label.lower(), has)
    cell = ", ".join((*columns, KIND))
    return Needs("cell that both sides have", has, cell, f"count(DISTINCT {divided}) > 1")


def _panel(panel: str, taken: Collection[str], by: str) -> str:
    """The field with a panel for each value: another where it is an axis or a side of the ratio already."""
    if panel not in taken:
        return panel
    return "accelerator" if panel == "accelerators" and by != "accelerator" else NONE


def _axes(library: Library, view: View, x: str, y: str, panel: str, divided: str) -> tuple[str, str]:
    """The two axes; those not asked for ("") are the two that fill the most cells, in a ratio with both sides.

    Workload and load come before hardware, which the panels and the best point of a cell already tell apart.
    """
    if x and y:
        return x, y
    condition, asked = evidence.ranked(library, evidence.read(view)), {x, y} - {""}
    beside = [KIND, "NULL" if panel == NONE else panel, divided] if divided else []
    columns = ", ".join([*map(as_asked, AXES), *beside])
    seen = library.fetch(f"SELECT DISTINCT {columns} FROM points WHERE {condition.sql}", condition.params)
    pairs = [pair for pair in combinations([one for one in AXES if one != divided], 2)
             if asked <= set(pair) and set(pair) != HARDWARE]  # fmt: skip
    places = {pair: _places(seen, pair, shared=False) for pair in pairs}
    shared = {pair: _places(seen, pair, shared=True) for pair in pairs} if divided else {}
    spans = {pair: min(_spans(places[pair])) for pair in pairs}
    cells = {pair: _cells(both) for pair, both in (shared if any(shared.values()) else places).items()}
    soft = [
        pair
        for pair in pairs
        if not HARDWARE & (set(pair) - asked) and spans[pair] >= FEWEST_VALUES and cells[pair] >= FEWEST_CELLS
    ]
    first, second = max(soft or pairs, key=lambda pair: (spans[pair] > 1 and cells[pair] > 3, cells[pair]))
    return (second, first) if first == y or second == x else (first, second)


def _places(
    seen: Sequence[tuple[Any, ...]], pair: tuple[str, str], *, shared: bool
) -> set[tuple[float, float]]:
    """The places that points have on two axes; where `shared`, those where two sides of a ratio lie in one cell."""
    x, y = map(AXES.index, pair)
    if not shared:
        return {(row[x], row[y]) for row in seen if row[x] is not None and row[y] is not None}
    sides: dict[tuple[Any, ...], set[Any]] = {}
    for row in seen:
        if None not in (row[x], row[y], row[-1]):
            sides.setdefault((row[x], row[y], *row[-3:-1]), set()).add(row[-1])
    return {where[:2] for where, held in sides.items() if len(held) > 1}


def _spans(places: set[tuple[float, float]]) -> list[int]:
    """How many values each of two axes has."""
    return [len({place[axis] for place in places}) for axis in (0, 1)]


def _cells(places: set[tuple[float, float]]) -> int:
    """How many cells two axes fill; one with too many values is cut into doublings."""
    wide = [span > MOST_VALUES for span in _spans(places)]
    return len({tuple(math.floor(math.log2(max(one, 1))) if cut else one for one, cut in zip(place, wide, strict=True))
                for place in places})  # fmt: skip


def _metric(library: Library, view: View, columns: Collection[str]) -> str:
    """The metric of a grid with these columns: output throughput, else the throughput most points have, else any."""
    if held(library, view, [FIRST_METRIC], columns):
        return FIRST_METRIC
    keys = metrics(library)
    throughputs = catalogue.metrics_of(*THROUGHPUTS, held=keys)
    found = held(library, view, throughputs, columns) or held(library, view, keys, columns)
    return max(found, key=lambda key: found[key].points, default=FIRST_METRIC)


def _sides(library: Library, view: View, found: View, by: str, columns: Sequence[str], metric: str
           ) -> tuple[str, str] | None:  # fmt: skip
    """The two values of a field that a ratio compares: those asked for that are loaded; None when there are no two.

    Those not asked for are the two that share the most cells under one kind of load, the better one first.
    """
    a, b = (value if value and _is_loaded(library, by, value) else "" for value in map(view.option, SIDES))
    b = "" if b == a else b
    if a and b:
        return a, b
    column, value, condition = (
        FILTER_BY_KEY[by].column,
        value_sql(library, metric),
        evidence.ranked(library, evidence.read(found)),
    )
    lower = catalogue.metric(metric).direction == "lower"
    fixed = clause(View.of({by: [a or b]})) if a or b else Clause("TRUE", ())
    same = " AND ".join(f"one.{name} IS NOT DISTINCT FROM other.{name}" for name in ("kind", *columns))
    rows = library.fetch(
        f"WITH seen AS (SELECT {KIND} AS kind, {column} AS side, {', '.join(columns)}, {fixed.sql} AS fixed,"
        f" {'min' if lower else 'max'}({value}) AS best FROM points WHERE {condition.sql}"
        f" AND {' AND '.join(f'{one} IS NOT NULL' for one in (column, value, *columns[:2]))} GROUP BY ALL)"
        f" SELECT one.side, other.side, median(one.best / nullif(other.best, 0)) AS ratio FROM seen AS one"
        f" JOIN seen AS other ON {same} AND one.side <> other.side"
        f" WHERE one.fixed{' AND NOT other.fixed' if a or b else ''} GROUP BY one.kind, one.side, other.side"
        f" ORDER BY count(*) DESC, least(one.side, other.side), greatest(one.side, other.side),"
        f" ratio {'ASC' if lower else 'DESC'} NULLS LAST LIMIT 1",
        (*fixed.params, *condition.params),
    )
    if not rows:
        return None
    one, other = (written(side) for side in rows[0][:2])
    return (a, other) if a else (other, b) if b else (one, other)


def _is_loaded(library: Library, by: str, value: str) -> bool:
    try:
        return not selection.not_loaded(library, View.of({by: [value]}))
    except UsageError:
        return False
