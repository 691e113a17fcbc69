"""Where the names of a chart's lines go: beside their ends, where they cover nothing; without room they stay away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.chart import Theme
from bench.chart.shades import ink

PLOTS = ((1060, 400), (450, 300))
"""About the width and height of the plot in pixels on a wide page and on one 800 px wide: names fit on both."""

LETTER, LINE, MARKER, STROKE = 7.2, 17, 5, 1
"""About the width of a label's letter, the height of its line, half a marker and half a line, in pixels."""

GAP, FARTHEST = 13, 4
"""A label begins so many pixels beside its line's end, and moves at most so many lines up or down."""

APART = "\u2003"
"""That gap as text: plotly has no other for the text of a point."""

LONGEST = 28

Place = tuple[float, float]
"""A place on the plot as shares of its axes."""

Boxes = NDArray[np.float64]
"""Rectangles in pixels: for each one and each of the plots its left, right, lower and upper edge."""


@dataclass(frozen=True)
class Label:
    """Where a name goes: the height of its middle as a share of the axis, and on which side of its line's end."""

    up: float
    is_left: bool = False


def placed(ends: Sequence[Place], widths: Sequence[float], paths: Sequence[Sequence[Place]],
           taken: Boxes | None = None, *, up_first: bool = True,
           plots: Sequence[tuple[int, int]] = PLOTS,
           farthest: Sequence[int] = ()) -> list[Label | None]:  # fmt: skip
    """Where each label goes, the highest placed first; None for one that has no room within `farthest` lines.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers another or a `taken` box and never leaves
    the plot; it covers as few points and stairs as can be, stays near its end and right of it where it can.
    """
    sizes = np.array(plots, dtype=float)
    full = np.empty((0, len(plots), 4)) if taken is None else taken
    drawn = _obstacles(paths, sizes, up_first=up_first)
    step = LINE / sizes[:, 1].min()
    steps = np.array(sorted(range(-FARTHEST, FARTHEST + 1), key=lambda one: (abs(one), one > 0)))
    found: list[Label | None] = [None] * len(ends)
    for position in sorted(range(len(ends)), key=lambda position: -ends[position][1]):
        end, width = ends[position], widths[position]
        own = np.concatenate([
            boxes(end, GAP, GAP + width, steps * step, plots), boxes(end, -GAP - width, -GAP, steps * step, plots)
        ])  # fmt: skip
        near = np.tile(abs(steps), 2) <= (farthest[position] if farthest else FARTHEST)
        fits = near & ~_outside(own, sizes) & (_touching(own, full) == 0)
        if not fits.any():
            continue
        far = np.tile(abs(steps), 2) + np.repeat([0.0, 1.5], len(steps))
        cost = _touching(own, drawn) + 0.75 * far
        best = int(np.argmin(np.where(fits, cost, np.inf)))
        full = np.concatenate([full, own[best : best + 1]])
        found[position] = Label(float(end[1] + np.tile(steps, 2)[best] * step), best >= len(steps))
    return found


def boxes(place: Place, left: float, right: float, lifts: ArrayLike,
          plots: Sequence[tuple[int, int]] = PLOTS) -> Boxes:  # fmt: skip
    """The boxes of a line of text beside a place, its middle lifted by so large shares of the axis."""
    across, up = (np.array(place) * np.array(plots, dtype=float)).T
    middle = up + np.asarray(lifts, dtype=float)[:, None] * np.array(plots, dtype=float)[:, 1]
    sides = np.broadcast_to(across, middle.shape)
    return np.stack([sides + left, sides + right, middle - LINE / 2, middle + LINE / 2], axis=-1)


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
