"""How many of the points a reader selected say what an answer rests on; where too few do, its headline says so first.

The one rule of every question. Counted are the ranked points that the reader's own filters leave, of the story's model,
whatever precision and workload the story narrows them to; then those of the story itself. Where fewer than DECISIVE of
either say whether they keep the reader's limits, or fewer than FEW of the first state the figure that is compared, the
headline begins with it: "Only 2 of 106 points state median TPOT; of those TPU v6e …".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.basis import evidence, limits, story
from bench.basis.evidence import DECISIVE, Deciding
from bench.catalogue import PRICED
from bench.library import Library
from bench.view import View
from bench.wording import counted

FEW = 0.5
"""Where fewer of the selected points state the figure that a page compares, its headline says so."""


@dataclass(frozen=True)
class Known:
    """How many of some points say what is asked of them, the words of that for several and for one, and what is few."""

    points: int
    of: int
    they: str
    it: str
    enough: float = DECISIVE

    @property
    def share(self) -> float:
        """The share that says it."""
        return self.points / self.of if self.of else 1.0

    @property
    def is_of_limits(self) -> bool:
        """Whether it is said of the reader's limits, and not of a figure."""
        return self.enough == DECISIVE

    @property
    def told(self) -> str:
        """It as a sentence without its end: "Only 2 of 106 points state median TPOT"; "" where enough say it."""
        if not self.points or self.share >= self.enough:
            return ""
        few = "Only " if 2 * self.points < self.of else ""
        verb = self.it if self.points == 1 else self.they
        return f"{few}{self.points:,} of {counted(self.of, 'point')} {verb}"

    @property
    def lead(self) -> str:
        """What a headline begins with: "Only 2 of 106 points state median TPOT; of those "; "" where enough say it."""
        if not self.told:
            return ""
        return f"{self.told}: " if self.points == 1 else f"{self.told}; of those "


NOTHING = Known(0, 0, "", "")
"""Where nothing has to be said."""


def of_headline(
    library: Library, view: View, told: Deciding, figures: Mapping[str, str] | None = None
) -> Known:
    """What the headline of a complete View has to begin with; NOTHING where its `lead` would be empty.

    `told` is how many points of the story say whether they keep the limits, which come first; a limit on a cost is
    not counted over all that is selected, where prices differ. `figures` are the DuckDB expressions of what is
    compared, by name inside a sentence.
    """
    own = story.own_choice(view)
    if not own.values("model") and view.values("model"):
        own = own.with_where(model=view.values("model"))
    ranking, figures = evidence.read(own), figures or {}
    asked = tuple(one for one in evidence.read(view).limits if one.metric.key not in PRICED)
    columns = {one.metric.key: f'"{one.metric.key}"' for one in asked if library.has(one.metric.key)}
    every = " AND ".join(f"{columns.get(one.metric.key, 'NULL')} IS NOT NULL" for one in asked) or "TRUE"
    judged = f"({limits.kept_sql(library, asked)}) IS NOT NULL"
    counted_too = (judged, every, *(f"({one}) IS NOT NULL" for one in figures.values()))
    sought = ", ".join(f"count(*) FILTER ({sql})" for sql in counted_too)
    condition = evidence.ranked(library, ranking.unlimited)
    of, judging, stating, *having = library.fetch(
        f"SELECT count(*), {sought} FROM points WHERE {condition.sql}", condition.params
    )[0]
    found = []
    if asked:
        is_stated = judging == stating or len({one.metric.key for one in asked}) == 1
        words = f"state {told.metrics}" if is_stated else "can be judged by these limits"
        one = f"states {told.metrics}" if is_stated else words
        found = [Known(judging, of, words, one), Known(told.points, told.of, words, one)]
    lacking = [Known(points, of, f"state {name}", f"states {name}", FEW)
               for points, name in zip(having, figures, strict=True)]  # fmt: skip
    return next((one for one in (*found, *sorted(lacking, key=lambda one: one.share)) if one.told), NOTHING)
