"""The ratio of two grids: what is divided, what its headline counts, what it cannot be told apart from."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis.likeness import FACTS, Difference
from bench.chart import DARK, LIGHT, Theme
from bench.library import Library
from bench.questions import heatmap
from bench.questions.heatmap.result import Ratio
from bench.view import View
from tests.questions.heatmap.results import SIDES, asked, by_place, flag, library_of, point
from tests.questions.saying import headline, kinds, said


class TestWhatIsDivided:
    def test_is_where_both_sides_were_measured(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 100),
            point(1024, 128, 50),
            point(2048, 128, 80),
            point(128, 128, 250, accelerator="h200-sxm"),
            point(1024, 128, 40, accelerator="h200-sxm"),
            point(128, 512, 70, accelerator="h200-sxm"),
        ]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        cells = by_place(answer)
        assert {place[1:]: (cell.state, cell.value) for place, cell in cells.items()} == {
            (128, 128): ("measured", 2.5),
            (1024, 128): ("measured", 0.8),
            (2048, 128): ("only b", None),
            (128, 512): ("only a", None),
        }
        # The median of 2.5 and 0.8 is 1.65.
        assert headline(answer) == (
            "ratio",
            {"a": "H200 SXM", "b": "H100 SXM", "median": pytest.approx(1.65), "cells": 2},
        )
        assert said(answer, "ahead") == {"low": 0.8, "high": 2.5, "a": 1, "b": 1, "ties": 0}
        assert said(answer, "one_side") == {"a": 1, "b": 1}

    def test_a_side_of_zero_is_nothing_to_divide_by(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 0), point(128, 128, 250, accelerator="h200-sxm")]
        (cell,) = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES)).result.cells
        assert (cell.state, cell.value, cell.a) == ("only a", None, 250)

    def test_points_of_neither_side_are_counted_as_such(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 10, accelerator=chip) for chip in ("h100-sxm", "h200-sxm", "b200-sxm", "mi300x")]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert said(answer, "left_out") == {"used": 2, "no_side": 2}

    def test_is_of_the_load_kind_in_which_both_sides_share_most_cells(self, tmp_path: Path) -> None:
        """H100 alone has three closed points; both have one saturated point."""
        saturated = {"load_kind": "saturated", "concurrency": None}
        rows = [point(isl, 128, 10) for isl in (128, 256, 512)]
        rows += [point(128, 128, 30, **saturated), point(128, 128, 60, accelerator="h200-sxm", **saturated)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert (answer.result.load_kind, said(answer, "ratio")["median"]) == ("saturated", 2)

    def test_swapping_the_sides_inverts_every_ratio(self, shipped: Library) -> None:
        sides = {"ratio_by": "accelerator", "ratio_a": "b200-sxm", "ratio_b": "h200-sxm"}
        view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, {"x": "isl", "y": "concurrency", **sides})
        there = by_place(heatmap.answer(shipped, view))
        back = by_place(heatmap.answer(shipped, view.with_options(ratio_a="h200-sxm", ratio_b="b200-sxm")))
        assert there.keys() == back.keys()
        assert sum(cell.value is not None for cell in there.values()) > 5
        for place, cell in there.items():
            if cell.value is not None:
                assert back[place].value == pytest.approx(1 / cell.value)


class TestWhatIsCompared:
    def test_where_nobody_said_are_the_two_with_most_in_common_the_better_first(self, shipped: Library) -> None:
        view = View.of({"model": ["llama-3.1-70b"], "engine_version": ["0.17"]}, {"ratio_by": "accelerator"})
        whole = heatmap.complete(shipped, view)
        assert (whole.option("ratio_a"), whole.option("ratio_b")) == ("h200-sxm", "h100-sxm")

    def test_is_laid_over_axes_that_both_sides_share(self, shipped: Library) -> None:
        """TensorRT-LLM's BF16 runs are at request rates, its FP8 and FP16 runs over lengths: those can be divided."""
        view = View.of({"source": ["tensorrt-llm"], "model": ["llama-3.1-70b"]}, {"ratio_by": "precision"})
        answer = heatmap.answer(shipped, view)
        chosen = {key: answer.view.option(key) for key in ("x", "y", "ratio_a", "ratio_b")}
        assert chosen == {"x": "isl", "y": "osl", "ratio_a": "fp8", "ratio_b": "fp16"}
        assert len(answer.result.measured) == 25

    def test_a_side_that_is_not_loaded_gives_way_and_says_so(self, shipped: Library) -> None:
        sides = {"ratio_by": "accelerator", "ratio_a": "abacus", "ratio_b": "h100"}
        view = View.of({"model": ["llama-3.1-70b"], "engine_version": ["0.17"]}, sides)
        answer = heatmap.answer(shipped, view)
        assert answer.view.option("ratio_a") == "h200-sxm"
        assert "gave_way" in kinds(answer, "caveat")

    def test_a_ratio_with_nothing_to_divide_is_none_and_says_so(self, tmp_path: Path) -> None:
        answer = heatmap.answer(library_of(tmp_path, [point(128, 128, 5)]), asked(ratio_by="engine"))
        assert (answer.view.option("ratio_by"), answer.result.ratio) == ("none", None)
        assert "gave_way" in kinds(answer, "caveat")


class TestWhatItCannotBeToldApartFrom:
    def test_is_named_with_each_side(self, shipped: Library) -> None:
        """FP16 ran on A100 alone and the best of FP8 on H200: 4.78 times is no figure of FP8 alone."""
        view = View.of({"source": ["tensorrt-llm"], "model": ["mixtral-8x7b"]}, {"ratio_by": "precision"})
        answer = heatmap.answer(shipped, view)
        ratio = answer.result.ratio
        assert ratio is not None
        assert [(one.fact.key, one.a, one.b) for one in ratio.confounded] == [
            ("accelerator", ("H200 SXM",), ("A100 SXM 80 GB",))
        ]
        assert {(best.precision, best.accelerator) for cell in answer.result.measured for best in cell.facts} == {
            ("fp8", "h200-sxm"),
            ("fp16", "a100-sxm-80gb"),
        }
        assert headline(answer) == (
            "ratio",
            {"a": "FP8", "b": "FP16", "median": pytest.approx(4.78, abs=0.005), "cells": 27},
        )

    def test_declines_the_comparison_where_it_has_several_values(self, shipped: Library) -> None:
        """Of Llama the best of FP8 is on H100 here and on H200 there, against A100 everywhere."""
        view = View.of({"source": ["tensorrt-llm"], "model": ["llama-3.1-70b"]}, {"ratio_by": "precision"})
        answer = heatmap.answer(shipped, view)
        assert headline(answer) == ("confounded", {"facts": 1})
        assert answer.result.ratio is not None
        assert [(one.fact.key, one.a, one.b) for one in answer.result.ratio.confounded] == [
            ("accelerator", ("H100 SXM", "H200 SXM"), ("A100 SXM 80 GB",))
        ]
        assert {"confounded_by", "ahead"} < {*kinds(answer)}
        assert "ratio" not in kinds(answer)
        assert heatmap.robustness(shipped, answer.view) is None

    @pytest.mark.parametrize(
        ("unlike", "told"),
        [
            ({}, True),
            ({"engine": "sglang"}, True),
            ({"engine": "sglang", "precision": "fp16"}, True),
            ({"engine": "sglang", "precision": "fp16", "speculation": "mtp"}, False),
        ],
    )
    def test_are_two_facts_at_most(self, tmp_path: Path, unlike: dict[str, str], told: bool) -> None:
        base = {"speculation": "none"}
        rows = [point(128, 128, 10, **base), point(256, 128, 10, **base)]
        rows += [point(isl, 128, 20, accelerator="h200-sxm", **{**base, **unlike}) for isl in (128, 256)]
        mixed = asked(**SIDES).with_where(precision=["fp8", "fp16"])
        answer = heatmap.answer(library_of(tmp_path, rows), mixed)
        assert answer.result.ratio is not None
        assert {one.fact.key for one in answer.result.ratio.confounded} == unlike.keys()
        assert ("ratio" in kinds(answer), "confounded" in kinds(answer)) == (told, not told)
        if unlike and told:
            assert answer.headline.startswith("H200 SXM with ") or "FP16" in answer.headline

    def test_what_one_side_alone_states_is_a_caveat(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 10), point(128, 128, 20, accelerator="h200-sxm", engine=None, engine_version=None)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert said(answer, "ratio")["median"] == 2
        assert "one_sided" in kinds(answer, "caveat")

    def test_what_differs_in_some_cells_is_a_caveat(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 10),
            point(256, 128, 10),
            point(128, 128, 20, accelerator="h200-sxm"),
            point(256, 128, 20, accelerator="h200-sxm", engine="sglang"),
        ]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert said(answer, "unlike") == {"unlike": 1}
        assert said(answer, "ratio")["median"] == 2

    @given(st.integers(0, 4), st.integers(1, 3))
    def test_are_told_only_where_each_has_one_value(self, facts: int, values: int) -> None:
        differing = tuple(Difference(fact, tuple("abc"[:values]), ("d",)) for fact in FACTS[:facts])
        assert Ratio("precision", "x", "y", differing).is_told == (facts <= 2 and (values == 1 or not facts))


class TestUnlikeLoads:
    def rows(self, level: int = 64) -> list[dict[str, object]]:
        """At 128 and 256 both sides ran at concurrency 16, at 512 the best of H200 is at another level."""
        other = {"accelerator": "h200-sxm"}
        return [
            point(128, 128, 100),
            point(256, 128, 50),
            point(512, 128, 10),
            point(128, 128, 200, **other),
            point(256, 128, 75, **other),
            point(512, 128, 90, concurrency=level, **other),
        ]

    def test_are_left_out_of_median_range_and_colours(self, tmp_path: Path) -> None:
        answer = heatmap.answer(library_of(tmp_path, self.rows()), asked(**SIDES))
        assert said(answer, "ratio") == {"a": "H200 SXM", "b": "H100 SXM", "median": median([2, 1.5]), "cells": 2}
        assert answer.result.span == (1.5, 2)
        assert (said(answer, "unlike_loads"), len(answer.result.measured)) == ({"cells": 1}, 3)
        frames = [one for one in heatmap.figure(answer.result, LIGHT).layout.shapes if one.line.dash == "dot"]
        assert len(frames) == sum(map(answer.result.is_apart, answer.result.cells)) == 1

    def test_one_level_alone_is_at_like_loads(self, tmp_path: Path) -> None:
        answer = heatmap.answer(library_of(tmp_path, self.rows()), asked(**SIDES, load="concurrency=16"))
        assert "unlike_loads" not in kinds(answer)
        assert len(answer.result.measured) == 2

    def test_everywhere_keep_their_colours(self, tmp_path: Path) -> None:
        """One side ran at concurrency 16, the other at 64; its own batch or kind is another load too."""
        other = {"accelerator": "h200-sxm", "concurrency": 64}
        rows = [point(128, 128, 100), point(512, 128, 50), point(128, 128, 300, **other), point(512, 128, 100, **other)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert said(answer, "ratio") == {"a": "H200 SXM", "b": "H100 SXM", "median": 2.5, "cells": 2}
        assert [cell.alike for cell in answer.result.cells] == [False, False]
        assert not [one for one in heatmap.figure(answer.result, LIGHT).layout.shapes if one.line.dash == "dot"]

    def test_a_load_one_side_does_not_state_is_not_like_the_others(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 100), point(128, 128, 300, accelerator="h200-sxm", concurrency=None)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
        assert said(answer, "ratio")["cells"] == said(answer, "unlike_loads")["cells"] == 1

    def test_on_the_shipped_data_the_range_is_of_like_loads_alone(self, shipped: Library) -> None:
        view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, {"x": "isl", "y": "osl", **SIDES})
        found = heatmap.answer(shipped, view).result
        assert all(cell.alike for cell in found.compared) or not any(cell.alike for cell in found.measured)
        values = [cell.value for cell in found.compared]
        assert found.span == (min(values), max(values))
        axis = heatmap.figure(found, LIGHT).layout.coloraxis
        reach = np.log2(found.span)
        assert (axis.cmin, axis.cmax) == pytest.approx((-abs(reach).max(), abs(reach).max()))


def test_a_flagged_point_is_marked_and_one_that_is_excluded_is_no_side(tmp_path: Path) -> None:
    other = {"accelerator": "h200-sxm"}
    rows = [
        point(128, 128, 100),
        point(256, 128, 100, flags=flag("roofline")),
        point(512, 128, 100),
        point(128, 128, 300, **other),
        point(256, 128, 300, **other),
        point(512, 128, 9000, flags=flag("littles-law"), **other),
    ]
    answer = heatmap.answer(library_of(tmp_path, rows), asked(**SIDES))
    cells = {isl: cell for (_, isl, _), cell in by_place(answer).items()}
    assert {isl: cell.state for isl, cell in cells.items()} == {128: "measured", 256: "measured", 512: "only b"}
    assert "(flagged: beyond the roofline)" in answer.headline
    texts = [trace.text for trace in heatmap.figure(answer.result, LIGHT).data if trace.text is not None]
    written = [str(text) for table in texts for text in np.ravel(np.asarray(table, dtype=object))]
    assert sum("†" in text for text in written) == 1


def test_rows_of_a_ratio_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    rows = [
        point(length, 128, 10, accelerators=chips, accelerator=chip)
        for chips in (16, 2, 4)
        for length in (2048, 128, 1024)
        for chip in ("h100-sxm", "h200-sxm")
    ]
    found = heatmap.answer(library_of(tmp_path, rows), asked(panel="accelerators", **SIDES)).rows
    assert list(zip(found["panel"], found["x"], strict=True)) == [
        (chips, length) for chips in (2, 4, 16) for length in (128, 1024, 2048)
    ]


OFF_THE_EDGE = st.floats(0.1, 10).filter(lambda ratio: abs(abs(ratio - 1) - 0.01) > 1e-9)


@given(st.lists(OFF_THE_EDGE, min_size=1, max_size=4))
def test_the_headline_is_the_median_of_the_cells(tmp_path_factory: pytest.TempPathFactory, ratios: list[float]) -> None:
    rows = [point(128 * place, 128, 100) for place, _ in enumerate(ratios, 1)]
    rows += [point(128 * place, 128, 100 * one, accelerator="h200-sxm") for place, one in enumerate(ratios, 1)]
    answer = heatmap.answer(library_of(tmp_path_factory.mktemp("ratios"), rows), asked(**SIDES))
    assert said(answer, "ratio")["median"] == pytest.approx(median(ratios))
    leads = said(answer, "ahead")
    assert (leads["a"], leads["b"]) == (sum(one > 1.01 for one in ratios), sum(one < 0.99 for one in ratios))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_cell_of_one_side_has_no_ground_that_a_ratio_near_one_has(tmp_path: Path, theme: Theme) -> None:
    rows = [point(128, 128, 100), point(128, 128, 100, accelerator="h200-sxm"), point(512, 128, 50)]
    drawn = heatmap.figure(heatmap.answer(library_of(tmp_path, rows), asked(**SIDES)).result, theme).data[0]
    (place,) = np.argwhere(np.asarray(drawn.text, dtype=object) == "B")
    share = (np.asarray(drawn.z)[tuple(place)] - drawn.zmin) / (drawn.zmax - drawn.zmin)
    ground = [colour for edge, colour in drawn.colorscale if edge <= share][-1]
    assert ground == "rgba(0,0,0,0)"
