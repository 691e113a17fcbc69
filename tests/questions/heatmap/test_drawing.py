"""The heatmap's figure: every cell once, under the value it is for, in both themes, in one colour scale."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bench.basis.evidence import NOTHING
from bench.basis.points import PointFacts
from bench.chart import DARK, LIGHT, Theme
from bench.questions import heatmap
from bench.questions.heatmap.grid import cell_id
from bench.questions.heatmap.result import Cell, Heatmap
from bench.wording import short


def cell(panel: int, x: int, y: int, value: float | None, state: Any, evidence: str = "", load: int = 0) -> Cell:
    best = PointFacts("p", model="llama-3.1-70b", evidence=evidence, concurrency=load) if evidence else None
    return Cell(cell_id(panel, x, y), panel, x, y, state, 2, value, best)


CELLS = (
    cell(1, 128, 128, 10.0, "measured", "measured", 16),
    cell(1, 512, 128, 13181.24, "measured", "measured", 64),
    cell(1, 512, 512, None, "failed"),
    cell(2, 128, 512, None, "no metric"),
    cell(2, 128, 128, 500.0, "measured", "projected", 64),
)
FOUND = Heatmap("isl", "osl", "accelerators", "output_tokens_per_s", "best", "log", None, (), CELLS, None, NOTHING)


def drawn(places: Iterable[tuple[int, int, int]], **changed: Any) -> go.Figure:
    """The figure of measured cells at these places: panel, x and y."""
    cells = tuple(cell(*place, 10.0 + place[1], "measured", "measured") for place in places)
    return heatmap.figure(replace(FOUND, cells=cells, **changed), LIGHT)


def texts(figure: go.Figure) -> list[str]:
    tables = [trace.text for trace in figure.data if trace.type == "heatmap"]
    inked = [text for table in tables for row in table for text in row if text]
    return [re.sub('^<span style="color:#[0-9a-f]{6}">(.*)</span>$', r"\1", text) for text in inked]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_cell_is_drawn_once_under_the_point_that_is_clicked_for_it(theme: Theme) -> None:
    figure = heatmap.figure(FOUND, theme)
    clickable = figure.data[-1]
    assert list(clickable.customdata[: len(CELLS)]) == [one.place for one in CELLS]
    # Both panels lie in one line, so that both have the rows that either needs.
    assert sorted(clickable.customdata) == sorted(
        itertools.starmap(cell_id, itertools.product((1, 2), *[(128, 512)] * 2))
    )
    assert {trace.coloraxis for trace in figure.data[1:-1]} == {"coloraxis"}
    at = {name: (x, y) for name, x, y in zip(clickable.customdata, clickable.x, clickable.y, strict=True)}
    seen = []
    for trace in figure.data[1:-1]:
        for line, column in zip(*np.nonzero(~np.isnan(trace.z)), strict=True):
            middle = (trace.x[column : column + 2].mean(), trace.y[line : line + 2].mean())
            (name,) = [name for name, place in at.items() if place == pytest.approx(middle)]
            (one,) = [one for one in CELLS if one.place == name]
            assert trace.z[line][column] == pytest.approx(math.log10(one.value or 0))
            seen.append(name)
    assert sorted(seen) == sorted(one.place for one in CELLS if one.value)


def test_the_value_its_load_and_its_evidence_are_written_in_the_cell() -> None:
    found = texts(heatmap.figure(FOUND, LIGHT))
    assert any(text.startswith("13,181<br>") and "@64" in text for text in found)
    assert [text for text in found if text.startswith("<i>500")]
    assert len(found) == 5


def test_cells_below_36_pixels_have_no_number_and_wide_ones_show_it_where_the_page_gives_them_room() -> None:
    figure = drawn((1, x, y) for x in range(1, 13) for y in range(1, 5))
    assert {trace.texttemplate for trace in figure.data[1:-1]} == {"<span style='--below:700'>%{text}</span>"}
    assert len(texts(figure)) == 12 * 4
    small = drawn((1, x, y) for x in range(1, 13) for y in range(1, 41))
    assert not texts(small)
    assert "11" in small.data[-1].hovertext[0]


def test_axes_carry_their_units_and_marks_are_explained_where_they_occur() -> None:
    notes = [note.text for note in heatmap.figure(FOUND, LIGHT).layout.annotations]
    key = next(note for note in notes if "failed" in note)
    assert all(words in key for words in ("points without this metric", "italics", "no point"))
    assert "<b>1 chip</b>" in notes
    assert {"Input length (tokens)", "Output length (tokens)", "Output throughput (tokens/s)"} <= set(notes)
    plain = heatmap.figure(replace(FOUND, cells=CELLS[:2]), LIGHT)
    assert not any("failed" in note.text for note in plain.layout.annotations)


def test_nothing_to_draw_is_a_small_figure_that_says_so() -> None:
    layout = heatmap.figure(replace(FOUND, cells=()), DARK).layout
    assert layout.annotations[0].text
    assert layout.height <= 200


def test_a_panel_has_no_rows_that_nothing_in_its_line_needs() -> None:
    """Three panels of twenty columns stand one above the other: one row each of eight that there are."""
    figure = drawn(((panel, x, 2**panel) for panel in range(3) for x in range(20)), panel="tp")
    assert figure.layout.yaxis.ticktext == ("4", "2", "1")
    assert len(figure.data[-1].customdata) == 60


def test_forty_by_forty_cells_in_twelve_panels_stay_in_bounds() -> None:
    figure = drawn((panel, x, y) for panel in range(1, 13) for x in range(40) for y in range(0, 40, 4))
    assert not texts(figure)
    assert max(figure.data[-1].x) < figure.layout.xaxis.range[1]
    assert max(figure.data[-1].y) < figure.layout.yaxis.range[1]


@pytest.mark.parametrize(
    ("value", "three", "two"),
    [
        (13181.24, "13.2k", "13k"),
        (2823.45, "2,823", "2.8k"),
        (1_500_000.0, "1.5M", "1.5M"),
        (0.8819, "0.882", "0.88"),
        (0.0, "0", "0"),
        (999_960.0, "1M", "1M"),
    ],
)
def test_numbers_shrink_to_the_room_there_is(value: float, three: str, two: str) -> None:
    assert short(value) == three
    assert short(value, digits=2) == two
