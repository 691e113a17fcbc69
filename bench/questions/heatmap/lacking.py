"""What a heatmap says where no cell has a value, and what to choose instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from bench.chart import setting
from bench.library import Library
from bench.questions.heatmap.grid import AXES
from bench.questions.heatmap.told import Told, axis_words
from bench.selection import clause, ordinary
from bench.view import View
from bench.wording import counted, inline, joined


@dataclass(frozen=True)
class Stated:
    """How many of the selected measured points state each column that can be an axis, and each two of them."""

    points: int
    one: Mapping[str, int]
    two: Mapping[tuple[str, str], int]


def stated(library: Library, view: View) -> Stated:
    """What the selected points state, whatever the axes are."""
    pairs = list(combinations(AXES, 2))
    counts = [
        "count(*)",
        *(f"count({axis})" for axis in AXES),
        *(f"count(*) FILTER ({x} IS NOT NULL AND {y} IS NOT NULL)" for x, y in pairs),
    ]
    condition = clause(ordinary(view))
    row = library.fetch(f"SELECT {', '.join(counts)} FROM points WHERE {condition.sql}", condition.params)[0]
    one, two = row[1 : len(AXES) + 1], row[len(AXES) + 1 :]
    return Stated(row[0], dict(zip(AXES, one, strict=True)), dict(zip(pairs, two, strict=True)))


def headline(told: Told, found: Stated) -> str:
    """Why no cell has a value, and what to do."""
    grid, count = told.grid, told.count
    if not count.selected:
        return f"Nothing is selected{f' at {setting(*grid.level)}' if grid.level else ''}."
    if count.other_evidence == count.selected:
        return f"None of the {count.selected:,} selected points was measured; ask for their evidence to see them."
    if not count.used + count.no_metric:
        return _no_axes(told, found)
    if told.sides is not None and count.used:
        a, b = told.sides
        return f"{a} and {b} share no cell of this grid, so there is nothing to divide."
    return f"None of the {count.no_metric:,} points on this grid has {inline(told.metric)}; choose another metric."


def _no_axes(told: Told, found: Stated) -> str:
    """That no point states both axes: which two to choose instead, or that there are no two."""
    points = told.count.selected - told.count.other_evidence
    pair = max(found.two, key=found.two.__getitem__)
    if found.two[pair]:
        x, y = map(axis_words, (told.grid.x, told.grid.y))
        instead = joined([axis_words(axis) for axis in pair])
        verb = "states" if found.two[pair] == 1 else "state"
        return (
            f"None of the {points:,} selected points states both {x} and {y}; choose other axes:"
            f" {found.two[pair]:,} {verb} {instead}."
        )
    known = [axis_words(axis) for axis, count in found.one.items() if count]
    states = "states" if points == 1 else "state"
    what = "no two of the columns" if known else "none of the columns"
    only = f", only {joined(known, 'or')}" if known else ""
    return (
        f"The {counted(points, 'selected point')} {states} {what} a heatmap can have as axes{only};"
        " the Data page lists what was measured."
    )
