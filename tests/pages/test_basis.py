"""What every answer stands on, chosen on a page: limits, prices, runs and the model, on all pages and in the link."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from bench.basis import story
from bench.basis.limits import NONE
from bench.library import Library
from bench.questions import question
from bench.view import View
from tests.pages import selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

LIMIT = "tpot_ms_p50<=50"
LABEL = "Median TPOT of 50 ms or less"


def linked(at: AppTest) -> View:
    """The View in the page's address."""
    return View.from_query(query_of(at))


def moved(at: AppTest, name: str) -> AppTest:
    """Another page, opened from the navigation."""
    at = at.switch_page(f"{name}.py")
    at.query_params.clear()
    return at.run()


def limited(at: AppTest, *limits: str) -> AppTest:
    """The page after these limits were chosen: TTFT and TPOT in their own boxes, the others in the list."""
    times = {one.partition("_ms_")[0]: one for one in limits if one.startswith(("ttft_ms_", "tpot_ms_"))}
    for stem in ("ttft", "tpot"):
        statistic, _, value = times.get(stem, "").removeprefix(f"{stem}_ms_").partition("<=")
        if statistic:
            at = at.selectbox(key=f"limit.{stem}_ms.of").set_value(statistic).run()
        at = at.number_input(key=f"limit.{stem}_ms").set_value(float(value) if value else None).run()
    return at.multiselect(key="heatmap.slo").set_value([one for one in limits if one not in times.values()]).run()


class TestLimits:
    def test_one_that_is_chosen_narrows_the_answer_and_stands_in_the_link(self, opened: Open) -> None:
        at = limited(opened("heatmap"), LIMIT)
        assert view_of(at, "heatmap").slo == linked(at).slo == (LIMIT,)
        assert f"Only points with {LABEL[0].lower()}{LABEL[1:]} fill a cell" in text_of(at).replace("\\", "")
        told = question("heatmap").answer(Library.open(), linked(at))
        assert told.headline == headline(at).replace("\\", "")
        assert told.result.tally.of("beyond_limit") > 0

    def test_nothing_at_most_is_told_to_be_no_limit_and_all_stay_as_they_were(self, opened: Open) -> None:
        at = limited(opened("heatmap"), LIMIT)
        at = at.number_input(key="limit.tpot_ms").set_value(0.0).run()
        assert "0 is no limit on median TPOT; write a number above 0" in text_of(at)
        assert view_of(at, "heatmap").slo == (LIMIT,)

    def test_are_offered_in_the_fields_words(self, opened: Open) -> None:
        at = opened("heatmap")
        assert [at.number_input(key=f"limit.{stem}_ms").label for stem in ("ttft", "tpot")] == [
            "TTFT at most (ms)",
            "TPOT at most (ms)",
        ]
        box = at.multiselect(key="heatmap.slo")
        assert (box.label, box.value) == ("Other limits", [])
        assert "P99 ITL of 100 ms or less" in box.options

    def test_follow_to_other_pages_and_back(self, opened: Open) -> None:
        at = limited(opened("heatmap", model="llama-3.1-70b"), LIMIT, "ttft_ms_p99<=2000")
        slo = view_of(at, "heatmap").slo
        assert len(slo) == 2
        at = moved(at, "data")
        assert view_of(at, "data").slo == slo
        at = moved(at, "heatmap")
        assert view_of(at, "heatmap").slo == slo
        assert moved(limited(at), "data").session_state["kept"].views["data"].slo == (NONE,)

    def test_in_a_link_are_those_of_the_box(self, opened: Open) -> None:
        at = opened("heatmap", slo=[LIMIT, "ttft_ms_p99<=2000"], model="deepseek-r1")
        boxes = [(f"limit.{stem}_ms", at.selectbox(key=f"limit.{stem}_ms.of").value) for stem in ("ttft", "tpot")]
        assert [(at.number_input(key=key).value, of) for key, of in boxes] == [(2000, "p99"), (50, "p50")]

    def test_what_is_none_is_told_and_left_out(self, opened: Open) -> None:
        at = limited(opened("heatmap"), LIMIT)
        at = limited(at, LIMIT, "as fast as can be")
        (told,) = at.warning
        assert "is no limit; write a metric and a number" in told.value
        assert view_of(at, "heatmap").slo == (LIMIT,)
        assert headline(at)
        assert not limited(at, LIMIT, "ttft_ms_p99<=2000").warning

    def test_leave_the_story_as_it_was(self, opened: Open) -> None:
        at = opened("heatmap")
        before = view_of(at, "heatmap")
        at = limited(at, "ttft_ms_p50<=1000")
        assert view_of(at, "heatmap").where == before.where
        assert view_of(at, "heatmap").option(story.FILLED) == before.option(story.FILLED)


class TestRuns:
    def test_are_the_newest_until_older_ones_are_asked_for(self, opened: Open) -> None:
        at = opened("heatmap")
        at = selectors.more_filters(at)
        box = at.selectbox(key="heatmap.runs")
        assert (box.value, box.options[0]) == ("newest", "The newest of each deployment")
        before = question("heatmap").answer(Library.open(), view_of(at, "heatmap")).result.tally
        assert before.of("older run") > 0
        at = at.selectbox(key="heatmap.runs").set_value("all").run()
        assert linked(at).option("runs") == "all"
        after = question("heatmap").answer(Library.open(), linked(at)).result.tally
        assert after.of("older run") == 0
        assert after.used == before.used + before.of("older run")

    def test_and_flagged_points_follow_to_other_pages(self, opened: Open) -> None:
        at = selectors.more_filters(opened("heatmap")).selectbox(key="heatmap.runs").set_value("all").run()
        at = at.selectbox(key="heatmap.flagged").set_value("out").run()
        at = moved(at, "data")
        view = view_of(at, "data")
        assert (view.option("runs"), view.option("flagged")) == ("all", "out")
        at = selectors.more_filters(moved(at, "heatmap"))
        assert at.selectbox(key="heatmap.runs").value == "all"
        assert at.selectbox(key="heatmap.flagged").value == "out"

    def test_reset_forgets_them(self, opened: Open) -> None:
        at = selectors.more_filters(limited(opened("heatmap"), LIMIT))
        at = at.selectbox(key="heatmap.runs").set_value("all").run()
        at = at.button(key="reset").click().run()
        assert (linked(at).slo, linked(at).option("runs")) == ((), "newest")


class TestPrices:
    @pytest.fixture
    def at(self, opened: Open) -> AppTest:
        return opened("heatmap")

    def test_are_offered_each_with_the_others_that_go_together(self, at: AppTest) -> None:
        boxes = {key: at.selectbox(key=f"heatmap.{key}") for key in ("price_terms", "price_book", "provider")}
        assert boxes["price_terms"].options[0] == "On demand"
        assert boxes["price_book"].options[0] == "Every book"
        assert boxes["provider"].options[0] == "Every provider"

    def test_that_are_chosen_stand_in_the_view_of_every_page(self, at: AppTest) -> None:
        book = at.selectbox(key="heatmap.price_book").options[1]
        at = at.selectbox(key="heatmap.price_book").set_value(book).run()
        at = at.text_input(key="heatmap.utilisation").set_value("0.6").run()
        kept = at.session_state["kept"]
        assert dict(kept.basis.options) == {
            "price_book": book,
            "utilisation": "0.6",
            "runs": "newest",
            "flagged": "ranked",
        }
        assert set(kept.basis.options) <= set(view_of(at, "heatmap").options)


class TestChoosingAModel:
    def chosen(self, at: AppTest, model: str) -> AppTest:
        return selectors.modelled(at, model)

    def test_lets_go_of_what_the_story_filled_in(self, opened: Open) -> None:
        at = opened("heatmap")
        before = view_of(at, "heatmap")
        assert before.values("osl") == ("1024",)
        at = self.chosen(at, "llama-3.1-70b")
        view = view_of(at, "heatmap")
        assert view == linked(at)
        assert view.values("model") == ("llama-3.1-70b",)
        assert view.values("isl") == ()
        assert view == question("heatmap").complete(Library.open(), View.of({"model": ["llama-3.1-70b"]}))
        assert "Llama 3.1 70B FP8" in headline(at).replace("\\", "")

    def test_keeps_the_readers_filters_only_where_it_has_points(self, opened: Open) -> None:
        at = opened("heatmap", model="deepseek-r1", accelerator="h200", engine="sglang")
        at = self.chosen(at, "llama-3.1-70b")
        view = linked(at)
        assert view.values("accelerator") == ("h200",)
        assert view.values("engine") == ()
        held = Library.open().fetch(
            "SELECT count(*) FILTER (engine = 'sglang'), count(*) FROM points"
            " WHERE model = 'llama-3.1-70b' AND accelerator = 'h200-sxm'"
        )[0]
        assert held[0] == 0 < held[1]

    def test_follows_to_other_pages(self, opened: Open) -> None:
        at = moved(self.chosen(opened("heatmap"), "llama-3.1-70b"), "data")
        assert view_of(at, "data").where == (("model", ("llama-3.1-70b",)),)

    def test_keeps_options_and_limits(self, opened: Open) -> None:
        at = limited(opened("heatmap", metric="ttft_ms_p50"), LIMIT)
        at = self.chosen(at, "qwen3.5-397b-a17b")
        assert (linked(at).option("metric"), linked(at).slo) == ("ttft_ms_p50", (LIMIT,))

    def test_finds_axes_anew_that_no_reader_chose(self, opened: Open) -> None:
        at = opened("heatmap")
        assert [view_of(at, "heatmap").option(key) for key in ("x", "y")] == ["concurrency", "isl"]
        at = self.chosen(at, "llama-3.1-70b")
        assert [linked(at).option(key) for key in ("x", "y")] == ["isl", "osl"]
        at = at.selectbox(key="heatmap.y").set_value("accelerators").run()
        at = self.chosen(at, "mixtral-8x7b")
        assert [linked(at).option(key) for key in ("x", "y")] == ["isl", "accelerators"]

    def test_of_a_link_finds_them_anew_too(self, opened: Open) -> None:
        whole = view_of(opened("heatmap"), "heatmap")
        query: dict[str, list[str]] = {}
        for key, value in whole.pairs():
            query.setdefault(key, []).append(value)
        at = self.chosen(opened("heatmap", **query), "llama-3.1-70b")
        assert [linked(at).option(key) for key in ("x", "y")] == ["isl", "osl"]

    def test_can_be_taken_back(self, opened: Open) -> None:
        at = opened("heatmap")
        before = view_of(at, "heatmap")
        at = self.chosen(at, "llama-3.1-70b")
        at = self.chosen(at, before.values("model")[0])
        assert view_of(at, "heatmap").where == before.where
        at = at.button(key="reset").click().run()
        assert view_of(at, "heatmap") == before


def test_a_cell_that_is_clicked_shows_the_points_behind_it_with_what_became_of_them(opened: Open) -> None:
    at = opened("heatmap")
    answer = question("heatmap").answer(Library.open(), view_of(at, "heatmap"))
    peak = answer.result.peak
    behind = question("heatmap").points_behind(Library.open(), answer.view, peak.place)
    assert behind["point_id"].iloc[0] == peak.best.point_id
    assert set(behind["standing"]) <= {"used", *(reason.code for reason in answer.result.tally.reasons)}


def test_points_that_state_no_two_axes_lead_to_the_data_page(opened: Open) -> None:
    at = opened("heatmap", source="mlperf")
    assert "not the two columns that a grid needs" in headline(at)
    (way,) = [one for one in at.get("page_link") if one.proto.page == "data"]
    assert View.from_query(way.proto.query_string).where == view_of(at, "heatmap").where


class TestLimitsFewPointsState:
    def test_are_said_first_and_throughput_is_shown_without_them(self, opened: Open) -> None:
        at = opened("pareto", model="llama-3.3-70b", slo=["ttft_ms_p50<=2000", "tpot_ms_p50<=50"])
        known, of = Library.open().fetch(
            "SELECT count(*) FILTER (ttft_ms_p50 IS NOT NULL AND tpot_ms_p50 IS NOT NULL), count(*) FROM points"
            " WHERE model = 'llama-3.3-70b'"
        )[0]
        assert 0 < 2 * known < of
        assert headline(at).replace("\\", "").startswith(f"Only {known} of {of} points state ")
        told = next(
            line for line in text_of(at).replace("\\", "").splitlines() if line.startswith("By throughput alone: ")
        )
        way = next(one for one in at.get("page_link") if one.proto.page == "heatmap")
        wide = View.from_query(way.proto.query_string)
        assert told.removeprefix("By throughput alone: ") == question("heatmap").answer(Library.open(), wide).headline

    def test_that_many_state_need_no_other_page(self, opened: Open) -> None:
        at = opened("pareto", slo="ttft_ms_p50<=100000")
        assert "By throughput alone" not in text_of(at)
