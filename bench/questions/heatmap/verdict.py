"""What a heatmap says: where a metric is best and how it falls off, or what one side of a ratio is to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.basis import evidence, likeness, limits
from bench.basis.evidence import Deciding, Ranking
from bench.basis.narrator import LISTED, Narrator
from bench.basis.points import PointFacts
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement
from bench.basis.wording import is_tie
from bench.chart import setting, value_label
from bench.maths.grid import steepest, verdict
from bench.questions.heatmap.grid import IN_A_CELL, NO_AXIS, NONE, OTHER_KIND, SIDES, TOLD_APART, fact_of
from bench.questions.heatmap.result import Cell, Heatmap, Ratio
from bench.questions.heatmap.words import WORDS
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import joined, number

SAY = Narrator(WORDS)

NAMED_BY_HARDWARE = ("accelerator", "accelerators", "model")
"""The panels that are known by the name of what their best point ran on."""

MIXED = "model accelerator precision isl osl engine speculation disaggregated source".split()
"""What is told where the best points of a grid's cells differ in it: a change from cell to cell may be of that."""


def statements(found: Heatmap, ranking: Ranking, deciding: Deciding, known: StatedShare) -> Iterator[Statement]:
    """Verdict, findings and notes; `known` is how few of the selected points decide."""
    if found.peak is None:
        yield _no_value(found, ranking)
        yield from evidence.left_out(found.tally)
        return
    if deciding.of and not deciding.names_a_best:
        yield SAY.verdict(
            "no_best",
            accelerators=deciding.accelerators,
            of_accelerators=deciding.of_accelerators,
            metrics=deciding.metrics,
            **(known.values or {"stating": deciding.points, "of": deciding.of}),
        )
    elif found.ratio is not None:
        yield _ratio(found, found.ratio, known)
    elif found.panel == "model" and len(found.panels) > 1:
        yield _peaks(found, found.peak, known)
    else:
        yield from _peak(found, found.peak, ranking.view, known)
    if found.ratio is not None:
        yield from _sides(found, found.ratio)
    else:
        yield from _other_kind(found, found.peak, ranking.view)
        yield from _panels(found, ranking.view)
        yield from (*_slope(found, found.x), *_slope(found, found.y))
    yield from _notes(found)
    yield from evidence.left_out(found.tally)


def gave_way(view: View, whole: View) -> Iterator[Statement]:
    """What was asked for and could not be, a sentence each."""
    x, y, by = view.option("x"), view.option("y"), view.option("ratio_by", NONE)
    said = []
    if x and x == y:
        said.append(SAY.note("axis_twice", x=x, y=whole.option("y")))
    if by != whole.option("ratio_by"):
        said.append(SAY.note("no_ratio", by=by))
    for key in SIDES:
        value, instead = view.option(key), whole.option(key)
        if value and instead and value not in map(whole.option, SIDES):
            names = {"side": likeness.filter_words(by, value), "instead": likeness.filter_words(by, instead)}
            said.append(SAY.note("other_side", **names))
    return (replace(one, kind="gave_way") for one in said)


def place(found: Heatmap, cell: Cell, *, chips: bool = True) -> list[str]:
    """A cell's place on the axes that have several values, where wanted on chips too: "concurrency 64", "8 chips".

    Of a doubling it is its best point's own value, in a ratio both ends.
    """
    at: dict[str, Any] = {found.x: cell.x, found.y: cell.y}
    for axis in found.doublings:
        own = f"{number(at[axis])} to {number(2 * at[axis])}" if found.ratio else getattr(cell.best, axis, None)
        at[axis] = own or at[axis]
    axes = [axis for axis, part in ((found.x, "x"), (found.y, "y")) if len(found.values(part)) > 1] or [found.x]
    if set(axes) == {"isl", "osl"}:
        return [f"{value_label('isl', at['isl'])} in / {value_label('osl', at['osl'])} out"]
    return [setting(axis, at[axis]) for axis in axes if chips or axis != "accelerators"]


def _name(one: PointFacts, view: View) -> str:
    """What a point ran on, with its model and precision where the View leaves them open: "8 x H200 SXM"."""
    open_facts = [(key, getattr(one, key)) for key in ("model", "precision") if len(view.values(key)) != 1]
    words = " ".join(likeness.fact_words(key, value) for key, value in open_facts if value is not None)
    return " on ".join(filter(None, (words, one.hardware))) or "unstated hardware"


def _peaks(found: Heatmap, peak: Cell, known: StatedShare) -> Statement:
    """The best values of the best two of several models."""
    first = _bests(found)[:2]
    bests = [{"model": cell.panel, "value": cell.value, "metric": found.metric} for cell in first]
    values = {"metric": found.metric, "value": peak.value, "x": peak.x, "y": peak.y, **known.values}
    return SAY.verdict("peaks", _points(first), bests=bests, **values)


def _peak(found: Heatmap, peak: Cell, view: View, known: StatedShare) -> Iterator[Statement]:
    """The best value with what it ran on and its load, where it is, and the worst of its panel.

    That of all panels may be of unlike hardware.
    """
    best, is_low = peak.facts[0], found.row.better == "lower"
    load = [setting(key, getattr(best, key)) for key in LOAD_AXES if getattr(best, key) is not None]
    values = {"metric": found.metric, "value": peak.value, "x": peak.x, "y": peak.y, **known.values}
    yield SAY.verdict("lowest" if is_low else "peak", peak.facts, where=[_name(best, view), *load[:1]], **values)
    at, worst = place(found, peak), found.best(found.panels[peak.panel], worst=True)
    if worst is peak:
        yield SAY.finding("alone", peak.facts, at=at)
        return
    where = [_name(worst.facts[0], view), *place(found, worst, chips=False)]
    kind, named = "rises" if is_low else "falls_off", _points([peak, worst])
    yield SAY.finding(kind, named, metric=found.metric, at=at, worst=worst.value, worst_where=where)


def _other_kind(found: Heatmap, peak: Cell, view: View) -> Iterator[Statement]:
    """The best value under another kind of load, where it beats the grid's."""
    if found.other_kind is None or found.row.direction == "neutral":
        return
    one, value = found.other_kind
    own = peak.value or 0.0
    if value != own and (value < own) == (found.row.better == "lower"):
        name = _name(one, view)
        yield SAY.finding(
            "other_kind", [one], metric=found.metric, value=value, kind=one.load_kind or "unknown", name=name
        )


def _panels(found: Heatmap, view: View) -> Iterator[Statement]:
    """The best of each panel with what it ran on, the best panel first."""
    bests = _bests(found)
    if found.panel is not None and len(bests) > 1:
        named = _named(found, bests, view)
        yield SAY.finding("panels", _points(bests[:LISTED]), panel=found.panel, bests=named, panels=len(bests))


def _slope(found: Heatmap, axis: str) -> Iterator[Statement]:
    """The steepest change for the worse along an axis over all lines of cells that differ in nothing else."""
    along, across = ("x", "y") if axis == found.x else ("y", "x")
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in found.measured:
        lines.setdefault((cell.panel, getattr(cell, across)), []).append(cell)
    changes = []
    for line in lines.values():
        at, values = [getattr(cell, along) for cell in line], [cell.value or 0.0 for cell in line]
        if change := steepest(at, values, found.row.better):
            changes.append((change, line))
    if not changes:
        return
    change, line = max(changes, key=lambda one: one[0].per_doubling)
    rises = found.row.better == "lower"
    kind = "slope_rises" if rises else "slope"
    if change.per_doubling <= 1 or is_tie(change.per_doubling):
        kind = "never_rises" if rises else "never_falls"
    ends = [cell for cell in line if getattr(cell, along) in (change.start, change.end)]
    told = {"axis": axis, "per_doubling": change.per_doubling, "start": change.start, "end": change.end}
    yield SAY.finding(kind, _points(ends), metric=found.metric, **told)


def _ratio(found: Heatmap, ratio: Ratio, known: StatedShare) -> Statement:
    """What one side is to the other in the middle of the cells they share, where nothing else can be why."""
    points = _points(found.compared)
    if not ratio.is_told:
        facts = [one.fact.one for one in ratio.confounded]
        return SAY.verdict("confounded", points, a=ratio.a, b=ratio.b, facts=facts)
    a = _side(ratio.a, [(one.fact.key, one.a[0]) for one in ratio.confounded])
    b = _side(ratio.b, [(one.fact.key, one.b[0]) for one in ratio.confounded])
    values = {"metric": found.metric, "median": found.middle, "cells": len(found.compared)}
    return SAY.verdict("ratio", points, a=a, b=b, **values, **known.values)


def _side(name: str, facts: Sequence[tuple[str, str]]) -> str:
    """A side of a ratio with what else it is: "H200 SXM (SGLang, 8 chips)"."""
    words = [f"{value} chips" if key == "chips" else value for key, value in facts]
    return f"{name} ({', '.join(words)})" if words else name


def _sides(found: Heatmap, ratio: Ratio) -> Iterator[Statement]:
    """In how many cells each side is ahead, how far the ratio goes, and in what the sides are unlike."""
    leads = Counter(verdict(cell.value or 0.0, found.row.better) for cell in found.compared)
    named = ((ratio.a, leads["a"]), (ratio.b, leads["b"]), ("neither", leads["tie"]))
    if ratio.is_told:
        sides = [{"side": side, "cells": many} for side, many in named if many]
        yield SAY.finding("ahead", _points(found.compared), sides=sides, a=leads["a"], b=leads["b"], ties=leads["tie"])
    low, high = found.best(found.compared, worst=True), found.best(found.compared)
    if low is not high:
        ends = {"low": low.value, "low_at": place(found, low), "high": high.value, "high_at": place(found, high)}
        yield SAY.finding("range", _points([low, high]), a=ratio.a, b=ratio.b, **ends)
    if not ratio.is_told:
        yield SAY.note("confounded_by", facts=joined([one.words for one in ratio.confounded], at_most=9))
    only = Counter(cell.state for cell in found.cells)
    alone = [{"side": side, "cells": only[state]} for side, state in ((ratio.a, "only a"), (ratio.b, "only b"))]
    if sides := [one for one in alone if one["cells"]]:
        yield SAY.note("one_side", sides=sides, a=only["only a"], b=only["only b"])
    kept = {fact_of(ratio.by), *(one.fact.key for one in ratio.confounded)}
    yield from likeness.unlike(
        (ratio.a, ratio.b),
        [cell.best for cell in found.compared if cell.best],
        [cell.best_b for cell in found.compared if cell.best_b],
        [key for key in TOLD_APART if key not in kept],
    )
    if unlike := [cell for cell in found.measured if not cell.alike]:
        kind = "unlike_loads" if len(found.compared) == len(found.measured) else "unlike_loads_apart"
        yield SAY.note(kind, cells=len(unlike), measured=len(found.measured))


def _notes(found: Heatmap) -> Iterator[Statement]:
    """How much of the grid has a value, what a cell holds, and in what its best points are unlike."""
    across, up, panels = (len(found.values(part)) for part in ("x", "y", "panel"))
    yield SAY.note("cells", measured=len(found.measured), cells=across * up * panels)
    if found.tally.of(OTHER_KIND) and found.load_kind:
        yield SAY.note("load_kind", kind=found.load_kind)
    for axis in found.doublings:
        yield SAY.note("doublings", axis=axis)
    if found.undrawn:
        yield SAY.note("undrawn", panels=len(found.undrawn))
    bests = _points(found.measured)
    axes = (found.x, found.y, found.panel)
    unlike = [key for key in MIXED if key not in axes and len({getattr(one, key) for one in bests}) > 1]
    if unlike and found.ratio is None:
        yield SAY.note("mixed", facts=joined([likeness.BY_KEY[key].one for key in unlike], at_most=9))
    if flagged := [cell for cell in found.cells if cell.is_flagged]:
        yield SAY.note("flags", _points(flagged), cells=len(flagged))


def _no_value(found: Heatmap, ranking: Ranking) -> Statement:
    """Why no cell has a value, and what to do."""
    tally = found.tally
    if not tally.selected:
        return SAY.untold("no_point")
    if found.ratio is not None and tally.used:
        return SAY.untold("none_shared", a=found.ratio.a, b=found.ratio.b)
    if tally.of("other_evidence") == tally.selected:
        return SAY.untold("none_measured")
    if not found.cells and any(map(tally.of, (*IN_A_CELL, NO_AXIS, OTHER_KIND))):
        if len(found.stated) == 1:
            return SAY.untold("one_axis", column=found.stated[0])
        return SAY.untold("no_axes", x=found.x, y=found.y)
    if tally.of("unknown_limit") and not tally.of("beyond_limit"):
        return SAY.untold("unknown_limit", metrics=limits.metrics(ranking.limits))
    if tally.of("beyond_limit"):
        return SAY.untold("beyond_limit")
    if tally.of("no_metric") or tally.of("failed"):
        return SAY.untold("no_metric", metric=found.metric)
    return SAY.untold("none_ranked")


def _points(cells: Sequence[Cell]) -> list[PointFacts]:
    """The points that the values of these cells come from."""
    return [one for cell in cells for one in cell.facts]


def _bests(found: Heatmap) -> list[Cell]:
    """The best cell of each panel, the best first."""
    bests = [found.best(cells) for cells in found.panels.values()]
    return sorted(bests, key=lambda cell: cell.value or 0.0, reverse=found.row.better == "higher")


def _named(found: Heatmap, bests: Sequence[Cell], view: View) -> list[dict[str, Any]]:
    """The best values of panels, each with its panel and what it ran on."""
    named = []
    for cell in bests:
        name = _name(cell.facts[0], view)
        if found.panel and found.panel not in NAMED_BY_HARDWARE:
            word = likeness.fact_words if found.panel in likeness.NAMED_ALONE else setting
            name = f"{word(found.panel, cell.panel)}, {name}"
        named.append({"name": name, "value": cell.value, "metric": found.metric})
    return named
