"""What can be chosen of a grid, and what it is of where nobody did: its axes, its metric and the sides of a ratio."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from bench import basis, catalogue, selection
from bench.basis import evidence, side_by_side, story
from bench.basis.options import Option
from bench.basis.points import LOAD_KIND
from bench.basis.story import Needs, Story
from bench.chart import title
from bench.library import Library
from bench.questions import Choices
from bench.questions.heatmap import grid
from bench.questions.heatmap.grid import AXES, MOST_VALUES, NONE, SIDES
from bench.questions.heatmap.result import MOST_PANELS
from bench.records import LOAD_AXES
from bench.selection import Clause, as_asked, clause, written
from bench.view import FILTER_BY_KEY, View

PANELS = ("accelerators", "accelerator", "model", "precision", "engine", "engine_version", "variant", "speculation",
          "disaggregated", "tp", "isl", "osl", "concurrency", "batch", "request_rate", "load_kind", "harness",
          "evidence", "origin", "source")  # fmt: skip
RATIOS = tuple("accelerator accelerators engine engine_version precision model variant series".split())

SCALES = {"auto": "Automatic", "linear": "Linear", "log": "Logarithmic"}

OPTIONS = (
    Option("x", "Horizontal axis", "choice", "The column along the horizontal axis.", AXES),
    Option("y", "Vertical axis", "choice", "The column along the vertical axis.", AXES),
    Option("metric", "Colour", "choice", "The metric that colours the cells and is written in them."),
    Option("panel", "A panel for each", "choice", "Draws one panel for each value of this field.", (*PANELS, NONE)),
    Option("load", "Load level", "choice", "The best load in each cell, or one level of it.", default="best"),
    Option(
        "scale", "Colour scale", "choice", "Automatic: logarithmic above a range of 30.", (*SCALES,), default="auto"
    ),
    Option("ratio_by", "Ratio of two", "choice", "Divides two values of this field.", (*RATIOS, NONE), default=NONE),
    Option("ratio_a", "Ratio of", "choice", "The value above the line."),
    Option("ratio_b", "Ratio to", "choice", "The value below the line."),
)

FIRST_METRIC = "output_tokens_per_s"
THROUGHPUTS: tuple[catalogue.Kind, ...]
THROUGHPUTS = "throughput", "per_accelerator", "per_user", "engine_rate", "submission"
Held = dict[str, tuple[int, bool]]
HARDWARE = frozenset({"accelerators", "tp"})
FEWEST_CELLS, FEWEST_VALUES = 8, 3
"""Workload and load are the axes where two of them fill as many cells, with as many values each at least."""

WELL_FILLED = 0.5
"""Of those, a pair that fills this share of its grid comes first, however few values one of the two has."""


def choices(library: Library, view: View) -> Choices:
    """The axes, metrics, panels, loads and ratio sides that this selection holds."""
    by, keys = view.option("ratio_by", NONE), metrics(library)
    divisible = {key: FILTER_BY_KEY[key].column for key in RATIOS}
    stated = held(library, view, {*AXES, *PANELS, *divisible.values(), *keys})
    chosen = {view.option(key) for key in ("x", "y", "metric")} - {""}
    axes = [(key, _name(key)) for key in AXES if key in stated or key in chosen]
    known = dict.fromkeys([*keys, *chosen - set(AXES)])
    coloured = [catalogue.metric(key) for key in known if key in stated or key in chosen]
    labels = Counter(row.label for row in coloured)
    loads = [(key, one) for key in LOAD_AXES if key in stated for one in selection.offers(library, view, key)]
    several = {key for key, (_, is_several) in stated.items() if is_several}
    panels = {*several, view.option("panel"), NONE}
    if by != side_by_side.FIELD and side_by_side.field(library, view, "") == side_by_side.FIELD:
        panels = {side_by_side.FIELD}
    divided = [(one.value, one.label) for one in selection.offers(library, view, by)] if by != NONE else []
    return {
        "x": axes,
        "y": axes,
        "metric": [(row.key, row.label if labels[row.label] == 1 else row.axis) for row in coloured],
        "panel": [(key, "One panel" if key == NONE else _name(key)) for key in (*PANELS, NONE) if key in panels],
        "load": [
            ("best", "Best in each cell"),
            *((f"{key}={one.value}", f"{_name(key)} {one.label}") for key, one in loads),
        ],
        "scale": list(SCALES.items()),
        "ratio_by": [(NONE, "No ratio"), *((key, _name(key)) for key, one in divisible.items() if one in several)],
        "ratio_a": divided,
        "ratio_b": divided,
    }


def story_of(library: Library, view: View) -> Story:
    """What the answer is about, its View complete. Axes come first, since a story does not narrow what is one.

    UsageError or UnknownName for the first thing that the View asks for and that cannot be.
    """
    basis.check_every(view, OPTIONS)
    x, y, metric = map(view.option, ("x", "y", "metric"))
    grid.level(view.option("load", "best"))
    y = "" if y == x else y
    by, panel = view.option("ratio_by", NONE), view.option("panel", "accelerators")
    by = NONE if by in (x, y) else by
    divided = FILTER_BY_KEY[by].column if by != NONE else ""
    spare = "accelerator" if panel == "accelerators" and by != "accelerator" else NONE
    panel = spare if panel == by else panel
    stories = story.stories(library, view, _needs(library, metric))
    wide = stories.story(("isl", "osl", divided)).view
    if by != side_by_side.FIELD:
        panel = side_by_side.field(library, wide, panel, _needs(library, metric))
    x, y = _axes(library, wide, x, y, panel, divided)
    by_model = panel == side_by_side.FIELD
    if panel in (x, y) or (
        not by_model and not view.option("panel") and spare != NONE and _is_crowded(library, wide, (x, y))
    ):
        panel = spare
    columns = (x, y) if panel == NONE else (x, y, panel)
    if divided:
        metric = metric or _metric(library, wide, (x, y))
        stories = story.stories(library, view, _needs(library, metric, columns, divided))
    chosen = stories.story({*columns, divided})
    metric = metric or _metric(library, chosen.view, (x, y))
    sides = _sides(library, view, chosen.view, by, columns, metric) if divided else None
    if divided and not sides:
        panel = side_by_side.field(library, chosen.view, panel, _needs(library, metric))
    whole = chosen.view.with_options(
        x=x,
        y=y,
        metric=metric,
        panel=panel,
        load=view.option("load", "best"),
        scale=view.option("scale", "auto"),
        ratio_by=by if sides else NONE,
        ratio_a=sides and sides[0],
        ratio_b=sides and sides[1],
    )
    return replace(chosen, view=basis.written_out(whole))


def metrics(library: Library) -> list[str]:
    """Every metric the library has, stored or derived, in the catalogue's order."""
    stored, order = library.metric_columns(), [row.key for row in catalogue.METRICS]
    chips = {"accelerators", "prefill_accelerators", "decode_accelerators"}
    keys = {*stored, *catalogue.derivable(stored | chips)}
    return sorted(keys, key=lambda key: (order.index(catalogue.metric(key).base), key))


def held(library: Library, view: View, columns: Iterable[str], stating: Iterable[str] = ()) -> Held:
    """How many ranked points that state some columns have each of others, and whether several values (of no metric)."""
    listed, condition = list(filter(library.has, columns)), evidence.ranked(library, evidence.read(view))
    several = {one: "NULL" if catalogue.is_metric(one) else f"min({one}) <> max({one})" for one in listed}
    sought = ", ".join(f"count({one}), {differ}" for one, differ in several.items()) or "count(*)"
    placed = "".join(f" AND {one} IS NOT NULL" for one in stating)
    row = library.fetch(f"SELECT {sought} FROM points WHERE {condition.sql}{placed}", condition.params)[0]
    told = zip(listed, row[::2], row[1::2], strict=False)
    return {one: (many, differ) for one, many, differ in told if many}


def _needs(library: Library, metric: str, columns: Collection[str] = (), divided: str = "") -> Needs | None:
    """What a grid of this metric cannot do without, in a ratio two sides of one cell; None where it follows."""
    if not metric:
        return None
    has = f"{grid.value_sql(library, metric)} IS NOT NULL"
    if not divided:
        return Needs(catalogue.metric(metric).label.lower(), has)
    both = f"min({divided}) <> max({divided})"
    return Needs("cell that both sides have", has, ", ".join((*columns, LOAD_KIND)), both)


def _axes(library: Library, view: View, x: str, y: str, panel: str, divided: str) -> tuple[str, str]:
    """The two axes; those not asked for ("") are the two that fill the most cells, in a ratio with both sides.

    Workload and load come before hardware, which the panels and the best point of a cell already tell apart, and a
    grid that is well filled before one with more cells and holes.
    """
    if x and y:
        return x, y
    condition, wanted = evidence.ranked(library, evidence.read(view)), {x, y} - {""}
    beside = [LOAD_KIND, "NULL" if panel == NONE else panel, divided] if divided else []
    columns = ", ".join([*map(as_asked, AXES), *beside])
    seen = library.fetch(f"SELECT DISTINCT {columns} FROM points WHERE {condition.sql}", condition.params)
    pairs = [two for two in combinations([one for one in AXES if one != divided], 2) if wanted <= set(two) != HARDWARE]
    extents = {pair: _extent(_places(seen, pair, shared=False)) for pair in pairs}
    cells = {pair: cells for pair, (_, cells, _) in extents.items()}
    if divided:
        both = {pair: _extent(_places(seen, pair, shared=True))[1] for pair in pairs}
        cells = both if any(both.values()) else cells

    def rank(pair: tuple[str, str]) -> tuple[int, bool, int]:
        span, _, filled = extents[pair]
        is_wanted = cells[pair] >= FEWEST_CELLS and not HARDWARE & (set(pair) - wanted)
        tier = 2 if filled >= WELL_FILLED else int(span >= FEWEST_VALUES)
        return tier if is_wanted else 0, span > 1 and cells[pair] > 3, cells[pair]

    first, second = max(pairs, key=rank)
    if not wanted and extents[first, second][0] < FEWEST_VALUES:
        # A few values of one axis stand above each other, so that the cells are wide enough to be read.
        first, second = sorted((first, second), key=lambda one: -len({row[AXES.index(one)] for row in seen}))
    return (second, first) if first == y or second == x else (first, second)


def _is_crowded(library: Library, view: View, axes: Sequence[str]) -> bool:
    """Whether there are more counts of chips than panels have room for, and fewer accelerators."""
    condition = evidence.ranked(library, evidence.read(view))
    placed = "".join(f" AND {one} IS NOT NULL" for one in axes)
    sql = f"SELECT DISTINCT accelerators, accelerator FROM points WHERE {condition.sql}{placed}"
    rows = library.fetch(sql, condition.params)
    counts, names = (len({row[place] for row in rows} - {None}) for place in (0, 1))
    return counts > MOST_PANELS and 1 < names < counts


def _places(seen: Sequence[tuple[Any, ...]], pair: tuple[str, str], *, shared: bool) -> set[tuple[float, float]]:
    """The places that points have on two axes; where `shared`, those where two sides of a ratio lie in one cell."""
    x, y = map(AXES.index, pair)
    sides: dict[tuple[Any, ...], set[Any]] = {}
    for row in seen:
        if row[x] is not None and row[y] is not None:
            sides.setdefault((row[x], row[y], *row[len(AXES) : -1]), set()).add(row[-1])
    return {(x, y) for (x, y, *_), values in sides.items() if not shared or len(values - {None}) > 1}


def _extent(places: set[tuple[float, float]]) -> tuple[int, int, float]:
    """The fewer values of two axes, how many cells they fill, and what share of their grid; 0 of a single line.

    An axis with too many values is cut into doublings.
    """
    spans = [len({place[axis] for place in places}) for axis in (0, 1)]
    cut = {tuple(map(_doubling, place, spans)) for place in places}
    across, up = (len({place[axis] for place in cut}) for axis in (0, 1))
    return min(spans), len(cut), len(cut) / (across * up) if min(across, up) > 1 else 0.0


def _doubling(value: float, span: int) -> float:
    return math.floor(math.log2(max(value, 1))) if span > MOST_VALUES else value


def _metric(library: Library, view: View, columns: Collection[str]) -> str:
    """The metric of a grid with these columns: output throughput, else the throughput most points have, else any."""
    if held(library, view, [FIRST_METRIC], columns):
        return FIRST_METRIC
    keys = metrics(library)
    throughputs = catalogue.metrics_of(*THROUGHPUTS, held=keys)
    found = held(library, view, throughputs, columns) or held(library, view, keys, columns)
    found = found or held(library, view, throughputs)
    return max(found, key=lambda key: found[key][0], default=FIRST_METRIC)


def _sides(
    library: Library, view: View, complete: View, by: str, columns: Sequence[str], metric: str
) -> tuple[str, str] | None:
    """The two values of a field that a ratio compares: those asked for that are loaded; None when there are no two.

    Those not asked for are the two that share the most cells under one kind of load, the better one first.
    """
    a, b = (view.option(key) for key in SIDES)
    a = "" if a and selection.without_point(library, View.of({by: [a]})) else a
    b = "" if b and (b == a or selection.without_point(library, View.of({by: [b]}))) else b
    if a and b:
        return a, b
    column, value = FILTER_BY_KEY[by].column, grid.value_sql(library, metric)
    condition = evidence.ranked(library, evidence.read(complete))
    lower = catalogue.metric(metric).direction == "lower"
    fixed = clause(View.of({by: [a or b]})) if a or b else Clause("TRUE", ())
    same = " AND ".join(f"one.{name} IS NOT DISTINCT FROM other.{name}" for name in ("kind", *columns))
    rows = library.fetch(
        f"WITH seen AS (SELECT {LOAD_KIND} AS kind, {column} AS side, {', '.join(columns)}, {fixed.sql} AS fixed,"
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


def _name(key: str) -> str:
    return title(key).split(" (")[0]
