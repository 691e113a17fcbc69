"""What a heatmap's answer found: its cells, their extremes, and what one side of a ratio is to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from bench import catalogue
from bench.basis.evidence import Tally
from bench.basis.likeness import Difference
from bench.basis.points import Facts
from bench.catalogue import Metric
from bench.maths.grid import Better, wants_log
from bench.questions.document import HIDDEN

State = Literal[
    "measured", "failed", "no metric", "flagged", "older run", "beyond the limit", "only a", "only b"
]
"""Why a cell has a value or none; without one, the first of these that a point in it is."""

MOST_PANELS = 12
"""There is room for so many panels."""


@dataclass(frozen=True)
class Cell:
    """One cell some point lies in. `value` is of its best point, in a ratio a / b; None unless it is measured.

    `place` is its id, "panel|x|y". `points` counts all points in it. In a ratio `a` and `b` are the sides' values, and
    `best` and `best_b` the points they come from; `alike` is that both were measured at one load.
    """

    place: str
    panel: Any
    x: float
    y: float
    state: State
    points: int
    value: float | None = None
    best: Facts | None = None
    passport: str | None = field(default=None, metadata={HIDDEN: True})
    a: float | None = None
    b: float | None = None
    best_b: Facts | None = None
    alike: bool = True

    @property
    def facts(self) -> tuple[Facts, ...]:
        """The points its value comes from."""
        return tuple(one for one in (self.best, self.best_b) if one is not None)

    @cached_property
    def flag_kinds(self) -> tuple[str, ...]:
        """The kinds of flag on those points."""
        return tuple(dict.fromkeys(kind for one in self.facts for kind in one.flag_kinds))

    @property
    def is_measured(self) -> bool:
        """Whether it has a value."""
        return self.state == "measured"


@dataclass(frozen=True)
class Ratio:
    """Two sides divided cell by cell: by which field, their words, and what differs between them in every cell."""

    by: str
    a: str
    b: str
    confounded: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Heatmap:
    """The grid of an answer: columns along `x` and `y`, one panel for each value of `panel`, and its cells.

    `level` is the one load that is kept, as "concurrency=64", or "best"; `load_kind` the one kind that is shown, None
    where the reader asked for several. `doublings` are axes with too many values, cut into doublings. `measured_only`
    is that no other evidence was asked for. `other_kinds` are the best points under other kinds of load.
    """

    x: str
    y: str
    panel: str | None
    metric: str
    level: str
    scale: str
    load_kind: str | None
    doublings: tuple[str, ...]
    cells: tuple[Cell, ...]
    ratio: Ratio | None
    tally: Tally
    measured_only: bool
    other_kinds: tuple[tuple[Facts, float], ...] = ()

    @property
    def row(self) -> Metric:
        """The metric as the catalogue has it."""
        return catalogue.metric(self.metric)

    @property
    def better(self) -> Better:
        """The direction a best value is chosen by."""
        return "lower" if self.row.direction == "lower" else "higher"

    @property
    def filled(self) -> str:
        """What a cell with a value is called: "measured", unless the reader asked for other evidence too."""
        return "measured" if self.measured_only else "filled"

    @cached_property
    def measured(self) -> list[Cell]:
        """The cells with a value."""
        return [cell for cell in self.cells if cell.is_measured]

    @cached_property
    def compared(self) -> list[Cell]:
        """The cells a ratio's median and range are of: those at like loads, or all where none is."""
        return [cell for cell in self.measured if cell.alike] or self.measured

    @cached_property
    def apart(self) -> list[Cell]:
        """The ratio's cells at unlike loads, where its median and range leave them out."""
        return (
            [cell for cell in self.measured if not cell.alike]
            if len(self.compared) < len(self.measured)
            else []
        )

    def is_apart(self, cell: Cell) -> bool:
        """Whether a cell's ratio is of unlike loads and so neither in the range nor on the colour scale."""
        return bool(self.apart) and cell.is_measured and not cell.alike

    @cached_property
    def peak(self) -> Cell | None:
        """The best cell of all panels, in a ratio the largest of those compared; None when nothing has a value."""
        cells = self.measured if self.ratio is None else self.compared
        return self.best(cells) if cells else None

    @cached_property
    def panels(self) -> dict[Any, list[Cell]]:
        """The measured cells of each panel that has some."""
        panels: dict[Any, list[Cell]] = {}
        for cell in self.measured:
            panels.setdefault(cell.panel, []).append(cell)
        return panels

    @cached_property
    def _by_size(self) -> list[Any]:
        """All panels: that of the peak, then those with the most cells with a value."""
        panels = dict.fromkeys(cell.panel for cell in self.cells)
        first = {self.peak.panel} if self.peak else set()
        return sorted(panels, key=lambda panel: (panel not in first, -len(self.panels.get(panel, ()))))

    @cached_property
    def drawn(self) -> list[Cell]:
        """The cells of the panels there is room for."""
        shown = set(self._by_size[:MOST_PANELS])
        return [cell for cell in self.cells if cell.panel in shown]

    @property
    def undrawn(self) -> list[Any]:
        """The panels there is no room for."""
        return self._by_size[MOST_PANELS:]

    @property
    def span(self) -> tuple[float, ...]:
        """The smallest and largest value that the colours tell apart; empty when there is none."""
        cells = self.drawn if self.ratio is None else self.compared
        values = [cell.value for cell in cells if cell.value is not None]
        return (min(values), max(values)) if values else ()

    @property
    def is_log(self) -> bool:
        """Whether the colours run along logarithms."""
        asked = self.scale == "log" or (self.scale == "auto" and wants_log(self.span))
        return asked and min(self.span, default=0) > 0

    def best(self, cells: Sequence[Cell]) -> Cell:
        """The best of these measured cells by the metric's direction; of a ratio the largest."""
        return _extreme(cells, lowest=self.better == "lower" and self.ratio is None)

    def worst(self, cells: Sequence[Cell]) -> Cell:
        """The worst of these measured cells by the metric's direction."""
        return _extreme(cells, lowest=self.better == "higher")

    def states(self) -> Counter[str]:
        """How many cells are in each state."""
        return Counter(cell.state for cell in self.cells)

    def sizes(self) -> tuple[int, int, int]:
        """How many values x, y and the panel have."""
        return (
            len({c.x for c in self.cells}),
            len({c.y for c in self.cells}),
            len({c.panel for c in self.cells}),
        )


def _extreme(cells: Sequence[Cell], *, lowest: bool) -> Cell:
    return (min if lowest else max)(cells, key=lambda cell: cell.value or 0.0)
