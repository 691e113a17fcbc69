"""The cells of a heatmap in words, for whoever opens one without the chart."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bench.chart import setting
from bench.questions.heatmap.grid import place_of
from bench.questions.heatmap.result import Cell, Heatmap
from bench.wording import number, quantity

EMPTY = "not measured"


def in_words(found: Heatmap, cells: Iterable[str]) -> dict[str, str]:
    """What each of these cells is, best first: its panel, its place on both axes, its value or why it has none."""
    known = {cell.place: cell for cell in found.cells}
    turned = 1 if found.better == "lower" else -1

    def rank(id: str) -> tuple[bool, float]:
        cell = known.get(id)
        value = cell.value if cell is not None and cell.is_measured else None
        return (value is None, 0.0 if value is None else turned * value)

    return {id: _words(found, id, known.get(id)) for id in sorted(cells, key=rank)}


def _words(found: Heatmap, id: str, cell: Cell | None) -> str:
    panel, x, y = place_of(id)
    where = [setting(found.panel, _plain(panel))] if found.panel is not None and panel else []
    where += [setting(found.x, x), setting(found.y, y)]
    if cell is None:
        told = EMPTY
    elif cell.value is None or not cell.is_measured:
        told = cell.state
    else:
        told = (
            f"{number(cell.value)} times" if found.ratio is not None else quantity(cell.value, found.metric)
        )
    return f"{', '.join(where)}: {told}"


def _plain(text: str) -> str | float | bool:
    """A panel's value as its column holds it."""
    if text in ("true", "false"):
        return text == "true"
    try:
        told = float(text)
    except ValueError:
        return text
    return told if math.isfinite(told) else text
