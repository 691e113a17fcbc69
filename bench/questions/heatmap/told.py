"""A heatmap's answer in its parts: the cells, their extremes, and how a place, an axis and a metric are called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench import catalogue
from bench.catalogue import Metric
from bench.chart import setting, title
from bench.questions.heatmap.grid import Census, Grid
from bench.wording import flag_words, joined, lowered, number

Cell = Mapping[str, Any]

MEASURED = "measured"
"""The state of a cell with a value, as of a point somebody measured."""

MOST_PANELS = 12
"""There is room for so many panels."""


@dataclass(frozen=True)
class Told:
    """What the sentences are about: the grid, all its cells, the census, and a ratio's two sides by name."""

    grid: Grid
    cells: Sequence[Cell]
    count: Census
    sides: tuple[str, str] | None = None
    ratio_by: str | None = None
    only_measured: bool = True

    @property
    def metric(self) -> Metric:
        """The grid's metric as the catalogue has it."""
        return catalogue.metric(self.grid.metric)

    @property
    def filled(self) -> str:
        """What a cell with a value is called: "measured", unless the reader asked for other evidence too."""
        return MEASURED if self.only_measured else "filled"

    @cached_property
    def measured(self) -> list[Cell]:
        """The cells with a value."""
        return [cell for cell in self.cells if cell["state"] == MEASURED]

    @cached_property
    def sound(self) -> list[Cell]:
        """The cells with a value that rests on no flagged point; all of them where every one does."""
        return [cell for cell in self.measured if not flag_kinds(cell)] or self.measured

    @cached_property
    def compared(self) -> list[Cell]:
        """The cells a ratio's median and range are of: the sound ones at like loads, or all where none is."""
        return [cell for cell in self.sound if cell["like_loads"]] or self.sound

    @cached_property
    def at_like_loads(self) -> bool:
        """Whether the cells a ratio's median and range are of compare like loads."""
        return bool(self.compared) and all(cell["like_loads"] for cell in self.compared)

    @cached_property
    def apart(self) -> list[Cell]:
        """The ratio's cells at unlike loads, where its median and range leave them out."""
        unlike = [cell for cell in self.measured if not cell["like_loads"]]
        return unlike if self.at_like_loads else []

    @cached_property
    def panels(self) -> dict[Any, list[Cell]]:
        """The measured cells of each panel that has some."""
        panels: dict[Any, list[Cell]] = {}
        for cell in self.measured:
            panels.setdefault(cell["panel"], []).append(cell)
        return panels

    @cached_property
    def peak(self) -> Cell | None:
        """The best cell of all panels (in a ratio the largest of those compared); None when nothing has a value."""
        cells = self.measured if self.sides is None else self.compared
        return self.best(cells) if cells else None

    @cached_property
    def _by_size(self) -> list[Any]:
        """All panels: that of the peak, then those with the most cells with a value."""
        panels = dict.fromkeys(cell["panel"] for cell in self.cells)
        sizes = {panel: len(self.panels.get(panel, ())) for panel in panels}
        first = {self.peak["panel"]} if self.peak else set()
        return sorted(panels, key=lambda panel: (panel not in first, -sizes[panel]))

    @property
    def undrawn_panels(self) -> int:
        """How many panels there is no room for."""
        return len(self._by_size[MOST_PANELS:])

    @cached_property
    def drawn(self) -> list[Cell]:
        """The cells of the panels there is room for."""
        drawn = set(self._by_size[:MOST_PANELS])
        return [cell for cell in self.cells if cell["panel"] in drawn]

    @cached_property
    def undrawn(self) -> list[Cell]:
        """The cells with a value of the panels there is no room for."""
        hidden = set(self._by_size[MOST_PANELS:])
        return [cell for cell in self.measured if cell["panel"] in hidden]

    @property
    def span(self) -> list[float]:
        """The smallest and largest value that the colours tell apart; empty when there is none.

        Of a ratio those of the cells compared: what its range leaves out shall not set its colours either.
        """
        cells = self.drawn if self.sides is None else self.compared
        values = [cell["value"] for cell in cells if cell["state"] == MEASURED]
        return [min(values), max(values)] if values else []

    def best(self, cells: Sequence[Cell]) -> Cell:
        """The best of these cells by the metric's direction; of a ratio, the largest."""
        return self._extreme(cells, lowest=self.grid.better == "lower" and self.sides is None)

    def worst(self, cells: Sequence[Cell]) -> Cell:
        """The worst of these cells by the metric's direction."""
        return self._extreme(cells, lowest=self.grid.better == "higher")

    @staticmethod
    def _extreme(cells: Sequence[Cell], *, lowest: bool) -> Cell:
        return (min if lowest else max)(cells, key=lambda cell: cell["value"])

    def states(self) -> Counter[str]:
        """How many cells are in each state."""
        return Counter(cell["state"] for cell in self.cells)

    def sizes(self) -> tuple[int, int, int]:
        """How many values x, y and the panel have."""
        across, up, panels = ({cell[key] for cell in self.cells} for key in ("x", "y", "panel"))
        return len(across), len(up), len(panels)


def flag_kinds(cell: Cell) -> tuple[str, ...]:
    """The kinds of flag on the points a cell's value comes from, of either side in a ratio."""
    stated = (cell.get(column) for column in ("flags", "flags_a", "flags_b"))
    return tuple(sorted({flag["kind"] for flags in stated if flags for flag in json.loads(flags)}))


def flags_in_words(cell: Cell) -> list[str]:
    """Those kinds as a sentence names them."""
    return [flag_words(kind) for kind in flag_kinds(cell)]


def place(told: Told, cell: Cell) -> str:
    """A cell's place on the two axes: "1,024/128", "concurrency 64 and 8 chips"."""
    grid = told.grid
    if are_lengths(told):
        isl, osl = (cell["x"], cell["y"]) if grid.x == "isl" else (cell["y"], cell["x"])
        return f"{number(isl)}/{number(osl)}"
    return joined([at(told, grid.x, cell["x"]), at(told, grid.y, cell["y"])])


def are_lengths(told: Told) -> bool:
    """Whether the axes are input and output length, each as it was measured."""
    return {told.grid.x, told.grid.y} == {"isl", "osl"} and not told.count.coarse


def at(told: Told, axis: str, value: float) -> str:
    """A value of an axis in words; a doubling by its ends."""
    if axis in told.count.coarse and value > 0:
        return setting(axis, f"{number(value)} to {number(2 * value)}")
    return setting(axis, value)


def axis_words(column: str) -> str:
    """A column inside a sentence: "input length"."""
    return lowered(title(column).split(" (")[0])
