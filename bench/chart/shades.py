"""The colours that the lines of one chart take: told apart, readable as text, and fainter for what is behind them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from bench.chart import Theme
from bench.maths.colour import contrast, distance, mixed

LEAST_DISTANCE = 20.0
"""Lines of one chart differ by at least so much in CIEDE2000; one that no colour is left for turns grey."""

TEXT_CONTRAST, MARK_CONTRAST = 4.5, 3.0
"""What text and what marks must have against their background (WCAG 2.2, 1.4.3 and 1.4.11)."""

FAINTEST = 0.55
STEPS = 40

Key = TypeVar("Key")


def told_apart(colours: Mapping[Key, str], theme: Theme) -> dict[Key, str]:
    """The colours of lines, leaders first: each keeps its own unless a leader or the grey is too near; then grey."""
    kept: list[str] = []
    shades = {}
    for key, colour in colours.items():
        near = any(distance(colour, one) < LEAST_DISTANCE for one in (theme.rest, *kept))
        shades[key] = theme.rest if near else colour
        kept += [] if near else [colour]
    return shades


@lru_cache(maxsize=512)
def ink(colour: str, theme: Theme) -> str:
    """The colour as text is written in it: nearer to the theme's text as far as it takes to be read."""
    shares = (step / STEPS for step in range(STEPS + 1))
    inks = (mixed(colour, theme.text, share) for share in shares)
    return next(one for one in inks if contrast(one, theme.background) >= TEXT_CONTRAST)


@lru_cache(maxsize=512)
def faint(colour: str, theme: Theme) -> float:
    """How opaque a mark behind the lines is: as faint as it still stands out from the background."""
    shares = (step / STEPS for step in range(round(FAINTEST * STEPS), STEPS))
    return next(
        (
            share
            for share in shares
            if contrast(mixed(theme.background, colour, share), theme.background) >= MARK_CONTRAST
        ),
        1.0,
    )
