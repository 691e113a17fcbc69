"""Where the names of a chart's lines go: beside their ends, where they cover nothing; without room they stay away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.chart import Theme
from bench.chart.shades import ink
from bench.chart.texts import PlotPlace, between_widths, from_width

PLOTS = ((1060, 400), (450, 300))
"""About the width and height of the plot in pixels on a wide page and on one 800 px wide: names fit on both."""

LETTER, SMALL, OTHER = 7.1, 6.3, {**dict.fromkeys(" ,.'()", 3.0), "%": 9.5}
"""About the width of a label's capital or digit, of a small letter and of what else there is, in pixels."""

LINE, MARKER, STROKE = 17, 5, 1
"""About the height of a label's line, half a marker and half a line, in pixels."""

SAMPLES = 24

GAP, FARTHEST, PARTS = 13, 2, 4
"""A label begins so many pixels beside its line's end, and moves at most so many lines up or down, by such parts."""

NEAR = 6
"""Words beside a place move at most so many half lines up or down."""

APART = "\u2003"
"""That gap as text: plotly has no other for the text of a point."""

LONGEST, SHORT = 28, 18
"""A name has at most so many letters, and so many on a page 800 px wide where room is kept for names beside lines."""

NEARNESS, LEFT_OUT, WIDTH = 0.75, 1e4, 600
"""A line away from its end weighs so much of a point that is covered, a label left out more than all; so many choices
are looked at side by side."""

Boxes = NDArray[np.float64]
"""Rectangles in pixels: for each one and each of the plots its left, right, lower and upper edge."""


@dataclass(frozen=True)
class Pages:
    """Pages from `start` px wide on and below `end` px that keep room for names; how wide their plots are."""

    across: tuple[int, ...]
    start: int
    end: int | None = None

    def plots(self, height: int) -> list[tuple[int, int]]:
        """Their plots, so high."""
        return [(across, height) for across in self.across]

    def room(self, names: Sequence[str]) -> float:
        """The share of a plot that the longest of these names takes beside a line."""
        longest = max(map(width, names), default=0.0)
        return (longest + 2 * GAP) / min(self.across) if longest else 0.0

    def shown(self, text: str) -> str:
        """A text in plotly's pseudo-HTML that the browser shows on these pages alone."""
        return from_width(text, self.start) if self.end is None else between_widths(text, self.start, self.end)


WIDE, NARROW = Pages((1060, 730), 1100), Pages((463,), 700, 1100)
EVERY_WIDTH = (Pages((1020,), 1400), Pages((730,), 1100, 1400), NARROW)
"""Pages that have names of their own each, the broadest first."""


@dataclass(frozen=True)
class Label:
    """Where a name goes: the height of its middle as a share of the axis, and on which side of its line's end."""

    up: float
    is_left: bool = False


def placed(
    ends: Sequence[PlotPlace],
    widths: Sequence[float],
    paths: Sequence[Sequence[PlotPlace]],
    taken: Boxes | None = None,
    *,
    up_first: bool = True,
    plots: Sequence[tuple[int, int]] = PLOTS,
    farthest: Sequence[int] = (),
) -> list[Label | None]:
    """Where each label goes; None for one that has no room within `farthest` lines.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers another or a `taken` box and never leaves
    the plot. As many as can be are placed, so that together they cover few points and stairs and are near their ends,
    right of them where they can. Of two labels that may move FARTHEST lines and stand one above the other, or whose
    ends do, the upper one is that of the upper end.
    """
    if not ends:
        return []
    sizes = np.array(plots, dtype=float)
    drawn = _obstacles(paths, sizes, up_first=up_first)
    order = sorted(range(len(ends)), key=lambda own: -ends[own][1])
    reach = [farthest[own] if farthest else FARTHEST for own in order]
    ways = _ways([ends[own] for own in order], [widths[own] for own in order], plots)
    cost = _touching(ways.boxes, drawn) + NEARNESS * ways.far * (1 + ways.far / FARTHEST) + 1.5 * ways.is_left
    fits = (ways.far <= np.array(reach)[ways.own]) & ~_outside(ways.boxes, sizes)
    fits &= _touching(ways.boxes, np.empty((0, len(plots), 4)) if taken is None else taken) == 0
    cost = np.where(fits, cost, np.inf)
    least = _cheapest(cost.reshape(len(ends), -1), _together(ways, np.array(reach), sizes))
    labels = {order[own]: Label(float(ways.ups[way]), bool(ways.is_left[way])) for own, way in least.items()}
    return [labels.get(own) for own in range(len(ends))]


@dataclass(frozen=True)
class LabelPlaces:
    """Every place that each label may have, those of one label together: of which label, its box and its middle.

    `far` is how many lines it is from its end, and `ends` where that is, in shares of the axes.
    """

    own: NDArray[np.intp]
    boxes: Boxes
    ups: NDArray[np.float64]
    far: NDArray[np.float64]
    is_left: NDArray[np.bool_]
    ends: NDArray[np.float64]


def _ways(ends: Sequence[PlotPlace], widths: Sequence[float], plots: Sequence[tuple[int, int]]) -> LabelPlaces:
    """The places of labels whose ends go from the uppermost down."""
    step = LINE / min(height for _, height in plots)
    steps = np.arange(-FARTHEST * PARTS, FARTHEST * PARTS + 1) / PARTS
    both = np.tile(steps, 2)
    of_each = [
        np.concatenate(
            [boxes(end, GAP, GAP + width, steps * step, plots), boxes(end, -GAP - width, -GAP, steps * step, plots)]
        )
        for end, width in zip(ends, widths, strict=True)
    ]
    own = np.repeat(np.arange(len(ends)), len(both))
    where = np.array(ends, dtype=float)[own]
    lifts = np.tile(both, len(ends))
    is_left = np.tile(np.repeat([False, True], len(steps)), len(ends))
    return LabelPlaces(own, np.concatenate(of_each), where[:, 1] + lifts * step, abs(lifts), is_left, where)


def _together(ways: LabelPlaces, reach: NDArray[np.intp], sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which two places can be had together: neither covers the other, and they stand in the order of their ends."""
    meeting = _meeting(ways.boxes, ways.boxes).any(axis=2)
    apart = abs(ways.ends[:, None, 0] - ways.ends[None, :, 0]) * sizes[:, 0].min() > 2 * GAP
    apart &= ~_over_each_other(ways.boxes[:, None], ways.boxes[None])
    # Labels go from the uppermost end down: a later one may not stand higher.
    is_later = ways.own[:, None] < ways.own[None]
    rises = np.where(is_later, 1, -1) * (ways.ups[None] - ways.ups[:, None]) > 1e-9
    is_end = (reach == FARTHEST)[ways.own]
    return np.asarray(~meeting & ~(rises & ~apart & is_end[:, None] & is_end[None]))


def _cheapest(cost: NDArray[np.float64], together: NDArray[np.bool_]) -> dict[int, int]:
    """The way of each label in the cheapest choice of ways that can be had together, of WIDTH kept after each label."""
    many = cost.shape[1]
    worth, free = np.zeros(1), np.ones((1, cost.size), dtype=bool)
    chosen = np.empty((1, 0), dtype=np.intp)
    for own, of_own in enumerate(cost):
        here = slice(own * many, (own + 1) * many)
        costs = np.where(free[:, here], of_own, np.inf) + worth[:, None]
        costs = np.concatenate([costs, worth[:, None] + LEFT_OUT], axis=1)
        best = np.argpartition(costs, min(WIDTH, costs.size) - 1, axis=None)[:WIDTH]
        best = best[np.lexsort((best, costs.flat[best]))]
        best = best[np.isfinite(costs.flat[best])]
        before, way = np.divmod(best, many + 1)
        worth, is_out = costs.flat[best], way == many
        taken = np.where(is_out, -1, own * many + way)
        free = free[before] & np.where(is_out[:, None], True, together[np.where(is_out, 0, taken)])
        chosen = np.concatenate([chosen[before], taken[:, None]], axis=1)
    return {own: int(way) for own, way in enumerate(chosen[0]) if way >= 0}


def boxes(
    place: PlotPlace, left: float, right: float, lifts: ArrayLike, plots: Sequence[tuple[int, int]] = PLOTS
) -> Boxes:
    """The boxes of a line of text beside a place, its middle lifted by so large shares of the axis."""
    across, up = (np.array(place) * np.array(plots, dtype=float)).T
    middle = up + np.asarray(lifts, dtype=float)[:, None] * np.array(plots, dtype=float)[:, 1]
    sides = np.broadcast_to(across, middle.shape)
    return np.stack([sides + left, sides + right, middle - LINE / 2, middle + LINE / 2], axis=-1)


@dataclass(frozen=True)
class LabelAnchor:
    """Where words beside a place go: their nearest edge or middle, that many pixels from it, and their box."""

    anchor: Literal["left", "center", "right"]
    across: float
    up: float
    box: Boxes


def freest(
    place: PlotPlace,
    width: float,
    clear: float,
    paths: Sequence[Sequence[PlotPlace]],
    *,
    up_first: bool = True,
    plots: Sequence[tuple[int, int]] = PLOTS,
) -> LabelAnchor:
    """Where words, `clear` pixels from a place, cover least of these staircases; near it and right of it first."""
    sizes = np.array(plots, dtype=float)
    drawn = _obstacles(paths, sizes, up_first=up_first)
    costs: list[tuple[float, LabelAnchor]] = []
    for lift in np.arange(NEAR, -NEAR - 1, -1) * LINE / 2:
        sides = [
            (0.0, LabelAnchor("left", clear, lift, np.empty(0))),
            (1.0, LabelAnchor("right", -clear, lift, np.empty(0))),
        ]
        if abs(lift) >= clear + LINE / 2:
            sides.append((0.5, LabelAnchor("center", 0.0, lift, np.empty(0))))
        for far, one in sides:
            left = one.across - {"left": 0.0, "center": 0.5, "right": 1.0}[one.anchor] * width
            box = np.add(boxes(place, left, left + width, [0.0], plots), [0, 0, lift, lift])
            cost = _touching(box, drawn)[0] + 1e3 * _outside(box, sizes)[0] + (far + abs(lift) / LINE) / 4
            costs.append((float(cost), replace(one, box=box)))
    return min(costs, key=lambda one: one[0])[1]


def along(path: Sequence[PlotPlace]) -> list[list[PlotPlace]]:
    """The points of a line and some of those between them, each a path that labels keep off."""
    points = list(path[:1])
    for (left, low), (right, high) in pairwise(path):
        shares = np.linspace(0, 1, SAMPLES)[1:].tolist()
        points += [(left + (right - left) * share, low + (high - low) * share) for share in shares]
    return [[one] for one in points]


def width(text: str) -> float:
    """About how wide a label is, in pixels."""
    return sum(OTHER.get(one, SMALL if one.islower() else LETTER) for one in text)


def text(name: str, *, is_left: bool) -> str:
    """A name as the text of a point, a gap away from it."""
    return f"{name}{APART}" if is_left else f"{APART}{name}"


def shortened(name: str) -> str:
    """A name that is not too long to stand beside a line."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def font(colour: str, theme: Theme, size: float = 12.5) -> dict[str, Any]:
    """plotly's font of a line's name: in its colour as far as that can be read, haloed so that it reads over lines."""
    halo = ", ".join([f"0 0 3px {theme.background}"] * 3)
    return {"color": ink(colour, theme), "size": size, "shadow": halo}


def lasting(named: dict[str, Any]) -> dict[str, Any]:
    """A trace whose text in this font stays as it is when a point of another trace is chosen, which plotly dims."""
    return {"textfont": named, "unselected": {"textfont": {"color": named["color"]}}}


def _outside(own: Boxes, sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    left, right, low, high = np.moveaxis(own, -1, 0)
    width, height = sizes.T
    return np.asarray(((left < 0) | (right > width) | (low < 0) | (high > height)).any(axis=1))


def _over_each_other(some: Boxes, other: Boxes) -> NDArray[np.bool_]:
    """Which boxes stand above or below another on any of the plots."""
    return np.asarray(((some[..., 0] < other[..., 1]) & (other[..., 0] < some[..., 1])).any(axis=-1))


def _obstacles(paths: Sequence[Sequence[PlotPlace]], sizes: NDArray[np.float64], *, up_first: bool) -> Boxes:
    """The boxes of the points and stairs of all paths."""
    corners = []
    for path in paths:
        corners += [(one, one) for one in path]
        for one, following in pairwise(path):
            turn = (one[0], following[1]) if up_first else (following[0], one[1])
            corners += [(one, turn), (turn, following)]
    ends = np.asarray(corners, dtype=float).reshape(-1, 2, 1, 2) * sizes
    half = np.where((ends[:, 0] == ends[:, 1]).all(axis=2), MARKER, STROKE)
    low, high = ends.min(axis=1), ends.max(axis=1)
    return np.stack([low[..., 0] - half, high[..., 0] + half, low[..., 1] - half, high[..., 1] + half], axis=-1)


def _touching(boxes: Boxes, others: Boxes) -> NDArray[np.intp]:
    """How many of the others each box shares a pixel with on any of the plots."""
    return np.asarray(_meeting(boxes, others).any(axis=2).sum(axis=1))


def _meeting(boxes: Boxes, others: Boxes) -> NDArray[np.bool_]:
    """Which of the others each box shares a pixel with, on each of the plots."""
    (left, right, low, high), (west, east, south, north) = (
        np.moveaxis(some, -1, 0) for some in (boxes[:, None], others[None])
    )
    return np.asarray((left < east) & (west < right) & (low < north) & (south < high))
