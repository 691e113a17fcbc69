"""Small multiples on one pair of axes: no two cells overlap, panels keep apart, everything fits the narrowest chart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bench.chart import panels

SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 40), st.integers(1, 40))


@given(SHAPES)
def test_cells_are_one_by_one_and_panels_apart(shape):
    names, across, up = shape
    made = panels.arranged(range(names), range(1, across + 1), range(1, up + 1))
    taken = set()
    for place in range(names):
        bottom, left = made.corner(place)
        cells = {(bottom + line, left + column) for line in range(up) for column in range(across)}
        assert not cells & taken
        taken |= cells
        for edges, first, count in ((made.across, left, across), (made.up, bottom, up)):
            assert np.allclose(np.diff(edges)[first : first + count], 1)
    assert (np.diff(made.across) > 0).all()
    assert (np.diff(made.up) > 0).all()


@given(SHAPES)
def test_all_panels_fit_the_narrowest_chart(shape):
    names, across, up = shape
    made = panels.arranged(range(names), range(1, across + 1), range(1, up + 1))
    assert made.columns * made.lines >= names > made.columns * (made.lines - 1)
    width = made.columns * across * made.cell_width + (made.columns - 1) * panels.ACROSS_GAP_PX
    assert width <= panels.LAID_OUT_PX - panels.LEFT - panels.RIGHT + 1e-6
    assert made.cell_height >= panels.LOWEST_CELL_PX


def test_the_first_panel_is_at_the_top_left():
    made = panels.arranged("abc", [1, 2], [1, 2, 3])
    assert made.columns == 3
    tall = panels.arranged("abc", range(20), [1, 2, 3])
    assert tall.columns == 1
    assert [tall.corner(place)[0] for place in range(3)] == [8, 4, 0]


def test_ticks_stand_in_the_middle_of_their_cells():
    made = panels.arranged("ab", [128, 512], [1, 2, 4])
    middles, values = made.ticks("x")
    assert values == [128, 512, 128, 512]
    assert middles[:2] == [0.5, 1.5]
    assert middles[2] > 2.5


def test_long_names_and_labels_fit_the_narrowest_chart():
    short = panels.arranged("abcd", [1, 2], [1, 2], longest_name=7)
    long = panels.arranged("abcd", [1, 2], [1, 2], longest_name=40)
    assert (short.columns, long.columns) == (4, 1)
    assert long.columns * 40 * panels.NAME_PX <= panels.NARROWEST_PX - panels.LEFT - panels.RIGHT
    # 15 columns leave 31 pixels each, where "16,384" needs 36: upright; "64" needs no more than it has.
    assert panels.arranged("a", [2**power for power in range(15)], [1]).label_depth > 0
    assert panels.arranged("a", range(1, 16), [1]).label_depth == 0
