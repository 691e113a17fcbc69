"""The heatmap's figure: every cell once, under the value it is for, in both themes, in one colour scale."""

from __future__ import annotations

import itertools
import json
import math
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


def texts(figure: go.Figure) -> list[str]:
    tables = [trace.text for trace in figure.data if trace.type == "heatmap"]
    return [text for table in tables for row in table for text in row if text]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_cell_is_drawn_once_and_can_be_clicked(theme: Theme) -> None:
    figure = heatmap.figure(FOUND, theme)
    drawn = json.loads(figure.to_json())
    clickable = drawn["data"][-1]["customdata"]
    assert clickable[: len(CELLS)] == [one.place for one in CELLS]
    # Both panels lie in one line, so that both have the rows that either needs.
    assert sorted(clickable) == sorted(cell_id(*at) for at in itertools.product((1, 2), (128, 512), (128, 512)))
    values = [z for trace in figure.data[1:-1] for z in np.ravel(trace.z) if not math.isnan(z)]
    assert sorted(values) == pytest.approx([1, math.log10(500), math.log10(13181.24)])
    assert {trace.coloraxis for trace in figure.data[1:-1]} == {"coloraxis"}


def test_a_cell_lies_under_the_point_that_is_clicked_for_it() -> None:
    figure = heatmap.figure(FOUND, LIGHT)
    scatter = figure.data[-1]
    at = {name: (x, y) for name, x, y in zip(scatter.customdata, scatter.x, scatter.y, strict=True)}
    for trace in figure.data[1:-1]:
        for line, column in zip(*np.nonzero(~np.isnan(trace.z)), strict=True):
            middle = (trace.x[column : column + 2].mean(), trace.y[line : line + 2].mean())
            (name,) = [name for name, place in at.items() if place == pytest.approx(middle)]
            (one,) = [one for one in CELLS if one.place == name]
            assert trace.z[line][column] == pytest.approx(math.log10(one.value or 0))


def test_the_value_its_load_and_its_evidence_are_written_in_the_cell() -> None:
    found = texts(heatmap.figure(FOUND, LIGHT))
    assert any(text.startswith("13,181<br>") and "@64" in text for text in found)
    assert [text for text in found if text.startswith("<i>500")]
    assert len(found) == 5


def test_cells_below_36_pixels_have_no_number_and_wide_ones_show_it_where_the_page_gives_them_room() -> None:
    grid = [(x, y) for x in range(1, 13) for y in range(1, 5)]
    figure = heatmap.figure(
        replace(FOUND, cells=tuple(cell(1, x, y, 10.0 * x, "measured", "measured") for x, y in grid)), LIGHT
    )
    [shown] = {trace.texttemplate for trace in figure.data[1:-1]}
    assert shown == "<span style='--below:700'>%{text}</span>"
    assert len(texts(figure)) == len(grid)
    low = [(x, y) for x in range(1, 13) for y in range(1, 41)]
    small = heatmap.figure(
        replace(FOUND, cells=tuple(cell(1, x, y, 10.0 * x, "measured", "measured") for x, y in low)), LIGHT
    )
    assert not texts(small)
    assert all("10" in text for text in small.data[-1].hovertext[:1])


def test_what_the_marks_mean_is_said_for_those_that_occur() -> None:
    notes = [note.text for note in heatmap.figure(FOUND, LIGHT).layout.annotations]
    key = next(note for note in notes if "failed" in note)
    assert "points without this metric" in key
    assert "italics" in key
    assert "no point" in key
    plain = replace(FOUND, cells=CELLS[:2])
    assert not any("failed" in note.text for note in heatmap.figure(plain, LIGHT).layout.annotations)
    assert "<b>1 chip</b>" in notes


def test_axes_carry_their_units() -> None:
    notes = [note.text for note in heatmap.figure(FOUND, LIGHT).layout.annotations]
    assert {"Input length (tokens)", "Output length (tokens)", "Output throughput (tokens/s)"} <= set(notes)


def test_nothing_to_draw_is_a_small_figure_that_says_so() -> None:
    figure = heatmap.figure(replace(FOUND, cells=()), DARK)
    assert figure.layout.annotations[0].text == "No cell to draw"
    assert figure.layout.height <= 200


def test_a_panel_has_no_rows_that_nothing_in_its_line_needs() -> None:
    """Three panels of twenty columns stand one above the other: one row each of eight that there are."""
    cells = tuple(cell(panel, x, 2**panel, 5.0, "measured", "measured") for panel in range(3) for x in range(20))
    figure = heatmap.figure(replace(FOUND, cells=cells, panel="tp"), LIGHT)
    assert figure.layout.yaxis.ticktext == ("4", "2", "1")
    assert len(figure.data[-1].customdata) == len(cells)


def test_forty_by_forty_cells_in_twelve_panels_stay_in_bounds() -> None:
    cells = tuple(
        cell(panel, x, y, 10.0, "measured", "measured")
        for panel in range(1, 13)
        for x in range(40)
        for y in range(0, 40, 4)
    )
    figure = heatmap.figure(replace(FOUND, cells=cells), LIGHT)
    assert not texts(figure)
    assert max(figure.data[-1].x) < figure.layout.xaxis.range[1]
    assert max(figure.data[-1].y) < figure.layout.yaxis.range[1]


@pytest.mark.parametrize(
    ("value", "three", "two"),
    [
        (13181.24, "13.2k", "13k"),
        (2823.45, "2,823", "2.8k"),
        (235290.0, "235k", "240k"),
        (1_500_000.0, "1.5M", "1.5M"),
        (0.8819, "0.882", "0.88"),
        (16.0, "16", "16"),
        (0.0, "0", "0"),
        (9999.6, "10k", "10k"),
        (999_960.0, "1M", "1M"),
    ],
)
def test_numbers_shrink_to_the_room_there_is(value: float, three: str, two: str) -> None:
    assert short(value) == three
    assert short(value, digits=2) == two
