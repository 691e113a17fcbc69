"""Where the cells of small multiples lie: all panels on one pair of axes, in units of a cell, with gaps between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.wording import number

NARROWEST_PX = 800
"""Panels are laid out for a chart this wide; a wider one only gives the cells more room."""

LEFT, RIGHT, TOP, BOTTOM = 76, 16, 92, 64
"""The margins around the panels, in pixels."""

ACROSS_GAP_PX, UP_GAP_PX = 22, 34
FEWEST_ACROSS_PX = 38
"""No more panels stand side by side than leave a cell this many pixels."""

WHOLE_HEIGHT_PX = 760
"""The panels together are about this high, within what a cell may be."""
DIGIT_PX = 7
LOWEST_CELL_PX, HIGHEST_CELL_PX = 16, 40


@dataclass(frozen=True)
class Panels:
    """Equal panels of `xs` by `ys` cells, from the top left, `columns` to a line.

    One axis carries them all: a cell is 1 wide and 1 high, panels are apart by a gap. Small multiples on one pair of
    axes take a fifth of the time that a pair for each panel takes plotly.
    """

    names: tuple[Any, ...]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    columns: int
    cell_height: int

    @property
    def lines(self) -> int:
        """How many lines of panels there are."""
        return math.ceil(len(self.names) / self.columns)

    @property
    def cell_width(self) -> float:
        """The width of a cell in pixels on a chart NARROWEST_PX wide."""
        width = NARROWEST_PX - LEFT - RIGHT - (self.columns - 1) * ACROSS_GAP_PX
        return width / self.columns / len(self.xs)

    @property
    def height(self) -> int:
        """The height of the chart in pixels."""
        return int(self.up[-1] * self.cell_height) + TOP + BOTTOM + self.label_depth

    @property
    def label_depth(self) -> int:
        """What labels under the cells need beyond one line: they stand upright where a cell is too narrow for them."""
        longest = max(len(number(x)) for x in self.xs) * DIGIT_PX
        return longest if longest > self.cell_width else 0

    @property
    def across(self) -> NDArray[np.float64]:
        """The edges of the columns of cells; between two panels lies one column that is a gap."""
        return _edges(len(self.xs), self.columns, ACROSS_GAP_PX / self.cell_width)

    @property
    def up(self) -> NDArray[np.float64]:
        """The edges of the lines of cells from the bottom; between two panels lies one line that is a gap."""
        return _edges(len(self.ys), self.lines, UP_GAP_PX / self.cell_height)

    def corner(self, place: int) -> tuple[int, int]:
        """The position of a panel's lowest line and leftmost column among all lines and columns."""
        line, column = divmod(place, self.columns)
        return (self.lines - 1 - line) * (len(self.ys) + 1), column * (len(self.xs) + 1)

    def ticks(self, axis: str) -> tuple[list[float], list[float]]:
        """The middle of every cell along the x or y axis, and the value that it stands for."""
        edges, values, panels = (
            (self.across, self.xs, self.columns) if axis == "x" else (self.up, self.ys, self.lines)
        )
        starts = (
            panel * (len(values) + 1) + place for panel in range(panels) for place in range(len(values))
        )
        return [float(edges[start]) + 0.5 for start in starts], list(values) * panels


def arranged(names: Sequence[Any], xs: Sequence[float], ys: Sequence[float]) -> Panels:
    """Panels with these names in this order, as many side by side as leave the cells readable."""
    room = NARROWEST_PX - LEFT - RIGHT + ACROSS_GAP_PX
    most = max(1, int(room / (len(xs) * FEWEST_ACROSS_PX + ACROSS_GAP_PX)))
    lines = math.ceil(len(names) / most)
    cell_height = WHOLE_HEIGHT_PX // (len(ys) * lines)
    return Panels(
        names=tuple(names),
        xs=tuple(xs),
        ys=tuple(ys),
        columns=math.ceil(len(names) / lines),
        cell_height=min(HIGHEST_CELL_PX, max(LOWEST_CELL_PX, cell_height)),
    )


def _edges(cells: int, panels: int, gap: float) -> NDArray[np.float64]:
    starts = np.arange(panels) * (cells + gap)
    edges: NDArray[np.float64] = np.add.outer(starts, np.arange(cells + 1.0)).ravel()
    return edges
