"""Where the cells of small multiples lie: all panels on one pair of axes, in units of a cell, with gaps between."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.wording import number

LAID_OUT_PX = 800
"""Panels are laid out for a chart this wide; a wider one only gives the cells more room."""

NARROWEST_PX = 566
"""The chart on a page 800 pixels wide: what cannot shrink, the labels, must fit this."""

CHART_PX = {0: 350, 700: 530, 1100: 830, 1400: 1130}
"""The least width of a chart on a page at least so wide: beside the navigation there, alone on a phone."""

READABLE_PX = 36
"""A cell less wide or high than this has no number in it."""

LEFT, RIGHT, TOP, BOTTOM = 76, 16, 112, 64
"""The margins around the panels, in pixels."""

ACROSS_GAP_PX, UP_GAP_PX = 22, 34
FEWEST_ACROSS_PX = 38
"""No more panels stand side by side than leave a cell this many pixels."""

WHOLE_HEIGHT_PX, MOST_HEIGHT_PX = 760, 900
"""The panels together are about this high, within what a cell may be; higher where cells are then readable."""
DIGIT_PX, COMMA_PX, NAME_PX = 6, 3, 7.5
"""The width of a digit and of a comma under the cells, and of a letter of a panel's name."""

LOWEST_CELL_PX, HIGHEST_CELL_PX = 16, 40


class CellSpot(NamedTuple):
    """Where a cell lies: its line and column among those of all panels, and its middle on the axes."""

    line: int
    column: int
    across: float
    up: float


@dataclass(frozen=True)
class Panels:
    """Panels of cells from the top left, `columns` to a line: all with the same `xs`, those of a line the same rows.

    `rows` are the values from the bottom of each line of panels, the topmost line first. One axis carries them all: a
    cell is 1 wide and 1 high, panels are apart by a gap. Small multiples on one pair of axes take a fifth of the time
    that a pair for each panel takes plotly.
    """

    names: tuple[Any, ...]
    xs: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    columns: int
    cell_height: int

    @property
    def lines(self) -> int:
        """How many lines of panels there are."""
        return len(self.rows)

    @property
    def cell_width(self) -> float:
        """The width of a cell in pixels on a chart LAID_OUT_PX wide."""
        return self._cell(LAID_OUT_PX)

    @property
    def readable_from(self) -> int | None:
        """The width of a page from which on the cells have room for numbers; None where they never have."""
        fits = (page for page, chart in CHART_PX.items() if self._cell(chart) >= READABLE_PX)
        return next(fits, None) if self.cell_height >= READABLE_PX else None

    @property
    def readable_width(self) -> float:
        """The width of a cell on that page."""
        return self._cell(CHART_PX[self.readable_from or 0])

    @property
    def narrowest_cell(self) -> float:
        """The width of a cell in pixels on a chart NARROWEST_PX wide."""
        return self._cell(NARROWEST_PX)

    def _cell(self, chart: int) -> float:
        # The gaps are in units of a cell, so they shrink with it.
        shown = len(self.xs) * self.columns
        laid_out = LAID_OUT_PX - LEFT - RIGHT
        return (laid_out - (self.columns - 1) * ACROSS_GAP_PX) / shown * (chart - LEFT - RIGHT) / laid_out

    @property
    def height(self) -> int:
        """The height of the chart in pixels."""
        return int(self.up[-1] * self.cell_height) + TOP + BOTTOM + self.label_depth

    @property
    def label_depth(self) -> int:
        """What labels under the cells need beyond one line: they stand upright where a cell is too narrow for them."""
        longest = max(_width(number(x)) for x in self.xs)
        return longest if longest > self.narrowest_cell else 0

    @property
    def labelled_every(self) -> int:
        """On a phone the cells of every so many columns have room for their label."""
        longest = max(_width(number(x)) for x in self.xs)
        return 1 if self.label_depth else math.ceil(longest / self._cell(CHART_PX[0]))

    @property
    def across(self) -> NDArray[np.float64]:
        """The edges of the columns of cells; between two panels lies one column that is a gap."""
        return _edges([len(self.xs)] * self.columns, ACROSS_GAP_PX / self.cell_width)

    @property
    def up(self) -> NDArray[np.float64]:
        """The edges of the lines of cells from the bottom; between two panels lies one line that is a gap."""
        return _edges([len(row) for row in reversed(self.rows)], UP_GAP_PX / self.cell_height)

    def corner(self, place: int) -> tuple[int, int]:
        """The position of a panel's lowest line and leftmost column among all lines and columns."""
        line, column = divmod(place, self.columns)
        return sum(len(row) + 1 for row in self.rows[line + 1 :]), column * (len(self.xs) + 1)

    def top(self, place: int) -> float:
        """The upper edge of a panel."""
        return float(self.up[self.corner(place)[0] + len(self.rows[place // self.columns])])

    @cached_property
    def spots(self) -> dict[tuple[Any, float, float], CellSpot]:
        """Every place of every panel: name, x and y, and where it lies."""
        across, up = self.across.tolist(), self.up.tolist()
        places = {}
        for place, name in enumerate(self.names):
            bottom, left = self.corner(place)
            for line, y in enumerate(self.rows[place // self.columns], bottom):
                for column, x in enumerate(self.xs, left):
                    places[name, x, y] = CellSpot(line, column, across[column] + 0.5, up[line] + 0.5)
        return places

    def ticks(self, axis: str) -> tuple[list[float], list[float]]:
        """The middle of every cell along the x or y axis, and the value that it stands for."""
        edges, panels = (self.across, [self.xs] * self.columns) if axis == "x" else (self.up, self.rows[::-1])
        middles: list[float] = []
        values: list[float] = []
        start = 0
        for held in panels:
            middles += [float(edge) + 0.5 for edge in edges[start : start + len(held)]]
            values += held
            start += len(held) + 1
        return middles, values


def arranged(
    names: Sequence[Any], xs: Sequence[float], ys: Sequence[Collection[float]], longest_name: int = 0
) -> Panels:
    """Panels with these names in this order, as many side by side as leave cells and names (in letters) readable.

    `ys` are the values that each panel has something at; a line of panels has the rows that one of it needs.
    """
    room = LAID_OUT_PX - LEFT - RIGHT + ACROSS_GAP_PX
    most = max(1, int(room / (len(xs) * FEWEST_ACROSS_PX + ACROSS_GAP_PX)))
    if longest_name:
        most = max(1, min(most, int((NARROWEST_PX - LEFT - RIGHT) / (longest_name * NAME_PX))))
    columns = math.ceil(len(names) / math.ceil(len(names) / most))
    lines = [ys[start : start + columns] for start in range(0, len(names), columns)]
    rows = tuple(tuple(sorted({y for held in line for y in held})) for line in lines)
    many = sum(map(len, rows))
    height = min(HIGHEST_CELL_PX, max(LOWEST_CELL_PX, WHOLE_HEIGHT_PX // many))
    height = max(height, READABLE_PX if READABLE_PX * many <= MOST_HEIGHT_PX else 0)
    return Panels(tuple(names), tuple(xs), rows, columns, height)


def _width(label: str) -> int:
    return label.count(",") * COMMA_PX + (len(label) - label.count(",")) * DIGIT_PX + COMMA_PX


def _edges(panels: Sequence[int], gap: float) -> NDArray[np.float64]:
    """The edges of cells 1 apart in panels of so many, with a gap between two panels."""
    starts = np.cumsum([0.0, *(cells + gap for cells in panels[:-1])])
    return np.concatenate([start + np.arange(cells + 1.0) for start, cells in zip(starts, panels, strict=True)])
