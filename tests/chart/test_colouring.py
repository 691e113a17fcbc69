"""Colour scales: ink that reads on every colour, a diverging scale centred on 1, ticks inside the range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.chart import DARK, LIGHT, colouring
from bench.chart.colouring import DARK_INK, LIGHT_INK
from bench.maths.colour import contrast, rgb


def luminance(colour):
    """WCAG 2.2, relative luminance of a colour between two of a scale, whose parts are no whole numbers."""
    parts = [part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return np.dot(parts, (0.2126, 0.7152, 0.0722))


VALUES = st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=30).map(np.array)


def scales():
    values = np.geomspace(1, 1000, 200)
    yield colouring.of_values(values, "higher", log=True), values
    yield colouring.of_values(values, "lower", log=False), values
    for theme in (LIGHT, DARK):
        ratios = np.geomspace(0.1, 10, 200)
        yield colouring.of_ratios(ratios, "higher", theme), ratios


@pytest.mark.parametrize(("scale", "values"), list(scales()))
def test_numbers_read_on_every_colour(scale, values):
    dark = scale.dark_ink(values)
    places = (scale.of(values) - scale.low) / (scale.high - scale.low)
    stops = np.array([rgb(stop) for stop in scale.stops])
    for place, wants_dark in zip(places, dark, strict=True):
        colour = [np.interp(place, np.linspace(0, 1, len(stops)), channel) for channel in stops.T]
        ink = rgb(DARK_INK if wants_dark else LIGHT_INK)
        dim, bright = sorted((luminance(colour), luminance(ink)))
        assert (bright + 0.05) / (dim + 0.05) >= 4.5


@given(VALUES, st.booleans())
def test_every_value_lies_on_the_scale_and_every_tick_too(values, log):
    scale = colouring.of_values(values, "higher", log=log)
    assert scale.low < scale.high
    assert (scale.of(values) >= scale.low - 1e-9).all()
    assert (scale.of(values) <= scale.high + 1e-9).all()
    slack = 0.021 * max(1.0, scale.high - scale.low)
    assert all(scale.low - slack <= tick <= scale.high + slack for tick in scale.ticks)
    assert 1 <= len(scale.ticks) == len(scale.labels) <= 7


@given(VALUES)
def test_a_ratio_scale_reaches_as_far_below_one_as_above(ratios):
    scale = colouring.of_ratios(ratios, "higher", LIGHT)
    assert scale.low == -scale.high
    assert 0.0 in scale.ticks
    assert scale.ticks == tuple(pytest.approx(-tick) for tick in reversed(scale.ticks))


def test_the_brightest_end_is_the_best():
    values = np.array([1.0, 2.0])
    higher, lower = (colouring.of_values(values, better, log=False) for better in ("higher", "lower"))
    assert contrast(higher.stops[-1], "#000000") > contrast(higher.stops[0], "#000000")
    assert lower.stops == higher.stops[::-1]
