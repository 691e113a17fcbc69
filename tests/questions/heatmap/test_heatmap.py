"""The Heatmap question: published values in their cells, the best run of each, and plain about what it leaves out."""

from __future__ import annotations

import json
import math
import re
from itertools import cycle
from pathlib import Path

import pytest

from bench import flags
from bench.basis import document
from bench.basis.wording import FINDING, LONGEST
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import heatmap
from bench.selection import written
from bench.view import View
from tests.questions import golden
from tests.questions.heatmap.results import SMALL, asked, by_place, flag, library_of, point
from tests.questions.saying import headline, kinds, said, statement
from tests.thorough import some

HOSTILE = "<b>%{x}</b> **bold** =1+1 | \u202e"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("small"), SMALL)


class TestThePublishedValues:
    def test_of_llama_on_h200(self, shipped: Library) -> None:
        where = {"model": ["llama-3.1-70b"], "accelerator": ["h200"], "engine_version": ["0.17"]}
        options = {"x": "isl", "y": "osl", "metric": "output_tokens_per_s"}
        answer = heatmap.answer(shipped, View.of(where, options))
        cells = by_place(answer)
        assert answer.view.option("panel") == "accelerators"
        assert {chips: cells[chips, 1000, 1000].value for chips in (1, 2, 4, 8)} == {
            1: 2823.45,
            2: 5164.76,
            4: 8911.29,
            8: 13181.24,
        }
        assert headline(answer) == ("peak", {"value": 21195.88, "x": 128, "y": 2048})
        assert statement(answer, "peak").point_ids == cells[8, 128, 2048].ids
        assert said(answer, "falls_off") == {"worst": 1920.45}
        assert statement(answer, "falls_off").point_ids == cells[8, 20000, 2000].ids
        # 36 cells of 4 panels over 6 input and 6 output lengths.
        assert said(answer, "cells") == {"measured": 36, "cells": 144}

    @pytest.mark.parametrize("where", [{"model": ["deepseek-r1"]}, {"accelerator": ["h200-sxm"]}, {}])
    def test_the_headlines_peak_is_the_largest_that_sql_finds(
        self, shipped: Library, where: dict[str, list[str]]
    ) -> None:
        """By another query: measured, of the newest runs, the middle of repeats, without a flag that excludes."""
        view = View.of(where, {"x": "isl", "y": "concurrency", "metric": "output_tokens_per_s"}, whole=True)
        answer = heatmap.answer(shipped, view)
        asked = "".join(f" AND {key} = '{value}'" for key, (value,) in where.items())
        barred = " ".join(f"AND coalesce(flags, '') NOT LIKE '%\"{kind}\"%'" for kind in flags.EXCLUDING)
        (most,) = shipped.fetch(
            "SELECT max(output_tokens_per_s) FROM points ANTI JOIN set_aside USING (point_id) WHERE"
            " evidence = 'measured' AND load_kind = 'closed' AND isl IS NOT NULL AND concurrency IS NOT NULL"
            f"{asked} {barred}"
        )[0]
        peak = answer.result.peak
        assert peak is not None
        assert said(answer, "peak")["value"] == peak.value == most
        assert peak in answer.result.drawn
        assert ("undrawn" in kinds(answer)) == bool(answer.result.undrawn)

    def test_every_value_of_the_rows_is_finite_or_absent(self, shipped: Library) -> None:
        frame = heatmap.answer(shipped, View.of({"model": ["deepseek-r1"]})).rows
        assert all(math.isfinite(value) for value in frame["value"].dropna())
        assert (frame["value"].notna() == (frame["state"] == "measured")).all()

    def test_what_won_a_cell_states_both_lengths_or_none(self, shipped: Library) -> None:
        view = View.of({"model": ["deepseek-r1"]}, {"x": "concurrency", "y": "isl"})
        found = heatmap.answer(shipped, view).rows
        assert not [words for words in found["winner"].dropna() if "not stated in" in words]


class TestACell:
    def test_is_its_best_run_and_of_repeats_the_middle_one(self, small: Library) -> None:
        best = by_place(heatmap.answer(small, asked()))[4, 128, 128]
        assert best.best is not None
        assert (best.value, best.best.concurrency, best.points) == (120, 64, 5)
        level = by_place(heatmap.answer(small, asked(load="concurrency=16")))[4, 128, 128]
        assert (level.value, level.points) == (100, 4)

    def test_measured_failed_without_the_metric_and_never_measured_differ(self, small: Library) -> None:
        answer = heatmap.answer(small, asked())
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

    def test_of_points_that_may_not_be_ranked_says_why(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 10, flags=flag("implausible")),
            point(256, 128, 20, evidence="projected"),
            point(512, 128, 30, ttft_ms_p50=900),
            point(1024, 128, 40),
            point(2048, 128, 50, ttft_ms_p50=10),
            point(4096, 128, 60, concurrency=1, date="2026-01-01"),
            point(4096, 256, 70, date="2026-03-01"),
            point(4096, 128, 80, concurrency=2, date="2026-03-01", flags=flag("implausible")),
        ]
        found = by_place(heatmap.answer(library_of(tmp_path, rows), asked(slo=("ttft_ms_p50<=100",))))
        assert {isl: cell.state for (_, isl, osl), cell in found.items() if osl == 128} == {
            128: "flagged",
            256: "not measured",
            512: "beyond the limit",
            1024: "limit unknown",
            2048: "measured",
            4096: "limit unknown",
        }

    def test_of_an_older_run_holds_no_value_until_older_runs_are_asked_for(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 10, concurrency=1, date="2026-01-01"),
            point(128, 128, 20, concurrency=8, date="2026-03-01"),
        ]
        library = library_of(tmp_path, rows)
        view = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "osl"})
        states = {x: cell.state for (_, x, _), cell in by_place(heatmap.answer(library, view)).items()}
        assert states == {1: "older run", 8: "measured"}
        every = by_place(heatmap.answer(library, view.with_options(runs="all")))
        assert {x: cell.value for (_, x, _), cell in every.items()} == {1: 10, 8: 20}

    def test_is_the_smallest_for_a_latency(self, tmp_path: Path) -> None:
        rows = [point(128, 128, ttft_ms_p50=ms, concurrency=level) for ms, level in ((20, 1), (90, 64), (30, 8))]
        library = library_of(tmp_path, [*rows, point(512, 128, ttft_ms_p50=80)])
        answer = heatmap.answer(library, asked(metric="ttft_ms_p50"))
        assert by_place(answer)[4, 128, 128].value == 20
        assert headline(answer) == ("peak", {"value": 20, "x": 128, "y": 128})
        assert said(answer, "falls_off") == {"worst": 80}

    def test_is_clicked_by_its_name_and_what_is_none_is_refused(self, shipped: Library, small: Library) -> None:
        deepseek = View.of({"model": ["deepseek-r1"]})
        views = [
            (small, asked()),
            (shipped, deepseek.with_options(x="isl", y="concurrency")),
            (shipped, deepseek.with_options(x="isl", y="osl", panel="disaggregated")),
            (shipped, View.of({"model": ["deepseek-r1"]}, {"ratio_by": "accelerator"})),
        ]
        for library, view in views:
            answer = heatmap.answer(library, view)
            for cell in answer.result.cells[::15]:
                behind = heatmap.points_behind(library, answer.view, cell.place)
                assert len(behind) == cell.points
                assert set(cell.ids) <= set(behind["point_id"])
        for name in ("", "8", "8|x|y", "|".join("abc")):
            with pytest.raises(UsageError, match="cell"):
                heatmap.points_behind(small, asked(), name)


class TestWhatIsLeftOut:
    def test_is_counted_and_adds_up(self, small: Library) -> None:
        found = heatmap.answer(small, asked()).result
        assert found.load_kind == "closed"
        assert {code: many for code, many in found.tally.counts.items() if many} == {
            "used": 4,
            "repeat": 2,
            "failed": 1,
            "no_metric": 1,
            "no_axis": 1,
            "other_evidence": 1,
            "other_kind": 2,
        }
        assert (found.tally.selected, found.tally.used) == (12, 4)
        assert said(heatmap.answer(small, asked()), "left_out") == found.tally.counts

    SELECTIONS = (
        {},
        {"model": ["deepseek-r1"]},
        {"source": ["ibm-llm-pilot"]},
        {"source": ["mlperf"]},
        {"evidence": ["projected", "measured"]},
        {"load_kind": ["closed", "batch"]},
    )
    AXES = (("isl", "osl"), ("concurrency", "accelerators"), ("batch", "tp"))

    @pytest.mark.parametrize(
        ("where", "axes"),
        some([*zip(SELECTIONS, cycle(AXES), strict=False), *zip(SELECTIONS, cycle(AXES[1:]), strict=False)], 2, 3),
    )
    def test_every_selected_point_is_used_or_left_out_for_a_reason(
        self, shipped: Library, where: dict[str, list[str]], axes: tuple[str, str]
    ) -> None:
        view = View.of(where, {"x": axes[0], "y": axes[1], "panel": "none"}, whole=True)
        found = heatmap.answer(shipped, view).result
        known = {reason.code for reason in found.tally.reasons} | {"used"}
        assert {code for code, many in found.tally.counts.items() if many} <= known
        assert found.tally.selected == shipped.fetch("SELECT count(*) FROM points")[0][0] or where
        assert (
            found.tally.used
            == sum(
                len(behind[behind["standing"] == "used"].dropna(subset=found.metric))
                for behind in (heatmap.points_behind(shipped, view, cell.place) for cell in found.cells[:400])
            )
            or len(found.cells) > 400
        )
        json.dumps(document.document(found), allow_nan=False, default=str)

    def test_several_load_kinds_share_a_grid_only_when_asked(self, small: Library) -> None:
        mixed = heatmap.answer(small, asked().with_where(load_kind=["closed", "saturated"]))
        assert mixed.result.load_kind is None
        assert by_place(mixed)[4, 128, 128].value == 9000

    def test_under_another_load_kind_and_better_is_a_finding(self, shipped: Library) -> None:
        """Gemma 4 31B: the static batch's 9,600 tokens/s state no lengths, so they lie outside every isl x osl grid."""
        view = View.of({"model": ["gemma-4-31b"]}, {"x": "isl", "y": "osl"}, whole=True)
        answer = heatmap.answer(shipped, view)
        peak = answer.result.peak
        assert peak is not None
        assert peak.best is not None
        assert (round(peak.value or 0), peak.best.accelerator, peak.best.accelerators) == (3050, "h100-sxm", 8)
        assert (answer.result.load_kind, peak.best.isl, peak.best.osl) == ("closed", 2048, 128)
        best, value = answer.result.other_kinds[0]
        assert (value, best.load_kind, best.batch, best.accelerator) == (9600, "batch", 768, "tpu-v6e")
        assert said(answer, "other_kinds") == {"value": 9600}
        assert statement(answer, "other_kinds").point_ids == (best.point_id,)

    def test_for_a_latency_the_other_load_kinds_lower_value_is_named(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, ttft_ms_p50=20),
            point(512, 128, ttft_ms_p50=30),
            point(128, 128, ttft_ms_p50=5, load_kind="open", concurrency=None, request_rate=2),
            point(128, 128, ttft_ms_p50=90, load_kind="saturated", concurrency=None),
        ]
        answer = heatmap.answer(library_of(tmp_path, rows), asked(metric="ttft_ms_p50"))
        assert said(answer, "peak")["value"] == 20
        assert said(answer, "other_kinds") == {"value": 5}
        assert next((best.load_kind, value) for best, value in answer.result.other_kinds) == ("open", 5)


class TestTheStory:
    def test_opens_on_the_story_of_every_page_and_on_a_full_grid(self, shipped: Library) -> None:
        answer = heatmap.answer(shipped, View())
        facts = [one for cell in answer.result.cells for one in cell.facts]
        axes = {answer.view.option(key) for key in ("x", "y")}
        for key in {"model", "precision", "isl", "osl"} - axes:
            assert len(answer.view.values(key)) == 1
            assert len({getattr(one, key) for one in facts}) == 1
        first = shipped.fetch(
            "SELECT count(*) FROM points WHERE model = 'deepseek-r1' AND isl = 8192 AND point_id IN"
            " (SELECT unnest(CAST(? AS VARCHAR[])))",
            ([one.point_id for one in facts],),
        )[0][0]
        assert first >= 50
        assert len(answer.result.measured) >= 100
        places = {
            (cell.panel, x, y)
            for cell in answer.result.drawn
            for x in answer.result.values("x")
            for y in answer.result.values("y")
        }
        assert len(answer.result.measured) >= 0.5 * len(places)
        assert [one for one in answer.why if "nobody chose" in one.what]

    def test_a_grid_of_many_counts_of_chips_has_a_panel_for_each_accelerator(self, shipped: Library) -> None:
        assert heatmap.complete(shipped, View()).option("panel") == "accelerator"
        asked_for = View.of(options={"panel": "accelerators"})
        assert heatmap.complete(shipped, asked_for).option("panel") == "accelerators"
        few = View.of({"model": ["llama-3.1-70b"]})
        assert heatmap.complete(shipped, few).option("panel") == "accelerators"

    @pytest.mark.parametrize(
        "view",
        [
            View(),
            View(whole=True),
            View.of({"model": ["deepseek-r1"]}),
            View.of({"model": ["nothing-like-it"]}),
            View.of({"source": ["mlperf"]}),
            View.of(options={"ratio_by": "engine"}),
            View.of(options={"x": "tp"}),
            View.of({"model": ["llama-3.1-70b"]}, {"x": "accelerators", "panel": "accelerators"}),
            View.of({"model": ["llama-3.1-70b"]}, {"ratio_by": "precision"}),
            View.of(slo=["ttft_ms_p99<=2000"]),
        ],
    )
    def test_a_complete_view_leaves_nothing_to_a_default(self, shipped: Library, view: View) -> None:
        whole = heatmap.complete(shipped, view)
        assert whole.whole
        assert heatmap.complete(shipped, whole) == whole
        assert heatmap.complete(shipped, View.from_query(whole.query())) == whole
        answer = heatmap.answer(shipped, view)
        assert answer.view == whole
        assert answer.headline.endswith(".")
        drawn = {cell.place for cell in answer.result.drawn}
        assert drawn <= set(answer.rows.get("cell", ()))
        assert (len(drawn) == len(answer.rows)) == (not answer.result.undrawn)
        heatmap.figure(answer.result, DARK)

    def test_never_mixes_workloads_or_precisions(self, shipped: Library) -> None:
        """DeepSeek R1 was measured at FP4 and FP8 and several lengths; its grid is of one of each, or they are axes."""
        answer = heatmap.answer(shipped, View.of({"model": ["deepseek-r1"]}))
        axes = {answer.view.option(key) for key in ("x", "y", "panel")}
        for key in {"isl", "osl", "precision"} - axes:
            assert len(answer.view.values(key)) == 1
            assert len({getattr(one, key) for cell in answer.result.cells for one in cell.facts}) == 1
        pinned = sorted({"precision", "isl", "osl"} - axes)
        told = " AND ".join(f"{key} = '{answer.view.values(key)[0]}'" for key in pinned)
        chosen, whole = (
            shipped.fetch(f"SELECT count(*) FROM points WHERE model = 'deepseek-r1'{and_}")[0][0]
            for and_ in (f" AND {told}", "")
        )
        assert said(answer, "narrowed")["left_out"] == whole - chosen
        assert (answer.view.values("precision"), answer.view.values("osl")) == (("fp8",), ("1024",))

    def test_what_the_reader_mixes_stays_mixed(self, shipped: Library) -> None:
        view = View.of({"model": ["deepseek-r1"], "osl": ["1024", "8192"], "precision": ["fp4", "fp8"]})
        whole = heatmap.complete(shipped, view)
        assert whole.values("osl") == ("1024", "8192")
        assert whole.values("precision") == ("fp4", "fp8")
        linked = View.of({"model": ["deepseek-r1"]}, whole=True)
        assert heatmap.complete(shipped, linked).where == linked.where
        assert "precision" in str(said(heatmap.answer(shipped, linked), "mixed")["facts"]).split()

    def test_lengths_as_they_came_are_no_workload_to_narrow_to(self, tmp_path: Path) -> None:
        """Sixty requests from a data set: each has a length of its own, and pinning one would leave one point."""
        rows = [
            {
                **point(0, 128, 10 + place, concurrency=2 ** (place % 4)),
                "isl": None,
                "isl_actual": 100 + place,
                "dataset": "sharegpt",
            }
            for place in range(60)
        ]
        view = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "osl"})
        answer = heatmap.answer(library_of(tmp_path, rows), view)
        assert answer.view.values("isl") == ()
        assert answer.result.tally.used == 60

    def test_an_axis_asked_for_twice_and_a_panel_that_is_an_axis_give_way(self, shipped: Library) -> None:
        view = View.of({"model": ["llama-3.1-70b"]}, {"x": "osl", "y": "osl", "panel": "osl"})
        answer = heatmap.answer(shipped, view)
        assert [answer.view.option(key) for key in ("x", "y", "panel")] == ["osl", "isl", "none"]
        assert "gave_way" in kinds(answer, "caveat")

    WRONG = (
        ("x", "colour"),
        ("panel", "point_id; DROP TABLE points"),
        ("metric", "speed"),
        ("ratio_by", "weather"),
        ("scale", "cubic"),
        ("load", "concurrency=many"),
    )

    @pytest.mark.parametrize(("option", "value"), WRONG)
    def test_a_word_that_is_none_of_ours_is_refused(self, small: Library, option: str, value: str) -> None:
        with pytest.raises((UnknownName, UsageError)):
            heatmap.complete(small, asked(**{option: value}))

    def test_choices_offer_only_what_the_selection_holds(self, small: Library) -> None:
        offered = heatmap.choices(small, heatmap.complete(small, asked()))
        assert [key for key, _ in offered["x"]] == ["isl", "osl", "concurrency", "batch", "accelerators", "tp"]
        assert "output_tokens_per_s_per_accelerator" in dict(offered["metric"])
        assert dict(offered["load"])["concurrency=64"] == "Concurrency 64"
        assert dict(offered["panel"]).keys() >= {"accelerators", "none"}
        assert "model" not in dict(offered["panel"])

    def test_axes_and_a_metric_the_selection_lacks_still_have_their_names(self, shipped: Library) -> None:
        """MLPerf's tables state neither tensor parallel nor goodput."""
        options = {"x": "accelerators", "y": "tp", "metric": "goodput_requests_per_s"}
        view = View.of({"source": ["mlperf"]}, options, whole=True)
        offered = heatmap.choices(shipped, heatmap.complete(shipped, view))
        assert dict(offered["y"])["tp"] == "Tensor parallel"
        assert dict(offered["metric"])["goodput_requests_per_s"] == "Goodput"
        assert heatmap.answer(shipped, view).rows.empty


class TestNothingToShow:
    def test_points_that_state_no_two_axes_are_told_so(self, shipped: Library) -> None:
        """MLPerf's tables state how many accelerators ran, and neither lengths nor a level of load."""
        answer = heatmap.answer(shipped, View.of({"source": ["mlperf"]}))
        held = shipped.fetch(
            "SELECT count(*), count(coalesce(isl, osl, concurrency, batch, request_rate, tp))"
            " FROM points WHERE source = 'mlperf' AND model = 'llama-2-70b'"
        )[0]
        assert held[1] == 0
        assert (headline(answer)[0], answer.result.tally.selected) == ("no_value", held[0])
        assert answer.result.stated is not None
        assert answer.result.stated.columns == ("accelerators",)
        assert heatmap.answer(shipped, View()).result.stated is None

    def test_axes_no_point_states_are_told_with_the_two_most_do(self, small: Library) -> None:
        answer = heatmap.answer(small, asked(x="batch", y="request_rate"))
        # The story is 128/128: of its eight points one was not measured and two are repeats of another.
        assert headline(answer)[0] == "no_value"
        assert answer.result.stated is not None
        assert (answer.result.stated.pair, answer.result.stated.points) == (("isl", "osl"), 5)

    def test_a_metric_that_nothing_has(self, small: Library) -> None:
        answer = heatmap.answer(small, asked(metric="goodput_requests_per_s"))
        assert (headline(answer)[0], answer.result.tally.used) == ("no_value", 0)
        assert {cell.state for cell in answer.result.cells} == {"no metric", "failed"}

    def test_a_limit_that_nothing_keeps(self, small: Library) -> None:
        answer = heatmap.answer(small, asked(slo=("ttft_ms_p50<=10",)))
        assert (headline(answer)[0], answer.result.tally.used) == ("no_value", 0)
        assert answer.result.tally.of("unknown_limit")

    def test_points_that_were_not_measured(self, tmp_path: Path) -> None:
        answer = heatmap.answer(library_of(tmp_path, [point(128, 128, 5, evidence="estimated")]), asked())
        assert headline(answer)[0] == "no_value"
        assert said(answer, "left_out") == {"other_evidence": 1}


class TestTheGrid:
    def test_an_axis_with_too_many_values_is_cut_into_doublings(self, tmp_path: Path) -> None:
        rows = [point(length, 128, 10_000 / length) for length in range(100, 150)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked())
        assert {cell.x: cell.points for cell in answer.result.cells} == {64: 28, 128: 22}
        # The best of 64 to 128 is the shortest, 100 tokens: 100 tokens/s.
        assert by_place(answer)[4, 64, 128].value == 100
        assert answer.result.peak == by_place(answer)[4, 64, 128]
        assert said(answer, "doublings") == {"axis": "isl"}
        assert heatmap.figure(answer.result, LIGHT).layout.xaxis.ticktext == ("64+", "128+")

    def test_beyond_twelve_panels_those_with_most_cells_are_drawn(self, tmp_path: Path) -> None:
        rows = [
            point(128 * cell, 128, 10 * chips, accelerators=chips)
            for chips in range(1, 15)
            for cell in range(1, 3 + (chips > 2))
        ]
        answer = heatmap.answer(library_of(tmp_path, rows), asked())
        assert {cell.panel for cell in answer.result.drawn} == set(range(3, 15))
        assert said(answer, "undrawn") == {"panels": 2}
        assert set(answer.rows["panel"]) == set(range(1, 15))

    def test_the_peak_is_that_of_all_panels_and_its_own_is_always_drawn(self, tmp_path: Path) -> None:
        """Panels of 1 to 13 chips have two cells each; the one of 20 chips has a single cell, and the most by far."""
        rows = [point(128 * cell, 128, chips, accelerators=chips) for chips in range(1, 14) for cell in (1, 2)]
        answer = heatmap.answer(library_of(tmp_path, [*rows, point(128, 128, 5000, accelerators=20)]), asked())
        assert headline(answer) == ("peak", {"value": 5000, "x": 128, "y": 128})
        assert statement(answer, "peak").point_ids == by_place(answer)[20, 128, 128].ids
        assert said(answer, "falls_off") == {"worst": None}
        drawn = {cell.panel for cell in answer.result.drawn}
        assert len(drawn) == 12
        assert 20 in drawn
        assert len(answer.result.undrawn) == 2
        assert heatmap.figure(answer.result, LIGHT).layout.shapes

    def test_the_best_of_each_panel_comes_best_first(self, shipped: Library) -> None:
        answer = heatmap.answer(shipped, View())
        told, found = statement(answer, "panels"), answer.result
        bests = sorted((found.best(cells) for cells in found.panels.values()), key=lambda cell: -(cell.value or 0))
        shown = told.text.count("; ")
        assert len(bests) > shown > 5
        assert (told.values["panels"], told.values["shown"]) == (len(bests), shown)
        assert len(told.text.split()) <= FINDING
        assert told.point_ids == tuple(one for cell in bests[:shown] for one in cell.ids)

    def test_an_axis_with_one_value_is_left_out_of_places(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 10 * level, tp=1, concurrency=level) for level in (1, 8, 64)]
        view = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "tp"})
        answer = heatmap.answer(library_of(tmp_path, rows), view)
        assert said(answer, "peak") == {"value": 640, "x": 64, "y": 1, "worst": 10}
        assert not re.search(r"\btp\b", answer.headline + statement(answer, "slope").text)

    def test_the_colour_scale_is_logarithmic_above_a_range_of_thirty(self, tmp_path: Path) -> None:
        near = library_of(tmp_path / "near", [point(128, 128, 10), point(256, 128, 290)])
        far = library_of(tmp_path / "far", [point(128, 128, 10), point(256, 128, 310)])
        zero = library_of(tmp_path / "zero", [point(128, 128, 0), point(256, 128, 310)])
        for library, view, is_log in (
            (near, asked(), False),
            (far, asked(), True),
            (far, asked(scale="linear"), False),
            (zero, asked(scale="log"), False),
        ):
            assert heatmap.answer(library, view).result.is_log is is_log

    def test_hostile_names_are_text_in_the_figure(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 10, variant=HOSTILE),
            point(256, 128, 20, variant=HOSTILE),
            point(128, 128, 5, variant="plain"),
        ]
        library = library_of(tmp_path, rows)
        for options in ({"panel": "variant"}, {"panel": "none", "ratio_by": "variant"}):
            drawn = heatmap.figure(heatmap.answer(library, asked(**options)).result, LIGHT)
            texts = [note.text for note in drawn.layout.annotations] + list(drawn.data[-1].hovertext)
            assert any("&lt;b&gt;" in text for text in texts)
            assert not any("<b>%" in text or "%{" in text or "\u202e" in text for text in texts)
        for cell in heatmap.answer(library, asked(panel="variant")).result.cells:
            assert len(heatmap.points_behind(library, asked(panel="variant"), cell.place)) == 1


class TestFlags:
    def test_of_winning_points_are_named(self, tmp_path: Path) -> None:
        library = library_of(tmp_path, [point(128, 128, 10, flags=flag("client_limited", "too_few_requests"))])
        answer = heatmap.answer(library, asked())
        assert said(answer, "flags") == {"flagged": 1}
        assert "(flagged: client limited)" in answer.headline

    def test_one_that_excludes_takes_a_point_out_of_every_ranking(self, tmp_path: Path) -> None:
        """What the first build named as the peak, with its flag, is ranked nowhere now and drawn as flagged."""
        rows = [point(128, 128, 90, flags=flag("littles-law")), point(256, 128, 30), point(512, 128, 20)]
        answer = heatmap.answer(library_of(tmp_path, rows), asked())
        assert said(answer, "peak")["value"] == 30
        assert by_place(answer)[4, 128, 128].state == "flagged"
        assert said(answer, "left_out")["flagged"] == 1

    def test_a_peak_that_does_not_hold_without_flagged_points_says_so(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 90, flags=flag("roofline")), point(256, 128, 30), point(512, 128, 20)]
        library = library_of(tmp_path, rows)
        found = heatmap.robustness(library, asked())
        assert found is not None
        assert (found.ways, found.holding) == (2, 1)
        (way, verdict), *_ = found.otherwise
        assert (way, verdict.code) == ("without flagged points", "4|256|128")

    @pytest.mark.parametrize("about", some(golden.VIEWS, 4, 5))
    def test_every_kind_on_a_named_point_is_printed(self, shipped: Library, about: str) -> None:
        """In the sentence that names the point where it names a few, else beside it."""
        for options in ({}, {"ratio_by": "accelerator"}, {"ratio_by": "precision"}):
            answer = heatmap.answer(shipped, View.of(golden.VIEWS[about], options))
            kinds_of = {one.point_id: one.flag_kinds for cell in answer.result.cells for one in cell.facts}
            kinds_of |= {one.point_id: one.flag_kinds for one, _ in answer.result.other_kinds}
            beside = " ".join(one.text for one in answer.statements if one.kind == "flags")
            for one in answer.statements:
                for word in flags.printed(kind for name in one.point_ids for kind in kinds_of[name]):
                    assert word in one.text or word in beside
                    assert word in one.text or len(one.point_ids) > 10


class TestHeadlines:
    @pytest.mark.parametrize("about", some(golden.VIEWS, 4, 5))
    def test_are_short(self, shipped: Library, about: str) -> None:
        for options in ({}, {"ratio_by": "accelerator"}, {"metric": "ttft_ms_p50"}):
            answer = heatmap.answer(shipped, View.of(golden.VIEWS[about], options))
            assert len(answer.headline.split()) <= LONGEST
            assert answer.headline.count("tokens in") <= 1

    def test_a_limit_that_few_points_speak_of_is_said_with_how_many(self, tmp_path: Path) -> None:
        rows = [
            point(128, 128, 10 * level, concurrency=level, ttft_ms_p50=level if level < 16 else None)
            for level in (1, 2, 4, 8, 16, 32)
        ]
        view = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "osl"}, slo=["ttft_ms_p50<=5"])
        answer = heatmap.answer(library_of(tmp_path, rows), view)
        assert said(answer, "peak") == {"value": 40, "x": 4, "y": 128, "stating": 4, "of": 6}

    def test_no_best_is_named_where_most_accelerators_do_not_say(self, tmp_path: Path) -> None:
        rows = [point(128, 128, 10, accelerator=chip) for chip in ("h100-sxm", "b200-sxm", "mi300x")]
        library = library_of(tmp_path, [*rows, point(256, 128, 5, accelerator="h200-sxm", ttft_ms_p50=1)])
        answer = heatmap.answer(library, asked(slo=("ttft_ms_p50<=5",)))
        assert headline(answer) == ("no_best", {"stating": 1, "of": 4, "accelerators": 1})
        assert heatmap.robustness(library, answer.view) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [(1048576.0, "1048576"), (0.5, "0.5"), (1024.0, "1024"), (123456.75, "123456.75"), ("fp8", "fp8"), (8, "8")],
)
def test_a_value_is_written_as_a_filter_reads_it(value: object, words: str) -> None:
    assert written(value) == words
