"""Where the names of a chart's lines go: beside their ends, where they cover nothing; without room they stay away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.chart import Theme
from bench.chart.roomy import between_widths, from_width
from bench.chart.shades import ink

PLOTS = ((1060, 400), (450, 300))
"""About the width and height of the plot in pixels on a wide page and on one 800 px wide: names fit on both."""

LETTER, LINE, MARKER, STROKE = 7.2, 17, 5, 1
"""About the width of a label's letter, the height of its line, half a marker and half a line, in pixels."""

SAMPLES = 14

GAP, FARTHEST, PARTS = 13, 4, 4
"""A label begins so many pixels beside its line's end, and moves at most so many lines up or down, by such parts."""

APART = "\u2003"
"""That gap as text: plotly has no other for the text of a point."""

LONGEST, SHORT = 28, 18
"""A name has at most so many letters, and so many on a page 800 px wide where room is kept for names beside lines."""

Place = tuple[float, float]
"""A place on the plot as shares of its axes."""

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
        longest = max(map(len, names), default=0)
        return (longest * LETTER + 2 * GAP) / min(self.across) if longest else 0.0

    def shown(self, text: str) -> str:
        """A text in plotly's pseudo-HTML that the browser shows on these pages alone."""
        return (
            from_width(text, self.start) if self.end is None else between_widths(text, self.start, self.end)
        )


WIDE, NARROW = Pages((1060, 730), 1100), Pages((463,), 700, 1100)


@dataclass(frozen=True)
class Label:
    """Where a name goes: the height of its middle as a share of the axis, and on which side of its line's end."""

    up: float
    is_left: bool = False


def placed(ends: Sequence[Place], widths: Sequence[float], paths: Sequence[Sequence[Place]],
           taken: Boxes | None = None, *, up_first: bool = True,
           plots: Sequence[tuple[int, int]] = PLOTS,
           farthest: Sequence[int] = ()) -> list[Label | None]:  # fmt: skip
    """Where each label goes; None for one that has no room within `farthest` lines.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers another or a `taken` box and never leaves
    the plot; it covers as few points and stairs as can be, stays near its end and right of it where it can. Of two
    labels that may move FARTHEST lines and stand one above the other, or whose ends do, the upper one is that of the
    upper end.
    """
    sizes = np.array(plots, dtype=float)
    full = np.empty((0, len(plots), 4)) if taken is None else taken
    drawn = _obstacles(paths, sizes, up_first=up_first)
    reach = [farthest[own] if farthest else FARTHEST for own in range(len(ends))]
    asked = list(zip(ends, widths, reach, strict=True))
    best: list[Label | None] = [None] * len(ends)
    least = (len(ends) + 1, 0.0)
    for from_above, is_packed in ((True, False), (False, False), (True, True), (False, True)):
        if is_packed and not least[0]:
            break
        found, cost = _tried(asked, drawn, full, plots, from_above=from_above, is_packed=is_packed)
        if (worth := (found.count(None), cost)) < least:
            best, least = found, worth
    return best


Asked = tuple[Place, float, int]
"""A label to be placed: its line's end, its width in pixels, and how many lines it may move up or down."""


def _tried(asked: Sequence[Asked], drawn: Boxes, full: Boxes, plots: Sequence[tuple[int, int]],
           *, from_above: bool, is_packed: bool) -> tuple[list[Label | None], float]:  # fmt: skip
    """The labels placed one after the other from above or below, each near its end or so that most room is left.

    And what they cover and how far they are from their ends, in all.
    """
    sizes = np.array(plots, dtype=float)
    step, side = LINE / sizes[:, 1].min(), -1 if from_above else 1
    ways = range(-FARTHEST * PARTS, FARTHEST * PARTS + 1)
    steps = np.array(sorted(ways, key=lambda one: (abs(one), one > 0))) / PARTS
    far = np.tile(abs(steps), 2) + np.repeat([0.0, 1.5], len(steps))
    found: list[Label | None] = [None] * len(asked)
    named: list[tuple[float, Boxes, float]] = []
    whole = 0.0
    for position in sorted(range(len(asked)), key=lambda position: side * asked[position][0][1]):
        end, width, reach = asked[position]
        own = np.concatenate([
            boxes(end, GAP, GAP + width, steps * step, plots), boxes(end, -GAP - width, -GAP, steps * step, plots)
        ])  # fmt: skip
        ups, is_end = end[1] + np.tile(steps, 2) * step, reach == FARTHEST
        fits = (np.tile(abs(steps), 2) <= reach) & ~_outside(own, sizes) & (_touching(own, full) == 0)
        for across, other, up in named if is_end else ():
            is_apart = abs(end[0] - across) * sizes[:, 0].min() > 2 * GAP
            fits &= (side * (ups - up) >= -1e-9) | (is_apart & ~_over_each_other(own, other))
        if not fits.any():
            continue
        cost = _touching(own, drawn) + 0.75 * far
        best = int(np.argmin(np.where(fits, side * ups / step if is_packed and is_end else cost, np.inf)))
        whole += float(cost[best])
        full = np.concatenate([full, own[best : best + 1]])
        found[position] = Label(float(ups[best]), best >= len(steps))
        named += [(end[0], own[best], ups[best])] if is_end else []
    return found, whole


def boxes(place: Place, left: float, right: float, lifts: ArrayLike,
          plots: Sequence[tuple[int, int]] = PLOTS) -> Boxes:  # fmt: skip
    """The boxes of a line of text beside a place, its middle lifted by so large shares of the axis."""
    across, up = (np.array(place) * np.array(plots, dtype=float)).T
    middle = up + np.asarray(lifts, dtype=float)[:, None] * np.array(plots, dtype=float)[:, 1]
    sides = np.broadcast_to(across, middle.shape)
    return np.stack([sides + left, sides + right, middle - LINE / 2, middle + LINE / 2], axis=-1)


def along(path: Sequence[Place]) -> list[list[Place]]:
    """The points of a line and some of those between them, each a path that labels keep off."""
    points = list(path[:1])
    for (left, low), (right, high) in pairwise(path):
        shares = np.linspace(0, 1, SAMPLES)[1:].tolist()
        points += [(left + (right - left) * share, low + (high - low) * share) for share in shares]
    return [[one] for one in points]


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
    return np.asarray(((some[..., 0] < other[..., 1]) & (other[..., 0] < some[..., 1])).any(axis=1))


def _obstacles(paths: Sequence[Sequence[Place]], sizes: NDArray[np.float64], *, up_first: bool) -> Boxes:
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
    return np.stack(
        [low[..., 0] - half, high[..., 0] + half, low[..., 1] - half, high[..., 1] + half], axis=-1
    )


def _touching(boxes: Boxes, others: Boxes) -> NDArray[np.intp]:
    """How many of the others each box shares a pixel with on any of the plots."""
    (left, right, low, high), (west, east, south, north) = (
        np.moveaxis(some, -1, 0) for some in (boxes[:, None], others[None])
    )
    meeting = (left < east) & (west < right) & (low < north) & (south < high)
    return np.asarray(meeting.any(axis=2).sum(axis=1))
