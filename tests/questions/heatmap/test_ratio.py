"""The ratio of two grids: what is divided, what its headline counts, and what is unlike and so kept apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.chart import DARK, LIGHT, Theme
from bench.library import Library
from bench.questions import heatmap
from bench.view import View
from tests.questions.heatmap.results import asked, by_place, library_of, point


def test_a_ratio_divides_where_both_sides_were_measured(tmp_path):
    rows = [
        point(128, 128, 100), point(1024, 128, 50), point(2048, 128, 80),
        point(128, 128, 250, accelerator="h200-sxm"), point(1024, 128, 40, accelerator="h200-sxm"),
        point(128, 512, 70, accelerator="h200-sxm"),
    ]  # fmt: skip
    answer = heatmap.answer(
        library_of(tmp_path, rows), asked(ratio_by="accelerator", ratio_a="h200-sxm", ratio_b="h100-sxm")
    )
    cells = by_place(answer)
    assert {place[1:]: (cell["state"], cell["value"]) for place, cell in cells.items()} == {
        (128, 128): ("measured", 2.5), (1024, 128): ("measured", 0.8), (2048, 128): ("only b", None),
        (128, 512): ("only a", None),
    }  # fmt: skip
    assert answer.headline == (
        "Output throughput of H200 SXM is 1.65 times that of H100 SXM in the median of 2 shared cells,"
        " from 0.800 to 2.50."
    )
    assert answer.findings[:2] == (
        "Ahead: H200 SXM in 1 cell and H100 SXM in 1 cell; largest ratio at 128/128.",
        "Measured on one side only, so not divided: H200 SXM in 1 cell and H100 SXM in 1 cell.",
    )


def test_a_ratio_nobody_spelled_out_compares_the_two_with_most_in_common_the_better_first(shipped):
    view = View.of({"model": ["llama-3.1-70b"], "engine_version": ["0.17"]}, {"ratio_by": "accelerator"})
    whole = heatmap.complete(shipped, view)
    assert (whole.option("ratio_a"), whole.option("ratio_b")) == ("h200-sxm", "h100-sxm")


def test_swapping_the_sides_inverts_every_ratio(shipped):
    sides = {
        "ratio_by": "accelerator",
        "ratio_a": "b200-sxm",
        "ratio_b": "h200-sxm",
        "x": "isl",
        "y": "concurrency",
    }
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, sides)
    there = by_place(heatmap.answer(shipped, view))
    back = by_place(heatmap.answer(shipped, view.with_options(ratio_a="h200-sxm", ratio_b="b200-sxm")))
    assert there.keys() == back.keys()
    for place, cell in there.items():
        if cell["value"] is not None:
            assert back[place]["value"] == pytest.approx(1 / cell["value"])


def test_a_side_that_is_not_loaded_gives_way_and_says_so(shipped):
    sides = {"ratio_by": "accelerator", "ratio_a": "abacus", "ratio_b": "h100"}
    view = View.of({"model": ["llama-3.1-70b"], "engine_version": ["0.17"]}, sides)
    answer = heatmap.answer(shipped, view)
    assert answer.view.option("ratio_a") == "h200-sxm"
    assert answer.caveats[0] == "abacus cannot be a side of this ratio; it is h200-sxm instead."


def test_a_ratio_of_unlike_loads_says_so(shipped: Library) -> None:
    """Only concurrency 1 was published for 16 MI355X at 8,192/1,024, so 52 times is no lead of the B200."""
    sides = {"ratio_by": "accelerator", "ratio_a": "b200-sxm", "ratio_b": "mi355x"}
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, {"x": "isl", "y": "osl", **sides})
    answer = heatmap.answer(shipped, view)
    assert answer.headline == (
        "Under closed load, output throughput of B200 SXM is 1.43 times that of MI355X in the median of 3 shared cells"
        " at like loads, from 1.07 to 1.46; 5 more compare unlike loads."
    )
    assert (
        answer.findings[0]
        == "Ahead at like loads: B200 SXM in 3 cells; largest ratio at 1,024/8,192, 8 chips."
    )
    frames = [shape for shape in heatmap.figure(answer, LIGHT).layout.shapes if shape.line.dash == "dot"]
    assert len(frames) == answer.numbers["ratio"]["unlike_loads"] == 5
    told = answer.caveats
    assert told[0] == (
        "Each side is at its own best load, not the same one in 5 of 8 cells: concurrency 256 against 1 at 8,192/1,024,"
        " 16 chips; those are drawn without colour and left out of the median and the range."
    )
    fixed = heatmap.answer(shipped, view.with_options(load="concurrency=64")).caveats
    assert not any("own best load" in note for note in fixed)


def test_a_ratio_over_a_flagged_point_is_marked_and_kept_out_of_the_range(shipped: Library) -> None:
    """The published MI355X row at concurrency 512 is 40 times under Little's law, so B200 is no 65 times faster."""
    sides = {"ratio_by": "accelerator", "ratio_a": "b200-sxm", "ratio_b": "mi355x"}
    answer = heatmap.answer(shipped, View.of({"model": ["deepseek-r1"]}, sides, whole=True))
    assert answer.rows["value"].max() > 60
    assert (
        "1.15 times that of MI355X in the median of 25 shared cells at like loads, from 0.557 to 1.93; 1 more compares"
        " unlike loads." in answer.headline
    )
    assert any(
        "against Little's law (1 cell); the range above leaves 1 such cell out" in note
        for note in answer.caveats
    )
    texts = [trace.text for trace in heatmap.figure(answer, LIGHT).data if trace.text is not None]
    written = [text for table in texts for text in np.ravel(np.asarray(table, dtype=object))]
    assert sum("†" in str(text) for text in written) == 1


def test_a_ratio_whose_loads_are_all_unlike_says_so_and_keeps_its_colours(tmp_path: Path) -> None:
    """One side ran at concurrency 16, the other at 64; its own batch or kind is another load too."""
    other = {"accelerator": "h200-sxm", "concurrency": 64}
    rows = [
        point(128, 128, 100),
        point(512, 128, 50),
        point(128, 128, 300, **other),
        point(512, 128, 100, **other),
    ]
    sides = {"ratio_by": "accelerator", "ratio_a": "h200-sxm", "ratio_b": "h100-sxm"}
    answer = heatmap.answer(library_of(tmp_path, rows), asked(**sides))
    assert answer.headline == (
        "Output throughput of H200 SXM is 2.50 times that of H100 SXM in the median of 2 shared cells, each side at its"
        " own best load, from 2 to 3."
    )
    assert [cell["like_loads"] for cell in answer.numbers["cells"]] == [False, False]
    assert not [shape for shape in heatmap.figure(answer, LIGHT).layout.shapes if shape.line.dash == "dot"]


def test_a_load_one_side_does_not_state_is_not_like_the_others(tmp_path: Path) -> None:
    rows = [point(128, 128, 100), point(128, 128, 300, accelerator="h200-sxm", concurrency=None)]
    sides = {"ratio_by": "accelerator", "ratio_a": "h200-sxm", "ratio_b": "h100-sxm"}
    answer = heatmap.answer(library_of(tmp_path, rows), asked(**sides))
    assert answer.headline.endswith("in the one cell both have, each side at its own best load.")
    assert answer.caveats[0] == "Each side is at its own best load, not the same one in 1 of 1 cell."


def test_rows_of_a_ratio_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    rows = [
        point(length, 128, 10, accelerators=chips, accelerator=chip)
        for chips in (16, 2, 4)
        for length in (2048, 128, 1024)
        for chip in ("h100-sxm", "h200-sxm")
    ]
    sides = {"ratio_by": "accelerator", "ratio_a": "h200-sxm", "ratio_b": "h100-sxm", "panel": "accelerators"}
    found = heatmap.rows(library_of(tmp_path, rows), asked(**sides))
    assert list(zip(found["panel"], found["x"], strict=True)) == [
        (chips, length) for chips in (2, 4, 16) for length in (128, 1024, 2048)
    ]


def test_colours_span_what_is_compared_and_what_is_left_out_takes_an_end(shipped: Library) -> None:
    """MI355X against B200, DeepSeek R1 FP8: 0.697 to 1.28; the flagged cell of 0.0235 once made all of these grey."""
    sides = {"ratio_by": "accelerator", "ratio_a": "mi355x", "ratio_b": "b200-sxm",
             "metric": "output_tokens_per_s_per_accelerator"}  # fmt: skip
    where = {"model": ["deepseek-r1"], "precision": ["fp8"], "osl": ["1024"]}
    answer = heatmap.answer(shipped, View.of(where, sides))
    low, high = answer.numbers["span"]
    assert f", from {low:.3f} to {high:.2f}; " in answer.headline
    values = [cell["value"] for cell in answer.numbers["cells"] if cell["state"] == "measured"]
    assert min(values) < low / 4
    axis = heatmap.figure(answer, LIGHT).layout.coloraxis
    reach = np.log2([low, high])
    assert (axis.cmin, axis.cmax) == pytest.approx((-abs(reach).max(), abs(reach).max()))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_cell_of_one_side_has_no_ground_that_a_ratio_near_one_has(tmp_path: Path, theme: Theme) -> None:
    rows = [point(128, 128, 100), point(128, 128, 100, accelerator="h200-sxm"), point(512, 128, 50)]
    sides = {"ratio_by": "accelerator", "ratio_a": "h200-sxm", "ratio_b": "h100-sxm"}
    drawn = heatmap.figure(heatmap.answer(library_of(tmp_path, rows), asked(**sides)), theme).data[0]
    (place,) = np.argwhere(np.asarray(drawn.text, dtype=object) == "B")
    share = (np.asarray(drawn.z)[tuple(place)] - drawn.zmin) / (drawn.zmax - drawn.zmin)
    ground = [colour for edge, colour in drawn.colorscale if edge <= share][-1]
    assert ground == "rgba(0,0,0,0)"
