"""Small multiples on one pair of axes: no two cells overlap, panels keep apart, everything fits the narrowest chart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import panels
from tests.thorough import times

ROWS = st.lists(st.sets(st.integers(1, 12), min_size=1, max_size=8), min_size=1, max_size=6)


@settings(max_examples=times(100, 8, 25))
@given(ROWS, st.integers(1, 15))
def test_cells_are_one_by_one_panels_apart_and_all_fit_the_narrowest_chart(rows: list[set[int]], across: int) -> None:
    made = panels.arranged(range(len(rows)), range(1, across + 1), rows)
    places = [(spot.line, spot.column) for spot in made.spots.values()]
    assert len(set(places)) == len(places)
    assert (np.diff(made.across) > 0).all()
    assert (np.diff(made.up) > 0).all()
    for spot in made.spots.values():
        west, east = made.across[spot.column : spot.column + 2]
        low, high = made.up[spot.line : spot.line + 2]
        assert (spot.across, spot.up) == pytest.approx(((west + east) / 2, (low + high) / 2))
        assert (east - west, high - low) == pytest.approx((1, 1))
    for place, needed in enumerate(rows):
        line = place // made.columns
        beside = rows[line * made.columns : (line + 1) * made.columns]
        held = {y: at.up for (name, _, y), at in made.spots.items() if name == place}
        assert needed <= held.keys() == set().union(*beside)
        assert made.top(place) == pytest.approx(max(held.values()) + 0.5)
    assert made.columns * made.lines >= len(rows) > made.columns * (made.lines - 1)
    width = made.columns * across * made.cell_width + (made.columns - 1) * panels.ACROSS_GAP_PX
    assert width <= panels.LAID_OUT_PX - panels.LEFT - panels.RIGHT + 1e-6
    assert made.cell_height >= panels.LOWEST_CELL_PX


def test_the_first_panel_is_at_the_top_left():
    made = panels.arranged("abc", [1, 2], [[1, 2, 3]] * 3)
    assert made.columns == 3
    tall = panels.arranged("abc", range(20), [[1, 2, 3]] * 3)
    assert tall.columns == 1
    assert [tall.corner(place)[0] for place in range(3)] == [8, 4, 0]


def test_ticks_stand_in_the_middle_of_their_cells():
    made = panels.arranged("ab", [128, 512], [[1, 2], [1, 4]])
    middles, values = made.ticks("x")
    assert values == [128, 512, 128, 512]
    assert middles[:2] == [0.5, 1.5]
    assert middles[2] > 2.5
    assert made.ticks("y") == ([0.5, 1.5, 2.5], [1, 2, 4])


def test_long_names_and_labels_fit_the_narrowest_chart():
    short = panels.arranged("abcd", [1, 2], [[1, 2]] * 4, longest_name=7)
    long = panels.arranged("abcd", [1, 2], [[1, 2]] * 4, longest_name=40)
    assert (short.columns, long.columns) == (4, 1)
    assert long.columns * 40 * panels.NAME_PX <= panels.NARROWEST_PX - panels.LEFT - panels.RIGHT
    # 15 columns leave 31 pixels each, where "16,384" needs 36: upright; "64" needs no more than it has.
    assert panels.arranged("a", [2**power for power in range(15)], [[1]]).label_depth > 0
    assert panels.arranged("a", range(1, 16), [[1]]).label_depth == 0


@pytest.mark.parametrize(("columns", "rows"), [(2, 3), (15, 18), (30, 3), (5, 30)])
def test_cells_that_are_read_are_36_pixels_wide_and_high_on_every_page_that_shows_numbers(columns, rows):
    made = panels.arranged("a", range(1, columns + 1), [range(1, rows + 1)])
    sizes = {page: made._cell(chart) for page, chart in panels.CHART_PX.items()}
    if made.readable_from is None:
        assert made.cell_height < 36 or max(sizes.values()) < 36
    else:
        assert made.cell_height >= 36
        assert all((size >= 36) == (page >= made.readable_from) for page, size in sizes.items())


def test_a_phone_leaves_out_labels_that_would_cover_each_other():
    assert panels.arranged("a", [1, 2, 4], [[1]]).labelled_every == 1
    made = panels.arranged("ab", [128, 500, 1000, 2048, 5000, 20000], [[1]] * 2)
    assert made.labelled_every == 2
