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
from bench.wording import joined, number

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What the sentences are about: the grid, its cells as charted, the census, and a ratio's two sides by name."""

    grid: Grid
    cells: Sequence[Cell]
    count: Census
    sides: tuple[str, str] | None = None
    ratio_by: str | None = None
    hidden_panels: int = 0
    only_measured: bool = True

    @property
    def filled(self) -> str:
        """What a cell with a value is called: "measured", unless the reader asked for other evidence too."""
        return "measured" if self.only_measured else "filled"

    @cached_property
    def measured(self) -> list[Cell]:
        """The cells with a value."""
        return [cell for cell in self.cells if cell["state"] == "measured"]

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
        """The best cell (the largest ratio, in a ratio); None when nothing has a value."""
        return self.best(self.measured) if self.measured else None

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


def metric_of(told: Told) -> Metric:
    """The grid's metric as the catalogue has it."""
    return catalogue.metric(told.grid.metric)


def metric_words(told: Told) -> str:
    """The metric inside a sentence: "output throughput", "p99 TTFT", "median TPOT"."""
    name, _, statistic = metric_of(told).label.partition(", ")
    return f"{statistic} {name}" if statistic else inside(name)


def axis_words(column: str) -> str:
    """A column inside a sentence: "input length"."""
    return inside(title(column).split(" (")[0])


def inside(label: str) -> str:
    """A label inside a sentence: its first letter small, unless it is an abbreviation."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def is_or_are(count: int) -> str:
    """The verb for a count."""
    return "is" if count == 1 else "are"
