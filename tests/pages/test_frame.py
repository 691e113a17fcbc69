"""One View, one frame: filters, notices, what follows from page to page, and what a link says."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bench.basis import story
from bench.library import Library
from bench.questions import question, questions
from bench.selection import count, described
from bench.view import View
from tests.pages import hostile, selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of


def test_a_link_is_shown_as_it_is_written_out(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", isl=["1024", "8192"], osl="1024")
    view = view_of(at, "pareto")
    assert view.whole
    assert view.values("isl") == ("1024", "8192")
    assert view.values("precision") == ()
    assert {option for option, _ in view.options} >= {"x", "y", "group"}


def test_the_line_of_the_page_says_how_much_is_selected(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", accelerator="mi355x")
    said = [part.value.replace("\\", "") for part in at.caption]
    assert described(Library.open(), View.of({"model": ["qwen3.5-397b-a17b"], "accelerator": ["mi355x"]})) in said


def test_on_a_phone_one_button_says_what_is_selected_and_opens_the_selectors(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", accelerator="mi355x")
    assert at.button(key="selected").label.replace("\\", "") == "Qwen3.5 397B-A17B · MI355X"
    assert not at.session_state["selectors_open"]
    assert at.button(key="selected").click().run().session_state["selectors_open"]


def test_a_filter_offers_what_is_loaded_and_says_how_many_points_each_leaves(counted: Open, opened: Open) -> None:
    at = counted("pareto", v="1", model="qwen3.5-397b-a17b")
    library = Library.open()
    accelerators = selectors.accelerators(at)
    assert accelerators.options
    for label in accelerators.options:
        words, _, points = label.rpartition(" (")
        ((slug,),) = library.fetch("SELECT slug FROM accelerators WHERE name = ?", (words,))
        after = selectors.accelerators(opened("pareto", v="1", model="qwen3.5-397b-a17b")).set_value([slug])
        shown = count(library, View(view_of(after.run(), "pareto").where))
        assert int(points.rstrip(")").replace(",", "")) == shown > 0


def test_a_filter_replaces_the_view_and_is_pushed_to_the_address(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b")
    before = headline(at)
    at = selectors.accelerators(at).set_value(["mi355x"]).run()
    assert view_of(at, "pareto").values("accelerator") == ("mi355x",)
    assert View.from_query(query_of(at)) == view_of(at, "pareto")
    assert headline(at) != before


def test_filters_follow_and_options_stay_with_their_page(opened: Open) -> None:
    own = {"model": "qwen3.5-397b-a17b", "accelerator": "mi355x"}
    at = opened("pareto", v="1", **own, group="engine")
    at = at.switch_page("heatmap.py")
    at.query_params.clear()
    at = at.run()
    heatmap = view_of(at, "heatmap")
    assert (
        story.own_choice(heatmap).where
        == view_of(at, "pareto").where
        == View.of({key: [value] for key, value in own.items()}).where
    )
    assert "group" not in dict(heatmap.options)
    at = at.switch_page("pareto.py")
    at.query_params.clear()
    at = at.run()
    assert view_of(at, "pareto").option("group") == "engine"


@pytest.mark.parametrize("name", ["pareto", "scaling"])
def test_what_a_page_filled_into_a_typed_link_stays(name: str, opened: Open) -> None:
    at = opened(name, model="gemma-4-31b")
    first = view_of(at, name)
    assert len(first.where) > 1
    assert view_of(at.run(), name) == first
    at = at.switch_page("heatmap.py").run()
    assert view_of(at, "heatmap").values("model") == ("gemma-4-31b",)
    at = at.switch_page(f"{name}.py").run()
    assert view_of(at, name).where == first.where


def test_the_next_page_tells_the_story_that_it_opens_on(opened: Open) -> None:
    at = opened("pareto")
    story = view_of(at, "pareto")
    at = at.switch_page("heatmap.py").run()
    own = opened("heatmap")
    assert view_of(at, "heatmap") == view_of(own, "heatmap")
    heatmap = view_of(at, "heatmap")
    assert all(heatmap.values(key) == story.values(key) for key in ("model", "precision"))
    assert all(heatmap.values(key) in ((), story.values(key)) for key in ("isl", "osl"))


def test_an_alias_or_a_family_in_a_link_fills_the_filter(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", accelerator="MI355X")
    assert selectors.accelerators(at).value == ["mi355x"]


def test_reset_goes_back_to_the_story(opened: Open) -> None:
    story = view_of(opened("pareto"), "pareto")
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", accelerator="mi355x", group="engine")
    at = at.button(key="reset").click().run()
    assert view_of(at, "pareto") == story
    assert View.from_query(query_of(at)) == story


def test_what_is_not_loaded_is_named_and_the_rest_is_shown(opened: Open) -> None:
    at = opened("pareto", v="1", model=["deepseek-r1", "no-such-model"], isl="8192", osl="1024")
    assert [part.value.replace("\\", "") for part in at.warning] == ["Nothing is loaded for model no-such-model."]
    assert "DeepSeek" in headline(at)


def test_a_selection_without_points_offers_the_filter_to_lift(opened: Open) -> None:
    at = opened("pareto", v="1", model="deepseek-r1", accelerator="tpu-v6e")
    assert "No point matches all of these filters" in text_of(at)
    at = at.button(key="lift.accelerator").click().run()
    assert "DeepSeek" in headline(at)
    assert view_of(at, "pareto").values("accelerator") == ()


NO_LIMIT = "is no limit; write a metric and a number, as in slo=ttft_ms_p99<=2000."


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"isl": "many"}, "Input length 'many' is not a number; write it as in isl=1024."),
        ({"date_from": "yesterday"}, "From 'yesterday' is not a date; write it as in date_from=2026-01-31."),
        ({"modle": "x"}, "There is no filter or option named 'modle'; did you mean model or osl?"),
        ({"slo_x": "abc"}, "There is no filter or option named 'slo_x'; did you mean slo or osl or isl?"),
        ({"slo": "ttft_ms_p99<=abc"}, f"slo='ttft_ms_p99<=abc' {NO_LIMIT}"),
        ({"slo": "ttft_ms_p99<=1e999"}, f"slo='ttft_ms_p99<=1e999' {NO_LIMIT}"),
        ({"slo": "ttft_ms_p99<=-1"}, f"slo='ttft_ms_p99<=-1' {NO_LIMIT}"),
        ({"utilisation": "nan"}, "utilisation='nan' is not a number; write it as in utilisation=0.6."),
        ({"utilisation": "-1"}, "utilisation='-1' is not between 0.001 and 1; write it as in utilisation=0.6."),
        ({"x_scale": "cubic"}, "There is no choice for x_scale named 'cubic'; choose one of auto, linear, log."),
    ],
)
def test_what_a_link_gets_wrong_is_one_sentence_and_the_rest_is_shown(
    query: dict[str, str], sentence: str, opened: Open
) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", **query)
    assert [part.value.replace("\\", "") for part in at.warning] == [sentence]
    assert "are mixed here" in headline(at)
    assert view_of(at, "pareto").where == (("model", ("qwen3.5-397b-a17b",)),)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"x": "isl", "y": "isl"}, "Both axes were input length; the vertical one is now concurrency."),
        (
            {"model": "llama-3.1-70b", "engine_version": "0.17", "accelerator": "h200", "ratio_by": "accelerator"},
            "No two values of accelerator share a cell of this grid, so there is no ratio.",
        ),
        (
            {"model": "llama-3.1-70b", "engine_version": "0.17", "ratio_by": "accelerator", "ratio_a": "abacus"},
            "abacus cannot be compared here; H200 SXM takes its side.",
        ),
    ],
)
def test_what_of_a_link_gives_way_is_told_as_the_command_line_tells_it(
    query: dict[str, str], sentence: str, opened: Open
) -> None:
    at = opened("heatmap", **query)
    assert [part.value.replace("\\", "") for part in at.warning] == [sentence]
    asked = question("heatmap").answer(Library.open(), View.from_pairs(query.items()))
    assert sentence in asked.caveats


def test_what_of_a_link_gives_way_is_told_until_something_is_chosen(opened: Open) -> None:
    at = opened("heatmap", x="isl", y="isl")
    told = [part.value for part in at.warning]
    assert len(told) == 1
    at = at.button(key="selected").click().run()
    assert [part.value for part in at.warning] == told
    at = at.selectbox(key="heatmap.scale").select_index(1).run()
    assert not at.warning


def test_what_a_page_fills_in_stays_when_the_page_is_drawn_again(opened: Open) -> None:
    at = opened("heatmap", model="qwen3.5-397b-a17b")
    first = view_of(at, "heatmap")
    assert first.values("osl")
    at = at.button(key="selected").click().run()
    assert view_of(at, "heatmap") == first


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("data", {"tab": "zzz"}),
        ("heatmap", {"x": "nope"}),
        ("heatmap", {"metric": "nope"}),
        ("pareto", {"x": "nope"}),
        ("heatmap", {"zzzzzzzz": "1"}),
    ],
)
def test_a_page_never_sends_its_reader_to_a_command_line(name: str, query: dict[str, str], opened: Open) -> None:
    at = opened(name, **query)
    (told,) = (part.value.replace("\\", "") for part in at.warning)
    assert told.startswith("There is no ")
    assert "python" not in told
    assert "`" not in told


def test_points_without_two_axes_lead_to_the_data_page(opened: Open) -> None:
    at = opened("heatmap", model="llama-2-70b")
    assert "not the two columns that a grid needs" in headline(at)
    (way,) = [one for one in at.get("page_link") if one.proto.page == "data"]
    assert View.from_query(way.proto.query_string) == View.of({"model": ["llama-2-70b"]}, whole=True)


def test_an_option_a_question_cannot_take_is_named_and_replaced(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", y="speed", group="engine")
    assert len(at.warning) == 1
    assert "'speed'" in at.warning[0].value
    assert view_of(at, "pareto").option("group") == "engine"
    assert view_of(at, "pareto").option("y") != "speed"


def test_only_the_option_that_is_wrong_is_dropped(opened: Open) -> None:
    cost = "usd_per_million_output_tokens"
    at = opened(
        "pareto", v="1", model="qwen3.5-397b-a17b", y=cost, price_book="no-such-book", utilisation="0.5", slo_y="30"
    )
    told = [part.value.replace("\\", "") for part in at.warning]
    assert len(told) == 1
    assert told[0].startswith("There is no choice for price_book named 'no-such-book'; choose one of ")
    view = view_of(at, "pareto")
    assert (view.option("y"), view.option("utilisation"), view.slo) == (cost, "0.5", (f"{cost}<=30",))
    assert view.option("price_book") not in ("", "no-such-book")
    assert [part.value.replace("\\", "") for part in at.run().run().warning] == told


IMPOSSIBLE = ["abc", "-1", "nan", "1e999", "concurrency=1e999", "' OR 1=1 --", "9" * 399]


WITH_OPTIONS = [name for name in sorted(questions()) if question(name).OPTIONS]


@pytest.mark.parametrize(("first", "name"), list(enumerate(WITH_OPTIONS)))
def test_no_value_of_any_option_takes_the_page_away(first: int, name: str, opened: Open) -> None:
    turned = IMPOSSIBLE[first:] + IMPOSSIBLE[:first]
    keys = [option.key for option in question(name).OPTIONS]
    at = opened(name, **dict(zip(keys, itertools.cycle(turned), strict=False)))
    assert headline(at)
    assert len(at.warning) == 1
    assert not at.exception
    assert not at.error


def test_a_link_of_a_newer_version_is_told_so_and_does_its_best(opened: Open) -> None:
    at = opened("pareto", v="99", model="qwen3.5-397b-a17b", group="engine")
    assert [part.value.replace("\\", "") for part in at.warning] == [
        "This link was made by a newer version of Kneepoint (v=99); what this one knows of it is shown."
    ]
    own = opened("pareto", v="1", model="qwen3.5-397b-a17b", group="engine")
    assert not own.warning
    assert view_of(at, "pareto") == view_of(own, "pareto")
    assert headline(at) == headline(own)


def test_a_link_longer_than_any_of_ours_is_refused_in_one_sentence(opened: Open) -> None:
    at = opened("pareto", v="1", model=["deepseek-r1"] * 300)
    assert [part.value for part in at.warning]
    assert not at.exception
    assert headline(at)


def test_the_counts_of_the_frame_are_the_librarys(opened: Open) -> None:
    at = opened("data")
    total = count(Library.open(), View())
    assert f"{total:,} points" in headline(at).replace("\\", "")


def test_what_another_process_imports_is_there_at_the_next_change(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    at = opened("data")
    before = count(Library.open(own_library), View())
    assert f"{before:,} points" in headline(at).replace("\\", "")
    assert not Library.open(own_library).add([hostile.write(tmp_path)]).refused
    at = at.run()
    assert f"{before + len(hostile.POINTS):,} points" in headline(at).replace("\\", "")


def test_what_a_reader_types_that_cannot_be_is_told_and_the_page_stays(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", slo="ttft_ms_p99<=2000")
    assert at.number_input(key="limit.ttft_ms").value == 2000
    at = at.multiselect(key="pareto.slo").set_value(["soon"]).run()
    assert [part.value.replace("\\", "") for part in at.warning] == [f"slo='soon' {NO_LIMIT}"]
    assert view_of(at, "pareto").slo == ("ttft_ms_p99<=2000",)
    at = at.number_input(key="limit.tpot_ms").set_value(50.0).run()
    assert not at.warning
    assert view_of(at, "pareto").slo == ("tpot_ms_p50<=50", "ttft_ms_p99<=2000")
