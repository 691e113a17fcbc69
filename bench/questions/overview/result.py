"""What the overview found: what is loaded and selected, the matrix of models and accelerators, and where to go next."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from bench.basis.points import PointFacts
from bench.view import View


@dataclass(frozen=True)
class MatrixCell:
    """One model on one accelerator: its measured points, those of other evidence, series, sources and newest day."""

    model: str | None
    accelerator: str | None
    measured: int
    other_evidence: int
    series: int
    sources: int
    newest: datetime.date | None


@dataclass(frozen=True)
class Selected:
    """What of the library is selected; `newest` is the day of its newest point, None where none is dated."""

    points: int
    series: int
    models: int
    accelerators: tuple[str, ...]
    sources: int
    newest: datetime.date | None
    measured: int


@dataclass(frozen=True)
class BestPoint:
    """The ranked point with the highest value of a metric in the story told, in the metric's unit."""

    metric: str
    value: float
    point: PointFacts


@dataclass(frozen=True)
class Gap:
    """Two points alike in all that is stated but the accelerator, whose output per chip lies farthest apart.

    `most` and `least` are in tokens/s per chip.
    """

    first: PointFacts
    last: PointFacts
    most: float
    least: float

    @property
    def ratio(self) -> float:
        """How many times the less the more is."""
        return self.most / self.least


@dataclass(frozen=True)
class StandsOut:
    """What the first page that can rank what is selected says of it: its headline, the points it names, their flags."""

    page: str
    text: str
    point_ids: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Newest:
    """What came last: how many points of one source, and what they are of.

    `imported` where the reader's own library got them last; else they are those of the days up to the newest `day` of
    all `published` results, or of all where none is. `day` is None where an import states none.
    """

    source: str
    day: datetime.date | None
    points: int
    models: tuple[str | None, ...]
    accelerators: tuple[str | None, ...]
    imported: bool = False
    published: bool = False


@dataclass(frozen=True)
class Link:
    """The page and the View that show what a statement of this kind says."""

    kind: str
    page: str
    view: View


@dataclass(frozen=True)
class Overview:
    """What is loaded and what stands out in it. `loaded` counts all that the library holds, by kind of thing."""

    loaded: dict[str, int]
    selected: Selected
    pairs: tuple[MatrixCell, ...]
    per_chip: BestPoint | None
    stream: BestPoint | None
    gap: Gap | None
    newest: Newest | None
    stands_out: StandsOut | None
    links: tuple[Link, ...]
