"""Colours in numbers: how far apart two look (CIEDE2000), and how well one reads on another (WCAG contrast)."""

from __future__ import annotations

import math
from functools import lru_cache

WHITE = (0.9504700, 1.0000000, 1.0888300)
"""The white point D65 of sRGB (IEC 61966-2-1)."""

TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
FAR = 25.0**7

Lab = tuple[float, float, float]


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour written as #rrggbb or rgb(r, g, b)."""
    if colour.startswith("#"):
        return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
    red, green, blue = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return int(red), int(green), int(blue)


def mixed(colour: str, other: str, share: float) -> str:
    """The colour with so large a share of the other in it, as #rrggbb."""
    both = zip(rgb(colour), rgb(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in both)


@lru_cache(maxsize=4096)
def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted(sum(w * part for w, part in zip(TO_XYZ[1], _linear(c), strict=True)) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=4096)
def distance(one: str, other: str) -> float:
    """How far apart two colours look, in CIEDE2000; 1 is just seen, 20 is told apart in a chart."""
    return difference(_lab(one), _lab(other))


def difference(one: Lab, other: Lab) -> float:
    """CIEDE2000 between two colours in CIELAB, as Sharma, Wu and Dalal write it (Color Research, 2005)."""
    chroma = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * math.sqrt(chroma**7 / (chroma**7 + FAR))
    (c1, h1), (c2, h2) = (_polar(lab[1] * stretch, lab[2]) for lab in (one, other))
    lightness, grey = (one[0] + other[0]) / 2, c1 * c2 == 0
    chroma, apart = (c1 + c2) / 2, h2 - h1
    if grey:
        turn, hue = 0.0, h1 + h2
    elif abs(apart) <= 180:
        turn, hue = apart, (h1 + h2) / 2
    else:
        turn = apart - math.copysign(360, apart)
        hue = (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    across = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    hues = sum(
        part * math.cos(math.radians(times * hue + shift))
        for part, times, shift in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    )
    middle = (lightness - 50) ** 2
    own = (other[0] - one[0]) / (1 + 0.015 * middle / math.sqrt(20 + middle))
    along = (c2 - c1) / (1 + 0.045 * chroma)
    across /= 1 + 0.015 * chroma * (1 + hues)
    rotation = 2 * math.sqrt(chroma**7 / (chroma**7 + FAR))
    rotation *= -math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    return math.sqrt(own**2 + along**2 + across**2 + rotation * along * across)


def _polar(a: float, b: float) -> tuple[float, float]:
    return math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


@lru_cache(maxsize=1024)
def _lab(colour: str) -> Lab:
    own = _linear(colour)
    xyz = (sum(w * part for w, part in zip(row, own, strict=True)) for row in TO_XYZ)
    x, y, z = (_root(part / white) for part, white in zip(xyz, WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return math.cbrt(value) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29


def _linear(colour: str) -> list[float]:
    parts = [part / 255 for part in rgb(colour)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
