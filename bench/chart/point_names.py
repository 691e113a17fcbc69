"""What stands beside the points of a chart: a short text each, and where texts would cover each other fewer of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.chart.texts import PlotPlace

LETTER, LINE = 6.2, 14
"""About the width of a letter and the height of a line of a text of 11 pixels."""

BESIDE_PX, NEAR_PX, MARGIN_PX = 7, 12, 12
"""A text begins so far right of its point; points so near look like one; a text may reach so far beyond the plot."""

MOST_NAMED = 3
"""Of more texts at one place the first and the last stand there."""


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels, from the plot's lower left corner."""

    left: float
    low: float
    right: float
    high: float

    def meets(self, other: Box) -> bool:
        """Whether they share a pixel."""
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high


def box(place: PlotPlace, text: str, plot: tuple[int, int], lift: float = 0) -> Box:
    """Where a text above and right of a point lies, `lift` pixels higher than it would."""
    left, low = place[0] * plot[0] + BESIDE_PX, place[1] * plot[1] + lift
    return Box(left, low, left + LETTER * len(text), low + LINE)


def apart(
    places: Sequence[PlotPlace], texts: Sequence[str], plot: tuple[int, int], taken: Sequence[Box] = ()
) -> list[str]:
    """What stands at each point of a plot of this size: no text covers another, or what is taken.

    Points that look like one have their texts at the first of them: "64, 128". A text without room is not drawn.
    """
    groups: list[list[int]] = []
    for number, (x, y) in enumerate(places):
        for group in groups:
            first = places[group[0]]
            if max(abs(first[0] - x) * plot[0], abs(first[1] - y) * plot[1]) < NEAR_PX:
                group.append(number)
                break
        else:
            groups.append([number])
    shown, full = [""] * len(texts), list(taken)
    for group in groups:
        text = _of_one_place([texts[number] for number in group])
        own = box(places[group[0]], text, plot)
        if own.right <= plot[0] + MARGIN_PX and not any(own.meets(other) for other in full):
            full.append(own)
            shown[group[0]] = text
    return shown


def _of_one_place(texts: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    return ", ".join(distinct) if len(distinct) <= MOST_NAMED else f"{distinct[0]} … {distinct[-1]}"
