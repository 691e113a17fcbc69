"""What a Pareto answer found: the frontiers, who leads where, the knees, and the best point within the limits."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from bench import catalogue
from bench.basis.document import HIDDEN
from bench.basis.evidence import Deciding, PointTally
from bench.basis.limits import Limit
from bench.basis.points import PointFacts
from bench.basis.stated_share import NOTHING, StatedShare
from bench.basis.wording import is_tie
from bench.catalogue import Metric

DRAWN_GROUPS = 16
"""So many groups get a line, those with the best y first; the points of the others stay in the cloud."""


@dataclass(frozen=True)
class Span:
    """The smallest and largest value on an axis, in the metric's unit, and whether the axis is logarithmic."""

    low: float
    high: float
    log: bool

    def edges(self, bins: int) -> tuple[float, ...]:
        """The borders of so many cells between its ends, one more than there are cells."""
        low, high = self.low, self.high
        shares = [step / bins for step in range(bins + 1)]
        return tuple(low * (high / low) ** one if self.log else low + (high - low) * one for one in shares)


@dataclass(frozen=True)
class Spot:
    """A point on the chart: where it lies, in the units of the axes' metrics, and what it is."""

    x: float
    y: float
    point: PointFacts


@dataclass(frozen=True)
class Undrawn:
    """A point with a cost, in USD per million tokens, and nothing along x; the metrics it states that can be there."""

    usd_per_million: float
    point: PointFacts
    along: tuple[str, ...]


@dataclass(frozen=True)
class Lead:
    """A range of requirements on x within which one group has the best y, and the points by which it does.

    The range ends at `strictest` and begins beyond `weakest`, which is None where every weaker requirement belongs to
    it too. `margin` is how many times better its y is than the next group's where it is most so; None where no other
    meets the requirement.
    """

    group: str
    weakest: float | None
    strictest: float
    margin: float | None
    spots: tuple[Spot, ...]

    @property
    def is_tie(self) -> bool:
        """Whether the next group is nowhere more than 1 % behind."""
        return self.margin is not None and is_tie(self.margin)


@dataclass(frozen=True)
class Group:
    """One value of the grouping field, `owner` as it is stored, "" when not stated; its label, and how many points.

    `points` counts those beyond the limits too, `known` how many say whether they keep them, all where there are none.
    `line` is its own frontier within the limits, x and y from the best x to the best y, empty where it has no point
    there. `knee` is None without one, `best` is its best point within the limits.
    """

    owner: str
    label: str
    points: int
    known: int
    line: tuple[tuple[float, float], ...]
    knee: Spot | None
    best: Spot | None


@dataclass(frozen=True)
class CloudGrid:
    """The cloud counted in cells: the borders of the cells, and (column, row, points) of those not empty."""

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    cells: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Pareto:
    """The frontiers of a selection over two metrics, one for each value of the field `group` (None: one for all).

    They are of the points that keep the `limits`; the groups `without` a point that does have no frontier.

    `groups` come with the best y first, `overall` is the frontier of all from the best x to the best y, `leads` run
    from the easiest requirement on x to the strictest, `widest` is the one over the widest range. `best` is the best
    point within the `limits`, by x where `is_x_best`, else by y, and `deciding` on how many points that rests. `mixed`
    are the unlike values among the ranked points, by field, of all selected where none is ranked; nobody leads where
    the reader did not ask for those of the `unasked` fields side by side. `points` are drawn, above a number of them
    the frontiers alone, and the others counted in a `grid`; the `spans` of x and y are theirs. Where there is no
    frontier, `instead` are other axes that points have; None where none has a latency and a throughput. `known` is how
    many of the selected points state what decides;
    where y is a cost, `cheapest` is the cheapest point of Cost if it lacks x, so that it is not drawn.
    """

    x: str
    y: str
    group: str | None
    spans: tuple[Span, Span] | None
    groups: tuple[Group, ...]
    without: tuple[Group, ...]
    overall: tuple[Spot, ...]
    leads: tuple[Lead, ...]
    widest: Lead | None
    limits: tuple[Limit, ...]
    best: Spot | None
    deciding: Deciding
    tally: PointTally
    mixed: Mapping[str, tuple[Any, ...]]
    unasked: tuple[str, ...]
    dates: tuple[datetime.date, datetime.date] | None
    instead: tuple[Metric, Metric] | None
    is_x_best: bool
    points: pd.DataFrame
    cheapest: Undrawn | None = None
    grid: CloudGrid | None = field(default=None, metadata={HIDDEN: True})
    known: StatedShare = field(default=NOTHING, metadata={HIDDEN: True})

    @property
    def metrics(self) -> tuple[Metric, Metric]:
        """x and y as the catalogue has them."""
        return catalogue.metric(self.x), catalogue.metric(self.y)

    @property
    def names_a_best(self) -> bool:
        """Whether a leader may be named: there are no limits, or most accelerators say whether they keep them."""
        return not self.limits or self.deciding.names_a_best

    @property
    def compares_models(self) -> bool:
        """Whether the frontiers are those of several models side by side."""
        return self.group == "model" and len(self.groups) > 1

    @property
    def drawn(self) -> tuple[Group, ...]:
        """The groups that get a line."""
        return self.groups[:DRAWN_GROUPS]

    def value(self, spot: Spot) -> float:
        """What of a point is best within the limits: its y, or its x."""
        return spot.x if self.is_x_best else spot.y
