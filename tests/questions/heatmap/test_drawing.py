"""The heatmap's figure: every cell once, under the value it is for, in both themes, in one colour scale."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from bench.chart import DARK, LIGHT
from bench.questions.heatmap import drawing as heatmap
from bench.questions.heatmap.grid import cell_id

CELLS = [
    {"panel": panel, "x": x, "y": y, "value": value, "state": state, "points": 2, "repeats": 1,
     "cell": f"{panel}|{x}|{y}", "evidence": evidence, "concurrency": load, "model": "llama-3.1-70b"}
    for panel, x, y, value, state, evidence, load in [
        (1, 128, 128, 10.0, "measured", "measured", 16), (1, 512, 128, 13181.24, "measured", "measured", 64),
        (1, 512, 512, None, "failed", None, None), (2, 128, 512, None, "no metric", None, None),
        (2, 128, 128, 500.0, "measured", "projected", 64),
    ]
]  # fmt: skip
NUMBERS = {
    "x": "isl", "y": "osl", "panel": "accelerators", "metric": "output_tokens_per_s", "load": "best", "scale": "log",
    "better": "higher", "in_doublings": [], "ratio": None, "peak": CELLS[1], "measured": 3, "cells": CELLS,
    "span": [10.0, 13181.24],
}  # fmt: skip


def texts(figure):
    return [
        text for trace in figure.data if trace.type == "heatmap" for row in trace.text for text in row if text
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_cell_is_drawn_once_and_can_be_clicked(theme):
    figure = heatmap.draw(NUMBERS, theme)
    drawn = json.loads(figure.to_json())
    places = itertools.product(*(dict.fromkeys(cell[key] for cell in CELLS) for key in ("panel", "x", "y")))
    clickable = drawn["data"][-1]["customdata"]
    assert clickable[: len(CELLS)] == [cell["cell"] for cell in CELLS]
    assert sorted(clickable) == sorted(cell_id(*place) for place in places)
    values = [z for trace in figure.data[1:-1] for z in np.ravel(trace.z) if not math.isnan(z)]
    assert sorted(values) == pytest.approx([1, math.log10(500), math.log10(13181.24)])
    assert {trace.coloraxis for trace in figure.data[1:-1]} == {"coloraxis"}


def test_a_cell_lies_under_the_point_that_is_clicked_for_it():
    figure = heatmap.draw(NUMBERS, LIGHT)
    scatter = figure.data[-1]
    at = {name: (x, y) for name, x, y in zip(scatter.customdata, scatter.x, scatter.y, strict=True)}
    for trace in figure.data[1:-1]:
        for line, column in zip(*np.nonzero(~np.isnan(trace.z)), strict=True):
            middle = (trace.x[column : column + 2].mean(), trace.y[line : line + 2].mean())
            (name,) = [name for name, place in at.items() if place == pytest.approx(middle)]
            cell = next(cell for cell in CELLS if cell["cell"] == name)
            assert trace.z[line][column] == pytest.approx(math.log10(cell["value"]))


def test_the_value_its_load_and_its_evidence_are_written_in_the_cell():
    found = texts(heatmap.draw(NUMBERS, LIGHT))
    assert any(text.startswith("13,181<br>") and "@64" in text for text in found)
    assert [text for text in found if text.startswith("<i>500")]
    assert len(found) == 5


def test_what_the_marks_mean_is_said_for_those_that_occur():
    notes = [note.text for note in heatmap.draw(NUMBERS, LIGHT).layout.annotations]
    key = next(note for note in notes if "failed" in note)
    assert "points without this metric" in key
    assert "italics" in key
    assert "no point" in key
    plain = {**NUMBERS, "cells": CELLS[:2]}
    assert not any("failed" in note.text for note in heatmap.draw(plain, LIGHT).layout.annotations)
    assert "<b>1 chip</b>" in notes


def test_axes_carry_their_units():
    notes = [note.text for note in heatmap.draw(NUMBERS, LIGHT).layout.annotations]
    assert {"Input length (tokens)", "Output length (tokens)", "Output throughput (tokens/s)"} <= set(notes)


def test_nothing_to_draw_is_a_small_figure_that_says_so():
    figure = heatmap.draw({**NUMBERS, "cells": [], "peak": None, "measured": 0}, DARK)
    assert figure.layout.annotations[0].text == "No cell to draw"


def test_forty_by_forty_cells_in_twelve_panels_stay_in_bounds():
    cells = [{**CELLS[0], "panel": panel, "x": x, "y": y, "cell": f"{panel}|{x}|{y}"}
             for panel in range(1, 13) for x in range(40) for y in range(0, 40, 4)]  # fmt: skip
    figure = heatmap.draw({**NUMBERS, "cells": cells, "peak": cells[0]}, LIGHT)
    assert not texts(figure)
    assert max(figure.data[-1].x) < figure.layout.xaxis.range[1]
    assert max(figure.data[-1].y) < figure.layout.yaxis.range[1]


@pytest.mark.parametrize(("value", "three", "two"), [
    (13181.24, "13.2k", "13k"), (2823.45, "2,823", "2.8k"), (235290.0, "235k", "240k"), (1_500_000.0, "1.5M", "1.5M"),
    (0.8819, "0.882", "0.88"), (16.0, "16", "16"), (0.0, "0", "0"), (9999.6, "10k", "10k"), (999_960.0, "1M", "1M"),
])  # fmt: skip
def test_numbers_shrink_to_the_room_there_is(value, three, two):
    assert heatmap.short(value) == three
    assert heatmap.short(value, digits=2) == two
