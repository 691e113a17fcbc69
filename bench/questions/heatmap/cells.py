"""The cells of a heatmap outside its chart: in words, as rows of a table, and what a sweep has to ask to fill one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.chart import setting, title
from bench.questions.heatmap.grid import place_of
from bench.questions.heatmap.result import Heatmap
from bench.view import View
from bench.wording import number, quantity

EMPTY = "not measured"

FIRST = ("panel", "x", "y", "value", "a", "b", "state", "winner", "winner_a", "winner_b", "points")

MEASURED_AT = ("isl", "osl", "concurrency", "request_rate")
"""What a plan asks for; anything else of a cell or of a filter is a fact about the deployment."""

STATED_FACTS = tuple("model accelerator accelerators tp pp dp ep precision engine engine_version".split())


def in_words(heatmap: Heatmap, cells: Iterable[str]) -> dict[str, str]:
    """What each of these cells is, best first: its panel, its place on both axes, its value or why it has none."""
    values = {cell.place: cell.value or 0.0 for cell in heatmap.measured}
    states = {cell.place: cell.state for cell in heatmap.cells}
    panels = {place_of(cell.place)[0]: cell.panel for cell in heatmap.cells}
    turned = 1 if heatmap.row.better == "lower" else -1
    words = {}
    for id in sorted(cells, key=lambda id: (id not in values, turned * values.get(id, 0.0))):
        panel, x, y = place_of(id)
        where = [setting(heatmap.panel, panels.get(panel, panel))] if heatmap.panel and panel else []
        what = states.get(id, EMPTY)
        if id in values:
            what = f"{number(values[id])} times" if heatmap.ratio else quantity(values[id], heatmap.metric)
        words[id] = f"{', '.join([*where, setting(heatmap.x, x), setting(heatmap.y, y)])}: {what}"
    return words


def labels(view: View, heatmap: Heatmap) -> dict[str, str]:
    """A heading for each column of a heatmap's rows that is no column of a point."""
    named = {key: title(view.option(key)) for key in ("x", "y", "panel")}
    named |= {key: f"{named[key]}, from" for key in ("x", "y") if view.option(key) in heatmap.doublings}
    metric, ratio = title(view.option("metric")), heatmap.ratio
    named |= {"value": metric, "winner": "Best deployment", "state": "Cell", "points": "Points in it"}
    if ratio is None:
        return named
    for side, words in (("a", ratio.a), ("b", ratio.b)):
        named |= {side: f"{metric}, {words}", f"winner_{side}": f"Best {words}"}
    return named | {"value": f"{ratio.a} / {ratio.b}"}


def fields(view: View, heatmap: Heatmap) -> dict[str, str]:
    """Whose values a column of a heatmap's rows holds."""
    metric = view.option("metric")
    held = {"panel": view.option("panel"), "a": metric, "b": metric, "value": metric if heatmap.ratio is None else ""}
    return {column: field for column, field in held.items() if field}


def plan_of_cell(view: View, cell: str) -> dict[str, str]:
    """What a plan has to state to fill a cell, by the names of its fields.

    Taken from the cell's place and from every filter and option of the View that holds one value.
    """
    panel, x, y = place_of(cell)
    stated = {key: values[0] for key, values in view.where if len(values) == 1}
    stated |= {view.option("x"): f"{x:.12g}", view.option("y"): f"{y:.12g}"}
    if panel:
        stated[view.option("panel")] = panel
    level, _, value = view.option("load").partition("=")
    if value:
        stated[level] = value
    return plan_fields(stated)


def plan_fields(stated: Mapping[str, str]) -> dict[str, str]:
    """What of these values, by column, a plan states, by the names of its fields."""
    asked = {key: stated[key] for key in MEASURED_AT if key in stated}
    return asked | {f"facts.{key}": stated[key] for key in STATED_FACTS if key in stated}
