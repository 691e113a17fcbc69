"""What every answer stands on, chosen on a page: limits, prices, runs and the model, on all pages and in the link."""

from __future__ import annotations

from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest

from bench.basis import story
from bench.questions import question
from bench.view import View
from pages.shared import address, cached
from tests.pages import selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

LIMIT = "tpot_ms_p50<=50"


def linked(at: AppTest) -> View:
    """The View in the page's address."""
    return View.from_query(query_of(at))


def moved(at: AppTest, name: str) -> AppTest:
    """Another page, opened from the navigation."""
    at = at.switch_page(f"{name}.py")
    at.query_params.clear()
    return at.run()


class TestLimits:
    def test_one_that_is_chosen_narrows_the_answer_and_stands_in_the_link(self, opened: Open) -> None:
        at = opened("heatmap")
        before = view_of(at, "heatmap")
        at = at.number_input(key="limit.tpot_ms").set_value(50.0).run()
        view = view_of(at, "heatmap")
        assert view.slo == linked(at).slo == (LIMIT,)
        assert (view.where, view.option(story.FILLED)) == (before.where, before.option(story.FILLED))
        told = question("heatmap").answer(cached.library(), linked(at))
        assert told.verdict == headline(at).replace("\\", "")
        assert told.result.tally.of("beyond_limit") > 0

    def test_what_is_none_is_told_and_left_out(self, opened: Open) -> None:
        at = opened("heatmap", slo=LIMIT)
        at = at.multiselect(key="heatmap.slo").set_value(["as fast as can be"]).run()
        (told,) = at.warning
        assert "asfastascanbe" in told.value
        assert view_of(at, "heatmap").slo == (LIMIT,)
        at = at.number_input(key="limit.tpot_ms").set_value(0.0).run()
        assert "0 is no limit on median TPOT" in text_of(at)
        assert view_of(at, "heatmap").slo == (LIMIT,)
        at = at.number_input(key="limit.ttft_ms").set_value(2000.0).run()
        assert not at.warning

    def test_in_a_link_are_those_of_the_boxes_and_follow_with_runs_and_flags(self, opened: Open) -> None:
        link = {"slo": [LIMIT, "ttft_ms_p99<=2000"], "model": "deepseek-r1", "runs": "all", "flagged": "out"}
        at = opened("heatmap", **link)
        boxes = [(f"limit.{stem}_ms", at.selectbox(key=f"limit.{stem}_ms.of").value) for stem in ("ttft", "tpot")]
        assert [(at.number_input(key=key).value, of) for key, of in boxes] == [(2000, "p99"), (50, "p50")]
        before = view_of(at, "heatmap")
        at = moved(at, "data")
        view = view_of(at, "data")
        assert (view.slo, view.option("runs"), view.option("flagged")) == (before.slo, "all", "out")
        at = selectors.unlimited(moved(at, "heatmap"))
        assert moved(at, "data").session_state["kept"].views["data"].slo == ()

    def test_that_few_points_state_are_said_first_and_throughput_is_shown_without_them(self, opened: Open) -> None:
        at = opened("pareto", model="llama-3.3-70b", slo=["ttft_ms_p50<=2000", "tpot_ms_p50<=50"])
        known, of = cached.library().fetch(
            "SELECT count(*) FILTER (ttft_ms_p50 IS NOT NULL AND tpot_ms_p50 IS NOT NULL), count(*) FROM points"
            " WHERE model = 'llama-3.3-70b'"
        )[0]
        assert 0 < 2 * known < of
        assert f"only {known} of {of} points state " in text_of(at).replace("\\", "")
        (told,) = [
            line for line in text_of(at).replace("\\", "").splitlines() if line.startswith("By throughput alone: ")
        ]
        way = next(one for one in at.get("page_link") if one.proto.page == "heatmap")
        wide = View.from_query(way.proto.query_string)
        assert told.removeprefix("By throughput alone: ") == question("heatmap").answer(cached.library(), wide).headline


def test_runs_are_the_newest_until_older_ones_are_asked_for(opened: Open) -> None:
    at = selectors.more_filters(opened("heatmap"))
    assert at.selectbox(key="heatmap.runs").value == "newest"
    before = question("heatmap").answer(cached.library(), view_of(at, "heatmap")).result.tally
    assert before.of("older run") > 0
    at = at.selectbox(key="heatmap.runs").set_value("all").run()
    assert linked(at).option("runs") == "all"
    after = question("heatmap").answer(cached.library(), linked(at)).result.tally
    assert after.of("older run") == 0
    assert after.used == before.used + before.of("older run")


def test_prices_that_are_chosen_stand_in_the_view_of_every_page(opened: Open) -> None:
    at = opened("heatmap")
    book = at.selectbox(key="heatmap.price_book").options[1]
    at = at.selectbox(key="heatmap.price_book").set_value(book).run()
    at = at.text_input(key="heatmap.utilisation").set_value("0.6").run()
    kept = at.session_state["kept"]
    chosen = {"price_book": book, "utilisation": "0.6", "runs": "newest", "flagged": "ranked"}
    assert dict(kept.basis.options) == chosen
    assert set(kept.basis.options) <= set(view_of(at, "heatmap").options)


class TestChoosingAModel:
    def test_finds_axes_anew_that_no_reader_chose_in_a_link_too(self, opened: Open) -> None:
        whole = address.first("heatmap", [], cached.library())
        assert [whole.option(key) for key in ("x", "y")] == ["concurrency", "isl"]
        at = selectors.modelled(opened("heatmap", **parse_qs(whole.query())), "llama-3.1-70b")
        assert [linked(at).option(key) for key in ("x", "y")] == ["isl", "osl"]
        at = at.selectbox(key="heatmap.y").set_value("accelerators").run()
        at = selectors.modelled(at, "mixtral-8x7b")
        assert [linked(at).option(key) for key in ("x", "y")] == ["isl", "accelerators"]
