"""How many of the points a reader selected say what an answer rests on; where too few do, its subject says so.

The one rule of every question. Counted are the ranked points that the reader's own filters leave, of the story's model,
whatever precision and workload the story narrows them to; then those of the story itself. Where fewer than DECISIVE of
either say whether they keep the reader's limits, or fewer than FEW of the first state the figure that is compared, the
subject ends with it: "only 2 of 106 points state median TPOT".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.basis import evidence, limits, story
from bench.basis.evidence import DECISIVE, Deciding
from bench.catalogue import PRICED
from bench.library import Library
from bench.view import View
from bench.wording import counted, number

JUDGED = "can be judged by these limits"
FEW = 0.5
"""Where fewer of the selected points state the figure that a page compares, its headline says so."""


@dataclass(frozen=True)
class StatedShare:
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
    def is_few(self) -> bool:
        """Whether fewer than half say it: what they say is no verdict on the others."""
        return 2 * self.points < self.of

    @property
    def values(self) -> dict[str, int]:
        """What of it a headline holds in numbers: how many of how many say it; empty where enough do."""
        return {"stating": self.points, "of": self.of} if self.clause else {}

    @property
    def clause(self) -> str:
        """It as a sentence without its end: "Only 2 of 106 points state median TPOT"; "" where enough say it."""
        if not self.points or self.share >= self.enough:
            return ""
        few = "Only " if self.is_few else ""
        verb = self.it if self.points == 1 else self.they
        return f"{few}{self.points:,} of {counted(self.of, 'point')} {verb}"


NOTHING = StatedShare(0, 0, "", "")
"""Where nothing has to be said."""


def of_headline(
    library: Library, view: View, deciding: Deciding, figures: Mapping[str, str] | None = None
) -> StatedShare:
    """How many of the points of a complete View say what decides, for its subject; NOTHING where enough do.

    `deciding` is how many points of the story say whether they keep the limits, which come first; a limit on a cost is
    not counted over all that is selected, where prices differ. `figures` are the DuckDB expressions of what is
    compared, by name inside a sentence.
    """
    own = story.own_choice(view)
    if not own.values("model") and view.values("model"):
        own = own.with_where(model=view.values("model"))
    figures, every = figures or {}, evidence.read(view).limits
    unpriced = tuple(one for one in every if one.metric.key not in PRICED)
    columns = {one.metric.key: f'"{one.metric.key}"' for one in unpriced if library.has(one.metric.key)}
    stated = " AND ".join(f"{columns.get(one.metric.key, 'NULL')} IS NOT NULL" for one in unpriced) or "TRUE"
    judged = f"({limits.kept_sql(library, unpriced)}) IS NOT NULL"
    sought = (judged, stated, *(f"({one}) IS NOT NULL" for one in figures.values()))
    of, judging, stating, *having = _counts(library, own, sought)
    candidates = []
    if every:
        is_stated = judging == stating or len({one.metric.key for one in every}) == 1
        words = (f"state {deciding.metrics}", f"states {deciding.metrics}") if is_stated else (JUDGED, JUDGED)
        if unpriced:
            candidates.append(StatedShare(judging, of, *words))
        candidates.append(StatedShare(deciding.points, deciding.of, *words))
    lacking = [
        StatedShare(points, of, f"state {name}", f"states {name}", FEW)
        for points, name in zip(having, figures, strict=True)
    ]
    return next((one for one in (*candidates, *sorted(lacking, key=lambda one: one.share)) if one.clause), NOTHING)


def _counts(library: Library, view: View, sought: Sequence[str]) -> list[int]:
    """How many points of a View are ranked, and how many of them meet each of these conditions."""
    condition = evidence.ranked(library, evidence.read(view).unlimited)
    counts = ", ".join(f"count(*) FILTER ({sql})" for sql in sought)
    return list(library.fetch(f"SELECT count(*), {counts} FROM points WHERE {condition.sql}", condition.params)[0])


def narrower(own: View, view: View) -> str:
    """To what a story narrows the reader's own selection, in a headline: "in FP8 at 8,192/1,024"."""
    pins = {key: view.values(key)[0] for key in story.KEYS if view.values(key) and not own.values(key)}
    isl, osl = (number(float(pins[key])) if key in pins else "" for key in ("isl", "osl"))
    parts = [f"in {pins['precision'].upper()}" if "precision" in pins else ""]
    parts.append(
        f"at {isl}/{osl}" if isl and osl else f"with {isl or osl} tokens {'in' if isl else 'out'}" if isl or osl else ""
    )
    return " ".join(filter(None, parts))
