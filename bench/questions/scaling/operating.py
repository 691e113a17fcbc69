"""Where the counts of a line are compared: at equal interactivity, at equal load, or each at its best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from bench.maths import pareto, scaling
from bench.questions.scaling.lines import LOADS

INTERACTIVITY, BEST = "interactivity", "best"
WAYS = (INTERACTIVITY, *LOADS, BEST)
"""The fairest first: what a user sees held equal, then the load, then nothing."""

FEWEST_COUNTS = 2
FAIR_SHARE = 0.5
"""A fairer comparison is taken when it covers at least this share of what the best loads cover."""

_STEM = "interactivity_tokens_per_s_per_user_"


@dataclass(frozen=True)
class Place:
    """One count of chips where it is compared: its throughput, and the measured point or the two it lies between."""

    accelerators: int
    throughput: float
    interpolated: bool
    point_ids: tuple[str, ...]
    row: dict[str, Any]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as mappings, None where nothing is stated."""
    found = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]


def usual(points: Sequence[dict[str, Any]], base: str) -> str | None:
    """The key of a latency at the statistic most of these points have; None when none has any."""
    keys = [key for key in (points[0] if points else {}) if key.startswith(f"{base}_")]
    filled = {key: sum(row[key] is not None for row in points) for key in keys}
    best = max(keys, key=lambda key: filled[key], default=None)
    return best if best is not None and filled[best] else None


def counts_of(points: Iterable[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """The points of a line by their count of chips, smallest first; of repeats of one load the middle one."""
    found: dict[int, list[dict[str, Any]]] = {}
    repeats: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in points:
        if row["repeat"] is None:
            found.setdefault(int(row["accelerators"]), []).append(row)
        else:
            key = tuple(row[name] for name in ("accelerators", "layout", "isl", "osl", *LOADS))
            repeats.setdefault(key, []).append(row)
    for same in repeats.values():
        middle = sorted(same, key=lambda row: row["value"])[(len(same) - 1) // 2]
        found.setdefault(int(middle["accelerators"]), []).append(middle)
    return dict(sorted(found.items()))


def places(points: Sequence[dict[str, Any]], way: str, level: float | None, seen: str | None) -> list[Place]:
    """The places of a line's points under a way and its level; a count that was not measured there is absent.

    Where best loads differ, a count that was measured at one load alone is absent too.
    """
    counts = counts_of(points)
    if way == INTERACTIVITY:
        met = (_at_interactivity(chips, own, level, seen) for chips, own in counts.items())
        return [place for place in met if place is not None]
    if way != BEST:
        at_level = {chips: [row for row in own if row[way] == level] for chips, own in counts.items()}
        return [_best(chips, own) for chips, own in at_level.items() if own and level is not None]
    best = [_best(chips, own) for chips, own in counts.items()]
    if len({_load(place.row) for place in best}) == 1:
        return best
    return [place for place in best if _is_swept(counts[place.accelerators])]


def coverage(lines: Sequence[Sequence[dict[str, Any]]], way: str, level: float | None,
             seen: str | None) -> int:  # fmt: skip
    """How many counts of chips can be compared there, on lines that have at least two."""
    sizes = [len(places(points, way, level, seen)) for points in lines]
    return sum(size for size in sizes if size >= FEWEST_COUNTS)


def level_of(lines: Sequence[Sequence[dict[str, Any]]], way: str, seen: str | None) -> float | None:
    """The level that most counts share; of equals the highest load, or the middle of the widest interactivity."""
    if way == BEST:
        return None
    if way == INTERACTIVITY:
        return _shared_interactivity(lines, seen) if seen else None
    levels = sorted({float(row[way]) for points in lines for row in points if row[way] is not None})
    return max(levels, key=lambda one: (coverage(lines, way, one, seen), one), default=None)


def fairest(lines: Sequence[Sequence[dict[str, Any]]], seen: str | None) -> str:
    """The fairest way to compare that still covers at least half of the counts."""
    most = coverage(lines, BEST, None, seen)
    for way in WAYS[:-1]:
        level = level_of(lines, way, seen)
        covered = 0 if level is None else coverage(lines, way, level, seen)
        if covered >= FEWEST_COUNTS and covered >= FAIR_SHARE * most:
            return way
    return BEST


def supported(lines: Sequence[Sequence[dict[str, Any]]], seen: str | None) -> list[str]:
    """The ways that compare at least two counts, fairest first."""
    found = []
    for way in WAYS:
        level = level_of(lines, way, seen)
        if way == BEST or (level is not None and coverage(lines, way, level, seen) >= FEWEST_COUNTS):
            found.append(way)
    return found


def frontier(own: Sequence[dict[str, Any]], seen: str) -> list[dict[str, Any]]:
    """The points that no other beats in interactivity and throughput."""
    stated = [row for row in own if row[seen] is not None and math.isfinite(row[seen])]
    if not stated:
        return []
    xs, ys = [row[seen] for row in stated], [row["value"] for row in stated]
    kept = pareto.frontier(xs, ys, "higher", "higher", [row["point_id"] for row in stated])
    return sorted((stated[place] for place in kept), key=lambda row: float(row[seen]))


def _best(chips: int, own: Sequence[dict[str, Any]]) -> Place:
    return _measured(chips, max(own, key=lambda row: float(row["value"])))


def _load(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in LOADS)


def _is_swept(own: Sequence[dict[str, Any]]) -> bool:
    """Whether a count was measured at several loads, or states none: the best of one load is no best."""
    loads = {_load(row) for row in own}
    return len(loads) > 1 or not any(value is not None for value in next(iter(loads)))


def _measured(chips: int, row: dict[str, Any]) -> Place:
    return Place(chips, float(row["value"]), False, (row["point_id"],), row)


def _at_interactivity(chips: int, own: Sequence[dict[str, Any]], level: float | None,
                      seen: str | None) -> Place | None:  # fmt: skip
    if level is None or seen is None:
        return None
    line = frontier(own, seen)
    value = scaling.on_frontier([row[seen] for row in line], [row["value"] for row in line], level)
    if value is None:
        return None
    exact = next((row for row in line if row[seen] == level), None)
    if exact is not None:
        return _measured(chips, exact)
    before, after = next(pair for pair in pairwise(line) if pair[0][seen] < level < pair[1][seen])
    nearest = min((before, after), key=lambda row: abs(math.log(row[seen] / level)))
    return Place(chips, value, True, (before["point_id"], after["point_id"]), nearest)


def _shared_interactivity(lines: Sequence[Sequence[dict[str, Any]]], seen: str) -> float | None:
    spans = [list(_spans(points, seen)) for points in lines]
    ends = sorted({end for line in spans for span in line for end in span})
    if not ends:
        return None
    between = [math.sqrt(low * high) for low, high in pairwise(ends)]

    def covered(x: float) -> int:
        sizes = [sum(low <= x <= high for low, high in line) for line in spans]
        return sum(size for size in sizes if size >= FEWEST_COUNTS)

    most = max(map(covered, (*ends, *between)))
    if most == 0:
        return None
    stretches = [(low, high) for low, high in pairwise(ends) if covered(math.sqrt(low * high)) == most]
    if not stretches:
        return next(end for end in ends if covered(end) == most)
    low, high = max(stretches, key=lambda one: one[1] / one[0])
    middle = math.sqrt(low * high)
    rounded = (float(f"{middle:.{digits}g}") for digits in (2, 3, 4))
    return next((one for one in rounded if low <= one <= high), middle)


def _spans(points: Sequence[dict[str, Any]], seen: str) -> Iterator[tuple[float, float]]:
    for own in counts_of(points).values():
        line = frontier(own, seen)
        if line and line[0][seen] > 0:
            yield float(line[0][seen]), float(line[-1][seen])
