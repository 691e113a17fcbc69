"""The ratio of two grids: what is divided, what its headline counts, what it cannot be told apart from."""

from __future__ import annotations

import random
from collections.abc import Mapping
from statistics import median

import numpy as np
import pytest

from bench.chart import DARK, LIGHT, Theme
from bench.library import Library
from bench.questions import Answer, heatmap
from bench.questions.heatmap.result import Heatmap
from bench.view import View
from tests.questions.heatmap.results import SIDES, Row, asked, beside, by_place, flag, lengths, library_of_cases, point
from tests.questions.saying import headline, kinds, said, statement, tells

H200 = {"accelerator": "h200-sxm"}
SATURATED = {"load_kind": "saturated", "concurrency": None}
SPECULATING = {"engine": "sglang", "precision": "fp16", "speculation": "mtp"}
BY_PRECISION = {"ratio_by": "precision", "ratio_a": "fp8", "ratio_b": "fp16"}
DRAWN = random.Random(3)
MANY = {f"many-{many}": [DRAWN.uniform(0.1, 10) for _ in range(many)] for many in (1, 2, 3, 4)}
"""Ratios of so many cells."""

CASES: Mapping[str, list[Row]] = {
    "both-sides": [*beside(250, 40), point(2048, 128, 80), point(128, 512, 70, **H200)],
    "zero": [point(128, 128, 0), point(128, 128, 250, **H200)],
    "others": [point(128, 128, 10, accelerator=chip) for chip in ("h100-sxm", "h200-sxm", "b200-sxm", "mi300x")],
    "kinds": [*lengths(10, 10, 10), point(128, 128, 30, **SATURATED), point(128, 128, 60, **H200, **SATURATED)],
    "one": lengths(5),
    "apart": [point(128, 128, 10), point(512, 128, 20, **H200)],
    "engine": beside(200, 200, engine="sglang"),
    "two-facts": beside(200, 200, engine="sglang", precision="fp16"),
    "three-facts": [*lengths(100, 100, speculation="none"), *lengths(200, 200, **H200, **SPECULATING)],
    "several-values": [
        point(128, 128, 200),
        point(256, 128, 200, **H200),
        *lengths(100, 100, accelerator="a100-sxm-80gb", precision="fp16"),
    ],
    "one-states": beside(200, engine=None, engine_version=None),
    "some-unlike": [*beside(200, 200), *lengths(300, **H200, engine="sglang")],
    "loads": [*beside(200, 150), point(512, 128, 10), point(512, 128, 90, concurrency=64, **H200)],
    "all-loads": beside(300, 200, concurrency=64),
    "unstated-load": beside(300, concurrency=None),
    "flags": [
        *lengths(100, 100, 100),
        point(128, 128, 300, **H200),
        point(256, 128, 300, flags=flag("roofline"), **H200),
        point(512, 128, 9000, flags=flag("littles-law"), **H200),
    ],
    "order": [
        point(length, 128, 10, accelerators=chips, accelerator=chip)
        for chips in (16, 2, 4)
        for length in (2048, 128, 1024)
        for chip in ("h100-sxm", "h200-sxm")
    ],
    "level": [*beside(100), point(512, 128, 50)],
    **{name: beside(*(100 * one for one in ratios)) for name, ratios in MANY.items()},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_cases(tmp_path_factory.mktemp("ratios"), CASES)


def of(name: str, **options: str) -> View:
    return asked(**{**SIDES, **options}).with_where(source=[name], precision=["fp8", "fp16"])


def found(made: Library, name: str, **options: str) -> Answer[Heatmap]:
    return heatmap.answer(made, of(name, **options))


def is_ratio(answer: Answer[Heatmap], median: float, cells: int) -> bool:
    told = {"a": "H200 SXM", "b": "H100 SXM", "metric": "output_tokens_per_s", "median": pytest.approx(median)}
    return headline(answer) == ("ratio", {**told, "cells": cells})


class TestWhatIsDivided:
    def test_is_where_both_sides_were_measured(self, made: Library) -> None:
        answer = found(made, "both-sides")
        assert {place[1:]: (cell.state, cell.value) for place, cell in by_place(answer).items()} == {
            (128, 128): ("measured", 2.5),
            (256, 128): ("measured", 0.4),
            (2048, 128): ("only b", None),
            (128, 512): ("only a", None),
        }
        # The median of 2.5 and 0.4 is 1.45.
        assert is_ratio(answer, 1.45, 2)
        tells(answer, {"ahead": {"a": 1, "b": 1, "ties": 0}, "range": {"low": 0.4, "high": 2.5}})
        tells(answer, {"one_side": {"a": 1, "b": 1}})
        assert said(answer, "cells") == {"measured": 2, "cells": 6}

    def test_a_side_of_zero_is_nothing_to_divide_by(self, made: Library) -> None:
        (cell,) = found(made, "zero").result.cells
        assert (cell.state, cell.value, cell.a) == ("only a", None, 250)

    def test_points_of_neither_side_are_counted_as_such(self, made: Library) -> None:
        assert said(found(made, "others"), "left_out") == {"used": 2, "no_side": 2}

    def test_is_of_the_load_kind_in_which_both_sides_share_most_cells(self, made: Library) -> None:
        """H100 alone has three closed points; both have one saturated point."""
        answer = found(made, "kinds")
        assert (answer.result.load_kind, said(answer, "ratio")["median"]) == ("saturated", 2)

    @pytest.mark.parametrize("name", MANY)
    def test_the_headline_is_the_median_of_the_cells(self, made: Library, name: str) -> None:
        answer, ratios = found(made, name), MANY[name]
        assert is_ratio(answer, median(ratios), len(ratios))
        leads = said(answer, "ahead")
        assert (leads["a"], leads["b"]) == (sum(one > 1.01 for one in ratios), sum(one < 0.99 for one in ratios))


class TestWhatIsCompared:
    def test_where_nobody_said_are_the_two_with_most_in_common_the_better_first(self, shipped: Library) -> None:
        view = View.of({"model": ["llama-3.1-70b"], "engine_version": ["0.17"]}, {"ratio_by": "accelerator"})
        whole = heatmap.complete(shipped, view)
        assert (whole.option("ratio_a"), whole.option("ratio_b")) == ("h200-sxm", "h100-sxm")

    def test_is_laid_over_axes_that_both_sides_share(self, shipped: Library) -> None:
        """TensorRT-LLM's BF16 runs are at request rates, its FP8 and FP16 runs over lengths: those can be divided."""
        view = View.of({"source": ["tensorrt-llm"], "model": ["llama-3.1-70b"]}, {"ratio_by": "precision"})
        whole = heatmap.complete(shipped, view)
        chosen = {key: whole.option(key) for key in ("x", "y", "ratio_a", "ratio_b")}
        assert chosen == {"x": "isl", "y": "osl", "ratio_a": "fp8", "ratio_b": "fp16"}

    def test_a_side_that_is_not_loaded_gives_way_and_says_so(self, made: Library) -> None:
        answer = found(made, "both-sides", ratio_a="abacus")
        assert answer.view.option("ratio_a") == "h200-sxm"
        assert "gave_way" in kinds(answer, "caveat")

    def test_a_ratio_with_nothing_to_divide_is_none_and_says_so(self, made: Library) -> None:
        answer = heatmap.answer(made, asked(ratio_by="engine").with_where(source=["one"]))
        assert (answer.view.option("ratio_by"), answer.result.ratio) == ("none", None)
        assert "gave_way" in kinds(answer, "caveat")
        apart = found(made, "apart")
        assert (headline(apart)[0], len(apart.result.cells)) == ("none_shared", 2)


class TestWhatItCannotBeToldApartFrom:
    @pytest.mark.parametrize(
        ("name", "options", "unlike", "kind"),
        [
            ("many-2", {}, set(), "ratio"),
            ("engine", {}, {"engine"}, "ratio"),
            ("two-facts", {}, {"engine", "precision"}, "ratio"),
            ("three-facts", {}, set(SPECULATING), "confounded"),
            ("several-values", BY_PRECISION, {"accelerator"}, "confounded"),
        ],
    )
    def test_are_two_facts_of_one_value_each_at_most(
        self, made: Library, name: str, options: dict[str, str], unlike: set[str], kind: str
    ) -> None:
        answer = found(made, name, **options)
        assert answer.result.ratio is not None
        assert {one.fact.key for one in answer.result.ratio.confounded} == unlike
        told, values = headline(answer)
        assert told == kind
        assert ("ahead" in kinds(answer)) == (kind == "ratio")
        if kind == "confounded":
            assert values == {"a": answer.result.ratio.a, "b": answer.result.ratio.b, "facts": values["facts"]}
            assert len(list(values["facts"])) == len(unlike)
            assert heatmap.robustness(made, answer.view) is None
        # What each side differs in is named with it.
        assert ("SGLang" in answer.verdict) == ("engine" in unlike and kind == "ratio")

    def test_are_named_with_the_values_of_each_side(self, made: Library) -> None:
        answer = found(made, "several-values", **BY_PRECISION)
        assert answer.result.ratio is not None
        (one,) = answer.result.ratio.confounded
        assert (one.a, one.b) == (("H100 SXM", "H200 SXM"), ("A100 SXM 80 GB",))
        assert "confounded_by" in kinds(answer, "caveat")

    def test_what_one_side_alone_states_or_some_cells_differ_in_is_a_caveat(self, made: Library) -> None:
        answer = found(made, "one-states")
        assert is_ratio(answer, 2, 1)
        assert "one_sided" in kinds(answer, "caveat")
        assert said(found(made, "some-unlike"), "unlike") == {"unlike": 1}


class TestUnlikeLoads:
    def test_are_left_out_of_median_range_and_colours(self, made: Library) -> None:
        """At 128 and 256 both sides ran at concurrency 16, at 512 the best of H200 is at another level."""
        answer = found(made, "loads")
        assert is_ratio(answer, median([2, 1.5]), 2)
        assert answer.result.span == (1.5, 2)
        assert said(answer, "unlike_loads_apart") == {"cells": 1, "measured": 3}
        layout = heatmap.figure(answer.result, LIGHT).layout
        frames = [one for one in layout.shapes if one.line.dash == "dot"]
        assert len(frames) == sum(map(answer.result.is_apart, answer.result.cells)) == 1
        assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == pytest.approx((-1, 1))

    def test_one_level_alone_is_at_like_loads(self, made: Library) -> None:
        answer = found(made, "loads", load="concurrency=16")
        assert not {"unlike_loads", "unlike_loads_apart"} & {*kinds(answer)}
        assert len(answer.result.measured) == 2

    def test_everywhere_keep_their_colours(self, made: Library) -> None:
        answer = found(made, "all-loads")
        assert is_ratio(answer, 2.5, 2)
        assert said(answer, "unlike_loads") == {"cells": 2, "measured": 2}
        assert not [one for one in heatmap.figure(answer.result, LIGHT).layout.shapes if one.line.dash == "dot"]

    def test_a_load_one_side_does_not_state_is_not_like_the_others(self, made: Library) -> None:
        answer = found(made, "unstated-load")
        assert said(answer, "ratio")["cells"] == said(answer, "unlike_loads")["cells"] == 1


def test_a_flagged_point_is_marked_and_one_that_is_excluded_is_no_side(made: Library) -> None:
    answer = found(made, "flags")
    cells = {isl: cell for (_, isl, _), cell in by_place(answer).items()}
    assert {isl: cell.state for isl, cell in cells.items()} == {128: "measured", 256: "measured", 512: "only b"}
    assert statement(answer, "ratio").flags == ("beyond the roofline",)
    texts = [trace.text for trace in heatmap.figure(answer.result, LIGHT).data if trace.text is not None]
    written = [str(text) for table in texts for text in np.ravel(np.asarray(table, dtype=object))]
    assert sum("†" in text for text in written) == 1


def test_rows_of_a_ratio_come_in_the_order_of_their_numbers(made: Library) -> None:
    rows = found(made, "order", panel="accelerators").rows
    assert list(zip(rows["panel"], rows["x"], strict=True)) == [
        (chips, length) for chips in (2, 4, 16) for length in (128, 1024, 2048)
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_cell_of_one_side_has_no_ground_that_a_ratio_near_one_has(made: Library, theme: Theme) -> None:
    drawn = heatmap.figure(found(made, "level").result, theme).data[0]
    (place,) = np.argwhere(np.asarray(drawn.text, dtype=object) == "B")
    share = (np.asarray(drawn.z)[tuple(place)] - drawn.zmin) / (drawn.zmax - drawn.zmin)
    ground = [colour for edge, colour in drawn.colorscale if edge <= share][-1]
    assert ground == "rgba(0,0,0,0)"
