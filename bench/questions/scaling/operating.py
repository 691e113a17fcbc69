"""Where the counts of a line are compared: at equal interactivity, at equal load, or each at its best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import get_args

from bench.maths import interpolation, pareto
from bench.questions.scaling.result import ChipCount, ScalingPoint, Way

INTERACTIVITY: Way = "interactivity"
BEST: Way = "best"
WAYS: tuple[Way, ...] = get_args(Way)
"""The fairest first: what a user sees held equal, then the load, then nothing."""

INTERACTIVE = "interactivity_tokens_per_s_per_user"
FEWEST_COUNTS = 2
FAIR_SHARE = 0.5
"""A fairer comparison is taken when it covers at least this share of what the best loads cover."""

PUSHED_ALIKE = 2.0
"""Counts are swept as far when their highest loads per chip differ by at most this: one doubling, a sweep's step."""

Own = Sequence[ScalingPoint]
"""The points of one line, or of one of its counts."""


def usual(points: Iterable[ScalingPoint], base: str) -> str | None:
    """The key of a latency at the statistic most of these points have; None when none has any."""
    filled: dict[str, int] = {}
    for key in (key for one in points for key in one.figures if key.startswith(f"{base}_")):
        filled[key] = filled.get(key, 0) + 1
    return max(filled, key=lambda key: filled[key], default=None)


def counts_of(points: Iterable[ScalingPoint]) -> dict[int, list[ScalingPoint]]:
    """The points of a line by their count of chips, smallest first."""
    found: dict[int, list[ScalingPoint]] = {}
    for one in points:
        found.setdefault(one.chips, []).append(one)
    return dict(sorted(found.items()))


def places(points: Own, way: Way, level: float | None, seen: str | None) -> list[ChipCount]:
    """The places of a line's points under a way and its level; a count that was not measured there is absent.

    So is a count whose best is not known: see `has_known_best` and `swept_as_far`.
    """
    counts = {chips: own for chips, own in counts_of(points).items() if any(one.kept for one in own)}
    if way == INTERACTIVITY:
        met = (_at_interactivity(chips, own, level, seen) for chips, own in counts.items())
        return [place for place in met if place is not None]
    if way != BEST:
        there = {chips: [one for one in own if one.load_of(way) == level] for chips, own in counts.items()}
        kept = ((chips, [one for one in own if one.kept]) for chips, own in there.items())
        return [_best(chips, own) for chips, own in kept if own and level is not None]
    every, known = swept_as_far(counts), {chips: has_known_best(own) for chips, own in counts.items()}
    return [_best(chips, own, peaked=known[chips]) for chips, own in counts.items() if every or known[chips]]


def coverage(lines: Sequence[Own], way: Way, level: float | None, seen: str | None) -> int:
    """How many counts of chips can be judged there, on lines that have at least two."""
    sizes = [sum(place.is_near for place in places(points, way, level, seen)) for points in lines]
    return sum(size for size in sizes if size >= FEWEST_COUNTS)


def level_of(lines: Sequence[Own], way: Way, seen: str | None) -> float | None:
    """The level that most counts share; of equals the highest load, or the middle of the widest interactivity."""
    if way == BEST:
        return None
    if way == INTERACTIVITY:
        return _shared_interactivity(lines, seen) if seen else None
    levels = sorted({level for points in lines for one in points if (level := one.load_of(way)) is not None})
    return max(levels, key=lambda one: (coverage(lines, way, one, seen), one), default=None)


def fairest(lines: Sequence[Own], seen: str | None) -> Way:
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


def supported(lines: Sequence[Own], seen: str | None) -> list[Way]:
    """The ways that compare at least two counts, fairest first."""
    levels = {way: level_of(lines, way, seen) for way in WAYS}
    return [
        way
        for way, level in levels.items()
        if (level is not None or way == BEST)
        and any(len(places(points, way, level, seen)) >= FEWEST_COUNTS for points in lines)
    ]


def compared(points: Own) -> int:
    """How many counts of a line's points can be judged, in the way that judges most."""
    seen = usual(points, INTERACTIVE)
    return max(coverage([points], way, level_of([points], way, seen), seen) for way in WAYS)


def frontier(own: Own, seen: str) -> list[ScalingPoint]:
    """The points that no other beats in interactivity and throughput."""
    stated = [one for one in own if one.kept and math.isfinite(one.figures.get(seen, math.nan))]
    if not stated:
        return []
    xs, ys = [one.figures[seen] for one in stated], [one.value for one in stated]
    kept = pareto.frontier(xs, ys, "higher", "higher", [one.facts.point_id for one in stated])
    return sorted((stated[place] for place in kept), key=lambda one: one.figures[seen])


def has_known_best(own: Own) -> bool:
    """Whether a count's best load is known: a higher one in the same layout gave less, or none is stated at all.

    A throughput that still rises at the highest measured load says only how far the sweep went. A higher load that
    breaks the reader's limits ends it as well.
    """
    best = max((one for one in own if one.kept), key=lambda one: one.value)
    top = best.load
    if top is None:
        return all(one.load is None for one in own)
    return any(one.layout == best.layout and (one.load or 0) > top for one in own)


def swept_as_far(counts: Mapping[int, Own]) -> bool:
    """Whether all counts were swept up to about the same load per chip, so that their highest can be compared."""
    loads = {chips: {one.load for one in own if one.load is not None} for chips, own in counts.items()}
    far = [max(found) / chips for chips, found in loads.items() if len(found) > 1]
    return bool(far) and len(far) == len(counts) and max(far) <= PUSHED_ALIKE * min(far)


def _best(chips: int, own: Own, *, peaked: bool = True) -> ChipCount:
    best = max((one for one in own if one.kept), key=lambda one: one.value)
    return ChipCount(chips, best.value, best, peaked=peaked)


def _at_interactivity(chips: int, own: Own, level: float | None, seen: str | None) -> ChipCount | None:
    if level is None or seen is None:
        return None
    line = frontier(own, seen)
    value = interpolation.at([one.figures[seen] for one in line], [one.value for one in line], level)
    if value is None:
        return None
    exact = next((one for one in line if one.figures[seen] == level), None)
    if exact is not None:
        return ChipCount(chips, exact.value, exact)
    low, high = next(pair for pair in pairwise(line) if pair[0].figures[seen] < level < pair[1].figures[seen])
    nearest = min((low, high), key=lambda one: abs(math.log(one.figures[seen] / level)))
    low, high = sorted((low, high), key=lambda one: one.load or 0.0)
    return ChipCount(chips, value, nearest, (low, high))


def _shared_interactivity(lines: Sequence[Own], seen: str) -> float | None:
    """The middle of the widest stretch where most counts are judged; where none are, where most are interpolated."""
    found = (_middle([list(_spans(points, seen, near)) for points in lines]) for near in (True, False))
    return next((one for one in found if one is not None), None)


ReachedLoads = list[tuple[float, float]]


def _middle(spans: Sequence[Sequence[ReachedLoads]]) -> float | None:
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


def _spans(points: Own, seen: str, near: bool) -> Iterator[ReachedLoads]:
    """For each count the stretches of interactivity that its frontier covers; only between near loads, if asked."""
    for chips, own in counts_of(points).items():
        line = [one for one in frontier(own, seen) if one.figures[seen] > 0]
        yield [(one.figures[seen], one.figures[seen]) for one in line] + [
            (one.figures[seen], other.figures[seen])
            for one, other in pairwise(line)
            if not near or ChipCount(chips, one.value, one, (one, other)).is_near
        ]
