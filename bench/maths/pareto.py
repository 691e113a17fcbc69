"""Which points are worth choosing: dominance, frontier, knee, and who leads where. Numbers in, positions out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.maths.grid import Better

Positions = NDArray[np.intp]

FEWEST_FOR_A_KNEE = 3


@dataclass(frozen=True)
class Stretch:
    """A range of requirements on x in which one owner holds the best y; `weakest` is the easiest one to meet.

    `weakest` is None in the first stretch: every easier requirement is served from there as well. `easiest` is the x
    of the owner's own first point. `margin` is how many times the owner's y is better than that of the next one, where
    it is most so; None where no other meets the requirement.
    """

    owner: str
    weakest: float | None
    easiest: float
    strictest: float
    positions: tuple[int, ...]
    margin: float | None = None

    @property
    def width(self) -> float:
        """How wide the range is, as the logarithm of its ends' ratio; from the first own point where it is open.

        From 20 to 40 tokens/s is as much of a step to who waits as from 100 to 200, however the axis is drawn.
        """
        start = self.easiest if self.weakest is None else self.weakest
        return abs(math.log(self.strictest / start)) if start > 0 and self.strictest > 0 else 0.0


@dataclass(frozen=True)
class Frontiers:
    """The frontiers of points that have owners, as positions from the best x to the best y.

    `lines` is each owner's own, the one with the best y first, and `knees` the knee of those that have one. `overall`
    is that of all points and `leads` are its stretches, whose positions are places on it.
    """

    lines: Mapping[str, tuple[int, ...]]
    knees: Mapping[str, int]
    overall: tuple[int, ...]
    leads: tuple[Stretch, ...]


def sign(better: Better) -> int:
    """1 when more is better, -1 when less is."""
    return 1 if better == "higher" else -1


def frontier(
    x: ArrayLike,
    y: ArrayLike,
    better_x: Better = "higher",
    better_y: Better = "higher",
    ids: Sequence[Any] | None = None,
) -> Positions:
    """The positions of the points that no other point dominates, from the best x to the best y.

    A point dominates another when it is at least as good in both and better in one. Of points equal in both, the
    one with the smallest id (position, when there are no ids) is kept. None, NaN and infinities never enter.
    """
    across, along = _goodness(x, better_x), _goodness(y, better_y)
    usable = np.flatnonzero(np.isfinite(across) & np.isfinite(along))
    if not usable.size:
        return usable
    names = np.arange(across.size) if ids is None else np.asarray(ids)
    order = usable[np.lexsort((names[usable], -along[usable], -across[usable]))]
    best_before = np.concatenate(([-np.inf], np.maximum.accumulate(along[order])[:-1]))
    return order[along[order] > best_before]


def frontiers(
    x: ArrayLike,
    y: ArrayLike,
    owners: Sequence[str],
    ids: Sequence[Any],
    better_x: Better = "higher",
    better_y: Better = "higher",
) -> Frontiers:
    """Each owner's frontier and the overall one, for points as `frontier` takes them."""
    across, along, names = (np.asarray(x, dtype=float), np.asarray(y, dtype=float), np.asarray(ids, dtype=object))
    whose: dict[str, list[int]] = {}
    for position, owner in enumerate(owners):
        whose.setdefault(owner, []).append(position)
    lines = {
        owner: np.array(own)[frontier(across[own], along[own], better_x, better_y, names[own].tolist())]
        for owner, own in whose.items()
    }
    held = (owner for owner, line in lines.items() if line.size)
    ordered = sorted(held, key=lambda owner: (-sign(better_y) * along[lines[owner][-1]], owner))
    knees = {owner: knee(across[lines[owner]], along[lines[owner]], better_x, better_y) for owner in ordered}
    return Frontiers(
        {owner: tuple(lines[owner].tolist()) for owner in ordered},
        {owner: int(lines[owner][at]) for owner, at in knees.items() if at is not None},
        *led(across, along, owners, ids, better_x, better_y),
    )


def led(
    x: ArrayLike,
    y: ArrayLike,
    owners: Sequence[str],
    ids: Sequence[Any],
    better_x: Better = "higher",
    better_y: Better = "higher",
) -> tuple[tuple[int, ...], tuple[Stretch, ...]]:
    """The overall frontier of points that have owners, and who leads where along it."""
    across = np.asarray(x, dtype=float)
    line = frontier(x, y, better_x, better_y, ids)
    ahead = margins(line, x, y, owners, better_x, better_y)
    along_it = stretches(across[line].tolist(), [owners[at] for at in line], better_x, ahead)
    return tuple(line.tolist()), along_it


def knee(x: ArrayLike, y: ArrayLike, better_x: Better = "higher", better_y: Better = "higher") -> int | None:
    """The position of a frontier's knee: its point farthest beyond the straight line between the frontier's ends.

    Distances are taken where both axes run from 0 (worst end) to 1 (best end), on logarithms, since throughput,
    latency and cost are compared as ratios; linear axes would find no knee on any frontier that falls like 1/x.
    None with fewer than three points above zero, and when no point lies beyond the line.

    Source: Satopaa, Albrecht, Irwin, Raghavan, "Finding a 'Kneedle' in a Haystack", ICDCSW 2011, sections II-III
    (greatest distance from the chord of the normalised curve, without its smoothing and online threshold).
    """
    across, along = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = np.flatnonzero((across > 0) & (along > 0) & np.isfinite(across) & np.isfinite(along))
    if usable.size < FEWEST_FOR_A_KNEE:
        return None
    u = _unit(sign(better_x) * np.log(across[usable]))
    v = _unit(sign(better_y) * np.log(along[usable]))
    beyond = u + v - 1
    farthest = int(np.lexsort((-u, -np.round(beyond, 12)))[0])
    return int(usable[farthest]) if beyond[farthest] > 1e-9 else None


def stretches(
    x: Sequence[float], owners: Sequence[str], better_x: Better = "higher", ahead: Sequence[float | None] = ()
) -> tuple[Stretch, ...]:
    """Who holds the best y for which requirement on x, from the easiest requirement to the strictest.

    x and owners are one frontier's, and `ahead` are its margins. A requirement "at least t" (at most, where lower is
    better) is served by the frontier point that meets it with least to spare: on a frontier, that point has the best y.
    """
    direction = sign(better_x)
    order = sorted(range(len(x)), key=lambda position: direction * x[position])
    parts: list[Stretch] = []
    for owner, run in groupby(order, key=lambda position: owners[position]):
        own = tuple(run)
        weakest = parts[-1].strictest if parts else None
        told = [ahead[position] for position in own] if ahead else [None]
        known = [one for one in told if one is not None]
        margin = max(known) if len(known) == len(told) else None
        parts.append(Stretch(owner, weakest, x[own[0]], x[own[-1]], own, margin))
    return tuple(parts)


def margins(
    line: Positions,
    x: ArrayLike,
    y: ArrayLike,
    owners: Sequence[str],
    better_x: Better = "higher",
    better_y: Better = "higher",
) -> list[float | None]:
    """How many times better the y of each position on the `line` is than the best of another owner's at its x.

    At its x is what meets the same requirement on x. None where no other does, or a ratio has no meaning.
    """
    across, along, whose = (_goodness(x, better_x), np.asarray(y, dtype=float), np.asarray(owners, dtype=object))
    each: list[float | None] = []
    for position in line:
        others = along[(across >= across[position]) & (whose != whose[position])]
        higher, own = better_y == "higher", along[position]
        best = (others.max() if higher else others.min()) if others.size else 0.0
        over, under = (own, best) if higher else (best, own)
        each.append(float(over / under) if over > 0 and under > 0 else None)
    return each


def widest(leads: Sequence[Stretch], tie: float) -> Stretch | None:
    """The stretch over the widest range of x, of those that lead by more than a `tie` (0.01) if any does."""
    clear = [lead for lead in leads if lead.margin is None or lead.margin - 1 > tie] or leads
    return max(clear, key=lambda lead: lead.width, default=None)


def log_span(values: Sequence[float]) -> float:
    """How many times the largest positive value is the smallest; 1 when there is nothing to compare."""
    positive = [value for value in values if value > 0 and math.isfinite(value)]
    return max(positive) / min(positive) if positive else 1.0


def _goodness(values: ArrayLike, better: Better) -> NDArray[np.float64]:
    return sign(better) * np.asarray(values, dtype=float)


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    span = values.max() - values.min()
    return (values - values.min()) / span if span else np.zeros_like(values)
