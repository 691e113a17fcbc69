"""Where the names of a chart's lines go: beside their ends, moved up or down so that they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

PLOTS = ((950, 430), (400, 310))
"""About the width and height of the plot in pixels on a wide and on a narrow page: labels keep apart on both."""

LETTER, LINE, MARKER, STROKE = 7.2, 17, 5, 1
"""About the width of a label's letter, the height of its line, half a marker and half a line, in pixels."""

END_GAP, FARTHEST = 10, 14
"""A label begins so many pixels right of its line's end, and moves at most so many lines up or down."""

Place = tuple[float, float]
"""A place on the plot as shares of its axes."""

Boxes = NDArray[np.float64]
"""Rectangles in pixels: for each one and each of PLOTS its left, right, lower and upper edge."""


def shifts(places: Sequence[Place], widths: Sequence[float], paths: Sequence[Sequence[Place]],
           taken: Boxes | None = None, *, up_first: bool = True) -> list[float]:  # fmt: skip
    """How many pixels each label moves up or down from its place, the highest placed first.

    Places, and the paths of the staircases, are shares of the axes, 0 to 1; a staircase goes to its next point
    vertically first (`up_first`) or horizontally first. A label never covers one placed before it or a `taken` box
    while there is room, and as few points and stairs as can be; then it stays as near as it can.
    """
    placed = np.empty((0, len(PLOTS), 4)) if taken is None else taken
    drawn = _obstacles(paths, up_first=up_first)
    steps = np.array(sorted(range(-FARTHEST, FARTHEST + 1), key=lambda step: (abs(step), step > 0)))
    moved = [0.0] * len(places)
    for position in sorted(range(len(places)), key=lambda position: -places[position][1]):
        own = boxes(places[position], END_GAP, END_GAP + widths[position], steps * LINE)
        middles = own[:, :, 2:].mean(axis=2)
        outside = ((middles < 0) | (middles > np.array(PLOTS)[:, 1])).any(axis=1)
        cost = _touching(own, drawn) + 0.75 * abs(steps)
        best = np.lexsort((cost, outside, _touching(own, placed)))[0]
        placed = np.concatenate([placed, own[best : best + 1]])
        moved[position] = float(steps[best] * LINE)
    return moved


def boxes(place: Place, left: float, right: float, lifts: ArrayLike) -> Boxes:
    """The boxes of a line of text beside a place, so many pixels above it."""
    across, up = (np.array(place) * PLOTS).T
    middle = up + np.asarray(lifts, dtype=float)[:, None]
    sides = np.broadcast_to(across, middle.shape)
    return np.stack([sides + left, sides + right, middle - LINE / 2, middle + LINE / 2], axis=-1)


def _obstacles(paths: Sequence[Sequence[Place]], *, up_first: bool) -> Boxes:
    """The boxes of the points and stairs of all paths."""
    corners = []
    for path in paths:
        corners += [(one, one) for one in path]
        for one, following in pairwise(path):
            turn = (one[0], following[1]) if up_first else (following[0], one[1])
            corners += [(one, turn), (turn, following)]
    ends = np.asarray(corners, dtype=float).reshape(-1, 2, 1, 2) * np.array(PLOTS)
    half = np.where((ends[:, 0] == ends[:, 1]).all(axis=2), MARKER, STROKE)
    low, high = ends.min(axis=1), ends.max(axis=1)
    return np.stack(
        [low[..., 0] - half, high[..., 0] + half, low[..., 1] - half, high[..., 1] + half], axis=-1
    )


def _touching(boxes: Boxes, others: Boxes) -> NDArray[np.intp]:
    """How many of the others each box shares a pixel with on any of PLOTS."""
    (left, right, low, high), (west, east, south, north) = (
        np.moveaxis(some, -1, 0) for some in (boxes[:, None], others[None])
    )
    meeting = (left < east) & (west < right) & (low < north) & (south < high)
    return np.asarray(meeting.any(axis=2).sum(axis=1))
