"""What a heatmap's answer found: its cells, their extremes, and what one side of a ratio is to the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

from bench import catalogue, flags
from bench.basis.document import HIDDEN
from bench.basis.evidence import PointTally
from bench.basis.likeness import Difference
from bench.basis.points import PointFacts
from bench.basis.wording import flags_of
from bench.catalogue import Metric
from bench.library.newest_runs import OLDER
from bench.maths.grid import wants_log

STATES: Mapping[str, tuple[str, str, str]] = {
    "beyond_limit": ("beyond the limit", "·", "points beyond the limits"),
    "unknown_limit": ("limit unknown", "?", "points that do not state what the limits are on"),
    "failed": ("failed", "×", "points that failed"),
    "no_metric": ("no metric", "–", "points without this metric"),
    "flagged": ("flagged", "†", "points ruled out by a flag"),
    OLDER: ("older run", "○", "points of older runs"),
    "other_evidence": ("not measured", "~", "points that were not measured"),
}
"""What a cell without a value is, by the first of these codes that a point in it has; its mark, and what is in it."""

WITHOUT_VALUE = {state: (mark, what) for state, mark, what in STATES.values()}

MOST_PANELS = 12
"""There is room for so many panels."""


@dataclass(frozen=True)
class Cell:
    """One cell some point lies in. `value` is of its best point, in a ratio a / b; None unless it is measured.

    `place` is its id, "panel|x|y". `state` is "measured", in a ratio also "only a" or "only b", or of WITHOUT_VALUE.
    `points` counts all points in it. In a ratio `a` and `b` are the sides' values, and `best` and `best_b` the points
    they come from; `alike` is that both were measured at one load.
    """

    place: str
    panel: Any
    x: float
    y: float
    state: str
    points: int
    value: float | None = None
    best: PointFacts | None = None
    passport: str | None = field(default=None, metadata={HIDDEN: True})
    a: float | None = None
    b: float | None = None
    best_b: PointFacts | None = None
    alike: bool = True

    @property
    def facts(self) -> tuple[PointFacts, ...]:
        """The points its value comes from."""
        return tuple(one for one in (self.best, self.best_b) if one is not None)

    @cached_property
    def is_flagged(self) -> bool:
        """Whether one of those points has a flag that is more than a note."""
        return bool(flags.printed(flags_of(self.facts)))

    @property
    def is_unmeasured(self) -> bool:
        """Whether one of those points was not measured, which the reader asked for."""
        return any(one.evidence != "measured" for one in self.facts)

    @property
    def is_measured(self) -> bool:
        """Whether it has a value."""
        return self.state == "measured"


@dataclass(frozen=True)
class Ratio:
    """Two sides divided cell by cell: by which field, their words, and what else differs in every compared cell."""

    by: str
    a: str
    b: str
    confounded: tuple[Difference, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether what differs besides is little enough to be named with each side: two facts of one value each."""
        return len(self.confounded) <= 2 and all(len(one.a) == len(one.b) == 1 for one in self.confounded)


@dataclass(frozen=True)
class Heatmap:
    """The grid of an answer: columns along `x` and `y`, one panel for each value of `panel`, and its cells.

    `level` is the one load that is kept, as "concurrency=64", or "best"; `load_kind` the one kind that is shown, None
    where the reader asked for several. `doublings` are axes with too many values, cut into doublings. `other_kind` is
    the best point under another kind of load. `stated` are the columns that can be axes where no point states both.
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
    tally: PointTally
    other_kind: tuple[PointFacts, float] | None = None
    stated: tuple[str, ...] = ()

    @property
    def row(self) -> Metric:
        """The metric as the catalogue has it."""
        return catalogue.metric(self.metric)

    @cached_property
    def measured(self) -> list[Cell]:
        """The cells with a value."""
        return [cell for cell in self.cells if cell.is_measured]

    @cached_property
    def compared(self) -> list[Cell]:
        """The cells a ratio's median and range are of."""
        return compared(self.cells)

    def is_apart(self, cell: Cell) -> bool:
        """Whether a cell's ratio is of unlike loads and so neither in the range nor on the colour scale."""
        return cell.is_measured and not cell.alike and len(self.compared) < len(self.measured)

    @cached_property
    def peak(self) -> Cell | None:
        """The best cell of all panels, in a ratio the largest of those compared; None when nothing has a value."""
        return self.best(self.compared) if self.compared else None

    @cached_property
    def panels(self) -> dict[Any, list[Cell]]:
        """The measured cells of each panel that has some."""
        panels: dict[Any, list[Cell]] = {}
        for cell in self.measured:
            panels.setdefault(cell.panel, []).append(cell)
        return panels

    @cached_property
    def undrawn(self) -> frozenset[Any]:
        """The panels there is no room for: never that of the peak, first those with the fewest cells with a value."""
        panels = dict.fromkeys(cell.panel for cell in self.cells)
        first = {self.peak.panel} if self.peak else set()
        ordered = sorted(panels, key=lambda panel: (panel not in first, -len(self.panels.get(panel, ()))))
        return frozenset(ordered[MOST_PANELS:])

    @cached_property
    def drawn(self) -> list[Cell]:
        """The cells of the panels there is room for."""
        return [cell for cell in self.cells if cell.panel not in self.undrawn]

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

    @property
    def middle(self) -> float:
        """The median of the ratios that are compared."""
        return median(cell.value or 0.0 for cell in self.compared)

    def best(self, cells: Sequence[Cell], *, worst: bool = False) -> Cell:
        """The best of these measured cells by the metric's direction, or the worst; of a ratio the largest."""
        is_lowest = (self.row.better == "lower" and self.ratio is None) != worst
        return (min if is_lowest else max)(cells, key=lambda cell: cell.value or 0.0)

    def values(self, part: str) -> set[Any]:
        """The values along an axis, or of the panels."""
        return {getattr(cell, part) for cell in self.cells}


def compared(cells: Iterable[Cell]) -> list[Cell]:
    """The cells with a value at like loads on both sides, or all with a value where there is none such."""
    measured = [cell for cell in cells if cell.is_measured]
    return [cell for cell in measured if cell.alike] or measured
