"""The Heatmap question: published values in their cells, the best run of each, and plain about what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import Answer, heatmap
from bench.questions.heatmap.result import Heatmap
from bench.selection import written
from bench.view import View
from tests.questions.heatmap.results import SMALL, Row, asked, by_place, flag, ids, lengths, library_of_cases, point
from tests.questions.saying import headline, kinds, said, statement, tells

NO_BEST = {"stating": 1, "of": 4, "accelerators": 1, "of_accelerators": 4, "metrics": "median TTFT"}
HOSTILE = "<b>%{x}</b> **bold** =1+1 | \u202e"
BY_LOAD = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "osl"})

CASES: Mapping[str, list[Row]] = {
    "small": SMALL,
    "unranked": [
        point(128, 128, 10, flags=flag("implausible")),
        point(256, 128, 20, evidence="projected"),
        point(512, 128, 30, ttft_ms_p50=900),
        point(1024, 128, 40),
        point(2048, 128, 50, ttft_ms_p50=10),
        point(4096, 128, 60, concurrency=1, date="2026-01-01"),
        point(4096, 256, 70, date="2026-03-01"),
        point(4096, 128, 80, concurrency=2, date="2026-03-01", flags=flag("implausible")),
    ],
    "runs": [
        point(128, 128, 10, concurrency=1, date="2026-01-01"),
        point(128, 128, 20, concurrency=8, date="2026-03-01"),
    ],
    # Sixty requests from a data set: each has a length of its own, and pinning one would leave one point.
    "lengths-as-they-came": [
        point(0, 128, 10 + place, concurrency=2 ** (place % 4), dataset="sharegpt", isl_actual=100 + place)
        | {"isl": None}
        for place in range(60)
    ],
    "doublings": [point(length, 128, 10_000 / length) for length in range(100, 150)],
    "fourteen-panels": [
        point(128 * cell, 128, 10 * chips, accelerators=chips)
        for chips in range(1, 15)
        for cell in range(1, 3 + (chips > 2))
    ],
    # Panels of 1 to 13 chips have two cells each; the one of 20 chips has a single cell, and the most by far.
    "lone-peak": [
        *(point(128 * cell, 128, chips, accelerators=chips) for chips in range(1, 14) for cell in (1, 2)),
        point(128, 128, 5000, accelerators=20),
    ],
    "near": lengths(10, 290),
    "far": lengths(10, 310),
    "zero": lengths(0, 310),
    "hostile": [*lengths(10, 20, variant=HOSTILE), *lengths(5, variant="plain")],
    "flagged-peak": [*lengths(90, flags=flag("roofline")), point(256, 128, 30), point(512, 128, 20)],
    "few-accelerators-state": [
        *(point(128, 128, 10, accelerator=chip) for chip in ("h100-sxm", "b200-sxm", "mi300x")),
        point(256, 128, 5, accelerator="h200-sxm", ttft_ms_p50=1),
    ],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_cases(tmp_path_factory.mktemp("cases"), CASES)


def of(name: str, view: View | None = None, **options: str) -> View:
    return (view or asked(**options)).with_where(source=[name])


def found(made: Library, name: str, view: View | None = None, **options: str) -> Answer[Heatmap]:
    return heatmap.answer(made, of(name, view, **options))


def test_the_published_values_of_llama_on_h200(shipped: Library) -> None:
    where = {"model": ["llama-3.1-70b"], "accelerator": ["h200"], "engine_version": ["0.17"]}
    answer = heatmap.answer(shipped, View.of(where, {"x": "isl", "y": "osl", "metric": "output_tokens_per_s"}))
    cells = by_place(answer)
    assert answer.view.option("panel") == "accelerators"
    assert {chips: cells[chips, 1000, 1000].value for chips in (1, 2, 4, 8)} == {
        1: 2823.45,
        2: 5164.76,
        4: 8911.29,
        8: 13181.24,
    }
    tells(answer, {"peak": {"value": 21195.88, "x": 128, "y": 2048}, "falls_off": {"worst": 1920.45}})
    assert statement(answer, "peak").point_ids == ids(cells[8, 128, 2048])
    # 36 cells of 4 panels over 6 input and 6 output lengths.
    assert said(answer, "cells") == {"measured": 36, "cells": 144}


class TestACell:
    def test_is_its_best_run_and_of_repeats_the_middle_one(self, made: Library) -> None:
        best = by_place(found(made, "small"))[4, 128, 128]
        assert best.best is not None
        assert (best.value, best.best.concurrency, best.points) == (120, 64, 5)
        level = by_place(found(made, "small", load="concurrency=16"))[4, 128, 128]
        assert (level.value, level.points) == (100, 4)
        mixed = found(made, "small", asked().with_where(load_kind=["closed", "saturated"]))
        assert mixed.result.load_kind is None
        assert by_place(mixed)[4, 128, 128].value == 9000

    def test_measured_failed_without_the_metric_and_never_measured_differ(self, made: Library) -> None:
        answer = found(made, "small")
        assert {place: cell.state for place, cell in by_place(answer).items()} == {
            (4, 128, 128): "measured",
            (4, 1024, 128): "measured",
            (4, 128, 1024): "failed",
            (4, 1024, 1024): "no metric",
            (8, 128, 128): "measured",
        }
        assert all((cell.value is None) == (cell.state != "measured") for cell in answer.result.cells)
        drawn = json.loads(heatmap.figure(answer.result, LIGHT).to_json())
        marks = [text for row in drawn["data"][0]["text"] for text in row if text]
        assert sorted("×" in mark for mark in marks) == [False, True]

    def test_of_points_that_may_not_be_ranked_says_why(self, made: Library) -> None:
        cells = by_place(found(made, "unranked", asked(slo=("ttft_ms_p50<=100",))))
        assert {isl: cell.state for (_, isl, osl), cell in cells.items() if osl == 128} == {
            128: "flagged",
            256: "not measured",
            512: "beyond the limit",
            1024: "limit unknown",
            2048: "measured",
            4096: "limit unknown",
        }

    def test_of_an_older_run_holds_no_value_until_older_runs_are_asked_for(self, made: Library) -> None:
        newest, every = (by_place(found(made, "runs", BY_LOAD.with_options(runs=runs))) for runs in ("newest", "all"))
        assert {x: cell.state for (_, x, _), cell in newest.items()} == {1: "older run", 8: "measured"}
        assert {x: cell.value for (_, x, _), cell in every.items()} == {1: 10, 8: 20}

    def test_is_clicked_by_its_name_and_what_is_none_is_refused(self, shipped: Library, made: Library) -> None:
        disaggregated = View.of({"model": ["deepseek-r1"]}, {"x": "isl", "y": "osl", "panel": "disaggregated"})
        for library, view in ((made, of("small")), (shipped, disaggregated)):
            answer = heatmap.answer(library, view)
            for cell in answer.result.cells[:: 1 + len(answer.result.cells) // 5]:
                behind = heatmap.points_behind(library, answer.view, cell.place)
                assert len(behind) == cell.points
                assert set(ids(cell)) <= set(behind["point_id"])
        for name in ("", "8", "8|x|y", "|".join("abc")):
            with pytest.raises(UsageError, match="cell"):
                heatmap.points_behind(made, of("small"), name)


class TestTheStory:
    def test_opens_on_one_model_precision_and_workload_and_on_a_full_grid(self, shipped: Library) -> None:
        answer = heatmap.answer(shipped, View())
        facts = [one for cell in answer.result.cells for one in cell.facts]
        axes = {answer.view.option(key) for key in ("x", "y")}
        for key in {"model", "precision", "isl", "osl"} - axes:
            assert len(answer.view.values(key)) == len({getattr(one, key) for one in facts}) == 1
        across, up = (len(answer.result.values(part)) for part in ("x", "y"))
        places = across * up * len({cell.panel for cell in answer.result.drawn})
        assert len(answer.result.measured) >= max(100, 0.5 * places)
        assert [one for one in answer.why if "nobody chose" in one.what]

    def test_a_grid_of_many_counts_of_chips_has_a_panel_for_each_accelerator(self, shipped: Library) -> None:
        for view, panel in (
            (View(), "accelerator"),
            (View.of(options={"panel": "accelerators"}), "accelerators"),
            (View.of({"model": ["llama-3.1-70b"]}), "accelerators"),
        ):
            assert heatmap.complete(shipped, view).option("panel") == panel

    @pytest.mark.parametrize(
        "view",
        [
            View.of(options={"ratio_by": "engine"}),
            View.of(options={"x": "tp"}),
            View.of({"model": ["llama-3.1-70b"]}, {"x": "accelerators", "panel": "accelerators"}),
        ],
    )
    def test_a_complete_view_leaves_nothing_to_a_default(self, shipped: Library, view: View) -> None:
        answer = heatmap.answer(shipped, view)
        assert answer.view.whole
        assert heatmap.complete(shipped, View.from_query(answer.view.query())) == answer.view
        drawn = {cell.place for cell in answer.result.drawn}
        assert drawn <= set(answer.rows.get("cell", ()))
        assert (len(drawn) == len(answer.rows)) == (not answer.result.undrawn)
        heatmap.figure(answer.result, DARK)

    def test_what_the_reader_mixes_stays_mixed(self, shipped: Library) -> None:
        view = View.of({"model": ["deepseek-r1"], "osl": ["1024", "8192"], "precision": ["fp4", "fp8"]})
        whole = heatmap.complete(shipped, view)
        assert whole.values("osl") == ("1024", "8192")
        assert whole.values("precision") == ("fp4", "fp8")
        linked = View.of({"model": ["deepseek-r1"]}, whole=True)
        assert heatmap.complete(shipped, linked).where == linked.where
        assert "precision" in str(said(heatmap.answer(shipped, linked), "mixed")["facts"])

    def test_lengths_as_they_came_are_no_workload_to_narrow_to(self, made: Library) -> None:
        answer = found(made, "lengths-as-they-came", BY_LOAD)
        assert answer.view.values("isl") == ()
        assert answer.result.tally.used == 60

    def test_an_axis_asked_for_twice_and_a_panel_that_is_an_axis_give_way(self, made: Library) -> None:
        answer = found(made, "small", x="osl", y="osl", panel="osl")
        assert [answer.view.option(key) for key in ("x", "y", "panel")] == ["osl", "isl", "none"]
        assert "gave_way" in kinds(answer, "caveat")

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("x", "colour"),
            ("panel", "point_id; DROP TABLE points"),
            ("metric", "speed"),
            ("ratio_by", "weather"),
            ("scale", "cubic"),
            ("load", "concurrency=many"),
        ],
    )
    def test_a_word_that_is_none_of_ours_is_refused(self, made: Library, option: str, value: str) -> None:
        with pytest.raises((UnknownName, UsageError)):
            heatmap.complete(made, asked(**{option: value}))

    def test_choices_offer_only_what_the_selection_holds(self, made: Library) -> None:
        offered = {key: dict(some) for key, some in heatmap.choices(made, heatmap.complete(made, of("small"))).items()}
        assert list(offered["x"]) == ["isl", "osl", "concurrency", "batch", "accelerators", "tp"]
        assert "output_tokens_per_s_per_accelerator" in offered["metric"]
        assert offered["load"]["concurrency=64"] == "Concurrency 64"
        assert offered["panel"].keys() >= {"accelerators", "none"}
        assert "model" not in offered["panel"]

    def test_axes_and_a_metric_the_selection_lacks_still_have_their_names(self, shipped: Library) -> None:
        """MLPerf's tables state neither tensor parallel nor goodput."""
        options = {"x": "accelerators", "y": "tp", "metric": "goodput_requests_per_s"}
        view = View.of({"source": ["mlperf"]}, options, whole=True)
        offered = heatmap.choices(shipped, heatmap.complete(shipped, view))
        assert dict(offered["y"])["tp"] == "Tensor parallel"
        assert dict(offered["metric"])["goodput_requests_per_s"] == "Goodput"
        assert heatmap.answer(shipped, view).rows.empty

    def test_points_that_state_no_two_axes_are_told_so(self, shipped: Library) -> None:
        """MLPerf's tables state how many accelerators ran, and neither lengths nor a level of load."""
        answer = heatmap.answer(shipped, View.of({"source": ["mlperf"]}))
        assert headline(answer)[0] == "one_axis"
        assert answer.result.stated == ("accelerators",)


class TestTheGrid:
    def test_an_axis_with_too_many_values_is_cut_into_doublings(self, made: Library) -> None:
        result = found(made, "doublings").result
        assert {cell.x: cell.points for cell in result.cells} == {64: 28, 128: 22}
        assert heatmap.figure(result, LIGHT).layout.xaxis.ticktext == ("64+", "128+")

    def test_beyond_twelve_panels_those_with_most_cells_are_drawn_and_always_that_of_the_peak(
        self, made: Library
    ) -> None:
        answer = found(made, "fourteen-panels")
        assert {cell.panel for cell in answer.result.drawn} == set(range(3, 15))
        assert set(answer.rows["panel"]) == set(range(1, 15))
        peak = found(made, "lone-peak")
        tells(peak, {"peak": {"value": 5000, "x": 128, "y": 128}, "alone": {}})
        assert statement(peak, "peak").point_ids == ids(by_place(peak)[20, 128, 128])
        drawn = {cell.panel for cell in peak.result.drawn}
        assert (len(drawn), 20 in drawn, len(peak.result.undrawn)) == (12, True, 2)
        assert heatmap.figure(peak.result, LIGHT).layout.shapes

    @pytest.mark.parametrize(
        ("name", "scale", "is_log"),
        [("near", "auto", False), ("far", "auto", True), ("far", "linear", False), ("zero", "log", False)],
    )
    def test_the_colour_scale_is_logarithmic_above_a_range_of_thirty(
        self, made: Library, name: str, scale: str, is_log: bool
    ) -> None:
        assert found(made, name, scale=scale).result.is_log is is_log

    def test_hostile_names_are_text_in_the_figure(self, made: Library) -> None:
        for options in ({"panel": "variant"}, {"panel": "none", "ratio_by": "variant"}):
            drawn = heatmap.figure(found(made, "hostile", **options).result, LIGHT)
            texts = [note.text for note in drawn.layout.annotations] + list(drawn.data[-1].hovertext)
            assert any("&lt;b&gt;" in text for text in texts)
            assert not any("<b>%" in text or "%{" in text or "\u202e" in text for text in texts)
        view = of("hostile", panel="variant")
        for cell in heatmap.answer(made, view).result.cells:
            assert len(heatmap.points_behind(made, view, cell.place)) == 1


class TestWhatHolds:
    def test_a_peak_that_does_not_hold_without_flagged_points_says_so(self, made: Library) -> None:
        robust = heatmap.robustness(made, of("flagged-peak"))
        assert robust is not None
        assert (robust.ways, robust.holding) == (1, 0)
        (way, verdict), *_ = robust.otherwise
        assert (way, verdict.code) == ("without flagged points", "4|256|128")

    def test_where_most_accelerators_do_not_say_no_best_is_named_that_could_hold(self, made: Library) -> None:
        answer = found(made, "few-accelerators-state", asked(slo=("ttft_ms_p50<=5",)))
        assert said(answer, "no_best") == NO_BEST
        assert heatmap.robustness(made, answer.view) is None


@pytest.mark.parametrize(("value", "words"), [(1048576.0, "1048576"), (0.5, "0.5"), ("fp8", "fp8"), (8, "8")])
def test_a_value_is_written_as_a_filter_reads_it(value: object, words: str) -> None:
    assert written(value) == words
