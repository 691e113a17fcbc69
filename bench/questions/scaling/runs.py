"""Which run of a line counts: software changes over months, so counts are compared within one run or one version."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.questions.scaling import operating
from bench.questions.scaling.lines import RUN_DAYS

Day = datetime.date | None
Points = tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Kept:
    """The points of a line that are compared: at every count of one run.

    `left_out` are the points of other runs, `elsewhere` the counts that only other runs have. `apart` is the newest
    date of each count where the counts are of different runs and no engine version says that they are alike; else it
    is empty.
    """

    points: Points
    left_out: int
    elsewhere: tuple[int, ...]
    apart: tuple[tuple[int, Day], ...]


def of_one_run(points: Points, seen: str | None) -> Kept:
    """The run that compares the most counts, the newest of equals.

    A count it lacks is taken from its own newest run where all points state the same engine version, and also where no
    run has two counts; then `apart` says so. Undated points are one run, older than any other.
    """
    runs = _runs(points)
    if len(runs) < 2:
        return Kept(points, 0, (), ())
    best = max(runs, key=lambda run: (compared(run, seen), _counts(run), -runs.index(run)))
    counts = sorted({int(row["accelerators"]) for row in points})
    held = {int(row["accelerators"]) for row in best}
    versioned = points[0]["engine_version"] is not None
    own = {
        chips: best if chips in held else next(run for run in runs if _has(run, chips))
        for chips in counts
        if chips in held or versioned or len(held) < operating.FEWEST_COUNTS
    }
    kept = tuple(row for chips, run in own.items() for row in run if int(row["accelerators"]) == chips)
    mixed = not versioned and len({id(run) for run in own.values()}) > 1
    days = [(chips, max(filter(None, map(_day, run)), default=None)) for chips, run in own.items()]
    elsewhere = tuple(chips for chips in counts if chips not in own)
    return Kept(kept, len(points) - len(kept), elsewhere, tuple(days) if mixed else ())


def _runs(points: Points) -> list[Points]:
    """The runs, newest first: each begins with the newest point that is left and reaches back RUN_DAYS."""
    runs: list[list[dict[str, Any]]] = []
    oldest: Day = None
    for row in sorted(points, key=lambda row: _day(row) or datetime.date.min, reverse=True):
        day = _day(row)
        if not runs or (oldest is not None and (day is None or day < oldest)):
            runs.append([])
            oldest = None if day is None else day - datetime.timedelta(days=RUN_DAYS)
        runs[-1].append(row)
    return [tuple(run) for run in runs]


def _day(row: dict[str, Any]) -> Day:
    value = row["date"]
    return value.date() if isinstance(value, datetime.datetime) else value


def compared(run: Points, seen: str | None) -> int:
    """How many counts of a line's points can be judged, in the way that judges most."""
    ways = ((way, operating.level_of([run], way, seen)) for way in operating.WAYS)
    return max(operating.coverage([run], way, level, seen) for way, level in ways)


def _counts(run: Sequence[dict[str, Any]]) -> int:
    return len({row["accelerators"] for row in run})


def _has(run: Points, chips: int) -> bool:
    return any(int(row["accelerators"]) == chips for row in run)
