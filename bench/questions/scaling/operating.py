"""Where the counts of a line are compared: at equal interactivity, at equal load, or each at its best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bench.maths import pareto, scaling
from bench.questions.scaling.lines import LOADS, PUSHED_ALIKE

INTERACTIVITY, BEST = "interactivity", "best"
WAYS = (INTERACTIVITY, *LOADS, BEST)
"""The fairest first: what a user sees held equal, then the load, then nothing."""

FEWEST_COUNTS = 2
FAIR_SHARE = 0.5
"""A fairer comparison is taken when it covers at least this share of what the best loads cover."""

WIDEST_BRACKET = 4.0
"""No efficiency is told from a count interpolated between loads further apart than this.

Leaving measured points out of the frontiers that ship and interpolating across the gap misses by 8 % in the middle
where the loads are 4 times apart, by 15 % where they are 8 times and by 32 % where they are 16 times.
"""


@dataclass(frozen=True)
class Place:
    """One count of chips where it is compared: its throughput, and the measured point or the two it lies between.

    `between` are those two, the lower load first; None where it is measured.
    """

    accelerators: int
    throughput: float
    row: dict[str, Any]
    between: tuple[dict[str, Any], dict[str, Any]] | None = None

    @property
    def interpolated(self) -> bool:
        """Whether it lies between two measured points."""
        return self.between is not None

    @property
    def point_ids(self) -> tuple[str, ...]:
        """The measured point or the two it lies between."""
        return tuple(row["point_id"] for row in self.between or (self.row,))

    @property
    def is_judged(self) -> bool:
        """Whether an efficiency may be told from it: it is measured, or lies between near loads."""
        return self.between is None or is_near(*self.between)


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

    So is a count whose best is not known: see `has_known_best` and `swept_as_far`.
    """
    counts = counts_of(points)
    if way == INTERACTIVITY:
        met = (_at_interactivity(chips, own, level, seen) for chips, own in counts.items())
        return [place for place in met if place is not None]
    if way != BEST:
        at_level = {chips: [row for row in own if row[way] == level] for chips, own in counts.items()}
        return [_best(chips, own) for chips, own in at_level.items() if own and level is not None]
    every = swept_as_far(counts)
    return [_best(chips, own) for chips, own in counts.items() if every or has_known_best(own)]


def coverage(lines: Sequence[Sequence[dict[str, Any]]], way: str, level: float | None,
             seen: str | None) -> int:  # fmt: skip
    """How many counts of chips can be judged there, on lines that have at least two."""
    sizes = [sum(place.is_judged for place in places(points, way, level, seen)) for points in lines]
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
    """The fairest way to compare that still covers at least half of the counts.

    Where no way judges two counts it is the fairest that sets two side by side.
    """
    most = coverage(lines, BEST, None, seen)
    for way in WAYS[:-1]:
        level = level_of(lines, way, seen)
        covered = 0 if level is None else coverage(lines, way, level, seen)
        if covered >= FEWEST_COUNTS and covered >= FAIR_SHARE * most:
            return way
    return BEST if most else next(iter(supported(lines, seen)), BEST)


def supported(lines: Sequence[Sequence[dict[str, Any]]], seen: str | None) -> list[str]:
    """The ways that compare at least two counts, fairest first."""
    found = []
    for way in WAYS:
        level = level_of(lines, way, seen)
        if (level is not None or way == BEST) and any(
            len(places(points, way, level, seen)) >= FEWEST_COUNTS for points in lines
        ):
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


def load(row: Mapping[str, Any]) -> float | None:
    """The load of a point in its own kind, None where none is stated."""
    return next((float(row[name]) for name in LOADS if row[name] is not None), None)


def has_known_best(own: Sequence[dict[str, Any]]) -> bool:
    """Whether a count's best load is known: a higher one in the same layout gave less, or none is stated at all.

    A throughput that still rises at the highest measured load says only how far the sweep went.
    """
    best = max(own, key=lambda row: float(row["value"]))
    top = load(best)
    if top is None:
        return all(load(row) is None for row in own)
    return any(row["layout"] == best["layout"] and (load(row) or 0) > top for row in own)


def swept_as_far(counts: Mapping[int, Sequence[dict[str, Any]]]) -> bool:
    """Whether all counts were swept up to about the same load per chip, so that their highest can be compared."""
    loads = {chips: {one for row in own if (one := load(row)) is not None} for chips, own in counts.items()}
    far = [max(found) / chips for chips, found in loads.items() if len(found) > 1]
    return bool(far) and len(far) == len(counts) and max(far) <= PUSHED_ALIKE * min(far)


def is_near(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two points' loads are near enough to judge what lies between; unstated loads are not."""
    low, high = load(one), load(other)
    if low is None or high is None or min(low, high) <= 0:
        return False
    return max(low, high) <= WIDEST_BRACKET * min(low, high)


def _best(chips: int, own: Sequence[dict[str, Any]]) -> Place:
    return _measured(chips, max(own, key=lambda row: float(row["value"])))


def _measured(chips: int, row: dict[str, Any]) -> Place:
    return Place(chips, float(row["value"]), row)


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
    pair = next(pair for pair in pairwise(line) if pair[0][seen] < level < pair[1][seen])
    nearest = min(pair, key=lambda row: abs(math.log(row[seen] / level)))
    low, high = sorted(pair, key=lambda row: load(row) or 0.0)
    return Place(chips, value, nearest, (low, high))


def _shared_interactivity(lines: Sequence[Sequence[dict[str, Any]]], seen: str) -> float | None:
    """The middle of the widest stretch where most counts are judged; where none are, where most are interpolated."""
    for near in (True, False):
        spans = [[stretches for stretches in _spans(points, seen, near) if stretches] for points in lines]
        found = _middle(spans)
        if found is not None:
            return found
    return None


Stretches = list[tuple[float, float]]


def _middle(spans: Sequence[Sequence[Stretches]]) -> float | None:
    """The middle of the widest stretch that most counts share; an end of it where only that is shared."""
    ends = sorted({end for line in spans for count in line for stretch in count for end in stretch})
    between = [math.sqrt(low * high) for low, high in pairwise(ends)]

    def covered(x: float) -> int:
        sizes = [sum(any(low <= x <= high for low, high in count) for count in line) for line in spans]
        return sum(size for size in sizes if size >= FEWEST_COUNTS)

    most = max(map(covered, (*ends, *between)), default=0)
    if most == 0:
        return None
    shared = [(low, high) for low, high in pairwise(ends) if covered(math.sqrt(low * high)) == most]
    if not shared:
        return next(end for end in ends if covered(end) == most)
    low, high = max(shared, key=lambda one: one[1] / one[0])
    middle = math.sqrt(low * high)
    rounded = (float(f"{middle:.{digits}g}") for digits in (2, 3, 4))
    return next((one for one in rounded if low <= one <= high), middle)


def _spans(points: Sequence[dict[str, Any]], seen: str, near: bool) -> Iterator[Stretches]:
    """For each count the stretches of interactivity that its frontier covers; only between near loads, if asked."""
    for own in counts_of(points).values():
        line = [row for row in frontier(own, seen) if row[seen] > 0]
        yield [(float(row[seen]), float(row[seen])) for row in line] + [
            (float(one[seen]), float(other[seen]))
            for one, other in pairwise(line)
            if not near or is_near(one, other)
        ]
